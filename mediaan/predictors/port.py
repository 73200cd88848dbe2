"""The port that every attention model stands behind."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from mediaan.types.arrays import UInt8
from mediaan.types.maps import Densities
from mediaan.types.media import ViewSpec


@runtime_checkable
class AttentionPredictor(Protocol):
    """Frames in, fixation densities out."""

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
        """Domains of pictures that it tells apart; empty for a model that tells none."""
        ...

    def predict(self, frames: UInt8, *, domain: str | None = None) -> list[Densities]:
        """Predict the densities of each frame.

        Parameters
        ----------
        frames : (N, H, W, 3) uint8
            RGB, sRGB, all of one size; N >= 1.
        domain : str, optional
            What the frames are, one of `domains`; None: the model tells by the frames.

        Returns
        -------
        list of Densities
            One per frame. A window that the model does not know is absent.

        Raises
        ------
        UsageError
            A domain that is none of `domains`.
        """
        ...
