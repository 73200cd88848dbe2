"""Clarity: how easily the message can be taken in."""

from __future__ import annotations

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.ranked import ranked_score
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
    caption="How easily the message can be taken in: strong contours and text contrast, little clutter, empty space. "
    "A documented function of measurements, not fitted to people.",
    reference="Reber, Schwarz & Winkielman (2004), Pers. Soc. Psychol. Rev. 8, 364-382; Rosenholtz et al. (2007); "
    "Miniukovich & De Angeli (2015), CHI '15.",
)

# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05


def raw_clarity(drivers: Drivers, scales: Scales) -> float | None:
    """Return raw clarity, 0-1, None for a picture without contours.

    A weighted mean of ranks: little feature congestion (.35), strong contours (.25), uncrowded contours (.15), empty
    space (.10), contrast of text (.15; where nothing looks like text, contours take its part).
    """
    if drivers.contour_weakness is None:
        return None
    strength = 1 - scales.rank("contour_weakness", drivers.contour_weakness)
    text = strength if drivers.text_contrast is None else scales.rank("text_contrast", drivers.text_contrast)
    return (
        0.35 * (1 - scales.rank("feature_congestion", drivers.feature_congestion))
        + 0.25 * strength
        + 0.15 * (1 - scales.rank("contour_congestion", drivers.contour_congestion))
        + 0.10 * scales.rank("white_space", drivers.white_space)
        + 0.15 * text
    )


def clarity(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score clarity, 0-100; undefined for a picture without contours."""
    raw = raw_clarity(drivers, scales)
    if raw is None:
        reason = "The picture has no contours, so there is nothing to make out."
        return Score(CLARITY.name, "total", None, None, None, CLARITY.basis, CLARITY.unit, reason)
    return ranked_score(CLARITY, raw, scales)


def too_simple(drivers: Drivers, scales: Scales) -> bool:
    """Say whether a picture is clear only because it shows next to nothing: clutter and contours in the lowest 5 %."""
    clutter = scales.rank("feature_congestion", drivers.feature_congestion)
    return clutter < _SIMPLE and scales.rank("contour_density", drivers.contour_density) < _SIMPLE
