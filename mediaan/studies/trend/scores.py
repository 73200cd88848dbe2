"""Read the scores that can be followed over time: of media, and of their best AOIs of one type."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, LIFT, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.metrics import metric_specs
from mediaan.studies.run_tables import RunTables
from mediaan.studies.trend.statistics import SHARE_UNIT
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec, Score

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
FOLLOWED = (PRESENCE, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, LIFT)
"""Scores of AOIs that are followed."""
_FOLLOWED = frozenset(spec.name for spec in FOLLOWED)

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
        specs = AOI_SPECS if self.aoi_type else SPECS
        unknown = MetricSpec(self.metric, self.metric, self.unit, -inf, inf, "middle", "measured", "", "")
        return specs.get(self.metric, unknown)


Values = dict[str, Score]
"""Defined scores by medium id."""


def read_subject_scores(run: RunTables, time: Window, aoi_type: str | None) -> dict[TrendSubject, Values]:
    """Read defined scores by what they are of.

    `aoi_type`: also scores of AOIs of this type, where the run was asked for AOIs. Of several AOIs in a medium the main
        one stands for it (`mediaan.aoi.scoring.main_area`).
    """
    with_areas = aoi_type is not None and run.areas_wanted
    tables = ("metrics", "aois", "aoi_scores") if with_areas else ("metrics",)
    metrics = {*SPECS, *_FOLLOWED, *(spec["name"] for spec in run.facts.get("metrics", ()))}
    by_subject: dict[TrendSubject, Values] = {}
    for result in run.results(tables, metrics):
        medium_id = str(result.medium.medium_id)
        scores: list[tuple[str | None, Score]] = [(None, score) for score in result.scores]
        if aoi_type and with_areas:
            area = main_area(result.aois or (), aoi_type)
            presence = Score.of(PRESENCE, 0.0 if area is None else 100.0, time=time)
            of_area = [score for score in area.scores if score.metric in _FOLLOWED] if area else []
            scores += [(aoi_type, score) for score in (presence, *of_area)]
        for kind, score in scores:
            if score.time == time and score.value is not None:
                by_subject.setdefault(TrendSubject(kind, score.metric, score.unit), {})[medium_id] = score
    return by_subject
