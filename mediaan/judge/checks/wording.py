"""Word areas and numbers in the sentences of checks."""

from __future__ import annotations

from collections.abc import Mapping

from mediaan.aoi.legibility import MIN_CONTRAST, is_pale
from mediaan.aoi.naming import SURE_CONFIDENCE, quote_area
from mediaan.aoi.prices import mentions_offer
from mediaan.types.aoi import Aoi
from mediaan.types.area_types import AREA_TYPES
from mediaan.types.placement import SEEN_ON

TYPE_WORDS: Mapping[str, str] = {
    **{name: area_type.words for name, area_type in AREA_TYPES.items()},
    "offer": "the offer",
}


def area_name(area: Aoi) -> str:
    """Return the name of an area in a sentence: its type, its words, and a doubt where there is one.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box, TextFacts
    >>> text = TextFacts("Shop now", 4.0, 8.0, True)
    >>> area_name(Aoi(UUID(int=1), "call_to_action", "Shop now", Box(0, 0, 1, 1), 0.95, "text", text=text))
    'the call to action “Shop now”'
    >>> area_name(Aoi(UUID(int=2), "product", "", Box(0, 0, 1, 1), 0.6, "detector"))
    'what looks like the product'
    """
    kind: str = area.type
    if area.type == "other" and area.words:  # dates and codes are found with prices
        kind = "offer" if area.label == "offer" and mentions_offer(area.words) else "body_text"
    words = area.label if area.type == "branding" else area.words or ""
    sure = kind == "body_text" or area.confidence is None or area.confidence >= SURE_CONFIDENCE
    return quote_area(TYPE_WORDS[kind], words, sure=sure)


def place_words(platform: str | None, *, assumed: bool) -> str:
    """Return where a medium is seen, for the end of a sentence.

    >>> place_words("instagram_story", assumed=False), place_words("email", assumed=True)
    ('in an Instagram story', 'on a desktop')
    """
    if platform and not assumed:
        return SEEN_ON.get(platform, f"on {platform.replace('_', ' ')}")
    return _ASSUMED_PLACES.get(platform, "on a phone")


_ASSUMED_PLACES: Mapping[str | None, str] = {
    "website": "on a desktop",
    "email": "on a desktop",
    "display": SEEN_ON["display"],
}


def legibility_words(area: Aoi) -> dict[str, str]:
    """Return what makes a text hard to read, its {flaw}, and the {change} that would mend it."""
    if area.text is None:
        return {}
    contrast = area.text.contrast_ratio
    if contrast is not None and contrast < MIN_CONTRAST and (area.legible is None or is_pale(area)):
        flaw = f"its contrast with the background is {contrast:.1f} to 1"
        return {"flaw": flaw, "change": "darker or lighter than its background"}
    return {"flaw": "its letters are small", "change": "larger"}


def capitalize(words: str) -> str:
    """Return words with an upper-case first letter, the others as they are."""
    return words[:1].upper() + words[1:]


def format_value(value: float, unit: str, moves: float = 0.0) -> str:
    """Format a number with its unit, which a ratio has none of, and with how far it moves.

    >>> format_value(41.6, "%"), format_value(1.84, "s"), format_value(3.0, "count"), format_value(2.84, "")
    ('42 %', '1.8 s', '3', '2.8')
    >>> format_value(41.6, "%", 5.8), format_value(99.6, "%", 0.3)
    ('42 ± 6 %', '100 %')
    """
    digits = 1 if unit in ("s", "") else 0
    plus_minus = f" ± {moves:.0f}" if round(moves) else ""
    return f"{value:.{digits}f}{plus_minus}" + (f" {unit}" if unit in ("%", "s") else "")
