"""How far a score is from what people say or do, less the noise of having asked few of them; and intervals from that.

Truths are expected on a line through the scores, which is flatter than one to one where a score is weak: what people
say of a picture with an extreme score is less extreme. Noise of the measurement of the truth widens the distances from
the line, by a known amount, but does not bend it (Fuller 1987, Measurement Error Models, 1.1).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np

from mediaan.metrics.scales import Spread, percentile
from mediaan.types.arrays import Bool, Float64

HALVES = 40
_CENTRES = (10.0, 30.0, 50.0, 70.0, 90.0)  # of the fifths of `Spread`

Trial: TypeAlias = "tuple[Spread, str, Bool]"
"""Fitted to some pictures, to be tried on others: of which domain, and which of its pictures."""

FACTORS = tuple(percent / 100 for percent in range(50, 200))
_POINTS = (0.0, 5.0, 10.0, 15.0, 20.0)


class Widening(NamedTuple):
    """Widens an interval, most where it is narrow: a few pictures do not show all that may lie on its short side."""

    points: float
    """Added in quadrature to either side."""
    factor: float

    def of(self, spread: Spread) -> Spread:
        below, above = (
            tuple(round(self.factor * math.hypot(side, self.points), 2) for side in sides)
            for sides in (spread.below, spread.above)
        )
        return Spread(tuple(-side for side in below), above)


@dataclass(frozen=True, slots=True)
class Errors:
    """What was predicted of pictures and what people showed or said, on one scale, whose percentile the score is.

    Attributes
    ----------
    predicted, seen : (n,) float64
        `seen` is what these people showed.
    noise : (n,) float64
        Variance of `seen` by which people there were.
    weight : (n,) float64
        Sums to 1.
    slope : float or None
        Of the line on which truths are expected; by default that of these pictures.
    """

    predicted: Float64
    seen: Float64
    noise: Float64
    weight: Float64
    slope: float | None = None

    def line(self) -> tuple[float, float]:
        """Intercept and slope of the truth on the prediction; noise of the truth does not bend it."""
        x, y = self.predicted - self.weight @ self.predicted, self.seen - self.weight @ self.seen
        slope = float(self.weight @ (x * y) / (self.weight @ x**2)) if self.slope is None else self.slope
        return float(self.weight @ self.seen - slope * (self.weight @ self.predicted)), slope

    def truth(self) -> Float64:
        """Truths whose distances from the line vary by what that noise does not explain, (n,) float64."""
        start, slope = self.line()
        expected = start + slope * self.predicted
        apart = self.seen - expected
        spread = float(self.weight @ apart**2)
        return expected + apart * np.sqrt(max(0.05, 1 - float(self.weight @ self.noise) / spread))

    def of(self, rows: Bool) -> Errors:
        """Those of some of the pictures."""
        weight = self.weight[rows]
        return Errors(self.predicted[rows], self.seen[rows], self.noise[rows], weight / weight.sum(), self.slope)


def errors_of(predicted: Float64, ratings: Float64, reliability: float) -> Errors:
    """Put what few people said on the scale of what was predicted: without its noise it has the same mean and spread.

    Parameters
    ----------
    predicted, said : (n,) float64
        `predicted` of pictures that it was not fitted to.
    reliability : float
        Share of the variance of `said` that another group of people would find again, 0-1.
    """
    stretch = predicted.std() / (ratings.std() * np.sqrt(reliability))
    seen = predicted.mean() + stretch * (ratings - ratings.mean())
    noise = np.full(len(ratings), (1 - reliability) * float(seen.var()))
    return Errors(predicted, seen, noise, np.full(len(ratings), 1 / len(ratings)))


def halves_trials(name: str, errors: Errors, knots: tuple[float, ...], slope_beyond: float) -> list[Trial]:
    """Fit random halves of the pictures, each to be tried on the other half; the rest is as of `spread_of`."""
    halves = random_halves(len(errors.predicted))
    return [(spread_of(errors.of(half), knots, slope_beyond), name, ~half) for half in halves]


def together(parts: Sequence[Errors]) -> Errors:
    """Several domains as one, each of which counts the same.

    Slopes are averaged: how domains differ from each other says nothing of two pictures of one domain.
    """
    predicted, seen, noise = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("predicted", "seen", "noise")
    )
    weight = np.concatenate([part.weight / len(parts) for part in parts])
    slope = parts[0].slope if len(parts) == 1 else float(np.mean([part.line()[1] for part in parts]))
    return Errors(predicted, seen, noise, weight, slope)


def spread_of(errors: Errors, knots: tuple[float, ...], slope_beyond: float) -> Spread:
    """Where the truth lies around a score, from a line and the quantiles of the distances from it.

    In units of what was predicted, so that where the scale is steep the same error is more points.

    Parameters
    ----------
    errors : Errors
    knots : tuple of float
        Quantiles of what was predicted in the reference population.
    slope_beyond : float
        Of the line below and above nine in ten of the predictions: a domain says nothing of what it does not hold.
    """
    start, slope = errors.line()
    ends = weighted_quantiles(errors.truth() - start - slope * errors.predicted, errors.weight)
    inner = weighted_quantiles(errors.predicted, errors.weight)
    sides = []
    for centre, score in zip(np.interp(_CENTRES, np.linspace(0, 100, len(knots)), knots), _CENTRES, strict=True):
        near = min(max(centre, inner[0]), inner[1])
        expected = start + slope * near + slope_beyond * (centre - near)
        sides.append([percentile(float(expected + end), knots) - score for end in ends])
    below, above = zip(*sides, strict=True)
    return Spread(
        tuple(round(min(0.0, share), 2) for share in below), tuple(round(max(0.0, share), 2) for share in above)
    )


def weighted_quantiles(values: Float64, weight: Float64) -> tuple[float, float]:
    """5 % and 95 % of what comes next: Weibull's plotting positions where all weigh the same."""
    order = np.argsort(values)
    share = np.cumsum(weight[order]) * len(values) / (len(values) + 1)
    low, high = np.interp([0.05, 0.95], share, values[order])
    return float(low), float(high)


