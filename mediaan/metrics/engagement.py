"""Engagement: how entertaining, and how little boring, an advertisement is found."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.opinions import opinion_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

ENGAGEMENT = MetricSpec(
    name="engagement",
    title="Engagement",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="How entertaining rather than boring people would call it. Learned from ten to twelve people's opinions of "
    "each of 177 web advertisements; on ads that it was not fitted to it agrees with them weakly (rho .31).",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)


def engagement(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score engagement, 0-100; undefined for a picture without contours."""
    return opinion_score(ENGAGEMENT, drivers, scales)
