"""Choose the areas of a type that count, its main one, and those that name the brand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

import numpy as np

from mediaan.aoi.detection.brand_names import names_brand
from mediaan.aoi.region import coverage
from mediaan.types.aoi import TEXT_TYPES, Aoi

MIN_RELATIVE_CONFIDENCE = 0.5
"""Share of the surest one's confidence that a detected area must have to count beside it."""


class WeightedArea(Protocol):
    """An area with its type, how sure its detection is (None: drawn), and its share of attention, %."""

    @property
    def type(self) -> str:
        """Such as branding."""

    @property
    def confidence(self) -> float | None:
        """Of the detection, 0-1."""

    @property
    def attention(self) -> float:
        """Over the whole exposure, %."""


W = TypeVar("W", bound=WeightedArea)


def counted_areas(areas: Sequence[W], aoi_type: str) -> list[W]:
    """Return the areas of a type that count, the most attended first.

    Where a person drew areas of the type, those alone; otherwise all that are at least half as sure as the surest one,
    so that a doubtful detection does not stand for a type that was found without doubt elsewhere.
    """
    of_type = [area for area in areas if area.type == aoi_type]
    drawn = [area for area in of_type if area.confidence is None]
    surest = max((area.confidence for area in of_type if area.confidence is not None), default=0.0)
    counted = drawn or [area for area in of_type if (area.confidence or 0.0) >= MIN_RELATIVE_CONFIDENCE * surest]
    return sorted(counted, key=lambda area: -area.attention)


def main_area(areas: Sequence[W], aoi_type: str) -> W | None:
    """Return the main area of a type: of those that count, the one with most attention; None without any."""
    return next(iter(counted_areas(areas, aoi_type)), None)


CERTAIN_BUTTON = 0.9
"""Confidence from which on a button is a call to action whatever its words. Most of those below are parts of an
interface, plates and badges."""


def may_ask_nothing(area: Aoi) -> bool:
    """Tell whether an area is a detected button whose words do not ask for anything."""
    is_worded_button = area.type == "call_to_action" and area.method == "detector" and bool(area.words)
    return is_worded_button and not area.by_person and (area.confidence or 0.0) < CERTAIN_BUTTON


ON_OBJECT, SURE_OBJECT, WHOLE_IMAGE = 0.9, 0.5, 0.75
"""Share of an area that lies on an object, the object's least confidence, and the share of the medium above which what
was detected is no object in it."""


def lies_on_object(area: Aoi, areas: Iterable[Aoi]) -> bool:
    """Tell whether an area is lettering of what an image shows, such as a pack or a screen, and not of its layout."""
    return any(
        thing.type == "product"
        and (thing.confidence is None or thing.confidence >= SURE_OBJECT)
        and 2 * area.box.area <= thing.box.area <= WHOLE_IMAGE
        and thing.box.intersection(area.box) >= ON_OBJECT * area.box.area
        for thing in areas
        if area.type != "product"
    )


_GRID = (512, 512)  # on which overlaps are measured


NAMED, NAMED_IN_CALL = 0.5, 0.25
"""Least share of a text, and of a call to action such as an address, that a brand's name takes so that who sees it sees
the name. In a headline it is always seen."""


def brand_areas(areas: Sequence[Aoi], spellings: Sequence[str] = ()) -> list[Aoi]:
    """Return the areas that show whose ad it is.

    They are its marks, its packs, products that carry a mark or its name, and texts that say little more than its name.

    `areas`: all of a medium, scored.
    `spellings`: everything by which a text can name the brand; none where it was not named.
    Returns: the most attended first; a mark on a pack beside the pack.
    """
    marks, texts = counted_areas(areas, "branding"), [area for area in areas if area.type in TEXT_TYPES]
    names = [*marks, *(text for text in texts if names_brand(text.words, spellings))]
    products = [
        area
        for area in counted_areas(areas, "product")
        if area.shows_brand or any(lies_on_object(name, [area]) for name in names)
    ]
    texts = [text for text in texts if says_brand(text, spellings)]
    return sorted([*marks, *products, *texts], key=lambda area: -area.attention)


def says_brand(area: Aoi, spellings: Sequence[str]) -> bool:
    """Tell whether the words of an area name a brand and are little more than its name."""
    if not names_brand(area.words, spellings):
        return False
    least = {"headline_text": 0.0, "call_to_action": NAMED_IN_CALL}.get(area.type, NAMED)
    return least * len(area.words or "") <= min(map(len, spellings))


def brand_attention(areas: Sequence[Aoi], spellings: Sequence[str] = ()) -> float | None:
    """Return the share of attention that goes to the brand, %: to any of its areas, what they share counted once.

    `areas`: all of an image, scored.
    `spellings`: as of `brand_areas`.
    Returns: 0-100; None without an area of the brand, or without scores.
    """
    scored = [area for area in brand_areas(areas, spellings) if area.value("attention") is not None]
    return joint_attention(scored) if scored else None


def joint_attention(areas: Sequence[Aoi]) -> float:
    """Return the share of attention that goes to any of some areas of an image, %.

    It is exact where they lie apart or within each other. Of an area that another one cuts, the part outside gets as
    much of its attention as of its surface.

    `areas`: with their attention.
    Returns: at least that of each, and at most their sum and 100.

    >>> from uuid import UUID
    >>> from mediaan.types.aoi import Box
    >>> from mediaan.types.metrics import Score
    >>> from mediaan.aoi.scoring.specs import ATTENTION
    >>> def area(number, box, share):
    ...     scores = (Score.of(ATTENTION, share),)
    ...     return Aoi(UUID(int=number), "branding", "Acme", Box(*box), 0.9, "brand_name", scores=scores)
    >>> pack, name = area(1, (0, 0, 0.5, 0.5), 20.0), area(2, (0.1, 0.1, 0.2, 0.2), 6.0)
    >>> joint_attention([pack, name]), joint_attention([name, area(3, (0.6, 0.6, 0.7, 0.7), 2.0)])
    (20.0, 8.0)
    """
    outlines = [(area.attention, coverage(area.box, area.polygon, _GRID)) for area in areas]
    taken, total = np.zeros(_GRID, np.float32), 0.0
    for attention, outline in sorted(outlines, key=lambda pair: -float(pair[1].sum())):
        surface = float(outline.sum())
        total += attention * float(np.maximum(0.0, outline - taken).sum()) / surface if surface else 0.0
        taken = np.maximum(taken, outline)
    return min(100.0, max([total, *(attention for attention, _ in outlines)]))
