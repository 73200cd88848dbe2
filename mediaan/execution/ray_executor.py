"""Execute tasks on a Ray cluster; an actor that dies, or whose machine is lost, costs its task a try."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Self

from mediaan.errors import SetupError
from mediaan.execution.ray_cluster import ActorInfo, RayCluster, join_cluster
from mediaan.execution.tasks import (
    Item,
    ProgressChannel,
    Reply,
    RetryQueue,
    RunHooks,
    Task,
    TaskLimits,
    Value,
    WorkerExit,
)
from mediaan.execution.worker import PoolWorker, WorkerConfig, WorkerMessage
from mediaan.execution.worker_pool import run_in_pool

_REFRESH_EVERY_S = 2.0
_POLL_S = 0.25
_IDLE_S = 0.05
_MAX_FAILED_STARTS = 5


def run_on_ray(
    function: Callable[[Item], Value],
    items: Iterable[Item],
    *,
    workers: int | None,
    address: str | None = None,
    gpu_share: float = 0,
    depth: int = 1,
    patience_s: float = 300,
    limits: TaskLimits = TaskLimits(),  # noqa: B008 - frozen
    progress: ProgressChannel | None = None,
    hooks: RunHooks[Item] = RunHooks(),  # noqa: B008 - frozen
) -> Iterator[Reply[Item, Value]]:
    """Reply to each item once, in the order in which they finish.

    `function`: picklable; it returns failures as values and raises only when the whole run must stop.
    `items`: taken as workers get free, so it may be long.
    `workers`: actors; None: as many as the machines of the cluster have room for, and more when machines join.
    `address`: of the cluster, as ``10.0.0.1:6379`` or ``auto``; without it ``RAY_ADDRESS`` is asked, and if that is not
        set a cluster is started on this machine and ended afterwards.
    `gpu_share`: that one actor takes, beside a CPU: 0.25 lets four share a GPU. With 0 it sees no GPU.
    `depth`: items that one actor works on at the same time, each in a thread.
    `patience_s`: how long to wait while there is not a single actor, because a cluster may have to start machines
        first.
    `limits`: a progress update is a heartbeat; memory is checked twenty times a second.
    Raises SetupError: ray is not installed (code no_ray); the cluster cannot be joined, or one of its machines has
        another version of mediaan or none (no_cluster); it has no room for a single actor (no_room).

    Notes
    -----
    Actors that die are treated as `run_in_processes` treats processes. When the machine of an actor is lost, that is
    not the item's fault: it is tried elsewhere, ten times at most. Closing the iterator, or an exception, ends all
    actors at once.
    """
    tasks = RetryQueue(items, limits, hooks)
    if not tasks.has_work():  # nothing is started for nothing
        yield from (Reply(item, crashed) for item, crashed in tasks.exhausted)
        return
    config = WorkerConfig(function, progress.install if progress else None, limits.memory_bytes)
    with join_cluster(address, gpu_share, workers, patience_s) as cluster, _ActorListener() as listener:
        backend = _RayBackend(cluster, listener, config)
        yield from run_in_pool(backend, tasks, limits, progress, hooks.stop, depth=depth)


class _RayBackend:
    """Starts actors where the cluster has capacity; see `WorkerBackend`."""

    def __init__(self, cluster: RayCluster, listener: _ActorListener, config: WorkerConfig) -> None:
        self._cluster, self._listener, self._config = cluster, listener, config
        self._refreshed_at = time.monotonic()

    @property
    def size(self) -> int:
        return self._cluster.workers

    def start(self, depth: int, max_tasks: int | None, now: float) -> PoolWorker:
        actor = self._cluster.start_actor(self._config, depth=depth)
        return _ActorWorker(actor, self._listener, self._cluster, depth, max_tasks, now)

    def check(self, workers: list[PoolWorker], now: float) -> None:
        if time.monotonic() - self._refreshed_at > _REFRESH_EVERY_S:
            self._cluster.refresh()
            for worker in workers:
                assert isinstance(worker, _ActorWorker)
                if worker.is_ready and self._cluster.has_lost(worker.node_id):
                    worker.kill()  # Ray can take minutes to tell of what was under way there
            self._refreshed_at = time.monotonic()
        self._cluster.check(now, is_empty=bool(workers) and not any(worker.is_ready for worker in workers))

    def check_start(self, worker: PoolWorker, exit: WorkerExit, failed_starts: int, *, has_worked: bool) -> None:
        assert isinstance(worker, _ActorWorker)
        error = worker.error
        if not worker.is_ready and (getattr(error, "actor_init_failed", False) or failed_starts >= _MAX_FAILED_STARTS):
            told = (str(error).strip() or type(error).__name__).splitlines()[-1]
            raise SetupError(
                f"workers do not start on the Ray cluster ({told}); all its machines need the same version of mediaan",
                code="no_cluster",
            ) from error


class _ActorWorker(PoolWorker):
    """A worker in an actor.

    `actor`: ray's handle.
    `cluster`: tells which machines were lost.
    `depth`, `max_tasks`, `now`: see `PoolWorker`.
    `node_id`, `machine`: where it is, by Ray's id and by name; empty until it has started.
    `error`: ray's, at its end.
    """

    def __init__(
        self,
        actor: Any,
        listener: _ActorListener,
        cluster: RayCluster,
        depth: int,
        max_tasks: int | None,
        now: float,
    ) -> None:
        super().__init__(depth, max_tasks, now)
        self._actor, self._listener, self._cluster = actor, listener, cluster
        self._info = actor.info.remote()
        self._streams: dict[Any, int] = {}
        self.node_id = self.machine = ""
        self.error: Exception | None = None
        self.has_ended = False
        self._fault: Exception | None = None

    def listen(
        self,
        on_message: Callable[[PoolWorker, WorkerMessage], None],
        on_exit: Callable[[PoolWorker, Exception | None], None],
    ) -> None:
        """Call back with each message and once at its end, in the thread of the listener."""
        self._on_message, self._on_exit = on_message, on_exit
        self._listener.add(self)

    def send(self, task: Task[Any]) -> bool:
        """Send an assigned task; an actor that is gone shows that later."""
        stream = self._actor.work.options(num_returns="streaming").remote(task.task_id, task.payload)
        with self._lock:
            self._streams[stream] = task.task_id
        return True

    def rss_bytes(self) -> int:
        """Return 0: the actor checks its memory itself."""
        return 0

    def kill(self) -> None:
        """End it at once."""
        import ray

        with contextlib.suppress(ray.exceptions.RayError, ValueError):  # it has ended already
            ray.kill(self._actor)
        self.has_ended = True

    def reap(self) -> WorkerExit:
        """Tell why it ended."""
        from ray.exceptions import ActorUnavailableError, OutOfMemoryError

        self._cluster.refresh()
        if isinstance(self.error, ActorUnavailableError) or self._cluster.has_lost(self.node_id):
            return WorkerExit("its machine was lost", "", lost_machine=self.machine)
        if isinstance(self.error, OutOfMemoryError):
            reason = f"memory ran out on {self.machine}"
            return WorkerExit(reason, reason, "worker", "memory_limit")
        reason = f"on {self.machine} (out of memory, or a fault in a decoder)"
        return WorkerExit(reason, reason, "worker")

    def sources(self) -> list[Any]:
        """Return the references to what may come from it: facts about it, then the stream of each task."""
        with self._lock:
            return list(self._streams) if self.is_ready else [self._info]

    def receive(self, source: Any) -> None:
        """Handle what is there at one of its sources."""
        import ray

        from mediaan import __version__

        try:
            message: ActorInfo | WorkerMessage = ray.get(
                next(source) if isinstance(source, ray.ObjectRefGenerator) else source
            )
        except ray.exceptions.RayError as error:
            self.error = error
            self.kill()
            return
        try:
            if isinstance(message, ActorInfo):
                if message.version != __version__:
                    raise SetupError(
                        f"mediaan is {__version__} here and {message.version} on {message.machine}; install the same "
                        "version on all machines of the cluster",
                        code="no_cluster",
                    )
                self.node_id, self.machine = message.node_id, message.machine
                message = WorkerMessage("ready")
            elif message.kind in {"done", "raised"}:
                with self._lock:
                    del self._streams[source]
            self._on_message(self, message)
        except Exception as error:  # of functions that the caller gave; whoever takes the replies gets it
            self._fault = error
            self.kill()

    def end(self, fault: Exception | None = None) -> None:
        """Call back at its end."""
        self._on_exit(self, fault or self._fault)

    def _request_exit(self) -> None:
        self.kill()


class _ActorListener:
    """Receives the messages of all actors of a run, in one thread however many there are."""

    def __init__(self) -> None:
        self._workers: list[_ActorWorker] = []
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._listen, name="listens to actors", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._closed.set()
        self._thread.join()

    def add(self, worker: _ActorWorker) -> None:
        """Listen to one more actor."""
        self._workers.append(worker)

    def _listen(self) -> None:
        import ray

        try:
            while not self._closed.is_set():
                for worker in [worker for worker in self._workers if worker.has_ended]:
                    self._workers.remove(worker)
                    worker.end()
                sources = {source: worker for worker in list(self._workers) for source in worker.sources()}
                if not sources:
                    self._closed.wait(_IDLE_S)
                    continue
                ready, _ = ray.wait(list(sources), num_returns=len(sources), timeout=0)
                if not ready:
                    ready, _ = ray.wait(list(sources), timeout=_POLL_S)
                for source in ready:
                    if not sources[source].has_ended:
                        sources[source].receive(source)
        except Exception as error:  # Ray itself has ended; whoever takes the replies gets it
            for worker in self._workers:
                worker.end(error)
