"""Where the scores of a run stand in their populations, as the report shows it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from mediaan.report.contents import Row, RunContents
from mediaan.report.packed_ranges import Packed, Packing
from mediaan.report.scan import distinct, scan

_OF_AREAS = frozenset({"percentage_seen", "attention", "time_spent", "first_seen_s", "attention_per_area"})  # shown
_ROWS_AT_ONCE = 20_000

_Key = tuple[str, str]
"""A metric and its time."""


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
    def of(cls, facts: Mapping[str, Any], titles: Iterable[str]) -> Refusal:
        """As `run.json` says it, without the title of the norm set, of which the sentence speaks anyway."""
        reason = facts["reason"]
        for title in titles:
            reason = reason.removeprefix(f"{title}: ")
        return cls(facts["norm_set"], facts["what"] == "aois", facts["media"], reason)


@dataclass(frozen=True, slots=True)
class Compared:
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

    used: list[Used]
    in_part: int
    part: str


@dataclass(frozen=True, slots=True)
class Benchmarks:
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
    of_areas: Mapping[tuple[str, str], Mapping[_Key, Packed]]
    packing: Packing
    compared: Compared
    refusals: list[Refusal]

    def of_score(self, medium_id: str | None, metric: str, time: str) -> Row | None:
        """The range of a medium's score; None where it has no category."""
        row = self.of_media.get(medium_id or "", {}).get((metric, time))
        return None if row is None or row["category"] is None else row

    def of_medium(self, medium_id: str | None) -> Mapping[str, Mapping[str, Packed]]:
        """Packed ranges of a medium by metric and time."""
        found: dict[str, dict[str, Packed]] = defaultdict(dict)
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


def gather_benchmarks(contents: RunContents) -> Benchmarks:
    """Bring the ranges of media that are shown in order by medium and AOI, and say with what all were compared."""
    packing = Packing()
    of_media: dict[str, dict[_Key, Row]] = defaultdict(dict)
    of_areas: dict[tuple[str, str], dict[_Key, Packed]] = defaultdict(dict)
    for row in _rows(contents.benchmark_ranges):
        medium_id, aoi_id, key = row["medium_id"], row["aoi_id"], (row["metric"], row["metric_time"])
        if aoi_id is None:
            of_media[medium_id][key] = row
        elif row["metric"] in _OF_AREAS:
            of_areas[medium_id, aoi_id][key] = packing.pack(row)
    facts = contents.run.get("benchmark") or {}
    titles = [found["title"] for found in facts.get("norm_sets", ()) if "title" in found]
    refusals = [Refusal.of(found, titles) for found in facts.get("refused", ())]
    return Benchmarks(of_media, of_areas, packing, _compared(contents.run_dir, facts), refusals)


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


def _compared(run_dir: Path, facts: Mapping[str, Any]) -> Compared:
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
        Used(name, said.get(name, {}).get("title", name), said.get(name, {}).get("n"), distinct(of))
        for name, of in media.items()
    ]
    part = segment_words(parts.most_common(1)[0][0]) if parts else ""
    return Compared(sorted(used, key=lambda used: (-used.media, used.name)), distinct(in_part), part)
