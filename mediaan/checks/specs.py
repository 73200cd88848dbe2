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
        Of the requirement.
    flaw : str
        Words for media that fail it.
    kind : CheckKind
    asked, required : tuple of str
        Purposes that it applies to, and that require it; ``any`` for all.
    media : tuple of {'image', 'film'}
    why, source : str
    types : tuple of str
        Types of areas, or ``offer``; the first one that is found counts.
    least : float
        Least confidence of a detected area, 0-1.
    metric : str
    better : {'higher', 'lower'}
    percent : int
        Percentile of the population that is the target.
    limit : float
        Target that does not depend on a population, in the unit of the checked number.
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
        """Return True if the check applies to a medium."""
        return ("film" if moves else "image") in self.media and (ANY in self.asked or purpose in self.asked)

    def is_required(self, purpose: str | None) -> bool:
        """Return True if a medium of this purpose requires the check."""
        return ANY in self.required or purpose in self.required


@cache
def check_specs() -> tuple[CheckSpec, ...]:
    """Return the checks that ship, in the order in which they are shown."""
    text = files("mediaan.checks").joinpath("checks.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)["check"]
    return tuple(_SPEC.validate_python(entry) for entry in entries)


_SPEC = TypeAdapter(CheckSpec)


class ScoreFact(NamedTuple):
    """A number with its 90 % interval, and the percentiles of the medium's population.

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
    """Facts of an area of interest.

    Attributes
    ----------
    aoi_id, type, label : str
        As in tables.
    confidence : float or None
        None where a person drew it.
    scores : mapping of str to ScoreFact
        By metric, over the whole exposure.
    words : str or None
        Transcription, where it was read.
    contrast : float or None
        WCAG contrast ratio of its letters and their background, 1-21.
    legible : bool or None
        Whether it can be read at the size at which the medium's platform shows it.
    t0_s : float or None
        When it first appears in a video, s; None in an image, or from the beginning.
    """

    aoi_id: str
    type: str
    label: str
    confidence: float | None
    scores: Mapping[str, ScoreFact] = field(default_factory=dict)
    words: str | None = None
    contrast: float | None = None
    legible: bool | None = None
    t0_s: float | None = None

    @property
    def attention(self) -> float:
        """Share of attention over the whole exposure, %; 0 where it is undefined."""
        found = self.scores.get("attention")
        return (found.value if found else None) or 0.0


@dataclass(frozen=True, slots=True)
class MediumFacts:
    """Facts of a medium.

    Attributes
    ----------
    purpose : str or None
    moves : bool
        Whether it is a video or animation.
    areas : tuple of AreaFacts
    looked_for : frozenset of str
        Types of areas that would have been detected or drawn if they were there.
    scores : mapping of str to ScoreFact
        Of the whole medium, by metric.
    brand : str or None
        The named brand.
    platform : str or None
        Where the medium is shown.
    """

    purpose: str | None
    moves: bool
    areas: tuple[AreaFacts, ...]
    looked_for: frozenset[str]
    scores: Mapping[str, ScoreFact]
    brand: str | None = None
    platform: str | None = None
