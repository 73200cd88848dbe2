"""What is particular to execution in processes of this machine; what all promise is in `test_executor_contract.py`."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from faulty_tasks import MIB, do, own_id, remember_sender, say, slowly

from mediaan.errors import SetupError
from mediaan.execution import Crashed, ProgressChannel, RunHooks, TaskLimits, run_in_processes, run_serially

HERE = Path(__file__).resolve().parent
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX signals")


def my_workers() -> list[psutil.Process]:
    found = []
    for child in psutil.Process().children():
        try:
            if "spawn_main" in " ".join(child.cmdline()) and child.status() != psutil.STATUS_ZOMBIE:
                found.append(child)
        except psutil.NoSuchProcess:
            continue
    return found


def is_running(process_id: int) -> bool:
    try:
        return psutil.Process(process_id).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def wait_until(true: Callable[[], object]) -> None:
    deadline = time.monotonic() + 60
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_serial_works_here_and_processes_elsewhere() -> None:
    assert {reply.value for reply in run_serially(own_id, range(3))} == {os.getpid()}
    elsewhere = {reply.value for reply in run_in_processes(own_id, range(12), workers=2)}
    assert os.getpid() not in elsewhere
    assert len(elsewhere) <= 2
    assert my_workers() == []


@pytest.mark.parametrize(("workers", "depth"), [(0, 1), (1, 0)])
def test_at_least_one_of_each(workers: int, depth: int) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        list(run_in_processes(do, [1], workers=workers, depth=depth))


def test_no_more_processes_than_items() -> None:
    replies = run_in_processes(do, [("nap", 1.0)], workers=8)
    most = 0
    watching = threading.Event()

    def count() -> None:
        nonlocal most
        while not watching.wait(0.02):
            most = max(most, len(my_workers()))

    counter = threading.Thread(target=count)
    counter.start()
    assert len(list(replies)) == 1
    watching.set()
    counter.join()
    assert most == 1


def test_depth_is_how_many_items_a_worker_has_at_a_time(tmp_path: Path) -> None:
    log = tmp_path / "log"
    items = [("meet", str(log), n, "begin", 4) for n in range(4)]
    assert len(list(run_in_processes(do, items, workers=1, depth=4))) == 4
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["begin"] * 4 + ["end"] * 4


def test_work_begins_while_items_are_still_looked_for(tmp_path: Path) -> None:
    """A slow disk: the first file is analysed before the last that could be taken is found."""
    begun: list[bool] = []
    log = tmp_path / "log"

    def found_slowly() -> Iterator[tuple[str, str, int, float]]:
        for n in range(4):
            begun.append(log.exists())
            yield "log", str(log), n, 0.0
            if n == 2:
                wait_until(log.exists)

    list(run_in_processes(do, found_slowly(), workers=2, depth=4))
    assert begun[0] is False
    assert begun[-1] is True


def test_nothing_waits_behind_a_long_item(tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    items: list[Any] = [("meet", log, 40, "end", 40), *(("log", log, n, 0.0) for n in range(40))]
    order = [reply.item for reply in run_in_processes(do, items, workers=2)]
    assert order[-1] == items[0]


def test_workers_go_on_while_nobody_takes_replies(tmp_path: Path) -> None:
    log = tmp_path / "log"
    replies = run_in_processes(do, [("log", str(log), n, 0.05) for n in range(4)], workers=2)
    next(replies)
    wait_until(lambda: log.read_text().count("end") == 4)
    assert len(list(replies)) == 3


@posix
@pytest.mark.parametrize("depth", [pytest.param(1, marks=pytest.mark.full), 4])
def test_random_crashes_of_workers_lose_and_double_nothing(tmp_path: Path, depth: int) -> None:
    """Workers are killed whatever they are at: starting, waiting, working, replying."""
    log, dice, over = tmp_path / "log", random.Random(8), threading.Event()
    items = [("log", str(log), n, dice.random() * 0.04 * depth) for n in range(400)]
    crashes: Counter[Any] = Counter()
    kills, fresh = 0, 0

    def kill_now_and_then() -> None:
        nonlocal kills, fresh
        while kills < 7 and not over.wait(0.1 + dice.random() * 0.4):
            found = my_workers()
            worker = dice.choice(found) if found else None
            fresh = fresh + 1 if worker and f" {worker.pid}\n" not in log.read_text() else 0
            if worker and fresh < 3:  # three that die before they do anything end the run, and rightly so
                worker.send_signal(dice.choice([signal.SIGKILL, signal.SIGSEGV]))
                kills += 1

    log.touch()
    killer = threading.Thread(target=kill_now_and_then)
    killer.start()
    hooks: RunHooks[Any] = RunHooks(on_crash=lambda item, reason: crashes.update([item]))
    try:
        limits = TaskLimits(max_crashes=100)
        replies = list(run_in_processes(do, items, workers=3, depth=depth, limits=limits, hooks=hooks))
    finally:
        over.set()
        killer.join()
    assert kills >= 3
    assert sorted(reply.item[2] for reply in replies) == list(range(400))
    assert all(reply.value == reply.item[2] ** 2 for reply in replies), "no innocent is given up"
    assert sum(crashes.values()) <= kills * depth, "an item that only waited is not suspect"
    tries = Counter(int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("begin"))
    assert all(tries[n] <= 1 + crashes["log", str(log), n, items[n][3]] for n in range(400)), "nothing is done twice"


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_an_item_for_a_worker_that_is_not_there_any_more_is_not_to_blame(number: signal.Signals) -> None:
    blamed: list[Any] = []

    def items() -> Iterator[int]:
        yield from range(6)
        time.sleep(0.5)  # the workers have nothing to do
        for worker in my_workers()[:1]:
            worker.send_signal(number)
        yield from range(6, 12)

    hooks: RunHooks[Any] = RunHooks(on_crash=lambda item, reason: blamed.append(item))
    replies = list(
        run_in_processes(do, items(), workers=2, limits=TaskLimits(heartbeat_timeout_s=3.0, max_crashes=1), hooks=hooks)
    )
    assert sorted(reply.item for reply in replies) == list(range(12))
    assert all(reply.value == reply.item**2 for reply in replies)
    assert blamed == []


@posix
def test_what_is_killed_from_outside_is_tried_with_nothing_beside_it(tmp_path: Path) -> None:
    """Where memory is short, the last to be given up is who was there when it was."""
    log = tmp_path / "log"
    items = [*(("log", str(log), n, 0.02) for n in range(20)), ("die at first", str(tmp_path / "tries"), 1)]
    list(run_in_processes(do, items, workers=3))
    spans: dict[int, list[float]] = {}
    for line in log.read_text().splitlines():
        _, n, moment, _ = line.split()
        spans.setdefault(int(n), []).append(float(moment))
    retried_at = (tmp_path / "tries").stat().st_mtime
    assert all(end <= retried_at for _, end in spans.values())


def test_a_worker_that_has_come_to_hold_much_is_replaced_between_items() -> None:
    """Nobody is blamed for it: 24 items of 40 MiB that stay do not fit into 400 MiB."""
    limits = TaskLimits(memory_bytes=400 * MIB)
    values = [reply.value for reply in run_in_processes(do, [("grow", 40)] * 24, workers=1, limits=limits)]
    assert not any(isinstance(value, Crashed) for value in values)
    lives = Counter(process_id for process_id, _ in values)
    assert 2 <= len(lives) <= 8, "it is not replaced after every item either"


def test_a_limit_below_what_a_worker_needs_is_told() -> None:
    with pytest.raises(SetupError, match="more than 1 MB of memory, the limit of each process, before any item"):
        list(run_in_processes(slowly, range(3), workers=1, limits=TaskLimits(memory_bytes=MIB)))


@posix
def test_a_stopped_parent_does_not_take_that_for_a_lost_heartbeat(tmp_path: Path) -> None:
    """Ctrl-Z and fg: time in which nobody ran is not held against an item."""
    body = """
