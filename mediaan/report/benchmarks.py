"""Benchmark ranges of a run: where its scores stand in their populations, and how many media in each category."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.judge.benchmark.ranges import POSITION_WORDS
from mediaan.report.counts import count_distinct, scan
from mediaan.report.formatting import digits, position
from mediaan.types.benchmark import CATEGORIES, EDGES, BenchmarkRange, Category, Position
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec

CATEGORY_TITLES: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in CATEGORIES}
_POSITIONS = list(POSITION_WORDS)

_NORM_KEYS = ("norm_set", "segment", "metric", "metric_time", "aoi_type", "n", "lower", "upper", "edges", "target")
_FIGURES = 6  # significant ones of edges: more than a strip can show
_NUMBER = re.compile(r"(?<= is )-?\d+(?:[.,]\d+)*")


EncodedRange = list[Any] | int
"""A range, or the index of the reason why there is none."""


BENCHMARK_NOUNS = {"ads": "ads", "films": "short films", "charts": "charts", "web": "web pages"}
"""What the norm sets that ship hold, for "higher than 76 % of 597 ads"."""


@dataclass(slots=True)
class RangeEncoder:
    """Encode ranges as a few small numbers, and keep once what they have in common."""

    norms: dict[tuple[Any, ...], int] = field(default_factory=dict)
    texts: dict[str | None, int] = field(default_factory=dict)
    populations: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def encode(self, row: BenchmarkRange) -> EncodedRange:
        """Return a range as the page's script reads it.

        Returns: ``[population, code, sentence, its number, percentile]``: the code's decimal digits are the indices,
            from 1, of the category and of the position, 0 where unknown. Where there is no range, the index of its
            reason.
        """
        if row.category is None:
            return _index(self.reasons, row.reason or "there is no such benchmark")
        sentence, number = _split_number(row.score_title)
        sentence_index = -1 if sentence is None else _index(self.sentences, sentence)
        # rounded down to a tenth, so that a rank never reaches the next category
        tenths = int(10 * (row.percentile or 0.0))
        percent = tenths / 10 if tenths % 10 else tenths // 10
        norm = _index(self.norms, tuple(getattr(row, key) for key in _NORM_KEYS))
        population = _index(self.populations, (norm, _index(self.texts, row.why), _index(self.texts, row.fallback)))
        position = _POSITIONS.index(row.position) + 1 if row.position else 0
        code = 10 * (CATEGORIES.index(row.category) + 1) + position
        return [population, code, sentence_index, number or "", percent]

    def data(self) -> Mapping[str, Any]:
        """Return what the ranges have in common, for the page's script; to be called after they are encoded."""
        norms = []
        for norm in self.norms:
            values = dict(zip(_NORM_KEYS, norm, strict=True))
            norms.append(values | {"edges": [float(f"{edge:.{_FIGURES}g}") for edge in values["edges"]]})
        return {
            "categories": list(CATEGORY_TITLES.values()),
            "positions": list(POSITION_WORDS.values()),
            "norms": norms,
            "texts": list(self.texts),
            "populations": list(self.populations),
            "sentences": list(self.sentences),
            "reasons": list(self.reasons),
        }


def _split_number(sentence: str | None) -> tuple[str | None, str | None]:
    """Split the number of the score from a sentence: without it, most sentences are alike.

    >>> _split_number("Focus is 64, above the recommended 30 to 70 of 51 beauty ads.")
    ('Focus is \\t, above the recommended 30 to 70 of 51 beauty ads.', '64')
    """
    match = _NUMBER.search(sentence) if sentence else None
    if sentence is None or match is None or "\t" in sentence:
        return sentence, None
    return f"{sentence[: match.start()]}\t{sentence[match.end() :]}", match[0]


def _index(places: dict[Any, int], item: Any) -> int:
    return places.setdefault(item, len(places))


AREA_COLUMNS = ("percentage_seen", "attention", "time_spent", "first_seen_s", "lift")
"""Scores of areas that the page shows, in the order of its columns."""


class UsedNormSet(NamedTuple):
    """A norm set that media of the run were compared with."""

    name: str
    title: str
    """The name where the run does not say it."""
    n: int | None
    """Media in it."""
    media: int
    """Media of the run that were compared with it."""


@dataclass(frozen=True, slots=True)
class NormSetUsage:
    """Norm sets and segments that the media of a run were compared with."""

    used: list[UsedNormSet]
    """Norm sets, the one with most media first."""
    in_segment: int
    """Media that were compared with a segment of a population, such as their own industry."""
    segment: str
    """The segment that most scores were compared with, in words; empty where all were with the whole."""
    refused: list[Mapping[str, Any]]
    """Norm sets that could not be used, as `run.json` says it; reasons lose the title, which the sentence names
    anyway."""


def segment_words(segment: str) -> str:
    """Return a segment of a population as people say it.

    >>> segment_words("industry=beauty_personal_care, platform=instagram")
    'industry: beauty personal care, platform: instagram'
    """
    return segment.replace("=", ": ").replace("_", " ")


