"""List the metrics of media: a new one is a file with its facts and its function, and one line here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from mediaan.metrics.scales import Scales, built_in_scales
from mediaan.metrics.scores.concentration import HOTSPOT_COUNT, hotspot_count
from mediaan.metrics.scores.focus import (
    FOCUS,
    FOCUS_FIRST_TWO,
    FOCUS_LAST_TWO,
    focus_first_two,
    focus_last_two,
    focus_total,
)
from mediaan.metrics.scores.memory import MEMORY, memory
from mediaan.metrics.scores.pacing import PACING, pacing
from mediaan.metrics.scores.ratings import (
    CLARITY,
    COGNITIVE_DEMAND,
    DESIGN,
    ENGAGEMENT,
    clarity,
    cognitive_demand,
    design,
    engagement,
)
from mediaan.types.densities import Densities, Window
from mediaan.types.media import Shot
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers import Drivers
    from mediaan.metrics.guide import Guide

Place = Literal["image", "video", "frame", "scene", "screen"]
"""Where a metric has a value: for an image; for a video, which is the mean of its samples; for each sample; for each
shot, the mean again; for each screen of a page that is judged fold by fold."""
EVERYWHERE: frozenset[Place] = frozenset({"image", "video", "frame", "scene", "screen"})
EXCEPT_SCREENS: frozenset[Place] = EVERYWHERE - {"screen"}


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's facts, the function that scores it, and where it has a value."""

    spec: MetricSpec
    score: Callable[[Drivers, Densities, Scales], Score] | None
    """Of an image or a sample; None for what follows from the shots of a video."""
    places: frozenset[Place]
    of_shots: Callable[[Sequence[Shot], float], Score] | None = None
    """Of the shots of a video and its duration, s."""
    part_of: str | None = None
    """The metric that it is for one window of the exposure."""
    window: Window = "total"
    """That window."""
    colours: tuple[str, str] | None = None
    """Of its curve over time on a light and on a dark page; what is not a score from 0 to 100 has none."""
    is_counted: bool = False
    """Whether it is exact, and needs no interval."""
    guide: Guide | None = None
    """Its words for people; None: in ``guide.toml``."""

    def __post_init__(self) -> None:
        name = self.spec.name
        if not self.places:
            raise ValueError(f"the metric {name} has no place: it would be computed nowhere")
        if (self.score is None) == (self.of_shots is None):
            raise ValueError(f"the metric {name} needs a function: of an image, or of the shots of a video")
        if self.of_shots is not None and self.places != {"video"}:
            raise ValueError(f"the metric {name} follows from shots, which only videos have")
        if (self.part_of is None) != (self.window == "total"):
            raise ValueError(f"the metric {name} is a part of another one in the first or last two seconds, or of none")
        over_time = self.places & {"video", "scene"} if self.score is not None and self.part_of is None else None
        if over_time and "frame" not in self.places:
            raise ValueError(f"the metric {name} of a {min(over_time)} is a mean over frames, where it has no place")
        if "frame" in self.places and (self.spec.unit == "score") != (self.colours is not None):
            raise ValueError(f"the metric {name} needs colours for its curve if it is a score, and has none otherwise")


def _declared(*metrics: Metric) -> dict[str, Metric]:
    return {metric.spec.name: metric for metric in metrics}


METRICS: dict[str, Metric] = _declared(
    Metric(FOCUS, focus_total, EVERYWHERE, colours=("#4338ca", "#a5a8ff")),
    Metric(FOCUS_FIRST_TWO, focus_first_two, frozenset({"image", "video"}), part_of=FOCUS.name, window="start"),
    Metric(FOCUS_LAST_TWO, focus_last_two, frozenset({"image", "video"}), part_of=FOCUS.name, window="end"),
    Metric(HOTSPOT_COUNT, hotspot_count, EXCEPT_SCREENS, is_counted=True),
    Metric(COGNITIVE_DEMAND, cognitive_demand, EVERYWHERE, colours=("#b45309", "#fbbf24")),
    Metric(CLARITY, clarity, EVERYWHERE, colours=("#0f766e", "#5eead4")),
    Metric(ENGAGEMENT, engagement, EXCEPT_SCREENS, colours=("#be185d", "#f9a8d4")),
    Metric(DESIGN, design, EXCEPT_SCREENS, colours=("#4d7c0f", "#bef264")),
    Metric(MEMORY, memory, EXCEPT_SCREENS, colours=("#475569", "#cbd5e1")),
    Metric(PACING, None, frozenset({"video"}), of_shots=pacing, is_counted=True),
)
"""Metrics by name, in the order in which they are listed."""


def metrics_of(place: Place) -> tuple[Metric, ...]:
    """Return the metrics that have a value at a place."""
    return tuple(metric for metric in METRICS.values() if place in metric.places)


def metric_specs() -> tuple[MetricSpec, ...]:
    """Return the facts of all metrics of media."""
    return tuple(metric.spec for metric in METRICS.values())


def score_all(
    drivers: Drivers, densities: Densities, scales: Scales | None = None, *, place: Place = "image"
) -> tuple[Score, ...]:
    """Score one image, or one sample of a video.

    `drivers`: from `measure_drivers`.
    `densities`: for the windows start, end and total.
    `scales`: by default the ones that ship with the package.
    `place`: metrics that have a value there are scored.
    Returns: in the order of `METRICS`, without intervals; value None where a metric is undefined.
    """
    scales = scales or built_in_scales()
    return tuple(metric.score(drivers, densities, scales) for metric in metrics_of(place) if metric.score is not None)


def with_intervals(scores: Sequence[Score], scales: Scales | None = None) -> tuple[Score, ...]:
    """Put a 90 % interval around each score.

    `scales`: by default the ones that ship with the package.
    Returns: lo <= value <= hi; None where the metric is undefined, or has no interval: what is counted needs none.
    """
    scales = scales or built_in_scales()
    bounded = []
    for score in scores:
        uncertainty = scales.uncertainty.get(score.metric)
        if score.value is None or uncertainty is None:
            bounded.append(score)
        else:
            lo, hi = uncertainty.bounds(score.value)
            bounded.append(replace(score, lo=lo, hi=hi))
    return tuple(bounded)
