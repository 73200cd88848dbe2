"""Every way of execution, called alike: a new one is a function here, and has to pass `test_executor_contract.py`."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from typing import Any, Protocol

import budget
import pytest
from ray_machines import Machines, machines

from mediaan.execution import ProgressChannel, Reply, RunHooks, TaskLimits, run_in_processes, run_serially
from mediaan.execution.ray_executor import run_on_ray


class Run(Protocol):
    def __call__(
        self,
        function: Callable[[Any], Any],
        items: Iterable[Any],
        *,
        limits: TaskLimits = ...,
        progress: ProgressChannel | None = ...,
        hooks: RunHooks[Any] = ...,
    ) -> Iterator[Reply[Any, Any]]: ...


NO_LIMITS = TaskLimits()
NOBODY: RunHooks[Any] = RunHooks()


def serially(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    limits: TaskLimits = NO_LIMITS,
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Any] = NOBODY,
) -> Iterator[Reply[Any, Any]]:
    return run_serially(function, items, limits=limits, hooks=hooks)


def in_processes(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    limits: TaskLimits = NO_LIMITS,
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Any] = NOBODY,
) -> Iterator[Reply[Any, Any]]:
    return run_in_processes(function, items, workers=2, limits=limits, progress=progress, hooks=hooks)


def in_deep_processes(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    limits: TaskLimits = NO_LIMITS,
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Any] = NOBODY,
) -> Iterator[Reply[Any, Any]]:
    return run_in_processes(function, items, workers=2, depth=4, limits=limits, progress=progress, hooks=hooks)


def on_ray(
    function: Callable[[Any], Any],
    items: Iterable[Any],
    *,
    limits: TaskLimits = NO_LIMITS,
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Any] = NOBODY,
) -> Iterator[Reply[Any, Any]]:
    return run_on_ray(
        function, items, workers=2, address=_cluster().address, limits=limits, progress=progress, hooks=hooks
    )


@cache
def _cluster() -> Machines:
    """Two machines for all tests of this process."""
    until_the_end = ExitStack()
    atexit.register(until_the_end.close)
    cluster = until_the_end.enter_context(machines())
    cluster.be(2)
    return cluster


WIDTH = 8
"""No executor here works on more items at the same time."""

OF_THIS_MACHINE: dict[str, Run] = {"processes": in_processes, "processes of four threads": in_deep_processes}
"""Whose parent sees how a process ended, and does not carry functions that have no name."""
SHELTERED_WAYS = {**OF_THIS_MACHINE, **({"ray": on_ray} if budget.FULL else {})}
"""Ray takes minutes; what is its own is tested in `test_ray.py` in any case."""
WAYS: dict[str, Run] = {"serial": serially, **SHELTERED_WAYS}

every_way = pytest.mark.parametrize("run", WAYS.values(), ids=WAYS.keys())
every_sheltered_way = pytest.mark.parametrize("run", SHELTERED_WAYS.values(), ids=SHELTERED_WAYS.keys())
"""Those in which an item cannot harm the process that asked for it."""

one_sheltered_way = pytest.mark.parametrize(
    "run",
    [
        pytest.param(run, marks=() if run is in_processes else pytest.mark.full, id=name)
        for name, run in SHELTERED_WAYS.items()
    ],
)
"""For what takes seconds: processes alone in `make check`."""
