"""Make the norms of a population, and find the part of it that a medium is compared with.

Areas of images are kept as shares of attention: their scores follow for any exposure.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from mediaan.aoi.scoring.aoi_scores import AttentionShares, score_shares
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, built_in_hazard_model
from mediaan.aoi.scoring.specs import FIRST_SEEN, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.errors import UsageError
from mediaan.judge.benchmark.comparability import ComparabilityKey
from mediaan.judge.benchmark.norm import LEVEL, RESAMPLES, SEED, Int64, MediumType, Norm, ScoreKind, norm_of_sample
from mediaan.judge.benchmark.targets import MeasuredTarget
from mediaan.types.aoi import AOI_TYPES, AoiType
from mediaan.types.arrays import Bool, Float64
from mediaan.types.benchmark import Segment
from mediaan.types.densities import Window
from mediaan.types.eye_tracking import Pace

MOST_KEYS = 4
"""Keys that a norm set may be divided by: each doubles the number of ways to divide it."""


def segment_text(segment: Segment) -> str:
    """Write a segment in words, as in `BenchmarkRange.segment`.

    >>> segment_text((("industry", "food"), ("platform", "print"))), segment_text(())
    ('industry=food, platform=print', 'all')
    """
    return ", ".join(f"{key}={value}" for key, value in segment) or "all"


def segments_of(keys: Sequence[str], values: Mapping[str, str | None]) -> Iterator[Segment]:
    """Yield the segments that a medium belongs to, from the finest to the whole.

    More keys come before fewer; among as many, those that `keys` names first; with the same keys, ``food/snacks`` comes
    before ``food``. A key without a value is not asked for.

    `keys`: those that the set is divided by, in its order.
    `values`: of the medium; keys that the set does not know do not matter.

    >>> segments = segments_of(("industry", "platform"), {"industry": "food/snacks", "platform": "print"})
    >>> [segment_text(segment) for segment in segments][:4]
    ['industry=food/snacks, platform=print', 'industry=food, platform=print', 'industry=food/snacks', 'industry=food']
    """
    keys = [key for key in keys if values.get(key)]
    for count in range(len(keys), -1, -1):
        for part in combinations(keys, count):
            for words in product(*(_with_parents(str(values[key])) for key in part)):
                yield tuple(zip(part, words, strict=True))


def _with_parents(word: str) -> list[str]:
    """List a word and its parents: ``food/snacks/salty``, ``food/snacks``, ``food``."""
    parts = word.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]


EXPOSURE_SCORES = {spec.name: spec.unit for spec in (PERCENTAGE_SEEN, TIME_SPENT, FIRST_SEEN)}
"""Scores of areas in pictures that depend on the exposure, with their units; shares of attention do not."""

AreaScores = Mapping[tuple[str, Window], Float64]
"""Values (n,) of areas by metric and time; NaN where one is undefined."""


class AreaRow(NamedTuple):
    """The shares of attention of one area of a picture, for `build_norm_set`."""

    medium_id: str
    aoi_type: str
    shares: AttentionShares


@dataclass(frozen=True, eq=False)
class NormAreas:
    """The areas of one type in the pictures of a norm set."""

    media: Int64
    """(n,) int64. Number of the picture that each lies in, in the order of media ids."""
    values: tuple[tuple[str | None, ...], ...]
    """What that picture is, by key of the norm set."""
    shares: tuple[AttentionShares, ...]

    def belong(self, segment: Segment, keys: Sequence[str]) -> Bool:
        """Return which areas lie in pictures of a segment, (n,) bool."""
        alike = {value: segment in segments_of(keys, dict(zip(keys, value, strict=True))) for value in {*self.values}}
        return np.array([alike[value] for value in self.values], np.bool_)

    def scores(self, exposure_s: float, model: FixationHazardModel) -> AreaScores:
        """Compute the `EXPOSURE_SCORES` of all areas for an exposure, s, as an analysis does."""
        values_of: defaultdict[tuple[str, Window], list[float]] = defaultdict(list)
        for shares in self.shares:
            for score in score_shares(shares, exposure_s, model):
                if score.metric in EXPOSURE_SCORES:
                    values_of[score.metric, score.time].append(np.nan if score.value is None else score.value)
        return {key: np.array(values, np.float64) for key, values in values_of.items()}


MIN_N = 30
"""Media that a part needs by default: below what is called P10 lie then 4 to 20 % of it; see docs/benchmarks.md."""

LEAST_KEPT = 8
"""Media that a part needs to be kept at all, for those who ask for a smaller minimum."""

LEAST_N = 10
"""Media that the whole needs to be used at all: with fewer, nothing lies beyond the outer edges."""


@dataclass(frozen=True)
class Provenance:
    """Provenance of a norm set."""

    name: str
    """snake_case, as in tables."""
    title: str
    """As in the report."""
    population: str
    """Whose scores they are, in a sentence."""
    created: str
    """Day, ISO 8601."""
    comparability_key: ComparabilityKey
    """What the scores were measured with."""
    keys: tuple[str, ...] = ()
    """What the set is divided by."""
    min_n: int = MIN_N
    """Media that a part needs to be used."""
    applies_to: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Mapping of str to tuple of str. What it is meant for: by key of objectives, the values."""
    types: tuple[MediumType, ...] = ("image",)
    """Of its media."""
    targets: Mapping[str, MeasuredTarget] = field(default_factory=dict)
    """Ranges that the set recommends itself, by `target_key`; they go before those that ship. Of areas, over the whole
    exposure."""
    without: Mapping[str, str] = field(default_factory=dict)
    """Mapping of str to str. Metrics that it leaves out, and why its media are no population of them."""
    sizes: Mapping[Segment, int] = field(default_factory=dict)
    """Mapping of Segment to int. Media in every part that was seen, also in those too small for a norm; the whole is
    ``()``."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Mapping of str to int. What went in and what was left out."""
    intervals: str = ""
    """How the quantiles' intervals were made."""
    notes: tuple[str, ...] = ()
    """What else to know, a paragraph each."""
    command: str = ""
    """What made it."""
    path: Path | None = None
    """The file that holds it."""
    pace: Pace | None = None
    """Of the viewers, where the scores are those of a calibration: with it areas are scored for another exposure."""


