"""AOIs of a finished run: read back, and replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from functools import lru_cache
from pathlib import Path
from typing import Any
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.aoi_rows import aois_of
from mediaan.run.brand_results import RESULT_NAMES
from mediaan.run.edits import Edit
from mediaan.run.files import disk_errors, folder_name
from mediaan.run.reader import Run
from mediaan.run.schema import TABLES
from mediaan.run.tables import TableWriter
from mediaan.types.aoi import Aoi
from mediaan.types.media import Medium

_EDITED = ("aoi_tracks", "aois", "aoi_scores", "maps")


def read_aois(run: Run) -> dict[UUID, tuple[Aoi, ...]]:
    """AOIs of every medium of a run, by medium; media without any are absent."""
    found: dict[UUID, list[Aoi]] = {}
    for medium_id, aoi in aois_of(_rows(run.path, "aois"), _rows(run.path, "aoi_tracks")):
        found.setdefault(medium_id, []).append(aoi)
    return {medium_id: tuple(aois) for medium_id, aois in found.items()}


def density_path(run: Run, medium_id: UUID) -> Path:
    """File of the densities of a medium of a run, as `mediaan.maps.store` reads it.

    Raises
    ------
    UsageError
        The run did not keep them.
    """
    paths = _density_paths(run.path)
    path = run.path / paths[str(medium_id)] if str(medium_id) in paths else None
    if path is None or not path.is_file():
        raise UsageError(
            f"{run.path}: holds no densities of medium {medium_id}; analyse it again without --no-densities",
            code="no_densities",
        )
    return path


@lru_cache(maxsize=1)
def _density_paths(run_dir: Path) -> dict[str, str]:
    return {row["medium_id"]: row["path"] for row in _rows(run_dir, "maps") if row["map"] == "density"}


def map_folders(run_dir: Path, media: Iterable[Medium]) -> dict[UUID, str]:
    """Folder of the maps of each medium, relative to the run: where they lie, whatever the file is called now."""
    wanted = {str(medium.medium_id): medium for medium in media}
    table = _table(run_dir, "maps")
    table = table.filter(pc.is_in(table["medium_id"], pa.array(list(wanted), pa.string())))
    pairs = zip(table["medium_id"].to_pylist(), table["path"].to_pylist(), strict=True)
    known = {medium_id: path.rpartition("/")[0] for medium_id, path in pairs}
    return {
        medium.medium_id: known.get(medium_id) or f"maps/{folder_name(medium.name, medium.medium_id)}"
        for medium_id, medium in wanted.items()
    }


def replace_aois(run_dir: Path, edits: Sequence[Edit]) -> None:
    """Put the AOIs of edits, and their scores, in the place of those that the tables of a run hold of the same media.

    Rows stand in the order of the media, whatever the order of the edits; doing it again changes nothing. The tables
    are all whole before the first takes its place.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """
    rank: dict[str, int] = {}
    for medium_id in _table(run_dir, "media", ["medium_id"])["medium_id"].to_pylist():
        rank.setdefault(medium_id, len(rank))
    found = [edit.tables() for edit in edits]
    ids = pa.array([str(edit.medium.medium_id) for edit in edits], pa.string())
    with disk_errors(run_dir / "tables"), ExitStack() as stack:
        writers = {name: stack.enter_context(TableWriter(run_dir / "tables", name)) for name in _EDITED}
        for name, writer in writers.items():
            new = [pa.table(_columns(tables[name], name), TABLES[name]) for tables in found if name in tables]
            table = _in_order(pa.concat_tables([_others(_table(run_dir, name), name, ids), *new]), rank)
            for batch in table.to_batches():
                writer.add_batch(batch)
            writer.finish()
        for writer in writers.values():
            writer.publish()


def _others(table: pa.Table, name: str, ids: pa.Array) -> pa.Table:
    """Rows that no edit of these media replaces."""
    replaced = pc.is_in(table["medium_id"], ids)
    if name == "maps":
        replaced = pc.and_(replaced, pc.is_in(table["map"], pa.array(RESULT_NAMES)))
    return table.filter(pc.invert(replaced))


def _in_order(table: pa.Table, rank: Mapping[str, int]) -> pa.Table:
    """Rows in the order of their media, and within a medium as they are."""
    media = [rank[medium_id] for medium_id in table["medium_id"].to_pylist()]
    return table.take(pa.array(sorted(range(len(media)), key=media.__getitem__), pa.int64()))


def _columns(columns: Mapping[str, list[Any]], name: str) -> list[pa.Array]:
    count = len(columns["medium_id"])
    return [pa.array(columns.get(field.name, [None] * count), field.type) for field in TABLES[name]]


def _table(run_dir: Path, name: str, columns: list[str] | None = None) -> pa.Table:
    return pq.read_table(run_dir / "tables" / f"{name}.parquet", schema=TABLES[name], columns=columns)


def _rows(run_dir: Path, table: str) -> Iterable[dict[str, Any]]:
    rows: list[dict[str, Any]] = _table(run_dir, table).to_pylist()
    return rows
