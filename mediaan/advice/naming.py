"""What people call an area in a sentence."""

from __future__ import annotations

import re

from mediaan.types.aoi import Aoi, AoiType

_NOUNS: dict[AoiType, str] = {
    "branding": "logo",
    "product": "product",
    "headline_text": "headline",
    "body_text": "text",
    "call_to_action": "call to action",
    "face": "face",
    "person": "person",
    "other": "area",
}
_PRICE = re.compile(
    r"(?:[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|INR|Rs\.?)\s?)\s?\d|\d\s?(?:[€£₹]|\b(?:USD|EUR|GBP|CHF|kr|zł)\b)", re.IGNORECASE
)
_DISCOUNT = re.compile(r"\d\s?%|\b(?:off|sale|rabatt|soldes|discount|save)\b", re.IGNORECASE)
_ADDRESS = re.compile(r"\bwww\b|https?:|\.(?:com|org|net|de|fr|io|co)\b", re.IGNORECASE)
_BUTTON_WORDS = 4
_SHOWN_LETTERS = 40
_SURELY = 0.8
"""Confidence from which on what says nothing itself is called what it was found as, without a doubt."""


def noun(aoi: Aoi) -> str:
    """What kind of thing an area is, in a word or three.

    Examples
    --------
    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box
    >>> noun(Aoi(UUID(int=1), "call_to_action", "www.acme.com", Box(0, 0, 1, 1), 0.9, "wording"))
    'web address'
    """
    said = (aoi.text.transcription if aoi.text else None) or aoi.label
    if aoi.type == "product" and aoi.label not in ("", "product"):
        return aoi.label
    if aoi.type == "call_to_action":
        if _ADDRESS.search(said):
            return "web address"
        if sum(letter.isdigit() for letter in said) >= 7:
            return "telephone number"
        return "button" if len(said.split()) <= _BUTTON_WORDS else "call to action"
    if aoi.type in ("other", "body_text"):
        if _PRICE.search(said) and len(said.split()) <= _BUTTON_WORDS:
            return "price"
        if aoi.label == "offer" or (_DISCOUNT.search(said) and len(said.split()) <= _BUTTON_WORDS):
            return "offer"
        return "text" if aoi.text else "area"
    return _NOUNS[aoi.type]


def named(aoi: Aoi) -> str:
    """An area by its kind and what it says, such as the logo “Acme”.

    Examples
    --------
    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box, TextFacts
    >>> price = TextFacts("$999", 5.0, 7.0, True)
    >>> named(Aoi(UUID(int=1), "other", "offer", Box(0, 0, 1, 1), 0.9, "text", text=price))
    'the price “$999”'
    """
    kind = noun(aoi)
    said = " ".join(((aoi.text.transcription if aoi.text else None) or aoi.label).split())
    if said.casefold() in ("", "button", "logo", "offer", "other", aoi.type, kind.casefold()):
        sure = aoi.confidence is None or aoi.confidence >= _SURELY
        return f"the {kind}" if sure else f"what looks like the {kind}"
    if len(said) > _SHOWN_LETTERS:
        said = said[:_SHOWN_LETTERS].rsplit(" ", 1)[0].rstrip(" ,;:") + "…"
    return f"the {kind} “{said}”"