@dataclass(frozen=True)
class NormMatch:
    """A norm that was found for a medium."""

    norm: Norm
    segment: str
    """Which part it is of, as in `BenchmarkRange.segment`."""
    fallback: str | None = None
    """What was asked for instead and why it was not used, or that the whole is small."""
    exposure_s: float | None = None
    """For how long the population's pictures are looked at where that is another time than the set's, s."""


_NormKey = tuple[str, str, str, str | None, Segment]


@dataclass(frozen=True)
class NormSet(Provenance):
    """A norm set with its norms."""

    norms: tuple[Norm, ...] = field(default=(), repr=False)
    """One per type of medium, metric, time, type of AOI and segment."""
    areas: Mapping[str, NormAreas] = field(default_factory=dict, repr=False)
    """Mapping of str to NormAreas. By type, what the norms of areas at another exposure follow from; empty where the
    set does not hold it."""

    @classmethod
    def of(cls, about: Provenance, norms: Iterable[Norm], areas: Mapping[str, NormAreas] | None = None) -> NormSet:
        """Combine norms with their provenance."""
        facts: dict[str, Any] = {each.name: getattr(about, each.name) for each in fields(Provenance)}
        norms = tuple(norms)
        facts["types"] = tuple(sorted({norm.type for norm in norms}))
        return cls(**facts, norms=norms, areas=areas or {})

    @property
    def any_exposure(self) -> bool:
        """True if it has norms of areas for every exposure."""
        return bool(self.areas)

    def compared_type(self, type: str) -> str:
        """Return the type of the media that media of a type are compared with.

        Mixed media are videos and animations that were asked for under that name: where a set holds none, they are
        compared with its videos.
        """
        return "video" if type == "mixed" and "mixed" not in self.types and "video" in self.types else type

    def find(
        self,
        type: str,
        metric: str,
        metric_time: str,
        aoi_type: str | None,
        values: Mapping[str, str | None],
        min_n: int | None = None,
        exposure_s: float | None = None,
    ) -> NormMatch | str:
        """Find the norm for a score: that of the finest part of the population that is large enough.

        Parts are tried in the order of `segments_of`; how large one is, is counted in media, since AOIs of one medium
        resemble each other.

        `type`: of the medium: image, video or mixed.
        `values`: what the medium is, by key; None where that is not known.
        `min_n`: media that a part needs; by default the set's own.
        `exposure_s`: for how long the picture is looked at, s; by default as the set's. Its areas are then held against
            the areas of pictures that are looked at for as long, if `any_exposure`.
        Returns: or why there is none.
        """
        least = self.min_n if min_n is None else min_n
        type = self.compared_type(type)
        reason = self._unknown(type, metric, metric_time, aoi_type)
        if reason:
            return reason
        segments = list(segments_of(self.keys, values))
        finest = segments[0]
        exposed = type == "image" and metric in EXPOSURE_SCORES and aoi_type in self.areas
        other = exposure_s if exposed and exposure_s != self.comparability_key.exposure_s else None
        for segment in segments:
            norm = self._norm((type, metric, metric_time, aoi_type, segment), other)
            if norm is None or norm.n_media < (least if segment else LEAST_N):
                continue
            notes = []  # why it is not the finest part, or that it rests on little
            if segment != finest:
                count = _count_words(self._media((type, metric, metric_time, aoi_type, finest), other), type, aoi_type)
                notes.append(f"{segment_text(finest)} was asked for, but has {count}; {least} are needed")
            if norm.n_media < least:
                count = _count_words(norm.n_media, type, aoi_type)
                notes.append(f"the whole benchmark has only {count}, fewer than {least}")
            return NormMatch(norm, segment_text(segment), ", and ".join(notes) or None, other)
        count = _count_words(self._media((type, metric, metric_time, aoi_type, ()), other), type, aoi_type)
        return f"{self.title}: {count} in all, {LEAST_N} are needed"

    def _norm(self, key: _NormKey, exposure_s: float | None) -> Norm | None:
        """Return a norm of the set; for another exposure, compute it from the areas once and cache it."""
        if exposure_s is None:
            return self._by_key.get(key)
        if (key, exposure_s) not in self._rescored:
            self._rescored[key, exposure_s] = self.rescored(
                *(key[1], cast("Window", key[2]), str(key[3]), key[4]), exposure_s
            )
        return self._rescored[key, exposure_s]

    def rescored(self, metric: str, time: Window, aoi_type: str, segment: Segment, exposure_s: float) -> Norm | None:
        """Compute the norm of a score of areas as if their pictures were looked at for another time.

        The same areas as in the norms of the set, scored and resampled in the same way.

        `metric`: one of `EXPOSURE_SCORES`.
        `exposure_s`: s, above 0.
        Returns: None where too few pictures have a value.
        """
        areas = self.areas[aoi_type]
        if (aoi_type, exposure_s) not in self._area_scores:
            model = built_in_hazard_model()
            paced = model.paced(self.pace) if self.pace else model
            self._area_scores[aoi_type, exposure_s] = areas.scores(exposure_s, paced)
        values = self._area_scores[aoi_type, exposure_s][metric, time]
        chosen = areas.belong(segment, self.keys) & np.isfinite(values)
        if np.unique(areas.media[chosen]).size < LEAST_KEPT:
            return None
        kind = ScoreKind("image", metric, time, aoi_type, EXPOSURE_SCORES[metric])
        return norm_of_sample(kind, segment, values[chosen], areas.media[chosen])

    def _unknown(self, type: str, metric: str, metric_time: str, aoi_type: str | None) -> str | None:
        if type not in self._known[0]:
            types = " and ".join(map(_plural, sorted(self._known[0])))
            return f"{self.title}: a population of {types or 'no media'}, not of {_plural(type)}"
        if metric in self.without:
            return f"{self.title}: no benchmark of {metric}, since {self.without[metric]}"
        if (type, metric, metric_time) not in self._known[1]:
            return f"{self.title}: no benchmark of {metric} ({metric_time})"
        if (type, metric, metric_time, aoi_type) not in self._known[2]:
            return f"{self.title}: no benchmark of {metric} ({metric_time}) of {aoi_type or 'whole media'}"
        return None

    def _media(self, key: _NormKey, exposure_s: float | None) -> int | None:
        """Count the media in a part that have the score; None where they are some, but too few to be kept."""
        norm = self._norm(key, exposure_s)
        if norm is not None:
            return norm.n_media
        size = self.sizes.get(key[4], 0)
        return size if key[3] is None or not size else None

    @cached_property
    def _rescored(self) -> dict[tuple[_NormKey, float], Norm | None]:
        return {}

    @cached_property
    def _area_scores(self) -> dict[tuple[str, float], AreaScores]:
        return {}

    @property
    def uncompared_areas(self) -> tuple[AoiType, ...]:
        """Types of areas that were looked for and that too few of its media have to be compared with."""
        held = {norm.aoi_type for norm in self.norms if not norm.segment and norm.n_media >= LEAST_N} - {None}
        return tuple(kind for kind in AOI_TYPES if kind not in held and kind != "other") if held else ()

    @cached_property
    def _by_key(self) -> Mapping[_NormKey, Norm]:
        return {(n.type, n.metric, n.metric_time, n.aoi_type, n.segment): n for n in self.norms}

    @cached_property
    def _known(self) -> tuple[set[str], set[tuple[str, ...]], set[tuple[str | None, ...]]]:
        """Types of media; with metrics and times; with types of AOIs."""
        keys = [key[:4] for key in self._by_key]
        return {key[0] for key in keys}, {key[:3] for key in keys}, set(keys)


