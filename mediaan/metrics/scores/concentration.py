"""Measure how concentrated attention is: the raw value of focus."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, lru_cache

import cv2
import numpy as np

from mediaan.types.aoi import FULL_FRAME
from mediaan.types.arrays import Float32, Float64

GRID_SIZE = 96
"""Cells on the long side: one is about 0.4 degrees of visual angle in the usual set-ups."""

MAX_HOTSPOTS = 3
"""Attention gathered in so many places counts as gathered in one: product, text and logo of a good advertisement."""

_REACH = 0.15
"""How far a place extends, share of the long side; in full up to half of that, then less and less. Where a degree of
visual angle is .025 of it, as in `saliency.density`, that is 3 degrees in full, 6 in all: a few words, a face."""

_BLUR = 0.04
"""Standard deviation of the Gaussian under which the strongest place is found, share of the long side."""

_OWN_BLUR = 0.3
"""How far the spots of a density keep their size when the image becomes smaller in its frame, 0-1: 0 if they shrank
with it, 1 if their size came from the model and the eye alone. Bars of 10 to 30 % around images of 512 px give .32
to .42 (`models/training/focus_checks.py`); larger and crisper ones less."""


def resample_density(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> Float64:
    """Resample what a density says of a part of the image to 96 cells on its long side.

    `density` (h, w) float32: non-negative, not all zero.
    `content` (float, float, float, float): x0, y0, x1, y1 of that part, unit coordinates; its edges are rounded to
        those of cells. Where nothing of the density lies in it, the whole is taken.
    Returns (rows, columns) float64: sums to 1.

    >>> resample_density(np.eye(3, 4, dtype=np.float32)).shape
    (72, 96)
    >>> resample_density(np.eye(3, 4, dtype=np.float32), (0, 0, 0.5, 1)).shape
    (96, 64)
    """
    rows, columns = density.shape
    left, top, right, bottom = content
    y0, x0 = min(round(top * rows), rows - 1), min(round(left * columns), columns - 1)
    part = density[y0 : max(y0 + 1, round(bottom * rows)), x0 : max(x0 + 1, round(right * columns))]
    part = part if part.any() else density
    height, width = part.shape
    factor = GRID_SIZE / max(height, width)
    size = (max(1, round(width * factor)), max(1, round(height * factor)))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    cells = cv2.resize(part, size, interpolation=method).astype(np.float64)
    return np.asarray(cells / cells.sum())


@dataclass(frozen=True, slots=True)
class HotspotConcentration:
    """Concentration of attention at the three strongest places."""

    share: float
    """Share of attention at the three strongest places, 0-1."""
    inside: float
    """Sum of squares of what lies there, all three places laid on each other."""
    outside: float
    """Sum of squares of the rest."""
    cells: int
    """Number of cells of the grid."""
    framed: float
    """Share of the frame that is not bars, 0-1."""

    @property
    def area(self) -> float:
        """Effective area of attention at the three strongest places laid on each other, share of the image."""
        return self.share**2 / (self.inside * self.cells)

    @property
    def concentration(self) -> float:
        """The raw value of focus, see `concentration`."""
        attended = 1 / (self.cells * (self.inside + self.outside)) * self.framed**_OWN_BLUR
        return min(1.0, max(0.0, float(-np.log(attended) / np.log(GRID_SIZE**2))))

    def with_share(self, share: float) -> HotspotConcentration:
        """Return the same, if the three strongest places held another share of attention."""
        rest = (1 - share) / (1 - self.share) if self.share < 1 else 0.0
        return replace(
            self, share=share, inside=self.inside * (share / self.share) ** 2, outside=self.outside * rest**2
        )

    def with_area(self, area: float) -> HotspotConcentration:
        """Return the same, if attention there were spread over another area."""
        return replace(self, inside=self.inside * self.area / area)


def hotspot_concentration(
    density: Float32, content: tuple[float, float, float, float] = FULL_FRAME
) -> HotspotConcentration:
    """Take the three strongest places out of a density and lay them on each other.

    `density` (h, w) float32: non-negative, sums to 1.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`.
    """
    cells = resample_density(density, content)
    return _concentration_of(cells.tobytes(), (cells.shape[0], cells.shape[1]), content)


@lru_cache(maxsize=4)  # several metrics ask for that of the same density, one after the other
def _concentration_of(
    values: bytes, shape: tuple[int, int], content: tuple[float, float, float, float]
) -> HotspotConcentration:
    """Lay the three strongest places of a grid of cells, float64, that covers the content on each other."""
    window = _place_weights()
    reach = window.shape[0] // 2
    rest = np.zeros((shape[0] + 2 * reach, shape[1] + 2 * reach))
    rest[reach:-reach, reach:-reach] = np.frombuffer(values).reshape(shape)
    overlay = np.zeros_like(window)
    for _ in range(MAX_HOTSPOTS):
        blurred = cv2.GaussianBlur(rest, (0, 0), _BLUR * GRID_SIZE, borderType=cv2.BORDER_CONSTANT)
        inner = blurred[reach:-reach, reach:-reach]
        y, x = np.unravel_index(int(inner.argmax()), inner.shape)
        place = rest[y : y + 2 * reach + 1, x : x + 2 * reach + 1]
        overlay += window * place
        place *= 1 - window
    framed = (content[2] - content[0]) * (content[3] - content[1])
    outside = float((rest**2).sum())
    return HotspotConcentration(float(overlay.sum()), float((overlay**2).sum()), outside, shape[0] * shape[1], framed)


@cache
def _place_weights() -> Float64:
    """Weight cells by their distance from the middle of a place: 1 up to half its reach, then down to 0 as a cosine."""
    reach = int(np.ceil(_REACH * GRID_SIZE))
    rows, columns = np.mgrid[-reach : reach + 1, -reach : reach + 1]
    beyond = np.clip(2 * np.hypot(columns, rows) / (_REACH * GRID_SIZE) - 1, 0, 1)
    return np.asarray(0.5 + 0.5 * np.cos(np.pi * beyond))


def concentration(density: Float32, content: tuple[float, float, float, float] = FULL_FRAME) -> float:
    """Measure how concentrated a density is.

    `density` (h, w) float32: non-negative, sums to 1.
    `content` (float, float, float, float): the part of the image that counts, from `content_box`; attention on bars
        around it is left out.
    Returns: ln(1 / A) / ln(96²), where A = 1 / (N Σq²) is the effective share of the image that is attended: near 0 for
        an even density, 1 when all attention falls on 1/9216 of the image. q is the density with its three strongest
        places laid on each other.

    Notes
    -----
    The inverse participation ratio is that area over which an even density would have the same Σp². Attention that is
    divided between two places would count as half as concentrated; but a good advertisement has a product, a line of
    text and a logo. So up to three places count as one, whatever attention each gets, and further ones spread it.

    The density is first brought to a grid of 96 cells on the long side, and the logarithm's base is fixed, so that the
    value depends on the attended share alone and not on the resolution of the map. Within bars an image is smaller,
    but the spots on it are not by as much: A is multiplied by the content's share of the frame to the power of .3.

    >>> spots = np.zeros((96, 96), np.float32); spots[20, 20] = spots[20, 70] = spots[70, 50] = 1 / 3
    >>> concentration(spots)
    1.0
    >>> concentration(np.full((48, 64), 1 / 3072, np.float32)) < 0.03
    True
    """
    return hotspot_concentration(density, content).concentration
