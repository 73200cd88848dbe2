"""Rank correlations inside groups with bootstrap intervals, a prediction of what was left out, and targets.

Ads are held against ads of their own group alone, so that a campaign that did well does not make its style look good.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from mediaan.types.arrays import Float64, Int64
from mediaan.types.metrics import Interval

FALSE_DISCOVERIES = 0.10
"""Share of claims that are expected to be false, over all that was tried."""


@dataclass(frozen=True, slots=True)
class ResultTarget(Interval):
    """The end of the range in which three quarters of the best fifth of ads lie."""

    value: float

    minimum: bool = field(kw_only=True)
    """Whether it is the lower end of the range: the best ads have more."""
    n: int = field(kw_only=True)
    """Ads of the best fifth with a value."""


@dataclass(frozen=True, slots=True)
class Correlation(Interval):
    """A rank correlation inside groups, with its bootstrap interval."""

    value: float
    p: float = field(kw_only=True)
    """Probability of one as large by chance alone; two-sided, but of a prediction."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Association(Correlation):
    """The rank correlation of one measure with one KPI: above 0 where more of it goes with better results."""

    kpi: str
    measure: str
    """Name, as in rules."""
    title: str
    unit: str
    n: int
    """Ads with both."""
    q: float
    """False discovery rate at which it would be claimed."""
    target: ResultTarget | None = None

    @property
    def claimed(self) -> bool:
        """True if more than chance shows, with `FALSE_DISCOVERIES` over all that was tried."""
        return self.q <= FALSE_DISCOVERIES


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut(Correlation):
    """The rank correlation of results with what all measures together predict of ads that were left out.

    Its p value is corrected for the number of KPIs.
    """

    kpi: str
    n: int
    folds: str
    """What was left out together, in words."""

    @property
    def predicts(self) -> bool:
        """True if the prediction is better than chance."""
        return self.p <= FALSE_DISCOVERIES and self.value > 0


@dataclass(frozen=True)
class Results:
    """Which measures go with the results of ads."""

    run: str
    table: str
    kpis: tuple[str, ...]
    lower_is_better: tuple[str, ...]
    weight: str | None
    group: str | None
    groups: dict[str, int]
    """Ads by group, the largest first; empty without groups."""
    n: int
    """Ads with a row."""
    left_out: tuple[LeftOut, ...]
    """One for each KPI."""
    associations: tuple[Association, ...] = field(repr=False)
    """All that was tried, by KPI, the least probable by chance first."""
    untried: tuple[tuple[str, str], ...] = field(repr=False)
    """Measures that could not be tried, and why."""
    rows_without_ad: tuple[tuple[str, str], ...] = field(repr=False)
    """Names in the table that mean no ad of the run, and why."""
    ads_without_row: tuple[str, ...] = field(repr=False)
    notes: tuple[str, ...] = ()

    @property
    def claims(self) -> tuple[Association, ...]:
        """Those that are claimed."""
        return tuple(association for association in self.associations if association.claimed)

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        facts = asdict(self)
        for written, association in zip(facts["associations"], self.associations, strict=True):
            written["claimed"] = association.claimed
        for written, left_out in zip(facts["left_out"], self.left_out, strict=True):
            written["predicts"] = left_out.predicts
        return facts


PERMUTATIONS = 9999
REFITS = 499
"""PERMUTATIONS, REFITS: Shufflings of the results for the p value of a correlation, and of the prediction."""

RESAMPLES = 1000
LEVEL = 0.90
SEED = 20261129
MOST_FOLDS = 10

_EXPLAINED = 0.2
"""Share of the variance of ranks that the penalty of `predict_left_out` expects all measures to explain."""
_CELLS = 4_000_000
"""Numbers that are held at once, 32 MB."""


