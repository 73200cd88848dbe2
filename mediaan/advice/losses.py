"""What a picture lacks once areas are taken out of it: told before any score that rises for want of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from mediaan.advice.elements import NEEDED
from mediaan.advice.naming import named
from mediaan.types.aoi import Aoi, AoiType

_WITHOUT: dict[AoiType, str] = {
    "branding": "nothing shows whose ad this is",
    "product": "nothing shows what it is for",
    "call_to_action": "nothing asks viewers to act",
    "headline_text": "there is no headline to say what it is about",
}
_PURPOSE_WORDS = {"brand_building": "brand building", "conversion": "conversion"}


def lost_elements(before: Sequence[Aoi], after: Collection[UUID], purpose: str | None = None) -> tuple[str, ...]:
    """Sentences on what is gone that a purpose needs, the most needed first.

    Parameters
    ----------
    before : sequence of Aoi
    after : collection of UUID
        Areas that are still there.
    purpose : {'brand_building', 'conversion'}, optional
        Without one, of what most ads live by.

    Examples
    --------
    >>> from mediaan.types.aoi import Box
    >>> car = Aoi(UUID(int=1), "product", "car", Box(0, 0, 1, 1), None, "drawn")
    >>> lost_elements([car], [], "conversion")
    ('Lost: the car is gone, and nothing shows what it is for; conversion needs that.',)
    """
    kept = frozenset(after)
    said = []
    for kind in NEEDED.get(purpose, NEEDED[None]):
        of_kind = [aoi for aoi in before if aoi.type == kind]
        gone = [aoi for aoi in of_kind if aoi.aoi_id not in kept]
        if not gone:
            continue
        names = " and ".join(map(named, gone[:3])) + (f" and {len(gone) - 3} more" if len(gone) > 3 else "")
        verb = "is" if len(gone) == 1 else "are"
        remains = [aoi for aoi in of_kind if aoi.aoi_id in kept]
        if remains:
            said.append(f"Lost: {names} {verb} gone; {named(remains[0])} is left.")
        else:
            needs = f"; {_PURPOSE_WORDS[purpose]} needs that" if purpose in _PURPOSE_WORDS else ""
            said.append(f"Lost: {names} {verb} gone, and {_WITHOUT[kind]}{needs}.")
    return tuple(said)
