"""Specify the metrics of an AOI; `mediaan.aoi.scoring.aoi_scores` computes them."""

from __future__ import annotations

from mediaan.types.metrics import MetricSpec

_FITTED = "Survival model with gamma frailty, fitted to fixations of 10 to 16 viewers an image: docs/aoi_scores.md."
_SHARE = "Integral of the predicted fixation density over the AOI."

ATTENTION = MetricSpec(
    "attention", "Attention", "%", 0, 100, "higher", "measured",
    "Share of all attention that goes to the area, over the whole window: 0 while it is not there.",
    _SHARE,
)  # fmt: skip
PERCENTAGE_SEEN = MetricSpec(
    "percentage_seen", "Seen by", "%", 0, 100, "higher", "learned",
    "Share of viewers who fixate the area at least once.",
    _FITTED,
)  # fmt: skip
TIME_SPENT = MetricSpec(
    "time_spent", "Time spent", "s", 0, float("inf"), "higher", "learned",
    "Gaze on the area, mean over all viewers, those who do not see it included.",
    _FITTED,
)  # fmt: skip
AVAILABILITY = MetricSpec(
    "availability", "Visible", "%", 0, 100, "higher", "measured",
    "Share of the window during which the area is visible.",
    "Duration of its sightings.",
)  # fmt: skip
RELATIVE_ATTENTION = MetricSpec(
    "relative_attention", "Attention while visible", "%", 0, 100, "higher", "measured",
    "Share of attention that goes to the area while it is visible. Attention is this times visibility.",
    _SHARE,
)  # fmt: skip
LIFT = MetricSpec(
    "lift", "Lift", "ratio", 0, float("inf"), "higher", "measured",
    "Attention while visible over the share of the image that the area takes: 1 is an average spot.",
    _SHARE,
)  # fmt: skip
FIRST_SEEN = MetricSpec(
    "first_seen_s", "First seen", "s", 0, float("inf"), "lower", "learned",
    "Time by which half of the viewers who see the area have fixated it, from the beginning.",
    _FITTED,
)  # fmt: skip
AOI_METRICS: tuple[MetricSpec, ...] = (
    ATTENTION,
    PERCENTAGE_SEEN,
    TIME_SPENT,
    AVAILABILITY,
    RELATIVE_ATTENTION,
    LIFT,
    FIRST_SEEN,
)

ZERO_IF_ABSENT = frozenset(spec.name for spec in (ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, AVAILABILITY))
"""Scores that are 0, rather than undefined, of an area that is not there."""
