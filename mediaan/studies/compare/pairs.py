"""Compare two media, or two groups of media, score by score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from math import inf

from mediaan.aoi.scoring.main_area import main_area
from mediaan.metrics.scales import WIDENED
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
from mediaan.studies.compare.scored_media import (
    SamplingUnit,
    ScoreKey,
    area_pairs,
    estimate,
    estimate_of_area,
)
from mediaan.types.aoi import Aoi
from mediaan.types.result import Result

_LARGEST_DIFFERENCE = {"score": 100.0, "%": 100.0}  # that there can be, by unit

Groups = Mapping[str, Sequence[SamplingUnit]]


def media_rows(
    a: Result, b: Result, score_keys: Sequence[ScoreKey], versions: DesignVersions | None = None
) -> list[Comparison]:
    """Compare two media by their own scores, then by those of their areas.

    `score_keys`: of areas the type decides which are compared: see `area_pairs`.
    `versions`: both looked at again, where they are versions of one design.
    Returns: neither corrected nor decided: see `decide`.
    """
    rows = [_compare_scores((a, b), (None, None), key, versions) for key in score_keys if not key.aoi_type]
    for aoi_type, *areas in area_pairs(a.aois or (), b.aois or ()):
        label = " / ".join(dict.fromkeys(area.label for area in areas if area and area.label))
        rows += [
            _compare_scores((a, b), (areas[0], areas[1]), key, versions, label)
            for key in score_keys
            if key.aoi_type == aoi_type
        ]
    return rows


def all_pairs(media: Sequence[Result], score_key: ScoreKey, versions: DesignVersions | None = None) -> list[Comparison]:
    """Compare every medium with every other one by one score; of areas the main one of the type counts."""
    kind = score_key.aoi_type
    mains = {medium.path: main_area(medium.aois or (), kind) if kind else None for medium in media}
    return [
        _compare_scores((a, b), (mains[a.path], mains[b.path]), score_key, versions) for a, b in combinations(media, 2)
    ]


def group_rows(groups: Groups, score_key: ScoreKey) -> list[Comparison]:
    """Compare the mean of every group with that of every other one."""
    scores = {name: [estimate(unit, score_key) for unit in units] for name, units in groups.items()}
    means = {name: group_mean(estimates) for name, estimates in scores.items()}
    return [
        _row((a, b), score_key, (means[a], means[b]), subtract_means(scores[a], scores[b]))
        for a, b in combinations(groups, 2)
    ]


def paired_rows(
    groups: Mapping[str, Sequence[Result]], partners: Mapping[str, str], score_key: ScoreKey
) -> list[Comparison]:
    """Compare groups by the mean differences of media that belong together.

    `groups`: mapping of name to media.
    `partners`: mapping of a medium's path to the value of the key that it shares with its partners.
    """
    keyed = {
        name: {partners[medium.path]: estimate(medium, score_key) for medium in media if medium.path in partners}
        for name, media in groups.items()
    }
    rows = []
    for a, b in combinations(groups, 2):
        pairs = [(score, keyed[b][partner]) for partner, score in keyed[a].items() if partner in keyed[b]]
        defined = [(x, y) for x, y in pairs if x.value is not None and y.value is not None]
        means = group_mean([x for x, _ in defined]), group_mean([y for _, y in defined])
        difference = subtract_paired(defined, WIDENED.get(score_key.metric, 1.0))
        rows.append(_row((a, b), score_key, means, difference))
    return rows


def _compare_scores(
    media: tuple[Result, Result],
    areas: tuple[Aoi | None, Aoi | None],
    score_key: ScoreKey,
    versions: DesignVersions | None,
    label: str = "",
) -> Comparison:
    first, second = (
        estimate_of_area(medium, area, score_key) if score_key.aoi_type else estimate(medium, score_key)
        for medium, area in zip(media, areas, strict=True)
    )
    if versions is None:
        factor = WIDENED.get(score_key.metric, 1.0)
        difference = subtract(first, second, factor, from_middles=score_key.unit == "score")
    else:
        difference = versions.subtract(media, areas, score_key, (first, second))
    return _row((media[0].path, media[1].path), score_key, (first, second), difference, label)


def _row(
    names: tuple[str, str],
    score_key: ScoreKey,
    estimates: tuple[Estimate, Estimate],
    difference: ScoreDifference,
    label: str = "",
) -> Comparison:
    largest = _LARGEST_DIFFERENCE.get(score_key.unit, inf)
    n_a, n_b = (score.n if score.value is not None else 0 for score in estimates)
    return Comparison(
        a=names[0],
        b=names[1],
        aoi_type=score_key.aoi_type,
        aoi_label=label or None,
        metric=score_key.metric,
        metric_time=score_key.time,
        unit=score_key.unit,
        value_a=estimates[0].value,
        value_b=estimates[1].value,
        n_a=n_a,
        n_b=n_b,
        value=difference.value,
        lo=None if difference.lo is None else max(-largest, difference.lo),
        hi=None if difference.hi is None else min(largest, difference.hi),
        probability=difference.probability,
        p=difference.p,
        reason=difference.reason,
    )
