"""Execution in processes of this machine: a dying worker costs its own item and nothing else."""

from __future__ import annotations

import itertools
import multiprocessing
import multiprocessing.context
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from typing import Any

from mediaan.errors import SetupError
from mediaan.execution.offspring import follow_parent, one_thread_each
from mediaan.execution.port import Crashed, Item, Notes, Reply, Value

_WAITING_PER_WORKER = 2  # enough that no worker waits for work, few enough that memory stays flat


_NOTES_EVERY_S = 0.25


def run_in_processes(
    function: Callable[[Item], Value], items: Iterable[Item], *, workers: int, notes: Notes | None = None
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item once, in the order in which they finish.

    Parameters
    ----------
    function : callable
        Picklable; it returns failures as values and raises only when the whole run must stop.
    items : iterable
        Taken from as workers get free, so it may be long.
    workers : int
        Processes, at least 1.
    notes : Notes, optional
        Where what workers say on the way shall go.

    Raises
    ------
    SetupError
        Processes cannot be started at all.

    Notes
    -----
    When a worker dies the pool is lost with all that it was working on. Those items are tried again one by one in a
    pool of a single process: the culprit dies there alone and becomes `Crashed`; the others get their result.
    """
    line = iter(items)
    while True:
        suspects = yield from _until_broken(function, line, workers, notes)
        if not suspects:
            return
        yield from _one_by_one(function, suspects, notes)


def _until_broken(
    function: Callable[[Item], Value], line: Iterator[Item], workers: int, notes: Notes | None
) -> Generator[Reply[Item, Value], None, list[Item]]:
    """Yield replies until the line is empty or the pool breaks; return the items that were under way then."""
    under_way: dict[int, Item] = {}
    futures: dict[Future[Value], int] = {}
    tickets = itertools.count()

    def submit_next(pool: ProcessPoolExecutor, count: int) -> None:
        for item in islice(line, count):
            ticket = next(tickets)
            under_way[ticket] = item  # before it is submitted: a pool that is broken already must not lose it
            futures[_submit(pool, function, item)] = ticket

    with _pool(workers, notes) as (pool, post):
        try:
            submit_next(pool, workers * _WAITING_PER_WORKER)
            while futures:
                done = wait(futures, timeout=post.patience_s, return_when=FIRST_COMPLETED).done
                post.deliver()
                for future in done:
                    value = future.result()
                    yield Reply(under_way.pop(futures.pop(future)), value)
                    submit_next(pool, 1)
        except BrokenProcessPool:
            pass
        finally:
            pool.shutdown(cancel_futures=True)
    return list(under_way.values())


def _one_by_one(
    function: Callable[[Item], Value], items: Iterable[Item], notes: Notes | None
) -> Iterator[Reply[Item, Value]]:
    """Yield a reply to each item; a new process takes over where one dies."""
    left = deque(items)
    while left:
        with _pool(1, notes) as (pool, post):
            try:
                while left:
                    future = _submit(pool, function, left[0])
                    while not wait([future], timeout=post.patience_s).done:
                        post.deliver()
                    value = future.result()
                    yield Reply(left.popleft(), value)
            except BrokenProcessPool:
                died = Crashed("the process that analysed it died (out of memory, or a fault in a decoder)")
                yield Reply(left.popleft(), died)


class _Post:
    """Brings notes from the workers of one pool; a pool that breaks takes its post with it."""

    def __init__(self, notes: Notes | None, context: multiprocessing.context.SpawnContext) -> None:
        self._notes = notes
        self._queue = context.SimpleQueue() if notes else None

    @property
    def patience_s(self) -> float | None:
        """How long to wait for a worker before looking for notes."""
        return _NOTES_EVERY_S if self._notes else None

    @property
    def initargs(self) -> tuple[Any, ...]:
        return (self._notes.install, self._queue) if self._notes else (None, None)

    def deliver(self) -> None:
        """Hand over what has come."""
        while self._notes and self._queue and not self._queue.empty():
            self._notes.receive(self._queue.get())


@contextmanager
def _pool(workers: int, notes: Notes | None) -> Iterator[tuple[ProcessPoolExecutor, _Post]]:
    # spawn: forking a process that holds threads of numeric libraries can deadlock the child
    context = multiprocessing.get_context("spawn")
    post = _Post(notes, context)
    with (
        one_thread_each(),
        ProcessPoolExecutor(workers, context, initializer=_become_worker, initargs=post.initargs) as pool,
    ):
        try:
            _submit(pool, os.getpid).result()
        except BrokenProcessPool as error:
            raise SetupError(
                "worker processes cannot be started; a script that analyses with several workers must do so under "
                '`if __name__ == "__main__":`, because each worker imports it',
                code="no_workers",
            ) from error
        yield pool, post


def _submit(pool: ProcessPoolExecutor, function: Callable[..., Value], *arguments: object) -> Future[Value]:
    """Submit an item, which may start a process."""
    with _interrupts_wait():
        return pool.submit(function, *arguments)


@contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Let Ctrl-C wait until a process is started, and keep it from that process.

    It reaches every process of a terminal, but is for this one alone, which then lets the workers end what they are
    at. A worker inherits that the signal is blocked: it would print a traceback even before `_become_worker` runs. Here
    other threads may still receive the signal, and the start of a process must not be cut short by it.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "pthread_sigmask"):
        yield
        return
    came: list[int] = []
    handler = signal.signal(signal.SIGINT, lambda number, frame: came.append(number))
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGINT, handler)
        if came:
            signal.raise_signal(signal.SIGINT)


def _become_worker(install: Callable[[Callable[[Any], None]], None] | None, queue: Any) -> None:
    follow_parent()
    if install is not None:
        install(queue.put)
