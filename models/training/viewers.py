"""What viewers' focus would be, had there been many of them, and how far a prediction is from that.

A density of 15 viewers is not what all people do: another 15 would give another one. That noise belongs to the
measurement, and not to the model, so that it is taken out of the error behind the interval of focus. Two halves of the
viewers tell how large it is, and how far few fixations make attention look more gathered than it is.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from errors import Errors, Trial, finished, halves_trials, spread_of, together
from focus import DOMAINS, listed

from mediaan.metrics.scales import UNMEASURED, Spread
from mediaan.metrics.scores.concentration import concentration
from mediaan.saliency.density import fixation_density
from mediaan.types.arrays import Bool, Float64

SPLITS = 8
CELLS = 128  # on the long side, about as many as densities of the model have


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
        halves_variance = (np.diff(self.halves, axis=2)[..., 0] ** 2).mean(axis=1) / 4
        return np.where(self.pooled, factor * halves_variance, halves_variance)


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
            alone = len(np.unique(people)) == 1
            drawn.append(split_halves(rows, np.arange(len(rows)), shape, rng))
            halves.append(drawn[-1] if alone else split_halves(rows, people, shape, rng))
            full.append(of_fixations(rows, shape))
            pooled.append(alone)
            sets.append(name)
    return Panel(np.array(full), np.array(halves), np.array(drawn), np.array(pooled), np.array(sets))


def split_halves(
    rows: pd.DataFrame, units: np.ndarray, shape: tuple[int, int], rng: np.random.Generator
) -> list[list[float]]:
    """Concentration of both halves of the fixations, `SPLITS` times; what is of one unit stays together."""
    units_left = np.unique(units)
    panels_drawn = []
    for _ in range(SPLITS):
        first = np.isin(units, rng.permutation(units_left)[: len(units_left) // 2])
        panels_drawn.append([of_fixations(rows[side], shape) for side in (first, ~first)])
    return panels_drawn


def of_fixations(rows: pd.DataFrame, shape: tuple[int, int]) -> float:
    return concentration(fixation_density(rows.x, rows.y, shape))


def design_effect(panels: Sequence[Panel]) -> float:
    """How many times more halves of viewers differ than halves of fixations, where it is known who made them."""
    separate = [panel for panel in panels if not panel.pooled.any()]
    ratios = [
        (np.diff(panel.halves, axis=2) ** 2).mean() / (np.diff(panel.fixations, axis=2) ** 2).mean()
        for panel in separate
    ]
    return max(1.0, float(np.mean(ratios)))


def errors_by_domain(predicted: Mapping[str, Float64], panels: Mapping[str, Panel]) -> dict[str, Errors]:
    """Put what people did on the model's scale, by one line for all domains, each of which counts the same.

    A model that blurs all pictures alike is not called wrong; one that blurs those of a domain more than others is.
    """
    factor = design_effect(list(panels.values()))
    people = {name: panel.many for name, panel in panels.items()}
    noise = {name: panel.noise(factor) for name, panel in panels.items()}
    middle, width = moments(predicted.values())
    theirs, their_width = moments(people.values())
    stretch = float(np.sqrt(width / (their_width - np.mean([values.mean() for values in noise.values()]))))
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


def focus_intervals(domains: Mapping[str, Errors], knots: tuple[float, ...]) -> dict[str, Spread]:
    """Make the interval of focus of each domain, and that of domains without eye tracking.

    Parameters
    ----------
    domains : mapping of domain to Errors
    knots : tuple of float
        Of the focus scale.
    """
    everything = together(list(domains.values()))
    slope = everything.line()[1]
    by_domain = {}
    for name, errors in domains.items():
        trials = halves_trials(name, errors, knots, slope)
        by_domain[name] = finished(f"focus, {name}", spread_of(errors, knots, slope), trials, domains, knots)
    whole = spread_of(everything, knots, slope)
    trials = [unseen_domain(name, domains, knots) for name in domains]
    by_domain[UNMEASURED] = finished("focus, a domain that had no part in it", whole, trials, domains, knots)
    return by_domain


def unseen_domain(name: str, domains: Mapping[str, Errors], knots: tuple[float, ...]) -> Trial:
    """Fit all domains but one, to be tried on that one."""
    rest = together([errors for other, errors in domains.items() if other != name])
    return spread_of(rest, knots, rest.line()[1]), name, np.ones(len(domains[name].predicted), dtype=bool)
