"""What can be followed over time: scores of media, and of their best AOIs of one type."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from typing import NamedTuple

from mediaan.analysis import video_specs
from mediaan.aoi.metrics import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.comparison.trend import SHARE_UNIT
from mediaan.metrics import BUILT_INS
from mediaan.types.metrics import MetricSpec

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
FOLLOWED = (PRESENCE, ATTENTION, PERCENTAGE_SEEN, TIME_SPENT)
"""Scores of AOIs that are followed."""

SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (*(m.spec for m in BUILT_INS), *video_specs())}
AOI_SPECS: Mapping[str, MetricSpec] = {spec.name: spec for spec in (PRESENCE, *AOI_METRICS)}


class Subject(NamedTuple):
    """What a trend is of."""

    aoi_type: str | None
    metric: str
    unit: str

    @property
    def spec(self) -> MetricSpec:
        """What is known of it; of a metric of another version its name and unit alone."""
        known = AOI_SPECS if self.aoi_type else SPECS
        unknown = MetricSpec(self.metric, self.metric, self.unit, -inf, inf, "middle", "measured", "", "")
        return known.get(self.metric, unknown)
