"""What viewers' focus would be, had there been many of them, and how far a prediction is from that.

A density of 15 viewers is not what all people do: another 15 would give another one. That noise belongs to the
measurement, and not to the model, so that it is taken out of the error behind the interval of focus. Two halves of the
viewers tell how large it is, and how far few fixations make attention look more gathered than it is.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from focus import DOMAINS, listed

from mediaan.maps.density import fixation_density
from mediaan.metrics.focus import concentration
from mediaan.metrics.quantiles import Spread, percentile
from mediaan.metrics.scales import UNMEASURED, Uncertainty
from mediaan.types.arrays import Bool, Float64

SPLITS, HALVES = 8, 40
CELLS = 128  # on the long side, about as many as densities of the model have
_CENTRES = (10.0, 30.0, 50.0, 70.0, 90.0)  # of the fifths of `Spread`


@dataclass(frozen=True, slots=True)
class Panel:
    """Concentration of what viewers of one domain did.

    Attributes
    ----------
    full : (n,) float64
        Of all viewers of each picture.
    halves : (n, splits, 2) float64
        Of both halves of them, drawn several times; of pooled viewers, halves of the fixations.
    fixations : (n, splits, 2) float64
        Of halves of the fixations, whoever made them.
    pooled : (n,) bool
        Whether nobody knows which viewer made which fixation.
    sets : (n,) str
    """

    full: Float64
    halves: Float64
    fixations: Float64
    pooled: Bool
    sets: np.ndarray

    @property
    def many(self) -> Float64:
        """What the concentration of many viewers would be, (n,) float64.

        Fewer fixations look more gathered, by an amount that is inverse to their number; so all of them are as far
        from the truth as halves are from them (the jackknife of Quenouille 1956, Biometrika 43, 353-360).
        """
        return 2 * self.full - self.halves.mean(axis=(1, 2))

    def noise(self, factor: float = 1.0) -> Float64:
        """Variance of each picture's concentration by which viewers there were, (n,) float64.

        Parameters
        ----------
        factor : float
            Of pooled viewers, by how much halves of the viewers would differ more than halves of the fixations.
        """
        found = (np.diff(self.halves, axis=2)[..., 0] ** 2).mean(axis=1) / 4
        return np.where(self.pooled, factor * found, found)


def viewers(gaze: Path, domain: str, *, dev: bool = False) -> Panel:
    """Measure what the viewers of a domain's pictures did; the same pictures as `focus.viewed_pictures`."""
    rng = np.random.default_rng(0)
    full, halves, drawn, pooled, sets = [], [], [], [], []
    for name, sides in DOMAINS[domain].items():
        by_image = dict(list(pd.read_parquet(gaze / name / "fixations.parquet").groupby("image")))
        for image in sorted(by_image) if sides is None else listed(name, [s for s in sides if dev or s != "dev"]):
            rows = by_image[image]
            rows = rows[rows.x.between(0, 1, "left") & rows.y.between(0, 1, "left")]
            height, width = cv2.imread(str(next((gaze / name / "images").glob(f"{image}.*")))).shape[:2]
            shape = round(CELLS * height / max(height, width)), round(CELLS * width / max(height, width))
            people = rows.viewer.to_numpy()
            one = len(np.unique(people)) == 1
            drawn.append(split_halves(rows, np.arange(len(rows)), shape, rng))
            halves.append(drawn[-1] if one else split_halves(rows, people, shape, rng))
            full.append(of_fixations(rows, shape))
            pooled.append(one)
            sets.append(name)
    return Panel(np.array(full), np.array(halves), np.array(drawn), np.array(pooled), np.array(sets))


