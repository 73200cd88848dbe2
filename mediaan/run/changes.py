"""Read the AOIs of a finished run, and change them so that each medium holds the old ones or the new, whenever the
process dies."""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.directory import CHANGING_FILE, SCRATCH_FOLDER, hold_run, remove_partial
from mediaan.run.edits import AoiEdit, AoiEditStore, Change, change_key
from mediaan.run.files import RESULT_NAMES, disk_errors, folder_name, part_key, read_json, write_atomic
from mediaan.run.metadata import RunMetadata, dump_json
from mediaan.run.parts import PartStore
from mediaan.run.reader import Run, read_run
from mediaan.run.tables.rows import AREA_TABLES, Row, ScoredAois
from mediaan.run.tables.schema import DERIVED, TABLES
from mediaan.run.tables.writing import TableWriter
from mediaan.storage import LocalStorage
from mediaan.types.aoi import BrandSearch
from mediaan.types.media import Medium


def read_areas(run: Run, *, looks: bool = False) -> dict[UUID, ScoredAois]:
    """Read what the tables say of the areas of each medium of a run; media of which they say nothing are absent.

    `looks`: whether to read the order of looks, too; suggestions are not read.
    """
    tables: dict[str, defaultdict[str, list[Row]]] = {}
    for name in ("aois", "aoi_tracks", "aoi_scores", "absent_aois", *(("looks", "scanpaths") if looks else ())):
        tables[name] = defaultdict(list)
        if name not in DERIVED or (run.path / "tables" / f"{name}.parquet").is_file():
            for row in _table(run.path, name).to_pylist():
                tables[name][row["medium_id"]].append(row)
    searches = brand_searches(run)

    def areas_of(medium_id: str) -> ScoredAois:
        areas = ScoredAois.of(lambda name: tables[name].get(medium_id, []) if name in tables else [])
        return areas._replace(brand=searches.get(UUID(medium_id)))

    ids = (*tables["aois"], *tables["absent_aois"], *tables.get("scanpaths", ()), *map(str, searches))
    return {UUID(medium_id): areas_of(medium_id) for medium_id in dict.fromkeys(ids)}


def brand_searches(run: Run) -> dict[UUID, BrandSearch]:
    """Read the outcomes of the searches for named brands, by medium; absent where there was none.

    A brand that was looked for without being named there has an empty name.
    """
    searches: dict[UUID, BrandSearch] = {}
    for row in _table(run.path, "media", ["path", "medium_id", "brand_found"]).to_pylist():
        if row["brand_found"] is not None:
            search = run.metadata.brand_search(row["path"], is_found=row["brand_found"])
            searches.setdefault(UUID(row["medium_id"]), search)
    return searches


def density_path(run: Run, medium_id: UUID) -> Path:
    """Return the file of the densities of a medium of a run, as `read_densities` reads it.

    Raises UsageError: the run did not keep them.
    """
    changed_ns = (run.path / "tables" / "maps.parquet").stat().st_mtime_ns
    paths = _density_paths(run.path, changed_ns)
    path = run.path / paths[str(medium_id)] if str(medium_id) in paths else None
    if path is None or not path.is_file():
        raise UsageError(
            f"{run.path}: holds no densities of medium {medium_id}; analyze it again without --no-densities",
            code="no_densities",
        )
    return path


@lru_cache(maxsize=1)
def _density_paths(run_dir: Path, changed_ns: int) -> dict[str, str]:
    return {row["medium_id"]: row["path"] for row in _table(run_dir, "maps").to_pylist() if row["map"] == "density"}


def original_pictures(run: Run) -> dict[str, Path]:
    """Return the files of the pictures that a run kept of its media, by medium."""
    rows = run.maps[run.maps["map"] == "original"]
    return {medium_id: run.path / path for medium_id, path in zip(rows["medium_id"], rows["path"], strict=True)}


def map_folders(run_dir: Path, media: Iterable[Medium]) -> dict[UUID, str]:
    """Return the map folder of each medium, relative to the run, whatever the file is called now."""
    wanted = {str(medium.medium_id): medium for medium in media}
    table = _table(run_dir, "maps")
    table = table.filter(pc.is_in(table["medium_id"], pa.array(list(wanted), pa.string())))
    pairs = zip(table["medium_id"].to_pylist(), table["path"].to_pylist(), strict=True)
    folders = {medium_id: path.rpartition("/")[0] for medium_id, path in pairs}
    return {
        medium.medium_id: folders.get(medium_id) or f"maps/{folder_name(medium.name, medium.medium_id)}"
        for medium_id, medium in wanted.items()
    }


