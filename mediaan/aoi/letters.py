"""The pixels of a line of text, told apart into letters and ground."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.types.aoi import TextLine
from mediaan.types.arrays import Bool, Float64, UInt8

_HEIGHT, _MAX_WIDTH = 48, 960
"""A crop is looked at in no larger size, px."""

_CORE = 0.15
"""Share of the letters, and of the ground, that is furthest from the other: edges are mixtures of both."""

_MIN_SPREAD = 4.0
"""Standard deviation along the main axis of colour, 0-255, under which there is nothing to tell apart."""

_MIN_SEPARATION = 0.55
"""Share of the variance along that axis that two clusters must explain; a uniform ramp has .75, a Gaussian .64."""

_INKED = 0.06
"""A row or column lies between the ends of the letters if it has this share of the letters of the fullest one."""

_TYPICAL_ROWS = (0.14, 0.86)
_MIN_REACH = 0.35
"""Letters fill 40 to 80 % of the height of a line as found: rendered text of five typefaces, 12-120 px."""


class Letters(NamedTuple):
    """What a line looks like.

    Attributes
    ----------
    colour, ground : (3,) float64
        sRGB of letters and of what is behind them, 0-255.
    rows, columns : (float, float)
        From where to where letters reach, 0-1 of the height and of the length of the line's quadrilateral.
    share : float
        Of the quadrilateral that is letters, 0-1.
    """

    colour: Float64
    ground: Float64
    rows: tuple[float, float]
    columns: tuple[float, float]
    share: float


def find_letters(rgb: UInt8, line: TextLine) -> Letters | None:
    """Tell letters from ground by splitting the colours of a line in two.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    line : TextLine

    Returns
    -------
    Letters or None
        None where there are no two colours to tell apart. The ground is what meets the border of the line.

    References
    ----------
    Otsu (1979). A threshold selection method from gray-level histograms. IEEE SMC 9, 62-66; here along the main axis
    of colour, so that letters of the same luminance as their ground are found, too.
    """
    crop = line_crop(rgb, line)
    position = _along_main_axis(crop)
    spread = float(position.std())
    if spread < _MIN_SPREAD:
        return None
    bright = _brighter(position)
    share = float(bright.mean())
    between = share * (1 - share) * (position[bright].mean() - position[~bright].mean()) ** 2
    if between < _MIN_SEPARATION * spread**2:
        return None
    letters = bright if _border(bright).mean() < 0.5 else ~bright
    away = position if letters is bright else -position
    rows, columns = _reach(letters.mean(axis=1)), _reach(letters.mean(axis=0))
    return Letters(_core(crop, away, letters), _core(crop, -away, ~letters), rows, columns, float(letters.mean()))


def line_size(line: TextLine, width: int, height: int) -> tuple[float, float]:
    """Length along a line and height across it, px of a picture of that size.

    Examples
    --------
    >>> line_size(TextLine(((0, 0), (0.5, 0), (0.5, 0.1), (0, 0.1)), "a", 1.0), 200, 100)
    (100.0, 10.0)
    """
    (x0, y0), (x1, y1), _, (x3, y3) = line.corners
    length = np.hypot((x1 - x0) * width, (y1 - y0) * height)
    return float(length), float(np.hypot((x3 - x0) * width, (y3 - y0) * height))


def trimmed(line: TextLine, letters: Letters | None) -> TextLine:
    """The line with the margin taken off that the finder of text leaves around its letters.

    Where letters cannot be told from their ground, or fill less than is plausible, a typical margin is taken off.
    """
    (top, bottom), (left, right) = _TYPICAL_ROWS, (0.0, 1.0)
    if letters is not None and letters.rows[1] - letters.rows[0] >= _MIN_REACH:
        (top, bottom), (left, right) = letters.rows, letters.columns
    origin, along, _, across = np.array(line.corners)
    along, across = along - origin, across - origin
    corners = [origin + x * along + y * across for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return replace(line, corners=(first, second, third, fourth))


def line_crop(rgb: UInt8, line: TextLine) -> UInt8:
    """A line set straight, at most 48 px high."""
    height, width = rgb.shape[:2]
    length, across = line_size(line, width, height)
    scale = min(1.0, _HEIGHT / max(across, 1.0), _MAX_WIDTH / max(length, 1.0))
    size = max(2, round(length * scale)), max(2, round(across * scale))
    corners = (np.array(line.corners) * (width, height)).astype(np.float32)
    target = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners, target)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.warpPerspective(rgb, matrix, size, flags=method, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _along_main_axis(crop: UInt8) -> Float64:
    """Position of each pixel (h, w) on the axis of colour along which the crop varies most, towards white."""
    pixels = crop.reshape(-1, 3).astype(np.float64)
    pixels -= pixels.mean(axis=0)
    axis = np.linalg.eigh(pixels.T @ pixels)[1][:, -1]
    axis *= 1 if axis.sum() >= 0 else -1
    position: Float64 = (pixels @ axis).reshape(crop.shape[:2])
    return position


def _brighter(position: Float64) -> Bool:
    low, high = position.min(), position.max()
    levels = np.round((position - low) * (255 / (high - low))).astype(np.uint8)
    threshold, _ = cv2.threshold(levels, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    return np.asarray(levels > threshold, dtype=np.bool_)


def _border(mask: Bool) -> Bool:
    """Values along the two long sides, where letters do not reach."""
    return np.concatenate([mask[0], mask[-1]])


def _core(crop: UInt8, away: Float64, mask: Bool) -> Float64:
    """Typical colour of those pixels of a cluster that are the least mixed with the other."""
    values = away[mask]
    core = values >= np.quantile(values, 1 - _CORE)
    colour: Float64 = np.median(crop[mask][core].astype(np.float64), axis=0)
    return colour


def _reach(shares: Float64) -> tuple[float, float]:
    inked = np.flatnonzero(shares >= _INKED * shares.max())
    return float(inked[0] / len(shares)), float((inked[-1] + 1) / len(shares))
