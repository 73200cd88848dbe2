"""Score cognitive demand: how complex an image looks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from mediaan.metrics.drivers.measure import Drivers
from mediaan.metrics.scales import Scales
from mediaan.metrics.scores.composite import TYPICAL, Values
from mediaan.metrics.scores.contributions import contribution, encoder_contribution, largest_contributions
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Densities
from mediaan.types.metrics import MetricSpec, Score

COGNITIVE_DEMAND = MetricSpec(
    name="cognitive_demand",
    title="Cognitive demand",
    unit="score",
    low=0,
    high=100,
    direction="middle",
    basis="learned",
    caption="How complex it looks: the rating that people would give it, from 0 to 100; 50 is average among images "
    "of the same type. Learned from human ratings.",
    reference="Ratings: Saraee, Jalal & Betke (2020), CVIU 195:102949; drivers: Rosenholtz, Li & Nakano (2007), "
    "J. Vision 7(2):17; Corchs et al. (2016), PLoS ONE 11(6):e0157986.",
)

_BEND = 10.0


@dataclass(frozen=True, slots=True)
class DemandModel:
    """Perceived complexity as a sum: of ranks of measured drivers, and of what the attention network's encoder sees."""

    model_sha256: str
    """Of the attention model whose features it takes."""
    typical: float
    """Rating of the median image of the reference population, 0-100."""
    drivers: Mapping[str, float]
    """Mapping of driver to float. Points from the lowest to the highest rank in the reference population."""
    features: Float64
    """(F,) float64. Points per unit of each feature."""
    offset: float
    """Taken off the features' sum, so that it is 0 for the median image of the reference population, points."""

    def driver_points(self, values: Values, scales: Scales) -> dict[str, float]:
        """Return the points of each measured driver, against the median image."""
        return {
            name: weight * (scales.rank(name, value) - TYPICAL)
            for name, weight in self.drivers.items()
            if (value := values[name]) is not None
        }

    def feature_points(self, features: Float32) -> float:
        """Return the points of the encoder's features, against the median image."""
        return float((self.features * features).sum(dtype=np.float64)) - self.offset

    def total(self, values: Values, features: Float32, scales: Scales) -> float:
        """Sum it all to a rating that may leave the scale."""
        return self.typical + sum(self.driver_points(values, scales).values()) + self.feature_points(features)

    def rating(self, values: Values, features: Float32, scales: Scales) -> float:
        """Predict the rating, 0-100."""
        return on_scale(self.total(values, features, scales))


def on_scale(total: float) -> float:
    """Bring a sum of points to 0-100: as it is from 10 to 90, and ever more slowly towards the ends beyond.

    Plain drawings look simpler than any image that people rated; they should still be told from each other.

    >>> [round(on_scale(total), 1) for total in (-20, 0, 10, 50, 90, 100, 130)]
    [0.5, 3.7, 10, 50, 90, 96.3, 99.8]
    """
    if total < _BEND:
        return float(_BEND * np.exp((total - _BEND) / _BEND))
    if total > 100 - _BEND:
        return 100 - on_scale(100 - total)
    return total


@cache
def demand_model() -> DemandModel:
    """Load the model that ships; `models/training/demand.py` makes it."""
    content = json.loads(files("mediaan.metrics").joinpath("demand.json").read_text(encoding="utf-8"))
    return DemandModel(
        content["provenance"]["model_sha256"],
        content["typical"],
        content["drivers"],
        np.array(content["features"], dtype=np.float64),
        content["offset"],
    )


def cognitive_demand(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score perceived complexity, 0-100."""
    model, values, features = demand_model(), drivers.scalars(), drivers.appearance.features
    total = model.total(values, features, scales)
    value = on_scale(total)

    def moved(points: float) -> float:
        return value - on_scale(total - points)

    points = model.driver_points(values, scales)
    measured = (contribution(name, values[name] or 0.0, moved(points[name]), scales) for name in points)
    drivers_of_it = largest_contributions(
        (*measured, encoder_contribution("seen_complexity", moved(model.feature_points(features))))
    )
    spec = COGNITIVE_DEMAND
    return Score.of(spec, value, drivers=drivers_of_it)
