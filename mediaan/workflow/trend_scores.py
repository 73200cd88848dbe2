"""Scores of the media of a run, and of their best AOIs of one type, ready to be followed over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

from mediaan.comparison.trend_subjects import FOLLOWED, PRESENCE, Subject
from mediaan.errors import UsageError
from mediaan.types.metrics import Time
from mediaan.workflow.drift_side import Side

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
    for spec in FOLLOWED[1:]:
        scores = _area_scores(side, time, spec.name)
        scores = scores[scores["aoi_id"].isin(areas["aoi_id"])].sort_values("value", ascending=False, kind="stable")
        yield Subject(aoi_type, spec.name, spec.unit), _values(scores.drop_duplicates("medium_id"))


def _area_scores(side: Side, time: Time, metric: str) -> pd.DataFrame:
    """Defined values of one metric: a run may hold many areas, of which most numbers are not followed."""
    file = side.path / "tables" / "aoi_scores.parquet"
    columns = ["medium_id", "aoi_id", "value", "lo", "hi"]
    try:
        there = [name for name in columns if name in pq.read_schema(file).names]
        rows = pd.read_parquet(file, columns=there, filters=[("metric", "==", metric), ("metric_time", "==", time)])
    except (OSError, ValueError) as error:  # pyarrow's own errors are ValueErrors
        raise UsageError(f"{file}: cannot be read ({error}); run the analysis again", code="no_run") from error
    return rows[rows["value"].notna()].reindex(columns=columns)


def _known(rows: pd.DataFrame, time: Time) -> pd.DataFrame:
    return rows[(rows["metric_time"] == time) & rows["value"].notna()]


def _values(rows: pd.DataFrame) -> Values:
    columns = (rows[name].to_numpy(np.float64).tolist() for name in ("value", "lo", "hi"))
    return {
        i: (value, _or_none(lo), _or_none(hi)) for i, value, lo, hi in zip(rows["medium_id"], *columns, strict=True)
    }


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else number
