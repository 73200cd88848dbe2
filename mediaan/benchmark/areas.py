"""Areas of a norm set's pictures, kept as shares of attention: their scores follow for any exposure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

import numpy as np

from mediaan.aoi.metrics import FIRST_SEEN, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.aoi.score import AttentionShares, score_shares
from mediaan.aoi.seen import SeenModel, built_in_seen_model
from mediaan.benchmark.resampling import Int64
from mediaan.benchmark.segments import segments_of
from mediaan.types.arrays import Bool, Float64
from mediaan.types.benchmark import Segment
from mediaan.types.calibration import Pace
from mediaan.types.metrics import Time

EXPOSED = {spec.name: spec.unit for spec in (PERCENTAGE_SEEN, TIME_SPENT, FIRST_SEEN)}
"""Scores of areas in pictures that depend on the exposure, with their units; shares of attention do not."""

AreaScores = Mapping[tuple[str, Time], Float64]
"""Values (n,) of areas by metric and time; NaN where one is undefined."""

_NOBODY = UUID(int=0)


class AreaRow(NamedTuple):
    """The shares of attention of one area of a picture, for `build_norm_set`."""

    medium_id: str
    aoi_type: str
    shares: AttentionShares


@dataclass(frozen=True, eq=False)
class Areas:
    """The areas of one type in the pictures of a norm set.

    Attributes
    ----------
    media : (n,) int64
        Number of the picture that each lies in, in the order of media ids.
    values : tuple of tuple of str or None
        What that picture is, by key of the norm set.
    shares : tuple of AttentionShares
    """

    media: Int64
    values: tuple[tuple[str | None, ...], ...]
    shares: tuple[AttentionShares, ...]

    def belong(self, segment: Segment, keys: Sequence[str]) -> Bool:
        """Tell which of them lie in pictures of a segment, (n,)."""
        alike = {value: segment in segments_of(keys, dict(zip(keys, value, strict=True))) for value in {*self.values}}
        return np.array([alike[value] for value in self.values], np.bool_)

    def scores(self, exposure_s: float, model: SeenModel) -> AreaScores:
        """Score them all for an exposure, s, as an analysis does: those of `EXPOSED`."""
        found: defaultdict[tuple[str, Time], list[float]] = defaultdict(list)
        for shares in self.shares:
            for score in score_shares(_NOBODY, shares, exposure_s, model):
                if score.metric in EXPOSED:
                    found[score.metric, score.time].append(np.nan if score.value is None else score.value)
        return {key: np.array(values, np.float64) for key, values in found.items()}


def gathered_areas(
    rows: Iterable[AreaRow],
    rank: Mapping[str, int],
    keys: Sequence[str],
    values: Mapping[str, Mapping[str, str | None]],
) -> dict[str, Areas]:
    """Put areas together by their type.

    Parameters
    ----------
    rows : iterable of AreaRow
    rank : mapping of str to int
        Number of each picture by its id.
    keys : sequence of str
        What the norm set is divided by.
    values : mapping of str to mapping
        By medium id, what it is by key.
    """
    by_type: defaultdict[str, list[AreaRow]] = defaultdict(list)
    for row in rows:
        by_type[row.aoi_type].append(row)
    return {
        aoi_type: Areas(
            np.array([rank[row.medium_id] for row in found], np.int64),
            tuple(tuple(values.get(row.medium_id, {}).get(key) for key in keys) for row in found),
            tuple(row.shares for row in found),
        )
        for aoi_type, found in by_type.items()
    }


def viewers(pace: Pace | None) -> SeenModel:
    """Return what says who sees an area: the model that ships, of a calibration's viewers where there is one."""
    model = built_in_seen_model()
    return model.paced(pace) if pace else model
