"""How much shares of attention move under changes of a picture that should not matter, and the width that adds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from hazard_fit import fit_band
from hazard_truth import Looked
from population import MODELS, views

from mediaan.analysis.augmentation import coarse_densities, predict_augmented
from mediaan.aoi.region import attention_share
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel, PredictionBand
from mediaan.types.aoi import Box
from mediaan.types.arrays import Float64
from mediaan.types.metrics import Z90


def moved_shares(pictures: Iterable[tuple[Looked, Sequence[tuple[str, Box]]]]) -> Float64:
    """Share of attention of each region in each changed picture, (regions, variants)."""
    shares = []
    for picture, regions in pictures:
        small, _ = views(picture.path)
        variants = coarse_densities(predict_augmented(small, MODELS), picture.densities["total"].shape).astype(
            np.float32
        )
        shares += [[attention_share(variant, box, None) for variant in variants] for _, box in regions]
    return np.array(shares)


def with_usual_relative_sd(model: FixationHazardModel, shares: Float64) -> FixationHazardModel:
    """The model, knowing the usual relative deviation of regions that get at least a hundredth of the attention."""
    mean = shares.mean(axis=1)
    some = mean >= 0.01
    relative = shares[some].var(axis=1, ddof=1) / mean[some] ** 2
    return replace(model, usual_relative_sd=round(float(np.sqrt(np.median(relative))), 4))


def fit_wide_band(predicted: Float64, truth: Float64, moved: Float64, weight: Float64) -> PredictionBand:
    """A band whose factor makes it cover nine of ten truths once the prediction's own movement is added."""
    band = fit_band(predicted, truth, weight)
    for factor in np.arange(0.4, 1.5, 0.01):
        tried = replace(band, factor=round(float(factor), 2))
        if np.average(covers(tried, predicted, truth, moved), weights=weight) >= 0.9:
            return tried
    return replace(band, factor=1.5)


def covers(band: PredictionBand, predicted: Float64, truth: Float64, moved: Float64) -> Float64:
    """Which truths lie within `Band.bounds`, (n,) bool."""
    low, high = limits(band, predicted, moved)
    return (truth >= low - 1e-9) & (truth <= high + 1e-9)


def limits(band: PredictionBand, predicted: Float64, moved: Float64) -> tuple[Float64, Float64]:
    """`Band.bounds` for arrays."""
    at = np.clip(predicted, band.at[0], band.at[-1])
    below = np.maximum(0, at - np.interp(at, band.at, band.low))
    above = np.maximum(0, np.interp(at, band.at, band.high) - at)
    low = np.maximum(0, predicted - band.factor * np.hypot(below, Z90 * moved))
    return low, np.minimum(1, predicted + band.factor * np.hypot(above, Z90 * moved))
