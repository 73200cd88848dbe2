"""Draw difference maps: where one image gains attention against another, and where it loses."""

from __future__ import annotations

from functools import cache

import numpy as np

from mediaan.errors import UsageError
from mediaan.maps.heatmap import MAX_OPACITY, mute_colours
from mediaan.maps.legend import Legend, scale_legend, with_legend
from mediaan.maps.levels import (
    LEVELS,
    Scale,
    blend_colours,
    image_shape,
    local_levels,
    relative_density,
    smoothstep,
    upsample_levels,
)
from mediaan.types.arrays import Float32, Float64, UInt8

DIFFERENCE_TITLE = "Change of attention"

LOSS, GAIN = (20, 92, 200), (236, 112, 0)
"""Blue and orange: told apart by people with any colour blindness, and by their lightness in grey prints."""

DIFFERENCE = Scale(
    low=-6.0,
    high=6.0,
    ticks=((-6.0, "-6x"), (-3.0, "-3x"), (0.0, "0"), (3.0, "+3x"), (6.0, "+6x")),
    unit="times the attention of an average spot: blue loses, orange gains",
)
"""Relative density after minus before; the same for every pair of images."""

_MIN_SHOWN_CHANGE, _FULL_OPACITY_CHANGE = 0.3, 4.0


def difference_map(rgb: UInt8, before: Float32, after: Float32, *, legend: bool = True) -> UInt8:
    """Colour an image by what it gains and loses of attention, on a scale that is the same for every pair.

    `rgb` (H, W, 3) uint8: the image after, sRGB.
    `before`, `after` (h, w) float32: fixation densities; their cells tile the images alike.
    `legend`: whether a strip with the scale is added below.
    Returns (H', W, 3) uint8: H' is H, or H and the legend's height.
    Raises UsageError: `rgb` or a density is not of that form, or the densities differ in shape.

    >>> rgb, even = np.full((40, 60, 3), 128, np.uint8), np.full((4, 6), 1 / 24, np.float32)
    >>> bool((difference_map(rgb, even, even, legend=False) == mute_colours(rgb)).all())
    True
    """
    if before.shape != after.shape:
        raise UsageError(f"densities must have one shape, not {before.shape} and {after.shape}")
    gained = relative_density(after) - relative_density(before)
    levels = upsample_levels(local_levels(gained.astype(np.float32), DIFFERENCE), image_shape(rgb))
    drawn = blend_colours(mute_colours(rgb), levels, _level_colours(), _level_opacity())
    return with_legend(drawn, _difference_legend()) if legend else drawn


def _level_changes() -> Float64:
    """Return the change that each level stands for; the two beside 0 are too small to be drawn."""
    return DIFFERENCE.value(np.arange(LEVELS, dtype=np.float64) / (LEVELS - 1))


def _level_opacity() -> Float64:
    return MAX_OPACITY * smoothstep(
        (np.abs(_level_changes()) - _MIN_SHOWN_CHANGE) / (_FULL_OPACITY_CHANGE - _MIN_SHOWN_CHANGE)
    )


def _level_colours() -> UInt8:
    return np.where(_level_changes()[:, None] < 0, LOSS, GAIN).astype(np.uint8)


@cache
def _difference_legend() -> Legend:
    """Make the legend, with colours as they look over a middle grey."""
    grey, steps = np.full((1, LEVELS, 3), 160, np.uint8), np.arange(LEVELS, dtype=np.uint8)[None]
    return scale_legend(DIFFERENCE_TITLE, DIFFERENCE, blend_colours(grey, steps, _level_colours(), _level_opacity())[0])
