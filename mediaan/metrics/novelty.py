"""Measure novelty: how unlike the training material of the models an image is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.types.arrays import Float32, Float64

NOVELTY_THRESHOLD = 0.99
"""Above this share of the training material an image is said to be unlike it."""


@dataclass(frozen=True, slots=True)
class NoveltyModel:
    """Distances between images by the features of the attention network's encoder.

    The distance is Mahalanobis', to the nearest of the kinds of training images, in the principal components of the
    features with the covariance within kinds: Lee, Lee, Lee & Shin (2018), NeurIPS, 'A simple unified framework for
    detecting out-of-distribution samples'. What leaves the span of the components counts too, against its own spread.
    """

    model_sha256: str
    """Of the attention model whose features it takes."""
    centre: Float64
    scale: Float64
    """centre, scale: (F,) float64. Mean and standard deviation of each feature over the training images."""
    axes: Float64
    """(F, k) float64. Principal components."""
    kinds: Float64
    """(c, k) float64. Mean of each kind of images."""
    whitening: Float64
    """(k, k) float64. Turns a difference into one whose length is the distance."""
    rest: float
    """Usual length of what leaves the span of the components."""
    knots: Float64
    """(q,) float64. Quantiles, evenly from 0 to 100 %, of the distances of training images that the model was not made
    of."""

    def distance(self, features: Float32) -> float:
        """Return the distance of an image to its nearest kind, at least 0."""
        z = (features.astype(np.float64) - self.centre) / self.scale
        # sums by numpy, not by the linear algebra library, whose last bits depend on its number of threads
        inside = (z[:, None] * self.axes).sum(axis=0)
        left = math.sqrt(float(((z - (self.axes * inside).sum(axis=1)) ** 2).sum())) / self.rest
        whitened = ((inside - self.kinds)[:, :, None] * self.whitening).sum(axis=1)
        nearest = float(np.min(np.sum(whitened**2, axis=1)))
        return float(np.sqrt(nearest + self.axes.shape[1] * left**2))

    def share(self, distance: float) -> float:
        """Return the share of training images that lie nearer to their own kind, 0-1."""
        return float(np.interp(distance, self.knots, np.linspace(0, 1, self.knots.size)))


@cache
def novelty_model() -> NoveltyModel:
    """Load the model that ships; `models/training/novelty.py` makes it."""
    with (
        files("mediaan.metrics").joinpath("novelty.npz").open("rb") as file,
        np.load(file, allow_pickle=False) as stored,
    ):
        return from_arrays({name: stored[name] for name in stored.files})


def from_arrays(stored: Mapping[str, npt.NDArray[Any]]) -> NoveltyModel:
    """Read a model from its arrays."""
    arrays = {
        name: stored[name].astype(np.float64) for name in ("centre", "scale", "axes", "kinds", "whitening", "knots")
    }
    return NoveltyModel(str(stored["model_sha256"]), rest=float(stored["rest"]), **arrays)
