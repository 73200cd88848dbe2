"""Words for areas and numbers in the sentences of checks."""

from __future__ import annotations

import re
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


_PRICE = re.compile(r"[$€£¥₹₽₩₫฿₺₴]\s?\d|\d\s?[$€£¥₹₽₩₫฿₺₴]|\d\s*%|\b(usd|eur|chf|rs\.?|kr|zł)\s?\d", re.IGNORECASE)
_DEAL = re.compile(
    r"\b(free|off|sale|save|discount|deal|gratis|rabatt|descuento|oferta|promo\w*|sconto|offerta|desconto|скидк\w*)\b",
    re.IGNORECASE,
)


def names_price(words: str) -> bool:
    """Return whether words hold a price or a percentage.

    Examples
    --------
    >>> names_price("Only $69"), names_price("25 % off"), names_price("AUG 24")
    (True, True, False)
    """
    return _PRICE.search(words) is not None


def sells(words: str) -> bool:
    """Return whether words hold a price, a percentage, or say that something is cheap or free.

    Examples
    --------
    >>> sells("Free delivery"), sells("4th May, Monday")
    (True, False)
    """
    return names_price(words) or _DEAL.search(words) is not None


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
    kind = area.type
    if area.type == "other" and area.label == "offer":  # dates and codes are found with prices
        kind = "offer" if sells(area.words or "") else "body_text"
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
