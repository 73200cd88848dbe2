"""What a process is to its parent: it leaves interrupts to it, ends with it, and takes one core."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_THREADS_OF_ALGEBRA = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")


def follow_parent() -> None:
    """Leave interrupts to the parent, and end with it: without a parent a worker would wait for work for ever."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    multiprocessing.connection.wait([sentinel])
    os._exit(1)


@contextmanager
def one_thread_each() -> Iterator[None]:
    """Let processes that are started meanwhile do linear algebra with one thread: each has a core of its own.

    The libraries read this when they are loaded, so this process is not touched; what the user has set stays.
    """
    mine = [name for name in _THREADS_OF_ALGEBRA if name not in os.environ]
    os.environ.update(dict.fromkeys(mine, "1"))
    try:
        yield
    finally:
        for name in mine:
            os.environ.pop(name, None)
