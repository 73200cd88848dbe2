"""Join a Ray cluster, or start one on this machine, and count the workers that fit on it."""

from __future__ import annotations

import logging
import os
import pickle
import secrets
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

from mediaan.errors import SetupError
from mediaan.execution.child_process import exit_orphaned
from mediaan.execution.tasks import pickle_error, pickle_value
from mediaan.execution.worker import WorkerConfig, WorkerMessage

_CHECK_MEMORY_EVERY_S = 0.05
_SEND_PROGRESS_EVERY_S = 0.25
_CHECK_PARENT_EVERY_S = 0.25
_MAX_UNSENT_UPDATES = 1000
_FLUSH_S = 2.0
"""The last message of a stream is still on its way; a process that ended at once would take it along."""


class ActorInfo(NamedTuple):
    """The version of mediaan in an actor, and its machine, by Ray's id and by name."""

    version: str
    node_id: str
    machine: str


class RayActor:
    """A worker on a cluster; `RayCluster.start_actor` makes a remote class of it.

    `config`: above its memory limit the process ends itself.
    `depth`: tasks at the same time, each in a thread.
    """

    def __init__(self, config: WorkerConfig, depth: int) -> None:
        self._config = config
        self._threads = ThreadPoolExecutor(depth)
        # Threads that the function starts belong to the one task, too.
        self._current: Any = SimpleNamespace() if depth == 1 else threading.local()
        # Ray ends an actor with SIGTERM; a cluster that was started for the run falls with it, without a signal.
        signal.signal(signal.SIGTERM, lambda number, frame: exit_orphaned())
        threading.Thread(target=_exit_with, args=(os.getppid(),), daemon=True).start()
        if config.install is not None:
            config.install(self._report)

    def info(self) -> ActorInfo:
        """Return what runs here, and where."""
        import ray

        from mediaan import __version__

        return ActorInfo(__version__, ray.get_runtime_context().get_node_id(), socket.gethostname())

    def work(self, task_id: int, payload: bytes) -> Iterator[WorkerMessage]:
        """Work on a pickled item; the last message holds its value, or what the function raised."""
        yield WorkerMessage("begun", task_id)
        updates: deque[Any] = deque(maxlen=_MAX_UNSENT_UPDATES)
        result = self._threads.submit(self._run, task_id, payload, updates)
        done = threading.Event()
        result.add_done_callback(lambda result: done.set())
        process, sent_at = None, time.monotonic()
        if self._config.memory_bytes is not None:
            import psutil

            process = psutil.Process()
        while not done.wait(_CHECK_MEMORY_EVERY_S):
            if process is not None and process.memory_info().rss > (self._config.memory_bytes or 0):
                yield WorkerMessage("memory_exceeded", task_id)
                time.sleep(_FLUSH_S)
                os._exit(1)
            if updates and time.monotonic() - sent_at > _SEND_PROGRESS_EVERY_S:
                yield _progress(task_id, updates)
                sent_at = time.monotonic()
        if updates:
            yield _progress(task_id, updates)
        yield result.result()

    def _run(self, task_id: int, payload: bytes, updates: deque[Any]) -> WorkerMessage:
        self._current.updates = updates
        try:
            value = self._config.function(pickle.loads(payload))
            return WorkerMessage("done", task_id, pickle_value(value, "what came of an item"))
        except BaseException as error:  # it belongs to whoever asked for the work
            return WorkerMessage("raised", task_id, pickle_error(error))

    def _report(self, update: Any) -> None:
        updates: deque[Any] | None = getattr(self._current, "updates", None)
        if updates is not None:
            updates.append(update)


def _progress(task_id: int, updates: deque[Any]) -> WorkerMessage:
    taken = [updates.popleft() for _ in range(len(updates))]
    return WorkerMessage("progress", task_id, pickle_value(taken, "a progress update"))


def _exit_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_CHECK_PARENT_EVERY_S)
    exit_orphaned()


_OBJECT_STORE_BYTES = 80 << 20
"""The least that Ray takes. Nothing large goes through it: workers write their maps and parts themselves."""

_SHORT_TEMP_DIR = Path("/tmp")
"""Sockets lie below, whose whole paths may have 107 bytes."""

_CONNECT_TIMEOUT_S = 10.0
_SET_BY_RAY = ("PYTHONBREAKPOINT", "RAY_CLIENT_MODE", "RAY_AUTH_MODE")
_MACHINES_SHOWN = 5


