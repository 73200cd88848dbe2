"""Scores of many media to a norm set."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from mediaan.errors import UsageError
from mediaan.judge.benchmark.norm import LEVEL, RESAMPLES, SEED, MediumType, norm_of_sample
from mediaan.judge.benchmark.norm_set import (
    LEAST_KEPT,
    LEAST_N,
    MOST_KEYS,
    AreaRow,
    NormSet,
    Provenance,
    group_areas,
    segments_of,
)
from mediaan.types.arrays import Bool
from mediaan.types.benchmark import Segment
from mediaan.types.densities import Window


class ScoreRow(NamedTuple):
    """One score of a medium, or of one of its AOIs (`aoi_type` is then not None); value None where undefined."""

    medium_id: str
    type: MediumType
    metric: str
    metric_time: Window
    aoi_type: str | None
    unit: str
    value: float | None


class _Kind(NamedTuple):
    """Key that values must share to be of one population."""

    type: MediumType
    metric: str
    metric_time: Window
    aoi_type: str | None
    unit: str


@dataclass
class _Values:
    """Values of one kind, and the places of the media that they are of: 16 bytes each."""

    values: array[float] = field(default_factory=lambda: array("d"))
    media: array[int] = field(default_factory=lambda: array("q"))


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
    kinds: defaultdict[_Kind, _Values] = defaultdict(_Values)
    media: dict[str, int] = {}
    undefined = 0
    for row in rows:
        if row.metric in about.without:
            continue
        place = media.setdefault(row.medium_id, len(media))
        if row.value is None:
            undefined += 1
            continue
        of_kind = kinds[_Kind(row.type, row.metric, row.metric_time, row.aoi_type, row.unit)]
        of_kind.values.append(row.value)
        of_kind.media.append(place)
    members: dict[Segment, Bool] = {}  # which media belong to each segment
    for medium, place in media.items():
        for segment in segments_of(about.keys, values.get(medium, {})):
            members.setdefault(segment, np.zeros(len(media), np.bool_))[place] = True
    rank = np.argsort(np.argsort(np.array([*media])))
    gathered = group_areas(areas, dict(zip(media, rank.tolist(), strict=True)), about.keys, values)
    of_type = {aoi_type: areas for aoi_type, areas in gathered.items() if np.unique(areas.media).size >= LEAST_KEPT}
    norms = []  # of each kind that of the whole, then those of its parts by name; media are resampled by rank
    for kind, sample in kinds.items():
        numbers, places = np.asarray(sample.values), np.asarray(sample.media)
        for segment in sorted(members):
            chosen = members[segment][places]
            if np.unique(places[chosen]).size >= LEAST_KEPT:
                norms.append(norm_of_sample(numbers[chosen], rank[places[chosen]], segment=segment, **kind._asdict()))
    if not any(norm.n_media >= LEAST_N for norm in norms):
        raise UsageError(
            f"a norm set needs {LEAST_N} different media at least, and is worth something from 100 on; there are "
            f"{len(media)}",
            code="too_few_media",
        )
    counts = {**about.counts, "media": len(media), "undefined": undefined}
    if of_type:
        counts["areas"] = sum(len(areas.shares) for areas in of_type.values())
    provenance = replace(
        about,
        types=tuple(sorted({kind.type for kind in kinds})),
        sizes={segment: int(there.sum()) for segment, there in sorted(members.items())},
        counts=counts,
        intervals=f"{LEVEL * 100:.0f} % percentile bootstrap, {RESAMPLES} resamples of media, seed {SEED}",
    )
    return NormSet.of(provenance, norms, of_type)
