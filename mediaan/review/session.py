"""Answer the questions of a run: each answer is kept at once, and its medium scored and judged again."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any
from uuid import uuid5

from mediaan.brand.campaign import brand_proposals
from mediaan.config.rules import rules_of_run
from mediaan.errors import UsageError
from mediaan.judge.checks import check_specs, derived_expressions, evaluate_checks
from mediaan.judge.questions import (
    ASKED_TYPES,
    Proposal,
    Question,
    area_dicts,
    ask,
    is_answered,
    proposals,
    question_about,
    verdict_dict,
)
from mediaan.judge.rules.derived import needed_tables
from mediaan.judge.verdict import verdict_of
from mediaan.run import Run, read_run
from mediaan.run.answers import (
    Areas,
    ReviewAnswer,
    append_answers,
    apply_answer,
    in_force,
    read_answers,
    undo_answer,
    with_before,
)
from mediaan.run.changes import brand_searches, map_folders, place_of
from mediaan.run.directory import hold_run
from mediaan.run.edits import AoiEdit, AoiEditStore
from mediaan.run.files import part_key
from mediaan.run.parts import PartStore
from mediaan.run.tables.rows import ScoredAois
from mediaan.types.aoi import AOI_TYPES, Aoi, AoiType, Box
from mediaan.types.arguments import as_path
from mediaan.types.result import Result
from mediaan.types.review import AnswerName, by_value
from mediaan.workflow.answers import folder_of, refresh_answers, scored_answers
from mediaan.workflow.ranges import check_rating, rules_for

_OPEN = ("open", "unknown")
"""Verdicts that decide nothing."""

_TABLES = ("proposals", "aoi_tracks", "checks", "rule_results", "maps")

_PATIENCE_S = 0.2
"""For so long an answer waits for the verdicts of other media."""

_LONGEST_NAME = 200
"""Characters of a brand."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a review is."""

    answered: int
    """Questions that were answered."""
    left: int
    """Questions that are open."""
    undecided: int
    """Media without a verdict, or undecided."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What an answer, or its undo, has changed."""

    medium_id: str
    questions: tuple[str, ...]
    """Ids of questions that are gone, new, or asked in other words."""
    progress: Progress


