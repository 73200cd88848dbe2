"""Scales: from a value of stated meaning to a place between 0 and 1, the same for every picture."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mediaan.types.arrays import Float32, Float64


@dataclass(frozen=True, slots=True)
class Scale:
    """The range of values that a map shows, fixed beforehand and never taken from the picture.

    Attributes
    ----------
    low, high : float
        Values at the ends; what lies beyond is shown like the end itself.
    ticks : tuple of (float, str)
        Values that the legend marks, and how it writes them.
    logarithmic : bool
        Whether equal ratios, rather than equal differences, take equal room.
    unit : str
        What a value of 1 is, in plain words; stands in the legend.

    Examples
    --------
    >>> scale = Scale(1.0, 16.0, ((1.0, "1x"), (16.0, "16x")), logarithmic=True)
    >>> scale.place(np.array([0.5, 1.0, 4.0, 99.0])).tolist()
    [0.0, 0.0, 0.5, 1.0]
    """

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]
    logarithmic: bool = False
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.low < self.high or (self.logarithmic and self.low <= 0):
            raise ValueError(f"a scale needs low < high, and low > 0 when logarithmic; got {self.low} to {self.high}")

    def place(self, values: Float32 | Float64) -> Float64:
        """Where values lie on the scale: 0 at `low` and below, 1 at `high` and above; float64, shape kept."""
        inside = np.clip(np.asarray(values, dtype=np.float64), self.low, self.high)
        place: Float64 = (inside - self.low) / (self.high - self.low)
        if self.logarithmic:
            place = np.log2(inside / self.low) / np.log2(self.high / self.low)
        return place

    def value(self, place: Float64) -> Float64:
        """The values at given places, the inverse of `place` inside the range."""
        value: Float64 = self.low + place * (self.high - self.low)
        if self.logarithmic:
            value = self.low * np.exp2(place * np.log2(self.high / self.low))
        return value


ATTENTION = Scale(
    low=1.0,
    high=16.0,
    ticks=((1.0, "1x"), (2.0, "2x"), (4.0, "4x"), (8.0, "8x"), (16.0, "16x")),
    logarithmic=True,
    unit="times the attention of an average spot",
)
"""Density relative to a uniform one: 1x is what a spot gets when attention is spread evenly; 16x and more is full."""

STRENGTH = Scale(low=0.0, high=1.0, ticks=((0.0, "0"), (0.5, "0.5"), (1.0, "1")))
"""Local drivers of a metric, on the absolute scale that the metric defines: 1 is very much."""


def relative_density(density: Float32) -> Float64:
    """How many times denser than uniform each cell is.

    Parameters
    ----------
    density : (h, w) float32
        Non-negative with a positive sum; need not sum to exactly 1.

    Returns
    -------
    (h, w) float64
        Mean 1.

    Raises
    ------
    ValueError
        If it is no such array.

    Examples
    --------
    >>> relative_density(np.array([[0.75, 0.25]], np.float32)).tolist()
    [[1.5, 0.5]]
    """
    total = float(density.sum(dtype=np.float64)) if density.ndim == 2 and density.size else 0.0
    if not 0.0 < total < np.inf or density.min() < 0:
        raise ValueError(
            f"a density is 2-D, non-negative and has a positive sum; got shape {density.shape}, sum {total}"
        )
    return density.astype(np.float64) * (density.size / total)
