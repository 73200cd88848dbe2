"""Subtract scores, means of groups and paired scores of media and their areas, with 90 % intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, inf, sqrt
from typing import Any, Literal

import numpy as np

from mediaan.aoi.scoring.main_area import main_area
from mediaan.aoi.scoring.specs import ZERO_IF_ABSENT
from mediaan.metrics.scales import probability_above
from mediaan.run.tables.schema import COMPARISONS
from mediaan.studies.statistics import t_cdf, t_quantile
from mediaan.types.aoi import Aoi, AoiType, aoi_words
from mediaan.types.densities import Window
from mediaan.types.metrics import Z90, Interval, Score
from mediaan.types.result import Result
from mediaan.workflow.populations import METRIC_SPECS

NO_INTERVAL = "No interval is known."


@dataclass(frozen=True, slots=True)
class Estimate(Interval):
    """A score, or the mean of several."""

    reason: str | None = None
    """Why it is undefined."""
    n: int = 1
    """Media that it rests on."""

    @property
    def half_widths(self) -> tuple[float, float] | None:
        """Distances from the value down and up to the ends of the interval, both at least 0; None without one."""
        if self.value is None or self.bounds is None:
            return None
        lo, hi = self.bounds
        return max(0.0, self.value - lo), max(0.0, hi - self.value)

    def expected(self) -> Estimate:
        """Move the value to the middle of the interval, which is where the truth is expected.

        What people say of a picture with an extreme score is less extreme on average (regression to the mean), and the
        interval of a score says so: it reaches further towards the middle of the scale than away from it.
        """
        return self if self.bounds is None else replace(self, value=sum(self.bounds) / 2)


@dataclass(frozen=True, slots=True)
class ScoreDifference(Interval):
    """First less second."""

    probability: float | None = None
    """That the first one's true score is the higher one, 0-1; the interval leaves out 0 where it is above .95 or below
    .05."""
    p: float | None = None
    """Two-sided: how often chance alone makes a difference so large where there is none, 0-1."""
    reason: str | None = None
    """Why some of it is not known."""


def subtract(a: Estimate, b: Estimate, factor: float = 1.0, *, from_middles: bool = False) -> ScoreDifference:
    """Subtract two scores with independent errors.

    The interval is recovered from those of the scores (MOVER: Zou & Donner 2008, Stat. Med. 27, 1693-1702): what could
    make the difference smaller is A being lower and B being higher than stated, so that these two half-widths add in
    quadrature below, and the other two above. Half-widths end where a scale does: beyond 100 there is nothing.

    `factor`: by which the half-widths of the interval are multiplied, see `mediaan.metrics.scales.WIDENED`.
    `from_middles`: whether truths are expected in the middle of intervals and not at the values, see
        `Estimate.expected`: so of scores, but not of shares, which lie where half of the truths are lower. The interval
        is then that around the difference of the middles, extended to the difference of the values. Where these two
        disagree about the side, neither side is more probable.

    >>> d = subtract(Estimate(60.0, 50.0, 64.0), Estimate(40.0, 35.0, 55.0))  # below: 10 and 15, above: 4 and 5
    >>> [round(end, 2) for end in (d.value, d.lo, d.hi)], round(d.probability, 3)
    ([20.0, 1.97, 26.4], 0.966)
    """
    reason = " ".join(dict.fromkeys(score.reason for score in (a, b) if score.reason)) or None
    if a.value is None or b.value is None:
        return ScoreDifference(None, reason=reason or "It is undefined.")
    value = a.value - b.value
    if a.half_widths is None or b.half_widths is None:
        return ScoreDifference(value, reason=reason or NO_INTERVAL)
    center = value
    if from_middles:
        a, b = a.expected(), b.expected()
        assert a.value is not None
        assert b.value is not None
        center = a.value - b.value
    assert a.half_widths is not None
    assert b.half_widths is not None
    (a_down, a_up), (b_down, b_up) = a.half_widths, b.half_widths
    below, above = factor * hypot(a_down, b_up), factor * hypot(a_up, b_down)
    probability = probability_above(center, below, above) if center * value > 0 else 0.5
    ends = min(value, center - below), max(value, center + above)
    return ScoreDifference(value, *ends, probability, two_sided_p(probability), reason)


def two_sided_p(probability: float) -> float:
    """Return the two-sided p value that belongs to a probability of being higher.

    >>> round(two_sided_p(0.95), 3), two_sided_p(0.5)
    (0.1, 1.0)
    """
    return min(1.0, 2 * min(probability, 1 - probability))


MIN_GROUP = 3
"""Media below which a group has no interval: two values say next to nothing of their spread."""

NO_SCORE_INTERVALS = "The scores have no intervals: only the spread between files counts."


def group_mean(estimates: Sequence[Estimate], low: float = -inf, high: float = inf) -> Estimate:
    """Average the scores of a group's media, with a 90 % interval.

    The group stands for others like it, made for the same purpose. So the interval holds both how much its media differ
    and how far the score of each may be from the truth.

    `low`, `high`: range of the score, within which the interval stays.
    Returns: without an interval where there are fewer than three.

    >>> mean = group_mean([Estimate(v) for v in (40.0, 50.0, 60.0)])  # 2.92 * 10 / sqrt(3)
    >>> round(mean.value, 2), round(mean.lo, 2), round(mean.hi, 2), mean.n
    (50.0, 33.14, 66.86, 3)
    """
    values = [score.value for score in estimates if score.value is not None]
    n = len(values)
    if not values:
        return Estimate(None, reason="No file of the group has a value.", n=0)
    mean = float(np.mean(values))
    if n < MIN_GROUP:
        return Estimate(mean, reason=f"Only {n} in the group; an interval needs {MIN_GROUP}.", n=n)
    reach = t_quantile(0.95, n - 1) * sqrt(_variance(estimates) / n)
    note = None if any(score.half_widths is not None for score in estimates) else NO_SCORE_INTERVALS
    return Estimate(mean, max(low, mean - reach), min(high, mean + reach), note, n)


def subtract_means(a: Sequence[Estimate], b: Sequence[Estimate]) -> ScoreDifference:
    """Subtract the means of two groups that have no media in common (Welch 1947, Biometrika 34, 28-35).

    Returns: without an interval where a group has fewer than three.
    """
    means = group_mean(a), group_mean(b)
    if means[0].value is None or means[1].value is None:
        return subtract(*means)
    value = means[0].value - means[1].value
    reason = " ".join(dict.fromkeys(mean.reason for mean in means if mean.reason)) or None
    if means[0].half_widths is None or means[1].half_widths is None:
        return ScoreDifference(value, reason=reason)
    parts = [_variance(group) / mean.n for group, mean in zip((a, b), means, strict=True)]
    weights = [part**2 / (mean.n - 1) for part, mean in zip(parts, means, strict=True)]
    df = sum(parts) ** 2 / sum(weights) if sum(weights) else inf
    return _t_difference(value, sqrt(sum(parts)), df, reason)


def subtract_paired(pairs: Sequence[tuple[Estimate, Estimate]], factor: float = 1.0) -> ScoreDifference:
    """Average the differences of media that belong together, such as one design in two languages.

    `pairs`: those of which one is undefined are left out.
    `factor`: as of `subtract`.
    Returns: without an interval where there are fewer than three pairs.
    """
    differences = [subtract(a, b, factor) for a, b in pairs]
    estimates = [Estimate(difference.value, difference.lo, difference.hi) for difference in differences]
    mean = group_mean(estimates)
    if mean.value is None or mean.half_widths is None:
        return ScoreDifference(mean.value, reason=mean.reason)
    return _t_difference(mean.value, sqrt(_variance(estimates) / mean.n), mean.n - 1, mean.reason)


def _t_difference(value: float, deviation: float, df: float, reason: str | None) -> ScoreDifference:
    """Give a difference of means the interval and probability of Student's t, from its standard error."""
    df = min(df, 1e6)
    if deviation == 0:
        probability = 0.5 if value == 0 else float(value > 0)
        return ScoreDifference(value, value, value, probability, two_sided_p(probability), reason)
    reach, probability = t_quantile(0.95, df) * deviation, t_cdf(value / deviation, df)
    return ScoreDifference(value, value - reach, value + reach, probability, two_sided_p(probability), reason)