def main():
    for reply in run_in_processes(do, [("nap", 1.5)] * 2, workers=2, limits=TaskLimits(heartbeat_timeout_s=2.5)):
        print(reply.value, flush=True)
"""
    parent = subprocess.Popen(
        [sys.executable, script(tmp_path, body)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    time.sleep(1.2)
    os.killpg(parent.pid, signal.SIGSTOP)
    time.sleep(4)
    os.killpg(parent.pid, signal.SIGCONT)
    stdout, _ = parent.communicate(timeout=60)
    assert stdout.split() == ["1.5", "1.5"]


def script(folder: Path, body: str, guard: str = 'if __name__ == "__main__":\n    main()\n') -> Path:
    path = folder / "a_script.py"
    head = f"import os, signal, sys, threading, time\nsys.path.insert(0, {str(HERE)!r})\nfrom faulty_tasks import *\n"
    path.write_text(f"{head}from mediaan.execution import *\n{body}\n{guard}")
    return path


def test_a_script_without_a_main_guard_is_told_so(tmp_path: Path) -> None:
    body = "print(len(list(run_in_processes(square, range(5), workers=2))))\n"
    command = [sys.executable, script(tmp_path, body, guard="")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    assert "SetupError" in done.stderr
    assert '`if __name__ == "__main__":`' in done.stderr


def test_workers_that_die_before_they_take_anything_end_the_run() -> None:
    progress = ProgressChannel(die_when_installed, print)
    with pytest.raises(SetupError, match="SIGKILL") as caught:
        list(run_in_processes(do, range(3), workers=2, progress=progress))
    assert caught.value.code == "no_workers"


def die_when_installed(send: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def fail_when_installed(send: object) -> None:
    raise OSError("no room for a log")


def test_what_installing_raises_ends_the_run() -> None:
    with pytest.raises(OSError, match="no room"):
        list(run_in_processes(do, range(3), workers=2, progress=ProgressChannel(fail_when_installed, print)))


@posix
@pytest.mark.parametrize("end", ["close", "interrupt", "exception"])
def test_an_early_end_kills_the_workers_at_once(end: str) -> None:
    replies = run_in_processes(do, [1, *[("nap", 60.0)] * 5], workers=2)
    next(replies)
    time.sleep(0.3)
    workers = [worker.pid for worker in my_workers()]
    assert workers
    began = time.monotonic()
    if end == "close":
        replies.close()  # type: ignore[attr-defined]
    else:
        error = KeyboardInterrupt if end == "interrupt" else OSError
        with pytest.raises(error):
            replies.throw(error)  # type: ignore[attr-defined]
    assert time.monotonic() - began < 30
    assert not any(map(is_running, workers))


def test_an_iterator_that_is_forgotten_does_not_hang_its_program(tmp_path: Path) -> None:
    body = """
