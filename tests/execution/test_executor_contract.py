"""What every way of execution promises: one reply for each item, whatever happens to the worker; real signals."""

from __future__ import annotations

import os
import threading
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from executors import OF_THIS_MACHINE, WIDTH, Run, every_sheltered_way, every_way, one_sheltered_way
from faulty_tasks import MIB, ProcessLocal, do, remember_sender, slowly, square

from mediaan.errors import SetupError
from mediaan.execution import Crashed, ProgressChannel, Reply
from mediaan.execution.tasks import RetryQueue, RunHooks, TaskLimits, WorkerExit

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def by_item(replies: Iterator[Reply[Any, Any]]) -> dict[Any, Any]:
    """Values by item; an item that is replied to twice is an error."""
    found: dict[Any, Any] = {}
    for reply in replies:
        assert reply.item not in found, f"{reply.item} was replied to twice"
        found[reply.item] = reply.value
    return found


def squares(*numbers: int) -> dict[int, int]:
    return {n: n * n for n in numbers}


@every_way
def test_every_item_gets_its_value_once(run: Run) -> None:
    assert by_item(run(square, range(60))) == squares(*range(60))


@every_way
def test_no_items_no_replies(run: Run) -> None:
    assert list(run(square, [])) == []


@every_way
def test_equal_items_are_items_of_their_own(run: Run) -> None:
    assert [reply.value for reply in run(square, [3] * 9)] == [9] * 9


@every_way
def test_items_are_taken_only_as_they_are_needed(run: Run) -> None:
    taken = 0

    def endless() -> Iterator[int]:
        nonlocal taken
        while True:
            taken += 1
            yield taken

    replies = run(square, endless())
    for _ in range(10):
        next(replies)
    assert taken <= 10 + 2 * WIDTH, "at most the replies, what is under way, and as much again that lies ready"
    replies.close()  # type: ignore[attr-defined]


@every_way
def test_what_the_function_raises_ends_the_run(run: Run) -> None:
    with pytest.raises(SetupError, match="seventh") as caught:
        list(run(do, [*range(7), "refuse", *range(7, 40)]))
    assert caught.value.code == "model_missing"


@every_way
def test_an_error_of_the_items_themselves_is_not_swallowed(run: Run) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise OSError("the folder vanished")

    with pytest.raises(OSError, match="vanished"):
        list(run(square, broken()))


