"""Choose the areas of a type that count, and its main one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol, TypeVar

from mediaan.types.aoi import Aoi

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