def main():
    global replies
    replies = run_in_processes(do, [1, ("nap", 60.0), ("nap", 60.0)], workers=2)
    print(next(replies).value)
"""
    done = subprocess.run([sys.executable, script(tmp_path, body)], capture_output=True, text=True, timeout=50)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1\n", "")


def begun_by(parent: subprocess.Popen[str], log: Path, count: int) -> list[int]:
    """Process ids in the log, once there are so many."""
    wait_until(lambda: parent.poll() is not None or (log.exists() and len(log.read_text().splitlines()) >= count))
    assert parent.poll() is None
    return [int(line.split()[1]) for line in log.read_text().splitlines()]


@posix
@pytest.mark.parametrize("stuck", [False, pytest.param(True, marks=pytest.mark.full)], ids=["at work", "stuck"])
def test_workers_end_with_their_parent(tmp_path: Path, stuck: bool) -> None:
    log = tmp_path / "log"
    items = f"[('orphan', {str(log)!r}, {stuck})] * 2"
    body = f"def main():\n    list(run_in_processes(do, {items}, workers=2))\n"
    parent = subprocess.Popen([sys.executable, script(tmp_path, body)], text=True)
    workers = begun_by(parent, log, 2)
    time.sleep(1.0)
    parent.kill()
    parent.wait()
    if stuck and sys.platform != "linux":
        pytest.skip("only Linux ends a process in which no Python code can run")
    wait_until(lambda: not any(map(is_running, workers)))
    if not stuck:
        orphaned = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("orphaned")]
        assert sorted(orphaned) == sorted(workers), "what was to be done before the end was done"


def group(leader: int) -> list[int]:
    """Processes of a group that are not yet gone."""
    found = []
    for process_id in psutil.pids():
        try:
            if os.getpgid(process_id) == leader and is_running(process_id):
                found.append(process_id)
        except (ProcessLookupError, PermissionError):
            continue
    return found


@posix
@pytest.mark.parametrize("wait_s", [0.0, 0.1, 0.3, 0.8])
def test_no_process_is_left_whenever_the_parent_is_killed(tmp_path: Path, wait_s: float) -> None:
    body = """
