"""A Ray cluster that is started for one run on this machine: it is quiet, heeds Ctrl-C, and leaves nothing behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

from mediaan.errors import SetupError
from mediaan.execution import Crashed, RunHooks, TaskLimits
from mediaan.execution.ray_executor import run_on_ray
from mediaan.execution.tasks import RetryQueue, Task, WorkerExit, lose_machine

HERE = Path(__file__).resolve().parent
with_ray = pytest.mark.skipif(not find_spec("ray") or os.name != "posix", reason="Ray is not installed")

INTERRUPTED = """
asked = []
signal.signal(signal.SIGINT, lambda *_: asked.append(True))
items = [("log", sys.argv[1], n, 1.0) for n in range(50)]
replies = run_on_ray(do, items, workers=2, hooks=RunHooks(stop=lambda: bool(asked)))
print(*sorted(reply.item[2] for reply in replies))
"""


@contextmanager
def script(folder: Path, body: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process of its own group that runs it, with temporary files of its own."""
    path = folder / "a_script.py"
    imports = "import os, signal, sys\nfrom faulty_tasks import do\nfrom mediaan.execution import RunHooks\n"
    lines = "".join(f"    {line}\n" for line in body.strip().splitlines())
    path.write_text(
        f'{imports}from mediaan.execution.ray_executor import run_on_ray\nif __name__ == "__main__":\n{lines}'
    )
    process = subprocess.Popen(
        [sys.executable, path, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE), *sys.path]), "HOME": str(folder)},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(log: Path, word: str, count: int, within_s: float = 60.0) -> list[list[str]]:
    """Lines that begin with a word, once there are so many."""
    until = time.monotonic() + within_s
    while True:
        lines = [line.split() for line in log.read_text().splitlines()] if log.exists() else []
        found = [line for line in lines if line[0] == word]
        if len(found) >= count:
            return found
        assert time.monotonic() < until, lines
        time.sleep(0.05)


@pytest.mark.full
@with_ray
def test_an_interrupt_of_the_terminal_reaches_the_run_alone(tmp_path: Path) -> None:
    log = tmp_path / "log"
    with script(tmp_path, INTERRUPTED, log) as process:
        wait_for(log, "begin", 3)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert err == ""
    begun = sorted(int(line[1]) for line in wait_for(log, "begin", 3))
    assert [int(n) for n in out.split()] == begun
    assert len(begun) <= 6


def test_without_ray_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(SetupError, match=r"pip install 'mediaan\[ray\]'") as caught:
        list(run_on_ray(str, [1], workers=1))
    assert caught.value.code == "no_ray"


def test_nothing_is_started_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert list(run_on_ray(str, [], workers=1)) == []
    exhausted: RunHooks[int] = RunHooks(earlier_crashes=lambda item: 3)
    (reply,) = run_on_ray(str, [1], workers=1, hooks=exhausted)
    assert isinstance(reply.value, Crashed)


@with_ray
@pytest.mark.parametrize("address", ["127.0.0.1:{port}", "ray://127.0.0.1:{port}"])
def test_a_cluster_that_cannot_be_joined_is_told_at_once(address: str) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    began = time.monotonic()
    with pytest.raises(SetupError, match=str(port)) as caught:
        list(run_on_ray(str, [1], workers=1, address=address.format(port=port)))
    assert caught.value.code == "no_cluster"
    assert time.monotonic() - began < 30


def test_ray_is_loaded_by_nobody_who_does_not_use_it() -> None:
    code = (
        "import sys, mediaan.workflow, mediaan.cli.main, mediaan.execution.ray_cluster, mediaan.execution.ray_executor;"
        "print([m for m in sys.modules if m.split('.')[0] == 'ray'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"


def test_an_item_whose_machine_is_always_lost_is_given_up() -> None:
    task = Task(0, 1, b"")
    replies = [lose_machine(task, "node-7") for _ in range(10)]
    assert replies == [None] * 9 + [Crashed("its machine was lost 10 times, the last time node-7")]


def test_crashes_of_earlier_runs_are_counted() -> None:
    hooks: RunHooks[str] = RunHooks(earlier_crashes=lambda item: 2 if item == "twice" else 5)
    queue: RetryQueue[str] = RetryQueue(["twice", "often"], TaskLimits(), hooks)
    assert list(queue.first_tries()) == []
    (task,) = queue.exclusive
    assert (task.item, task.crashes) == ("twice", 2)
    assert "5 times" in queue.exhausted.popleft()[1].message
    ((_, crashed),) = queue.add_crashed([task], WorkerExit("", "on node-7", "worker"))
    assert crashed == Crashed("the worker that analyzed it died 3 times; the last time on node-7")
