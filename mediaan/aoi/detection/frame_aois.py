"""Combine the outputs of text recognition and object detection into the areas of one frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID, uuid5

from mediaan.aoi.detection.branding import LineReader, find_branding, mark_candidates
from mediaan.aoi.detection.objects import chosen_objects, rated_products
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.aoi.detection.text_areas import find_text
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.types.aoi import AOI_TYPES, Aoi, AoiType, Box, Brand, Candidate, Detection, ObjectType, TextLine
from mediaan.types.arrays import UInt8

MOST_PROPOSALS = 3
"""Of a type: the surest three hold most products and logos (docs/aoi_detection.md)."""

_PROPOSED: dict[ObjectType, AoiType] = {"product": "product", "button": "call_to_action"}
"""Objects that are proposed as they are; logos are, as marks."""

_SAME_PROPOSAL = 0.6
"""IoU from which on two proposals are one."""

_SAME_PRODUCT = 0.5
"""Intersection over union from which on a detected product is the pack that was found by its picture, or the badge of
an offer."""

_PART_OF_PACK = 0.8
"""Share of a detected product in such a pack from which on it is a part of it."""

_SAME_PLACE = 0.7
"""Share of a text's area inside a mark from which on both are the same letters."""


class FrameAreas(NamedTuple):
    """Areas of a frame, and what might be some but is too unsure to be spoken of."""

    areas: tuple[Candidate, ...]
    """By type in the order of `AOI_TYPES`, the surest first."""
    proposals: tuple[Candidate, ...]
    """At most `MOST_PROPOSALS` of a type, the surest first, for people to choose from."""


def find_areas(
    rgb: UInt8,
    lines: Sequence[TextLine],
    detections: Sequence[Detection],
    *,
    brand: Brand | None = None,
    matcher: PictureMatcher | None = None,
    read: LineReader | None = None,
) -> FrameAreas:
    """Combine what text recognition and object detection found in a frame.

    `rgb` (H, W, 3) uint8.
    `lines`, `detections`: empty where they were not looked for.
    `matcher`: for the images of the brand's logos and packs.
    `read`: to read marks enlarged where the brand's name was not read in the frame.
    Letters that are the brand's mark are no text as well.
    """
    typed = tuple(typeset_line(rgb, line) for line in lines)
    layout = predict_layout(rgb, typed, detections)
    possible = mark_candidates(typed, layout.roles, detections)
    pictures = matcher.find(rgb, [mark.box for mark in possible]) if matcher else ()
    logos = [match for match in pictures if match.kind == "logo"]
    marks = find_branding(rgb, typed, layout.roles, detections, brand, logos, read)
    texts = find_text(rgb, typed, layout, detections)
    packs = [
        Candidate("product", brand.name, match.box, match.confidence, "pack_picture", match.polygon)
        for match in pictures
        if brand and match.kind == "pack"
    ]
    objects = rated_products(detections)
    candidates = [
        *marks,
        *(text for text in texts if not any(_is_same_lettering(text, mark) for mark in marks)),
        *packs,
    ]
    candidates += [
        Candidate("other" if d.type == "animal" else d.type, d.label or d.type, d.box, d.confidence, "detector")
        for d in chosen_objects(objects)
        if d.type != "product" or not _is_no_product(d.box, packs, texts)
    ]
    areas = tuple(sorted(candidates, key=lambda c: (AOI_TYPES.index(c.type), -c.confidence, c.box)))
    unspoken = possible + [
        Candidate(_PROPOSED[d.type], d.label, d.box, d.confidence, "detector") for d in objects if d.type in _PROPOSED
    ]
    return FrameAreas(areas, _proposals(unspoken, areas))


def _proposals(unspoken: Sequence[Candidate], areas: Sequence[Candidate]) -> tuple[Candidate, ...]:
    """Return the surest of each type that are at the place of no area of this type, and of no surer proposal."""
    chosen: list[Candidate] = []
    for candidate in sorted(unspoken, key=lambda c: (AOI_TYPES.index(c.type), -c.confidence, c.box)):
        others = [c for c in (*areas, *chosen) if c.type == candidate.type]
        room = sum(c.type == candidate.type for c in chosen) < MOST_PROPOSALS
        if room and all(candidate.box.iou(other.box) < _SAME_PROPOSAL for other in others):
            chosen.append(candidate)
    return tuple(chosen)


def _is_same_lettering(text: Candidate, mark: Candidate) -> bool:
    """Tell whether a text is the letters of a mark; a headline that names the brand stays a headline."""
    sure = mark.confidence >= text.confidence * (text.type == "headline_text")
    return sure and text.box.share_in(mark.box) >= _SAME_PLACE


def _is_no_product(box: Box, packs: Sequence[Candidate], texts: Sequence[Candidate]) -> bool:
    """Tell whether a detected product is the badge of an offer, or a pack that was found by its picture or its part."""
    of_pack = any(box.iou(pack.box) >= _SAME_PRODUCT or box.share_in(pack.box) >= _PART_OF_PACK for pack in packs)
    return of_pack or any(box.iou(text.box) >= _SAME_PRODUCT for text in texts if text.label == "offer")


def as_aoi(candidate: Candidate, medium_id: UUID, number: int) -> Aoi:
    """Make an AOI of a still image; its id depends on the medium, its number and its place only."""
    c, place = candidate, " ".join(f"{side:.4f}" for side in candidate.box)
    aoi_id = uuid5(medium_id, f"aoi {number} {c.type} {place}")
    return Aoi(aoi_id, c.type, c.label, c.box, c.confidence, c.method, c.polygon, c.text)
