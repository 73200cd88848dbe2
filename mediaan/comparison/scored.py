"""What is compared: a medium with its scores and areas, whatever run it comes from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from mediaan.aoi.main_area import main_area
from mediaan.aoi.metrics import ATTENTION, AVAILABILITY, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.comparison.difference import Estimate
from mediaan.types.aoi import AoiType
from mediaan.types.comparison import Comparison
from mediaan.types.metrics import Time

Key = tuple[str, Time]
"""Metric and time."""

NOTHING_IS_ZERO = {metric.name for metric in (ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, AVAILABILITY)}
"""What is 0, rather than undefined, of an area that is not there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A score to compare.

    Attributes
    ----------
    metric : str
    time : {'total', 'start', 'end'}
    aoi_type : AoiType or None
        Of an AOI; None for a score of the media.
    """

    metric: str
    time: Time
    aoi_type: AoiType | None = None

    def __str__(self) -> str:
        """As users write it: ``branding.percentage_seen.start``."""
        return ".".join([*([self.aoi_type] if self.aoi_type else []), self.metric, self.time])


@dataclass(frozen=True, slots=True)
class ScoredArea:
    """An area of interest with its scores.

    Attributes
    ----------
    type : AoiType
    label : str
        What people call it; may be empty.
    scores : mapping of metric and time to Estimate
    aoi_id : UUID or None
    confidence : float or None
        Of the detection, 0-1; None where it was drawn.
    """

    type: AoiType
    label: str
    scores: Mapping[Key, Estimate]
    aoi_id: UUID | None = None
    confidence: float | None = None

    @property
    def attention(self) -> float:
        """Share of attention over the whole exposure, %; 0 where it is undefined."""
        found = self.scores.get((ATTENTION.name, "total"))
        return (found.value if found else None) or 0.0


@dataclass(frozen=True, slots=True)
class ScoredMedium:
    """A medium with its scores and areas.

    Attributes
    ----------
    name : str
        Path, as tables show it.
    scores : mapping of metric and time to Estimate
    units : mapping of metric to str
        Of all metrics, those of areas included.
    areas : tuple of ScoredArea
    looked_for : frozenset of AoiType
        Types of areas that would have been found, had there been any.
    """

    name: str
    scores: Mapping[Key, Estimate]
    units: Mapping[str, str]
    areas: tuple[ScoredArea, ...] = ()
    looked_for: frozenset[AoiType] = frozenset()

    def estimate(self, wanted: Wanted) -> Estimate:
        """A score; of a type of areas that of the main one, which gets most attention."""
        if wanted.aoi_type is None:
            return _of(self.scores, wanted)
        return self.of_area(main_area(self.areas, wanted.aoi_type), wanted)

    def of_area(self, area: ScoredArea | None, wanted: Wanted) -> Estimate:
        """A score of an area; where none was found 0 if that means something and such areas were looked for.

        That 0 has no interval: whether there is an area is a matter of finding it, not of how attention falls.
        """
        if area is not None:
            return _of(area.scores, wanted)
        assert wanted.aoi_type is not None
        called = wanted.aoi_type.replace("_", " ")
        if wanted.aoi_type not in self.looked_for:
            return Estimate(None, reason=f"{self.name}: areas of type {called} were not looked for.", n=0)
        if wanted.metric not in NOTHING_IS_ZERO:
            return Estimate(None, reason=f"{self.name}: no {called} was found.", n=0)
        return Estimate(0.0, reason=f"{self.name}: no {called} was found; 0, unless one was missed.", n=0)


def area_pairs(
    a: Sequence[ScoredArea], b: Sequence[ScoredArea]
) -> list[tuple[AoiType, ScoredArea | None, ScoredArea | None]]:
    """Which area of A is compared with which one of B.

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


def alone(row: Comparison) -> bool:
    """Whether a row is about an area that only one side has."""
    return row.aoi_type is not None and (row.n_a == 0) != (row.n_b == 0)


def _by_label(areas: Sequence[ScoredArea], aoi_type: AoiType) -> dict[str, ScoredArea]:
    """The most attended area of each label; without those that have none."""
    found: dict[str, ScoredArea] = {}
    for area in sorted((area for area in areas if area.type == aoi_type), key=lambda area: -area.attention):
        if label := " ".join(area.label.casefold().split()):
            found.setdefault(label, area)
    return found


def _of(scores: Mapping[Key, Estimate], wanted: Wanted) -> Estimate:
    missing = Estimate(None, reason="The run does not have it.", n=0)
    found = scores.get((wanted.metric, wanted.time), missing)
    return found if found.value is not None else Estimate(None, reason=found.reason, n=0)
