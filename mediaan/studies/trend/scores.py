"""Read the scores that can be followed over time: of media, and of their best AOIs of one type."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import inf, isnan
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from mediaan.aoi.scoring.main_area import MIN_RELATIVE_CONFIDENCE
from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.errors import UsageError
from mediaan.metrics import metric_specs
from mediaan.studies.run_tables import RunTables
from mediaan.studies.trend.statistics import SHARE_UNIT
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

PRESENCE = MetricSpec(
    "presence",
    "Files that have one",
    SHARE_UNIT,
    0,
    100,
    "higher",
    "measured",
    "Share of the files in which at least one such area was found.",
    "Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.",
)
FOLLOWED = (PRESENCE, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT)
"""Scores of AOIs that are followed."""

SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in metric_specs()}
AOI_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (PRESENCE, *AOI_METRICS)}


class TrendSubject(NamedTuple):
    """Subject of a trend: a score of media, or of areas of a type."""

    aoi_type: str | None
    metric: str
    unit: str

    @property
    def spec(self) -> MetricSpec:
        """Specification; of a metric of another version its name and unit alone."""
        known = AOI_SPECS if self.aoi_type else SPECS
        unknown = MetricSpec(self.metric, self.metric, self.unit, -inf, inf, "middle", "measured", "", "")
        return known.get(self.metric, unknown)


_KEPT = ["medium_id", "aoi_id", "metric", "value", "lo", "hi"]
_AREA_COLUMNS = [*_KEPT, "metric_time"]
_ROWS_AT_ONCE = 50_000

Values = Mapping[str, tuple[float, float | None, float | None]]
"""By medium id: value, lo, hi."""


def read_subject_scores(run: RunTables, time: Window, aoi_type: str | None) -> Iterator[tuple[TrendSubject, Values]]:
    """Read defined scores by what they are of.

    Parameters
    ----------
    run : RunTables
    time : {'total', 'start', 'end'}
    aoi_type : str or None
        Also scores of AOIs of this type, where the run was asked for AOIs. Of several AOIs in a medium the main one
        stands for it (`mediaan.aoi.scoring.main_area`).
    """
    scores = run.scores[(run.scores["metric_time"] == time) & run.scores["value"].notna()]
    for metric, unit in scores[["metric", "unit"]].drop_duplicates().itertuples(index=False):
        rows = scores[(scores["metric"] == metric) & (scores["unit"] == unit)]
        yield TrendSubject(None, metric, unit), _values(rows)
    if not (aoi_type and run.areas_wanted):
        return
    areas = run.areas[run.areas["type"] == aoi_type]
    having = set(areas["medium_id"])
    done = run.media.loc[run.media["status"] == "done", "medium_id"]
    yield TrendSubject(aoi_type, PRESENCE.name, PRESENCE.unit), {i: (100.0 * (i in having), None, None) for i in done}
    # areas that count, of many media at once: see `mediaan.aoi.scoring.main_area.counted_areas`
    surest = areas.groupby("medium_id")["confidence"].transform("max").fillna(0.0)
    any_drawn = areas["confidence"].isna().groupby(areas["medium_id"]).transform("any")
    sure = areas["confidence"] >= MIN_RELATIVE_CONFIDENCE * surest
    counted = areas[areas["confidence"].isna() | (sure & ~any_drawn)]
    attention = _area_scores(run, "total", counted["aoi_id"], ["attention"])
    main = attention.sort_values("value", ascending=False, kind="stable").drop_duplicates("medium_id")["aoi_id"]
    scores = _area_scores(run, time, main, [spec.name for spec in FOLLOWED[1:]])
    for spec in FOLLOWED[1:]:
        yield TrendSubject(aoi_type, spec.name, spec.unit), _values(scores[scores["metric"] == spec.name])


def _area_scores(run: RunTables, time: Window, areas: pd.Series[str], names: Sequence[str]) -> pd.DataFrame:
    """Read defined values of some areas, some rows at a time: of many areas most numbers are not followed."""
    file = run.path / "tables" / "aoi_scores.parquet"
    # a list: pa.array makes an empty column of pandas a chunked array without chunks, which isin takes for one of nulls
    metrics, ids = pa.array(names, pa.string()), pa.array(areas.to_list(), pa.string())
    wanted = (pc.field("metric_time") == time) & pc.field("metric").isin(metrics) & pc.field("aoi_id").isin(ids)
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


def _values(rows: pd.DataFrame) -> Values:
    numbers = rows[["value", "lo", "hi"]].to_numpy(np.float64).tolist()
    return {
        medium_id: (value, None if isnan(lo) else lo, None if isnan(hi) else hi)
        for medium_id, (value, lo, hi) in zip(rows["medium_id"], numbers, strict=True)
    }
