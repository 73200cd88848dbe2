"""The built-in metrics: a new one is one new file and one line here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mediaan.metrics.clarity import CLARITY, clarity
from mediaan.metrics.cognitive_demand import COGNITIVE_DEMAND, cognitive_demand
from mediaan.metrics.drivers import Drivers
from mediaan.metrics.engagement import ENGAGEMENT, engagement
from mediaan.metrics.focus import (
    FOCUS,
    FOCUS_FIRST_TWO,
    FOCUS_LAST_TWO,
    focus_first_two,
    focus_last_two,
    focus_total,
)
from mediaan.metrics.memory import MEMORY, memory
from mediaan.metrics.scales import Scales, built_in_scales
from mediaan.types.maps import Densities
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
    Metric(COGNITIVE_DEMAND, cognitive_demand),
    Metric(CLARITY, clarity),
    Metric(ENGAGEMENT, engagement),
    Metric(MEMORY, memory),
)


def score_all(drivers: Drivers, densities: Densities, scales: Scales | None = None) -> tuple[Score, ...]:
    """Score every built-in metric for one picture.

    Parameters
    ----------
    drivers : Drivers
        From `measure_drivers`.
    densities : Densities
        For the windows start, end and total.
    scales : Scales, optional
        By default the ones that ship with the package.

    Returns
    -------
    tuple of Score
        In the order of `BUILT_INS`; lo <= value <= hi, all None where a metric is undefined.
    """
    scales = scales or built_in_scales()
    return tuple(metric.score(drivers, densities, scales) for metric in BUILT_INS)
