"""Benchmark ranges of a run: where its scores stand in their populations."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.data.contents import Row, RunContents
from mediaan.report.data.scan import distinct, scan
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
"""A range, or the place of the reason why there is none."""


@dataclass(slots=True)
class RangeEncoder:
    """What many rows of the table have in common, kept once; a row then is a few small numbers."""

    norms: dict[tuple[Any, ...], int] = field(default_factory=dict)
    texts: dict[str | None, int] = field(default_factory=dict)
    populations: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def pack(self, row: Row) -> EncodedRange:
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
            "categories": list(CATEGORY_TITLES.values()),
            "positions": [POSITION_WORDS[name] for name in POSITIONS],
            "norms": [_norm_data(norm) for norm in self.norms],
            "texts": list(self.texts),
            "populations": list(self.populations),
            "sentences": list(self.sentences),
            "reasons": list(self.reasons),
        }


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


_OF_AREAS = frozenset({"percentage_seen", "attention", "time_spent", "first_seen_s", "attention_per_area"})  # shown
_ROWS_AT_ONCE = 20_000

_Key = tuple[str, str]
"""A metric and its time."""


@dataclass(frozen=True, slots=True)
class UsedNormSet:
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
class RefusedNormSet:
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
    def of(cls, facts: Mapping[str, Any], titles: Iterable[str]) -> RefusedNormSet:
        """As `run.json` says it, without the title of the norm set, of which the sentence speaks anyway."""
        reason = facts["reason"]
        for title in titles:
            reason = reason.removeprefix(f"{title}: ")
        return cls(facts["norm_set"], facts["what"] == "aois", facts["media"], reason)


@dataclass(frozen=True, slots=True)
class NormSetUsage:
    """With what the media of a run were compared.

    Attributes
    ----------
    used : list of Used
        Norm sets, the one with most media first.
    in_part : int
        Media that were compared with a part of a population, such as their own industry.
    part : str
        The part that most scores were compared with, in words; empty where all were with the whole.
    """

    used: list[UsedNormSet]
    in_part: int
    part: str


@dataclass(frozen=True, slots=True)
class BenchmarkRanges:
    """The ranges of a run.

    Attributes
    ----------
    of_media : mapping of str to mapping of (metric, metric_time) to Row
        By medium.
    of_areas : mapping of (str, str) to mapping of (metric, metric_time) to Packed
        By medium and AOI; packed at once, since there can be a million of them.
    packing : Packing
        What packed ranges have in common.
    compared : Compared
        With what all media of the run were compared.
    refusals : list of Refusal
    """

    of_media: Mapping[str, Mapping[_Key, Row]]
    of_areas: Mapping[tuple[str, str], Mapping[_Key, EncodedRange]]
    packing: RangeEncoder
    compared: NormSetUsage
    refusals: list[RefusedNormSet]

    def of_score(self, medium_id: str | None, metric: str, time: str) -> Row | None:
        """The range of a medium's score; None where it has no category."""
        row = self.of_media.get(medium_id or "", {}).get((metric, time))
        return None if row is None or row["category"] is None else row

    def of_medium(self, medium_id: str | None) -> Mapping[str, Mapping[str, EncodedRange]]:
        """Packed ranges of a medium by metric and time."""
        found: dict[str, dict[str, EncodedRange]] = defaultdict(dict)
        for (metric, time), row in self.of_media.get(medium_id or "", {}).items():
            found[metric][time] = self.packing.pack(row)
        return found

    def of_area(self, medium_id: str, aoi_id: str, metrics: Sequence[str], times: Sequence[str]) -> list[Any] | None:
        """Packed ranges of an AOI, for each metric a list by time or 0; None where there is none at all."""
        packed = self.of_areas.get((medium_id, aoi_id))
        if not packed:
            return None
        by_metric = [[packed.get((metric, time)) for time in times] for metric in metrics]
        return [0 if all(one is None for one in found) else found for found in by_metric]

    def data(self) -> Mapping[str, Any] | None:
        """What the page's script needs beside each medium's own; to be called after those are packed."""
        if not self.of_media and not self.of_areas:
            return None
        return {"titles": {used.name: used.title for used in self.compared.used}, **self.packing.data()}


def gather_benchmark_ranges(contents: RunContents) -> BenchmarkRanges:
    """Bring the ranges of media that are shown in order by medium and AOI, and say with what all were compared."""
    packing = RangeEncoder()
    of_media: dict[str, dict[_Key, Row]] = defaultdict(dict)
    of_areas: dict[tuple[str, str], dict[_Key, EncodedRange]] = defaultdict(dict)
    for row in _rows(contents.benchmark_ranges):
        medium_id, aoi_id, key = row["medium_id"], row["aoi_id"], (row["metric"], row["metric_time"])
        if aoi_id is None:
            of_media[medium_id][key] = row
        elif row["metric"] in _OF_AREAS:
            of_areas[medium_id, aoi_id][key] = packing.pack(row)
    facts = contents.run.get("benchmark") or {}
    titles = [found["title"] for found in facts.get("norm_sets", ()) if "title" in found]
    refusals = [RefusedNormSet.of(found, titles) for found in facts.get("refused", ())]
    return BenchmarkRanges(of_media, of_areas, packing, _compared(contents.run_dir, facts), refusals)


def segment_words(segment: str) -> str:
    """A part of a population as people say it.

    Examples
    --------
    >>> segment_words("industry=beauty_personal_care, platform=instagram")
    'industry: beauty personal care, platform: instagram'
    """
    return segment.replace("=", ": ").replace("_", " ")


def _rows(table: pa.Table) -> Iterator[Row]:
    for batch in table.to_batches(max_chunksize=_ROWS_AT_ONCE):
        yield from batch.to_pylist()


def _compared(run_dir: Path, facts: Mapping[str, Any]) -> NormSetUsage:
    media: dict[str, list[pa.Array]] = defaultdict(list)
    in_part: list[pa.Array] = []
    parts: Counter[str] = Counter()
    for batch in scan(run_dir, "benchmark_ranges", ("medium_id", "aoi_id", "category", "norm_set", "segment")):
        known = batch.filter(pc.is_valid(batch["category"]))
        for name in pc.unique(known["norm_set"]).to_pylist():
            media[name].append(pc.unique(known.filter(pc.equal(known["norm_set"], name))["medium_id"]))
        apart = known.filter(pc.and_(pc.is_null(known["aoi_id"]), pc.not_equal(known["segment"], "all")))
        in_part.append(pc.unique(apart["medium_id"]))
        parts.update({one["values"]: one["counts"] for one in pc.value_counts(apart["segment"]).to_pylist()})
    said = {found["name"]: found for found in facts.get("norm_sets", ())}
    used = [
        UsedNormSet(name, said.get(name, {}).get("title", name), said.get(name, {}).get("n"), distinct(of))
        for name, of in media.items()
    ]
    part = segment_words(parts.most_common(1)[0][0]) if parts else ""
    return NormSetUsage(sorted(used, key=lambda used: (-used.media, used.name)), distinct(in_part), part)
