"""Define the checks that ship, and the facts of a medium that they are evaluated on."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

ANY = "any"

CheckKind = Literal["area_seen", "area_early", "area_legible", "appears_early", "competition", "score"]


@dataclass(frozen=True, slots=True)
class CheckSpec:
    """One check.

    Attributes
    ----------
    name, title : str
        What should be true.
    flaw : str
        What is said of media that fail it.
    kind : CheckKind
    asked, required : tuple of str
        Purposes of which it is asked, and which cannot do without it; ``any`` for all.
    media : tuple of {'image', 'film'}
    why, source : str
    types : tuple of str
        Types of areas, or ``offer``; the first one that is known counts.
    least : float
        Confidence from which on a detected area is spoken of, 0-1.
    metric : str
    better : {'higher', 'lower'}
    percent : int
        Percentile of the population that is the target.
    limit : float
        A target that does not depend on a population, in the unit of what is looked at.
    """

    name: str
    title: str
    flaw: str
    kind: CheckKind
    asked: tuple[str, ...]
    required: tuple[str, ...]
    media: tuple[str, ...]
    why: str
    source: str = ""
    types: tuple[str, ...] = ()
    least: float = 0.0
    metric: str = ""
    better: Literal["higher", "lower"] = "higher"
    percent: int = 30
    limit: float = 0.0

    def is_asked(self, purpose: str | None, *, moves: bool) -> bool:
        """Whether it is asked of a medium."""
        return ("film" if moves else "image") in self.media and (ANY in self.asked or purpose in self.asked)

    def is_required(self, purpose: str | None) -> bool:
        """Whether a medium of this purpose cannot do without it."""
        return ANY in self.required or purpose in self.required


@cache
def check_specs() -> tuple[CheckSpec, ...]:
    """Return the checks that ship, in the order in which they are shown."""
    text = files("mediaan.checks").joinpath("checks.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["check"]
    return tuple(_SPEC.validate_python(entry) for entry in entries)


_SPEC = TypeAdapter(CheckSpec)


class ScoreFact(NamedTuple):
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
    readings: Mapping[str, ScoreFact] = field(default_factory=dict)
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
    scores: Mapping[str, ScoreFact]
    brand: str | None = None
    platform: str | None = None