@every_way
def test_after_a_stop_nothing_is_begun_and_what_was_is_replied_to(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    stopped_at: list[float] = []

    def endless() -> Iterator[tuple[str, str, int, float]]:
        n = 0
        while True:
            yield "log", str(log), n, 0.2
            n += 1

    replied = set()
    for reply in run(do, endless(), hooks=RunHooks(stop=lambda: bool(stopped_at))):
        replied.add(reply.item[2])
        if len(replied) == 5:
            stopped_at.append(time.time())
    lines = [line.split() for line in log.read_text().splitlines()]
    begun = {int(n): float(moment) for word, n, moment, _ in lines if word == "begin"}
    assert replied == begun.keys()
    assert sum(moment > stopped_at[0] for moment in begun.values()) <= WIDTH, "only what was on its way"
    assert len(replied) <= 5 + 2 * WIDTH


@every_way
def test_a_stop_before_anything_is_begun(run: Run) -> None:
    assert list(run(square, range(9), hooks=RunHooks(stop=lambda: True))) == []


@every_way
def test_items_that_were_deadly_before_come_last(run: Run) -> None:
    items = list(range(12))
    crashes = {0: 1, 3: 2}
    order = [reply.item for reply in run(square, items, hooks=RunHooks(earlier_crashes=lambda n: crashes.get(n, 0)))]
    assert sorted(order) == items
    assert set(order[-2:]) == {0, 3}


@every_way
def test_an_item_that_was_deadly_too_often_is_not_tried(run: Run, tmp_path: Path) -> None:
    log = tmp_path / "log"
    deadly = ("log", str(log), 1, 0.0)
    hooks: RunHooks[Any] = RunHooks(earlier_crashes=lambda item: 3 * (item == deadly))
    found = by_item(run(do, [1, deadly, 2], hooks=hooks))
    crashed = found.pop(deadly)
    assert isinstance(crashed, Crashed)
    assert crashed.code == "worker_died"
    assert "3 times" in crashed.message
    assert found == squares(1, 2)
    assert not log.exists()


@every_way
def test_closing_early_leaves_nothing_running(run: Run) -> None:
    replies = run(slowly, range(1000))
    next(replies)
    began = time.monotonic()
    replies.close()  # type: ignore[attr-defined]
    assert time.monotonic() - began < 3


DEADLY = {
    "kill": "SIGKILL",
    "segfault": "SIGSEGV",
    "abort": "SIGABRT",
    ("exit", 0): "exit code 0",
    ("exit", 7): "exit code 7",
}


@posix
@every_sheltered_way
def test_the_deadly_cost_themselves_alone(run: Run) -> None:
    crashes: Counter[Any] = Counter()
    items = [1, 2, "kill", 3, "segfault", 4, "abort", ("exit", 0), 5, ("exit", 7), *range(6, 12)]
    found = by_item(run(do, items, hooks=RunHooks(on_crash=lambda item, reason: crashes.update([item]))))
    for deadly, reason in DEADLY.items():
        crashed = found.pop(deadly)
        assert isinstance(crashed, Crashed)
        assert crashed.code == "worker_died"
        assert "died 3 times" in crashed.message
        assert reason in crashed.message or run not in OF_THIS_MACHINE.values()
    assert found == squares(1, 2, 3, 4, 5, *range(6, 12))
    assert all(crashes[deadly] == 3 for deadly in DEADLY), "each is told of"
    assert all(crashes[item] <= 2 for item in found)


@posix
@every_sheltered_way
@pytest.mark.parametrize("items", [["kill"], ["kill", "segfault"]], ids=["alone", "nothing else"])
def test_nothing_but_the_deadly(run: Run, items: list[str]) -> None:
    found = by_item(run(do, items, limits=TaskLimits(max_crashes=2)))
    assert found.keys() == set(items)
    assert all(isinstance(value, Crashed) for value in found.values())


@posix
@every_sheltered_way
def test_one_death_is_enough_where_the_caller_says_so(run: Run) -> None:
    crashes: Counter[Any] = Counter()
    hooks: RunHooks[Any] = RunHooks(on_crash=lambda item, reason: crashes.update([item]))
    found = by_item(run(do, ["kill", 1], limits=TaskLimits(max_crashes=1), hooks=hooks))
    assert isinstance(found.pop("kill"), Crashed)
    assert found == {1: 1}


@posix
@every_sheltered_way
def test_crashes_of_earlier_runs_count(run: Run) -> None:
    crashes: Counter[Any] = Counter()
    hooks: RunHooks[Any] = RunHooks(
        earlier_crashes=lambda item: 2 * (item == "segfault"), on_crash=lambda item, reason: crashes.update([item])
    )
    found = by_item(run(do, [1, "segfault", 2], hooks=hooks))
    assert "died 3 times" in found.pop("segfault").message
    assert found == squares(1, 2)
    assert crashes == {"segfault": 1}


@posix
@every_sheltered_way
def test_an_item_that_died_of_something_that_passed_gets_its_value(run: Run, tmp_path: Path) -> None:
    item = ("die at first", str(tmp_path / "tries"), 2)
    assert by_item(run(do, [1, item, 2])) == {item: "done", **squares(1, 2)}


@posix
@every_sheltered_way
def test_a_hog_is_ended_and_told(run: Run) -> None:
    limits = TaskLimits(memory_bytes=400_000_000)
    # a worker of a cluster looks at itself, which it cannot while it takes everything in one step
    greedy = [("hog", 1500), ("gulp", 1500)] if run in OF_THIS_MACHINE.values() else [("hog", 1500)]
    found = by_item(run(do, [1, *greedy, 2, 3, 4], limits=limits))
    for task in greedy:
        crashed = found.pop(task)
        assert crashed == Crashed(
            "its analysis took more than 400 MB of memory, the limit of each process", "memory_limit"
        )
    assert found == squares(1, 2, 3, 4)


@posix
@one_sheltered_way
def test_the_silent_are_ended_and_told(run: Run) -> None:
    limits = TaskLimits(heartbeat_timeout_s=1.5)
    found = by_item(run(do, [1, "hang", 2, "stop", 3, "spin", 4], limits=limits))
    for task in ("hang", "stop", "spin"):
        assert found.pop(task) == Crashed("there was no sign of life from its analysis for 1.5 s", "time_limit")
    assert found == squares(1, 2, 3, 4)


@posix
@one_sheltered_way
def test_who_sends_heartbeats_may_take_long(run: Run) -> None:
    received: list[Any] = []
    progress = ProgressChannel(remember_sender, received.append)
    items = [("mutter", 3.0), 1, ("hang",), 2]
    found = by_item(run(do, items, limits=TaskLimits(heartbeat_timeout_s=1.0), progress=progress))
    assert found[("mutter", 3.0)] == 3.0, "it was never silent for so long"
    assert found[("hang",)].code == "time_limit"
    assert sum(update[0] == "alive" for update in received) > 10


@every_sheltered_way
def test_what_cannot_be_pickled_is_an_error(run: Run) -> None:
    with pytest.raises(TypeError, match="item cannot be sent to another process: this belongs to one process"):
        list(run(do, [1, ProcessLocal()]))
    with pytest.raises(TypeError, match="came of an item cannot be sent to another process: this belongs"):
        list(run(do, [1, "lock"]))
    if run in OF_THIS_MACHINE.values():
        with pytest.raises(Exception, match=r"lambda|local object"):
            list(run(lambda n: n, [1]))


@every_sheltered_way
def test_an_exception_that_does_not_travel_is_described(run: Run) -> None:
    with pytest.raises(RuntimeError, match="FussyError: this and that"):
        list(run(do, [1, "fuss"]))


@every_sheltered_way
def test_large_items_and_values_travel(run: Run) -> None:
    items = [("echo", bytes([n]) * (4 * MIB)) for n in range(6)]
    assert {reply.item[1] == reply.value for reply in run(do, items)} == {True}


@every_sheltered_way
def test_a_storm_of_updates_blocks_nothing(run: Run) -> None:
    received: list[Any] = []
    replies = run(
        do, [("storm", 20_000), ("storm", 20_001), 3], progress=ProgressChannel(remember_sender, received.append)
    )
    first = next(replies)
    time.sleep(1.0)  # who takes replies is busy; nobody reads updates
    assert {first.value, *(reply.value for reply in replies)} == {20_000, 20_001, 9}
    assert received[-1] in [("storm", 19_999), ("storm", 20_000)], "the latest are kept"


@posix
@every_sheltered_way
def test_a_stop_while_a_suspect_waits(run: Run) -> None:
    """A suspect that was not tried again has no reply: the next run takes it up."""
    stop = threading.Event()
    hooks: RunHooks[Any] = RunHooks(stop=stop.is_set, on_crash=lambda item, reason: stop.set())
    seen = [reply.item for reply in run(do, ["kill", *range(500)], hooks=hooks)]
    assert "kill" not in seen
    assert len(seen) < 500


DIED = WorkerExit("it died", "it died")


def test_what_died_in_company_is_tried_alone_before_it_is_given_up() -> None:
    queue: RetryQueue[str] = RetryQueue(["harmless", "deadly"], TaskLimits(max_crashes=1), RunHooks())
    harmless, deadly = queue.first_tries()
    assert list(queue.add_crashed([harmless, deadly], DIED)) == []
    assert list(queue.isolated) == [harmless, deadly]
    ((given_up, crashed),) = queue.add_crashed([deadly], DIED)
    assert (given_up, crashed.code) == (deadly, "worker_died")
