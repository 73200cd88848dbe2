"""Turn the best fifth of ads into targets, and into a benchmark file that holds them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.judge.benchmark.ranges import format_rounded
from mediaan.judge.benchmark.targets import MeasuredTarget, target_key
from mediaan.judge.rules.rule import Expression
from mediaan.run import Run
from mediaan.studies.results.result import ResultTarget
from mediaan.studies.results.statistics import LEVEL, RESAMPLES, rank_in_groups, resamples
from mediaan.types.arrays import Float64, Int64
from mediaan.workflow.benchmark_build import NormSettings, norm_set_of_runs
from mediaan.workflow.populations import METRIC_SPECS

LEAST_ADS = 25
"""Ads that targets need: a fifth of them are five."""

BEST = 0.2
REACHED = 0.75
"""BEST, REACHED: Share of ads that are the best, and share of these that lie on the right side of a target."""

_LEAST_MISSED = 0.1
"""Share of all ads that must miss a target, or it asks for nothing."""


@dataclass(frozen=True)
class BestAds:
    """The ads with the best results inside their groups.

    `result` (n,) float64: higher is better.
    `groups`: (n,) int64.
    `weights`: (n,) float64.
    """

    result: Float64
    groups: Int64
    weights: Float64

    def membership(self, counts: Float64) -> Float64:
        """Return how much each ad belongs to the best fifth of a resample, (B, n); ads that tie belong alike.

        >>> best = BestAds(np.array([1.0, 5, 4, 4, 2]), np.zeros(5, np.int64), np.ones(5))
        >>> best.membership(np.ones((1, 5))).tolist()
        [[0.0, 1.0, 0.0, 0.0, 0.0]]
        """
        ranks = rank_in_groups(self.result, self.groups, np.ones((1, len(self.result))))[0]
        order = np.argsort(-ranks, kind="stable")
        begin = np.flatnonzero(np.diff(ranks[order], prepend=np.inf))
        tied = np.add.reduceat(counts[:, order], begin, axis=1)
        room = BEST * counts.sum(axis=1, keepdims=True) - (np.cumsum(tied, axis=1) - tied)
        share = np.clip(room, 0, tied) / np.maximum(tied, 1e-12)
        belongs = np.empty_like(counts)
        belongs[:, order] = np.repeat(share, np.diff(begin, append=len(ranks)), axis=1)
        return belongs * counts

    def target(self, measure: Float64, *, minimum: bool, rng: np.random.Generator) -> ResultTarget | None:
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
            weight = np.cumsum((self.membership(counts) * self.weights)[:, order], axis=1)
            reached = weight >= (1 - REACHED) * weight[:, -1:] - 1e-12
            return np.asarray(measure[order[np.argmax(reached & (weight > 0), axis=1)]], np.float64)

        ones = np.ones((1, len(measure)))
        n = int((self.membership(ones)[0, there] > 0).sum())
        if not n:
            return None
        value = float(ends(ones)[0])
        missed = measure[there] < value if minimum else measure[there] > value
        if missed.mean() < _LEAST_MISSED:
            return None
        drawn = np.concatenate([ends(counts) for counts in resamples(len(measure), RESAMPLES, 200, rng)])
        lo, hi = np.quantile(drawn, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return ResultTarget(value, min(float(lo), value), max(float(hi), value), minimum=minimum, n=n)


def norm_set_with_targets(run: Run, kpi: str, targets: dict[Expression, ResultTarget], command: str) -> NormSet:
    """Make a benchmark of the ads of a run that holds targets, for `mediaan analyze --benchmark`.

    `targets`: those of scores that benchmarks hold; others are left out.
    `command`: what made it.
    Raises UsageError: the run does not say what it was measured with, or has too few ads.
    """
    by_key = {}
    for expression, target in targets.items():
        if expression.metric in METRIC_SPECS:
            at_least = "at least" if target.minimum else "at most"
            ends = " to ".join(format_rounded(end, expression.spec.unit) for end in target.bounds or ())
            why = (
                f"Three quarters of the best fifth by {kpi} ({target.n} ads) have {at_least} this; with other ads in "
                f"their place it would be {ends}."
            )
            lower, upper = (target.value, None) if target.minimum else (None, target.value)
            by_key[target_key(expression.metric, expression.aoi_type)] = MeasuredTarget(lower, upper, why)
    settings = NormSettings(
        "own_results",
        title="Your own ads",
        population=f"The ads of {run.path.name}; targets are those of the best fifth by {kpi}.",
        command=command,
    )
    return replace(norm_set_of_runs([run], settings), targets=by_key)
