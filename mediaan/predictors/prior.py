"""The model-free predictor: where people look before anything is known of the picture."""

from __future__ import annotations

from mediaan.maps.density import centre_prior
from mediaan.predictors.domains import check_domain
from mediaan.types.arrays import UInt8
from mediaan.types.maps import WINDOWS, Densities
from mediaan.types.media import ViewSpec

_STRIDE = 4  # px of the view per density cell, as in the trained model


class CentrePrior:
    """The same central Gaussian for every picture and window: a baseline and a stand-in for tests."""

    name = "centre-prior"
    sha256: str | None = None
    device = "cpu"
    domains: tuple[str, ...] = ()
    view = ViewSpec("attention", pixels=110_592, multiple=32, upscale=True)

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """The prior on a grid of a quarter of the frame's size, once per frame; a stated domain is a UsageError."""
        check_domain(domain, self.domains, self.name)
        shape = (max(1, frames.shape[1] // _STRIDE), max(1, frames.shape[2] // _STRIDE))
        density = centre_prior(shape)
        return [Densities(dict.fromkeys(WINDOWS, density)) for _ in frames]
