"""What jobs do: each makes a new run directory of a medium, and says what it holds."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid5

import yaml

from mediaan.analysis import TaskResult
from mediaan.errors import AnalysisError, MediumError, UsageError
from mediaan.media import is_moving
from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, sniff
from mediaan.run import Run, read_run
from mediaan.run.aois.tables import read_aois
from mediaan.run.directory import copy_run
from mediaan.run.files import write_atomic
from mediaan.server.settings import ServerSettings
from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.jobs import Job, JobKind, Outcome
from mediaan.server.storage.media import StoredMedium
from mediaan.server.storage.usage import What
from mediaan.server.work.answers import FOLDER, write_answers
from mediaan.server.work.recipes import AOI_LEVEL, analysis_settings, threads
from mediaan.types.result import Failed
from mediaan.workflow import analyze_folder
from mediaan.workflow.aois import AoiChanges, apply_aois, carry_aois, detect_aois
from mediaan.workflow.objectives import apply_objectives, objectives_differ

_MADE_AGAIN = ("report", FOLDER, ".replaced")
_MOST_NAMED = 10
_OUR_FAULT = ("analysis", "internal", "model_not_finite", "model_empty", "model_failed")
"""Codes of failures of good files, see `mediaan.errors`."""
_ADVICE = {"too_large": "scale it down", "time_limit": "make it shorter or smaller"}
"""What a client can do, by code; the library's own sentence ends with an option of the command line."""


@dataclass(frozen=True, slots=True)
class Work:
    """A job with all that it works on.

    Attributes
    ----------
    folder : DataFolder
    medium : StoredMedium
        As it was when the job was taken.
    job : Job
    settings : ServerSettings
    target : Path
        Run directory to make; removed by the caller if the job fails.
    """

    folder: DataFolder
    medium: StoredMedium
    job: Job
    settings: ServerSettings
    target: Path

    @property
    def source(self) -> Path:
        """The medium's own file.

        Raises
        ------
        UsageError
            It has not been uploaded.
        """
        if self.medium.file is None:
            raise UsageError("Media is not uploaded", code="not_uploaded")
        return self.folder.source(self.medium.media_id, self.medium.file)

    @property
    def before(self) -> Path:
        """The run directory that holds the medium's results until now.

        Raises
        ------
        UsageError
            There is none.
        """
        if self.medium.run is None:
            raise UsageError("Media is not predicted", code="not_predicted")
        return self.folder.run(self.medium.media_id, self.medium.run)

    def objectives(self) -> Path | None:
        """A file that says what the medium is for; None where nobody has said."""
        if self.medium.objectives is None:
            return None
        text = yaml.safe_dump({"defaults": dict(self.medium.objectives)}, sort_keys=False)
        return self._write("objectives.yaml", text)

    def drawn(self, records: list[Mapping[str, Any]], shown: str) -> Path:
        """A file with the AOIs that a client drew."""
        return self._write("drawn_aois.json", json.dumps({shown: records}))

    def _write(self, name: str, text: str) -> Path:
        file = self.folder.medium(self.medium.media_id) / name
        write_atomic(file, text.encode())
        return file


def perform(work: Work) -> Outcome:
    """Do a job.

    Parameters
    ----------
    work : Work

    Returns
    -------
    Outcome
        What it changes; nothing, where other objectives are kept for a prediction that is still to come.

    Raises
    ------
    MediumError, AnalysisError, SetupError
        As the library has them.
    UsageError
        The medium is not so far, or what the client sent does not fit it.
    """
    began = time.perf_counter()
    if work.job.kind == "rate" and work.medium.run is None:
        return Outcome()
    _DO[work.job.kind](work)
    answers = write_answers(work.target, work.medium, work.source)
    usage: dict[What, float] = {}
    if work.job.kind == "predict" and answers.duration_s is not None:
        usage["video_seconds_predicted"] = answers.duration_s
    return Outcome(
        run=work.target.name,
        metrics=answers.metrics,
        results=answers.results,
        seconds=time.perf_counter() - began,
        usage=usage,
    )


