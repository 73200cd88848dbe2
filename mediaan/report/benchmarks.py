"""Where the scores of a run stand in their populations, as the report shows it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from mediaan.report.contents import Row, RunContents
from mediaan.report.figures import digits, position
from mediaan.types.benchmark import CATEGORIES, EDGES, Category, Position
from mediaan.types.metrics import MetricSpec

EXPECTED = tuple(high - low for low, high in zip((0.0, *EDGES), (*EDGES, 100.0), strict=True))
"""Share of the population in each category, %."""

CATEGORY_TITLES: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in CATEGORIES}
POSITIONS: tuple[Position, ...] = ("within", "close_to", "above", "below")
POSITION_WORDS: Mapping[str, str] = {name: name.replace("_", " ") for name in POSITIONS}

_NORM_KEYS = ("norm_set", "segment", "metric", "metric_time", "aoi_type", "n", "lower", "upper")
_TEXT_KEYS = ("why", "fallback")
_PERCENTILE_KEYS = ("percentile", "percentile_lo", "percentile_hi")
_CATEGORY_KEYS = ("category", "category_lo", "category_hi")
_EDGE_KEYS = ("edges", "edges_lo", "edges_hi")
_OF_AREAS = frozenset({"percentage_seen", "attention", "time_spent", "first_seen_s", "attention_per_area"})  # shown
_FIGURES = 6  # significant ones of edges: more than a strip can show
_SCALE = 60.0  # share of media, %, that fills the height of a figure at least
_NUMBER = re.compile(r"(?<= is )-?\d+(?:[.,]\d+)*")

Key = tuple[str, str | None]
"""A medium, or one of its AOIs."""


@dataclass(frozen=True, slots=True)
class Used:
    """A norm set of which ranges of the run come.

    Attributes
    ----------
    name, title : str
        The title is the name where the run does not say it.
    n : int or None
        Media in it.
    media : int
        Media of the run that were compared with it.
    """

    name: str
    title: str
    n: int | None
    media: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a norm set could not be used.

    Attributes
    ----------
    norm_set : str
    of_areas : bool
        Whether it is the numbers of areas alone that could not be compared.
    media : int
        Media of the run that this concerns.
    reason : str
    """

    norm_set: str
    of_areas: bool
    media: int
    reason: str

    @classmethod
    def of(cls, facts: Mapping[str, Any]) -> Refusal:
        """As `run.json` says it."""
        return cls(facts["norm_set"], facts["what"] == "aois", facts["media"], facts["reason"])


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
    unsure : int
        Media whose interval spans an edge.
    """

    metric: str
    counts: tuple[int, ...]
    positions: Mapping[str, int]
    target: tuple[Category, ...]
    edges: tuple[float, ...]
    n: int
    unsure: int

    @property
    def total(self) -> int:
        """Media with a category."""
        return sum(self.counts)

    @property
    def standing(self) -> list[tuple[Position, str, int]]:
        """Where media stand to what is recommended: position, its words, media; positions without any are left out."""
        return [(name, POSITION_WORDS[name], n) for name in POSITIONS if (n := self.positions.get(name, 0))]

    @property
    def bars(self) -> list[Bar]:
        """A bar for each category, on a scale that the population's fit on too."""
        shares = [100 * count / self.total for count in self.counts]
        tallest = max(_SCALE, *shares)
        return [
            Bar(name, CATEGORY_TITLES[name], count, share, expected, share / tallest, expected / tallest)
            for name, count, share, expected in zip(CATEGORIES, self.counts, shares, EXPECTED, strict=True)
        ]


@dataclass(slots=True)
class Packing:
    """What many rows of the table have in common, kept once; a row then is a few small numbers."""

    norms: dict[tuple[Any, ...], int] = field(default_factory=dict)
    texts: dict[str | None, int] = field(default_factory=dict)
    populations: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def pack(self, row: Row) -> list[Any] | int:
        """A row as the page's script reads it.

        Returns
        -------
        list or int
            ``[population, code, sentence, its number, percentile, lo, hi]``: the code's decimal digits are the places,
            from 1, of the category, of those of the interval's ends, and of the position, 0 where unknown; without an
            interval lo and hi are left out. Where there is no range, the place of its reason.
        """
        if row["category"] is None:
            return _place(self.reasons, row["reason"] or "there is no such population")
        sentence, number = _split(row["score_title"])
        spoken = -1 if sentence is None else _place(self.sentences, sentence)
        percents = [_tenth(row[key]) for key in _PERCENTILE_KEYS if row[key] is not None]
        texts = (_place(self.texts, row[key]) for key in _TEXT_KEYS)
        population = _place(self.populations, (_place(self.norms, _norm(row)), *texts))
        return [population, _code(row), spoken, number or "", *percents]

    def data(self) -> Mapping[str, Any]:
        """What the rows have in common, for the page's script."""
        return {
            "norms": [_norm_data(norm) for norm in self.norms],
            "texts": list(self.texts),
            "populations": list(self.populations),
            "sentences": list(self.sentences),
            "reasons": list(self.reasons),
        }


