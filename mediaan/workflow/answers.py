"""Bring a run up to what people answered in a review: areas, brands, and all that follows from them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from mediaan.run import Run
from mediaan.run.answers import (
    ANSWERED,
    Areas,
    ReviewAnswer,
    append_answers,
    apply_answer,
    by_medium,
    in_force,
    read_answers,
    undo_answer,
)
from mediaan.run.changes import brand_searches, open_for_change, place_of, read_areas
from mediaan.run.directory import CHANGING_FILE
from mediaan.run.edits import AoiEditStore
from mediaan.run.files import part_key
from mediaan.run.metadata import pack_objectives
from mediaan.run.parts import PartStore
from mediaan.run.results import analyzed_media
from mediaan.run.tables.rows import ScoredAois
from mediaan.types.aoi import Brand, BrandSearch
from mediaan.types.media import Medium
from mediaan.workflow.derived import Scored, keep_changes, scored_aois, timestamped


def refresh_answers(run_dir: str | Path, *, analyzed: bool = False) -> int:
    """Put what people answered in the tables of a finished run, with all that follows from it; no model runs.

    Areas that are detected again, by another model or with another brand, keep confirmed ones in place.

    `analyzed`: whether an analysis has just written the tables, edits included.
    Returns: of how many media the areas changed.
    Raises UsageError, SetupError: no run, someone else is writing it, or it kept no densities of a medium that was
        answered about.
    """
    answers = read_answers(Path(run_dir))
    if not answers:
        return 0
    with open_for_change(run_dir) as run:
        was_cut_off = (run.path / CHANGING_FILE).is_file()  # what follows from the areas may not have been made
        if run.facts.get(ANSWERED) == answers[-1].id and not was_cut_off:
            return 0
        run = with_brands(run, answers)
        changed = list(_changed_media(run, by_medium(answers), analyzed=analyzed))
        before = run.metadata.facts.get("objectives")
        if changed or was_cut_off or not analyzed or before != run.metadata.facts.get("objectives"):
            history = [timestamped(answered=len(in_force(answers)))] if changed else []
            keep_changes(run, changed, {ANSWERED: answers[-1].id}, history)
        else:
            run.metadata.updated(**{ANSWERED: answers[-1].id}).write(run.path)
    return len(changed)


def _changed_media(
    run: Run, answers: Mapping[str, Sequence[ReviewAnswer]], *, analyzed: bool
) -> list[tuple[Medium, ScoredAois]]:
    """Return media whose areas in the tables are not yet those that people answered."""
    changed: list[tuple[Medium, ScoredAois]] = []
    tables = read_areas(run)
    edits, parts = AoiEditStore(place_of(run.path)), PartStore(place_of(run.path))
    edited = edits.ids()
    for path, medium in analyzed_media(run):
        medium_id = str(medium.medium_id)
        of_medium = answers.get(medium_id)
        if of_medium is None:
            continue
        edit = edits.read(medium_id) if medium_id in edited else None
        part = parts.of_medium(part_key(str(run.metadata.recipe_id), medium_id))
        in_tables = tables.get(medium.medium_id, ScoredAois())
        before, left = in_tables, of_medium
        if edit is not None and edit.part == (part.key if part else None):
            if edit.scored.answer == of_medium[-1].id:
                if not analyzed:
                    changed.append((medium, edit.scored))
                continue
            before, left = edit.scored, _after(of_medium, edit.scored.answer)
        sought = Brand.of_objective(run.metadata.objective(path))
        areas = replay((before.aois, before.absent), left, of_medium)
        scored = scored_answers(run, path, medium, areas, in_tables.brand, sought)
        changed.append((medium, scored._replace(answer=of_medium[-1].id)))
    return changed


def scored_answers(
    run: Run, path: str, medium: Medium, areas: Areas, search: BrandSearch | None, sought: Brand | None
) -> ScoredAois:
    """Score the areas that people left a medium with, and say whether the brand that is `sought` is among them.

    Raises UsageError: the run kept no densities.
    """
    aois, absent = areas
    searched = "branding" in absent or (search is not None and sought is not None and search.brand == sought.name)
    brand = BrandSearch.among(sought, aois, searched=searched)
    return scored_aois(run, path, medium, aois, brand, absent)


def with_answers(run: Run, aois: Scored) -> list[tuple[Medium, ScoredAois]]:
    """Put what people answered in areas that were just detected."""
    paths = {medium.medium_id: path for path, medium in analyzed_media(run)}
    answers, searches = by_medium(read_answers(run.path)), brand_searches(run)
    combined = []
    for medium, detected in aois:
        if of_medium := answers.get(str(medium.medium_id)):
            areas = replay((detected.aois, detected.absent), of_medium, of_medium)
            path = paths[medium.medium_id]
            sought = Brand.of_objective(run.metadata.objective(path))
            scored = scored_answers(run, path, medium, areas, searches.get(medium.medium_id), sought)
            combined.append((medium, scored._replace(answer=of_medium[-1].id)))
        else:
            combined.append((medium, detected))
    return combined


def keep_answers(run: Run, aois: Scored) -> tuple[list[tuple[Medium, ScoredAois]], dict[str, Any]]:
    """Write down what is confirmed in areas of a file, which takes the place of what people answered before.

    Returns
    -------
    list of (Medium, ScoredAois)
        With the ids of these answers.
    dict
        Entries of ``run.json``.
    """
    before = by_medium(read_answers(run.path))
    answers = []
    for medium, scored in aois:
        confirmed = tuple(replace(aoi, scores=()) for aoi in scored.aois if aoi.confirmed)
        types = dict.fromkeys([*(aoi.type for aoi in confirmed), *sorted(scored.absent)])
        if types or str(medium.medium_id) in before:
            answers.append(ReviewAnswer("file", str(medium.medium_id), tuple(types), confirmed))
    written = {answer.medium_id: answer.id for answer in append_answers(run.path, answers)} if answers else {}
    kept = [(medium, scored._replace(answer=written.get(str(medium.medium_id)))) for medium, scored in aois]
    return kept, {ANSWERED: list(written.values())[-1]} if written else {}


def _after(answers: Sequence[ReviewAnswer], answer: str | None) -> list[ReviewAnswer]:
    """Return the answers after one; all where it is not among them."""
    at = next((number for number, earlier in enumerate(answers, 1) if earlier.id == answer), 0)
    return list(answers[at:])


def replay(areas: Areas, left: Sequence[ReviewAnswer], answers: Sequence[ReviewAnswer]) -> Areas:
    """Apply answers to the areas of a medium, in order.

    `areas`: before them.
    `left`: those that the areas do not hold yet.
    `answers`: all about the medium, since some of `left` may undo one that the areas hold.
    """
    of_files = [number for number, answer in enumerate(left) if answer.kind == "file"]
    left = left[of_files[-1] if of_files else 0 :]
    ids = {answer.id for answer in left}
    undone = {answer.undoes for answer in left if answer.kind == "undo"}
    by_id = {answer.id: answer for answer in answers}
    for answer in left:
        if answer.kind != "undo":
            areas = areas if answer.id in undone else apply_answer(*areas, answer)
        elif answer.undoes not in ids and (earlier := by_id.get(answer.undoes)) is not None:
            areas = undo_answer(*areas, earlier)
    return areas


def with_brands(run: Run, answers: Sequence[ReviewAnswer]) -> Run:
    """Return a run whose objectives name the brands that people gave the files of folders that named none."""
    named = [answer for answer in in_force(answers) if answer.brand and answer.folder]
    taken_back = {answer.undoes for answer in _after(answers, run.facts.get(ANSWERED)) if answer.kind == "undo"}
    undone = [answer for answer in answers if answer.id in taken_back and answer.folder]
    if not named and not undone:
        return run
    objectives: list[tuple[str, Mapping[str, Any]]] = []
    for path, medium_id in zip(run.media["path"], run.media["medium_id"], strict=True):
        objective = dict(run.metadata.objective(path))
        for answer in undone:
            if medium_id in answer.media and (objective.get("brand") or {}).get("name") == answer.brand:
                objective.pop("brand")
        for answer in named:
            concerns = medium_id in answer.media or folder_of(path) == answer.folder
            if concerns and not objective.get("brand"):
                objective["brand"] = {"name": answer.brand, "aliases": [], "logos": []}
        objectives.append((path, objective))
    return Run(run.path, run.metadata.updated(objectives=pack_objectives(objectives)))


def folder_of(path: str) -> str:
    """Return the folder of a path as tables show it, with its last slash; ``./`` for a file without any."""
    return path[: path.rfind("/") + 1] or "./"
