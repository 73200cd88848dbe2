"""The five categories of a percentile."""

from __future__ import annotations

from bisect import bisect_right

from mediaan.types.benchmark import CATEGORIES, EDGES, Category

_BOUNDS = (0.0, *EDGES, 100.0)


def categorise(percentile: float) -> Category:
    """Which category a percentile lies in; what lies on an edge belongs above it.

    Parameters
    ----------
    percentile : float
        0-100.

    Examples
    --------
    >>> categorise(9.99), categorise(10), categorise(64), categorise(90)
    ('extreme_low', 'low', 'medium', 'extreme_high')
    """
    return CATEGORIES[bisect_right(EDGES, percentile)]


def span(categories: tuple[Category, ...]) -> tuple[float, float]:
    """Percentiles between which adjoining categories lie: the first belongs to them, the last one does not but at 100.

    Parameters
    ----------
    categories : tuple of Category
        At least one, from low to high.

    Examples
    --------
    >>> span(("medium",)), span(("high", "extreme_high"))
    ((30.0, 70.0), (70.0, 100.0))
    """
    return _BOUNDS[CATEGORIES.index(categories[0])], _BOUNDS[CATEGORIES.index(categories[-1]) + 1]
