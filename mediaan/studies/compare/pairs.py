"""Compare two media, or two groups of media, score by score; decide what can be told, and who leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import inf, sqrt
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING

from mediaan.analysis import Plan, load_models
from mediaan.analysis.differences import AugmentedScores, score_augmented
from mediaan.analysis.options import Device
from mediaan.analysis.plan import AOI_VIEW
from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import AOI_METRICS, PERCENTAGE_SEEN
from mediaan.errors import UsageError
from mediaan.media import file_medium_id, open_image
from mediaan.metrics.guide import HEADLINE_SCORES, SUBSTITUTES, good_direction
from mediaan.metrics.scales import ALPHA, LEAN, WIDENED, repeatability_interval
from mediaan.studies.compare.differences import (
    NO_INTERVAL,
    Comparison,
    ComparisonSide,
    ComparisonVerdict,
    Estimate,
    SamplingUnit,
    ScoreDifference,
    ScoreKey,
    area_pairs,
    estimate,
    estimate_of_area,
    group_mean,
    is_one_sided,
    subtract,
    subtract_means,
    subtract_paired,
    two_sided_p,
)
from mediaan.studies.statistics import holm, t_cdf, t_quantile
from mediaan.types.aoi import Aoi
from mediaan.types.area_types import AREA_TYPES, area_types_needed
from mediaan.types.media import Purpose
from mediaan.types.metrics import Direction
from mediaan.types.result import Result

if TYPE_CHECKING:
    from mediaan.studies.compare.media import RunMedium


MIN_VIEWS = 3

MAX_VERSIONS = 24
"""Versions that are looked at again: each takes some seconds of one core."""

_TOO_FEW = "It is undefined in too many views of the images for an interval."


Looks = Mapping[str, AugmentedScores]
"""Versions of one design, each looked at in the same views, by the path of each result."""


def _subtract_versions(
    looks: Looks,
    media: tuple[Result, Result],
    areas: tuple[Aoi | None, Aoi | None],
    score_key: ScoreKey,
    estimates: tuple[Estimate, Estimate],
) -> ScoreDifference:
    """Subtract a score of two versions, with the repeatability of the difference."""
    a, b = estimates
    if a.value is None or b.value is None:
        return ScoreDifference(None, reason=a.reason or b.reason)
    value = a.value - b.value
    if (score_key.aoi_type and None in areas) or score_key.unit == "count":
        return ScoreDifference(value, reason=a.reason or b.reason or NO_INTERVAL)
    in_views: list[list[float | None]] = []
    for medium, area in zip(media, areas, strict=True):
        key = (area.aoi_id if area else None, score_key.metric, score_key.time)
        scores = (view.get(key) for view in looks[medium.path].views)
        in_views.append([score.value if score else None for score in scores])
    pairs = [x - y for x, y in zip(*in_views, strict=True) if x is not None and y is not None]
    if len(pairs) < MIN_VIEWS:
        return ScoreDifference(value, reason=_TOO_FEW)
    return repeatability_difference(value, pairs)


def repeatability_difference(value: float, pairs: list[float]) -> ScoreDifference:
    """Give a difference its 90 % interval over views, of which the first shows the images as they are.

    `value`: the difference, as the runs have it.
    `pairs`: the same in each view.
    Returns: `probability` is that of one more view, by Student's t: that it would find the first one higher. Without an
        interval where all views agree to the last bit: that tells nothing of the next medium.

    >>> difference = repeatability_difference(2.0, [2.0, 1.0, 3.0])  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    >>> round(difference.lo, 2), round(difference.hi, 2), round(difference.probability, 3)
    (-1.37, 5.37, 0.887)
    """
    low, high = repeatability_interval(pairs, pairs[0])
    below, above = pairs[0] - low, high - pairs[0]
    if value == 0:
        return ScoreDifference(value, -below, above, 0.5, 1.0)
    df = len(pairs) - 1
    half_width = below if value > 0 else above
    if half_width == 0:
        return ScoreDifference(value, reason=NO_INTERVAL)
    probability = t_cdf(t_quantile(0.95, df) * value / half_width, df)
    return ScoreDifference(value, value - below, value + above, probability, two_sided_p(probability))


def score_versions(media: Sequence[RunMedium], results: Sequence[Result], device: Device = "auto") -> Looks:
    """Score still images again in the views by which `mediaan.analysis.differences` tells differences.

    `results`: of the same media, with their areas: see `read_results`.
    Raises UsageError: media that move, that are not at hand as files, or too many (``bad_versions``).
    """
    if len(media) > MAX_VERSIONS:
        raise UsageError(f"--versions: {len(media)} files; at most {MAX_VERSIONS} are allowed", code="bad_versions")
    scores = {}
    for medium, result in zip(media, results, strict=True):
        if medium.type != "image":
            raise UsageError(
                f"--versions: {medium.name} is not a still image; only still images can be compared so",
                code="bad_versions",
            )
        files = [path for path in (medium.file, Path(medium.path)) if path is not None and path.is_file()]
        file = next((path for path in files if str(file_medium_id(path)) == medium.medium_id), None)
        if file is None:
            raise UsageError(
                f"--versions: the file of {medium.name} was not found; give a path that leads to it from here",
                code="bad_versions",
            )
        recipe = medium.run.metadata.recipe
        plan = Plan(
            model=recipe.model,
            detector=recipe.detector,
            device=device,
            exposure_s=medium.run.exposure_s(medium.path),
            max_megapixels=recipe.max_megapixels,
            calibration=recipe.calibration,
            domain=medium.run.stated_domain(medium.path),
        )
        opened = open_image(file, [AOI_VIEW], max_megapixels=plan.max_megapixels)
        rgb = opened.chunks[0].views[AOI_VIEW.name][0]
        scores[result.path] = score_augmented(rgb, opened.medium, result.aois or (), plan, load_models(*plan.models))
    return scores


_LARGEST_DIFFERENCE = {"score": 100.0, "%": 100.0}  # that there can be, by unit

Groups = Mapping[str, Sequence[SamplingUnit]]


def media_rows(a: Result, b: Result, score_keys: Sequence[ScoreKey], looks: Looks | None = None) -> list[Comparison]:
    """Compare two media by their own scores, then by those of their areas.

    `score_keys`: of areas the type decides which are compared: see `area_pairs`.
    Returns: neither corrected nor decided: see `decide`.
    """
    rows = [_compare_scores((a, b), (None, None), key, looks) for key in score_keys if not key.aoi_type]
    for aoi_type, *areas in area_pairs(a.aois or (), b.aois or ()):
        label = " / ".join(dict.fromkeys(area.label for area in areas if area and area.label))
        rows += [
            _compare_scores((a, b), (areas[0], areas[1]), key, looks, label)
            for key in score_keys
            if key.aoi_type == aoi_type
        ]
    return rows


def all_pairs(media: Sequence[Result], score_key: ScoreKey, looks: Looks | None = None) -> list[Comparison]:
    """Compare every medium with every other one by one score; of areas the main one of the type counts."""
    kind = score_key.aoi_type
    mains = {medium.path: main_area(medium.aois or (), kind) if kind else None for medium in media}
    return [
        _compare_scores((a, b), (mains[a.path], mains[b.path]), score_key, looks) for a, b in combinations(media, 2)
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
    looks: Looks | None,
    label: str = "",
) -> Comparison:
    first, second = (
        estimate_of_area(medium, area, score_key) if score_key.aoi_type else estimate(medium, score_key)
        for medium, area in zip(media, areas, strict=True)
    )
    if looks is None:
        factor = WIDENED.get(score_key.metric, 1.0)
        difference = subtract(first, second, factor, from_middles=score_key.unit == "score")
    else:
        difference = _subtract_versions(looks, media, areas, score_key, (first, second))
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


_AOI_DIRECTIONS: dict[str, Direction] = {spec.name: spec.direction for spec in AOI_METRICS}


def decide(rows: Sequence[Comparison], purpose: Purpose | None = None) -> tuple[Comparison, ...]:
    """Correct comparisons that are made together, and say what can be told of each.

    Those by headline scores are one family, all others another one.

    `rows`: those without `p` are undefined and do not count.
    Returns: with `p_corrected`, `n_comparisons`, `verdict`, `better` and `lean`.
    """
    families = {
        family: [row.p for row in rows if row.headline == family and row.p is not None] for family in (True, False)
    }
    corrected = {family: iter(holm(p)) for family, p in families.items()}
    decided = []
    for row in rows:
        direction = direction_of(row.metric, row.aoi_type, purpose)
        better: ComparisonSide | None = None
        lean: ComparisonSide | None = None
        if row.difference is not None and direction != "middle":
            better = "a" if (row.difference > 0) == (direction == "higher") else "b"
        p = row.probability
        if p is not None and max(p, 1 - p) >= LEAN and direction != "middle":
            lean = "a" if (p > 0.5) == (direction == "higher") else "b"
        p_corrected = None if row.p is None else next(corrected[row.headline])
        verdict: ComparisonVerdict = row.verdict
        if p_corrected is not None:
            assert row.difference is not None
            verdict = "a_higher" if row.difference > 0 else "b_higher"
            if p_corrected >= ALPHA:
                verdict = "not_distinguishable"
        is_told = verdict in ("a_higher", "b_higher")
        decided.append(
            replace(
                row,
                n_comparisons=len(families[row.headline]),
                p_corrected=p_corrected,
                verdict=verdict,
                better=better if is_told else None,
                lean=None if is_told else lean,
            )
        )
    return tuple(decided)


def direction_of(metric: str, aoi_type: str | None, purpose: Purpose | None = None) -> Direction:
    """Return which way of a metric is good: of areas by its specification, of media by the guide."""
    return _AOI_DIRECTIONS[metric] if aoi_type else good_direction(metric, purpose)


WEIGHTS: Mapping[str, float] = {"clarity": 0.5, "engagement": 0.5, "design": 0.5}
"""Weights of headline scores that do not count 1: opinions are known about half as well as what is looked at."""

ERROR_CORRELATION = 0.15
"""Correlation that is taken for the errors of headline scores of one pair: a picture that people take otherwise than
predicted is mistaken on several scores. Measured: -.3 to +.4 between two scores, of opinions .25 to .34
(`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_MAX_PROBABILITY = 1 - 1e-6
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Leader:
    """The side that is ahead on the headline scores taken together."""

    side: ComparisonSide | None
    """None where it is too close to call."""
    probability: float
    """That the more probable side is truly ahead, 0.5-1."""
    ahead: ComparisonSide | None
    """The more probable side, however close it is; None where neither is more probable."""
    better: Mapping[int, float]
    """Mapping of int to float. Of each row that it rests on, by its place, the probability that A is truly better."""


def mark_headlines(rows: Sequence[Comparison], purpose: Purpose | None = None) -> list[Comparison]:
    """Mark the rows that a comparison is decided by; of areas of one type the first, which gets most attention.

    Where only one side has such an area, and the other was looked through, more people probably see it there.
    """
    metrics = {row.metric for row in rows if row.aoi_type is None}
    scores = {metric if metric in metrics else SUBSTITUTES.get(metric, metric) for metric in HEADLINE_SCORES[purpose]}
    seen_by = (PERCENTAGE_SEEN.name, "total")
    seen: set[str] = set()
    marked = []
    for row in rows:
        if row.aoi_type is None:
            marked.append(replace(row, headline=row.metric in scores))
        elif row.aoi_type in {*area_types_needed(purpose)} - seen and (row.metric, row.metric_time) == seen_by:
            seen.add(row.aoi_type)
            if is_one_sided(row):
                chance = AREA_TYPES[row.aoi_type].one_sided_probability
                in_a = None if None in (row.value_a, row.value_b) else chance if row.n_a else 1 - chance
                marked.append(replace(row, headline=True, probability=in_a))
            else:
                marked.append(row)
        else:
            marked.append(replace(row, headline=False))
    return marked


def find_leader(rows: Sequence[Comparison], purpose: Purpose | None = None) -> Leader | None:
    """Find who leads on the headline scores.

    `rows`: settled, of one pair.
    Returns: None where no headline score has an interval and one end that is good.
    """
    better: dict[int, float] = {}
    for place, row in enumerate(rows):
        direction = direction_of(row.metric, row.aoi_type, purpose)
        if row.headline and row.probability is not None and direction != "middle":
            better[place] = row.probability if direction == "higher" else 1 - row.probability
    if not better:
        return None
    chance = combine_probabilities(list(better.values()), [WEIGHTS.get(rows[place].metric, 1.0) for place in better])
    ahead: ComparisonSide | None = None if chance == 0.5 else "a" if chance > 0.5 else "b"
    probability = max(chance, 1 - chance)
    return Leader(ahead if probability >= LEAN else None, probability, ahead, better)


def combine_probabilities(
    better: Sequence[float], weights: Sequence[float], common: float = ERROR_CORRELATION
) -> float:
    """Combine the probabilities of being better on several scores into that of being ahead on them together.

    Differences are added in units of their own errors, with weights (Liptak 1958, Magyar Tud. Akad. Mat. Kutato Int.
    Kozl. 3, 171-197, after Stouffer), and errors have something in common (Strube 1985, Psychol. Bull. 97, 334-341).

    `better`: that A is better, 0-1.
    `weights`: above 0.
    `common`: correlation of the errors, at least 0 and below 1.
    Returns: 0-1.
    """
    away = sum(
        weight * _NORMAL.inv_cdf(min(max(p, 1 - _MAX_PROBABILITY), _MAX_PROBABILITY))
        for p, weight in zip(better, weights, strict=True)
    )
    squares, squared_sum = sum(weight**2 for weight in weights), sum(weights) ** 2
    return _NORMAL.cdf(away / sqrt((1 - common) * squares + common * squared_sum))
