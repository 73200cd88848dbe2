"""The interface of attention models, and the centre prior, which needs no model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mediaan.errors import UsageError, did_you_mean
from mediaan.saliency.density import centre_prior
from mediaan.types.arrays import UInt8
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.media import ViewSpec

_PRIOR_STRIDE = 4  # px of the view per density cell, as in the trained model


@runtime_checkable
class AttentionPredictor(Protocol):
    """Model that predicts fixation densities of frames."""

    @property
    def name(self) -> str:
        """Name of the model, as in its card."""
        ...

    @property
    def sha256(self) -> str | None:
        """Hash of the weights; None for a model without weights."""
        ...

    @property
    def device(self) -> str:
        """``cpu`` or ``cuda``: where it really runs."""
        ...

    @property
    def view(self) -> ViewSpec:
        """The size in which frames must come."""
        ...

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains of images that it tells apart; empty for a model that tells none."""
        ...

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

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._predictor.name

    @property
    def sha256(self) -> str | None:
        """Hash of the model's weights; None for a model without weights."""
        return self._predictor.sha256

    @property
    def device(self) -> str:
        """``cpu`` or ``cuda``: where the model really runs."""
        return self._predictor.device

    @property
    def view(self) -> ViewSpec:
        """The size in which frames must come."""
        return self._predictor.view

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains of images that the model tells apart."""
        return self._predictor.domains


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