def random_halves(count: int) -> Iterator[Bool]:
    rng = np.random.default_rng(0)
    for _ in range(HALVES):
        yield rng.permutation(count) % 2 == 0


def narrowest(trials: Sequence[Trial], domains: Mapping[str, Errors], knots: tuple[float, ...]) -> Widening:
    """The widening with which trials hold 90 % of pictures that they were not fitted to, in the least width."""
    tried = [(errors_of_trial(trial, domains), trial[0]) for trial in trials]

    def holds(widening: Widening) -> float:
        return float(np.mean([coverage(widening.of(spread), errors, knots) for errors, spread in tried]))

    def mean_width(widening: Widening) -> float:
        return float(np.mean([width(widening.of(spread), [errors], knots) for errors, spread in tried]))

    enough = [
        Widening(points, FACTORS[bisect_left(FACTORS[:-1], 0.9, key=lambda f: holds(Widening(points, f)))])
        for points in _POINTS
    ]
    return min(enough, key=mean_width)


def errors_of_trial(trial: Trial, domains: Mapping[str, Errors]) -> Errors:
    """Those of the pictures that an interval is tried on."""
    _, domain, rows = trial
    return domains[domain].of(rows)


def finished(
    name: str, whole: Spread, trials: Sequence[Trial], domains: Mapping[str, Errors], knots: tuple[float, ...]
) -> Spread:
    """The interval of a score: as wide as trials of it need; prints how many truths they then hold."""
    widening = narrowest(trials, domains, knots)
    held = [coverage(widening.of(trial[0]), errors_of_trial(trial, domains), knots) for trial in trials]
    scaled = widening.of(whole)
    measured = dict.fromkeys(domain for _, domain, _ in trials)
    shown = ", ".join(
        f"{domain} {share:.0%}" for domain, share in zip(measured, held, strict=False) if len(measured) > 1
    )
    wide = width(scaled, [domains[domain] for domain in measured], knots)
    print(f"{name}: 90 % intervals hold {np.mean(held):.1%} of truths that they were not fitted to"
          f"{f' ({shown})' if shown else ''}, mean width {wide:.1f}, {widening}")  # fmt: skip
    return scaled


def width(spread: Spread, domains: Sequence[Errors], knots: tuple[float, ...]) -> float:
    """Mean width of the intervals of all pictures, score points."""
    predicted = np.concatenate([errors.predicted for errors in domains])
    bounds = [spread.bounds(percentile(float(value), knots)) for value in predicted]
    return float(np.mean([high - low for low, high in bounds]))


def coverage(spread: Spread, errors: Errors, knots: tuple[float, ...]) -> float:
    """Share of truths within the interval of their score."""
    inside = []
    for predicted, truth in zip(errors.predicted, errors.truth(), strict=True):
        low, high = spread.bounds(percentile(float(predicted), knots))
        inside.append(low <= percentile(float(truth), knots) <= high)
    return float(np.mean(inside))
