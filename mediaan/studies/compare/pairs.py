"""Compare two media, or two groups of media, score by score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf

from mediaan.aoi.scoring.main_area import main_area
from mediaan.metrics.intervals import WIDENED
from mediaan.studies.compare.comparison import Comparison
from mediaan.studies.compare.design_versions import DesignVersions
from mediaan.studies.compare.differences import (
    Estimate,
    ScoreDifference,
    group_mean,
    subtract,
    subtract_means,
    subtract_paired,
)
from mediaan.studies.compare.scored_media import SamplingUnit, ScoredArea, ScoredMedium, ScoreKey, area_pairs

_LARGEST_DIFFERENCE = {"score": 100.0, "%": 100.0}  # that there can be, by unit

Groups = Mapping[str, Sequence[SamplingUnit]]


def media_rows(
    a: ScoredMedium, b: ScoredMedium, score_keys: Sequence[ScoreKey], versions: DesignVersions | None = None
) -> list[Comparison]:
    """Compare two media by their own scores, then by those of their areas.

    Parameters
    ----------
    a, b : ScoredMedium
    score_keys : sequence of ScoreKey
        Of areas the type decides which are compared: see `area_pairs`.
    versions : DesignVersions, optional
        Both looked at again, where they are versions of one design.

    Returns
    -------
    list of Comparison
        Neither corrected nor decided: see `decide`.
    """
    rows = [_compare_scores((a, b), (None, None), key, versions) for key in score_keys if not key.aoi_type]
    for aoi_type, *areas in area_pairs(a.areas, b.areas):
        label = " / ".join(dict.fromkeys(area.label for area in areas if area and area.label))
        rows += [
            _compare_scores((a, b), (areas[0], areas[1]), key, versions, label)
            for key in score_keys
            if key.aoi_type == aoi_type
        ]
    return rows


def all_pairs(
    media: Sequence[ScoredMedium], score_key: ScoreKey, versions: DesignVersions | None = None
) -> list[Comparison]:
    """Compare every medium with every other one by one score; of areas the main one of the type counts."""
    kind = score_key.aoi_type
    mains = {medium.name: main_area(medium.areas, kind) if kind else None for medium in media}
    return [
        _compare_scores((a, b), (mains[a.name], mains[b.name]), score_key, versions) for a, b in combinations(media, 2)
    ]


def group_rows(groups: Groups, score_key: ScoreKey) -> list[Comparison]:
    """Compare the mean of every group with that of every other one."""
    found = {name: [medium.estimate(score_key) for medium in media] for name, media in groups.items()}
    means = {name: group_mean(estimates) for name, estimates in found.items()}
    unit = _unit(groups, score_key)
    return [
        _row((a, b), score_key, unit, (means[a], means[b]), subtract_means(found[a], found[b]))
        for a, b in combinations(groups, 2)
    ]


def paired_rows(groups: Groups, partners: Mapping[str, str], score_key: ScoreKey) -> list[Comparison]:
    """Compare groups by the mean differences of media that belong together.

    Parameters
    ----------
    groups : mapping of name to media
    partners : mapping of a medium's name to the value of the key that it shares with its partners
    score_key : ScoreKey
    """
    keyed = {
        name: {partners[medium.name]: medium.estimate(score_key) for medium in media if medium.name in partners}
        for name, media in groups.items()
    }
    rows = []
    for a, b in combinations(groups, 2):
        pairs = [(estimate, keyed[b][partner]) for partner, estimate in keyed[a].items() if partner in keyed[b]]
        known = [(x, y) for x, y in pairs if x.value is not None and y.value is not None]
        means = group_mean([x for x, _ in known]), group_mean([y for _, y in known])
        difference = subtract_paired(known, WIDENED.get(score_key.metric, 1.0))
        rows.append(_row((a, b), score_key, _unit(groups, score_key), means, difference))
    return rows


def _compare_scores(
    media: tuple[ScoredMedium, ScoredMedium],
    areas: tuple[ScoredArea | None, ScoredArea | None],
    score_key: ScoreKey,
    versions: DesignVersions | None,
    label: str = "",
) -> Comparison:
    first, second = (
        medium.of_area(area, score_key) if score_key.aoi_type else medium.estimate(score_key)
        for medium, area in zip(media, areas, strict=True)
    )
    unit = media[0].units[score_key.metric]
    if versions is None:
        difference = subtract(first, second, WIDENED.get(score_key.metric, 1.0), from_middles=unit == "score")
    else:
        difference = versions.subtract(media, areas, score_key, (first, second))
    return _row((media[0].name, media[1].name), score_key, unit, (first, second), difference, label)


def _row(
    names: tuple[str, str],
    score_key: ScoreKey,
    unit: str,
    estimates: tuple[Estimate, Estimate],
    difference: ScoreDifference,
    label: str = "",
) -> Comparison:
    largest = _LARGEST_DIFFERENCE.get(unit, inf)
    n_a, n_b = (estimate.n if estimate.value is not None else 0 for estimate in estimates)
    return Comparison(
        a=names[0],
        b=names[1],
        aoi_type=score_key.aoi_type,
        aoi_label=label or None,
        metric=score_key.metric,
        metric_time=score_key.time,
        unit=unit,
        value_a=estimates[0].value,
        value_b=estimates[1].value,
        n_a=n_a,
        n_b=n_b,
        difference=difference.value,
        lo=None if difference.lo is None else max(-largest, difference.lo),
        hi=None if difference.hi is None else min(largest, difference.hi),
        probability=difference.probability,
        p=difference.p,
        reason=difference.reason,
    )


def _unit(groups: Groups, score_key: ScoreKey) -> str:
    return next(medium.units[score_key.metric] for media in groups.values() for medium in media)
