"""Execution on a Ray cluster: real machines of one CPU each, of which some are lost in the middle of the work."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from faulty_tasks import do, square
from ray_machines import Machines, machines

import mediaan
from mediaan.errors import SetupError
from mediaan.execution import Reply, RunHooks
from mediaan.execution.ray_executor import run_on_ray

needs_ray = pytest.mark.skipif(not find_spec("ray") or os.name != "posix", reason="Ray is not installed")
pytestmark = [needs_ray, pytest.mark.full]
"""Every day a run on one machine, in `test_ray_own_cluster.py`."""


@pytest.fixture(scope="module")
def cluster() -> Iterator[Machines]:
    with machines() as found:
        yield found


@pytest.fixture
def two(cluster: Machines) -> Machines:
    cluster.be(2)
    return cluster


def by_item(replies: Iterable[Reply[Any, Any]]) -> dict[Any, Any]:
    found: dict[Any, Any] = {}
    for reply in replies:
        assert reply.item not in found, f"{reply.item} was replied to twice"
        found[reply.item] = reply.value
    return found


def logged(log: Path, word: str) -> list[tuple[int, int]]:
    """Items that began or ended, and the process in which they did."""
    lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
    return [(int(n), int(process_id)) for what, n, _, process_id in lines if what == word]


class Trouble(threading.Thread):
    """Does something once so many items have begun, while the run goes on."""

    def __init__(self, log: Path, begun: int, make: Callable[[int], None]) -> None:
        super().__init__(daemon=True)
        self._log, self._begun, self._make = log, begun, make
        self.start()

    def run(self) -> None:
        while len(begun := logged(self._log, "begin")) < self._begun:
            time.sleep(0.02)
        self._make(begun[-1][1])


def test_all_machines_work_and_each_item_gets_its_value_once(two: Machines, tmp_path: Path) -> None:
    log = tmp_path / "log"
    items = [("log", str(log), n, 0.4) for n in range(20)]
    found = by_item(run_on_ray(do, items, workers=None, address=two.address))
    assert found == {item: item[2] ** 2 for item in items}
    workers = {process_id for _, process_id in logged(log, "end")}
    assert len(workers) == 2
    assert os.getpid() not in workers


@pytest.mark.parametrize("trouble", ["lose", "freeze"])
def test_a_machine_that_is_lost_costs_no_item(two: Machines, tmp_path: Path, trouble: str) -> None:
    """Its machine falls, or its cable is cut: what was under way there is done elsewhere and is not to blame."""
    log, crashes = tmp_path / "log", list[Any]()
    items = [("log", str(log), n, 0.5) for n in range(10)]
    Trouble(log, 4, getattr(two, trouble))
    hooks: RunHooks[Any] = RunHooks(on_crash=lambda item, reason: crashes.append(item))
    found = by_item(run_on_ray(do, items, workers=2, address=two.address, hooks=hooks))
    assert found == {item: item[2] ** 2 for item in items}
    assert crashes == []
    assert len(logged(log, "begin")) == 11, "one was begun twice"


def test_all_machines_are_lost_and_others_come(two: Machines, tmp_path: Path) -> None:
    log = tmp_path / "log"

    def replace_all(worker: int) -> None:
        two.be(0)
        two.be(1)

    Trouble(log, 3, replace_all)
    items = [("log", str(log), n, 0.5) for n in range(6)]
    found = by_item(run_on_ray(do, items, workers=2, address=two.address))
    assert found == {item: item[2] ** 2 for item in items}


def test_workers_are_added_as_machines_join(cluster: Machines, tmp_path: Path) -> None:
    cluster.be(1)
    log = tmp_path / "log"
    Trouble(log, 2, lambda worker: cluster.be(2))
    items = [("log", str(log), n, 0.5) for n in range(40)]
    replies = run_on_ray(do, items, workers=None, address=cluster.address)
    for _ in replies:
        if len({process_id for _, process_id in logged(log, "end")}) == 2:
            break
    else:
        pytest.fail("one machine did it all")
    replies.close()  # type: ignore[attr-defined]


def test_a_cluster_without_room_says_what_is_lacking(two: Machines) -> None:
    with pytest.raises(
        SetupError, match=r"takes 1 CPU and 0.5 GPU of one machine; it has 3 machines: .* 0 GPU"
    ) as caught:
        list(run_on_ray(square, [1], workers=None, address=two.address, gpu_share=0.5, patience_s=1))
    assert caught.value.code == "no_room"


def test_another_version_on_a_machine_is_refused(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    there = mediaan.__version__
    monkeypatch.setattr(mediaan, "__version__", "0.0.1")
    with pytest.raises(SetupError, match=f"mediaan is 0.0.1 here and {there} on ") as caught:
        list(run_on_ray(square, [1], workers=1, address=two.address))
    assert caught.value.code == "no_cluster"


def test_a_function_that_machines_lack_is_refused(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("known_here_alone")
    exec("def same(n): return n", module.__dict__)
    monkeypatch.setitem(sys.modules, "known_here_alone", module)
    with pytest.raises(
        SetupError, match=r"do not start on the Ray cluster \(.*known_here_alone.*same version"
    ) as caught:
        list(run_on_ray(module.same, [1], workers=1, address=two.address))
    assert caught.value.code == "no_cluster"
