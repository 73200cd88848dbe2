"""Predictions for an image: fixation densities by window of the exposure, and features of its appearance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:  # who only names windows need not load NumPy
    from mediaan.types.arrays import Float32

Window = Literal["total", "start", "end"]
WINDOWS: tuple[Window, ...] = ("start", "end", "total")

BASE_DOMAIN = "photo"
"""The domain of most eye tracking: intervals are those of photographs unless a medium's domain is known."""


@dataclass(frozen=True, slots=True)
class Densities:
    """Fixation densities of one image, one per window."""

    maps: Mapping[Window, Float32]
    """Mapping of window to (h, w) float32. Non-negative, each sums to 1: the probability that a fixation made in that
    window lands in the cell. Cells tile the image evenly; row 0 is its top."""
    domains: Mapping[str, float] | None = None
    """Mapping of str to float or None. Probability of each domain that the model tells apart, in the order of its
    card; they sum to 1. Of a video the mean over time; 1 for a domain that was stated. None for a model without
    domains."""
    screen: float | None = None
    """Of a tall page that was judged fold by fold, the height of one screen as a share of the page's, 0-1; None of any
    other image."""

    def __getitem__(self, window: Window) -> Float32:
        return self.maps[window]

    @property
    def domain(self) -> str | None:
        """Stated domain, else the most probable one; None for a model without domains."""
        domains = self.domains or {}
        return max(domains, key=lambda name: domains[name], default=None)


@dataclass(frozen=True, slots=True)
class Appearance:
    """Encoder features of one image, and what is estimated from them."""

    features: Float32
    """(F,) float32. Mean and standard deviation of each channel over the image, level after level, finest first."""
    text_share: float = 0.0
    """Share of the area that lines of text cover, 0-1."""
    text_height: float | None = None
    """Height of the smaller lines (area-weighted 20th percentile), as a share of the image's height; None without
    text."""
    text_letters: float = 0.0
    """Area of text in squares as high as its letters: grows with their number."""
    face_presence: float = 0.0
    person_presence: float = 0.0
    """face_presence, person_presence: Calibrated probability that there is at least one, 0-1."""
    face_share: float = 0.0
    person_share: float = 0.0
    """face_share, person_share: Share of the area that they cover, 0-1."""
    text_map: Float32 | None = None
    face_map: Float32 | None = None
    person_map: Float32 | None = None
    """text_map, face_map, person_map: (h, w) float32 or None. Probability that a cell (8 px of the encoder's input)
    shows text, a face, a person; None where nothing was estimated."""
    peaks: Float32 | None = None
    text_features: Float32 | None = None
    """peaks, text_features: (F / 2,) float32 or None. Largest value of each channel over the image, and its mean
    weighted by the probability of text, in the order of `features`; None where nothing was estimated."""
