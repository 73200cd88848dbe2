"""Densities: where a fixation lands, by window of the exposure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mediaan.types.arrays import Float16, Float32

Window = Literal["start", "end", "total"]
WINDOWS: tuple[Window, ...] = ("start", "end", "total")

BASE_DOMAIN = "photo"
"""The domain of most eye tracking: intervals are those of photographs unless a medium's domain is known."""


@dataclass(frozen=True, slots=True)
class Densities:
    """Fixation densities of one picture, one per window.

    Attributes
    ----------
    maps : mapping of window to (h, w) float32
        Non-negative, each sums to 1: the probability that a fixation made in that window lands in the cell.
        Cells tile the picture evenly; row 0 is its top.
    variants : (K, r, c) float16 or None
        Densities of the total window as predicted under changes of the picture that should not matter, brought back to
        its coordinates, on a coarse grid; they say how sure shares of attention are. None where nobody looked again.
    domains : mapping of str to float or None
        Probability of each domain that the model tells apart, in the order of its card; they sum to 1. Of a film the
        mean over its seconds; 1 for a domain that was stated. None for a model that tells no domains apart.
    """

    maps: Mapping[Window, Float32]
    variants: Float16 | None = None
    domains: Mapping[str, float] | None = None

    def __getitem__(self, window: Window) -> Float32:
        return self.maps[window]

    @property
    def domain(self) -> str | None:
        """The domain that was stated, else the most probable; None for a model that tells no domains apart."""
        domains = self.domains or {}
        return max(domains, key=lambda name: domains[name], default=None)
