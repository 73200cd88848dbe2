"""Score memory: a proxy of how likely an image is recognised later."""

from __future__ import annotations

from mediaan.metrics.drivers.measure import Drivers
from mediaan.metrics.scales import Scales
from mediaan.metrics.scores.composite import Composite, CompositeTerm, composite_score
from mediaan.types.densities import Densities
from mediaan.types.metrics import MetricSpec, Score

MEMORY = MetricSpec(
    name="memory",
    title="Memory",
    unit="score",
    low=0,
    high=100,
    direction="higher",
    basis="proxy",
    caption="An estimate of how well people recognize it later: colourful images of people, with attention on a few "
    "uncrowded objects, are remembered better.",
    reference="Isola et al. (2014), IEEE PAMI 36, 1469-1482; Khosla et al. (2015), ICCV, 2390-2398; Mancas & Le Meur "
    "(2013), ICIP, 196-200; Borkin et al. (2013), IEEE TVCG 19, 2306-2315.",
)

MEMORY_COMPOSITE = Composite(
    (
        (
            CompositeTerm(
                "concentration", "more", 0.4,
                "Viewers agree on where to look in memorable images: Mancas & Le Meur (2013), ICIP, 196-200; "
                "landscapes without a centre are forgotten: Isola et al. (2014), IEEE PAMI 36.",
            ),
            CompositeTerm(
                "person_presence", "more", 0.25,
                "People are what makes an image memorable most: Isola et al. (2014); Borkin et al. (2013) of charts.",
            ),
            CompositeTerm(
                "colourfulness", "more", 0.2,
                "Scenes in colour are recognised better than in grey: Wichmann, Sharpe & Gegenfurtner (2002), J. Exp. "
                "Psychol. Learn. 28, 509-520; charts of many colours too: Borkin et al. (2013), IEEE TVCG 19.",
            ),
            CompositeTerm(
                "contour_congestion", "less", 0.15,
                "What is crowded is seen less well and so kept less well: Whitney & Levi (2011), Trends Cogn. Sci. 15.",
            ),
        ),
    )
)  # fmt: skip


def memory(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score memory, 0-100, a proxy."""
    return composite_score(MEMORY, MEMORY_COMPOSITE, drivers, densities, scales)