def workers_on(machine: Mapping[str, float], gpu_share: float) -> int:
    """Return how many workers fit on a machine; each takes a CPU and a share of a GPU.

    >>> workers_on({"CPU": 8.0}, 0), workers_on({"CPU": 8.0, "GPU": 1.0}, 0.25)
    (8, 4)
    """
    cpus = int(machine.get("CPU", 0))
    return min(cpus, int(machine.get("GPU", 0) / gpu_share + 1e-6)) if gpu_share else cpus


class RayCluster:
    """A cluster that this process has joined, and its capacity for workers.

    `ray`: the module; it is not typed alike in all its versions.
    `gpu_share`: that each worker takes, beside a CPU.
    `workers`: number that was asked for; None: as many as fit.
    `patience_s`: how long there may be no worker at all.
    `is_own`: True if it was started for this run, so that no machine will ever join it.
    """

    def __init__(self, ray: Any, gpu_share: float, workers: int | None, patience_s: float, *, is_own: bool) -> None:
        self._ray, self._is_own = ray, is_own
        self._gpu_share, self._workers, self._patience_s = gpu_share, workers, patience_s
        self._empty_since: float | None = None
        self.refresh()

    def refresh(self) -> None:
        """Ask which machines there are now.

        Raises SetupError: this machine is not among them anymore (code no_cluster): nothing would ever be heard again.
        """
        machines = {node["NodeID"]: node["Resources"] for node in self._ray.nodes() if node["Alive"]}
        if self._ray.get_runtime_context().get_node_id() not in machines:
            raise SetupError(
                "this machine does not belong to the Ray cluster any more: its part of Ray has ended; start it again, "
                "and the same command goes on",
                code="no_cluster",
            )
        self._machines: dict[str, dict[str, float]] = machines

    def has_lost(self, node_id: str) -> bool:
        """Return True if a machine is gone."""
        return node_id not in self._machines

    @property
    def workers(self) -> int:
        """Number of workers to have; at least one, so that a cluster that can grow learns that it should."""
        return self._workers or max(1, self._fitting())

    def start_actor(self, config: WorkerConfig, *, depth: int) -> Any:
        """Ask for an actor, which starts as soon as there is capacity, and return Ray's handle.

        Ray restarts and retries nothing: what to do about a crash is decided by `RetryQueue`.
        """
        remote = self._ray.remote(num_cpus=1, num_gpus=self._gpu_share, max_restarts=0, max_task_retries=0)(RayActor)
        return remote.options(max_concurrency=depth).remote(config, depth)

    def check(self, now: float, *, is_empty: bool) -> None:
        """Raise SetupError when there has been no worker for too long, or can never be one.

        `now`: time of the pool, s.
        `is_empty`: True if workers were asked for and none has started.
        """
        self._empty_since = (now if self._empty_since is None else self._empty_since) if is_empty else None
        can_grow = self._fitting() or not self._is_own
        if self._empty_since is None or (can_grow and now - self._empty_since <= self._patience_s):
            return
        each = [
            f"{machine.get('CPU', 0):g} CPU and {machine.get('GPU', 0):g} GPU" for machine in self._machines.values()
        ]
        listing = "; ".join(each[:_MACHINES_SHOWN]) + (" ..." if len(each) > _MACHINES_SHOWN else "")
        gpus = f" and {self._gpu_share:g} GPU" if self._gpu_share else ""
        raise SetupError(
            f"the Ray cluster has no room for a worker, which takes 1 CPU{gpus} of one machine; it has {len(each)} "
            f"machine{'s' * (len(each) != 1)}: {listing}, which other work may hold (see: ray status)",
            code="no_room",
        )

    def _fitting(self) -> int:
        return sum(workers_on(machine, self._gpu_share) for machine in self._machines.values())


