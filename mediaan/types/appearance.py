"""What the encoder of the attention network sees in a picture, beyond where people look."""

from __future__ import annotations

from dataclasses import dataclass

from mediaan.types.arrays import Float32


@dataclass(frozen=True, slots=True)
class Appearance:
    """Features of one picture, and what is estimated from them.

    Attributes
    ----------
    features : (F,) float32
        Mean and standard deviation over the picture of each channel, level after level, finest first.
    text_share : float
        Share of the area that lines of text cover, 0-1.
    text_height : float or None
        Height of the smaller lines, as a share of the picture's height: a fifth of the area of text is no higher. None
        without text.
    text_letters : float
        Area of text in squares as high as the letters there: grows with their number.
    face_presence, person_presence : float
        Calibrated probability that there is at least one, 0-1.
    face_share, person_share : float
        Share of the area that they cover, 0-1.
    text_map, face_map, person_map : (h, w) float32 or None
        Probability that a cell (8 px of the picture as the encoder sees it) shows text, a face, a person; None where
        nothing was estimated.
    peaks, text_features : (F / 2,) float32 or None
        Largest value of each channel over the picture, and its mean weighted by the probability of text, in the order
        of `features`; None where nothing was estimated.
    """

    features: Float32
    text_share: float = 0.0
    text_height: float | None = None
    text_letters: float = 0.0
    face_presence: float = 0.0
    person_presence: float = 0.0
    face_share: float = 0.0
    person_share: float = 0.0
    text_map: Float32 | None = None
    face_map: Float32 | None = None
    person_map: Float32 | None = None
    peaks: Float32 | None = None
    text_features: Float32 | None = None
