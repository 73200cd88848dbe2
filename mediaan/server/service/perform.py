"""Carry out jobs: each writes a new run directory of a medium.

A report is written only when somebody opens it, beside the run that it shows; so is a comparison of two.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

import numpy as np
import yaml
from PIL import Image

from mediaan.analysis import Execution, Recipe, TaskResult
from mediaan.errors import AnalysisError, MediumError, UsageError
from mediaan.judge.questions import area_dicts, verdict_dict
from mediaan.maps import MAPS
from mediaan.media import is_moving
from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, sniff
from mediaan.report.pdf import sheet_formats
from mediaan.report.web.page import ServedPage
from mediaan.report.write import render_report
from mediaan.review.session import Review, open_review
from mediaan.run import Run, read_run
from mediaan.run.answers import read_answers
from mediaan.run.changes import read_areas
from mediaan.run.directory import ANSWERS_FILE, copy_run
from mediaan.run.files import write_atomic
from mediaan.server.service.answers import FOLDER, write_answer, write_answers
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.jobs import Job, JobKind, Outcome
from mediaan.server.service.media import Kind, StoredMedium
from mediaan.server.settings import ServerSettings
from mediaan.studies.compare.compare import compare_media
from mediaan.studies.compare.media import distinct_media
from mediaan.studies.compare.page import medium_previews, render_compare
from mediaan.types.result import Failed
from mediaan.types.review import AnswerBody
from mediaan.workflow.aois import AoiChanges, apply_aois, carry_aois, detect_aois
from mediaan.workflow.folder.analyze import analyze_folder
from mediaan.workflow.folder.inputs import DROPPED
from mediaan.workflow.objectives import apply_objectives, objectives_differ
from mediaan.workflow.report import write_pdf, write_pptx

_MOST_THREADS = 4
"""More threads gain next to nothing for one image."""
_MADE_AGAIN = ("report", FOLDER, ".replaced")
_MOST_NAMED = 10
_OUR_FAULT = ("analysis", "internal", "model_not_finite", "model_empty", "model_failed")
"""Codes of failures of good files, see `mediaan.errors`."""
_ADVICE = {"too_large": "scale it down", "time_limit": "make it shorter or smaller"}
"""Advice to clients by code, in place of the library's, which names an option of the command line."""


@dataclass(frozen=True, slots=True)
class JobInputs:
    """A job with the medium that it works on, and where."""

    folder: DataFolder
    medium: StoredMedium  # as it was when the job was taken
    job: Job
    settings: ServerSettings
    target: Path  # run directory to make; removed by the caller if the job fails

    @property
    def source(self) -> Path:
        """The medium's own file."""
        if self.medium.file is None:
            raise UsageError("Media is not uploaded", code="not_uploaded")
        return self.folder.source(self.medium.media_id, self.medium.file)

    @property
    def before(self) -> Path:
        """The run directory that holds the medium's results until now."""
        if self.medium.run is None:
            raise UsageError("Media is not predicted", code="not_predicted")
        return self.folder.run(self.medium.media_id, self.medium.run)

    def objectives(self) -> Path | None:
        """Write a file that says what the medium is for; None where nobody has said."""
        if self.medium.objectives is None:
            return None
        objectives = dict(self.medium.objectives)
        if name := objectives.get("brand_kit"):
            objectives["brand_kit"] = str(self.settings.kit_folder(name).resolve())
        return self.write("objectives.yaml", yaml.safe_dump({"defaults": objectives}, sort_keys=False))

    def write(self, name: str, text: str) -> Path:
        """Write a file for the library beside the medium's runs."""
        file = self.folder.medium(self.medium.media_id) / name
        write_atomic(file, text.encode())
        return file


def perform(work: JobInputs) -> Outcome:
    """Do a job, and return its changes: none of a report, and of other objectives for a prediction still to come.

    Errors are the library's; `UsageError`: the medium is not so far, or what the client sent does not fit it.
    """
    if work.job.kind == "report":
        _compare(work) if "other" in work.job.payload else _write_report(work)
    if work.job.kind == "report" or (work.job.kind == "rate" and work.medium.run is None):
        return Outcome()
    result = _DO[work.job.kind](work)
    outcome = write_answers(work.target, work.medium, work.source, result)
    assert outcome.results is not None
    questions = _questions(work, asked="aoi_scores" in outcome.results)
    write_answer(work.target / FOLDER / "questions.json", questions)
    return outcome