def replace_aois(run_dir: Path, edits: Sequence[AoiEdit]) -> None:
    """Put the AOIs of edits, and their scores, in the place of those that the tables of a run hold of the same media.

    Rows stand in the order of the media, whatever the order of the edits; doing it again changes nothing. The tables
    are all whole before the first takes its place.

    Raises SetupError: the disk is full or may not be written to.
    """
    media = _table(run_dir, "media")
    rank: dict[str, int] = {}
    for medium_id in media["medium_id"].to_pylist():
        rank.setdefault(medium_id, len(rank))
    edited = [edit.tables() for edit in edits]
    ids = pa.array([str(edit.medium.medium_id) for edit in edits], pa.string())
    changed = dict(_brand_tables(run_dir, media, edits))
    for name in (*AREA_TABLES, "maps"):
        there = name not in DERIVED or (run_dir / "tables" / f"{name}.parquet").is_file()
        if not there and not any(name in tables for tables in edited):  # of a version that did not know it
            continue
        table = _table(run_dir, name) if there else TABLES[name].empty_table()
        replaced = pc.is_in(table["medium_id"], ids)
        if name == "maps":
            replaced = pc.and_(replaced, pc.is_in(table["map"], pa.array(RESULT_NAMES)))
        rows = [table.filter(pc.invert(replaced))]
        for columns in (tables[name] for tables in edited if name in tables):
            count = len(columns["medium_id"])
            arrays = [pa.array(columns.get(field.name, [None] * count), field.type) for field in TABLES[name]]
            rows.append(pa.table(arrays, TABLES[name]))
        joined = pa.concat_tables(rows)
        order = [rank[medium_id] for medium_id in joined["medium_id"].to_pylist()]
        changed[name] = joined.take(pa.array(sorted(range(len(order)), key=order.__getitem__), pa.int64()))
    with disk_errors(run_dir / "tables"), ExitStack() as stack:
        writers = {name: stack.enter_context(TableWriter(run_dir / "tables", name)) for name in changed}
        for name, writer in writers.items():
            for batch in changed[name].to_batches():
                writer.add_batch(batch)
            writer.finish()
        for writer in writers.values():
            writer.publish()


def _brand_tables(run_dir: Path, media: pa.Table, edits: Sequence[AoiEdit]) -> Iterator[tuple[str, pa.Table]]:
    """Yield the tables on found brands, where edits change them."""
    by_id = {str(edit.medium.medium_id): edit for edit in edits}
    ids = media["medium_id"].to_pylist()
    problems = _table(run_dir, "problems")
    kept = [
        row
        for row in problems.to_pylist()
        if row["medium_id"] not in by_id or row["code"] not in by_id[row["medium_id"]].outdated_codes
    ]
    paths = media["path"].to_pylist()
    new = [row for path, m in zip(paths, ids, strict=True) if m in by_id for row in by_id[m].brand_warnings(path)]
    place = {path: i for i, path in enumerate(paths)}
    rows = sorted([*kept, *new], key=lambda row: place[row["path"]])
    if rows != problems.to_pylist():
        yield "problems", pa.Table.from_pylist(rows, TABLES["problems"])
    columns = {medium_id: edit.brand_columns() for medium_id, edit in by_id.items()}
    changed = media
    for name in ("brand_found", "brand_attention"):
        before = media[name].to_pylist()
        now = [columns[m][name] if m in columns else value for m, value in zip(ids, before, strict=True)]
        if now != before:
            column = media.schema.get_field_index(name)
            changed = changed.set_column(
                column, media.schema.field(column), pa.array(now, media.schema.field(column).type)
            )
    if changed is not media:
        yield "media", changed


def _table(run_dir: Path, name: str, columns: list[str] | None = None) -> pa.Table:
    return pq.read_table(run_dir / "tables" / f"{name}.parquet", schema=TABLES[name], columns=columns)


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
