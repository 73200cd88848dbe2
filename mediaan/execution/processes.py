"""Execution in processes of this machine: a dying worker costs its own item and nothing else."""

from __future__ import annotations

import itertools
import multiprocessing
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import islice

from mediaan.execution.port import Crashed, Item, Reply, Value

_WAITING_PER_WORKER = 2  # enough that no worker waits for work, few enough that memory stays flat


def run_in_processes(
    function: Callable[[Item], Value], items: Iterable[Item], *, workers: int
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

    Notes
    -----
    When a worker dies the pool is lost with all that it was working on. Those items are tried again one by one in a
    pool of a single process: the culprit dies there alone and becomes `Crashed`; the others get their result.
    """
    line = iter(items)
    while True:
        suspects = yield from _until_broken(function, line, workers)
        if not suspects:
            return
        for item in suspects:
            yield _alone(function, item)


def _pool(workers: int) -> ProcessPoolExecutor:
    # spawn: forking a process that holds threads of numeric libraries can deadlock the child
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def _until_broken(
    function: Callable[[Item], Value], line: Iterator[Item], workers: int
) -> Generator[Reply[Item, Value], None, list[Item]]:
    """Yield replies until the line is empty or the pool breaks; return the items that were under way then."""
    under_way: dict[int, Item] = {}
    futures: dict[Future[Value], int] = {}

    def submit_next(pool: ProcessPoolExecutor, count: int) -> None:
        for item in islice(line, count):
            ticket = next(tickets)
            under_way[ticket] = item  # before it is submitted: a pool that is broken already must not lose it
            futures[pool.submit(function, item)] = ticket

    tickets = itertools.count()
    with _pool(workers) as pool:
        try:
            submit_next(pool, workers * _WAITING_PER_WORKER)
            while futures:
                for future in wait(futures, return_when=FIRST_COMPLETED).done:
                    value = future.result()
                    yield Reply(under_way.pop(futures.pop(future)), value)
                    submit_next(pool, 1)
        except BrokenProcessPool:
            pass
        finally:
            pool.shutdown(cancel_futures=True)
    return list(under_way.values())


def _alone(function: Callable[[Item], Value], item: Item) -> Reply[Item, Value]:
    with _pool(1) as pool:
        try:
            return Reply(item, pool.submit(function, item).result())
        except BrokenProcessPool:
            return Reply(item, Crashed("the process that analysed it died (out of memory, or a fault in a decoder)"))
