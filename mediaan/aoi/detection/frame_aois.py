"""Combine the outputs of text recognition and object detection into the areas of one frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal
from uuid import UUID, uuid5

from mediaan.aoi.detection.branding import LineReader, find_branding
from mediaan.aoi.detection.picture_matcher import PictureMatcher
from mediaan.aoi.detection.text_areas import find_text
from mediaan.aoi.detection.text_blocks import typeset_line
from mediaan.aoi.detection.text_layout import predict_layout
from mediaan.types.aoi import AOI_TYPES, Aoi, Box, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import UInt8

LEAST_CONFIDENCE: dict[Literal["face", "person", "product"], float] = {"face": 0.4, "person": 0.4, "product": 0.35}
"""Objects that are surer than this become AOIs; logos and buttons speak through branding and calls to action."""

MOST_PRODUCTS = 5
"""The surest so many."""

_SAME_PRODUCT = 0.5
"""Intersection over union from which on a detected product is the pack that was found by its picture."""

_SAME_PLACE = 0.7
"""Share of a text's area inside a mark from which on both are the same letters."""


def find_aois(
    rgb: UInt8,
    lines: Sequence[TextLine],
    detections: Sequence[Detection],
    *,
    brand: Brand | None = None,
    matcher: PictureMatcher | None = None,
    platform: str | None = None,
    read: LineReader | None = None,
) -> tuple[Candidate, ...]:
    """Combine what text recognition and object detection found in a frame.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TextLine
        Empty where text was not looked for.
    detections : sequence of Detection
        Empty where objects were not looked for.
    brand : Brand, optional
    matcher : PictureMatcher, optional
        For the images of the brand's logos and packs.
    platform : str, optional
        Where the medium is shown, which decides what is legible.
    read : LineReader, optional
        To read marks enlarged where the brand's name was not read in the frame.

    Returns
    -------
    tuple of Candidate
        By type in the order of `AOI_TYPES`, the surest first; letters that are the brand's mark are no text as well.
    """
    typed = tuple(typeset_line(rgb, line) for line in lines)
    layout = predict_layout(rgb, typed, detections)
    pictures = matcher.find(rgb) if matcher else ()
    logos = [match for match in pictures if match.kind == "logo"]
    marks = find_branding(rgb, typed, layout.roles, detections, brand, logos, read)
    texts = find_text(rgb, typed, layout, detections, platform=platform)
    in_marks = [text for text in texts if any(_is_same_lettering(text, mark) for mark in marks)]
    candidates = [*marks, *(text for text in texts if text not in in_marks)]
    # lines of such a text that stand below or beside the mark: an offer under a name that was taken for its headline
    rest = [
        at
        for at, line in enumerate(typed)
        if any(_covers(text.box, line.line.box) for text in in_marks)
        and not any(_covers(mark.box, line.line.box) for mark in marks)
    ]
    if rest:
        others = [d for d in detections if d.type != "button"]  # calls to action on buttons are there already
        candidates += find_text(rgb, [typed[at] for at in rest], layout.of(rest), others, platform=platform)
    packs = [
        Candidate("product", brand.name, match.box, match.confidence, "pack_picture", match.polygon)
        for match in pictures
        if brand and match.kind == "pack"
    ]
    for object_type in LEAST_CONFIDENCE:
        objects = [d for d in detections if d.type == object_type and d.confidence >= LEAST_CONFIDENCE[object_type]]
        objects.sort(key=lambda d: -d.confidence)
        found = [Candidate(object_type, d.label or object_type, d.box, d.confidence, "detector") for d in objects]
        if object_type == "product":
            others = [c for c in found if all(c.box.iou(pack.box) < _SAME_PRODUCT for pack in packs)]
            found = [*packs, *others[: max(0, MOST_PRODUCTS - len(packs))]]
        candidates += found
    return tuple(sorted(candidates, key=lambda c: (AOI_TYPES.index(c.type), -c.confidence, c.box)))


def _is_same_lettering(text: Candidate, mark: Candidate) -> bool:
    """Tell whether a text is the letters of a mark; a headline that names the brand stays a headline."""
    sure = mark.confidence >= text.confidence * (text.type == "headline_text")
    return sure and _covers(mark.box, text.box)


def _covers(box: Box, other: Box) -> bool:
    return other.intersection(box) >= _SAME_PLACE * other.area


def as_aoi(candidate: Candidate, medium_id: UUID, number: int) -> Aoi:
    """Make an AOI of a still image; its id depends on the medium, its number and its place only."""
    place = " ".join(f"{side:.4f}" for side in candidate.box)
    return Aoi(
        aoi_id=uuid5(medium_id, f"aoi {number} {candidate.type} {place}"),
        type=candidate.type,
        label=candidate.label,
        box=candidate.box,
        confidence=candidate.confidence,
        method=candidate.method,
        polygon=candidate.polygon,
        text=candidate.text,
    )
