"""Count the media of a run by category of their population."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.benchmark_ranges import CATEGORY_TITLES, POSITION_WORDS, POSITIONS
from mediaan.report.formatting import digits, position
from mediaan.types.benchmark import CATEGORIES, EDGES, Category, Position
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

EXPECTED = tuple(high - low for low, high in zip((0.0, *EDGES), (*EDGES, 100.0), strict=True))
"""Share of the population in each category, %."""

_SCALE = 60.0  # share of media, %, that fills the height of a figure at least


@dataclass(frozen=True, slots=True)
class CategoryBar:
    """Media in one category: how many, their share and that of the population in %, and both as heights of 0-1."""

    category: Category
    title: str
    count: int
    share: float
    expected: float
    height: float
    expected_height: float


@dataclass(frozen=True, slots=True)
class CategoryCounts:
    """One score over the media of a run, counted by category."""

    metric: str
    counts: tuple[int, ...]
    """Media in each of `CATEGORIES`."""
    positions: Mapping[str, int]
    """Mapping of str to int. Media by where they stand to the recommended range; empty where none is recommended."""
    target: tuple[Category, ...]
    """Recommended for most of them."""
    edges: tuple[float, ...]
    """Of the population that most of them were compared with."""
    n: int
    """Media in that population."""

    @property
    def total(self) -> int:
        """Media with a category."""
        return sum(self.counts)

    @property
    def standing(self) -> list[tuple[Position, str, int]]:
        """Positions of media to the recommended range: name, words, media; no empty ones."""
        return [(name, POSITION_WORDS[name], n) for name in POSITIONS if (n := self.positions.get(name, 0))]

    @property
    def bars(self) -> list[CategoryBar]:
        """A bar for each category, scaled so that the bars of the population fit, too."""
        shares = [100 * count / self.total for count in self.counts]
        tallest = max(_SCALE, *shares)
        return [
            CategoryBar(name, CATEGORY_TITLES[name], count, share, expected, share / tallest, expected / tallest)
            for name, count, share, expected in zip(CATEGORIES, self.counts, shares, EXPECTED, strict=True)
        ]


def count_categories(
    ranges: Iterable[pa.RecordBatch | pa.Table], times: Mapping[str, Window]
) -> dict[str, CategoryCounts]:
    """Count the media of a run by category, score by score.

    `ranges`: the table of ranges, a part at a time; of all parts only the counts are kept.
    `times`: by metric the time of the score that counts.
    Returns: by metric; without those by which no medium has a category.
    """
    counts: dict[str, _Counts] = defaultdict(_Counts)
    for batch in ranges:
        is_counted = pc.and_(pc.is_null(batch["aoi_id"]), pc.is_valid(batch["category"]))
        of_media = pa.table(batch).filter(is_counted)
        columns = {name: of_media[name] for name in ("metric", "metric_time", "category", "position", "n")}
        columns |= {f"edge{i}": pc.list_element(of_media["edges"], i) for i in range(4)}
        columns["target"] = pc.fill_null(pc.binary_join(of_media["target"], ","), "")
        equal = pa.table(columns).group_by(_GROUPED, use_threads=False).aggregate([([], "count_all")])
        for row in equal.to_pylist():
            if times.get(row["metric"]) == row["metric_time"]:
                counts[row["metric"]].add(row)
    return {metric: of_metric.joined(metric) for metric, of_metric in counts.items()}


class _Counts:
    """Media of one metric, counted in several ways."""

    def __init__(self) -> None:
        self.categories, self.positions, self.targets = (Counter[str]() for _ in range(3))
        self.populations = Counter[tuple[tuple[float, ...], int]]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Add media of one population with the same standing."""
        media = row["count_all"]
        self.categories[row["category"]] += media
        self.targets[row["target"]] += media
        self.populations[tuple(row[f"edge{i}"] for i in range(4)), row["n"]] += media
        if row["position"]:
            self.positions[row["position"]] += media

    def joined(self, metric: str) -> CategoryCounts:
        """Return the counts, with the population and the target of most media."""
        edges, n = self.populations.most_common(1)[0][0]
        target = self.targets.most_common(1)[0][0].split(",")
        return CategoryCounts(
            metric=metric,
            counts=tuple(self.categories[name] for name in CATEGORIES),
            positions=self.positions,
            target=tuple(name for name in CATEGORIES if name in target),
            edges=edges,
            n=n,
        )


COUNTED_COLUMNS = ("metric", "metric_time", "aoi_id", "category", "position", "target", "edges", "n")
"""Columns of the table of ranges that `count_categories` needs."""

_GROUPED = ["metric", "metric_time", "category", "position", "target", *(f"edge{i}" for i in range(4)), "n"]


def population_line(counts: CategoryCounts, spec: MetricSpec) -> str:
    """Return a population's edges on the metric's range as CSS variables."""
    return ";".join(f"--p{name:.0f}:{position(edge, spec)}%" for name, edge in zip(EDGES, counts.edges, strict=True))


def population_title(counts: CategoryCounts, decimals: int) -> str:
    """Return a population's edges in words."""
    lowest, low, high, highest = (digits(edge, decimals) for edge in counts.edges)
    return (
        f"Of {counts.n} in the benchmark, the middle four of ten lie between {low} and {high}, "
        f"eight of ten between {lowest} and {highest}"
    )