@contextmanager
def join_cluster(address: str | None, gpu_share: float, workers: int | None, patience_s: float) -> Iterator[RayCluster]:
    """Join the cluster at an address, or at ``RAY_ADDRESS``; without either, start one on this machine.

    A session of Ray that this process has already is used, and left as it is.

    Raises SetupError: ray is not installed (code no_ray), or the cluster cannot be joined (code no_cluster).
    """
    address = address or os.environ.get("RAY_ADDRESS") or None
    with ExitStack() as stack:
        stack.enter_context(_environment({"RAY_USAGE_STATS_ENABLED": "0"}))
        with _keep_signal_handlers():
            try:
                import ray
            except ImportError as error:
                raise SetupError("Ray is not installed; pip install 'mediaan[ray]'", code="no_ray") from error
        if ray.is_initialized():
            joined = ray.get_runtime_context().gcs_address
            if address not in (None, "auto", joined):
                raise SetupError(
                    f"this process has joined the cluster at {joined} already; ray.shutdown() first, or leave the "
                    f"address {address} away",
                    code="no_cluster",
                )
            yield RayCluster(ray, gpu_share, workers, patience_s, is_own=False)
            return
        stack.enter_context(_silence(ray))
        settings = _join_settings(address) if address else _local_settings(stack, workers)
        stack.callback(ray.shutdown)
        try:
            with _keep_signal_handlers():
                ray.init(**settings, log_to_driver=False, configure_logging=False)
        except (ConnectionError, OSError, RuntimeError, ValueError, ray.exceptions.RayError) as error:
            where = f"joined at {address}" if address else "started on this machine"
            raise SetupError(f"a Ray cluster cannot be {where}: {error}", code="no_cluster") from error
        yield RayCluster(ray, gpu_share, workers, patience_s, is_own=not address)


def _join_settings(address: str) -> dict[str, Any]:
    """Return what `ray.init` needs to join a cluster that can be reached; Ray would try for minutes."""
    if "://" in address:
        raise SetupError(
            f"{address}: name the cluster itself, such as 10.0.0.1:6379, on a machine that belongs to it; Ray's client "
            "cannot carry a run",
            code="no_cluster",
        )
    host, colon, port = address.rpartition(":")
    if colon and port.isdecimal():
        try:
            socket.create_connection((host.strip("[]"), int(port)), timeout=_CONNECT_TIMEOUT_S).close()
        except OSError as error:
            raise SetupError(f"no Ray cluster answers at {address} ({error})", code="no_cluster") from error
    return {"address": address}


def _local_settings(stack: ExitStack, workers: int | None) -> dict[str, Any]:
    """Return what `ray.init` needs to start a cluster of this machine alone, closed to others by a token."""
    cores = os.cpu_count() or 1
    folder = tempfile.mkdtemp(
        prefix="mediaan-ray-",
        dir=os.environ.get("RAY_TMPDIR") or (_SHORT_TEMP_DIR if _SHORT_TEMP_DIR.is_dir() else None),
    )
    stack.callback(shutil.rmtree, folder, ignore_errors=True)
    stack.enter_context(_environment({"RAY_AUTH_MODE": None, "RAY_AUTH_TOKEN": auth_token()}))
    return {
        "address": "local",
        "num_cpus": max(cores, workers or 1),
        "object_store_memory": _OBJECT_STORE_BYTES,
        "include_dashboard": False,
        "_temp_dir": folder,
    }


@cache
def auth_token() -> str:
    """Return the token of clusters that this process starts; one for all, because Ray remembers the first."""
    return secrets.token_hex(32)


@contextmanager
def _silence(ray: Any) -> Iterator[None]:
    """Keep what Ray prints of itself, and of workers that die, from the streams of this process."""
    logger, printing = logging.getLogger("ray"), ray._private.worker
    level, prints = logger.level, printing._worker_logs_enabled
    logger.setLevel(logging.CRITICAL + 1)
    printing._worker_logs_enabled = False  # deaths go to stdout otherwise, and no setting of Ray's stops that
    try:
        yield
    finally:
        logger.setLevel(level)
        printing._worker_logs_enabled = prints


@contextmanager
def _keep_signal_handlers() -> Iterator[None]:
    """Keep Ray from ending this process in its own way: it replaces our handlers by its own."""
    in_main = threading.current_thread() is threading.main_thread()
    hook, handler = sys.excepthook, signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        sys.excepthook = hook
        if in_main:
            signal.signal(signal.SIGTERM, handler)


@contextmanager
def _environment(variables: Mapping[str, str | None]) -> Iterator[None]:
    """Set variables, or remove them, for this process and those that it starts meanwhile, then restore them."""
    before = {name: os.environ.get(name) for name in (*variables, *_SET_BY_RAY)}
    _set_variables(variables)
    try:
        yield
    finally:
        _set_variables(before)


def _set_variables(variables: Mapping[str, str | None]) -> None:
    for name, value in variables.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
