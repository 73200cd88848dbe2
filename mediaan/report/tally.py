"""How many media of a run lie in each part of the population."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from mediaan.report.contents import Row
from mediaan.report.figures import digits, position
from mediaan.report.packed_ranges import CATEGORY_TITLES, POSITION_WORDS, POSITIONS
from mediaan.types.benchmark import CATEGORIES, EDGES, Category, Position
from mediaan.types.metrics import MetricSpec

EXPECTED = tuple(high - low for low, high in zip((0.0, *EDGES), (*EDGES, 100.0), strict=True))
"""Share of the population in each category, %."""

_SCALE = 60.0  # share of media, %, that fills the height of a figure at least


@dataclass(frozen=True, slots=True)
class Bar:
    """Media in one category: how many, their share and that of the population in %, and both as heights of 0-1."""

    category: Category
    title: str
    count: int
    share: float
    expected: float
    height: float
    expected_height: float


@dataclass(frozen=True, slots=True)
class Tally:
    """One score over the media of a run, counted by category.

    Attributes
    ----------
    metric : str
    counts : tuple of five int
        Media in each of `CATEGORIES`.
    positions : mapping of str to int
        Media by where they stand to the recommended range; empty where none is recommended.
    target : tuple of Category
        Recommended for most of them.
    edges : tuple of float
        Of the population that most of them were compared with.
    n : int
        Media in that population.
    surely : mapping of str to int
        Media by where their whole interval lies to the recommended range.
    """

    metric: str
    counts: tuple[int, ...]
    positions: Mapping[str, int]
    target: tuple[Category, ...]
    edges: tuple[float, ...]
    n: int
    surely: Mapping[str, int]

    @property
    def total(self) -> int:
        """Media with a category."""
        return sum(self.counts)

    @property
    def standing(self) -> list[tuple[Position, str, int, int]]:
        """Where media stand to what is recommended: its words, media, those surely so; no empty ones."""
        return [
            (name, POSITION_WORDS[name], n, self.surely.get(name, 0))
            for name in POSITIONS
            if (n := self.positions.get(name, 0))
        ]

    @property
    def bars(self) -> list[Bar]:
        """A bar for each category, on a scale that the population's fit on too."""
        shares = [100 * count / self.total for count in self.counts]
        tallest = max(_SCALE, *shares)
        return [
            Bar(name, CATEGORY_TITLES[name], count, share, expected, share / tallest, expected / tallest)
            for name, count, share, expected in zip(CATEGORIES, self.counts, shares, EXPECTED, strict=True)
        ]


def tally(metric: str, rows: Iterable[Row | None]) -> Tally | None:
    """Count the media of a run by category.

    Parameters
    ----------
    metric : str
    rows : iterable of Row or None
        Of one score, a medium each; None for a medium without a category.

    Returns
    -------
    Tally or None
        None where no medium has a category.
    """
    known = [row for row in rows if row is not None]
    if not known:
        return None
    by_category = Counter(row["category"] for row in known)
    edges, n = Counter((tuple(row["edges"]), row["n"]) for row in known).most_common(1)[0][0]
    return Tally(
        metric=metric,
        counts=tuple(by_category[name] for name in CATEGORIES),
        positions=dict(Counter(row["position"] for row in known if row["position"])),
        target=Counter(tuple(row["target"] or ()) for row in known).most_common(1)[0][0],
        edges=edges,
        n=n,
        surely=dict(Counter(place for row in known if (place := surely_placed(row)))),
    )


def surely_placed(row: Row) -> Position | None:
    """Where the whole interval of a score lies to the recommended range, as the page's script says it too.

    Returns
    -------
    {'within', 'below', 'above'} or None
        None where the interval reaches over an end of the range, where nothing is recommended, and where either is not
        known. A range that goes to the lowest or highest category has no end there.

    Examples
    --------
    >>> focus = {"lower": 67.0, "upper": 100.0, "target": ["high", "extreme_high"]}
    >>> [surely_placed(focus | {"lo": lo, "hi": hi}) for lo, hi in [(12, 40), (40, 70), (70, 90)]]
    ['below', None, 'within']
    """
    if None in (row["lo"], row["hi"], row["lower"], row["upper"]):
        return None
    bottom = -math.inf if CATEGORIES[0] in row["target"] else row["lower"]
    top = math.inf if CATEGORIES[-1] in row["target"] else row["upper"]
    if row["hi"] < bottom:
        return "below"
    if row["lo"] > top:
        return "above"
    return "within" if bottom <= row["lo"] and row["hi"] <= top else None


def population_line(counted: Tally, spec: MetricSpec) -> str:
    """Places of a population's edges on the metric's range, as CSS variables."""
    return ";".join(f"--p{name:.0f}:{position(edge, spec)}%" for name, edge in zip(EDGES, counted.edges, strict=True))


def population_title(counted: Tally, decimals: int) -> str:
    """The same in words."""
    lowest, low, high, highest = (digits(edge, decimals) for edge in counted.edges)
    middle, most = (
        f"the middle four of ten lie between {low} and {high}",
        f"eight of ten between {lowest} and {highest}",
    )
    return f"Of a population of {counted.n}, {middle}, {most}"
