"""The unit of work that travels to a worker: analyse one file, keep its maps, report small."""

from __future__ import annotations

import shutil
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

from mediaan.analysis.analyse import analyse
from mediaan.analysis.aois import NO_WISHES, Wishes
from mediaan.analysis.models import load_models
from mediaan.analysis.plan import Plan
from mediaan.errors import AnalysisError, MediumError, SetupError
from mediaan.media import Found, file_medium_id, local_copy
from mediaan.types.maps import Densities
from mediaan.types.result import Failed, Outcome, Result

Keep = Callable[[Result], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker sends back: the outcome without its pixels, and the files that were written.

    Attributes
    ----------
    outcome : Outcome
    files : mapping of str to str
        Path of each written map, by name, relative to the run directory.
    seconds : float
        Time in the worker, s.
    medium_id : UUID or None
        Of the content, where only the worker could tell it.
    """

    outcome: Outcome
    files: Mapping[str, str] = field(default_factory=dict)
    seconds: float = 0.0
    medium_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Known:
    """What a worker sends back of a file that holds what was analysed before, as it found when it had fetched it."""

    medium_id: UUID


@dataclass(frozen=True, slots=True)
class Order:
    """A file to analyse, and what is asked of it in particular.

    Attributes
    ----------
    file : Found
    wishes : Wishes
    medium_id : UUID or None
        Of the content that is expected; None where it is not known yet.
    wishes_id : str
        Changes with `wishes`.
    """

    file: Found
    wishes: Wishes = NO_WISHES
    medium_id: UUID | None = None
    wishes_id: str = ""


Commit = Callable[[Order, Report], None]
Recall = Callable[[Order, UUID], bool]
Claim = Callable[[Order], AbstractContextManager[None]]


def _unclaimed(order: Order) -> AbstractContextManager[None]:
    return nullcontext()


@dataclass(frozen=True, slots=True)
class Task:
    """Callable and picklable: an order in, a report out, whatever happens to it.

    Parameters
    ----------
    plan : Plan
    keep : callable
        Writes the pictures, films and densities of a result; returns the files that it wrote.
    scratch : Path or None
        Folder for films that are being made, on the disk where they shall stay; None makes none.
    commit : callable, optional
        Keeps each report for good, here in the worker: what comes after it may be lost.
    recall : callable, optional
        Whether there is a report of such content already; asked about files that lie elsewhere, once they are fetched.
    claim : callable, optional
        Gives the context in which an order is carried out and committed, by which others can tell what is under way.
    """

    plan: Plan
    keep: Keep
    scratch: Path | None = None
    commit: Commit | None = None
    recall: Recall | None = None
    claim: Claim = _unclaimed

    def __call__(self, order: Order) -> Report | Known:
        """Analyse a file and commit what came of it; a SetupError ends the run, anything else becomes a failure."""
        with self.claim(order):
            report = self._report(order)
            return report if isinstance(report, Known) else self._committed(order, report)

    def _committed(self, order: Order, report: Report) -> Report:
        if self.commit is None:
            return report
        try:
            self.commit(order, report)
        except AnalysisError as error:  # numbers that no table can hold
            message = f"{order.file.shown}: {error.message}"
            failed = _failed(order.file, error.code, message)
            report = Report(failed, {}, report.seconds, report.medium_id)
            self.commit(order, report)
        return report

    def _report(self, order: Order) -> Report | Known:
        began, file, medium_id = time.perf_counter(), order.file, None
        try:
            models = load_models(*self.plan.models)
            with _folder_within(self.scratch) as folder, local_copy(file, folder) as path:
                medium_id = file_medium_id(path) if file.place else None
                if medium_id and self.recall and self.recall(order, medium_id):
                    return Known(medium_id)
                result = analyse(path, self.plan, models, shown=file.shown, scratch=folder, wishes=order.wishes)
                before = time.perf_counter()
                files = self.keep(result)
            stages = {**result.stages, "write": time.perf_counter() - before}
            return Report(_without_pixels(result, stages), files, time.perf_counter() - began, medium_id)
        except SetupError:
            raise
        except (MediumError, AnalysisError) as error:
            failed = _failed(file, error.code, _addressed(file, error.message))
            return Report(failed, {}, time.perf_counter() - began, medium_id)
        except Exception as error:  # the one broad net of the program: a run must outlive any one file
            message = f"{file.shown}: the analysis failed: {type(error).__name__}: {error}; please report this"
            failed = _failed(file, "internal", message, trace=traceback.format_exc())
            return Report(failed, {}, time.perf_counter() - began, medium_id)


@contextmanager
def _folder_within(scratch: Path | None) -> Iterator[Path | None]:
    """A folder of one medium's own, gone with all that was not moved out of it."""
    if scratch is None:
        yield None
        return
    folder = Path(tempfile.mkdtemp(dir=scratch))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _without_pixels(result: Result, stages: Mapping[str, float]) -> Result:
    densities = Densities({}, domains=result.domains)
    return replace(result, densities=densities, pictures={}, videos={}, series={}, stages=stages)


def _failed(file: Found, code: str, message: str, *, trace: str | None = None) -> Failed:
    return Failed(file.shown, name_of(file), code, message, size_bytes=file.size_bytes, trace=trace)


def _addressed(file: Found, message: str) -> str:
    """What a reader says of a file, which it knows by its name, with the path by which the user knows it."""
    name = file.path.name
    return file.shown + message[len(name) :] if message.startswith(f"{name}: ") else message


def name_of(file: Found) -> str:
    """Name of a file as tables hold it: what is shown is valid UTF-8, the name on disk need not be."""
    return file.shown.rsplit("/", 1)[-1]
