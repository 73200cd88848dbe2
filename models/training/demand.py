"""Cognitive demand: human ratings of complexity on measured drivers and features of the encoder.

Ratings are on one scale within a category only, so that every category is centred by itself. Drivers come first, with
non-negative weights in the direction that theory gives them; half of what they explain is taken off the ratings, and
the features explain the rest (ridge). So the drivers keep a share that can be told in words, and the features do not
have to stand aside for them altogether.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from population import Measured
from scipy.optimize import nnls
from scipy.stats import pearsonr, spearmanr

from mediaan.metrics.scales import Scales
from mediaan.metrics.scores.ratings import RatingModel, on_scale
from mediaan.types.arrays import Float64

# Drivers of complexity and the sign that each may have.
SIGNS = {
    "feature_congestion": 1,
    "contour_density": 1,
    "contour_congestion": 1,
    "region_count": 1,
    "colour_count": 1,
    "coded_bits": 1,
    "colourfulness": 1,
    "text_share": 1,
    "letter_count": 1,
    "white_space": -1,
    "symmetry": -1,
}
DRIVER_RIDGE, FEATURE_RIDGE = 20.0, 600.0
SHARE = 0.5
FOLDS = 10


def rating(model: RatingModel, measured: Measured, scales: Scales) -> float:
    """Cognitive demand of a picture as a model has it, 0-100."""
    points = sum(model.driver_points(measured.values, scales).values())
    return on_scale(model.typical + points + model.feature_points(measured.features))


@dataclass(frozen=True, slots=True)
class Fit:
    """Weights of ranks and of standardised features, in standard deviations of the ratings within a category."""

    drivers: Float64
    features: Float64

    def predict(self, ranks: Float64, features: Float64) -> Float64:
        return ranks @ self.drivers + features @ self.features


def within(values: Float64, categories: Float64, transform: Callable[[Float64], Float64]) -> Float64:
    """Apply a transform to each category's rows apart."""
    result = np.array(values, dtype=np.float64)
    for category in np.unique(categories):
        rows = categories == category
        result[rows] = transform(result[rows])
    return result


def centred(rows: Float64) -> Float64:
    return rows - rows.mean(axis=0)


def standardised(rows: Float64) -> Float64:
    return (rows - rows.mean(axis=0)) / rows.std(axis=0)


def rank_table(measured: list[Measured], scales: Scales) -> Float64:
    """Ranks less that of the median picture, (n, drivers)."""
    return np.array([[scales.rank(name, float(m.values[name] or 0)) - 0.5 for name in SIGNS] for m in measured])


def fit(ranks: Float64, features: Float64, categories: Float64, target: Float64) -> Fit:
    """Fit to ratings that are standardised within each category; each category counts as much as the others."""
    sizes = {c: np.sum(categories == c) for c in np.unique(categories)}
    root = np.sqrt(np.array([100 / sizes[c] for c in categories]))[:, None]
    signs = np.array(list(SIGNS.values()), dtype=np.float64)
    x = within(ranks, categories, centred)
    stacked = np.vstack([x * signs * root, np.sqrt(DRIVER_RIDGE) * np.eye(signs.size)])
    solved, _ = nnls(stacked, np.concatenate([target * root[:, 0], np.zeros(signs.size)]))
    drivers = SHARE * solved * signs
    z = within(features, categories, centred) * root
    rest = (target - x @ drivers) * root[:, 0]
    weights = z.T @ np.linalg.solve(z @ z.T + FEATURE_RIDGE * np.eye(len(z)), rest)
    return Fit(drivers, weights)


def cross_validated(ranks: Float64, features: Float64, categories: Float64, target: Float64, seed: int = 0) -> Float64:
    """Predictions for pictures that the fit has not seen."""
    fold = np.random.default_rng(seed).permutation(len(target)) % FOLDS
    predicted = np.zeros(len(target))
    for k in range(FOLDS):
        rest, these = fold != k, fold == k
        fold_fit = fit(ranks[rest], features[rest], categories[rest], within(target[rest], categories[rest], centred))
        predicted[these] = fold_fit.predict(ranks[these], features[these])
    return predicted


def agreement(predicted: Float64, categories: Float64, ratings: Float64) -> dict[str, dict[str, float]]:
    """Pearson and Spearman correlation by category."""
    agreements = {}
    for category in np.unique(categories):
        rows = categories == category
        r, rho = pearsonr(predicted[rows], ratings[rows])[0], spearmanr(predicted[rows], ratings[rows])[0]
        agreements[str(category)] = {"n": int(rows.sum()), "r": round(float(r), 3), "rho": round(float(rho), 3)}
    return agreements


def shares(fit_of: Fit, ranks: Float64, features: Float64, categories: Float64) -> dict[str, float]:
    """Share of each driver, and of the features, in the variance of predictions within categories; they sum to 1."""
    x, z = within(ranks, categories, centred), within(features, categories, centred)
    parts = {name: x[:, i] * fit_of.drivers[i] for i, name in enumerate(SIGNS)}
    parts["seen_complexity"] = z @ fit_of.features
    whole = sum(parts.values())
    return {name: round(float(np.mean(part * whole) / np.mean(whole * whole)), 3) for name, part in parts.items()}
