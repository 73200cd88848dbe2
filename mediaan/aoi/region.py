"""Measure regions of an image: pixel rectangles, and shares of a density inside boxes and polygons.

Cells that an edge cuts count by the share inside.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mediaan.saliency.density import GridShape
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32, Float64


class PixelBox(NamedTuple):
    """A rectangle of whole pixels: columns `x0` to `x1`, rows `y0` to `y1`, half-open."""

    x0: int
    y0: int
    x1: int
    y1: int

    @classmethod
    def of(cls, box: Box, width: int, height: int) -> PixelBox:
        """Round a box in unit coordinates to the pixels of an image of that size."""
        return cls(round(box.x0 * width), round(box.y0 * height), round(box.x1 * width), round(box.y1 * height))

    @classmethod
    def touched(cls, box: Box, width: int, height: int) -> PixelBox:
        """Return the pixels of an image that a box touches, at least one."""
        inside = box.clipped()
        x0, y0 = min(int(inside.x0 * width), width - 1), min(int(inside.y0 * height), height - 1)
        # rounded, lest an edge between two pixels be taken for one inside the next
        x1, y1 = int(np.ceil(round(inside.x1 * width, 6))), int(np.ceil(round(inside.y1 * height, 6)))
        return cls(x0, y0, max(x1, x0 + 1), max(y1, y0 + 1))

    @property
    def width(self) -> int:
        """Columns."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Rows."""
        return self.y1 - self.y0

    @property
    def area(self) -> int:
        """Pixels."""
        return self.width * self.height

    @property
    def slices(self) -> tuple[slice, slice]:
        """Index of its pixels in an array (H, W, ...)."""
        return slice(self.y0, self.y1), slice(self.x0, self.x1)

    def union(self, other: PixelBox) -> PixelBox:
        """Return the smallest rectangle that holds both."""
        return PixelBox(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def holds(self, other: PixelBox) -> bool:
        """Tell whether another lies inside."""
        return self.x0 <= other.x0 and self.y0 <= other.y0 and self.x1 >= other.x1 and self.y1 >= other.y1

    def shared_area(self, other: PixelBox) -> int:
        """Return the pixels in both."""
        across, down = min(self.x1, other.x1) - max(self.x0, other.x0), min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0, across) * max(0, down)


class Region(NamedTuple):
    """The place of an area: inside `polygon`, or all of `box` where that is None."""

    box: Box
    polygon: tuple[Point, ...] | None

    @property
    def area(self) -> float:
        """Share of the medium's area, 0-1."""
        return region_area(self.box, self.polygon)

    def share(self, density: Float32) -> float:
        """Return the share of a density inside, 0-1."""
        return attention_share(density, self.box, self.polygon)


def coverage(box: Box, polygon: tuple[Point, ...] | None, shape: GridShape) -> Float32:
    """Return the share of each cell of a grid that lies in a region.

    Parameters
    ----------
    box : Box
        The region where `polygon` is None.
    polygon : tuple of points or None
        Corners in unit coordinates, either way round, not closed. Where it crosses itself, what it winds around
        counts as inside.
    shape : (int, int)
        Rows and columns.

    Returns
    -------
    (h, w) float32
        0-1, exact up to rounding; what lies outside the medium is cut off.

    Examples
    --------
    >>> coverage(Box(0.25, 0.0, 1.0, 0.5), None, (2, 2)).tolist()
    [[0.5, 1.0], [0.0, 0.0]]
    >>> coverage(Box(0, 0, 1, 1), ((0, 0), (1, 1), (0, 1)), (2, 2)).tolist()
    [[0.5, 0.0], [1.0, 0.5]]
    """
    if polygon is not None:
        return _polygon_coverage(polygon, shape).astype(np.float32)
    rows, columns = _box_coverage(box, shape)
    return np.outer(rows, columns).astype(np.float32)


def attention_share(density: Float32, box: Box, polygon: tuple[Point, ...] | None = None) -> float:
    """Return the probability that a fixation lands in a region.

    Parameters
    ----------
    density : (h, w) float32
        Non-negative, sums to 1.
    box : Box
    polygon : tuple of points, optional
        As in `coverage`.

    Returns
    -------
    float
        0-1: the sum of density times `coverage`, in float64.

    Examples
    --------
    >>> attention_share(np.full((3, 4), 1 / 12, np.float32), Box(0.1, 0.2, 0.6, 0.8))  # doctest: +ELLIPSIS
    0.3000000...
    """
    values = density.astype(np.float64)
    if polygon is not None:
        share = float((values * _polygon_coverage(polygon, (values.shape[0], values.shape[1]))).sum())
    else:
        rows, columns = _box_coverage(box, (values.shape[0], values.shape[1]))
        share = float(rows @ values @ columns)
    return min(1.0, share)


def region_area(box: Box, polygon: tuple[Point, ...] | None = None) -> float:
    """Return the share of the medium's area that a region covers, 0-1.

    Examples
    --------
    >>> region_area(Box(0, 0, 1, 1), ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5)))
    0.25
    """
    return box.clipped().area if polygon is None else float(_polygon_coverage(polygon, (1, 1))[0, 0])


def _box_coverage(box: Box, shape: GridShape) -> tuple[Float64, Float64]:
    """Return the shares of rows and of columns that lie in a box; their outer product is its coverage."""

    def overlaps(low: float, high: float, cells: int) -> Float64:
        edges = np.arange(cells + 1)
        ends = np.clip(np.array([low, high])[:, None] * cells, edges[:-1], edges[1:])
        return np.asarray(np.maximum(0.0, ends[1] - ends[0]), np.float64)

    inside = box.clipped()
    return overlaps(inside.y0, inside.y1, shape[0]), overlaps(inside.x0, inside.x1, shape[1])


def _polygon_coverage(polygon: tuple[Point, ...], shape: GridShape) -> Float64:
    """Sum the signed area between each edge and the left border, cell by cell (Green's theorem).

    An edge is cut where it crosses the grid. A piece inside a cell covers of that cell the trapezium to its right, and
    all of the cells further right at its height.
    """
    rows, columns = shape
    corners = np.clip(np.asarray(polygon, np.float64), -1e3, 1e3) * (columns, rows)
    covered = np.zeros((rows, columns + 2), np.float64)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        cuts = [np.array([0.0, 1.0])]
        for axis, cells in ((0, columns), (1, rows)):
            length = end[axis] - start[axis]
            if abs(length) > 1e-9:  # of a cell; a shorter way crosses nothing that counts
                crossings = (np.arange(cells + 1) - start[axis]) / length
                cuts.append(crossings[(crossings > 0) & (crossings < 1)])
        at = np.unique(np.concatenate(cuts))
        x, y = start[0] + at * (end[0] - start[0]), start[1] + at * (end[1] - start[1])
        # left and right of the grid an edge counts like its border
        inside = np.clip(x, 0.0, columns)
        middle_x, middle_y = (inside[:-1] + inside[1:]) / 2, (y[:-1] + y[1:]) / 2
        row, column = np.floor(middle_y).astype(int), np.floor(middle_x).astype(int)
        kept = (row >= 0) & (row < rows)
        height, own = np.diff(y)[kept], (1 - (middle_x - column))[kept]
        row, column = row[kept], column[kept]
        np.add.at(covered, (row, column), height * own)
        np.add.at(covered, (row, column + 1), height * (1 - own))
    return np.asarray(np.minimum(1.0, np.abs(np.cumsum(covered, axis=1)[:, :columns])), np.float64)
