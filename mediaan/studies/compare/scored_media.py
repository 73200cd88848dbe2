"""Take the scores to compare from results, from their areas, and from clusters of results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot

from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import ZERO_IF_ABSENT
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.differences import Estimate
from mediaan.types.aoi import Aoi, AoiType, aoi_words
from mediaan.types.densities import Window
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.populations import METRIC_SPECS


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """A score to compare."""

    metric: str
    time: Window
    aoi_type: AoiType | None = None
    """Of an AOI; None for a score of the media."""

    @property
    def unit(self) -> str:
        """Unit of the score."""
        return METRIC_SPECS[self.metric].unit

    def __str__(self) -> str:
        """Write it as users do: ``branding.percentage_seen.start``."""
        return ".".join([*([self.aoi_type] if self.aoi_type else []), self.metric, self.time])


@dataclass(frozen=True, slots=True)
class MediaCluster:
    """Media of one group that have something in common besides it."""

    name: str
    media: tuple[Result, ...]
    """At least one."""


SamplingUnit = Result | MediaCluster
"""Element of a group, independent of the others."""


def estimate(unit: SamplingUnit, score_key: ScoreKey) -> Estimate:
    """Return a score of a medium, or the mean of a cluster's; of a type of areas that of the main one."""
    if isinstance(unit, MediaCluster):
        return cluster_mean([estimate(medium, score_key) for medium in unit.media])
    if score_key.aoi_type is None:
        return _score_or_missing(unit.score(score_key.metric, score_key.time))
    return estimate_of_area(unit, main_area(unit.aois or (), score_key.aoi_type), score_key)


def estimate_of_area(medium: Result, area: Aoi | None, score_key: ScoreKey) -> Estimate:
    """Return a score of an area; where none was found 0, if that means something and such areas were looked for.

    That 0 has no interval: whether there is an area is a matter of finding it, not of how attention falls.
    """
    if area is not None:
        return _score_or_missing(area.score(score_key.metric, score_key.time))
    assert score_key.aoi_type is not None
    called = aoi_words(score_key.aoi_type)
    if score_key.aoi_type not in medium.looked_for:
        return Estimate(None, reason=f"{medium.path}: areas of type {called} were not looked for.", n=0)
    if score_key.metric not in ZERO_IF_ABSENT:
        return Estimate(None, reason=f"{medium.path}: no {called} was found.", n=0)
    return Estimate(0.0, reason=f"{medium.path}: no {called} was found; 0, unless the detection missed one.", n=0)


def _score_or_missing(score: Score | None) -> Estimate:
    if score is None:
        return Estimate(None, reason="The run does not have it.", n=0)
    if score.value is None:
        return Estimate(None, reason=score.reason, n=0)
    return Estimate(score.value, score.lo, score.hi)


def area_pairs(a: Sequence[Aoi], b: Sequence[Aoi]) -> list[tuple[AoiType, Aoi | None, Aoi | None]]:
    """Pair the areas of A with those of B that they are compared with.

    Those of one type and label go together, such as the same brand's mark; where a type has no label in common, the
    main ones do. All others have no counterpart and are left alone, but for the main one of a type that only one side
    has.

    Returns list of (type, area or None, area or None): in the order of the types, then by attention in A; one area of
        each type at least where either side has one.
    """
    pairs: list[tuple[AoiType, Aoi | None, Aoi | None]] = []
    for aoi_type in dict.fromkeys(area.type for area in (*a, *b)):
        first, second = _by_label(a, aoi_type), _by_label(b, aoi_type)
        shared = [label for label in first if label in second]
        if shared:
            pairs += [(aoi_type, first[label], second[label]) for label in shared]
        else:
            pairs.append((aoi_type, main_area(a, aoi_type), main_area(b, aoi_type)))
    return pairs


def is_one_sided(row: Comparison) -> bool:
    """Tell whether a row is about an area that only one side has."""
    return row.aoi_type is not None and (row.n_a == 0) != (row.n_b == 0)


def _by_label(areas: Sequence[Aoi], aoi_type: AoiType) -> dict[str, Aoi]:
    """Return the most attended area of each label, but not those without one."""
    by_label: dict[str, Aoi] = {}
    for area in sorted((area for area in areas if area.type == aoi_type), key=lambda area: -area.attention):
        if label := " ".join(area.label.casefold().split()):
            by_label.setdefault(label, area)
    return by_label


def cluster_media(media: Sequence[Result], keys: Mapping[str, str]) -> list[MediaCluster]:
    """Cluster the media of one group by what they have in common, in the order in which it appears.

    `keys` (mapping of a medium's path to its cluster's): media without one are left out.
    """
    names = dict.fromkeys(keys[medium.path] for medium in media if medium.path in keys)
    return [MediaCluster(name, tuple(medium for medium in media if keys.get(medium.path) == name)) for name in names]


def cluster_mean(estimates: Sequence[Estimate]) -> Estimate:
    """Average scores with a 90 % interval that holds the errors of these scores alone.

    How far the cluster is from others like it does not show in it, but in how far the means of clusters differ.

    `estimates`: one of each medium; those that are undefined are left out.

    >>> mean = cluster_mean([Estimate(40.0, 34.0, 48.0), Estimate(60.0, 52.0, 66.0), Estimate(None)])
    >>> mean.value, mean.lo, mean.hi, mean.n  # half of hypot(6, 8) down, half of hypot(8, 6) up
    (50.0, 45.0, 55.0, 1)
    """
    defined = [score for score in estimates if score.value is not None]
    if not defined:
        return Estimate(None, reason=next((score.reason for score in estimates if score.reason), None), n=0)
    mean = sum(score.value or 0.0 for score in defined) / len(defined)
    half_widths = [score.half_widths for score in defined if score.half_widths is not None]
    if len(half_widths) < len(defined):
        return Estimate(mean)
    below, above = (hypot(*side) / len(defined) for side in zip(*half_widths, strict=True))
    return Estimate(mean, mean - below, mean + above)