class Review:
    """The review of one run; see `open_review`.

    Parameters
    ----------
    run : Run
        Held for writing, with all earlier answers in its tables.
    """

    def __init__(self, run: Run) -> None:
        self.run = run
        self._rules = rules_for(run, settings) if (settings := rules_of_run(run.metadata.rules)) else None
        expressions = [*derived_expressions(check_specs()), *(rule.expression for rule in settings)]
        tables = list(dict.fromkeys((*needed_tables(expressions)[0], *_TABLES)))
        self._results: dict[str, Result] = {}
        for result in run.results(tables):
            self._results.setdefault(str(result.medium.medium_id), result)
        self._answers = read_answers(run.path)
        self._searches = brand_searches(run)
        self._folders = map_folders(run.path, (result.medium for result in self._results.values()))
        self._parts, self._edits = PartStore(place_of(run.path)), AoiEditStore(place_of(run.path))
        self._questions = {medium_id: ask(result) for medium_id, result in self._results.items()}
        self._stale: dict[str, None] = {}
        self._advertisers = {path: proposal for proposal in brand_proposals(run) for path in proposal.paths}

    @property
    def results(self) -> list[Result]:
        """The media as they stand now, answers included."""
        return list(self._results.values())

    @property
    def questions(self) -> list[Question]:
        """Open questions, those of a medium together: the media with the most valuable question first."""
        return by_value(
            (question for questions in self._questions.values() for question in questions),
            lambda question: question.medium_id,
            lambda question: question.rank,
        )

    @property
    def progress(self) -> Progress:
        """How far the review is."""
        answered = sum(is_answered(result, aoi_type) for result in self._results.values() for aoi_type in ASKED_TYPES)
        left = sum(map(len, self._questions.values()))
        return Progress(answered, left, sum(result.verdict in _OPEN for result in self._results.values()))

    def result(self, medium_id: str) -> Result:
        """Return a medium as it stands now, answers included.

        Raises
        ------
        UsageError
            There is no such medium.
        """
        if medium_id not in self._results:
            raise UsageError(f"no medium {medium_id!r} in {self.run.path}", code="unknown_medium")
        return self._results[medium_id]

    def to_dict(self) -> dict[str, Any]:
        """Return the questions and the progress, ready for JSON; ``others`` are those that are not open."""
        self.settle(_PATIENCE_S)
        dicts = {question["id"]: question for medium_id in self._results for question in self._all_about(medium_id)}
        return {
            "title": self.run.path.resolve().name,
            "progress": asdict(self.progress),
            "questions": [dicts.pop(question.id) for question in self.questions],
            "others": list(dicts.values()),
        }

    def answered_dict(self, answered: Answered) -> dict[str, Any]:
        """Return what an answer has changed, ready for JSON."""
        result = self._results[answered.medium_id]
        return {
            "medium": {"medium_id": answered.medium_id, "verdict": verdict_dict(result), "areas": area_dicts(result)},
            "questions": list(answered.questions),
            "about": self._all_about(answered.medium_id),
            "progress": asdict(answered.progress),
        }

    def picture(self, medium_id: str) -> Path | None:
        """Return the file of the picture that a run keeps of a medium; None where it kept none."""
        pictures = self.result(medium_id).pictures
        files: Mapping[str, Path] = getattr(pictures, "files", {})
        return next((files[name] for name in ("original", *files) if name in files), None)

    def answer(
        self,
        question: str,
        answer: AnswerName,
        numbers: Sequence[int] = (),
        boxes: Sequence[Sequence[float]] = (),
        *,
        shown: Sequence[Sequence[float]] = (),
        type: AoiType | None = None,
        brand: str = "",
    ) -> Answered:
        """Answer a question; when this returns the answer is on the disk.

        Parameters
        ----------
        question : str
            Id of a question, open or answered before.
        answer : {'pick', 'none', 'draw', 'confirm_all', 'brand_for_folder'}
            ``pick``: the proposals with these numbers are its areas, and no others. ``draw``: these boxes are, with the
            numbered ones. ``none``: there is no such area. ``confirm_all``: the areas of the types that are asked
            about are right, and none is missing. ``brand_for_folder``: the brand of the files in the folder of
            the medium that name none, perhaps with numbers or boxes of its mark.
        boxes : sequence of (x, y, width, height)
            Unit coordinates.
        shown : sequence of (x, y, width, height)
            Proposals that the numbers count, where others may have changed the areas since; otherwise those of now.
        type : str, optional
            Type that the answer is about, if not that of the question.
        brand : str
            Name of the brand: for the folder, or of the areas that are picked or drawn.

        Raises
        ------
        UsageError
            ``bad_answer``: it fits no such question; what is wrong is said.
        """
        medium_id, _, asked = question.rpartition(".")
        if medium_id not in self._results or asked not in AOI_TYPES:
            raise UsageError(f"there is no question {question!r}", code="unknown_question")
        about = asked if type is None else type
        if about not in AOI_TYPES:
            raise _bad(f"no AOI type is called {about!r}; there are {', '.join(AOI_TYPES)}")
        brand = brand.strip()
        if len(brand) > _LONGEST_NAME:
            raise _bad(f"the name of a brand has at most {_LONGEST_NAME} characters")
        result = self._results[medium_id]
        numbers = _numbers_now(numbers, shown, proposals(result, asked)) if shown else numbers
        written = self._as_answer(result, asked, about, answer, numbers, boxes, brand)
        written = with_before(written, result.aois or (), result.absent)
        areas = apply_answer(result.aois or (), result.absent, written) if written.types else None
        return self._take(written, areas, written.brand if written.folder else None)

    @property
    def last_answer(self) -> ReviewAnswer | None:
        """The answer that `undo` takes back; None where there is none."""
        kept = in_force(self._answers)
        return kept[-1] if kept and kept[-1].kind != "file" and kept[-1].medium_id in self._results else None

    def undo(self) -> Answered:
        """Take back the last answer that was not undone.

        Raises
        ------
        UsageError
            ``nothing_to_undo``.
        """
        if (last := self.last_answer) is None:
            raise UsageError("there is no answer to undo", code="nothing_to_undo")
        result = self._results[last.medium_id]
        areas = undo_answer(result.aois or (), result.absent, last) if last.types else None
        undo = ReviewAnswer("undo", last.medium_id, media=last.media, undoes=last.id)
        return self._take(undo, areas, "" if last.folder else None)

    def _as_answer(
        self,
        result: Result,
        asked: AoiType,
        about: AoiType,
        answer: AnswerName,
        numbers: Sequence[int],
        boxes: Sequence[Sequence[float]],
        brand: str,
    ) -> ReviewAnswer:
        medium_id = str(result.medium.medium_id)
        if answer == "none":
            return ReviewAnswer("none", medium_id, (about,))
        if answer == "confirm_all":
            areas = tuple(_confirmed(aoi, aoi.type) for aoi in result.aois or () if aoi.type in ASKED_TYPES)
            return ReviewAnswer("confirm_all", medium_id, ASKED_TYPES, areas)
        if answer not in ("pick", "draw", "brand_for_folder"):
            raise _bad(f"no answer is called {answer!r}")
        areas = self._areas(result, asked, about, numbers, boxes, brand)
        if answer != "brand_for_folder":
            if not areas:
                raise _bad("give the numbers of proposals, or boxes; or answer none")
            return ReviewAnswer(answer, medium_id, (about,), areas)
        if not brand:
            raise _bad("give the name of the brand")
        folder = folder_of(result.path)
        media = tuple(
            other_id
            for other_id, other in self._results.items()
            if folder_of(other.path) == folder and not other.objective.get("brand")
        )
        return ReviewAnswer(
            "brand_for_folder", medium_id, (about,) if areas else (), areas, brand=brand, folder=folder, media=media
        )

    def _areas(
        self,
        result: Result,
        asked: AoiType,
        about: AoiType,
        numbers: Sequence[int],
        boxes: Sequence[Sequence[float]],
        brand: str,
    ) -> tuple[Aoi, ...]:
        """Return the areas that numbers and boxes stand for, confirmed."""
        offered = proposals(result, asked)
        label = (brand or (result.brand.name if result.brand else "")) if about == "branding" else ""
        areas: dict[Any, Aoi] = {}
        for number in dict.fromkeys(numbers):
            if not 1 <= number <= len(offered):
                raise _bad(f"there is no proposal {number}; there are {len(offered)}")
            proposal = offered[number - 1]
            if proposal.area is not None:
                aoi = _confirmed(proposal.area, about)
                aoi = replace(aoi, label=label or aoi.label)
            else:
                aoi = self._new(result, about, label or proposal.label, proposal.box, proposal.method)
            areas[aoi.aoi_id] = aoi
        for sides in boxes:
            aoi = self._new(result, about, label, _box(sides), "drawn")
            areas[aoi.aoi_id] = aoi
        return tuple(areas.values())

    def _new(self, result: Result, aoi_type: AoiType, label: str, box: Box, method: Any) -> Aoi:
        place = " ".join(f"{side:.4f}" for side in box)
        aoi_id = uuid5(result.medium.medium_id, f"answer {aoi_type} {place}")
        return Aoi(aoi_id, aoi_type, label, box, None, method, confirmed=True)

    def _take(self, answer: ReviewAnswer, areas: Areas | None, brand: str | None) -> Answered:
        """Keep an answer, then score and judge again what it concerns.

        Parameters
        ----------
        areas : Areas or None
            Of its medium from now on; None where they stay.
        brand : str or None
            Of its media from now on, empty for none; None where they keep theirs.
        """
        medium_id = answer.medium_id
        renamed: dict[str, Result] = {}
        for other_id in answer.media if brand is not None else ():
            if (other := self._results.get(other_id)) is not None:
                objective = {key: value for key, value in other.objective.items() if key != "brand"}
                named = {"brand": {"name": brand, "aliases": [], "logos": []}} if brand else {}
                renamed[other_id] = replace(other, objective=objective | named)
        result, scored = renamed.get(medium_id, self._results[medium_id]), None
        if areas is not None:  # before the answer is kept: one that cannot be scored could never be completed
            search = self._searches.get(result.medium.medium_id)
            scored = scored_answers(self.run, result.path, result.medium, areas, search, result.brand)
        (answer,) = append_answers(self.run.path, [answer])
        self._answers.append(answer)
        self._results |= renamed
        if scored is not None:
            self._keep(result, scored._replace(answer=answer.id))
        changed = self._judge(medium_id)
        others = [other_id for other_id in renamed if other_id != medium_id]
        changed += [question.id for other_id in others for question in self._questions[other_id]]
        self._stale |= dict.fromkeys(others)
        self.settle(_PATIENCE_S)
        return Answered(medium_id, tuple(changed), self.progress)

    def settle(self, seconds: float = math.inf) -> bool:
        """Judge media whose brand was named with that of their folder, for so long; return whether all are judged."""
        until = time.monotonic() + seconds
        while self._stale and time.monotonic() < until:
            medium_id = next(iter(self._stale))
            self._judge(medium_id)
            del self._stale[medium_id]
        return not self._stale

    def _keep(self, result: Result, scored: ScoredAois) -> None:
        """Keep scored areas as the edit of their medium."""
        run, medium_id = self.run, str(result.medium.medium_id)
        part = self._parts.of_medium(part_key(str(run.metadata.recipe_id), medium_id))
        key = part.key if part else None
        earlier = self._edits.read(medium_id)
        changes = earlier.changes if earlier is not None and earlier.part == key else ()
        folder = self._folders[result.medium.medium_id]
        self._edits.stage(AoiEdit(result.medium, folder, key, run.metadata.exposure_s(result.path), changes, scored))
        self._edits.publish()
        answered = scored.absent | {aoi.type for aoi in scored.aois if aoi.confirmed}
        self._results[medium_id] = replace(
            result,
            aois=scored.aois,
            absent=scored.absent,
            looked_for=result.looked_for | answered,
            brand_found=scored.brand_found,
            brand_attention=scored.brand_attention,
            looks=scored.looks,
        )

    def _judge(self, medium_id: str) -> list[str]:
        """Judge a medium and ask about it again; return the ids of questions that are gone, new or other ones."""
        result = self._results[medium_id]
        result = replace(result, rules=tuple(self._rules(result)) if self._rules else ())
        checks = evaluate_checks(result)
        self._results[medium_id] = replace(result, checks=checks, verdict=verdict_of(checks, result.rules))
        before = {question.id: question for question in self._questions[medium_id]}
        self._questions[medium_id] = ask(self._results[medium_id])
        after = {question.id: question for question in self._questions[medium_id]}
        return [name for name in {**before, **after} if before.get(name) != after.get(name)]

    def _all_about(self, medium_id: str) -> list[dict[str, Any]]:
        """Return the questions about all types of areas of a medium, open or not."""
        result = self._results[medium_id]
        if result.moves:
            return []
        about_medium = {
            "medium_id": medium_id,
            "path": result.path,
            "folder": folder_of(result.path),
            "picture": f"picture/{medium_id}",
            "width": result.medium.width,
            "height": result.medium.height,
            "brand": result.brand.name if result.brand else "",
            "verdict": verdict_dict(result),
            "areas": area_dicts(result),
        }
        of_type = {question.type: question for question in self._questions[medium_id]}
        dicts = []
        for aoi_type in ASKED_TYPES:
            question = of_type.get(aoi_type) or question_about(result, aoi_type)
            why = question.why
            if aoi_type == "branding" and not result.brand and (proposal := self._advertisers.get(result.path)):
                why = f"{why} {proposal.text} If so, name it for the folder (B)."
            stands = {"why": why, "open": aoi_type in of_type, "answered": is_answered(result, aoi_type)}
            dicts.append(question.data | stands | about_medium)
        return dicts


