"""Find the area that a name means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID, uuid5

from mediaan.config.aoi_formats.record import parse_aoi_type
from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, AoiType, Box

_LEAST_ID = 4
_MOST_LISTED = 20


def find_aoi(name: str, aois: Sequence[Aoi], attention: Mapping[UUID, float], medium_id: UUID) -> Aoi:
    """Find the area that a user names.

    `name`: a box ``x0,y0,x1,y1`` in unit coordinates; a type, or what other tools call it (``logo``, ``headline``), if
        there is one of it, or ``TYPE:N`` for the Nth by attention; a label, or the beginning of only one; an id, or its
        beginning, at least 4 characters.
    `attention`: share of attention of each.
    `medium_id`: of the picture, from which the id of a box is made.
    Returns: one of `aois`, or a new one of type other for a box.
    Raises UsageError: no area is called so, or several are; the message lists what there is.

    >>> logo = Aoi(UUID(int=0xAB << 120), "branding", "Acme", Box(0, 0, 0.2, 0.1), None, "drawn")
    >>> names = ("branding", "logo:1", "acme", "ab00")
    >>> [find_aoi(name, [logo], {logo.aoi_id: 0.3}, UUID(int=1)) is logo for name in names]
    [True, True, True, True]
    """
    box = _box(name)
    if box is not None:
        return Aoi(uuid5(medium_id, f"box {name}"), "other", name, box, None, "drawn")
    ranked = sorted(aois, key=lambda aoi: -attention[aoi.aoi_id])
    listed = describe_aois(ranked, attention)
    word, _, number = name.partition(":")
    kind = parse_aoi_type(word)
    is_type = kind != "other" or word.strip().lower() == "other"
    if is_type and (not number or number.strip().isdecimal()):
        matches = [aoi for aoi in ranked if aoi.type == kind]
        if number:
            if not 1 <= int(number) <= len(matches):
                message = f"{name}: there are {len(matches)} areas of type {kind}; {listed}"
                raise UsageError(message, code="unknown_aoi")
            return matches[int(number) - 1]
    else:
        word = name.strip().casefold()
        ways = (
            [aoi for aoi in ranked if aoi.label.casefold() == word],
            [aoi for aoi in ranked if len(word) >= _LEAST_ID and str(aoi.aoi_id).startswith(word)],
            [aoi for aoi in ranked if word and aoi.label.casefold().startswith(word)],
        )
        matches = next((areas for areas in ways if areas), [])
    if not matches:
        raise UsageError(f"no area is called {name!r}; {listed}", code="unknown_aoi")
    if len(matches) > 1:
        message = f"{name!r} could be any of {len(matches)} areas; write TYPE:N or the id of one; {listed}"
        raise UsageError(message, code="unknown_aoi")
    return matches[0]


def describe_aois(ranked: Sequence[Aoi], attention: Mapping[UUID, float]) -> str:
    """List the areas, the most attended first, one a line."""
    if not ranked:
        return "the image has no areas; name a box x0,y0,x1,y1 with values from 0 to 1, or give --aois FILE"
    counts: dict[AoiType, int] = {}
    lines = ["areas, the most attended first (name, id, attention, box, label):"]
    for aoi in ranked[:_MOST_LISTED]:
        counts[aoi.type] = counts.get(aoi.type, 0) + 1
        share, box = 100 * attention[aoi.aoi_id], ",".join(f"{side:.2f}" for side in aoi.box)
        label = repr(aoi.label) if aoi.label else "no label"
        lines.append(f"  {f'{aoi.type}:{counts[aoi.type]}':<18} {str(aoi.aoi_id)[:8]}  {share:5.1f} %  {box}  {label}")
    if len(ranked) > _MOST_LISTED:
        lines.append(f"  and {len(ranked) - _MOST_LISTED} more")
    return "\n".join(lines)


def _box(name: str) -> Box | None:
    """Read a box; None for what is not written as four numbers."""
    parts = name.split(",")
    if len(parts) != 4:
        return None
    try:
        box = Box(*(float(part) for part in parts))
    except ValueError:
        return None
    if not (0 <= box.x0 < box.x1 <= 1 and 0 <= box.y0 < box.y1 <= 1):
        message = f"{name}: a box is x0,y0,x1,y1 in unit coordinates, 0-1 from the top-left corner, x0 < x1 and y0 < y1"
        raise UsageError(message, code="unknown_aoi")
    return box
