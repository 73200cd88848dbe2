"""Scores of the media of a run, and of their best AOIs of one type, ready to be followed over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.comparison.trend_subjects import FOLLOWED, PRESENCE, Subject
from mediaan.errors import UsageError
from mediaan.types.metrics import Time
from mediaan.workflow.drift_side import Side

_KEPT = ["medium_id", "metric", "value", "lo", "hi"]
_AREA_COLUMNS = [*_KEPT, "aoi_id", "metric_time"]
_ROWS_AT_ONCE = 50_000

Values = Mapping[str, tuple[float, float | None, float | None]]
"""By medium id: value, lo, hi."""


def scores_of(side: Side, time: Time, aoi_type: str | None) -> Iterator[tuple[Subject, Values]]:
    """Defined scores by what they are of.

    Parameters
    ----------
    side : Side
    time : {'total', 'start', 'end'}
    aoi_type : str or None
        Also scores of AOIs of this type, where the run was asked for AOIs. Of several AOIs in a medium the best one
        stands for it, metric by metric.
    """
    scores = _known(side.scores, time)
    for metric, unit in scores[["metric", "unit"]].drop_duplicates().itertuples(index=False):
        rows = scores[(scores["metric"] == metric) & (scores["unit"] == unit)]
        yield Subject(None, metric, unit), _values(rows)
    if aoi_type and side.areas_wanted:
        yield from _of_areas(side, time, aoi_type)


def _of_areas(side: Side, time: Time, aoi_type: str) -> Iterator[tuple[Subject, Values]]:
    areas = side.areas[side.areas["type"] == aoi_type]
    having = set(areas["medium_id"])
    done = side.media.loc[side.media["status"] == "done", "medium_id"]
    yield Subject(aoi_type, PRESENCE.name, PRESENCE.unit), {i: (100.0 * (i in having), None, None) for i in done}
    scores = _area_scores(side, time, pa.array(areas["aoi_id"], pa.string()))
    for spec in FOLLOWED[1:]:
        own = scores[scores["metric"] == spec.name].sort_values("value", ascending=False, kind="stable")
        yield Subject(aoi_type, spec.name, spec.unit), _values(own.drop_duplicates("medium_id"))


def _area_scores(side: Side, time: Time, areas: pa.Array) -> pd.DataFrame:
    """Defined values of some areas, some rows at a time: of a run with many areas most numbers are not followed."""
    file = side.path / "tables" / "aoi_scores.parquet"
    metrics = pa.array([spec.name for spec in FOLLOWED[1:]])
    wanted = (pc.field("metric_time") == time) & pc.field("metric").isin(metrics) & pc.field("aoi_id").isin(areas)
    parts = []
    try:
        with pq.ParquetFile(file) as table:
            there = [name for name in _AREA_COLUMNS if name in table.schema_arrow.names]
            for batch in table.iter_batches(_ROWS_AT_ONCE, columns=there):
                rows = pa.Table.from_batches([batch]).filter(wanted)
                parts.append(rows.select([name for name in there if name in _KEPT]).to_pandas())
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise UsageError(f"{file}: cannot be read ({error}); run the analysis again", code="no_run") from error
    found = pd.concat(parts) if parts else pd.DataFrame(columns=_KEPT)
    return found[found["value"].notna()].reindex(columns=_KEPT)


def _known(rows: pd.DataFrame, time: Time) -> pd.DataFrame:
    return rows[(rows["metric_time"] == time) & rows["value"].notna()]


def _values(rows: pd.DataFrame) -> Values:
    columns = (rows[name].to_numpy(np.float64).tolist() for name in ("value", "lo", "hi"))
    return {
        i: (value, _or_none(lo), _or_none(hi)) for i, value, lo, hi in zip(rows["medium_id"], *columns, strict=True)
    }


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else number