def main():
    print("begin", flush=True)
    list(run_in_processes(do, [("nap", 60.0)] * 4, workers=3))
"""
    parent = subprocess.Popen(
        [sys.executable, script(tmp_path, body)], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert parent.stdout.readline() == "begin\n"
    time.sleep(wait_s)
    parent.kill()
    parent.communicate()
    wait_until(lambda: group(parent.pid) == [])


@posix
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_of_the_group_are_the_parents_to_handle(tmp_path: Path, number: signal.Signals) -> None:
    """The parent asks for a stop: what is under way is finished, and nobody prints a traceback."""
    log = tmp_path / "log"
    body = f"""
def main():
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, frame: stop.set())
    items = (("log", {str(log)!r}, n, 1.0) for n in range(10 ** 9))
    for reply in run_in_processes(do, items, workers=2, hooks=RunHooks(stop=stop.is_set)):
        print("reply", reply.item[2], flush=True)
"""
    parent = subprocess.Popen(
        [sys.executable, script(tmp_path, body)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    begun_by(parent, log, 2)
    os.killpg(parent.pid, number)
    stdout, stderr = parent.communicate(timeout=30)
    begun = [int(line.split()[1]) for line in log.read_text().splitlines() if line.startswith("begin")]
    assert (parent.returncode, stderr) == (0, "")
    assert sorted(int(line.split()[1]) for line in stdout.splitlines()) == sorted(begun)
    assert len(begun) <= 4


@posix
def test_an_interrupt_while_workers_start(tmp_path: Path) -> None:
    """Ctrl-C at any moment of the first second: the parent's exception alone, and no worker is left."""
    body = """
def main():
    try:
        print("begin", flush=True)
        list(run_in_processes(do, [("nap", 60.0)] * 4, workers=4))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""
    path = script(tmp_path, body)
    for wait_s in (0.0, 0.05, 0.15, 0.4, 1.0):
        parent = subprocess.Popen(
            [sys.executable, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
        )
        assert parent.stdout.readline() == "begin\n"
        time.sleep(wait_s)
        os.killpg(parent.pid, signal.SIGINT)
        stdout, stderr = parent.communicate(timeout=30)
        assert (stdout, stderr) == ("interrupted\n", "")


def report_square(n: int) -> int:
    say((os.getpid(), n))
    return n * n


def test_progress_comes_from_the_workers_while_they_work() -> None:
    received: list[tuple[int, int]] = []
    progress = ProgressChannel(remember_sender, received.append)
    list(run_in_processes(report_square, range(12), workers=2, progress=progress))
    assert sorted(n for _, n in received) == list(range(12))
    assert os.getpid() not in {worker for worker, _ in received}


def report_then_die_if_negative(n: int) -> int:
    say(n)
    if n < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return n * n


@posix
def test_a_worker_that_dies_while_it_reports_costs_its_item_only() -> None:
    progress = ProgressChannel(remember_sender, lambda update: None)
    replies = run_in_processes(report_then_die_if_negative, [1, -2, 3, 4], workers=2, progress=progress)
    found = {reply.item: reply.value for reply in replies}
    assert isinstance(found.pop(-2), Crashed)
    assert found == {1: 1, 3: 9, 4: 16}


def threads_of_algebra(number: int) -> str | None:
    return os.environ.get("OPENBLAS_NUM_THREADS")


def test_workers_do_linear_algebra_with_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert [reply.value for reply in run_in_processes(threads_of_algebra, range(3), workers=2)] == ["1"] * 3
    assert "OPENBLAS_NUM_THREADS" not in os.environ
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "4")
    assert [reply.value for reply in run_in_processes(threads_of_algebra, range(3), workers=2)] == ["4"] * 3


def in_a_thread() -> Iterator[int]:
    yield from (reply.item for reply in run_in_processes(slowly, range(6), workers=2))


def test_it_runs_in_any_thread() -> None:
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.extend(in_a_thread()))
    thread.start()
    thread.join()
    assert sorted(found) == list(range(6))