def rank_in_groups(values: Float64, groups: Int64, counts: Float64) -> Float64:
    """Rank values among those of their own group, ties at their mean rank.

    `counts` (B, n) float64: how often each value counts in each of B resamples.
    Returns (B, n) float64: ranks less their mean, over the size of the group: between -0.5 and 0.5, so that every ad of
        a small group counts as much as one of a large group (van Elteren 1960, Bull. Inst. Int. Stat. 37, 351-361).
    """
    order = np.lexsort((values, groups))
    ordered, group = values[order], groups[order]
    new_group = np.concatenate([[True], group[1:] != group[:-1]])
    new_run = new_group | np.concatenate([[True], ordered[1:] != ordered[:-1]])
    run, begin = np.cumsum(new_run) - 1, np.flatnonzero(new_group)
    sorted_counts = counts[:, order]
    size = np.add.reduceat(sorted_counts, begin, axis=1)[:, np.cumsum(new_group) - 1]
    before_group = np.cumsum(sorted_counts, axis=1)[:, begin] - sorted_counts[:, begin]
    tied = np.add.reduceat(sorted_counts, np.flatnonzero(new_run), axis=1)
    below = (np.cumsum(tied, axis=1) - tied)[:, run] - before_group[:, np.cumsum(new_group) - 1]
    ranks = np.empty_like(counts)
    ranks[:, order] = (below + (tied[:, run] - size) / 2) / np.maximum(size, 1)
    return ranks


def correlate(x: Float64, y: Float64, groups: Int64, weights: Float64, uneven: bool) -> Float64:
    """Return the weighted correlation of ranks in each resample, (B,) float64; 0 where one of both does not vary.

    `x`, `y` (B, n) float64: as of `rank_in_groups`.
    `weights` (B, n) float64: not negative; what a value counts for.
    `uneven`: whether ads of a group weigh differently: the mean of their ranks is not 0 then.
    """
    if uneven:
        x, y = (ranks - _group_means(ranks, groups, weights) for ranks in (x, y))
    size = np.sqrt((weights * x * x).sum(axis=1) * (weights * y * y).sum(axis=1))
    shared = (weights * x * y).sum(axis=1)
    return np.asarray(np.divide(shared, size, out=np.zeros(len(size)), where=size > 1e-12), np.float64)


def _group_means(values: Float64, groups: Int64, weights: Float64) -> Float64:
    """Return the weighted mean of the group of each value, (B, n)."""
    order = np.argsort(groups, kind="stable")
    begin = np.flatnonzero(np.diff(groups[order], prepend=-1))
    total = np.add.reduceat((weights * values)[:, order], begin, axis=1)
    weight = np.add.reduceat(weights[:, order], begin, axis=1)
    place = np.empty(len(groups), np.int64)
    place[order] = np.repeat(np.arange(len(begin)), np.diff(begin, append=len(groups)))
    return np.divide(total, weight, out=np.zeros_like(total), where=weight > 0)[:, place]


def correlations(
    measures: Float64, result: Float64, groups: Int64, weights: Float64, rng: np.random.Generator
) -> list[Correlation]:
    """Return the rank correlation of each measure with a result, over the ads that have the measure.

    `measures` (n, m) float64: NaN where an ad lacks one.
    `weights` (n,) float64: above 0.
    """
    # columns that are there of the same ads share shufflings and resamples
    patterns, pattern_of = np.unique(np.isfinite(measures), axis=1, return_inverse=True)
    by_column: dict[int, Correlation] = {}
    for number, kept in enumerate(patterns.T):
        columns = np.flatnonzero(pattern_of.ravel() == number)
        x, ads = measures[np.ix_(kept, columns)], (result[kept], groups[kept], weights[kept])
        p_values = permutation_p(x, *ads, rng)
        intervals = bootstrap(x, *ads, rng)
        by_column |= {
            column: Correlation(*interval, p=p)
            for column, interval, p in zip(columns.tolist(), intervals, p_values.tolist(), strict=True)
        }
    return [by_column[column] for column in range(measures.shape[1])]


def _ranks(values: Float64, groups: Int64) -> Float64:
    return np.asarray(rank_in_groups(values, groups, np.ones((1, len(values))))[0], np.float64)


