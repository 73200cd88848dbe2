"""Clarity: how easily the message can be taken in."""

from __future__ import annotations

from mediaan.metrics.composite import Composite, Term
from mediaan.metrics.drivers import Drivers
from mediaan.metrics.ranked import composite_score
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
    basis="proxy",
    caption="How easily the message can be taken in: what is looked at stands out from its ground, text is large and "
    "strong, with little clutter around. A documented function of measurements, not fitted to people.",
    reference="Reber, Schwarz & Winkielman (2004), Pers. Soc. Psychol. Rev. 8, 364-382; Legge & Bigelow (2011), "
    "J. Vision 11(5):8; Rosenholtz et al. (2007); Miniukovich & De Angeli (2015), CHI '15.",
)

STANDS_OUT = (
    Term(
        "attended_contrast", "more", 0.5,
        "Figure-ground contrast makes what is seen easier to process: Reber, Winkielman & Schwarz (1998), Psychol. "
        "Sci. 9, 45-48.",
    ),
    Term(
        "text_contrast", "more", 0.3,
        "Reading slows down as the contrast of text falls: Legge, Rubin & Luebker (1987), Vision Res. 27, 1165-1177.",
    ),
    Term(
        "contour_weakness", "less", 0.2,
        "Weak contours tell figure from ground badly: Miniukovich & De Angeli (2014), AVI '14.",
    ),
)  # fmt: skip
READS_EASILY = (
    Term(
        "text_height", "more", 0.5,
        "Under a critical size of print reading slows down steeply: Legge & Bigelow (2011), J. Vision 11(5):8.",
    ),
    Term(
        "letter_count", "less", 0.5,
        "Adults read 238 words a minute, so some 20 words (100 letters) in five seconds: Brysbaert (2019), J. Mem. "
        "Lang. 109:104047.",
    ),
)  # fmt: skip
UNOBSTRUCTED = (
    Term(
        "ground_congestion", "less", 0.6,
        "Search takes longer in clutter: Rosenholtz, Li & Nakano (2007), J. Vision 7(2):17. Outside text: large "
        "letters are many edges too.",
    ),
    Term(
        "contour_congestion", "less", 0.2,
        "Crowded contours make pages look worse and harder: Miniukovich & De Angeli (2015), CHI '15, 1163-1172.",
    ),
    Term(
        "white_space", "more", 0.2,
        "Empty space groups what belongs together and helps reading: Coursaris & Kripintris (2012), Int. J. E-Business "
        "Res. 8, 35-53.",
    ),
)  # fmt: skip

MODEL = Composite((STANDS_OUT, READS_EASILY, UNOBSTRUCTED))
"""A faint message is not made clear by the emptiness around it, nor a strong one by its strength when it drowns."""

# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05


def clarity(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score clarity, 0-100; undefined for a picture without contours."""
    if drivers.contour_weakness is None:
        reason = "The picture has no contours, so there is nothing to make out."
        return Score(CLARITY.name, "total", None, None, None, CLARITY.basis, CLARITY.unit, reason)
    return composite_score(CLARITY, MODEL, drivers, densities, scales)


def too_simple(drivers: Drivers, scales: Scales) -> bool:
    """Say whether a picture is clear only because it shows next to nothing: clutter and contours in the lowest 5 %."""
    clutter = scales.rank("feature_congestion", drivers.feature_congestion)
    return clutter < _SIMPLE and scales.rank("contour_density", drivers.contour_density) < _SIMPLE
