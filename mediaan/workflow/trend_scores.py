"""Scores of the media of a run, and of their best AOIs of one type, ready to be followed over time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd

from mediaan.analysis import video_specs
from mediaan.aoi.metrics import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.comparison.trend import SHARE_UNIT
from mediaan.metrics import BUILT_INS
from mediaan.types.metrics import MetricSpec, Time
from mediaan.workflow.drift_side import Side

PRESENCE = MetricSpec(
    "presence",
    "Media that have one",
    SHARE_UNIT,
    0,
    100,
    "higher",
    "measured",
    "Share of the media in which at least one such area was found.",
    "Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.",
)
OF_AOIS = (PRESENCE, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT)
"""What is followed of AOIs."""

SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (*(m.spec for m in BUILT_INS), *video_specs())}
AOI_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (PRESENCE, *AOI_METRICS)}

Values = Mapping[str, tuple[float, float | None, float | None]]
"""By medium id: value, lo, hi."""


class Subject(NamedTuple):
    """What a trend is of."""

    aoi_type: str | None
    metric: str
    unit: str

    @property
    def spec(self) -> MetricSpec | None:
        """None for a metric of another version."""
        return (AOI_SPECS if self.aoi_type else SPECS).get(self.metric)


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
    scores = _known(side.area_scores, time)
    scores = scores[scores["aoi_id"].isin(areas["aoi_id"])].sort_values("value", ascending=False, kind="stable")
    best = scores.drop_duplicates(["medium_id", "metric"])
    for spec in OF_AOIS[1:]:
        yield Subject(aoi_type, spec.name, spec.unit), _values(best[best["metric"] == spec.name])


def _known(rows: pd.DataFrame, time: Time) -> pd.DataFrame:
    return rows[(rows["metric_time"] == time) & rows["value"].notna()]


def _values(rows: pd.DataFrame) -> Values:
    columns = (rows[name].to_numpy(np.float64).tolist() for name in ("value", "lo", "hi"))
    return {
        i: (value, _or_none(lo), _or_none(hi)) for i, value, lo, hi in zip(rows["medium_id"], *columns, strict=True)
    }


def _or_none(number: float) -> float | None:
    return None if np.isnan(number) else number
