"""Benchmark ranges of a run: where its scores stand in their populations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.scan import count_distinct, scan
from mediaan.types.benchmark import CATEGORIES, BenchmarkRange, Position

CATEGORY_TITLES: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in CATEGORIES}
POSITIONS: tuple[Position, ...] = ("within", "close_to", "above", "below")
POSITION_WORDS: Mapping[str, str] = {name: name.replace("_", " ") for name in POSITIONS}

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
        position = POSITIONS.index(row.position) + 1 if row.position else 0
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
            "positions": [POSITION_WORDS[name] for name in POSITIONS],
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


@dataclass(frozen=True, slots=True)
class UsedNormSet:
    """A norm set that media of the run were compared with."""

    name: str
    title: str
    """name, title: The title is the name where the run does not say it."""
    n: int | None
    """Media in it."""
    media: int
    """Media of the run that were compared with it."""


@dataclass(frozen=True, slots=True)
class RefusedNormSet:
    """A norm set that could not be used."""

    norm_set: str
    of_areas: bool
    """Whether only numbers of areas could not be compared."""
    media: int
    """Media of the run that this concerns."""
    reason: str

    @classmethod
    def from_run(cls, facts: Mapping[str, Any], titles: Iterable[str]) -> RefusedNormSet:
        """Read it from `run.json`; the reason loses the title of the norm set, which the sentence names anyway."""
        reason = facts["reason"]
        for title in titles:
            reason = reason.removeprefix(f"{title}: ")
        return cls(facts["norm_set"], facts["what"] == "aois", facts["media"], reason)


@dataclass(frozen=True, slots=True)
class NormSetUsage:
    """Norm sets and segments that the media of a run were compared with."""

    used: list[UsedNormSet]
    """Norm sets, the one with most media first."""
    in_segment: int
    """Media that were compared with a segment of a population, such as their own industry."""
    segment: str
    """The segment that most scores were compared with, in words; empty where all were with the whole."""
    refusals: list[RefusedNormSet]

    @property
    def titles(self) -> Mapping[str, str]:
        """Mapping of str to str. Titles of the norm sets by name."""
        return {norm_set.name: norm_set.title for norm_set in self.used}


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
    titles = [norm_set["title"] for norm_set in described.values() if "title" in norm_set]
    used = [
        UsedNormSet(name, norm_set.get("title", name), norm_set.get("n"), count_distinct(ids))
        for name, ids in media.items()
        for norm_set in [described.get(name, {})]
    ]
    return NormSetUsage(
        used=sorted(used, key=lambda norm_set: (-norm_set.media, norm_set.name)),
        in_segment=count_distinct(in_segment),
        segment=segment_words(segments.most_common(1)[0][0]) if segments else "",
        refusals=[RefusedNormSet.from_run(refused, titles) for refused in facts.get("refused", ())],
    )