def split_halves(
    rows: pd.DataFrame, units: np.ndarray, shape: tuple[int, int], rng: np.random.Generator
) -> list[list[float]]:
    """Concentration of both halves of the fixations, `SPLITS` times; what is of one unit stays together."""
    known = np.unique(units)
    found = []
    for _ in range(SPLITS):
        first = np.isin(units, rng.permutation(known)[: len(known) // 2])
        found.append([of_fixations(rows[side], shape) for side in (first, ~first)])
    return found


def of_fixations(rows: pd.DataFrame, shape: tuple[int, int]) -> float:
    return concentration(fixation_density(rows.x, rows.y, shape))


def design_effect(panels: Sequence[Panel]) -> float:
    """How many times more halves of viewers differ than halves of fixations, where it is known who made them."""
    known = [panel for panel in panels if not panel.pooled.any()]
    ratios = [
        (np.diff(panel.halves, axis=2) ** 2).mean() / (np.diff(panel.fixations, axis=2) ** 2).mean() for panel in known
    ]
    return max(1.0, float(np.mean(ratios)))


@dataclass(frozen=True, slots=True)
class Errors:
    """Concentration predicted and true, the latter on the model's scale and without the noise of its viewers.

    Attributes
    ----------
    predicted, seen : (n,) float64
        `seen` is what these viewers showed.
    noise : (n,) float64
        Variance of `seen` by which viewers there were.
    weight : (n,) float64
        Sums to 1.
    """

    predicted: Float64
    seen: Float64
    noise: Float64
    weight: Float64

    def line(self) -> tuple[float, float]:
        """Intercept and slope of the truth on the prediction; noise of the truth does not bend it."""
        x, y = self.predicted - self.weight @ self.predicted, self.seen - self.weight @ self.seen
        slope = float(self.weight @ (x * y) / (self.weight @ x**2))
        return float(self.weight @ self.seen - slope * (self.weight @ self.predicted)), slope

    def truth(self) -> Float64:
        """Truths whose distances from the line vary by what the viewers' noise does not explain, (n,) float64."""
        start, slope = self.line()
        expected = start + slope * self.predicted
        apart = self.seen - expected
        spread = float(self.weight @ apart**2)
        return expected + apart * np.sqrt(max(0.05, 1 - float(self.weight @ self.noise) / spread))

    def of(self, rows: Bool) -> Errors:
        """Those of some of the pictures."""
        weight = self.weight[rows]
        return Errors(self.predicted[rows], self.seen[rows], self.noise[rows], weight / weight.sum())


def errors_by_domain(predicted: Mapping[str, Float64], panels: Mapping[str, Panel]) -> dict[str, Errors]:
    """Put what people did on the model's scale, by one line for all domains, each of which counts the same.

    A model that blurs all pictures alike is not called wrong; one that blurs those of a domain more than others is.
    """
    factor = design_effect(list(panels.values()))
    people = {name: panel.many for name, panel in panels.items()}
    noise = {name: panel.noise(factor) for name, panel in panels.items()}
    middle, width = moments(predicted.values())
    theirs, their_width = moments(people.values())
    stretch = float(np.sqrt(width / (their_width - np.mean([one.mean() for one in noise.values()]))))
    return {
        name: Errors(
            predicted[name],
            middle + stretch * (people[name] - theirs),
            stretch**2 * noise[name],
            np.full(len(people[name]), 1 / len(people[name])),
        )
        for name in panels
    }


def moments(domains: Collection[Float64]) -> tuple[float, float]:
    """Mean and variance of all values, each domain counting the same."""
    middle = float(np.mean([values.mean() for values in domains]))
    return middle, float(np.mean([((values - middle) ** 2).mean() for values in domains]))


def together(parts: Sequence[Errors]) -> Errors:
    """Several domains as one, each of which counts the same."""
    predicted, seen, noise = (
        np.concatenate([getattr(part, name) for part in parts]) for name in ("predicted", "seen", "noise")
    )
    return Errors(predicted, seen, noise, np.concatenate([part.weight / len(parts) for part in parts]))


def spread_of(errors: Errors, knots: tuple[float, ...], slope_beyond: float) -> Spread:
    """Where the true focus lies around a score, from a line and the quantiles of the distances from it.

    In units of concentration, so that where the scale is steep the same error is more points.

    Parameters
    ----------
    errors : Errors
    knots : tuple of float
        Of the focus scale.
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
    return Spread(tuple(round(min(0.0, one), 2) for one in below), tuple(round(max(0.0, one), 2) for one in above))


def weighted_quantiles(values: Float64, weight: Float64) -> tuple[float, float]:
    """5 % and 95 % of what comes next: Weibull's plotting positions where all weigh the same."""
    order = np.argsort(values)
    share = np.cumsum(weight[order]) * len(values) / (len(values) + 1)
    low, high = np.interp([0.05, 0.95], share, values[order])
    return float(low), float(high)


# ---- intervals ---------------------------------------------------------------------------------------------------


def focus_uncertainties(
    domains: Mapping[str, Errors], moved: Mapping[str, Float64], knots: tuple[float, ...]
) -> dict[str, Uncertainty]:
    """Make the interval of focus of each domain, and that of domains without eye tracking.

    Parameters
    ----------
    domains : mapping of domain to Errors
    moved : mapping of domain to (n, variants) float64
        Focus under changes that should not matter.
    knots : tuple of float
        Of the focus scale.
    """
    slope = together(list(domains.values())).line()[1]
    found = {}
    for name, errors in domains.items():
        halves = list(random_halves(len(errors.predicted)))
        trials = [(_trial([errors.of(half)], [moved[name][half]], knots, slope), name, ~half) for half in halves]
        found[name] = _finished(name, _trial([errors], [moved[name]], knots, slope), trials, domains, moved, knots)
    trials = []
    for name in domains:
        rest = [other for other in domains if other != name]
        own = together([domains[other] for other in rest]).line()[1]
        trial = _trial([domains[other] for other in rest], [moved[other] for other in rest], knots, own)
        trials.append((trial, name, np.ones(len(domains[name].predicted), dtype=bool)))
    whole = _trial(list(domains.values()), list(moved.values()), knots, slope)
    found[UNMEASURED] = _finished("a domain that had no part in it", whole, trials, domains, moved, knots)
    return found


def random_halves(count: int) -> Iterator[Bool]:
    rng = np.random.default_rng(0)
    for _ in range(HALVES):
        yield rng.permutation(count) % 2 == 0


def _trial(
    parts: Sequence[Errors], moved: Sequence[Float64], knots: tuple[float, ...], slope_beyond: float
) -> Uncertainty:
    repeatability = np.sqrt(np.mean([np.var(one, axis=1, ddof=1).mean() for one in moved]))
    return Uncertainty(spread_of(together(parts), knots, slope_beyond), round(float(repeatability), 3), 1.0)


def _finished(
    name: str,
    whole: Uncertainty,
    trials: Sequence[tuple[Uncertainty, str, Bool]],
    domains: Mapping[str, Errors],
    moved: Mapping[str, Float64],
    knots: tuple[float, ...],
) -> Uncertainty:
    """With the factor that makes trials hold 90 % of pictures that they were not fitted to."""
    for factor in np.arange(0.5, 2.0, 0.01):
        held = [
            coverage(replace(trial, factor=float(factor)), domains[domain].of(rows), moved[domain][rows], knots)
            for trial, domain, rows in trials
        ]
        if np.mean(held) >= 0.9:
            break
    found = replace(whole, factor=round(float(factor), 2))
    print(f"focus, {name}: 90 % intervals hold {np.mean(held):.1%} of truths that they were not fitted to, {found}")
    return found


def coverage(one: Uncertainty, errors: Errors, moved: Float64, knots: tuple[float, ...]) -> float:
    """Share of truths within the interval of their score."""
    inside = []
    for predicted, truth, repeats in zip(errors.predicted, errors.truth(), moved, strict=True):
        low, high = one.bounds(percentile(float(predicted), knots), repeats.tolist())
        inside.append(low <= percentile(float(truth), knots) <= high)
    return float(np.mean(inside))