def _plural(type: str) -> str:
    return "mixed media" if type == "mixed" else f"{type}s"


def _count_words(n: int | None, type: str, aoi_type: str | None) -> str:
    """Say how many media: ``12 images``, ``no image with branding``."""
    kind = f" with {aoi_type}" if aoi_type else ""
    if n is None:
        return f"fewer than {LEAST_KEPT} {type}s{kind}"
    return f"{n or 'no'} {type}{'' if n in (0, 1) else 's'}{kind}"


class ScoreRow(NamedTuple):
    """One score of a medium, or of one of its AOIs (`aoi_type` is then not None); value None where undefined."""

    medium_id: str
    type: MediumType
    metric: str
    metric_time: Window
    aoi_type: str | None
    unit: str
    value: float | None


def build_norm_set(
    rows: Iterable[ScoreRow],
    values: Mapping[str, Mapping[str, str | None]],
    about: Provenance,
    areas: Iterable[AreaRow] = (),
) -> NormSet:
    """Make a norm set: quantiles with intervals of every score, in the whole and in every part of it.

    `rows`: every medium once. Those without a value are counted, and left out.
    `values`: by medium id, what it is by key; media that are not named belong to the whole alone.
    `about`: its `keys` are what the set is divided by; `sizes`, and what is counted here, are filled in.
    `areas`: the areas of the pictures among `rows`, from which their scores at other exposures follow.
    Returns: parts with fewer than 8 media of a kind have no norm of it.
    Raises UsageError: more than 4 keys, or not even the whole has the 10 media that it needs to be used.
    """
    if len(about.keys) > MOST_KEYS:
        raise UsageError(
            f"at most {MOST_KEYS} keys can divide a norm set; found {', '.join(about.keys)}", code="bad_by"
        )
    samples, media, undefined = _gather(row for row in rows if row.metric not in about.without)
    members: dict[Segment, Bool] = {}  # which media belong to each segment
    for medium, place in media.items():
        for segment in segments_of(about.keys, values.get(medium, {})):
            members.setdefault(segment, np.zeros(len(media), np.bool_))[place] = True
    rank = np.argsort(np.argsort(np.array([*media])))
    norms = []  # of each kind that of the whole, then those of its parts by name; media are resampled by rank
    for kind, sample in samples.items():
        numbers, places = map(np.asarray, sample)
        for segment in sorted(members):
            chosen = members[segment][places]
            if np.unique(places[chosen]).size >= LEAST_KEPT:
                norms.append(norm_of_sample(kind, segment, numbers[chosen], rank[places[chosen]]))
    if not any(norm.n_media >= LEAST_N for norm in norms):
        raise UsageError(
            f"a norm set needs {LEAST_N} different media at least, and is worth something from 100 on; there are "
            f"{len(media)}",
            code="too_few_media",
        )
    of_type = _norm_areas(areas, dict(zip(media, rank.tolist(), strict=True)), about.keys, values)
    counts = {**about.counts, "media": len(media), "undefined": undefined}
    if of_type:
        counts["areas"] = sum(len(areas.shares) for areas in of_type.values())
    provenance = replace(
        about,
        types=tuple(sorted({kind.type for kind in samples})),
        sizes={segment: int(there.sum()) for segment, there in sorted(members.items())},
        counts=counts,
        intervals=f"{LEVEL * 100:.0f} % percentile bootstrap, {RESAMPLES} resamples of media, seed {SEED}",
    )
    return NormSet.of(provenance, norms, of_type)


