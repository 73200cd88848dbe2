"""What the encoder of the attention network sees in a picture, beyond where people look."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.types.arrays import Float32


@dataclass(frozen=True, slots=True)
class Appearance:
    """Features of one picture.

    Attributes
    ----------
    features : (F,) float32
        Mean and standard deviation over the picture of each channel, level after level, finest first.
    """

    features: Float32