def _predict(work: Work) -> None:
    """Analyse the file; AOIs that the medium has stay, scored on the new densities."""
    _check_kind(work)
    reports: list[TaskResult] = []
    settings = analysis_settings(work.medium.kind, work.settings, work.objectives())
    analyze_folder(work.source, work.target, settings=settings, on_report=reports.append)
    for report in reports:
        if isinstance(report.outcome, Failed):
            raise _failure(report.outcome)
    if work.medium.run is not None:
        carry_aois(work.target, work.before)


def _check_kind(work: Work) -> None:
    """Refuse a file that came the wrong way: what it holds decides, and not what the client called it."""
    name, source = work.medium.name, work.source
    if work.medium.kind == "image" and is_moving(source):
        raise MediumError(f"{name}: is a video or an animation, not an image", code="not_an_image")
    if work.medium.kind == "video" and not is_moving(source):
        with source.open("rb") as file:
            if sniff(file.read(HEAD_BYTES)) in IMAGE_FORMATS:
                raise MediumError(f"{name}: is an image, not a video", code="not_a_video")


def _failure(failed: Failed) -> AnalysisError | MediumError:
    if failed.code not in _OUR_FAULT:
        return MediumError(_advised(failed.code, failed.message), code=failed.code)
    error = AnalysisError(failed.message, code=failed.code)
    if failed.trace:
        error.add_note(failed.trace)  # for the log
    return error


def _advised(code: str, message: str) -> str:
    return f"{message.rpartition('; ')[0]}; {_ADVICE[code]}" if code in _ADVICE else message


def _detect(work: Work) -> None:
    """Look for AOIs, with the brand that the objectives name."""
    run = _copied(work)
    objectives = work.objectives()
    if objectives is not None and objectives_differ(run, objectives):  # they were set since, and not rated yet
        apply_objectives(work.target, objectives)
    changes = detect_aois(
        *(work.target, [work.source]),
        level=AOI_LEVEL,
        objectives=objectives,
        workers=1,
        threads=threads(work.settings),
    )
    _check(changes, ())


def _draw(work: Work) -> None:
    """Take the AOIs that a client sent in the place of all that there were."""
    run = _copied(work)
    records = [_identified(record, number, work.job) for number, record in enumerate(work.job.payload["aois"])]
    _check_apart(records)
    changes = apply_aois(work.target, work.drawn(records, str(run.media["path"].iloc[0])))
    _check_inside(records, read_run(work.target))
    _check(changes, ("aoi_clipped",))


def _identified(record: Mapping[str, Any], number: int, job: Job) -> Mapping[str, Any]:
    """A new AOI gets an identifier that no other has, and the same if the job is done again."""
    if record.get("aoi_id") is not None:
        return record
    return {**record, "aoi_id": str(uuid5(job.media_id, f"{job.job_id} {number}"))}


def _check_apart(records: Sequence[Mapping[str, Any]]) -> None:
    names = [str(record["aoi_id"]) for record in records]
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise UsageError(f"uuid {twice[0]} stands at more than one AOI; leave it out of new ones", code="aois_invalid")


def _check_inside(records: Sequence[Mapping[str, Any]], run: Run) -> None:
    """Refuse those that the library has left out, by their places in the client's list."""
    kept = {str(aoi.aoi_id) for aois in read_aois(run).values() for aoi in aois}
    outside = [number for number, record in enumerate(records) if str(record["aoi_id"]) not in kept]
    if outside:
        names = ", ".join(f"aois.{number}" for number in outside[:_MOST_NAMED])
        more = f" and {len(outside) - _MOST_NAMED} more" if len(outside) > _MOST_NAMED else ""
        raise UsageError(f"{names}{more}: outside the medium, in space or in time", code="aoi_outside")


def _check(changes: AoiChanges, tolerated: tuple[str, ...]) -> None:
    """Refuse what the library leaves out and only notes."""
    problems = [problem for _, problem in changes.problems if problem.code not in tolerated]
    if problems:
        said = "; ".join(_advised(problem.code, problem.message) for problem in problems)
        raise MediumError(said, code=problems[0].code)


def _rate(work: Work) -> None:
    """Take other objectives."""
    _copied(work)
    apply_objectives(work.target, work.objectives())


def _copied(work: Work) -> Run:
    copy_run(work.before, work.target, without=_MADE_AGAIN)
    return read_run(work.target)


_DO: Mapping[JobKind, Callable[[Work], None]] = {
    "predict": _predict,
    "detect": _detect,
    "draw": _draw,
    "rate": _rate,
}