def _questions(work: JobInputs, *, asked: bool) -> dict[str, Any]:
    """Return what the page of a review shows of a medium, under its id here; nothing is asked before areas are sought.

    The page of a review (`mediaan.server.pages.review`) puts those of several media together.
    """
    review, media_id = Review(read_run(work.target)), str(work.medium.media_id)
    (result,) = review.results
    ranks = [question.rank for question in review.questions]
    about_medium = {
        **{"medium_id": media_id, "path": work.medium.name, "folder": "", "picture": f"picture/{media_id}"},
        "verdict": verdict_dict(result),
        "areas": area_dicts(result),
    }
    listed = review.to_dict()
    questions, others = (
        [question | about_medium | {"id": f"{media_id}.{question['type']}"} for question in listed[name]]
        for name in ("questions", "others")
    )
    questions = [question | {"rank": rank} for question, rank in zip(questions, ranks, strict=True)]
    progress, last = review.progress, review.last_answer
    return {
        "medium": {name: about_medium[name] for name in ("medium_id", "verdict", "areas")},
        "progress": {
            "answered": progress.answered,
            "left": progress.left if asked else 0,
            "undecided": progress.undecided if asked else 0,
        },
        "questions": questions if asked else [],
        "others": others if asked else [],
        "last_answer": None if last is None else {"id": last.id, "at": last.at},
    }


def _write_report(work: JobInputs) -> None:
    """Write the report of a medium: the page, or a PDF or slides, which are named after the medium."""
    payload = work.job.payload
    file_format = payload.get("sheets", "html")
    file = work.folder.report(work.medium.media_id, work.before.name, file_format)
    if file.exists():
        return
    file.parent.mkdir(exist_ok=True)
    if file_format == "html":
        served = ServedPage(**payload["served"], formats=sheet_formats())
        write_atomic(file, render_report(read_run(work.before), layout="folder", served=served).encode())
    else:
        write = write_pdf if file_format == "pdf" else write_pptx
        write(work.before, file, title=work.medium.name, client=payload["client"])


def analysis_options(kind: Kind, settings: ServerSettings, objectives: Path | None = None) -> tuple[Recipe, Execution]:
    """Return the recipe and the execution for a medium of a kind.

    An image is analyzed as `mediaan analyze FILE` does by default, so that its numbers are the same. AOIs are looked
    for when a client asks for them, as in v2.
    """
    recipe = Recipe(aois="none", objectives=DROPPED if objectives is None else objectives)
    if kind != "image":
        maps = tuple(name for name, spec in MAPS.items() if spec.is_default or (settings.films and spec.film_of))
        recipe = recipe.replace(maps=maps, mixed=kind == "mixed", max_side=settings.max_side_px)
    return recipe, Execution(device=settings.device, workers=1, threads=threads(settings), report="none")


