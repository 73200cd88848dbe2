"""Design: how good the design is found."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.opinions import opinion_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

DESIGN = MetricSpec(
    name="design",
    title="Design",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="learned",
    caption="How good rather than bad people would call its design. Learned from ten to twelve people's opinions of "
    "each of 177 web advertisements; on ads that it was not fitted to it agrees with them moderately (rho .48).",
    reference="Opinions: Zeng, Kohno & Roesner (2021), CHI '21, 361.",
)


def design(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score how good the design is found, 0-100; undefined for a picture without contours."""
    return opinion_score(DESIGN, drivers, scales)
