"""AOIs of a finished run: read back, and replaced."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.errors import UsageError
from mediaan.maps.track import ARRAYS, DensityTrack
from mediaan.run.aoi_rows import aoi_row, score_rows, track_rows
from mediaan.run.files import write_whole
from mediaan.run.reader import Run
from mediaan.run.schema import TABLES
from mediaan.types.aoi import Aoi, AoiScore, Box, Sighting, TextFacts
from mediaan.types.maps import WINDOWS, Densities


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


def read_densities(run: Run, medium_id: UUID) -> tuple[Densities, DensityTrack | None]:
    """Densities of a medium of a run: by window, and over time where it moves.

    Raises
    ------
    UsageError
        The run did not keep them.
    """
    maps = run.maps
    paths = maps[(maps["medium_id"] == str(medium_id)) & (maps["map"] == "density")].path.tolist()
    if not paths or not (run.path / paths[0]).is_file():
        raise UsageError(
            f"{run.path}: holds no densities of medium {medium_id}; analyse it again without --no-densities",
            code="no_densities",
        )
    with np.load(run.path / paths[0], allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    track = DensityTrack.of_arrays(arrays) if set(ARRAYS) <= arrays.keys() else None
    return Densities({window: arrays[window] for window in WINDOWS if window in arrays}), track


def replace_aois(run_dir: Path, found: Mapping[UUID, ScoredAois]) -> None:
    """Put AOIs and their scores in the place of those that a run holds of the same media."""
    ids = [str(medium_id) for medium_id in found]
    rows = {
        "aoi_tracks": (row for key, one in found.items() for aoi in one.aois for row in track_rows(key, aoi)),
        "aois": (aoi_row(key, aoi) for key, one in found.items() for aoi in one.aois),
        "aoi_scores": (row for key, one in found.items() for row in score_rows(key, one.scores)),
    }
    for name, new in rows.items():
        path = run_dir / "tables" / f"{name}.parquet"
        old = pq.read_table(path, schema=TABLES[name])
        kept = old.filter(pc.invert(pc.is_in(old["medium_id"], pa.array(ids, pa.string()))))
        table = pa.concat_tables([kept, pa.Table.from_pylist(list(new), schema=TABLES[name])])
        sink = pa.BufferOutputStream()
        pq.write_table(table, sink, compression="zstd")
        write_whole(path, bytes(sink.getvalue().to_pybytes()))


def _rows(run_dir: Path, table: str) -> Iterable[dict[str, Any]]:
    rows: list[dict[str, Any]] = pq.read_table(run_dir / "tables" / f"{table}.parquet").to_pylist()
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
