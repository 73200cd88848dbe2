"""Cognitive demand: how complex a picture looks."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.ranked import ranked_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

COGNITIVE_DEMAND = MetricSpec(
    name="cognitive_demand",
    title="Cognitive demand",
    unit="score",
    low=0,
    high=100,
    direction="middle",
    basis="learned",
    caption="How complex the picture looks, learned from human ratings over measured clutter, contours and regions.",
    reference="Rosenholtz, Li & Nakano (2007), J. Vision 7(2):17; ratings: Saraee, Jalal & Betke (2020), "
    "CVIU 195:102949.",
)


def raw_cognitive_demand(drivers: Drivers, scales: Scales) -> float:
    """Return predicted complexity, about 0-1: the weighted sum of the drivers' ranks in the reference population.

    The weights were fitted to human ratings under the constraint that no clutter driver counts against its sign.
    """
    values = drivers.scalars()
    ranks = {name: scales.rank(name, float(values[name] or 0)) for name in scales.demand_weights}
    return sum(weight * ranks[name] for name, weight in scales.demand_weights.items())


def cognitive_demand(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score perceived complexity, 0-100; the interval holds both repeatability and the spread of human ratings."""
    return ranked_score(COGNITIVE_DEMAND, raw_cognitive_demand(drivers, scales), scales)
