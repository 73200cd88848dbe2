"""Words for areas and numbers in the sentences of checks."""

from __future__ import annotations

from collections.abc import Sequence

from mediaan.checks.facts import AreaFacts, Reading

TYPE_WORDS = {
    "branding": "the brand",
    "product": "the product",
    "headline_text": "the headline",
    "body_text": "the text",
    "call_to_action": "the call to action",
    "face": "the face",
    "person": "the person",
    "offer": "the offer",
    "other": "the area",
}
SURELY = 0.8
"""Confidence from which on an area is called what it was found as, without a doubt."""

_LONGEST = 40


def the(types: Sequence[str]) -> str:
    """Return what areas of some types are called.

    Examples
    --------
    >>> the(["branding"]), the(["product", "offer"])
    ('the brand', 'the product or the offer')
    """
    return " or ".join(TYPE_WORDS[aoi_type] for aoi_type in types)


def named(area: AreaFacts) -> str:
    """Return what a sentence calls an area: its type, its words where it has any, and a doubt where there is one.

    Examples
    --------
    >>> named(AreaFacts("1", "call_to_action", "Shop now", 0.95, words="Shop now"))
    'the call to action “Shop now”'
    >>> named(AreaFacts("2", "product", "", 0.6))
    'what looks like the product'
    """
    kind = area.label if area.type == "other" and area.label in TYPE_WORDS else area.type
    words = area.label if area.type == "branding" else " ".join((area.words or "").split())
    if len(words) > _LONGEST:
        words = words[:_LONGEST].rsplit(" ", 1)[0] + "…"
    name = f"{TYPE_WORDS[kind]} “{words}”" if words else TYPE_WORDS[kind]
    return name if area.confidence is None or area.confidence >= SURELY else f"what looks like {name}"


def begin(words: str) -> str:
    """Return words as a sentence begins with them."""
    return words[:1].upper() + words[1:]


def number(value: float, unit: str) -> str:
    """Return a number with its unit.

    Examples
    --------
    >>> number(41.6, "%"), number(3.25, "%"), number(1.84, "s"), number(3.0, "count")
    ('42 %', '3 %', '1.8 s', '3')
    """
    if unit == "s":
        return f"{value:.1f} s"
    return f"{value:.0f} %" if unit == "%" else f"{value:.0f}"


def percent_of(reading: Reading) -> str:
    """Return a share of viewers with its interval.

    Examples
    --------
    >>> percent_of(Reading(62.3, 40.2, 81.0)), percent_of(Reading(62.3))
    ('62 % (40–81)', '62 %')
    """
    assert reading.value is not None
    interval = "" if reading.lo is None or reading.hi is None else f" ({reading.lo:.0f}–{reading.hi:.0f})"
    return f"{reading.value:.0f} %{interval}"
