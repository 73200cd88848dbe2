"""Measure what separates lines of text: edges and other colours between them, and plain regions of their ground."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.types.arrays import Bool, Float64, UInt8

SEPARATION_FEATURES = ("edge_between", "texture_between", "ground_between", "same_region", "plain")
"""Of two lines, see `separation_features`."""

_REACH = 3.0
"""Greatest gap, in type sizes, in which is looked."""

_EDGE, _TEXTURE = 40.0, 30.0
"""Step of colour from pixel to pixel, 0-255, that counts as a full edge, and as full texture."""

_LONG_SIDE = 512
"""At which regions are found, px."""

_PLAIN = 14
"""Greatest step of colour, 0-255, within a plain region."""

_RIM = 0.55
"""Width of the rim around a line in which its region is looked up, in type sizes."""


def separation_features(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    """Measure what lies between each two lines: cards, rules and pictures keep texts apart.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TypesetLine
        All lines of the image, at least one.

    Returns
    -------
    (lines, lines, features) float64
        In the order of `SEPARATION_FEATURES`, symmetric, 0 to 1. Of the gap between two lines below or beside each
        other, no wider than three type sizes, else 0: its strongest edge across it, its mean step of colour, and how
        far its colour is from the ground of the letters. Whether both stand in one plain region, and how much of the
        area around the letters such a region fills, of the line with less of it.
    """
    return np.concatenate([_between(rgb, lines), _in_regions(rgb, lines)], axis=2)


def _between(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    height, width = rgb.shape[:2]
    boxes = np.array([line.line.box for line in lines]) * (width, height, width, height)
    sizes = np.array([line.size_px for line in lines])
    reach = _REACH * np.sqrt(sizes[:, None] * sizes)
    low, high = boxes[:, :2], boxes[:, 2:]
    gaps = np.maximum(low[:, None] - high, low - high[:, None])
    stacked: Bool = (gaps[..., 1] > 0) & (gaps[..., 1] < reach) & (gaps[..., 0] < 0)
    beside: Bool = (gaps[..., 0] > 0) & (gaps[..., 0] < reach) & (gaps[..., 1] < 0)
    values = np.zeros((len(lines), len(lines), 3))
    for i, j in zip(*np.nonzero(np.triu(stacked | beside, 1)), strict=True):
        axis = 0 if stacked[i, j] else 1
        nearer, further = np.minimum(high[i], high[j]), np.maximum(low[i], low[j])
        # the gap in the direction of the lines, what both share across it
        (x0, x1), (y0, y1) = (
            (int(min(a, b)), int(np.ceil(max(a, b))) + 1) for a, b in zip(nearer, further, strict=True)
        )
        gap = rgb[max(0, y0 - (axis == 0)) : y1, max(0, x0 - (axis == 1)) : x1].astype(np.int16)
        if min(gap.shape[:2]) == 0 or gap.shape[axis] < 2:
            continue
        steps = np.abs(np.diff(gap, axis=axis)).max(axis=2)
        colour = np.median(gap.reshape(-1, 3), axis=0)
        grounds = [line.letters.ground for line in (lines[i], lines[j]) if line.letters]
        other = np.mean([np.linalg.norm(colour - ground) for ground in grounds]) / 255 if grounds else 0.0
        edge = np.median(steps, axis=1 - axis).max() / _EDGE
        values[i, j] = values[j, i] = np.minimum(1, [edge, steps.mean() / _TEXTURE, other])
    return values


def _in_regions(rgb: UInt8, lines: Sequence[TypesetLine]) -> Float64:
    scale = min(1.0, _LONG_SIDE / max(rgb.shape[:2]))
    size = max(1, round(scale * rgb.shape[1])), max(1, round(scale * rgb.shape[0]))
    small = cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)
    steps = cv2.morphologyEx(small, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).max(axis=2)
    _, regions = cv2.connectedComponents((steps <= _PLAIN).astype(np.uint8), connectivity=4)
    region, filled = np.zeros(len(lines), int), np.zeros(len(lines))
    for i, line in enumerate(lines):
        box, rim = line.line.box, _RIM * line.size_px * scale
        x0, x1 = max(0, int(box.x0 * size[0] - rim)), int(box.x1 * size[0] + rim) + 1
        y0, y1 = max(0, int(box.y0 * size[1] - rim)), int(box.y1 * size[1] + rim) + 1
        counts = np.bincount(regions[y0:y1, x0:x1].ravel(), minlength=2)
        if counts[1:].any():
            region[i] = int(counts[1:].argmax()) + 1
            filled[i] = counts[region[i]] / counts.sum()
    same = (region[:, None] == region) & (region > 0)
    return np.stack([same.astype(np.float64), np.minimum(filled[:, None], filled)], axis=2)
