"""Specify the metrics of an ad in its context; `attention` and `statistics` beside it compute them."""

from __future__ import annotations

from dataclasses import replace

from mediaan.aoi.scoring.specs import ATTENTION, FIRST_SEEN, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.types.metrics import MetricSpec

_INF = float("inf")
_DRAWS = "Mean over draws; the interval of the ratio is a bootstrap over draws: docs/context.md."
_PREDICTED = "Integral of the predicted fixation density over the same area."


def _percent(name: str, title: str, caption: str, reference: str) -> MetricSpec:
    return MetricSpec(name, title, "%", 0, 100, "higher", "proxy", caption, reference)


def _ratio(name: str, title: str, caption: str, reference: str) -> MetricSpec:
    return MetricSpec(name, title, "ratio", 0, _INF, "higher", "proxy", caption, reference)


CONTEXT_METRICS: tuple[MetricSpec, ...] = (
    *(replace(spec, basis="proxy") for spec in (ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, FIRST_SEEN)),
    MetricSpec(
        "area", "Area", "%", 0, 100, "middle", "measured", "Share of the image that the ad covers.", "Measured."
    ),
    _percent(
        "average_place",
        "Average page",
        "What an area of this size gets in this place on an average page, whatever is there.",
        "Mean predicted density of the first screens of 491 well-known sites.",
    ),
    _percent("page_before", "Page before", "What the page gets in this area without the ad.", _PREDICTED),
    _percent("others", "Others there", "What other images get in the same place.", _DRAWS),
    _ratio(
        "ratio_to_average",
        "Times average page",
        "How many times what an area of this size gets there on an average page.",
        "Attention over that of an average page; the interval is that of attention.",
    ),
    _ratio(
        "ratio_to_page_before",
        "Times page before",
        "How many times what the page gets there without the ad.",
        "Attention over that before; the interval is that of attention.",
    ),
    _ratio("ratio_to_others", "Times the others", "How many times what other images get in the same place.", _DRAWS),
)
"""In the order of the page."""

SPECS = {spec.name: spec for spec in CONTEXT_METRICS}
