"""Find and name the areas that a purpose needs, those of them that are weak, and what competes with them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from mediaan.aoi.scoring.main_area import lies_on_object, main_area, may_ask_nothing
from mediaan.aoi.words import SURE_CONFIDENCE, mentions_offer, mentions_price, quote_area
from mediaan.metrics.guide import PURPOSES
from mediaan.types.aoi import Aoi, AoiType, aoi_words
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


SEEN_ENOUGH = 66.0
"""Share of viewers from which on an element is not weak, %: two of three see it."""

SURE_ENOUGH, SURE_PRODUCT = 0.5, 0.8
"""Confidence from which on advice is given about an area that was detected; many things look like products."""

_LATE = 0.5
"""Share of the exposure after which an element is first seen late."""

_COMPETING = 5.0
"""Share of attention from which on a text competes, %."""

_LARGE_PRINT_PCT = 3.5
"""Height of a line from which on a text may be made smaller, % of the image's height."""

_INTERFACE_WORDS = re.compile(
    r"\b(?:like|comment|share|sponsored|promoted|follow(?:ing|ers)?|suggested|repost|retweet|liked by|view all)\b",
    re.IGNORECASE,
)
_MANY_WORDS = 2


@dataclass(frozen=True, slots=True)
class Element:
    """An area with what it scores over the whole exposure."""

    aoi: Aoi
    seen: float
    """Share of viewers who fixate it, %."""
    attention: float
    """Share of attention, %."""
    first_seen_s: float | None
    """s; None where hardly anybody sees it."""

    @property
    def type(self) -> AoiType:
        """Of the area."""
        return self.aoi.type

    @property
    def confidence(self) -> float | None:
        """Of the detection, 0-1; None where it was drawn."""
        return self.aoi.confidence

    def is_weak(self, exposure_s: float) -> bool:
        """Tell whether advice is worth giving: it is surely there, and few see it, or most see it late."""
        least = SURE_PRODUCT if self.type == "product" else SURE_ENOUGH
        sure = self.confidence is None or self.confidence >= least
        late = self.first_seen_s is None or self.first_seen_s > _LATE * exposure_s
        return sure and (self.seen < SEEN_ENOUGH or late)


def elements(aois: Sequence[Aoi]) -> tuple[Element, ...]:
    """Return the areas that have scores as elements."""
    return tuple(
        Element(aoi, seen, attention, aoi.value("first_seen_s"))
        for aoi in aois
        if (seen := aoi.value("percentage_seen")) is not None and (attention := aoi.value("attention")) is not None
    )


def needed_elements(elements: Sequence[Element], purpose: str | None) -> tuple[Element, ...]:
    """Return the main element of each type that a purpose needs, the most needed first.

    Returns: as `mediaan.aoi.scoring.main_area` tells it. What belongs to the platform is none: in a post with buttons
        to like, comment and share, calls to action are the platform's too.
    """
    platform_texts = (element.aoi.text for element in elements if is_platform(element.aoi))
    words = " ".join(text.transcription or "" for text in platform_texts if text is not None)
    posted = len({word.lower() for word in _INTERFACE_WORDS.findall(words)}) >= _MANY_WORDS
    types = [name for name in area_types_needed(purpose) if name != "call_to_action" or not posted]
    certain = [element for element in elements if not may_ask_nothing(element.aoi)]
    return tuple(area for aoi_type in types if (area := main_area(certain, aoi_type)) is not None)


def is_platform(aoi: Aoi) -> bool:
    """Tell whether an area belongs to where the ad is shown, so that the advertiser cannot change it."""
    return aoi.type == "other" and aoi.label == "platform"


def competitors(elements: Sequence[Element], weak: Element, needed: Sequence[Element]) -> Iterator[Element]:
    """Yield texts that draw more attention than a weak element and are not needed themselves, the strongest first.

    Faces, people and products are left alone: what an image shows is not to be shrunk for the sake of its logo.
    """
    kept = {element.aoi.aoi_id for element in needed}
    areas = [element.aoi for element in elements]
    for element in sorted(elements, key=lambda element: (-element.attention, str(element.aoi.aoi_id))):
        aoi = element.aoi
        if aoi.type not in ("body_text", "other") or is_platform(aoi) or aoi.aoi_id in kept:
            continue
        # what can still be read at a smaller size; small print must not get smaller
        text = aoi.text
        large = text is not None and text.legible is True and text.line_height_pct >= _LARGE_PRINT_PCT
        if element.attention < max(_COMPETING, weak.attention) or not large:
            continue
        if aoi.box.intersection(weak.aoi.box) == 0 and not lies_on_object(aoi, areas):
            yield element
