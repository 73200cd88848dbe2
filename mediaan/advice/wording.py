"""Name areas in sentences, and say what an edit takes away."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from uuid import UUID

from mediaan.aoi.words import SURE_CONFIDENCE, mentions_offer, mentions_price, quote_area
from mediaan.metrics.guide import PURPOSES
from mediaan.types.aoi import Aoi, aoi_words
from mediaan.types.area_types import AREA_TYPES, area_types_needed

_ADDRESS = re.compile(r"\bwww\b|https?:|\.(?:com|org|net|de|fr|io|co)\b", re.IGNORECASE)
_NAMED_NUMBER = re.compile(r"\b1?[ -]?8\d\d[ -][A-Z]{4,}", re.IGNORECASE)  # 1-800-FLOWERS
_BUTTON_WORDS = 4


def area_noun(aoi: Aoi) -> str:
    """Name what an area is, in a word or three.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box
    >>> area_noun(Aoi(UUID(int=1), "call_to_action", "www.acme.com", Box(0, 0, 1, 1), 0.9, "wording"))
    'web address'
    """
    words = (aoi.text.transcription if aoi.text else None) or aoi.label
    if aoi.type == "product" and aoi.label not in ("", "product"):
        return aoi.label
    if aoi.type == "call_to_action":
        if _ADDRESS.search(words):
            return "web address"
        if sum(letter.isdigit() for letter in words) >= 7 or _NAMED_NUMBER.search(words):
            return "telephone number"
        return "button" if len(words.split()) <= _BUTTON_WORDS else "call to action"
    if aoi.type in ("other", "body_text"):
        if mentions_price(words) and len(words.split()) <= _BUTTON_WORDS:
            return "price"
        if aoi.label == "offer" or (mentions_offer(words) and len(words.split()) <= _BUTTON_WORDS):
            return "offer"
        return "text" if aoi.text else "area"
    return "logo" if aoi.type == "branding" else aoi_words(aoi.type)


def name_area(aoi: Aoi) -> str:
    """Name an area by what it is and says, such as the logo “Acme”.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box, TextFacts
    >>> price = TextFacts("$999", 5.0, 7.0, True)
    >>> name_area(Aoi(UUID(int=1), "other", "offer", Box(0, 0, 1, 1), 0.9, "text", text=price))
    'the price “$999”'
    """
    noun = area_noun(aoi)
    words = " ".join((aoi.words or aoi.label).split())
    if words.casefold() in ("", "button", "logo", "offer", "other", aoi.type, noun.casefold()):
        sure = aoi.confidence is None or aoi.confidence >= SURE_CONFIDENCE
        return quote_area(f"the {noun}", "", sure=sure)
    return quote_area(f"the {noun}", words, sure=True)


def lost_elements(before: Sequence[Aoi], after: Collection[UUID], purpose: str | None = None) -> tuple[str, ...]:
    """Say what is gone that a purpose needs, the most needed first.

    `after`: areas that are still there.
    `purpose`: without one, of what most ads live by.

    >>> from mediaan.types.aoi import Box
    >>> car = Aoi(UUID(int=1), "product", "car", Box(0, 0, 1, 1), None, "drawn")
    >>> lost_elements([car], [], "conversion")
    ('Lost: the car is gone, and nothing shows what is sold; conversion needs that.',)
    """
    kept = frozenset(after)
    sentences = []
    for aoi_type in area_types_needed(purpose):
        of_type = [aoi for aoi in before if aoi.type == aoi_type]
        gone = [aoi for aoi in of_type if aoi.aoi_id not in kept]
        if not gone:
            continue
        names = " and ".join(map(name_area, gone[:3])) + (f" and {len(gone) - 3} more" if len(gone) > 3 else "")
        verb = "is" if len(gone) == 1 else "are"
        remains = [aoi for aoi in of_type if aoi.aoi_id in kept]
        if remains:
            sentences.append(f"Lost: {names} {verb} gone; {name_area(remains[0])} is left.")
        else:
            words = PURPOSES.get(purpose or "")
            needs = f"; {words} needs that" if words else ""
            sentences.append(f"Lost: {names} {verb} gone, and {AREA_TYPES[aoi_type].without}{needs}.")
    return tuple(sentences)