@dataclass(frozen=True, slots=True)
class Benchmarks:
    """The ranges of a run.

    Attributes
    ----------
    rows : mapping of (medium, AOI or None) to mapping of (metric, metric_time) to Row
    used : list of Used
        Norm sets, the one with most media first.
    refusals : list of Refusal
    """

    rows: Mapping[Key, Mapping[tuple[str, str], Row]]
    used: list[Used]
    refusals: list[Refusal]
    packing: Packing = field(default_factory=Packing)

    @property
    def in_part(self) -> int:
        """Media that were compared with a part of a population, such as their own industry."""
        return sum(any(_in_part(row) for row in rows.values()) for (_, aoi), rows in self.rows.items() if aoi is None)

    @property
    def part(self) -> str:
        """The part that most scores were compared with, in words; empty where all were with the whole."""
        of_media = (rows for (_, aoi), rows in self.rows.items() if aoi is None)
        parts = Counter(row["segment"] for rows in of_media for row in rows.values() if _in_part(row))
        return segment_words(parts.most_common(1)[0][0]) if parts else ""

    def of_score(self, medium_id: str | None, metric: str, time: str) -> Row | None:
        """The range of a medium's score; None where it has no category."""
        row = self.rows.get((medium_id or "", None), {}).get((metric, time))
        return None if row is None or row["category"] is None else row

    def of_medium(self, medium_id: str | None) -> Mapping[str, Mapping[str, Any]]:
        """Packed ranges of a medium by metric and time."""
        found: dict[str, dict[str, Any]] = defaultdict(dict)
        for (metric, time), row in self.rows.get((medium_id or "", None), {}).items():
            found[metric][time] = self.packing.pack(row)
        return found

    def of_area(self, medium_id: str, aoi_id: str, metrics: Sequence[str], times: Sequence[str]) -> list[Any] | None:
        """Packed ranges of an AOI, a list by time for each metric; None where there is none at all."""
        rows = self.rows.get((medium_id, aoi_id))
        if not rows:
            return None
        shown = [metric if metric in _OF_AREAS else "" for metric in metrics]
        by_metric = [[rows.get((metric, time)) for time in times] for metric in shown]
        return [[row and self.packing.pack(row) for row in found] if any(found) else 0 for found in by_metric]

    def data(self) -> Mapping[str, Any] | None:
        """What the page's script needs beside each medium's own; to be called after those are packed."""
        if not self.rows:
            return None
        return {
            "categories": list(CATEGORY_TITLES.values()),
            "positions": [POSITION_WORDS[name] for name in POSITIONS],
            "titles": {used.name: used.title for used in self.used},
            **self.packing.data(),
        }


def gather_benchmarks(contents: RunContents) -> Benchmarks:
    """Bring the table of ranges in order by medium and AOI."""
    rows: dict[Key, dict[tuple[str, str], Row]] = defaultdict(dict)
    for row in contents.benchmark_ranges:
        rows[row["medium_id"], row["aoi_id"]][row["metric"], row["metric_time"]] = row
    facts = contents.run.get("benchmark") or {}
    return Benchmarks(
        rows, _used(contents.benchmark_ranges, facts), [Refusal.of(found) for found in facts.get("refused", ())]
    )


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
        unsure=sum(row["sure"] is False for row in known),
    )


def segment_words(segment: str) -> str:
    """A part of a population as people say it.

    Examples
    --------
    >>> segment_words("industry=beauty_personal_care, platform=instagram")
    'industry: beauty personal care, platform: instagram'
    """
    return segment.replace("=", ": ").replace("_", " ")


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


def _in_part(row: Row) -> bool:
    return row["category"] is not None and row["segment"] != "all"


def _used(rows: Sequence[Row], facts: Mapping[str, Any]) -> list[Used]:
    media: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row["category"] is not None:
            media[row["norm_set"]].add(row["medium_id"])
    said = {found["name"]: found for found in facts.get("norm_sets", ())}
    found = [
        Used(name, said.get(name, {}).get("title", name), said.get(name, {}).get("n"), len(of))
        for name, of in media.items()
    ]
    return sorted(found, key=lambda used: (-used.media, used.name))


def _norm(row: Row) -> tuple[Any, ...]:
    lists = (tuple(row[key] or ()) for key in (*_EDGE_KEYS, "target"))
    return (*(row[key] for key in _NORM_KEYS), *lists)


def _norm_data(norm: tuple[Any, ...]) -> Mapping[str, Any]:
    found = dict(zip((*_NORM_KEYS, *_EDGE_KEYS, "target"), norm, strict=True))
    return found | {key: [float(f"{edge:.{_FIGURES}g}") for edge in found[key]] for key in _EDGE_KEYS}


def _split(sentence: str | None) -> tuple[str | None, str | None]:
    """A sentence without the number that says the score, and that number: most then are the same.

    Examples
    --------
    >>> _split("Focus is 64, above the recommended 30 to 70 of 51 beauty ads.")
    ('Focus is \\t, above the recommended 30 to 70 of 51 beauty ads.', '64')
    """
    match = _NUMBER.search(sentence) if sentence else None
    if sentence is None or match is None or "\t" in sentence:
        return sentence, None
    return f"{sentence[: match.start()]}\t{sentence[match.end() :]}", match[0]


def _place(known: dict[Any, int], item: Any) -> int:
    return known.setdefault(item, len(known))


def _code(row: Row) -> int:
    categories = [CATEGORIES.index(name) + 1 if name else 0 for name in map(row.get, _CATEGORY_KEYS)]
    place = POSITIONS.index(row["position"]) + 1 if row["position"] else 0
    return int("".join(map(str, (*categories, place))))


def _tenth(percent: float) -> float | int:
    """Down to a tenth, so that a rank never reaches the next category."""
    tenths = int(10 * percent)
    return tenths / 10 if tenths % 10 else tenths // 10