def _variance(estimates: Sequence[Estimate]) -> float:
    """Estimate the variance of a medium's true score in its group: spread between media, plus the error of a score."""
    errors = [(sum(score.half_widths) / 2 / Z90) ** 2 for score in estimates if score.half_widths is not None]
    values = [score.value for score in estimates if score.value is not None]
    return float(np.var(values, ddof=1) + (np.mean(errors) if errors else 0.0))


ComparisonSide = Literal["a", "b"]
ComparisonVerdict = Literal["a_higher", "b_higher", "not_distinguishable", "undefined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Interval):
    """The difference of one score between A and B: A minus B."""

    value: float | None = None

    a: str
    b: str
    """a, b: Path of a medium, or name of a group."""
    aoi_type: str | None
    aoi_label: str | None
    """aoi_type, aoi_label: Of an AOI that both have; None for a score of the media."""
    metric: str
    metric_time: Window
    unit: str
    value_a: float | None
    value_b: float | None
    """value_a, value_b: Scores; of groups their means."""
    n_a: int
    n_b: int
    """n_a, n_b: Media with a value on each side."""
    probability: float | None = None
    """That A's true score is the higher one, 0-1."""
    p: float | None = None
    p_corrected: float | None = None
    """p, p_corrected: Two-sided probability of such a difference by chance where there is none, and the same corrected
    for the number of comparisons."""
    n_comparisons: int = 0
    """How many were made together."""
    headline: bool = True
    """Whether it is one of the few scores that a comparison is decided by, which are corrected together; all others are
    detail, and corrected among themselves."""
    verdict: ComparisonVerdict = "undefined"
    better: ComparisonSide | None = None
    """Which side is better for the objective; None where neither can be told, or neither end is good."""
    lean: ComparisonSide | None = None
    """Where nothing is proven, the side that is better with a probability of at least `LEAN`; None where neither is, or
    neither end is good."""
    reason: str | None = None
    """Why it is undefined, or what to know of it."""

    @property
    def difference(self) -> float | None:
        """A minus B; None where it is undefined."""
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return a row of the table ``comparisons``, and of ``compare.json``."""
        return {name: getattr(self, name) for name in COMPARISONS.names}


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


SamplingUnit = Result | tuple[Result, ...]
"""Element of a group, independent of the others: a medium, or a cluster of media that resemble each other."""


def estimate(unit: SamplingUnit, score_key: ScoreKey) -> Estimate:
    """Return a score of a medium, or the mean of a cluster's; of a type of areas that of the main one."""
    if isinstance(unit, tuple):
        return cluster_mean([estimate(medium, score_key) for medium in unit])
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
    main ones do, except of the type other. All others have no counterpart and are left alone, but for the main one of a
    type that only one side has.

    Returns list of (type, area or None, area or None): in the order of the types, then by attention in A; one area of
        each type but other at least where either side has one.
    """
    pairs: list[tuple[AoiType, Aoi | None, Aoi | None]] = []
    for aoi_type in dict.fromkeys(area.type for area in (*a, *b)):
        first, second = _by_label(a, aoi_type), _by_label(b, aoi_type)
        shared = [label for label in first if label in second]
        if shared:
            pairs += [(aoi_type, first[label], second[label]) for label in shared]
        elif aoi_type != "other":  # an offer and an animal are not compared
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


def cluster_media(media: Sequence[Result], keys: Mapping[str, str]) -> list[tuple[Result, ...]]:
    """Cluster the media of one group by what they have in common, in the order in which it appears.

    `keys` (mapping of a medium's path to its cluster's): media without one are left out.
    """
    clusters: dict[str, list[Result]] = {}
    for medium in media:
        if medium.path in keys:
            clusters.setdefault(keys[medium.path], []).append(medium)
    return [tuple(cluster) for cluster in clusters.values()]


def cluster_mean(estimates: Sequence[Estimate]) -> Estimate:
    """Average scores with a 90 % interval that holds the errors of these scores alone.

    How far the cluster is from others like it does not show in it, but in how far the means of clusters differ.

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
