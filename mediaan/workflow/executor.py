"""Who carries out the analyses of a run: this process, or others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from mediaan.analysis import Known, Order, Progress, Report, Task, listen
from mediaan.execution import Crashed, Limits, Notes, Reply, Watch, default_memory_limit, run_in_processes, run_serially
from mediaan.run import RunWriter
from mediaan.run.attempts import ATTEMPTS_FILE
from mediaan.workflow.machines import OnAnyMachine
from mediaan.workflow.settings import Settings
from mediaan.workflow.workers import Layout

_SILENCE_FACTOR, _SILENCE_MORE_S = 1.1, 30.0
"""The analysis ends itself at its time limit; whoever is silent for longer hangs."""
_WITNESS_S = 0.1
"""Who dies with a worker, of the same signal or the same lack of memory, shall not live to blame its file."""


@dataclass(frozen=True, slots=True)
class Executor:
    """Carries a task over orders.

    Parameters
    ----------
    settings : Settings
    spread : Layout
        Over how many processes and threads.
    writer : RunWriter
        Whose ledger is asked and kept.
    stop : callable
        Says when nothing new shall be begun.
    on_progress : callable or None
        Told how far long media are.
    """

    settings: Settings
    spread: Layout
    writer: RunWriter
    stop: Callable[[], bool]
    on_progress: Callable[[Progress], None] | None = None

    def __call__(self, task: Task, orders: Iterator[Order]) -> Iterator[Reply[Order, Report | Known]]:
        """Reply to each order once, in any order."""
        first = next(orders, None)
        if first is None:
            return  # no process is started for nothing
        orders, spread = chain([first], orders), self.spread
        if not self.writer.keeps_claims and not spread.processes:
            spread = Layout(1)  # so that someone is left to note what a worker died of
        for reply in self._replies(task, orders, spread):
            if not isinstance(reply.value, Crashed):
                self._acquit(reply.item)
            yield reply

    def _replies(self, task: Task, orders: Iterator[Order], spread: Layout) -> Iterator[Reply[Order, Report | Known]]:
        if self.settings.executor == "ray":
            return self._on_ray(task, orders, spread)
        return self._in_processes(task, orders, spread) if spread.processes else self._here(task, orders)

    def _here(self, task: Task, orders: Iterator[Order]) -> Iterator[Reply[Order, Report | Known]]:
        """Work in this process, but for media that may have been the death of an earlier one."""
        suspects: list[Order] = []
        listen(self.on_progress)
        try:
            yield from run_serially(task, self._above_suspicion(orders, suspects), watch=self._watch)
        finally:
            listen(None)
        if suspects and not self.stop():
            yield from self._in_processes(task, iter(suspects), Layout(1))

    def _in_processes(
        self, task: Task, orders: Iterator[Order], spread: Layout
    ) -> Iterator[Reply[Order, Report | Known]]:
        # notes are signs of life, too, so they are sent even where nobody looks at them
        notes = Notes(listen, self.on_progress or _ignore)
        workers, limits = spread.processes, self._limits(spread.processes)
        yield from run_in_processes(
            task, orders, workers=workers, depth=spread.depth, limits=limits, notes=notes, watch=self._watch
        )

    def _on_ray(self, task: Task, orders: Iterator[Order], spread: Layout) -> Iterator[Reply[Order, Report | Known]]:
        from mediaan.execution.ray import run_on_ray

        settings = self.settings
        limits = self._limits(None)
        yield from run_on_ray(
            OnAnyMachine(task, keeps_here=self.writer.parts.place.folder is not None, folder=Path.cwd()),
            orders,
            workers=settings.workers,
            address=settings.ray_address,
            gpu_share=settings.gpus,
            depth=spread.depth,
            limits=limits,
            notes=Notes(listen, self.on_progress or _ignore),
            watch=self._watch,
        )

    def _above_suspicion(self, orders: Iterator[Order], suspects: list[Order]) -> Iterator[Order]:
        for order in orders:
            if self._deaths(order):
                suspects.append(order)
            else:
                yield order

    def _limits(self, workers: int | None) -> Limits:
        """None: workers on other machines, of whose memory this one knows nothing."""
        memory_bytes = None if workers is None else default_memory_limit(workers)
        if self.settings.memory_limit_mb is not None:
            memory_bytes = self.settings.memory_limit_mb * 10**6
        silence_s = _SILENCE_FACTOR * self.settings.recipe.time_limit_s + _SILENCE_MORE_S
        return Limits(memory_bytes, silence_s)

    @property
    def _watch(self) -> Watch[Order]:
        return Watch(self.stop, self._deaths, self._on_death)

    def _deaths(self, order: Order) -> int:
        return self.writer.attempts.deaths(self.writer.claims.key(order))

    def _on_death(self, order: Order, reason: str) -> None:
        time.sleep(_WITNESS_S)
        self.writer.attempts.died(self.writer.claims.key(order), order.file.shown, reason)
        self.writer.publish(ATTEMPTS_FILE)

    def _acquit(self, order: Order) -> None:
        """Forget the deaths over a medium that was analysed after all: asked something else later, it is no suspect."""
        if self._deaths(order):
            self.writer.attempts.clear(self.writer.claims.key(order))
            self.writer.publish(ATTEMPTS_FILE)


def _ignore(progress: Progress) -> None:
    pass
