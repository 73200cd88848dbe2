"""The interface of attention models, the centre prior, and models adjusted to the viewers of a calibration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol, runtime_checkable

import numpy as np

from mediaan.errors import UsageError, did_you_mean
from mediaan.saliency.density import blur, centre_prior, normalise
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Adjustment, Calibration
from mediaan.types.media import ViewSpec

_PRIOR_STRIDE = 4  # px of the view per density cell, as in the trained model


@runtime_checkable
class AttentionPredictor(Protocol):
    """Model that predicts fixation densities of frames."""

    name: str
    """Of the model, as in its card."""
    sha256: str | None
    """Hash of the weights; None for a model without weights."""
    device: str
    """``cpu`` or ``cuda``: where it really runs."""
    view: ViewSpec
    """The size in which frames must come."""
    domains: tuple[str, ...]
    """Domains of images that it tells apart; empty for a model that tells none."""

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """Predict the densities of each frame.

        `frames` (N, H, W, 3) uint8: RGB, sRGB, all of one size; N >= 1.
        `domain`: what the frames are, one of `domains`; None: the model tells by the frames.
        Returns: one per frame. A window that the model does not know is absent.
        Raises UsageError: a domain that is none of `domains`.
        """
        ...


class PredictorWrapper:
    """A predictor around another one, which stays what its name, weights, device, view and domains say."""

    def __init__(self, predictor: AttentionPredictor) -> None:
        self._predictor = predictor
        self.name, self.sha256, self.device = predictor.name, predictor.sha256, predictor.device
        self.view, self.domains = predictor.view, predictor.domains


def check_domain(domain: str | None, domains: Sequence[str], model: str) -> None:
    """Refuse a stated domain that a model does not know.

    `domain`: none: nobody states one, which any model takes.
    `domains`: domains that the model tells apart; empty for a model that tells none.
    `model`: name of the model.
    Raises UsageError: ``no_domains``: the model tells no domains apart. ``unknown_domain``: not this one; the nearest
        is named.

    >>> check_domain("photo", ("photo", "ad"), "attention")
    >>> check_domain("foto", ("photo", "ad"), "attention")
    Traceback (most recent call last):
    mediaan.errors.UsageError: model attention knows no domain 'foto'; did you mean 'photo'? There are photo, ad
    """
    if domain is None or domain in domains:
        return
    if not domains:
        raise UsageError(
            f"model {model} predicts the same for every domain, so {domain!r} cannot be stated: leave the domain out, "
            "or take a model that tells domains apart (mediaan models show)",
            code="no_domains",
        )
    guess = did_you_mean(domain, domains)
    hint = f"{guess} There are" if guess else "; there are"
    raise UsageError(f"model {model} knows no domain {domain!r}{hint} {', '.join(domains)}", code="unknown_domain")


class CentrePrior:
    """Predict the same central Gaussian for every image and window: a baseline and a stand-in for tests."""

    name = "centre-prior"
    sha256: str | None = None
    device = "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", pixels=110_592, multiple=32, upscale=True)

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """Return the prior on a grid of a quarter of the frame's size, once per frame; refuse a stated domain."""
        check_domain(domain, self.domains, self.name)
        shape = (max(1, frames.shape[1] // _PRIOR_STRIDE), max(1, frames.shape[2] // _PRIOR_STRIDE))
        density = centre_prior(shape)
        return [Densities(dict.fromkeys(WINDOWS, density)) for _ in frames]


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
    return replace(densities, maps=maps)


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
