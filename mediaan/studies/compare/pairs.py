"""Compare two media, or two groups of media, score by score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from math import inf

from mediaan.aoi.scoring.main_area import main_area
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.design_versions import DesignVersions
from mediaan.studies.compare.differences import (
    WIDENED,
    Estimate,
    ScoreDifference,
    group_mean,
    subtract,
    subtract_means,
    subtract_paired,
)
from mediaan.studies.compare.scored_media import SamplingUnit, ScoredArea, ScoredMedium, ScoreKey, area_pairs

_WIDEST = {"score": 100.0, "%": 100.0}  # difference that there can be, by unit

Groups = Mapping[str, Sequence[SamplingUnit]]


def media_rows(
    a: ScoredMedium, b: ScoredMedium, wanted: Sequence[ScoreKey], versions: DesignVersions | None = None
) -> list[Comparison]:
    """Compare two media by their own scores, then by those of their areas.

    Parameters
    ----------
    a, b : ScoredMedium
    wanted : sequence of Wanted
        Of areas the type decides which are compared: see `area_pairs`.
    versions : Versions, optional
        Both looked at again, where they are versions of one design.

    Returns
    -------
    list of Comparison
        Neither corrected nor decided: see `decide`.
    """
    own = [_scores_row((a, b), (None, None), one, versions) for one in wanted if not one.aoi_type]
    return [*own, *_area_rows(a, b, [one for one in wanted if one.aoi_type], versions)]


def all_pairs(media: Sequence[ScoredMedium], one: ScoreKey, versions: DesignVersions | None = None) -> list[Comparison]:
    """Compare every medium with every other one by one score; of areas the main one of the type counts."""
    mains = {medium.name: main_area(medium.areas, one.aoi_type) if one.aoi_type else None for medium in media}
    return [_scores_row((a, b), (mains[a.name], mains[b.name]), one, versions) for a, b in combinations(media, 2)]


def group_rows(groups: Groups, one: ScoreKey) -> list[Comparison]:
    """Compare the mean of every group with that of every other one."""
    found = {name: [medium.estimate(one) for medium in media] for name, media in groups.items()}
    means = {name: group_mean(estimates) for name, estimates in found.items()}
    unit = _unit(groups, one)
    return [
        _row((a, b), one, unit, (means[a], means[b]), subtract_means(found[a], found[b]))
        for a, b in combinations(groups, 2)
    ]


def paired_rows(groups: Groups, partners: Mapping[str, str], one: ScoreKey) -> list[Comparison]:
    """Compare groups by the mean differences of media that belong together.

    Parameters
    ----------
    groups : mapping of name to media
    partners : mapping of a medium's name to the value of the key that it shares with its partners
    one : Wanted
    """
    keyed = {
        name: {partners[medium.name]: medium.estimate(one) for medium in media if medium.name in partners}
        for name, media in groups.items()
    }
    rows = []
    for a, b in combinations(groups, 2):
        pairs = [(estimate, keyed[b][key]) for key, estimate in keyed[a].items() if key in keyed[b]]
        known = [(x, y) for x, y in pairs if x.value is not None and y.value is not None]
        means = group_mean([x for x, _ in known]), group_mean([y for _, y in known])
        found = subtract_paired(known, WIDENED.get(one.metric, 1.0))
        rows.append(_row((a, b), one, _unit(groups, one), means, found))
    return rows


def _area_rows(
    a: ScoredMedium, b: ScoredMedium, wanted: Sequence[ScoreKey], versions: DesignVersions | None
) -> Iterator[Comparison]:
    for aoi_type, *areas in area_pairs(a.areas, b.areas):
        label = " / ".join(dict.fromkeys(area.label for area in areas if area and area.label))
        for one in wanted:
            if one.aoi_type == aoi_type:
                yield _scores_row((a, b), (areas[0], areas[1]), one, versions, label)


def _scores_row(
    media: tuple[ScoredMedium, ScoredMedium],
    areas: tuple[ScoredArea | None, ScoredArea | None],
    one: ScoreKey,
    versions: DesignVersions | None,
    label: str = "",
) -> Comparison:
    first, second = (
        medium.of_area(area, one) if one.aoi_type else medium.estimate(one)
        for medium, area in zip(media, areas, strict=True)
    )
    unit = media[0].units[one.metric]
    if versions is None:
        found = subtract(first, second, WIDENED.get(one.metric, 1.0), from_middles=unit == "score")
    else:
        found = versions.subtract(media, areas, one, (first, second))
    return _row((media[0].name, media[1].name), one, unit, (first, second), found, label)


def _row(
    names: tuple[str, str],
    one: ScoreKey,
    unit: str,
    estimates: tuple[Estimate, Estimate],
    found: ScoreDifference,
    label: str = "",
) -> Comparison:
    widest = _WIDEST.get(unit, inf)
    n_a, n_b = (estimate.n if estimate.value is not None else 0 for estimate in estimates)
    return Comparison(
        a=names[0],
        b=names[1],
        aoi_type=one.aoi_type,
        aoi_label=label or None,
        metric=one.metric,
        metric_time=one.time,
        unit=unit,
        value_a=estimates[0].value,
        value_b=estimates[1].value,
        n_a=n_a,
        n_b=n_b,
        difference=found.value,
        lo=None if found.lo is None else max(-widest, found.lo),
        hi=None if found.hi is None else min(widest, found.hi),
        probability=found.probability,
        p=found.p,
        reason=found.reason,
    )


def _unit(groups: Groups, one: ScoreKey) -> str:
    return next(medium.units[one.metric] for media in groups.values() for medium in media)
