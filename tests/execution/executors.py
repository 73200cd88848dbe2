"""Every way of execution, called alike: a new one is a function here, and has to pass `test_executor_contract.py`."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import cache, partial
from typing import Any

import budget
import pytest
from ray_machines import Machines, machines

from mediaan.execution import ProgressChannel, Reply, run_in_processes, run_serially
from mediaan.execution.ray_executor import run_on_ray

Run = Callable[..., Iterator[Reply[Any, Any]]]
"""Takes a function and items, and by name limits, progress and hooks."""


def serially(*work: Any, progress: ProgressChannel | None = None, **settings: Any) -> Iterator[Reply[Any, Any]]:
    return run_serially(*work, **settings)


in_processes: Run = partial(run_in_processes, workers=2)
in_deep_processes: Run = partial(run_in_processes, workers=2, depth=4)


def on_ray(*work: Any, **settings: Any) -> Iterator[Reply[Any, Any]]:
    return run_on_ray(*work, workers=2, address=_cluster().address, **settings)


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