def _gather(
    rows: Iterable[ScoreRow],
) -> tuple[Mapping[ScoreKind, tuple[array[float], array[int]]], Mapping[str, int], int]:
    """Return values with the places of their media, 16 bytes each; the place of each medium; how many are undefined."""
    samples: defaultdict[ScoreKind, tuple[array[float], array[int]]] = defaultdict(lambda: (array("d"), array("q")))
    media: dict[str, int] = {}
    undefined = 0
    for row in rows:
        place = media.setdefault(row.medium_id, len(media))
        if row.value is None:
            undefined += 1
            continue
        values, places = samples[ScoreKind(row.type, row.metric, row.metric_time, row.aoi_type, row.unit)]
        values.append(row.value)
        places.append(place)
    return samples, media, undefined


def _norm_areas(
    rows: Iterable[AreaRow],
    rank: Mapping[str, int],
    keys: Sequence[str],
    values: Mapping[str, Mapping[str, str | None]],
) -> dict[str, NormAreas]:
    """Group areas by their type, without types that too few pictures have.

    `rank`: number of each picture by its id.
    """
    by_type: defaultdict[str, list[AreaRow]] = defaultdict(list)
    for row in rows:
        by_type[row.aoi_type].append(row)
    return {
        aoi_type: NormAreas(
            np.array([rank[row.medium_id] for row in rows_of_type], np.int64),
            tuple(tuple(values.get(row.medium_id, {}).get(key) for key in keys) for row in rows_of_type),
            tuple(row.shares for row in rows_of_type),
        )
        for aoi_type, rows_of_type in by_type.items()
        if len({row.medium_id for row in rows_of_type}) >= LEAST_KEPT
    }
