"""Change the AOIs of a finished run so that each medium holds the old ones or the new, whenever the process dies."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

from mediaan.run.aois.edits import AoiEdit, AoiEditStore, Change, ScoredAois, change_key
from mediaan.run.aois.tables import map_folders, replace_aois
from mediaan.run.directory import CHANGING_FILE, SCRATCH_FOLDER, remove_partial
from mediaan.run.files import read_json, write_atomic
from mediaan.run.lock import hold_run
from mediaan.run.metadata import RunMetadata, dump_json
from mediaan.run.part_key import part_key
from mediaan.run.parts import PartStore
from mediaan.run.reader import Run, read_run
from mediaan.storage import LocalStorage
from mediaan.types.media import Medium

_STAGING = "edits"


@contextmanager
def open_for_change(run_dir: str | Path) -> Iterator[Run]:
    """Hold a finished run to change it; a change that was cut off is carried to its end first.

    Raises UsageError: no finished run; someone else is writing it (``run_locked``).
    """
    run = read_run(run_dir)
    scratch = run.path / SCRATCH_FOLDER
    with hold_run(run.path):
        shutil.rmtree(scratch / _STAGING, ignore_errors=True)
        try:
            remove_partial(run.path)
            finish_change(run)
            yield read_run(run_dir)
        finally:  # claims in the folder around it are an analysis's to judge
            shutil.rmtree(scratch / _STAGING, ignore_errors=True)
            with suppress(OSError):
                scratch.rmdir()  # if nothing else lies there


@contextmanager
def change_aois(
    run: Run,
    scored: Sequence[tuple[Medium, float, ScoredAois]],
    metadata: RunMetadata,
    history: Sequence[Change] = (),
) -> Iterator[None]:
    """Put AOIs in the place of those that a run holds of the same media; inside, make again what follows from them.

    `run`: held by `open_for_change`.
    `scored`: sequence of (Medium, exposure_s, ScoredAois).
    `metadata`: contents of ``run.json`` from now on, but for its entries about AOIs.
    `history`: what made them: entries of ``aoi_changes`` that are new; none where only their scores are others.
    """
    interrupted = _changing(run.path)
    attempted = interrupted["changes"] if interrupted else []
    begun = {change_key({**attempt, "at": None}): attempt["at"] for attempt in reversed(attempted)}
    # a change that was cut off keeps the time of its first attempt: it is one change
    changes = [{**change, "at": begun.get(change_key({**change, "at": None}), change["at"])} for change in history]
    store = AoiEditStore(place_of(run.path))
    store.discard()
    edits = list(_edits(run, scored, changes))
    for edit in edits:
        store.stage(edit)
    names = {change_key(change) for change in changes}
    before = [change for change in metadata.aoi_changes if change_key(change) not in names]
    new = [{**change, "media": change.get("media", len(edits))} for change in changes]
    changed = metadata.updated(aoi_changes=[*before, *new]) if before or new else metadata
    decided = dump_json({"changes": changes, "facts": changed.facts})
    write_atomic(run.path / CHANGING_FILE, decided)  # from here on it is carried out, even if we die
    _execute_change(run.path, edits, changed)
    yield
    end_change(run.path)


def end_change(run_dir: Path) -> None:
    """Say that all that follows from AOIs was made again."""
    (run_dir / CHANGING_FILE).unlink(missing_ok=True)


def place_of(run_dir: Path) -> LocalStorage:
    """Return the run as a place; unfinished files lie where `open_for_change` removes them."""
    return LocalStorage(run_dir, run_dir / SCRATCH_FOLDER / _STAGING)


def finish_change(run: Run) -> None:
    """Carry out a change that was decided and then cut off; what follows from AOIs is for the next change to make."""
    store, changing = AoiEditStore(place_of(run.path)), _changing(run.path)
    if changing is not None:
        store.publish()
        media = {UUID(medium_id) for medium_id in run.media["medium_id"].dropna()}
        _execute_change(
            run.path,
            [edit for edit in store.all() if edit.medium.medium_id in media],
            RunMetadata.parse(changing["facts"]),
        )
    store.discard()


def _execute_change(run_dir: Path, edits: Sequence[AoiEdit], metadata: RunMetadata) -> None:
    storage = place_of(run_dir)
    AoiEditStore(storage).publish()
    if edits:
        replace_aois(run_dir, edits)
    for edit in edits:
        edit.write_results(storage)
    metadata.write(run_dir)


def _edits(
    run: Run, scored: Sequence[tuple[Medium, float, ScoredAois]], history: Sequence[Change]
) -> Iterator[AoiEdit]:
    parts, edits = PartStore(place_of(run.path)), AoiEditStore(place_of(run.path))
    folders = map_folders(run.path, (medium for medium, *_ in scored))
    edited, new = edits.ids(), {change_key(change) for change in history}
    for medium, exposure_s, aois in scored:
        medium_id = str(medium.medium_id)
        part = parts.of_medium(part_key(str(run.metadata.recipe_id), medium_id))
        key = part.key if part else None
        earlier = edits.read(medium_id) if medium_id in edited else None
        before = earlier.changes if earlier is not None and earlier.part == key else ()
        changes = (*(change for change in before if change_key(change) not in new), *history)
        yield AoiEdit(medium, folders[medium.medium_id], key, exposure_s, changes, aois)


def _changing(run_dir: Path) -> dict[str, Any] | None:
    """Read the change that is under way or was cut off; an unreadable one was not committed."""
    try:
        changing: dict[str, Any] = read_json(run_dir / CHANGING_FILE)
    except (OSError, ValueError):
        return None
    return changing
