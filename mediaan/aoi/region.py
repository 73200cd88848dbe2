"""Measure regions of an image: pixel rectangles, and shares of a density inside boxes and polygons.

Cells that an edge cuts count by the share inside.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from mediaan.saliency.density import GridShape
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32, Float64, Int64


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

    def unit(self, width: int, height: int) -> Box:
        """Return the box in unit coordinates, inside an image of that size."""
        return Box(self.x0 / width, self.y0 / height, self.x1 / width, self.y1 / height).clipped()

    def padded(self, across: int, down: int, width: int, height: int) -> PixelBox:
        """Return it with room left and right, and above and below, as far as an image of that size has it."""
        left, top = max(0, self.x0 - across), max(0, self.y0 - down)
        return PixelBox(left, top, min(width, self.x1 + across), min(height, self.y1 + down))

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

    `box`: the region where `polygon` is None.
    `polygon` (tuple of points or None): corners in unit coordinates, either way round, not closed. Where it crosses
        itself, what it winds around counts as inside.
    `shape` (int, int): rows and columns.
    Returns (h, w) float32: 0-1, exact up to rounding; what lies outside the medium is cut off.

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

    `density` (h, w) float32: non-negative, sums to 1.
    `polygon` (tuple of points): as in `coverage`.
    Returns: 0-1: the sum of density times `coverage`, in float64.

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


def attention_shares_of_boxes(density: Float32, boxes: Sequence[Box]) -> Float64:
    """Return `attention_share` of many boxes at once, (boxes,) float64, up to rounding.

    >>> density = np.full((3, 4), 1 / 12, np.float32)
    >>> attention_shares_of_boxes(density, [Box(0.1, 0.2, 0.6, 0.8), Box(0.5, -1.0, 2.0, 2.0)]).round(6).tolist()
    [0.3, 0.5]
    """
    sides = np.clip(np.array(boxes, np.float64).reshape(-1, 4), 0.0, 1.0)
    rows = _overlaps(sides[:, 1, None], sides[:, 3, None], density.shape[0])
    columns = _overlaps(sides[:, 0, None], sides[:, 2, None], density.shape[1])
    shares: Float64 = np.minimum(1.0, ((rows @ density.astype(np.float64)) * columns).sum(axis=1))
    return shares


class PolygonOutline:
    """A polygon on a grid, for its shares of many densities, as those of a video: only cells at its outline are kept.

    `polygon` (tuple of points): as in `coverage`.
    `shape` (int, int): rows and columns.
    `area`: share of the medium's area, 0-1.
    """

    def __init__(self, polygon: tuple[Point, ...], shape: GridShape) -> None:
        steps = np.diff(_polygon_coverage(polygon, shape), axis=1, prepend=0.0).ravel()
        self.area = region_area(Box(0.0, 0.0, 1.0, 1.0), polygon)
        self._cells = np.flatnonzero(steps)
        self._steps = steps[self._cells]

    def share(self, to_the_right: Float64) -> float:
        """Return the share of a density inside, 0-1, as `attention_share` does; `to_the_right` as `sums_to_the_right`.

        >>> density = np.full((2, 2), 0.25, np.float32)
        >>> PolygonOutline(((0, 0), (1, 1), (0, 1)), (2, 2)).share(sums_to_the_right(density))
        0.5
        """
        return min(1.0, float(self._steps @ to_the_right.ravel()[self._cells]))


def sums_to_the_right(density: Float32) -> Float64:
    """Return the sum of each cell and all cells to its right, (h, w) float64."""
    return np.ascontiguousarray(np.cumsum(density[:, ::-1], axis=1, dtype=np.float64)[:, ::-1])


def region_area(box: Box, polygon: tuple[Point, ...] | None = None) -> float:
    """Return the share of the medium's area that a region covers, 0-1.

    >>> region_area(Box(0, 0, 1, 1), ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5)))
    0.25
    """
    return box.clipped().area if polygon is None else float(_polygon_coverage(polygon, (1, 1))[0, 0])


def _box_coverage(box: Box, shape: GridShape) -> tuple[Float64, Float64]:
    """Return the shares of rows and of columns that lie in a box; their outer product is its coverage."""

    inside = box.clipped()
    return _overlaps(inside.y0, inside.y1, shape[0]), _overlaps(inside.x0, inside.x1, shape[1])


def _overlaps(low: float | Float64, high: float | Float64, cells: int) -> Float64:
    """Return how much of each of so many cells lies between two ends, 0-1; ends (n, 1) make (n, cells)."""
    edges = np.arange(cells + 1, dtype=np.float64)
    shared = np.minimum(high * cells, edges[1:]) - np.maximum(low * cells, edges[:-1])
    return np.asarray(np.maximum(0.0, shared), np.float64)


@lru_cache(maxsize=8)
def _polygon_coverage(polygon: tuple[Point, ...], shape: GridShape) -> Float64:
    """Sum the signed area between each edge and the left border, cell by cell (Green's theorem).

    An edge is cut where it crosses the grid. A piece inside a cell covers of that cell the trapezium to its right, and
    all of the cells further right at its height. All edges are cut at once. The array is kept for the other densities
    of the same medium, so it is read-only.
    """
    rows, columns = shape
    start = np.clip(np.asarray(polygon, np.float64), -1e3, 1e3) * (columns, rows)
    way = np.roll(start, -1, axis=0) - start
    edge, at = _cuts(start, way, shape)
    x, y = start[edge, 0] + at * way[edge, 0], start[edge, 1] + at * way[edge, 1]
    # left and right of the grid an edge counts like its border
    inside = np.clip(x, 0.0, columns)
    middle_x, middle_y = (inside[:-1] + inside[1:]) / 2, (y[:-1] + y[1:]) / 2
    row, column = np.floor(middle_y).astype(np.int64), np.floor(middle_x).astype(np.int64)
    kept = (edge[:-1] == edge[1:]) & (row >= 0) & (row < rows)
    height, inner = np.diff(y)[kept], (1 - (middle_x - column))[kept]
    cell = (row * (columns + 2) + column)[kept]
    size = rows * (columns + 2)
    covered = np.bincount(cell, height * inner, size) + np.bincount(cell + 1, height * (1 - inner), size)
    across = np.cumsum(covered.reshape(rows, columns + 2), axis=1)[:, :columns]
    share = np.asarray(np.minimum(1.0, np.abs(across)), np.float64)
    share.setflags(write=False)
    return share


def _cuts(start: Float64, way: Float64, shape: GridShape) -> tuple[Int64, Float64]:
    """Return where edges cross a grid: the edge, and how far along it, 0-1; ends included, in order."""
    edges = np.arange(len(start))
    edge, at = [edges, edges], [np.zeros(len(start)), np.ones(len(start))]
    for axis, cells in ((0, shape[1]), (1, shape[0])):
        low = np.clip(np.minimum(start[:, axis], start[:, axis] + way[:, axis]), 0, cells)
        high = np.clip(np.maximum(start[:, axis], start[:, axis] + way[:, axis]), 0, cells)
        first = np.ceil(low).astype(np.int64)
        count = np.maximum(0, np.floor(high).astype(np.int64) - first + 1)
        count[np.abs(way[:, axis]) <= 1e-9] = 0  # of a cell; a shorter way crosses nothing that counts
        crossing = np.repeat(edges, count)
        line = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + first[crossing]
        share = (line - start[crossing, axis]) / way[crossing, axis]
        between = (share > 0) & (share < 1)
        edge.append(crossing[between])
        at.append(share[between])
    every_edge, every_at = np.concatenate(edge), np.concatenate(at)
    order = np.lexsort((every_at, every_edge))
    return every_edge[order], every_at[order]
