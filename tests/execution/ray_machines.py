"""A Ray cluster of several machines on this one, for tests: real processes, which can be lost.

Run as a script it is the process that starts and ends them, as it is told line by line; so nothing of that is left in
the process of the tests.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mediaan.execution.ray_cluster import auth_token

STORE_BYTES = 80 << 20
QUICK_TO_NOTICE = {
    "health_check_initial_delay_ms": 0,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 1500,
    "health_check_failure_threshold": 3,
}


class Machines:
    """A head without room for work, and machines with one CPU each."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self.address = self._answer()

    def be(self, count: int) -> None:
        """See that there are so many beside the head."""
        self._tell("be", count)

    def lose(self, worker: int) -> None:
        """The machine of a worker falls: its processes end without a word."""
        self._tell("lose", worker)

    def freeze(self, worker: int) -> None:
        """The machine of a worker falls silent, as if its cable were cut."""
        self._tell("freeze", worker)

    def _tell(self, word: str, number: int) -> None:
        self._process.stdin.write(f"{json.dumps([word, number])}\n")
        self._process.stdin.flush()
        assert self._answer() == "done"

    def _answer(self) -> str:
        assert self._process.stdout
        for line in self._process.stdout:
            if line.startswith("> "):
                return line[2:].strip()
        raise AssertionError("the cluster has ended")


@contextmanager
def machines() -> Iterator[Machines]:
    """A cluster, and afterwards nothing of it: no process, no file, no variable."""
    folder = tempfile.mkdtemp(prefix="ray-", dir="/tmp")  # short: paths of sockets may have 107 bytes
    ours = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": auth_token(), "RAY_USAGE_STATS_ENABLED": "0"}
    before = {name: os.environ.get(name) for name in ours}
    os.environ.update(ours)
    _load_ray_settings()
    command = [sys.executable, __file__]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={
            **os.environ,
            "RAY_TMPDIR": folder,
            "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path]),
        },
    )
    try:
        yield Machines(process)
    finally:
        process.communicate()
        shutil.rmtree(folder, ignore_errors=True)
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _load_ray_settings() -> None:
    """Have Ray read its variables again: it does so once, when it is first imported, perhaps by an earlier test."""
    if "ray" in sys.modules:
        from ray._raylet import Config

        Config.initialize("")


class _Cluster:
    def __init__(self) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "object_store_memory": STORE_BYTES, "_system_config": QUICK_TO_NOTICE}
        self.cluster = Cluster(initialize_head=True, head_node_args={**head, "include_dashboard": False})
        self.nodes: list[Any] = []

    def be(self, count: int) -> None:
        while len(self.nodes) > count:
            self.cluster.remove_node(self.nodes.pop(), allow_graceful=True)
        while len(self.nodes) < count:
            self.nodes.append(self.cluster.add_node(num_cpus=1, object_store_memory=STORE_BYTES))

    def lose(self, worker: int) -> None:
        node = self._of(worker)
        self.nodes.remove(node)
        self.cluster.remove_node(node, allow_graceful=False)

    def freeze(self, worker: int) -> None:
        import psutil

        node = self._of(worker)
        self.nodes.remove(node)
        raylet = psutil.Process(node.all_processes["raylet"][0].process.pid)
        for process in [*raylet.children(recursive=True), raylet]:
            os.kill(process.pid, signal.SIGSTOP)

    def _of(self, worker: int) -> Any:
        import psutil

        above = {process.pid for process in psutil.Process(worker).parents()}
        return next(node for node in self.nodes if node.all_processes["raylet"][0].process.pid in above)


def _serve() -> None:
    Path(os.environ["RAY_TMPDIR"], "ray").mkdir()
    cluster = _Cluster()
    print(f"> {cluster.cluster.address}", flush=True)
    for line in sys.stdin:
        word, number = json.loads(line)
        getattr(cluster, word)(number)
        print("> done", flush=True)
    cluster.cluster.shutdown()


if __name__ == "__main__":
    _serve()
