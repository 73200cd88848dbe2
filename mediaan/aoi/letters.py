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

_INKED = 0.025
"""A row or column lies between the ends of the letters if it has this share of the letters of the fullest one."""

_MARGIN = 0.27
"""Of the height of a line, looked at on every side: the ground is told by what lies there."""

_PLAUSIBLE = (0.69, 1.39)
"""Heights of letters, of the height of their line, outside of which something else was taken for them."""

_MIN_COLUMNS = 0.8


class Letters(NamedTuple):
    """What a line looks like.

    Attributes
    ----------
    colour, ground : (3,) float64
        sRGB of letters and of what is behind them, 0-255.
    rows, columns : (float, float)
        From where to where letters reach: 0 is the top or the beginning of the line as it was found, 1 its bottom or
        end; they may reach beyond.
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
    length, across = line_size(line, rgb.shape[1], rgb.shape[0])
    rows = _reach(_own_rows(letters.mean(axis=1)), _MARGIN)
    columns = _reach(letters.mean(axis=0), _MARGIN * across / max(length, 1e-6))
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
    """The line as far as its letters reach; as it was found where these are unknown or implausibly high or short."""
    if letters is None:
        return line
    (top, bottom), (left, right) = letters.rows, letters.columns
    if not _PLAUSIBLE[0] <= bottom - top <= _PLAUSIBLE[1] or right - left < _MIN_COLUMNS:
        return line
    origin, along, _, across = np.array(line.corners)
    along, across = along - origin, across - origin
    corners = [origin + x * along + y * across for x, y in ((left, top), (right, top), (right, bottom), (left, bottom))]
    first, second, third, fourth = ((float(x), float(y)) for x, y in corners)
    return replace(line, corners=(first, second, third, fourth))


def line_crop(rgb: UInt8, line: TextLine) -> UInt8:
    """A line with some margin, set straight, at most 48 px high."""
    height, width = rgb.shape[:2]
    length, across = line_size(line, width, height)
    corners = _enlarged(np.array(line.corners) * (width, height), _MARGIN * across)
    length, across = length + 2 * _MARGIN * across, across * (1 + 2 * _MARGIN)
    scale = min(1.0, _HEIGHT / max(across, 1.0), _MAX_WIDTH / max(length, 1.0))
    size = max(2, round(length * scale)), max(2, round(across * scale))
    target = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float32)
    matrix = cv2.getPerspectiveTransform(corners.astype(np.float32), target)
    method = cv2.INTER_AREA if scale < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.warpPerspective(rgb, matrix, size, flags=method, borderMode=cv2.BORDER_REPLICATE), np.uint8)


def _enlarged(corners: Float64, margin: float) -> Float64:
    """A rectangle, px, with a margin on every side."""
    along, across = corners[1] - corners[0], corners[3] - corners[0]
    right = along * (margin / max(float(np.hypot(*along)), 1e-6))
    down = across * (margin / max(float(np.hypot(*across)), 1e-6))
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    return np.array([corner + x * right + y * down for corner, (x, y) in zip(corners, signs, strict=True)])


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


def _reach(shares: Float64, margin: float) -> tuple[float, float]:
    """First and last row or column with letters, in lengths of the line without its margins."""
    inked = np.flatnonzero(shares >= _INKED * shares.max())
    ends = np.array([inked[0], inked[-1] + 1]) / len(shares) * (1 + 2 * margin) - margin
    return float(ends[0]), float(ends[1])


def _own_rows(shares: Float64) -> Float64:
    """Shares of letters by row, without those of the lines above and below: what a bare row parts from the middle."""
    bare = np.flatnonzero(shares < _INKED * shares.max())
    fullest = int(shares.argmax())
    first = max((row + 1 for row in bare if row < fullest), default=0)
    last = min((row for row in bare if row > fullest), default=len(shares))
    own = np.zeros_like(shares)
    own[first:last] = shares[first:last]
    return own
