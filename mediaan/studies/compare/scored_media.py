"""Hold the scores of media, of their areas and of clusters of media, whatever run they come from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot
from uuid import UUID

from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import ATTENTION, ZERO_IF_ABSENT
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.differences import Estimate
from mediaan.types.aoi import AoiType, aoi_words
from mediaan.types.densities import Window

MetricTime = tuple[str, Window]
"""Metric and time."""


@dataclass(frozen=True, slots=True)
class ScoreKey:
    """A score to compare."""

    metric: str
    time: Window
    aoi_type: AoiType | None = None
    """Of an AOI; None for a score of the media."""

    def __str__(self) -> str:
        """Write it as users do: ``branding.percentage_seen.start``."""
        return ".".join([*([self.aoi_type] if self.aoi_type else []), self.metric, self.time])


@dataclass(frozen=True, slots=True)
class ScoredArea:
    """An area of interest with its scores."""

    type: AoiType
    label: str
    """What people call it; may be empty."""
    scores: Mapping[MetricTime, Estimate]
    """Mapping of metric and time to Estimate."""
    aoi_id: UUID | None = None
    confidence: float | None = None
    """Of the detection, 0-1; None where it was drawn."""

    @property
    def attention(self) -> float:
        """Share of attention over the whole exposure, %; 0 where it is undefined."""
        found = self.scores.get((ATTENTION.name, "total"))
        return (found.value if found else None) or 0.0


@dataclass(frozen=True, slots=True)
class ScoredMedium:
    """A medium with its scores and areas."""

    name: str
    """Path, as tables show it."""
    scores: Mapping[MetricTime, Estimate]
    """Mapping of metric and time to Estimate."""
    units: Mapping[str, str]
    """Mapping of metric to str. Of all metrics, those of areas included."""
    areas: tuple[ScoredArea, ...] = ()
    looked_for: frozenset[AoiType] = frozenset()
    """Types of areas that would have been found, had there been any."""

    def estimate(self, score_key: ScoreKey) -> Estimate:
        """Return a score; of a type of areas that of the main one, which gets most attention."""
        if score_key.aoi_type is None:
            return _score_or_missing(self.scores, score_key)
        return self.of_area(main_area(self.areas, score_key.aoi_type), score_key)

    def of_area(self, area: ScoredArea | None, score_key: ScoreKey) -> Estimate:
        """Return a score of an area; where none was found 0, if that means something and such areas were looked for.

        That 0 has no interval: whether there is an area is a matter of finding it, not of how attention falls.
        """
        if area is not None:
            return _score_or_missing(area.scores, score_key)
        assert score_key.aoi_type is not None
        called = aoi_words(score_key.aoi_type)
        if score_key.aoi_type not in self.looked_for:
            return Estimate(None, reason=f"{self.name}: areas of type {called} were not looked for.", n=0)
        if score_key.metric not in ZERO_IF_ABSENT:
            return Estimate(None, reason=f"{self.name}: no {called} was found.", n=0)
        return Estimate(0.0, reason=f"{self.name}: no {called} was found; 0, unless the detection missed one.", n=0)


def area_pairs(
    a: Sequence[ScoredArea], b: Sequence[ScoredArea]
) -> list[tuple[AoiType, ScoredArea | None, ScoredArea | None]]:
    """Pair the areas of A with those of B that they are compared with.

    Those of one type and label go together, such as the same brand's mark; where a type has no label in common, the
    main ones do. All others have no counterpart and are left alone, but for the main one of a type that only one side
    has.

    Returns
    -------
    list of (type, area or None, area or None)
        In the order of the types, then by attention in A; one area of each type at least where either side has one.
    """
    found: list[tuple[AoiType, ScoredArea | None, ScoredArea | None]] = []
    for aoi_type in dict.fromkeys(area.type for area in (*a, *b)):
        first, second = _by_label(a, aoi_type), _by_label(b, aoi_type)
        shared = [label for label in first if label in second]
        if shared:
            found += [(aoi_type, first[label], second[label]) for label in shared]
        else:
            found.append((aoi_type, main_area(a, aoi_type), main_area(b, aoi_type)))
    return found


def is_one_sided(row: Comparison) -> bool:
    """Tell whether a row is about an area that only one side has."""
    return row.aoi_type is not None and (row.n_a == 0) != (row.n_b == 0)


def _by_label(areas: Sequence[ScoredArea], aoi_type: AoiType) -> dict[str, ScoredArea]:
    """Return the most attended area of each label, but not those without one."""
    found: dict[str, ScoredArea] = {}
    for area in sorted((area for area in areas if area.type == aoi_type), key=lambda area: -area.attention):
        if label := " ".join(area.label.casefold().split()):
            found.setdefault(label, area)
    return found


def _score_or_missing(scores: Mapping[MetricTime, Estimate], score_key: ScoreKey) -> Estimate:
    missing = Estimate(None, reason="The run does not have it.", n=0)
    found = scores.get((score_key.metric, score_key.time), missing)
    return found if found.value is not None else Estimate(None, reason=found.reason, n=0)


@dataclass(frozen=True, slots=True)
class MediaCluster:
    """Media of one group that have something in common besides it."""

    name: str
    media: tuple[ScoredMedium, ...]
    """At least one."""

    @property
    def units(self) -> Mapping[str, str]:
        """Units of all metrics."""
        return self.media[0].units

    def estimate(self, score_key: ScoreKey) -> Estimate:
        """Average a score over its media."""
        return cluster_mean([medium.estimate(score_key) for medium in self.media])


SamplingUnit = ScoredMedium | MediaCluster
"""Element of a group, independent of the others."""


def cluster_media(media: Sequence[ScoredMedium], keys: Mapping[str, str]) -> list[MediaCluster]:
    """Cluster the media of one group by what they have in common, in the order in which it appears.

    Parameters
    ----------
    media : sequence of ScoredMedium
    keys : mapping of a medium's name to its cluster's
        Media without one are left out.
    """
    names = dict.fromkeys(keys[one.name] for one in media if one.name in keys)
    return [MediaCluster(name, tuple(one for one in media if keys.get(one.name) == name)) for name in names]


def cluster_mean(estimates: Sequence[Estimate]) -> Estimate:
    """Average scores with a 90 % interval that holds the errors of these scores alone.

    How far the cluster is from others like it does not show in it, but in how far the means of clusters differ.

    Parameters
    ----------
    estimates : sequence of Estimate
        One of each medium; those that are undefined are left out.

    Examples
    --------
    >>> mean = cluster_mean([Estimate(40.0, 34.0, 48.0), Estimate(60.0, 52.0, 66.0), Estimate(None)])
    >>> mean.value, mean.lo, mean.hi, mean.n  # half of hypot(6, 8) down, half of hypot(8, 6) up
    (50.0, 45.0, 55.0, 1)
    """
    known = [one for one in estimates if one.value is not None]
    if not known:
        return Estimate(None, reason=next((one.reason for one in estimates if one.reason), None), n=0)
    mean = sum(one.value or 0.0 for one in known) / len(known)
    half_widths = [one.half_widths for one in known if one.half_widths is not None]
    if len(half_widths) < len(known):
        return Estimate(mean)
    below, above = (hypot(*side) / len(known) for side in zip(*half_widths, strict=True))
    return Estimate(mean, mean - below, mean + above)
