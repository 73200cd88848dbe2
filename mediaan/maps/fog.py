"""Draw fog maps: what is attended lies clear, the rest sinks into fog."""

from __future__ import annotations

import cv2
import numpy as np

from mediaan.maps.legend import Legend, with_legend
from mediaan.maps.levels import LEVELS, attention_levels, crossfade, image_shape, smoothstep, upsample_levels
from mediaan.types.arrays import Float32, Float64, UInt8

FOG_TITLE = "Seen"
CLEAR_SHARE = 0.50
"""The densest spots that together hold this share of attention are shown as they are."""
HIDDEN_SHARE = 0.20
"""The sparsest spots that together hold this share of attention are hidden; in between the fog thickens."""
FOG_COLOUR = (20, 23, 29)
GLOW = 0.20


def fog_map(rgb: UInt8, density: Float32, *, legend: bool = True, title: str = FOG_TITLE) -> UInt8:
    """Hide what is not attended, by shares of attention that are the same for every image.

    The smallest region that holds half of the attention is clear, and the region that holds the last fifth is hidden.
    So a small clear region means concentrated attention. Where attention is spread evenly, nothing is hidden.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        Image, sRGB.
    density : (h, w) float32
        Fixation density; its cells tile the image.
    legend : bool
        Whether a strip with the scale is added below.
    title : str
        Heading of the legend.

    Returns
    -------
    (H', W, 3) uint8
        H' is H, or H and the legend's height.

    Raises
    ------
    UsageError
        If `rgb` or `density` is not of that form.
    """
    shape = image_shape(rgb)
    cells = attention_levels(density)
    drawn = crossfade(rgb, fog_image(rgb), upsample_levels(cells, shape), visibility(density, cells))
    return with_legend(drawn, fog_legend(title)) if legend else drawn


def visibility(density: Float32, cells: Float64) -> Float64:
    """Return the visibility of each level, from the share of attention that lies on denser levels.

    `density`: (h, w) float32.
    `cells` (h, w) float64: level of each cell, 0-255.
    Returns (256,) float64: 1 is clear, 0 hidden; never falls with the level. Between levels that occur it is
        interpolated, so that the edge stays smooth where cells are few.
    """
    held = np.bincount(np.round(cells).astype(np.intp).ravel(), density.ravel().astype(np.float64), LEVELS)
    share = held / np.sum(held, dtype=np.float64)
    denser: Float64 = np.cumsum(share[::-1], dtype=np.float64)[::-1] - share
    occupied = held.nonzero()[0]
    denser = np.interp(np.arange(LEVELS), occupied, denser[occupied])
    return 1.0 - smoothstep((denser - CLEAR_SHARE) / (1.0 - HIDDEN_SHARE - CLEAR_SHARE))


def fog_legend(title: str) -> Legend:
    """Make the legend of a fog map: from hidden to clear, in shares of attention."""
    ramp = np.linspace(FOG_COLOUR, (232, 233, 235), 256)
    ticks = ((0.0, "hidden"), (1.0, "clear"))
    note = f"clear: top {CLEAR_SHARE:.0%} of attention, hidden: last {HIDDEN_SHARE:.0%}"
    return Legend(title, note, np.round(ramp).astype(np.uint8).tobytes(), ticks)


def fog_image(rgb: UInt8) -> UInt8:
    """Blur an image beyond reading and darken it, as in thick fog; (H, W, 3) uint8."""
    height, width = rgb.shape[:2]
    factor = max(height, width) / 96.0
    small = (max(1, round(width / factor)), max(1, round(height / factor))) if factor > 1 else (width, height)
    blurred = cv2.GaussianBlur(cv2.resize(rgb, small, interpolation=cv2.INTER_AREA), (0, 0), 1.6)
    dark = cv2.addWeighted(blurred, GLOW, np.full_like(blurred, FOG_COLOUR), 1.0, 0.0)
    return np.asarray(cv2.resize(dark, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
