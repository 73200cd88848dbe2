"""What checks look at: the facts of one medium, wherever they come from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple


class Reading(NamedTuple):
    """A number with its 90 % interval, and where the population of the medium has its percentiles.

    Attributes
    ----------
    value, lo, hi : float or None
    edges : tuple of four floats, or empty
        Of the population, at `mediaan.types.benchmark.EDGES` %.
    population : str
        Name of the norm set; empty without one.
    unit : str
    reason : str or None
        Why there is no value.
    """

    value: float | None
    lo: float | None = None
    hi: float | None = None
    edges: tuple[float, ...] = ()
    population: str = ""
    unit: str = ""
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AreaFacts:
    """An area of interest.

    Attributes
    ----------
    aoi_id, type, label : str
        As in tables.
    confidence : float or None
        None where a person drew it.
    readings : mapping of str to Reading
        By metric, over the whole exposure.
    words : str or None
        What it says, where it was read.
    contrast : float or None
        WCAG contrast ratio of its letters and their ground, 1-21.
    legible : bool or None
        Whether it can be read at the size at which the medium's platform shows it.
    t0_s : float or None
        When it first appears in a film, s; None in a picture, or from the beginning.
    """

    aoi_id: str
    type: str
    label: str
    confidence: float | None
    readings: Mapping[str, Reading] = field(default_factory=dict)
    words: str | None = None
    contrast: float | None = None
    legible: bool | None = None
    t0_s: float | None = None

    @property
    def attention(self) -> float:
        """Share of attention over the whole exposure, %; 0 where it is undefined."""
        found = self.readings.get("attention")
        return (found.value if found else None) or 0.0


@dataclass(frozen=True, slots=True)
class MediumFacts:
    """A medium.

    Attributes
    ----------
    purpose : str or None
    moves : bool
        Whether it is a film.
    areas : tuple of AreaFacts
    looked_for : frozenset of str
        Types of areas that would have been found, or drawn, if they were there.
    scores : mapping of str to Reading
        Of the whole medium, by metric.
    brand : str or None
        The brand that was named.
    platform : str or None
        Where it is shown.
    """

    purpose: str | None
    moves: bool
    areas: tuple[AreaFacts, ...]
    looked_for: frozenset[str]
    scores: Mapping[str, Reading]
    brand: str | None = None
    platform: str | None = None