def count_usage(run_dir: Path, facts: Mapping[str, Any]) -> NormSetUsage:
    """Count the media of a run that were compared with each norm set, and with a segment of one.

    `facts`: entry ``benchmark`` of `run.json`; may be empty.
    """
    media: dict[str, list[pa.Array]] = defaultdict(list)
    in_segment: list[pa.Array] = []
    segments: Counter[str] = Counter()
    for batch in scan(run_dir, "benchmark_ranges", ("medium_id", "aoi_id", "category", "norm_set", "segment")):
        compared = batch.filter(pc.is_valid(batch["category"]))
        for name in pc.unique(compared["norm_set"]).to_pylist():
            media[name].append(pc.unique(compared.filter(pc.equal(compared["norm_set"], name))["medium_id"]))
        of_segments = compared.filter(pc.and_(pc.is_null(compared["aoi_id"]), pc.not_equal(compared["segment"], "all")))
        in_segment.append(pc.unique(of_segments["medium_id"]))
        segments.update({row["values"]: row["counts"] for row in pc.value_counts(of_segments["segment"]).to_pylist()})
    described = {norm_set["name"]: norm_set for norm_set in facts.get("norm_sets", ())}
    titles = [f"{norm_set['title']}: " for norm_set in described.values() if "title" in norm_set]
    used = [
        UsedNormSet(name, norm_set.get("title", name), norm_set.get("n"), count_distinct(ids))
        for name, ids in media.items()
        for norm_set in [described.get(name, {})]
    ]
    return NormSetUsage(
        used=sorted(used, key=lambda norm_set: (-norm_set.media, norm_set.name)),
        in_segment=count_distinct(in_segment),
        segment=segment_words(segments.most_common(1)[0][0]) if segments else "",
        refused=[
            {**refused, "reason": reduce(str.removeprefix, titles, refused["reason"])}
            for refused in facts.get("refused", ())
        ],
    )


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


class CategoryCounts:
    """One score over the media of a run, counted by category."""

    def __init__(self, metric: str) -> None:
        self.metric = metric
        self._categories, self._positions, self._targets = (Counter[str]() for _ in range(3))
        self._populations = Counter[tuple[tuple[float, ...], int]]()

    def add(self, row: Mapping[str, Any]) -> None:
        """Add media of one population with the same standing."""
        media = row["count_all"]
        self._categories[row["category"]] += media
        self._targets[row["target"]] += media
        self._populations[tuple(row[f"edge{i}"] for i in range(4)), row["n"]] += media
        if row["position"]:
            self._positions[row["position"]] += media

    @property
    def counts(self) -> tuple[int, ...]:
        """Media in each of `CATEGORIES`."""
        return tuple(self._categories[name] for name in CATEGORIES)

    @property
    def total(self) -> int:
        """Media with a category."""
        return self._categories.total()

    @property
    def target(self) -> tuple[Category, ...]:
        """Categories that are recommended for most of them."""
        target = self._targets.most_common(1)[0][0].split(",")
        return tuple(name for name in CATEGORIES if name in target)

    @property
    def population(self) -> tuple[tuple[float, ...], int]:
        """Edges of the population that most of them were compared with, and media in it."""
        return self._populations.most_common(1)[0][0]

    @property
    def standing(self) -> list[tuple[Position, str, int]]:
        """Positions of media to the recommended range: name, words, media; no empty ones."""
        return [(name, words, n) for name, words in POSITION_WORDS.items() if (n := self._positions[name])]

    @property
    def bars(self) -> list[CategoryBar]:
        """A bar for each category, scaled so that the bars of the population fit, too."""
        shares = [100 * count / self.total for count in self.counts]
        tallest = max(_SCALE, *shares)
        return [
            CategoryBar(name, CATEGORY_TITLES[name], count, share, expected, share / tallest, expected / tallest)
            for name, count, share, expected in zip(CATEGORIES, self.counts, shares, EXPECTED, strict=True)
        ]

    def population_line(self, spec: MetricSpec) -> str:
        """Return the population's edges on the metric's range as CSS variables."""
        edges, _ = self.population
        return ";".join(f"--p{name:.0f}:{position(edge, spec)}%" for name, edge in zip(EDGES, edges, strict=True))

    def population_title(self, decimals: int) -> str:
        """Return the population's edges in words."""
        edges, n = self.population
        lowest, low, high, highest = (digits(edge, decimals) for edge in edges)
        return (
            f"Of {n} in the benchmark, the middle four of ten lie between {low} and {high}, "
            f"eight of ten between {lowest} and {highest}"
        )


COUNTED_COLUMNS = ("metric", "metric_time", "aoi_id", "category", "position", "target", "edges", "n")
"""Columns of the table of ranges that `count_categories` needs."""

_GROUPED = ["metric", "metric_time", "category", "position", "target", *(f"edge{i}" for i in range(4)), "n"]


def count_categories(
    ranges: Iterable[pa.RecordBatch | pa.Table], times: Mapping[str, Window]
) -> dict[str, CategoryCounts]:
    """Count the media of a run by category, score by score.

    `ranges`: the table of ranges, a part at a time; of all parts only the counts are kept.
    Returns: by metric; without those by which no medium has a category.
    """
    counts: dict[str, CategoryCounts] = {}
    for batch in ranges:
        is_counted = pc.and_(pc.is_null(batch["aoi_id"]), pc.is_valid(batch["category"]))
        of_media = pa.table(batch).filter(is_counted)
        columns = {name: of_media[name] for name in ("metric", "metric_time", "category", "position", "n")}
        columns |= {f"edge{i}": pc.list_element(of_media["edges"], i) for i in range(4)}
        columns["target"] = pc.fill_null(pc.binary_join(of_media["target"], ","), "")
        equal = pa.table(columns).group_by(_GROUPED, use_threads=False).aggregate([([], "count_all")])
        for row in equal.to_pylist():
            if times.get(row["metric"]) == row["metric_time"]:
                counts.setdefault(row["metric"], CategoryCounts(row["metric"])).add(row)
    return counts