def threads(settings: ServerSettings) -> int | None:
    """Return how many threads each worker takes, so that all workers together take the machine's cores once.

    None: as many as the library takes by itself, since the only worker has all cores.

    >>> threads(ServerSettings(Path("data"), workers=1000)), threads(ServerSettings(Path("data"), workers=1))
    (1, None)
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return None if settings.workers == 1 else min(_MOST_THREADS, max(1, cores // settings.workers))


def warm_up(settings: ServerSettings) -> None:
    """Analyze an image of noise and discard it, so that all models are loaded before the first image comes."""
    # there, because who is killed meanwhile leaves it behind, and there the next start removes it
    with tempfile.TemporaryDirectory(dir=DataFolder(settings.data).incoming, prefix="warm-up-") as folder:
        source = Path(folder) / "noise.png"
        Image.fromarray(np.random.default_rng(0).integers(0, 256, (240, 320, 3), dtype=np.uint8)).save(source)
        analyze_folder(source, Path(folder) / "run", *analysis_options("image", settings))


def _predict(work: JobInputs) -> TaskResult | None:
    """Analyze the file; AOIs that the medium has stay, scored on the new densities."""
    name, source, kind = work.medium.name, work.source, work.medium.kind
    # what the file holds decides, and not what the client called it
    if kind == "image" and is_moving(source):
        raise MediumError(f"{name}: is a video or an animation, not an image", code="not_an_image")
    if kind == "video" and not is_moving(source):
        with source.open("rb") as file:
            if sniff(file.read(HEAD_BYTES)) in IMAGE_FORMATS:
                raise MediumError(f"{name}: is an image, not a video", code="not_a_video")
    if work.medium.run is not None and (answers := work.before / ANSWERS_FILE).is_file():
        work.target.mkdir(parents=True)
        shutil.copyfile(answers, work.target / ANSWERS_FILE)
    results: list[TaskResult] = []
    recipe, execution = analysis_options(kind, work.settings, work.objectives())
    analyze_folder(source, work.target, recipe, execution, on_report=results.append)
    for result in results:
        if isinstance(result.outcome, Failed):
            raise _failure(result.outcome)
    if work.medium.run is None:
        return results[0]
    carry_aois(work.target, work.before)
    return None


def _failure(failed: Failed) -> AnalysisError | MediumError:
    if failed.code not in _OUR_FAULT:
        return MediumError(_advised(failed.code, failed.message), code=failed.code)
    error = AnalysisError(failed.message, code=failed.code)
    if failed.trace:
        error.add_note(failed.trace)  # for the log
    return error


def _advised(code: str, message: str) -> str:
    return f"{message.rpartition('; ')[0]}; {_ADVICE[code]}" if code in _ADVICE else message


def _detect(work: JobInputs) -> None:
    """Look for AOIs, with the brand that the objectives name."""
    run = _copied(work)
    objectives = work.objectives()
    if objectives is not None and objectives_differ(run, objectives):  # they were set since, and not rated yet
        apply_objectives(work.target, objectives)
    cores = threads(work.settings)
    changes = detect_aois(work.target, [work.source], aois="all", objectives=objectives, workers=1, threads=cores)
    _check(changes, ())


def _draw(work: JobInputs) -> None:
    """Replace all AOIs by those that a client sent; or take the answer of a review, or take it back."""
    run = _copied(work)
    if "aois" not in work.job.payload:
        _review(work)
        return
    records = [_identified(record, number, work.job) for number, record in enumerate(work.job.payload["aois"])]
    ids = [str(record["aoi_id"]) for record in records]
    twice = [aoi_id for aoi_id, count in Counter(ids).items() if count > 1]
    if twice:
        raise UsageError(f"uuid {twice[0]} stands at more than one AOI; leave it out of new ones", code="aois_invalid")
    drawn = {str(run.media["path"].iloc[0]): records}
    changes = apply_aois(work.target, work.write("drawn_aois.json", json.dumps(drawn)))
    kept = {str(aoi.aoi_id) for areas in read_areas(read_run(work.target)).values() for aoi in areas.aois}
    outside = [f"aois.{number}" for number, aoi_id in enumerate(ids) if aoi_id not in kept]
    if outside:  # the library has left them out; they are named by their places in the client's list
        more = f" and {len(outside) - _MOST_NAMED} more" if len(outside) > _MOST_NAMED else ""
        named = ", ".join(outside[:_MOST_NAMED])
        raise UsageError(f"{named}{more}: outside the medium, in space or in time", code="aoi_outside")
    _check(changes, ("aoi_clipped",))


def _review(work: JobInputs) -> None:
    with open_review(work.target) as review:
        if (answer := work.job.payload.get("answer")) is None:
            _undo(review, work.job.payload["undo"])
            return
        given, (result,) = AnswerBody.model_validate(answer), review.results
        question = f"{result.medium.medium_id}.{given.question.rpartition('.')[2]}"
        facts: dict[str, Any] = {"shown": given.shown, "type": given.type, "brand": given.brand or ""}
        review.answer(question, given.answer, given.numbers, given.boxes, **facts)


def _undo(review: Review, answer_id: str) -> None:
    """Take an answer back; nothing happens where that was done, as by a request of which the reply was lost."""
    answers = read_answers(review.run.path)
    if any(answer.undoes == answer_id for answer in answers):
        return
    if review.last_answer is None or review.last_answer.id != answer_id:
        message = "somebody has answered about this file since, or has changed its areas; load the page again"
        raise UsageError(message, code="nothing_to_undo")
    review.undo()


def _identified(record: Mapping[str, Any], number: int, job: Job) -> Mapping[str, Any]:
    """Give a new AOI an identifier that is unique, and the same if the job is repeated."""
    if record.get("aoi_id") is not None:
        return record
    return {**record, "aoi_id": str(uuid5(job.media_id, f"{job.job_id} {number}"))}


def _check(changes: AoiChanges, tolerated: tuple[str, ...]) -> None:
    """Raise for problems that the library only notes."""
    problems = [problem for _, problem in changes.problems if problem.code not in tolerated]
    if problems:
        message = "; ".join(_advised(problem.code, problem.message) for problem in problems)
        raise MediumError(message, code=problems[0].code)


def _rate(work: JobInputs) -> None:
    """Apply other objectives."""
    _copied(work)
    apply_objectives(work.target, work.objectives())


def _compare(work: JobInputs) -> None:
    """Write the page that compares the medium with another one, under the names that people know."""
    other = work.job.payload["other"]
    other_id, name = UUID(other["media_id"]), other["name"]
    names = (work.medium.name, name if name != work.medium.name else f"{name} (2)")
    pair = distinct_media([read_run(work.before), read_run(work.folder.run(other_id, other["run"]))])
    media = [replace(medium, name=name) for medium, name in zip(pair, names, strict=True)]
    text = render_compare(compare_media(media), medium_previews(media))
    write_atomic(work.folder.comparison(work.medium.media_id, work.before.name, other_id, other["run"]), text.encode())


def _copied(work: JobInputs) -> Run:
    copy_run(work.before, work.target, without=_MADE_AGAIN)
    return read_run(work.target)


_DO: Mapping[JobKind, Callable[[JobInputs], TaskResult | None]] = {
    "predict": _predict,
    "detect": _detect,
    "draw": _draw,
    "rate": _rate,
}
