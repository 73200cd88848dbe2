"""Memory: a proxy of how likely a picture is recognised later."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.focus import concentration
from mediaan.metrics.ranked import ranked_score
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score

MEMORY = MetricSpec(
    name="memory",
    title="Memory",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="proxy",
    caption="A proxy of recognition: pictures that gather attention on few things, with colour and contrast, are "
    "remembered better. Not validated on recognition data; differences under its interval mean nothing.",
    reference="Isola et al. (2014), IEEE PAMI 36, 1469-1482; Khosla et al. (2015), ICCV, 2390-2398; Mancas & Le Meur "
    "(2013), ICIP, 196-200; Borkin et al. (2013), IEEE TVCG 19, 2306-2315.",
)


def raw_memory(drivers: Drivers, densities: Densities, scales: Scales) -> float:
    """Return raw memory, 0-1.

    A weighted mean of ranks: concentration of attention (.45: viewers agree on memorable pictures, and landscapes
    without a centre are forgotten), colourfulness (.25), global contrast (.15), little crowding of contours (.15).
    """
    return (
        0.45 * scales.focus.score(concentration(densities["total"])) / 100
        + 0.25 * scales.rank("colourfulness", drivers.colourfulness)
        + 0.15 * scales.rank("luminance_sd", drivers.luminance_sd)
        + 0.15 * (1 - scales.rank("contour_congestion", drivers.contour_congestion))
    )


def memory(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score memory, 0-100, a proxy."""
    return ranked_score(MEMORY, raw_memory(drivers, densities, scales), scales)
