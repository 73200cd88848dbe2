"""Execute the tasks of a run in this process, in worker processes or on a Ray cluster."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mediaan.analysis import (
    AnalysisProgress,
    CacheHit,
    Execution,
    MediumTask,
    Recipe,
    TaskResult,
    TaskRunner,
    set_progress_listener,
)
from mediaan.errors import SetupError
from mediaan.execution import (
    Crashed,
    ProgressChannel,
    Reply,
    RunHooks,
    TaskLimits,
    default_memory_limit,
    run_in_processes,
    run_serially,
)
from mediaan.run import RunWriter
from mediaan.run.directory import ATTEMPTS_FILE
from mediaan.workflow.options import ProcessLayout

_OF_STORES = (
    "; workers know credentials and endpoint from the address, or from the environment in which Ray was started on "
    "their machine"
)
_HINTS = dict.fromkeys(("no_bucket", "access_denied", "unreachable", "storage_failed", "no_storage"), _OF_STORES)


@dataclass(frozen=True, slots=True)
class ClusterTask:
    """A runner that says so where its machine does not see the files of the run; picklable."""

    runner: TaskRunner
    keeps_here: bool
    """Whether the run directory is a folder and not in an object store."""
    folder: Path
    """In which the command was given: relative paths mean the same everywhere."""

    def __call__(self, task: MediumTask) -> TaskResult | CacheHit:
        """Carry out a task.

        Raises SetupError: the run directory, or the folder of the file, is not to be seen from here (code not_shared);
            whatever else ends a run says on which machine, since others may have no such trouble.
        """
        if self.folder.is_dir():
            os.chdir(self.folder)
        if task.file.storage is None and not task.file.path.parent.is_dir():
            raise _unseen(task.file.path.parent.absolute(), "the folder of a file")
        if self.runner.scratch is not None and not self.runner.scratch.is_dir():
            if self.keeps_here:
                raise _unseen(self.runner.scratch.parent.absolute(), "--out")
            self.runner.scratch.mkdir(parents=True, exist_ok=True)
        try:
            return self.runner(task)
        except SetupError as error:
            message = (
                f"on {socket.gethostname()}, a machine of the cluster: {error.message}{_HINTS.get(error.code, '')}"
            )
            raise SetupError(message, code=error.code) from None


def _unseen(folder: Path, what: str) -> SetupError:
    return SetupError(
        f"{folder}, {what}, is not to be seen from {socket.gethostname()}; on a cluster, files and --out must be on "
        "storage that all its machines share, or in an object store",
        code="not_shared",
    )


_SILENCE_FACTOR, _SILENCE_MORE_S = 1.1, 30.0
"""The analysis ends itself at its time limit; whoever is silent for longer hangs."""
_WITNESS_S = 0.1
"""Who dies with a worker, of the same signal or the same lack of memory, must not live to blame its file."""


@dataclass(frozen=True, slots=True)
class Executor:
    """Carries a runner over tasks."""

    recipe: Recipe
    execution: Execution
    layout: ProcessLayout
    """Over how many processes and threads."""
    writer: RunWriter
    """Its crash log is read and kept."""
    stop: Callable[[], bool]
    """Says when to begin nothing new."""
    on_progress: Callable[[AnalysisProgress], None] | None = None
    """Called with the progress of long media."""

    def __call__(
        self, runner: TaskRunner, tasks: Iterator[MediumTask]
    ) -> Iterator[Reply[MediumTask, TaskResult | CacheHit]]:
        """Reply to each task once, in any order."""
        first = next(tasks, None)
        if first is None:
            return  # no process is started for nothing
        tasks, layout = chain([first], tasks), self.layout
        if not self.writer.keeps_claims and not layout.processes:
            layout = ProcessLayout(1)  # so that someone is left to note what a worker died of
        if self.execution.executor == "ray":
            replies = self._on_ray(runner, tasks, layout)
        elif layout.processes:
            replies = self._in_processes(runner, tasks, layout)
        else:
            replies = self._here(runner, tasks)
        for reply in replies:
            task = reply.item
            if not isinstance(reply.value, Crashed) and self._deaths(task):
                # analyzed after all: when something else is asked of it later, it is no suspect
                self.writer.crash_log.clear(self.writer.claims.key(task))
                self.writer.publish(ATTEMPTS_FILE)
            yield reply

    def _here(
        self, runner: TaskRunner, tasks: Iterator[MediumTask]
    ) -> Iterator[Reply[MediumTask, TaskResult | CacheHit]]:
        """Work in this process, but for media that may have been the death of an earlier one."""
        suspects: list[MediumTask] = []

        def unsuspected() -> Iterator[MediumTask]:
            for task in tasks:
                if self._deaths(task):
                    suspects.append(task)
                else:
                    yield task

        set_progress_listener(self.on_progress)
        try:
            yield from run_serially(runner, unsuspected(), hooks=self._hooks)
        finally:
            set_progress_listener(None)
        if suspects and not self.stop():
            yield from self._in_processes(runner, iter(suspects), ProcessLayout(1))

    def _in_processes(
        self, runner: TaskRunner, tasks: Iterator[MediumTask], layout: ProcessLayout
    ) -> Iterator[Reply[MediumTask, TaskResult | CacheHit]]:
        # progress is a heartbeat, too, so it is sent even where nobody looks at it
        progress = ProgressChannel(set_progress_listener, self.on_progress or _ignore)
        workers, limits = layout.processes, self._limits(layout.processes)
        yield from run_in_processes(
            runner, tasks, workers=workers, depth=layout.depth, limits=limits, progress=progress, hooks=self._hooks
        )

    def _on_ray(
        self, runner: TaskRunner, tasks: Iterator[MediumTask], layout: ProcessLayout
    ) -> Iterator[Reply[MediumTask, TaskResult | CacheHit]]:
        from mediaan.execution.ray_executor import run_on_ray

        execution, limits = self.execution, self._limits(None)
        yield from run_on_ray(
            ClusterTask(runner, keeps_here=self.writer.parts.storage.folder is not None, folder=Path.cwd()),
            tasks,
            workers=execution.workers,
            address=execution.ray_address,
            gpu_share=execution.gpus,
            depth=layout.depth,
            limits=limits,
            progress=ProgressChannel(set_progress_listener, self.on_progress or _ignore),
            hooks=self._hooks,
        )

    def _limits(self, workers: int | None) -> TaskLimits:
        """Return the limits of a worker; `workers` is None on other machines, whose memory is not known here."""
        memory_bytes = None if workers is None else default_memory_limit(workers)
        if self.execution.memory_limit_mb is not None:
            memory_bytes = self.execution.memory_limit_mb * 10**6
        silence_s = _SILENCE_FACTOR * self.recipe.time_limit_s + _SILENCE_MORE_S
        return TaskLimits(memory_bytes, silence_s)

    @property
    def _hooks(self) -> RunHooks[MediumTask]:
        return RunHooks(self.stop, self._deaths, self._on_death)

    def _deaths(self, task: MediumTask) -> int:
        return self.writer.crash_log.deaths(self.writer.claims.key(task))

    def _on_death(self, task: MediumTask, reason: str) -> None:
        time.sleep(_WITNESS_S)
        self.writer.crash_log.died(self.writer.claims.key(task), task.file.display_path, reason)
        self.writer.publish(ATTEMPTS_FILE)


def _ignore(progress: AnalysisProgress) -> None:
    pass
