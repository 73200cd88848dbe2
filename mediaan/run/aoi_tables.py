"""AOIs of a finished run: read back, and replaced."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.run.aoi_rows import aoi_row, score_rows, track_rows
from mediaan.run.brand_results import RESULT_NAMES, aoi_results
from mediaan.run.files import folder_name, make_folder, write_whole
from mediaan.run.reader import Run
from mediaan.run.schema import TABLES
from mediaan.types.aoi import Aoi, AoiScore, Box, Sighting, TextFacts
from mediaan.types.media import Medium


class ScoredAois(NamedTuple):
    """AOIs of one medium with their scores."""

    aois: tuple[Aoi, ...]
    scores: tuple[AoiScore, ...]


def read_aois(run: Run) -> dict[UUID, tuple[Aoi, ...]]:
    """AOIs of every medium of a run, by medium; media without any are absent."""
    tracks: dict[str, list[Sighting]] = {}
    for row in _rows(run.path, "aoi_tracks"):
        tracks.setdefault(row["aoi_id"], []).append(Sighting(row["t_s"], _box(row), row["confidence"]))
    found: dict[UUID, tuple[Aoi, ...]] = {}
    for row in _rows(run.path, "aois"):
        medium_id = UUID(row["medium_id"])
        found[medium_id] = (*found.get(medium_id, ()), _aoi(row, tuple(tracks.get(row["aoi_id"], ()))))
    return found


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


def replace_aois(run_dir: Path, found: Sequence[tuple[Medium, ScoredAois]]) -> None:
    """Put AOIs and their scores in the place of those that a run holds of the same media, results of v2 included.

    Rows stand in the order of the media, whatever the order in which they were replaced.
    """
    rows = {
        "aoi_tracks": (row for m, one in found for aoi in one.aois for row in track_rows(m.medium_id, aoi)),
        "aois": (aoi_row(m.medium_id, aoi) for m, one in found for aoi in one.aois),
        "aoi_scores": (row for m, one in found for row in score_rows(m.medium_id, one.scores)),
        "maps": (row for m, one in found for row in _write_results(run_dir, m, one)),
    }
    ids = pa.array([str(medium.medium_id) for medium, _ in found], pa.string())
    rank: dict[str, int] = {}
    for medium_id in _table(run_dir, "media")["medium_id"].to_pylist():
        rank.setdefault(medium_id, len(rank))
    for name, new in rows.items():
        old = _table(run_dir, name)
        replaced = pc.is_in(old["medium_id"], ids)
        if name == "maps":
            replaced = pc.and_(replaced, pc.is_in(old["map"], pa.array(RESULT_NAMES)))
        kept = old.filter(pc.invert(replaced))
        table = pa.concat_tables([kept, pa.Table.from_pylist(list(new), schema=TABLES[name])])
        media = [rank[medium_id] for medium_id in table["medium_id"].to_pylist()]
        table = table.take(pa.array(sorted(range(len(media)), key=media.__getitem__), pa.int64()))
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        write_whole(_file(run_dir, name), bytes(sink.getvalue().to_pybytes()))


def _write_results(run_dir: Path, medium: Medium, found: ScoredAois) -> Iterator[dict[str, str]]:
    folder = Path("maps") / folder_name(medium.name, medium.medium_id)
    make_folder(run_dir / folder)
    for name, content in aoi_results(medium, found.aois, found.scores).items():
        path = folder / f"{name}.json"
        write_whole(run_dir / path, content)
        yield {"medium_id": str(medium.medium_id), "map": name, "path": path.as_posix()}


def _file(run_dir: Path, table: str) -> Path:
    return run_dir / "tables" / f"{table}.parquet"


def _table(run_dir: Path, name: str) -> pa.Table:
    return pq.read_table(_file(run_dir, name), schema=TABLES[name])


def _rows(run_dir: Path, table: str) -> Iterable[dict[str, Any]]:
    rows: list[dict[str, Any]] = _table(run_dir, table).to_pylist()
    return rows


def _box(row: Mapping[str, Any]) -> Box:
    return Box(row["x0"], row["y0"], row["x1"], row["y1"])


def _aoi(row: Mapping[str, Any], track: tuple[Sighting, ...]) -> Aoi:
    polygon = None if row["polygon"] is None else tuple((x, y) for x, y in row["polygon"])
    text = None
    if row["line_height_pct"] is not None:
        text = TextFacts(row["text"], row["line_height_pct"], row["contrast_ratio"], row["legible"])
    return Aoi(
        aoi_id=UUID(row["aoi_id"]),
        type=row["type"],
        label=row["label"],
        box=_box(row),
        confidence=row["confidence"],
        method=row["method"],
        polygon=polygon,
        text=text,
        t0_s=row["t0_s"],
        t1_s=row["t1_s"],
        track=track,
    )