@contextmanager
def open_review(run_dir: str | Path) -> Iterator[Review]:
    """Review a finished run; nobody else writes it meanwhile.

    Each answer is on the disk at once. The tables and the report follow when the review is closed, or, where the
    process died, when the run is next reviewed, changed or analyzed.

    Raises
    ------
    UsageError
        No finished run; someone else is writing it; it kept no densities to score areas on.
    """
    run = read_run(as_path(run_dir, "run_dir"))
    with hold_run(run.path):
        check_rating(run)
        if not run.metadata.recipe.densities:
            raise UsageError(
                f"{run.path}: kept no densities on which answers could be scored; analyze it again without "
                "--no-densities",
                code="no_densities",
            )
        refresh_answers(run.path)
        try:
            yield Review(read_run(run.path))
        finally:
            refresh_answers(run.path)


def questions(run: Run | str | Path) -> list[dict[str, Any]]:
    """Return the open questions about the areas of a run, the most valuable first.

    Returns
    -------
    list of dict
        ``id``, ``medium_id``, ``path``, ``type``, ``text``, ``why``, ``proposals`` (each with ``number``, ``box`` as x,
        y, width and height in unit coordinates, ``type``, ``label``, ``confidence``) and ``areas``; see docs/review.md.
    """
    with open_review(_path(run)) as review:
        listed: list[dict[str, Any]] = review.to_dict()["questions"]
    return listed


