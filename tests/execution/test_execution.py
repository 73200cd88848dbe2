"""Execution: one reply for each item, whatever happens to the worker; real processes, real SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from mediaan.errors import SetupError
from mediaan.execution import Crashed, Notes, Reply, run_in_processes, run_serially

HERE = Path(__file__).resolve().parent
Run = Callable[[Callable[[int], object], Iterable[int]], Iterator[Reply[int, object]]]


def in_processes(function: Callable[[int], object], items: Iterable[int]) -> Iterator[Reply[int, object]]:
    return run_in_processes(function, items, workers=2)


EVERY_WAY = pytest.mark.parametrize("run", [run_serially, in_processes], ids=["serial", "processes"])


def square(n: int) -> int:
    return n * n


def refuse_seven(n: int) -> int:
    if n == 7:
        raise SetupError("no model on seventh", code="model_missing")
    return n


def die_if_negative(n: int) -> int:
    if n < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


def exit_if_negative(n: int) -> int:
    if n < 0:
        os._exit(0)
    return n * n


def own_id(n: int) -> int:
    return os.getpid()


@EVERY_WAY
def test_every_item_gets_its_value_once(run: Run) -> None:
    replies = list(run(square, range(60)))
    assert sorted((reply.item, reply.value) for reply in replies) == [(n, n * n) for n in range(60)]


@EVERY_WAY
def test_no_items_no_replies(run: Run) -> None:
    assert list(run(square, [])) == []


@EVERY_WAY
def test_equal_items_are_items_of_their_own(run: Run) -> None:
    assert [reply.value for reply in run(square, [3] * 9)] == [9] * 9


@EVERY_WAY
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
    assert taken <= 10 + 2 * 2 + 1, "at most the replies, what waits for two workers, and the one in hand"
    replies.close()  # type: ignore[attr-defined]


@EVERY_WAY
def test_what_the_function_raises_ends_the_run(run: Run) -> None:
    with pytest.raises(SetupError, match="seventh") as caught:
        list(run(refuse_seven, range(40)))
    assert caught.value.code == "model_missing"


@EVERY_WAY
def test_an_error_of_the_items_themselves_is_not_swallowed(run: Run) -> None:
    def broken() -> Iterator[int]:
        yield 1
        raise OSError("the folder vanished")

    with pytest.raises(OSError, match="vanished"):
        list(run(square, broken()))


def test_serial_works_here_and_processes_elsewhere() -> None:
    assert {reply.value for reply in run_serially(own_id, range(3))} == {os.getpid()}
    elsewhere = {reply.value for reply in in_processes(own_id, range(12))}
    assert os.getpid() not in elsewhere
    assert len(elsewhere) <= 2


@pytest.mark.parametrize(
    "items",
    [
        [-1, *range(1, 9)],
        [*range(1, 9), -1],
        [*range(1, 5), -1, *range(5, 9), -2, -3, *range(9, 16)],
        [-1],
        [-1, -2, -3],
    ],
    ids=["first", "last", "three among many", "alone", "nothing else"],
)
def test_a_killer_costs_itself_alone(items: list[int]) -> None:
    replies = list(in_processes(die_if_negative, items))
    assert sorted(reply.item for reply in replies) == sorted(items)
    for item, value in ((reply.item, reply.value) for reply in replies):
        if item < 0:
            assert isinstance(value, Crashed)
            assert "died" in value.message
        else:
            assert value == item * item


def test_a_worker_that_exits_is_a_crash_too() -> None:
    replies = {reply.item: reply.value for reply in in_processes(exit_if_negative, [1, -1, 2])}
    assert isinstance(replies.pop(-1), Crashed)
    assert replies == {1: 1, 2: 4}


def test_an_item_that_meets_a_pool_already_broken_is_not_lost() -> None:
    """While this consumer holds on to a reply the pool breaks; the next submission then finds it so."""
    items = [1, -1, *range(2, 12)]
    replies = []
    for reply in run_in_processes(die_if_negative, items, workers=1):
        replies.append(reply)
        if len(replies) == 1:
            time.sleep(1.5)
    assert sorted(reply.item for reply in replies) == sorted(items)
    assert [reply.item for reply in replies if isinstance(reply.value, Crashed)] == [-1]


def script(folder: Path, body: str) -> Path:
    path = folder / "a_script.py"
    path.write_text(f"import sys\nsys.path.insert(0, {str(HERE)!r})\nfrom test_execution import *\n{body}")
    return path


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    body = "print(len(list(in_processes(square, range(5)))))\n"
    done = subprocess.run([sys.executable, script(tmp_path, body)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "SetupError" in done.stderr
    assert '`if __name__ == "__main__":`' in done.stderr


SLEEPERS = """
def work(n):
    print(os.getpid(), flush=True)
    time.sleep(60)

if __name__ == "__main__":
    list(in_processes(work, range(2)))
"""


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="the test uses POSIX signals")
def test_workers_end_with_their_parent(tmp_path: Path) -> None:
    parent = subprocess.Popen([sys.executable, script(tmp_path, SLEEPERS)], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    workers = [int(parent.stdout.readline()) for _ in range(2)]
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 20
    while any(map(is_running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_running, workers))


def is_running(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{process_id}/stat")
    return not (stat.is_file() and stat.read_text().rsplit(")", 1)[1].split()[0] == "Z")


_SEND: list[Callable[[object], None]] = []


def remember_sender(send: Callable[[object], None]) -> None:
    _SEND.append(send)


def note_and_square(n: int) -> int:
    for send in _SEND:
        send((os.getpid(), n))
    if n < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


def test_notes_come_from_the_workers_while_they_work() -> None:
    received: list[tuple[int, int]] = []
    notes = Notes(remember_sender, received.append)
    list(run_in_processes(note_and_square, range(12), workers=2, notes=notes))
    assert {n for _, n in received} >= set(range(10)), "the last ones may come too late"
    assert os.getpid() not in {worker for worker, _ in received}
    assert not _SEND, "installed in the workers only"


def test_a_worker_that_dies_while_it_notes_costs_its_item_only() -> None:
    notes = Notes(remember_sender, lambda note: None)
    replies = {
        reply.item: reply.value for reply in run_in_processes(note_and_square, [1, -2, 3, 4], workers=2, notes=notes)
    }
    assert isinstance(replies.pop(-2), Crashed)
    assert replies == {1: 1, 3: 9, 4: 16}


def threads_of_algebra(number: int) -> str | None:
    return os.environ.get("OPENBLAS_NUM_THREADS")


def test_workers_do_linear_algebra_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert [reply.value for reply in run_in_processes(threads_of_algebra, range(3), workers=2)] == ["1"] * 3
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    assert [reply.value for reply in run_in_processes(threads_of_algebra, range(3), workers=2)] == ["4"] * 3
