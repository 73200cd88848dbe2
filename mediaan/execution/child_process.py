"""Run a worker process: it works on tasks, leaves interrupts to its parent, ends with it, and takes one core."""

from __future__ import annotations

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from mediaan.execution.tasks import pickle_error, pickle_value
from mediaan.execution.worker import WorkerConfig, WorkerMessage

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


def run_worker(connection: Connection, config: WorkerConfig, threads: int) -> None:
    """Work on tasks until the parent sends None or ends.

    `connection`: brings ``(task id, pickled item)``; takes the fields of a `WorkerMessage`.
    `threads`: tasks at the same time. A single one is worked on in the main thread, whose stack is the largest.
    """
    end_with_parent()
    prefer_oom_kill()
    loop = _TaskLoop(connection, config, is_single=threads == 1)
    try:
        if config.install is not None:
            config.install(loop.report)
    except Exception as error:
        loop.send(WorkerMessage("raised", content=pickle_error(error)))
        return
    loop.send(WorkerMessage("ready"))
    if threads == 1:
        loop.run()
        return
    running = [threading.Thread(target=loop.run) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()


class _TaskLoop:
    """A connection that one thread or several take tasks from."""

    def __init__(self, connection: Connection, config: WorkerConfig, *, is_single: bool) -> None:
        self._connection, self._function = connection, config.function
        self._statistics = None
        if config.memory_bytes is not None:
            import psutil

            self._statistics = psutil.Process()
        self._reading, self._writing = threading.Lock(), threading.Lock()
        self._has_ended = False
        # Threads that the function starts belong to the one task, too.
        self._current: Any = SimpleNamespace() if is_single else threading.local()

    def run(self) -> None:
        """Work on tasks, one after the other, until there are no more."""
        while (received := self._receive()) is not None:
            task_id, payload = received
            self._current.task_id = task_id
            self.send(WorkerMessage("begun", task_id))
            try:
                value = pickle_value(self._function(pickle.loads(payload)), "what came of an item")
                rss_bytes = int(self._statistics.memory_info().rss) if self._statistics else 0
                message = WorkerMessage("done", task_id, value, rss_bytes)
            except BaseException as error:  # it belongs to whoever asked for the work
                message = WorkerMessage("raised", task_id, pickle_error(error))
            self.send(message)

    def report(self, update: Any) -> None:
        """Send a progress update on the task of this thread."""
        task_id = getattr(self._current, "task_id", None)
        self.send(WorkerMessage("progress", task_id, pickle_value([update], "a progress update")))

    def send(self, message: WorkerMessage) -> None:
        """Send a message whole, whichever thread calls."""
        with self._writing, contextlib.suppress(OSError):  # nobody listens anymore: this process is about to end
            self._connection.send(tuple(message))

    def _receive(self) -> tuple[int, bytes] | None:
        with self._reading:
            if self._has_ended:
                return None
            try:
                received: tuple[int, bytes] | None = self._connection.recv()
            except (EOFError, OSError):  # the parent is gone
                received = None
            self._has_ended = received is None
            return received