def permutation_p(
    measures: Float64, result: Float64, groups: Int64, weights: Float64, rng: np.random.Generator
) -> Float64:
    """Return the two-sided p value of each measure, (m,) float64: results, with weights, are shuffled inside groups.

    Parameters are those of `correlations`, without missing values.
    """
    x = np.stack([_ranks(column, groups) for column in measures.T], axis=1)
    y = _ranks(result, groups)
    weighted = weights * (y - _group_means(y[None], groups, weights[None])[0])
    observed = np.abs(weighted @ x) * (1 - 1e-9)  # rounding is no difference
    reached = np.ones(x.shape[1])
    order = np.argsort(groups, kind="stable")
    rows = max(1, _CELLS // len(y))
    for start in range(0, PERMUTATIONS, rows):
        count = min(rows, PERMUTATIONS - start)
        shuffled = np.argsort(rng.random((count, len(y))) + groups[order], axis=1)
        reached += (np.abs(weighted[order][shuffled] @ x[order]) >= observed).sum(axis=0)
    return np.asarray(reached / (PERMUTATIONS + 1), np.float64)


def bootstrap(
    measures: Float64, result: Float64, groups: Int64, weights: Float64, rng: np.random.Generator
) -> list[tuple[float, float, float]]:
    """Return each rank correlation with its percentile interval: ads are drawn again, and ranked again.

    Parameters are those of `correlations`, without missing values.
    """

    uneven = bool(np.ptp(weights) > 0)

    def correlations_with(counts: Float64) -> Float64:
        y = rank_in_groups(result, groups, counts)
        return np.stack(
            [
                correlate(rank_in_groups(column, groups, counts), y, groups, counts * weights, uneven)
                for column in measures.T
            ],
            axis=1,
        )

    values = correlations_with(np.ones((1, len(result))))[0]
    rows = max(1, _CELLS // len(result) // 4)
    resampled = np.concatenate([correlations_with(counts) for counts in resamples(len(result), RESAMPLES, rows, rng)])
    low, high = np.quantile(resampled, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
    ends = zip(values, np.minimum(low, values), np.maximum(high, values), strict=True)
    return [(float(value), float(lo), float(hi)) for value, lo, hi in ends]


def resamples(n: int, number: int, rows: int, rng: np.random.Generator) -> Iterator[Float64]:
    """Yield how often each of n ads counts in each bootstrap resample, (at most rows, n)."""
    for start in range(0, number, rows):
        yield rng.multinomial(n, np.full(n, 1 / n), size=min(rows, number - start)).astype(np.float64)


def benjamini_hochberg(p: Sequence[float]) -> list[float]:
    """Return the false discovery rate at which each p value would be called (Benjamini & Hochberg 1995)."""
    order = np.argsort(p)
    scaled = np.asarray(p, np.float64)[order] * len(p) / np.arange(1, len(p) + 1)
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(1.0, np.minimum.accumulate(scaled[::-1])[::-1])
    return [float(q) for q in corrected]


def predict_left_out(measures: Float64, y: Float64, weights: Float64, folds: Int64) -> Float64:
    """Predict the ranks of each fold from a ridge regression on all others, of the shape of y.

    `measures` (n, m) float64: ranks; 0 where an ad lacks one.
    `y` (n,) or (n, k) float64: ranks of one result, or of several.

    Notes
    -----
    The penalty is that of the best linear prediction where many measures explain a fifth of the variance together, each
    a little (Hoerl, Kennard & Baldwin 1975, Commun. Stat. 4, 105-123): nothing is tuned, so nothing is overfitted.
    """
    spread = np.sqrt((measures**2).mean(axis=0))
    x = measures / np.where(spread > 0, spread, 1.0)
    penalty = x.shape[1] * (1 - _EXPLAINED) / _EXPLAINED * np.eye(x.shape[1])
    weights = weights / weights.mean()
    predicted = np.empty(y.shape)
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        weighted = x[train].T * weights[train]
        predicted[test] = x[test] @ np.linalg.solve(weighted @ x[train] + penalty, weighted @ y[train])
    return predicted


def prediction(
    measures: Float64, result: Float64, groups: Int64, weights: Float64, folds: Int64, rng: np.random.Generator
) -> Correlation:
    """Return how well predictions of left-out ads order them, and how often shuffled results are predicted as well.

    `measures` (n, m) float64: NaN where an ad lacks one, which then counts as average.
    `result`, `groups`, `weights`: as of `correlations`.
    `folds` (n,) int64: what is left out together.
    """
    x = np.zeros_like(measures)
    for column in range(measures.shape[1]):
        kept = np.isfinite(measures[:, column])
        x[kept, column] = _ranks(measures[kept, column], groups[kept])
    y = _ranks(result, groups)
    even = np.ptp(weights) == 0
    predictor = (
        predict_left_out(x, np.eye(len(y)), weights, folds) if even else None
    )  # what is predicted is linear in y

    def skill(shuffled: Int64) -> tuple[float, Float64]:
        """Hand results with their weights to other ads, inside groups."""
        y_new, w_new = y[shuffled], weights[shuffled]
        predicted = predict_left_out(x, y_new, w_new, folds) if predictor is None else predictor @ y_new
        ranks = _ranks(predicted, groups)
        return float(correlate(ranks[None], y_new[None], groups, w_new[None], not even)[0]), predicted

    of_all, predicted = skill(np.arange(len(y)))
    order = np.argsort(groups, kind="stable")
    reached = 1
    for _ in range(REFITS):
        shuffled = np.empty(len(y), np.int64)
        shuffled[order] = order[np.argsort(rng.random(len(y)) + groups[order])]
        reached += skill(shuffled)[0] >= of_all - 1e-9
    (interval,) = bootstrap(predicted[:, None], result, groups, weights, rng)
    return Correlation(*interval, p=reached / (REFITS + 1))


def choose_folds(labels: Sequence[str] | None, n: int, rng: np.random.Generator) -> Int64:
    """Choose what is left out together: whole groups, at most 10 folds of them; without groups, ads at random.

    `labels`: group of each ad; None, or a single one: there are none.
    """
    names, place = np.unique(labels, return_inverse=True) if labels is not None else (np.empty(0), np.empty(0))
    if len(names) < 2:
        return np.asarray(rng.permutation(np.arange(n) % min(MOST_FOLDS, n)), np.int64)
    sizes = np.bincount(place)
    fold_of, filled = np.zeros(len(names), np.int64), np.zeros(min(MOST_FOLDS, len(names)))
    for group in np.argsort(-sizes, kind="stable"):  # the largest first, each to the fold that holds least
        fold_of[group] = int(np.argmin(filled))
        filled[fold_of[group]] += sizes[group]
    return np.asarray(fold_of[place], np.int64)


LEAST_FOR_TARGETS = 25
"""Ads that targets need: a fifth of them are five."""

BEST = 0.2
REACHED = 0.75
"""BEST, REACHED: Share of ads that are the best, and share of these that lie on the right side of a target."""

_LEAST_MISSED = 0.1
"""Share of all ads that must miss a target, or it asks for nothing."""


def membership(result: Float64, groups: Int64, counts: Float64) -> Float64:
    """Return how much each ad belongs to the best fifth of its group in a resample, (B, n); ads that tie belong alike.

    >>> membership(np.array([1.0, 5, 4, 4, 2]), np.zeros(5, np.int64), np.ones((1, 5))).tolist()
    [[0.0, 1.0, 0.0, 0.0, 0.0]]
    """
    ranks = rank_in_groups(result, groups, np.ones((1, len(result))))[0]
    order = np.argsort(-ranks, kind="stable")
    begin = np.flatnonzero(np.diff(ranks[order], prepend=np.inf))
    tied = np.add.reduceat(counts[:, order], begin, axis=1)
    room = BEST * counts.sum(axis=1, keepdims=True) - (np.cumsum(tied, axis=1) - tied)
    share = np.clip(room, 0, tied) / np.maximum(tied, 1e-12)
    belongs = np.empty_like(counts)
    belongs[:, order] = np.repeat(share, np.diff(begin, append=len(ranks)), axis=1)
    return belongs * counts


def find_target(
    measure: Float64, result: Float64, groups: Int64, weights: Float64, *, minimum: bool, rng: np.random.Generator
) -> ResultTarget | None:
    """Return the end of the range in which three quarters of the best ads lie, with its bootstrap interval.

    `measure` (n,) float64: NaN where an ad lacks it.
    `minimum`: whether the best ads have more of it.
    Returns: None where nine of ten ads reach it anyway, or no good ad has the measure.
    """
    there = np.flatnonzero(np.isfinite(measure))
    order = there[np.argsort(measure[there], kind="stable")]
    if not minimum:
        order = order[::-1]  # from the worst on

    def ends(counts: Float64) -> Float64:
        weight = np.cumsum((membership(result, groups, counts) * weights)[:, order], axis=1)
        reached = weight >= (1 - REACHED) * weight[:, -1:] - 1e-12
        return np.asarray(measure[order[np.argmax(reached & (weight > 0), axis=1)]], np.float64)

    ones = np.ones((1, len(measure)))
    n = int((membership(result, groups, ones)[0, there] > 0).sum())
    if not n:
        return None
    value = float(ends(ones)[0])
    missed = measure[there] < value if minimum else measure[there] > value
    if missed.mean() < _LEAST_MISSED:
        return None
    drawn = np.concatenate([ends(counts) for counts in resamples(len(measure), RESAMPLES, 200, rng)])
    lo, hi = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return ResultTarget(value, min(float(lo), value), max(float(hi), value), minimum=minimum, n=n)
