"""Clarity: how simple, and how little unclear, an advertisement is found."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.opinions import opinion_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

CLARITY = MetricSpec(
    name="clarity",
    title="Clarity",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="How simple rather than unclear people would call it. Learned from ten to twelve people's opinions of each "
    "of 177 web advertisements; on ads that it was not fitted to it agrees with them weakly (rho .32).",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)

# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05


def clarity(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score clarity, 0-100; undefined for a picture without contours."""
    return opinion_score(CLARITY, drivers, scales)


def too_simple(drivers: Drivers, scales: Scales) -> bool:
    """Say whether a picture shows next to nothing: clutter and contours in the lowest 5 %."""
    clutter = scales.rank("feature_congestion", drivers.feature_congestion)
    return clutter < _SIMPLE and scales.rank("contour_density", drivers.contour_density) < _SIMPLE
