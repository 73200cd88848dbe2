"""A rule, and what it is held against: the scores of one medium and of its areas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from mediaan.aoi.screen_time import Span
from mediaan.rules.expression import Expression
from mediaan.types.aoi import AoiLevel, AoiType
from mediaan.types.metrics import Time
from mediaan.types.rules import Severity

Missing = Literal["fail", "pass", "skip", "skip_unless_named"]
"""What comes of a rule where there is no such area; the last: skipped unless the brand was named, or areas were drawn,
since marks of a brand that nobody named are often overlooked."""

FOUND_BY: Mapping[AoiLevel, frozenset[AoiType]] = {
    "none": frozenset(),
    "text": frozenset({"branding", "headline_text", "body_text", "call_to_action"}),
    "objects": frozenset({"branding", "product", "face", "person"}),
    "all": frozenset({"branding", "product", "headline_text", "body_text", "call_to_action", "face", "person"}),
}
"""Types of areas that a search can find, by what it looks for; the others are there only where people drew them."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A comparison with what follows from it.

    Attributes
    ----------
    expression : Expression
    name : str
        What people call it.
    severity : {'error', 'warning'}
    sure : bool
        Whether the whole 90 % interval has to be on the right side.
    missing : {'fail', 'pass', 'skip', 'skip_unless_named'} or None
        What comes of it where there is no such area; None: what `usual_missing` says.
    why : str
        What to tell whoever fails it.
    """

    expression: Expression
    name: str = ""
    severity: Severity = "error"
    sure: bool = False
    missing: Missing | None = None
    why: str = ""

    @property
    def text(self) -> str:
        """As it was written."""
        return self.expression.text or str(self.expression)

    @property
    def usual_missing(self) -> Literal["fail", "pass"]:
        """What comes of it where there is no such area.

        What has to be seen cannot be seen: a rule that asks for a good score fails. What must not be too much is
        nothing at all: a rule that limits a score passes.
        """
        return "fail" if self.expression.wants_better else "pass"


class Reading(NamedTuple):
    """A score as a run holds it: with its 90 % interval, or with the reason why it is undefined."""

    value: float | None
    lo: float | None = None
    hi: float | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Area:
    """An area of interest.

    Attributes
    ----------
    aoi_id : str
    type : AoiType
    label : str
    scores : mapping of (metric, time) to Reading
    on_screen : tuple of Span
        When it is on screen, s, in a medium that moves.
    names_brand : bool
        Whether it is a text in which the brand that was named stands: then it shows the brand while it is on screen.
    """

    aoi_id: str
    type: AoiType
    label: str
    scores: Mapping[tuple[str, Time], Reading] = field(default_factory=dict)
    on_screen: tuple[Span, ...] = ()
    names_brand: bool = False

    @property
    def shows_brand(self) -> bool:
        """Whether the brand is on screen with it: its mark, or its name in a text."""
        return self.type == "branding" or self.names_brand


@dataclass(frozen=True, slots=True)
class Measured:
    """What a run says of one medium.

    Attributes
    ----------
    path : str
        As shown to the user.
    medium_id : str
    scores : mapping of (metric, time) to Reading
    areas : tuple of Area
    looked_for : frozenset of AoiType
        Types of areas that would have been found, or drawn, if they were there.
    duration_s : float or None
        Of a medium that moves, s, where rules ask for screen times.
    brand_named : bool
        Whether its brand was named, or its areas drawn: then a mark that was not found is hardly there.
    """

    path: str
    medium_id: str
    scores: Mapping[tuple[str, Time], Reading]
    areas: tuple[Area, ...] = ()
    looked_for: frozenset[AoiType] = frozenset()
    duration_s: float | None = None
    brand_named: bool = False


class Limit(NamedTuple):
    """What a score is held against: a number, or what a percentile comes to for a medium.

    Attributes
    ----------
    value : float
        In the score's unit.
    words : str
        Of which population, such as ``70th percentile of Ads, industry=food, n = 45``; empty for a number.
    lo, hi : float or None
        A percentile's 90 % interval: how far it could move had the population been other media.
    """

    value: float
    words: str
    lo: float | None = None
    hi: float | None = None

    @property
    def ends(self) -> tuple[float, float]:
        """The interval's, or twice the value where there is none."""
        return (self.value if self.lo is None else self.lo, self.value if self.hi is None else self.hi)
