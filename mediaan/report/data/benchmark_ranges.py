"""Benchmark ranges of a run: where its scores stand in their populations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.scan import count_distinct, scan
from mediaan.types.benchmark import CATEGORIES, Position

CATEGORY_TITLES: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in CATEGORIES}
POSITIONS: tuple[Position, ...] = ("within", "close_to", "above", "below")
POSITION_WORDS: Mapping[str, str] = {name: name.replace("_", " ") for name in POSITIONS}

_NORM_KEYS = ("norm_set", "segment", "metric", "metric_time", "aoi_type", "n", "lower", "upper")
_TEXT_KEYS = ("why", "fallback")
_PERCENTILE_KEYS = ("percentile", "percentile_lo", "percentile_hi")
_CATEGORY_KEYS = ("category", "category_lo", "category_hi")
_EDGE_KEYS = ("edges", "edges_lo", "edges_hi")
_FIGURES = 6  # significant ones of edges: more than a strip can show
_NUMBER = re.compile(r"(?<= is )-?\d+(?:[.,]\d+)*")


EncodedRange = list[Any] | int
"""A range, or the index of the reason why there is none."""


BENCHMARK_NOUNS = {"ads": "ads", "films": "short films", "charts": "charts", "web": "web pages"}
"""What the norm sets that ship hold, for "higher than 76 % of 597 ads"."""


@dataclass(slots=True)
class RangeEncoder:
    """Encode rows of the table as a few small numbers, and keep once what they have in common."""

    norms: dict[tuple[Any, ...], int] = field(default_factory=dict)
    texts: dict[str | None, int] = field(default_factory=dict)
    populations: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def encode(self, row: Row) -> EncodedRange:
        """Return a row as the page's script reads it.

        Returns
        -------
        list or int
            ``[population, code, sentence, its number, percentile, lo, hi]``: the code's decimal digits are the indices,
            from 1, of the category, of those of the interval's ends, and of the position, 0 where unknown; without an
            interval lo and hi are left out. Where there is no range, the index of its reason.
        """
        if row["category"] is None:
            return _index(self.reasons, row["reason"] or "there is no such benchmark")
        sentence, number = _split_number(row["score_title"])
        sentence_index = -1 if sentence is None else _index(self.sentences, sentence)
        # rounded down to a tenth, so that a rank never reaches the next category
        tenths = [int(10 * row[key]) for key in _PERCENTILE_KEYS if row[key] is not None]
        percents = [count / 10 if count % 10 else count // 10 for count in tenths]
        lists = (tuple(row[key] or ()) for key in (*_EDGE_KEYS, "target"))
        norm = _index(self.norms, (*(row[key] for key in _NORM_KEYS), *lists))
        population = _index(self.populations, (norm, *(_index(self.texts, row[key]) for key in _TEXT_KEYS)))
        categories = [CATEGORIES.index(name) + 1 if name else 0 for name in map(row.get, _CATEGORY_KEYS)]
        position = POSITIONS.index(row["position"]) + 1 if row["position"] else 0
        code = int("".join(map(str, (*categories, position))))
        return [population, code, sentence_index, number or "", *percents]

    def data(self) -> Mapping[str, Any]:
        """Return what the rows have in common, for the page's script."""
        norms = []
        for norm in self.norms:
            values = dict(zip((*_NORM_KEYS, *_EDGE_KEYS, "target"), norm, strict=True))
            edges = {key: [float(f"{edge:.{_FIGURES}g}") for edge in values[key]] for key in _EDGE_KEYS}
            norms.append(values | edges)
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
    """Split a sentence into itself without the number of the score, and that number: most then are the same.

    Examples
    --------
    >>> _split_number("Focus is 64, above the recommended 30 to 70 of 51 beauty ads.")
    ('Focus is \\t, above the recommended 30 to 70 of 51 beauty ads.', '64')
    """
    match = _NUMBER.search(sentence) if sentence else None
    if sentence is None or match is None or "\t" in sentence:
        return sentence, None
    return f"{sentence[: match.start()]}\t{sentence[match.end() :]}", match[0]


def _index(known: dict[Any, int], item: Any) -> int:
    return known.setdefault(item, len(known))


AREA_COLUMNS = ("percentage_seen", "attention", "time_spent", "first_seen_s", "attention_per_area")
"""Scores of areas that the page shows, in the order of its columns."""

_ROWS_AT_ONCE = 20_000

_Key = tuple[str, str]
"""A metric and its time."""


@dataclass(frozen=True, slots=True)
class UsedNormSet:
    """A norm set of which ranges of the run come."""

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
    """Whether it is the numbers of areas alone that could not be compared."""
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


