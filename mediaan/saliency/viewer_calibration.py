"""Adjust the densities of an attention model to the viewers of a calibration."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mediaan.errors import UsageError
from mediaan.saliency.density import blur, centre_prior, normalise
from mediaan.saliency.predictor import AttentionPredictor, PredictorWrapper
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.eye_tracking import Adjustment, Calibration


def adjust_density(density: Float32, adjustment: Adjustment) -> Float32:
    """Raise a density to a power, blur it, and mix it with the centre prior.

    `density` (h, w) float32: sums to 1.
    Returns (h, w) float32: sums to 1; the very array that was given where nothing changes.

    >>> adjust_density(np.array([[0.25, 0.75]], np.float32), Adjustment(sharpness=2.0)).round(2).tolist()
    [[0.10000000149011612, 0.8999999761581421]]
    """
    if adjustment.changes_nothing:
        return density
    values = normalise(density.astype(np.float64) ** adjustment.sharpness)
    if adjustment.spread:
        values = normalise(blur(values, adjustment.spread))
    if adjustment.centre:
        prior = centre_prior((values.shape[0], values.shape[1]))
        values = normalise((1 - adjustment.centre) * values.astype(np.float64) + adjustment.centre * prior)
    return values


def calibrate_densities(densities: Densities, calibration: Calibration) -> Densities:
    """Adjust each window of an image's densities."""
    maps = {w: adjust_density(density, calibration.adjustment(w)) for w, density in densities.maps.items()}
    return replace(densities, maps=maps, variants=None)


class CalibratedPredictor(PredictorWrapper):
    """A calibrated attention model of images; see `AttentionPredictor`.

    Raises UsageError: the calibration was fitted to another model, and says no reason why it is used nevertheless.
    """

    def __init__(self, predictor: AttentionPredictor, calibration: Calibration) -> None:
        check_calibration(predictor, calibration)
        super().__init__(predictor)
        self._calibration = calibration

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """Predict the densities of each frame, adjusted window by window."""
        predicted = self._predictor.predict(frames, domain=domain)
        return [calibrate_densities(densities, self._calibration) for densities in predicted]


def check_calibration(predictor: AttentionPredictor, calibration: Calibration) -> None:
    """Refuse a calibration that was fitted to another model, unless it says why it is used nevertheless."""
    if calibration.model_sha256 == (predictor.sha256 or "") or calibration.despite:
        return
    raise UsageError(
        f"the calibration from {calibration.source!r} was fitted to the model {calibration.model} "
        f"({calibration.model_sha256[:12] or 'without weights'}), not to {predictor.name} "
        f"({(predictor.sha256 or 'without weights')[:12]}): run mediaan calibrate again with this model, or say by "
        "--calibration-despite why it should serve nevertheless",
        code="calibration_other_model",
    )
