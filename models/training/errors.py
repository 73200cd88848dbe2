"""How far a score is from what people say or do, less the noise of having asked few of them; and intervals from that.

Truths are expected on a line through the scores, which is flatter than one to one where a score is weak: what people
say of a picture with an extreme score is less extreme. Noise of the measurement of the truth widens the distances from
the line, by a known amount, but does not bend it (Fuller 1987, Measurement Error Models, 1.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mediaan.metrics.scales import Spread, Uncertainty, percentile
from mediaan.types.arrays import Bool, Float64

HALVES = 40
_CENTRES = (10.0, 30.0, 50.0, 70.0, 90.0)  # of the fifths of `Spread`


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


def uncertainty_of(name: str, errors: Errors, moved: Float64, knots: tuple[float, ...]) -> Uncertainty:
    """Make the interval of a score, and print how many truths it holds of pictures that it was not fitted to.

    Parameters
    ----------
    name : str
    errors : Errors
    moved : (n, variants) float64
        The score under changes that should not matter.
    knots : tuple of float
        Quantiles of what was predicted in the reference population.
    """
    slope = errors.line()[1]
    halves = random_halves(len(errors.predicted))
    trials = [(fitted([errors.of(half)], [moved[half]], knots, slope), name, ~half) for half in halves]
    return finished(name, fitted([errors], [moved], knots, slope), trials, {name: errors}, knots)


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


def fitted(
    parts: Sequence[Errors], moved: Sequence[Float64], knots: tuple[float, ...], slope_beyond: float
) -> Uncertainty:
    """An interval that is not yet finished: of several domains as one, with the factor 1."""
    repeatability = np.sqrt(np.mean([np.var(variants, axis=1, ddof=1).mean() for variants in moved]))
    return Uncertainty(spread_of(together(parts), knots, slope_beyond), round(float(repeatability), 3), 1.0)


def finished(
    name: str,
    whole: Uncertainty,
    trials: Sequence[tuple[Uncertainty, str, Bool]],
    domains: Mapping[str, Errors],
    knots: tuple[float, ...],
) -> Uncertainty:
    """With the factor that makes trials hold 90 % of pictures that they were not fitted to."""
    for factor in np.arange(0.5, 2.0, 0.01):
        held = [
            coverage(replace(trial, factor=float(factor)), domains[domain].of(rows), knots)
            for trial, domain, rows in trials
        ]
        if np.mean(held) >= 0.9:
            break
    scaled = replace(whole, factor=round(float(factor), 2))
    measured = dict.fromkeys(domain for _, domain, _ in trials)
    shown = ", ".join(
        f"{domain} {share:.0%}" for domain, share in zip(measured, held, strict=False) if len(measured) > 1
    )
    wide = width(scaled, [domains[domain] for domain in measured], knots)
    print(f"{name}: 90 % intervals hold {np.mean(held):.1%} of truths that they were not fitted to"
          f"{f' ({shown})' if shown else ''}, mean width {wide:.1f}, repeatability sd {scaled.repeatability:.2f}, "
          f"factor {scaled.factor}")  # fmt: skip
    return scaled


def width(uncertainty: Uncertainty, domains: Sequence[Errors], knots: tuple[float, ...]) -> float:
    """Mean width of the intervals of all pictures, score points."""
    predicted = np.concatenate([errors.predicted for errors in domains])
    bounds = [uncertainty.bounds(percentile(float(value), knots)) for value in predicted]
    return float(np.mean([high - low for low, high in bounds]))


def coverage(uncertainty: Uncertainty, errors: Errors, knots: tuple[float, ...]) -> float:
    """Share of truths within the interval of their score."""
    inside = []
    for predicted, truth in zip(errors.predicted, errors.truth(), strict=True):
        low, high = uncertainty.bounds(percentile(float(predicted), knots))
        inside.append(low <= percentile(float(truth), knots) <= high)
    return float(np.mean(inside))
