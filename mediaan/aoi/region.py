"""How much of a density lies inside a box or a polygon; cells that an edge cuts count by the share inside."""

from __future__ import annotations

import numpy as np

from mediaan.saliency.density import GridShape
from mediaan.types.aoi import Box, Point
from mediaan.types.arrays import Float32, Float64


def coverage(box: Box, polygon: tuple[Point, ...] | None, shape: GridShape) -> Float32:
    """Share of each cell of a grid that lies in a region.

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
    """Probability that a fixation lands in a region.

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
    """Share of the medium's area that a region covers, 0-1.

    Examples
    --------
    >>> region_area(Box(0, 0, 1, 1), ((0.0, 0.0), (1.0, 0.0), (0.0, 0.5)))
    0.25
    """
    return box.clipped().area if polygon is None else float(_polygon_coverage(polygon, (1, 1))[0, 0])


def _box_coverage(box: Box, shape: GridShape) -> tuple[Float64, Float64]:
    """Shares of the rows and of the columns; their outer product is the coverage."""
    inside = box.clipped()
    return _overlaps(inside.y0, inside.y1, shape[0]), _overlaps(inside.x0, inside.x1, shape[1])


def _overlaps(low: float, high: float, cells: int) -> Float64:
    """Share of each of some equal cells of [0, 1] that lies in [low, high]."""
    edges = np.arange(cells + 1)
    ends = np.clip(np.array([low, high])[:, None] * cells, edges[:-1], edges[1:])
    return np.asarray(np.maximum(0.0, ends[1] - ends[0]), np.float64)


def _polygon_coverage(polygon: tuple[Point, ...], shape: GridShape) -> Float64:
    """Signed area between each edge and the left border, cell by cell (Green's theorem), summed over edges.

    An edge is cut where it crosses the grid. A piece inside a cell covers of that cell the trapezium to its right, and
    all of the cells further right at its height.
    """
    rows, columns = shape
    corners = np.clip(np.asarray(polygon, np.float64), -1e3, 1e3) * (columns, rows)
    covered = np.zeros((rows, columns + 2), np.float64)
    for start, end in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        x, y = _cut_edge(start, end, shape)
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


def _cut_edge(start: Float64, end: Float64, shape: GridShape) -> tuple[Float64, Float64]:
    """Points along an edge, cells: its ends, and wherever it crosses a line between rows or columns."""
    along = [np.array([0.0, 1.0])]
    for axis, cells in ((0, shape[1]), (1, shape[0])):
        length = end[axis] - start[axis]
        if length != 0:
            crossings = (np.arange(cells + 1) - start[axis]) / length
            along.append(crossings[(crossings > 0) & (crossings < 1)])
    at = np.unique(np.concatenate(along))
    return start[0] + at * (end[0] - start[0]), start[1] + at * (end[1] - start[1])
