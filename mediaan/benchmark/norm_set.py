"""Populations that scores are compared with: what each is, and which part of it is meant for a medium."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from pathlib import Path
from typing import Any

from mediaan.benchmark.norm import Norm
from mediaan.benchmark.segments import segment_text, segments_of
from mediaan.benchmark.yardstick import Yardstick
from mediaan.types.benchmark import Segment

MIN_N = 30
"""Media that a part needs by default: below what is called P10 lie then 4 to 20 % of it; see docs/benchmarks.md."""

LEAST_KEPT = 8
"""Media that a part needs to be kept at all, for those who ask for a smaller minimum."""

LEAST_N = 10
"""Media that the whole needs to be used at all: with fewer, nothing lies beyond the outer edges."""


@dataclass(frozen=True)
class Provenance:
    """What a norm set is made of.

    Attributes
    ----------
    name : str
        snake_case, as in tables.
    title : str
        As in the report.
    population : str
        Whose scores they are, in a sentence.
    created : str
        Day, ISO 8601.
    yardstick : Yardstick
        What the scores were measured with.
    keys : tuple of str
        What the set is divided by.
    min_n : int
        Media that a part needs to be used.
    suits : mapping of str to tuple of str
        What it is meant for: by key of objectives, the values.
    sizes : mapping of Segment to int
        Media in every part that was seen, also in those too small for a norm; the whole is ``()``.
    counts : mapping of str to int
        What went in and what was left out.
    intervals : str
        How the quantiles' intervals were made.
    notes : tuple of str
        What else to know, a paragraph each.
    command : str
        What made it.
    path : Path or None
        The file that holds it.
    """

    name: str
    title: str
    population: str
    created: str
    yardstick: Yardstick
    keys: tuple[str, ...] = ()
    min_n: int = MIN_N
    suits: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sizes: Mapping[Segment, int] = field(default_factory=dict)
    counts: Mapping[str, int] = field(default_factory=dict)
    intervals: str = ""
    notes: tuple[str, ...] = ()
    command: str = ""
    path: Path | None = None


@dataclass(frozen=True)
class Match:
    """A norm that was found for a medium.

    Attributes
    ----------
    norm : Norm
    segment : str
        Which part it is of, as in `BenchmarkRange.segment`.
    fallback : str or None
        What was asked for instead and why it was not used, or that the whole is small.
    """

    norm: Norm
    segment: str
    fallback: str | None = None


_Key = tuple[str, str, str, str | None, Segment]


@dataclass(frozen=True)
class NormSet(Provenance):
    """A norm set with its norms.

    Attributes
    ----------
    norms : tuple of Norm
        One per type of medium, metric, time, type of AOI and segment.
    """

    norms: tuple[Norm, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, about: Provenance, norms: Iterable[Norm]) -> NormSet:
        """Norms put to what is known of them."""
        known: dict[str, Any] = {each.name: getattr(about, each.name) for each in fields(Provenance)}
        return cls(**known, norms=tuple(norms))

    def find(
        self,
        type: str,
        metric: str,
        metric_time: str,
        aoi_type: str | None,
        values: Mapping[str, str | None],
        min_n: int | None = None,
    ) -> Match | str:
        """The norm for a score: that of the finest part of the population that is large enough.

        Parts are tried in the order of `segments_of`; how large one is, is counted in media, since AOIs of one medium
        resemble each other.

        Parameters
        ----------
        type : str
            Of the medium: image, video or mixed.
        metric, metric_time : str
        aoi_type : str or None
            None for a score of the medium.
        values : mapping of str to str or None
            What the medium is, by key; None where that is not known.
        min_n : int, optional
            Media that a part needs; by default the set's own.

        Returns
        -------
        Match or str
            Or why there is none.
        """
        least = self.min_n if min_n is None else min_n
        reason = self._unknown(type, metric, metric_time, aoi_type)
        if reason:
            return reason
        asked, *others = segments_of(self.keys, values)
        for segment in (asked, *others):
            norm = self._by_key.get((type, metric, metric_time, aoi_type, segment))
            if norm is not None and norm.n_media >= (least if segment else LEAST_N):
                return Match(norm, segment_text(segment), self._fallback(asked, norm, least))
        found = self._media(type, metric, metric_time, aoi_type, ())
        return f"{self.title}: {_number(found, type, aoi_type)} in all, {LEAST_N} are needed"

    def _unknown(self, type: str, metric: str, metric_time: str, aoi_type: str | None) -> str | None:
        if type not in self._known[0]:
            known = " and ".join(map(_plural, sorted(self._known[0])))
            return f"{self.title}: a population of {known or 'no media'}, not of {_plural(type)}"
        if (type, metric, metric_time) not in self._known[1]:
            return f"{self.title}: no population of {metric} ({metric_time})"
        if (type, metric, metric_time, aoi_type) not in self._known[2]:
            return f"{self.title}: no population of {metric} ({metric_time}) of {aoi_type or 'whole media'}"
        return None

    def _fallback(self, asked: Segment, used: Norm, least: int) -> str | None:
        """Why a norm is not the one that was asked for, or that it rests on little."""
        said = []
        if asked != used.segment:
            n = self._media(used.type, used.metric, used.metric_time, used.aoi_type, asked)
            found = _number(n, used.type, used.aoi_type)
            said.append(f"{segment_text(asked)} was asked for, but has {found}; {least} are needed")
        if used.n_media < least:
            found = _number(used.n_media, used.type, used.aoi_type)
            said.append(f"the whole population has only {found}; {least} are wanted")
        return ", and ".join(said) or None

    def _media(self, type: str, metric: str, metric_time: str, aoi_type: str | None, segment: Segment) -> int | None:
        """Media in a part that have the score; None where they are some, but too few to be kept."""
        norm = self._by_key.get((type, metric, metric_time, aoi_type, segment))
        if norm is not None:
            return norm.n_media
        size = self.sizes.get(segment, 0)
        return size if aoi_type is None or not size else None

    @cached_property
    def _by_key(self) -> Mapping[_Key, Norm]:
        return {(n.type, n.metric, n.metric_time, n.aoi_type, n.segment): n for n in self.norms}

    @cached_property
    def _known(self) -> tuple[set[str], set[tuple[str, ...]], set[tuple[str | None, ...]]]:
        """Types of media; with metrics and times; with types of AOIs."""
        keys = [key[:4] for key in self._by_key]
        return {key[0] for key in keys}, {key[:3] for key in keys}, set(keys)


def _plural(type: str) -> str:
    return "mixed media" if type == "mixed" else f"{type}s"


def _number(n: int | None, type: str, aoi_type: str | None) -> str:
    """``12 images``, ``no image with branding``."""
    kind = f" with {aoi_type}" if aoi_type else ""
    if n is None:
        return f"fewer than {LEAST_KEPT} {type}s{kind}"
    return f"{n or 'no'} {type}{'' if n in (0, 1) else 's'}{kind}"
