"""Score what was learned from people's ratings: how complex an image looks, and what they say of an advertisement."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from mediaan.metrics.contributions import TYPICAL, contribution, encoder_contribution, largest_contributions
from mediaan.metrics.scales import Scales, percentile
from mediaan.types.arrays import Float32, Float64
from mediaan.types.densities import Appearance, Densities
from mediaan.types.metrics import MetricSpec, Score

if TYPE_CHECKING:
    from mediaan.metrics.drivers import Drivers

COGNITIVE_DEMAND = MetricSpec(
    "cognitive_demand", "Cognitive demand", "score", 0, 100, "middle", "learned",
    "How complex it looks: the rating that people would give it, from 0 to 100; 50 is average among images "
    "of the same type. Learned from human ratings.",
    "Ratings: Saraee, Jalal & Betke (2020), CVIU 195:102949; drivers: Rosenholtz, Li & Nakano (2007), "
    "J. Vision 7(2):17; Corchs et al. (2016), PLoS ONE 11(6):e0157986.",
)  # fmt: skip

_BEND = 10.0
OPINION_DRIVER = "text_lightness"
"""The one measured driver in what people say of ads: type on white, as of a page, or on a ground that was designed."""

CLARITY = MetricSpec(
    "clarity", "Clarity", "score", 0, 100, "higher", "learned",
    "Whether people would call it simple rather than unclear. Learned from ten to twelve opinions on each of "
    "177 web ads.",
    "Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)  # fmt: skip
# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05
ENGAGEMENT = MetricSpec(
    "engagement", "Engagement", "score", 0, 100, "higher", "learned",
    "Whether people would call it entertaining rather than boring. Learned from ten to twelve opinions on each "
    "of 177 web ads.",
    "Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
    frame_name="engagement_frt",
)  # fmt: skip
DESIGN = MetricSpec(
    "design", "Design", "score", 0, 100, "higher", "learned",
    "Whether people would call its design good rather than bad. Learned from ten to twelve opinions on each of "
    "177 web ads.",
    "Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class RatingModel:
    """A rating as a sum: of ranks of measured drivers, and of what the attention network's encoder sees."""

    model_sha256: str
    """Of the attention model whose features it takes."""
    drivers: Mapping[str, float]
    """Mapping of driver to float. Points from the lowest to the highest rank in the reference population."""
    features: Float64
    """(F,) float64. Points per unit of each feature."""
    offset: float
    """Taken off the features' sum, so that it is 0 for the median image of the reference population, points."""
    typical: float = 0.0
    """Rating of the median image of the reference population."""

    def driver_points(self, values: Mapping[str, float | None], scales: Scales) -> dict[str, float]:
        """Return the points of each measured driver that the image has, against the median image."""
        return {
            name: weight * (scales.rank(name, value) - TYPICAL)
            for name, weight in self.drivers.items()
            if (value := values[name]) is not None
        }

    def feature_points(self, features: Float32 | Float64) -> float:
        """Return the points of the encoder's features, against the median image."""
        return float((self.features * features).sum(dtype=np.float64)) - self.offset


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
def demand_model() -> RatingModel:
    """Load the model of cognitive demand that ships; `models/training/demand.py` makes it."""
    content = json.loads(files("mediaan.metrics").joinpath("demand.json").read_text(encoding="utf-8"))
    features, sha256 = np.array(content["features"], dtype=np.float64), content["provenance"]["model_sha256"]
    return RatingModel(sha256, content["drivers"], features, content["offset"], content["typical"])


def cognitive_demand(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score perceived complexity, 0-100."""
    model, values = demand_model(), drivers.scalars()
    points, seen = model.driver_points(values, scales), model.feature_points(drivers.appearance.features)
    total = model.typical + sum(points.values()) + seen
    value = on_scale(total)
    moved = [
        contribution(name, values[name] or 0.0, value - on_scale(total - part), scales) for name, part in points.items()
    ]
    moved.append(encoder_contribution("seen_complexity", value - on_scale(total - seen)))
    return Score.of(COGNITIVE_DEMAND, value, drivers=largest_contributions(moved))


def opinion_features(appearance: Appearance) -> Float64:
    """Join the encoder's means, deviations, peaks, and means over text, which opinions are learned from, (F,)."""
    assert appearance.peaks is not None
    assert appearance.text_features is not None
    return np.concatenate([appearance.features, appearance.peaks, appearance.text_features]).astype(np.float64)


@cache
def opinion_models() -> Mapping[str, RatingModel]:
    """Load the models of opinions that ship, by score; `models/training/opinions.py` makes them."""
    content = json.loads(files("mediaan.metrics").joinpath("opinions.json").read_text(encoding="utf-8"))
    sha256 = content["provenance"]["model_sha256"]
    return {
        name: RatingModel(
            sha256,
            {OPINION_DRIVER: model["driver"]},
            np.array(model["features"], dtype=np.float64),
            model["offset"],
        )
        for name, model in content["scores"].items()
    }


def opinion_score(spec: MetricSpec, drivers: Drivers, scales: Scales) -> Score:
    """Score an opinion as a percentile in the reference population, with what moved it.

    None, with the reason, where the image is one plain surface.
    """
    if drivers.contour_weakness is None:
        reason = "The image has no contours, so there is nothing to have an opinion of."
        return Score.of(spec, None, reason=reason)
    model, knots, lightness = opinion_models()[spec.name], scales.scores[spec.name], drivers.text_lightness
    measured = model.driver_points({OPINION_DRIVER: lightness}, scales).get(OPINION_DRIVER, 0.0)
    encoded = model.feature_points(opinion_features(drivers.appearance))
    value = percentile(measured + encoded, knots)
    moved = [encoder_contribution(f"seen_{spec.name}", value - percentile(measured, knots))]
    if lightness is not None:
        moved.append(contribution(OPINION_DRIVER, lightness, value - percentile(encoded, knots), scales))
    return Score.of(spec, value, drivers=largest_contributions(moved))


def clarity(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score clarity, 0-100; undefined for an image without contours."""
    return opinion_score(CLARITY, drivers, scales)


def too_simple(drivers: Drivers, scales: Scales) -> bool:
    """Tell whether an image shows next to nothing: clutter and contours in the lowest 5 %."""
    clutter = scales.rank("feature_congestion", drivers.feature_congestion)
    return clutter < _SIMPLE and scales.rank("contour_density", drivers.contour_density) < _SIMPLE


def engagement(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score engagement, 0-100; undefined for an image without contours."""
    return opinion_score(ENGAGEMENT, drivers, scales)


def design(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score how good the design is found, 0-100; undefined for an image without contours."""
    return opinion_score(DESIGN, drivers, scales)
