"""Focus: how concentrated attention is."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.metrics.drivers import Drivers
from mediaan.metrics.scales import FocusScale, Scales, built_in_scales
from mediaan.types.arrays import Float32
from mediaan.types.maps import Densities, Window
from mediaan.types.metrics import MetricSpec, Score

# Cells on the long side of the grid on which concentration is measured, whatever grid the density comes in.
GRID = 96

_CAPTION = (
    "How concentrated attention is{when}: 100 = on one spot, 0 = spread as widely as in the most scattered pictures."
)
_REFERENCE = (
    "Effective area (inverse participation ratio) of the fixation density; percentile in a reference population."
)

FOCUS = MetricSpec("focus", "Focus", "score", 0, 100, "higher", "learned", _CAPTION.format(when=""), _REFERENCE)
FOCUS_FIRST_TWO = MetricSpec(
    "focus_first_two",
    "Focus, first 2 s",
    "score",
    0,
    100,
    "higher",
    "learned",
    _CAPTION.format(when=" in the first two seconds"),
    _REFERENCE,
)
FOCUS_LAST_TWO = MetricSpec(
    "focus_last_two",
    "Focus, last 2 s",
    "score",
    0,
    100,
    "higher",
    "learned",
    _CAPTION.format(when=" in the last two seconds"),
    _REFERENCE,
)


def concentration(density: Float32) -> float:
    """Measure how concentrated a density is.

    Parameters
    ----------
    density : (h, w) float32
        Non-negative, sums to 1.

    Returns
    -------
    float
        ln(1 / A) / ln(96²), where A = 1 / (N Σp²) is the effective share of the picture that is attended: 0 for an
        even density, 1 when all attention falls on 1/9216 of the picture.

    Notes
    -----
    The density is first brought to a grid of 96 cells on the long side, and the logarithm's base is fixed, so that the
    value depends on the attended share alone and not on the resolution of the map.

    Examples
    --------
    >>> concentration(np.full((48, 64), 1 / 3072, np.float32))
    0.0
    >>> half = np.zeros((96, 96), np.float32); half[:, :48] = 2 / 96**2
    >>> round(concentration(half), 4) == round(float(np.log(2) / np.log(96**2)), 4)
    True
    """
    height, width = density.shape
    factor = GRID / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    cells = cv2.resize(density, size, interpolation=method).astype(np.float64)
    p = cells / cells.sum()
    return max(0.0, float(np.log(p.size * (p * p).sum()) / np.log(GRID**2)))


def focus(
    density: Float32, scale: FocusScale | None = None, spec: MetricSpec = FOCUS, window: Window = "total"
) -> Score:
    """Score how concentrated a density is.

    Parameters
    ----------
    density : (h, w) float32
        Non-negative, sums to 1.
    scale : FocusScale, optional
        Of the model that made the density; by default the one that ships with the package.

    Returns
    -------
    Score
        0-100, with the 90 % interval of human viewers' focus around a prediction.
    """
    scale = scale or built_in_scales().focus
    value = scale.score(concentration(density))
    lo, hi = scale.spread.bounds(value)
    return Score(spec.name, window, value, lo, hi, spec.basis, spec.unit)


def focus_total(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus over the whole exposure."""
    return _focus_of(densities, scales, FOCUS, "total")


def focus_first_two(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus in the first two seconds."""
    return _focus_of(densities, scales, FOCUS_FIRST_TWO, "start")


def focus_last_two(drivers: Drivers, densities: Densities, scales: Scales) -> Score:
    """Score focus in the last two seconds."""
    return _focus_of(densities, scales, FOCUS_LAST_TWO, "end")


def _focus_of(densities: Densities, scales: Scales, spec: MetricSpec, window: Window) -> Score:
    if window in densities.maps:
        return focus(densities[window], scales.focus, spec, window)
    return Score(spec.name, window, None, None, None, spec.basis, spec.unit, f"The model predicts no {window} window.")