def answer(
    run: Run | str | Path,
    question: str,
    answer: AnswerName,
    numbers: Sequence[int] = (),
    boxes: Sequence[Sequence[float]] = (),
    *,
    type: AoiType | None = None,
    brand: str = "",
) -> dict[str, Any]:
    """Answer one question of a run, and bring its tables and report up to it; for many, use `open_review`.

    Parameters and errors are those of `Review.answer`.

    Returns
    -------
    dict
        ``medium`` with its ``verdict`` and ``areas``, ``questions`` that are gone or changed, and ``progress``.
    """
    with open_review(_path(run)) as review:
        return review.answered_dict(review.answer(question, answer, numbers, boxes, type=type, brand=brand))


def undo(run: Run | str | Path) -> dict[str, Any]:
    """Take back the last answer of a run; returns what `answer` does."""
    with open_review(_path(run)) as review:
        return review.answered_dict(review.undo())


def _path(run: Run | str | Path) -> str | Path:
    return run.path if isinstance(run, Run) else run


def _numbers_now(
    numbers: Sequence[int], shown: Sequence[Sequence[float]], offered: Sequence[Proposal]
) -> tuple[int, ...]:
    """Return the numbers that proposals have now which were shown under other ones.

    Raises UsageError: ``bad_answer``: one is none any more.
    """
    now = {tuple(proposal.to_dict(number)["box"]): number for number, proposal in enumerate(offered, 1)}
    places = {number: tuple(box) for number, box in enumerate(shown, 1)}
    if gone := [number for number in numbers if places.get(number) not in now]:
        raise _bad(f"there is no proposal {gone[0]} any more; the areas were changed meanwhile: look again")
    return tuple(now[places[number]] for number in numbers)


def _confirmed(aoi: Aoi, aoi_type: AoiType) -> Aoi:
    return replace(aoi, type=aoi_type, confidence=None, confirmed=True, scores=())


def _box(sides: Sequence[float]) -> Box:
    if len(sides) != 4 or not all(0 <= side <= 1 for side in sides):
        raise _bad("a box is [x, y, width, height] in unit coordinates, 0-1 from the top-left corner")
    x, y, width, height = sides
    box = Box(x, y, x + width, y + height).clipped()
    if box.area <= 0:
        raise _bad("a box needs a width and a height")
    return box


def _bad(what: str) -> UsageError:
    return UsageError(what, code="bad_answer")
