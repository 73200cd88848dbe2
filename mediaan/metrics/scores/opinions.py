"""Score what was learned from people's opinions of advertisements: clarity, engagement and design."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np

from mediaan.metrics.drivers.measure import Drivers
from mediaan.metrics.scales import Scales, percentile
from mediaan.metrics.scores.composite import TYPICAL
from mediaan.metrics.scores.contributions import contribution, encoder_contribution, largest_contributions
from mediaan.types.arrays import Float64
from mediaan.types.densities import Appearance, Densities
from mediaan.types.metrics import MetricSpec, Score

OPINION_DRIVER = "text_lightness"
"""The one measured driver in these scores: type on white, as of a page, or on a ground that was designed."""

CLARITY = MetricSpec(
    name="clarity",
    title="Clarity",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="Whether people would call it simple rather than unclear. Learned from ten to twelve opinions on each of "
    "177 web ads.",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)
# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05
ENGAGEMENT = MetricSpec(
    name="engagement",
    title="Engagement",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="Whether people would call it entertaining rather than boring. Learned from ten to twelve opinions on each "
    "of 177 web ads.",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
    frame_name="engagement_frt",
)
DESIGN = MetricSpec(
    name="design",
    title="Design",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="Whether people would call its design good rather than bad. Learned from ten to twelve opinions on each of "
    "177 web ads.",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)


@dataclass(frozen=True, slots=True)
class OpinionModel:
    """What people say of an advertisement as a sum: of the rank of a measured driver, and of encoder features."""

    model_sha256: str
    """Of the attention model whose features it takes."""
    driver: float
    """From the lowest to the highest rank of `OPINION_DRIVER` in the reference population."""
    features: Float64
    """(F,) float64. For a unit of each of `opinion_features`."""
    offset: float
    """Taken off the features' sum, so that it is 0 for the median image of the reference population."""

    def driver_part(self, value: float | None, scales: Scales) -> float:
        """Return what the measured driver adds, against the median image; 0 in an image without text."""
        return 0.0 if value is None else self.driver * (scales.rank(OPINION_DRIVER, value) - TYPICAL)

    def feature_part(self, appearance: Appearance) -> float:
        """Return what the encoder's features add, against the median image."""
        return float((self.features * opinion_features(appearance)).sum(dtype=np.float64)) - self.offset


def opinion_features(appearance: Appearance) -> Float64:
    """Join the encoder's means, deviations, peaks, and means over text, which opinions are learned from, (F,)."""
    assert appearance.peaks is not None
    assert appearance.text_features is not None
    return np.concatenate([appearance.features, appearance.peaks, appearance.text_features]).astype(np.float64)


@cache
def opinion_models() -> Mapping[str, OpinionModel]:
    """Load the models that ship, by score; `models/training/opinions.py` makes them."""
    content = json.loads(files("mediaan.metrics").joinpath("opinions.json").read_text(encoding="utf-8"))
    sha256 = content["provenance"]["model_sha256"]
    return {
        name: OpinionModel(sha256, model["driver"], np.array(model["features"], dtype=np.float64), model["offset"])
        for name, model in content["scores"].items()
    }


def opinion_score(spec: MetricSpec, drivers: Drivers, scales: Scales) -> Score:
    """Score an opinion as a percentile in the reference population, with what moved it.

    None, with the reason, where the image is one plain surface.
    """
    if drivers.contour_weakness is None:
        reason = "The image has no contours, so there is nothing to have an opinion of."
        return Score.of(spec, None, reason=reason)
    model, knots = opinion_models()[spec.name], scales.scores[spec.name]
    measured, encoded = model.driver_part(drivers.text_lightness, scales), model.feature_part(drivers.appearance)
    value = percentile(measured + encoded, knots)
    moved = [encoder_contribution(f"seen_{spec.name}", value - percentile(measured, knots))]
    if drivers.text_lightness is not None:
        moved.append(contribution(OPINION_DRIVER, drivers.text_lightness, value - percentile(encoded, knots), scales))
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