@dataclass(frozen=True, slots=True)
class BenchmarkRanges:
    """The ranges of a run."""

    of_media: Mapping[str, Mapping[_Key, Row]]
    """Mapping of str to mapping of (metric, metric_time) to Row. By medium."""
    of_areas: Mapping[tuple[str, str], Mapping[_Key, EncodedRange]]
    """Mapping of (str, str) to mapping of (metric, metric_time) to EncodedRange. By medium and AOI; encoded at once,
    since there can be a million of them."""
    encoder: RangeEncoder
    """Holds what encoded ranges have in common."""
    usage: NormSetUsage
    """Of all media of the run."""
    refusals: list[RefusedNormSet]

    def of_score(self, medium_id: str | None, metric: str, time: str) -> Row | None:
        """Return the range of a medium's score; None where it has no category."""
        row = self.of_media.get(medium_id or "", {}).get((metric, time))
        return None if row is None or row["category"] is None else row

    def of_medium(self, medium_id: str | None) -> Mapping[str, Mapping[str, EncodedRange]]:
        """Return the encoded ranges of a medium by metric and time."""
        by_metric: dict[str, dict[str, EncodedRange]] = defaultdict(dict)
        for (metric, time), row in self.of_media.get(medium_id or "", {}).items():
            by_metric[metric][time] = self.encoder.encode(row)
        return by_metric

    def of_area(self, medium_id: str, aoi_id: str, metrics: Sequence[str], times: Sequence[str]) -> list[Any] | None:
        """Return the encoded ranges of an AOI, for each metric a list by time or 0; None where it has none."""
        encoded = self.of_areas.get((medium_id, aoi_id))
        if not encoded:
            return None
        by_metric = [[encoded.get((metric, time)) for time in times] for metric in metrics]
        return [0 if all(one is None for one in ranges) else ranges for ranges in by_metric]

    def data(self) -> Mapping[str, Any] | None:
        """Return what the page's script needs beside each medium's own; to be called after those are encoded."""
        if not self.of_media and not self.of_areas:
            return None
        titles = {used.name: used.title for used in self.usage.used}
        return {"titles": titles, "nouns": BENCHMARK_NOUNS, **self.encoder.data()}


def gather_benchmark_ranges(contents: RunContents) -> BenchmarkRanges:
    """Sort the ranges of media that are shown by medium and AOI, and say what all were compared with."""
    encoder = RangeEncoder()
    of_media: dict[str, dict[_Key, Row]] = defaultdict(dict)
    of_areas: dict[tuple[str, str], dict[_Key, EncodedRange]] = defaultdict(dict)
    for batch in contents.benchmark_ranges.to_batches(max_chunksize=_ROWS_AT_ONCE):
        for row in batch.to_pylist():
            medium_id, aoi_id, key = row["medium_id"], row["aoi_id"], (row["metric"], row["metric_time"])
            if aoi_id is None:
                of_media[medium_id][key] = row
            elif row["metric"] in AREA_COLUMNS:
                of_areas[medium_id, aoi_id][key] = encoder.encode(row)
    facts = contents.run.get("benchmark") or {}
    titles = [found["title"] for found in facts.get("norm_sets", ()) if "title" in found]
    refusals = [RefusedNormSet.from_run(found, titles) for found in facts.get("refused", ())]
    return BenchmarkRanges(of_media, of_areas, encoder, _count_usage(contents.run_dir, facts), refusals)


def segment_words(segment: str) -> str:
    """Return a segment of a population as people say it.

    Examples
    --------
    >>> segment_words("industry=beauty_personal_care, platform=instagram")
    'industry: beauty personal care, platform: instagram'
    """
    return segment.replace("=", ": ").replace("_", " ")


def _count_usage(run_dir: Path, facts: Mapping[str, Any]) -> NormSetUsage:
    """Count the media that were compared with each norm set, and with a segment of one."""
    media: dict[str, list[pa.Array]] = defaultdict(list)
    in_segment: list[pa.Array] = []
    segments: Counter[str] = Counter()
    for batch in scan(run_dir, "benchmark_ranges", ("medium_id", "aoi_id", "category", "norm_set", "segment")):
        known = batch.filter(pc.is_valid(batch["category"]))
        for name in pc.unique(known["norm_set"]).to_pylist():
            media[name].append(pc.unique(known.filter(pc.equal(known["norm_set"], name))["medium_id"]))
        apart = known.filter(pc.and_(pc.is_null(known["aoi_id"]), pc.not_equal(known["segment"], "all")))
        in_segment.append(pc.unique(apart["medium_id"]))
        segments.update({one["values"]: one["counts"] for one in pc.value_counts(apart["segment"]).to_pylist()})
    described = {norm_set["name"]: norm_set for norm_set in facts.get("norm_sets", ())}
    used = [
        UsedNormSet(
            name, described.get(name, {}).get("title", name), described.get(name, {}).get("n"), count_distinct(of)
        )
        for name, of in media.items()
    ]
    segment = segment_words(segments.most_common(1)[0][0]) if segments else ""
    return NormSetUsage(sorted(used, key=lambda used: (-used.media, used.name)), count_distinct(in_segment), segment)
