"""Clarity: how easily the message can be taken in."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.ranked import ranked_score
from mediaan.metrics.scales import Scales
from mediaan.types.arrays import Float32
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
    caption="How easily the message can be taken in: what is looked at stands out from its ground, with little clutter "
    "around. A documented function of measurements, not fitted to people.",
    reference="Reber, Schwarz & Winkielman (2004), Pers. Soc. Psychol. Rev. 8, 364-382; Rosenholtz et al. (2007); "
    "Miniukovich & De Angeli (2015), CHI '15.",
)

# Standard deviation of luma, code values, that counts as fully legible: black print on white has about 100.
LEGIBLE = 64.0
# Share of the picture that must look like text for its contrast to count in full: less may be texture.
_CERTAIN_TEXT = 0.1
# Below this rank of clutter and contours alike there is hardly anything to take in.
_SIMPLE = 0.05


def legibility(drivers: Drivers, density: Float32) -> float:
    """Return the local contrast of what is looked at, 0-1: its mean under the density, 1 = as black print on white."""
    height, width = drivers.contrast_map.shape
    attention = cv2.resize(density, (width, height), interpolation=cv2.INTER_LINEAR)
    contrast = np.minimum(drivers.contrast_map / np.float32(LEGIBLE), 1)
    return float((attention * contrast).sum(dtype=np.float64) / attention.sum(dtype=np.float64))


def raw_clarity(drivers: Drivers, densities: Densities, scales: Scales) -> float | None:
    """Return raw clarity, 0-1, None for a picture without contours.

    The geometric mean of how well what is looked at stands out, and of how little is in its way; a faint message is
    not made clear by the emptiness around it, nor a strong one by its strength when it drowns in others. Standing out:
    `legibility` (.6), strong contours (.2), contrast of text (.2; the less looks like text, the more contours take
    its part). Little in the way: little feature congestion (.6), uncrowded contours (.2), empty space (.2).
    """
    if drivers.contour_weakness is None:
        return None
    strength = 1 - scales.rank("contour_weakness", drivers.contour_weakness)
    text = 0.0 if drivers.text_contrast is None else scales.rank("text_contrast", drivers.text_contrast)
    trust = min(1.0, drivers.text_share / _CERTAIN_TEXT)
    text = trust * text + (1 - trust) * strength
    stands_out = 0.6 * legibility(drivers, densities["total"]) + 0.2 * strength + 0.2 * text
    unobstructed = (
        0.6 * (1 - scales.rank("feature_congestion", drivers.feature_congestion))
        + 0.2 * (1 - scales.rank("contour_congestion", drivers.contour_congestion))
        + 0.2 * scales.rank("white_space", drivers.white_space)
    )
    return float(np.sqrt(stands_out * unobstructed))


def clarity(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score clarity, 0-100; undefined for a picture without contours."""
    raw = raw_clarity(drivers, densities, scales)
    if raw is None:
        reason = "The picture has no contours, so there is nothing to make out."
        return Score(CLARITY.name, "total", None, None, None, CLARITY.basis, CLARITY.unit, reason)
    return ranked_score(CLARITY, raw, scales)


def too_simple(drivers: Drivers, scales: Scales) -> bool:
    """Say whether a picture is clear only because it shows next to nothing: clutter and contours in the lowest 5 %."""
    clutter = scales.rank("feature_congestion", drivers.feature_congestion)
    return clutter < _SIMPLE and scales.rank("contour_density", drivers.contour_density) < _SIMPLE
