"""Find the areas that a purpose needs, those of them that are weak, and what competes with them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from mediaan.aoi.scoring.main_area import lies_on_object, main_area
from mediaan.types.aoi import Aoi, AoiType
from mediaan.types.area_types import area_types_needed

PURPOSES: tuple[str | None, ...] = ("brand_building", "conversion", None)
"""Purposes that advice is given for; None: unknown, as which most ads are taken."""

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
    return tuple(area for aoi_type in types if (area := main_area(elements, aoi_type)) is not None)


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
