"""Tie a child process to its parent: it leaves interrupts to it, ends with it, and takes one core."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from pathlib import Path

_BLAS_THREAD_VARIABLES = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
_INTERRUPTS = frozenset({signal.SIGINT, signal.SIGTERM})
_CLEANUP_S = 2.0
_OOM_SCORE_ADJ = "500"
"""When memory runs out, the kernel takes a worker and not its parent; -1000 to 1000."""

_on_orphaned: list[Callable[[], None]] = []


def end_with_parent() -> None:
    """Leave interrupts to the parent, and end with it: without a parent a worker would wait for work forever."""
    for number in _INTERRUPTS:
        signal.signal(number, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        _arm_parent_alarm(parent.sentinel)
        threading.Thread(target=_exit_after, args=(parent.sentinel,), daemon=True).start()


def on_orphaned(callback: Callable[[], None]) -> None:
    """Register a callback for when the parent of this process has gone; it has two seconds before the process ends.

    `callback`: called in a thread of its own, while other threads go on; what it raises is lost.
    """
    _on_orphaned.append(callback)


def _exit_after(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    exit_orphaned()


def exit_orphaned() -> None:
    """Call what was registered with `on_orphaned`, then end this process."""
    timer = threading.Timer(_CLEANUP_S, os._exit, [1])
    timer.daemon = True
    timer.start()
    for callback in _on_orphaned:
        with contextlib.suppress(Exception):  # the others must still be called, and nobody is there to be told
            callback()
    os._exit(1)


def _arm_parent_alarm(sentinel: int) -> None:
    """Have the kernel end this process some seconds after its parent, even if no Python code can run here any more.

    A decoder that hangs and holds the interpreter lets no thread of ours run. So the kernel signals when the parent's
    end of the pipe closes, and the C library answers: its ``alarm`` serves as the handler, which is called with the
    number of the signal (SIGUSR1 is 10) and so lets SIGALRM end the process that many seconds later.
    """
    if sys.platform != "linux":
        return
    import ctypes
    import fcntl

    library = ctypes.CDLL(None)
    library.signal.argtypes = (ctypes.c_int, ctypes.c_void_p)
    library.signal.restype = ctypes.c_void_p
    library.signal(signal.SIGUSR1, ctypes.cast(library.alarm, ctypes.c_void_p))
    fcntl.fcntl(sentinel, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(sentinel, fcntl.F_SETSIG, signal.SIGUSR1)
    fcntl.fcntl(sentinel, fcntl.F_SETFL, fcntl.fcntl(sentinel, fcntl.F_GETFL) | os.O_ASYNC)


def prefer_oom_kill() -> None:
    """Make the kernel choose this process when memory runs out; its parent retries the task."""
    with contextlib.suppress(OSError):  # there is no such file outside Linux
        Path("/proc/self/oom_score_adj").write_text(_OOM_SCORE_ADJ, encoding="ascii")


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Limit linear algebra to one thread in processes that are started meanwhile: each has a core of its own.

    The libraries read this when they are loaded, so this process is not touched; what the user has set stays.
    """
    unset = [name for name in _BLAS_THREAD_VARIABLES if name not in os.environ]
    os.environ.update(dict.fromkeys(unset, "1"))
    try:
        yield
    finally:
        for name in unset:
            os.environ.pop(name, None)


@contextmanager
def defer_interrupts() -> Iterator[None]:
    """Defer interrupts until processes are started, or ended, and keep them from those that are started.

    Ctrl-C reaches every process of a terminal, but is for this one alone, which then lets the workers finish their
    tasks. A worker inherits the blocked signal; otherwise it would print a traceback before `end_with_parent` runs.
    Here other threads may still receive the signal, and it must not cut the start of a process short.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # multiprocessing starts it with the first process, and then unblocks them
    received: list[int] = []
    in_main = threading.current_thread() is threading.main_thread()
    handlers = {number: signal.getsignal(number) for number in _INTERRUPTS} if in_main else {}
    handlers = {number: handler for number, handler in handlers.items() if handler is not None}  # None: not Python's
    for number in handlers:
        signal.signal(number, lambda number, frame: received.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for interrupt, handler in handlers.items():
            signal.signal(interrupt, handler)
        for signal_number in received:
            signal.raise_signal(signal_number)
