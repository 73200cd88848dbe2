"""List the built-in metrics: a new one is one new file and one line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mediaan.metrics.drivers.measure import Drivers
from mediaan.metrics.scales import Scales, built_in_scales
from mediaan.metrics.scores.cognitive_demand import COGNITIVE_DEMAND, cognitive_demand
from mediaan.metrics.scores.focus import (
    FOCUS,
    FOCUS_FIRST_TWO,
    FOCUS_LAST_TWO,
    focus_first_two,
    focus_last_two,
    focus_total,
)
from mediaan.metrics.scores.hotspots import HOTSPOT_COUNT, hotspot_count
from mediaan.metrics.scores.memory import MEMORY, memory
from mediaan.metrics.scores.opinions import CLARITY, DESIGN, ENGAGEMENT, clarity, design, engagement
from mediaan.types.densities import Densities, Window
from mediaan.types.metrics import MetricSpec, Score


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric's facts and the function that scores it."""

    spec: MetricSpec
    score: Callable[[Drivers, Densities, Scales], Score]


BUILT_INS: tuple[Metric, ...] = (
    Metric(FOCUS, focus_total),
    Metric(FOCUS_FIRST_TWO, focus_first_two),
    Metric(FOCUS_LAST_TWO, focus_last_two),
    Metric(HOTSPOT_COUNT, hotspot_count),
    Metric(COGNITIVE_DEMAND, cognitive_demand),
    Metric(CLARITY, clarity),
    Metric(ENGAGEMENT, engagement),
    Metric(DESIGN, design),
    Metric(MEMORY, memory),
)

WINDOW_METRICS: Mapping[str, Window] = {FOCUS_FIRST_TWO.name: "start", FOCUS_LAST_TWO.name: "end"}
"""Metrics of one window of the exposure, which a single frame does not have."""

FRAME_METRICS: tuple[Metric, ...] = tuple(metric for metric in BUILT_INS if metric.spec.name not in WINDOW_METRICS)
"""Metrics that have a value at every sample of a video."""


def score_all(
    drivers: Drivers, densities: Densities, scales: Scales | None = None, metrics: Sequence[Metric] = BUILT_INS
) -> tuple[Score, ...]:
    """Score built-in metrics for one image.

    Parameters
    ----------
    drivers : Drivers
        From `measure_drivers`.
    densities : Densities
        For the windows start, end and total.
    scales : Scales, optional
        By default the ones that ship with the package.
    metrics : sequence of Metric
        By default all.

    Returns
    -------
    tuple of Score
        In the order of `metrics`, without intervals; value None where a metric is undefined.
    """
    scales = scales or built_in_scales()
    return tuple(metric.score(drivers, densities, scales) for metric in metrics)


def with_intervals(
    scores: Sequence[Score], scales: Scales | None = None, variations: Sequence[Sequence[Score]] = ()
) -> tuple[Score, ...]:
    """Put a 90 % interval around each score.

    Parameters
    ----------
    scores : sequence of Score
    scales : Scales, optional
        By default the ones that ship with the package.
    variations : sequence of sequence of Score
        Scores of the same image under changes that should not matter, as far as they are known; for the others the
        usual movement stands in.

    Returns
    -------
    tuple of Score
        lo <= value <= hi; None where the metric is undefined, or has no interval: what is counted needs none.
    """
    scales = scales or built_in_scales()
    moved: dict[str, list[float]] = {}
    for varied in variations:
        for score in varied:
            if score.value is not None:
                moved.setdefault(score.metric, []).append(score.value)
    found = []
    for score in scores:
        uncertainty = scales.uncertainty.get(score.metric)
        if score.value is None or uncertainty is None:
            found.append(score)
        else:
            lo, hi = uncertainty.bounds(score.value, moved.get(score.metric, ()))
            found.append(replace(score, lo=lo, hi=hi))
    return tuple(found)
