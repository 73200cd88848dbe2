"""Headline, body text and calls to action of a frame, with what they say and how well they can be read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mediaan.aoi.blocks import Block, TypeLine, group_lines, turned_rectangle, type_line
from mediaan.aoi.buttons import button_around
from mediaan.aoi.legibility import legibility
from mediaan.aoi.roles import choose_headline
from mediaan.aoi.wording import calls_to_action, is_number_alone
from mediaan.types.aoi import TEXT_TYPES, AoiType, Box, Candidate, Detection, Method, TextFacts, TextLine
from mediaan.types.arrays import Float32, UInt8

_MIN_CALL = 0.5
_MOST_NUMBERS = 3
"""More telephone numbers are a list of branches."""

_LABEL_WORDS = 6
_SLANT_DEG = 4.0
"""From here on a block has an outline of its own beside its bounds."""


_SURE_PACK, _MAX_PACK, _ON_PACK = 0.5, 0.5, 0.8
"""A product that is this sure, no larger than this share of the picture, and holds this share of a text."""


class _Page(NamedTuple):
    """Size of the picture, px, and where it is shown."""

    width: int
    height: int
    platform: str | None


class Call(NamedTuple):
    """A line that asks for an action."""

    typed: TypeLine
    button: Box | None
    confidence: float
    method: Method


def find_text(
    rgb: UInt8,
    lines: Sequence[TextLine],
    density: Float32 | None,
    detections: Sequence[Detection],
    *,
    platform: str | None = None,
    marks: Sequence[Candidate] = (),
) -> tuple[Candidate, ...]:
    """Find headline, body text and calls to action.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        The frame, or a view of it of the same aspect.
    lines : sequence of TextLine
        Its text; where it was not read, places and sizes alone decide.
    density : (h, w) float32 or None
        Where fixations land, sums to 1.
    detections : sequence of Detection
        Buttons help to tell calls to action, products and logos what is no headline.
    platform : str, optional
        Where the medium is seen; decides what is legible.
    marks : sequence of Candidate
        What is taken for branding: large as it may be set, it is hardly the headline.

    Returns
    -------
    tuple of Candidate
        At most one headline; calls to action and body from top to bottom. Lettering of products is left out.
    """
    page = _Page(rgb.shape[1], rgb.shape[0], platform)
    blocks, calls = blocks_and_calls(rgb, lines, detections)
    headline, confidence = choose_headline(blocks, density, detections, marks, (page.width, page.height))
    found = _calls(page, calls)
    for i, block in enumerate(blocks):
        if i == headline:
            found.append(_candidate(page, block, "headline_text", confidence, "text"))
        elif not _is_on_pack(block, detections):
            reading = float(np.mean([typed.line.confidence for typed in block.lines]))
            found.append(_candidate(page, block, "body_text", reading, "text"))
    return tuple(sorted(found, key=lambda c: (TEXT_TYPES.index(c.type), c.box.y0, c.box.x0)))


def blocks_and_calls(
    rgb: UInt8, lines: Sequence[TextLine], detections: Sequence[Detection]
) -> tuple[list[Block], list[Call]]:
    """Set calls to action apart from other text, and group that into blocks; parameters as of `find_text`."""
    typed = [type_line(rgb, line) for line in lines]
    calls = [_call(rgb, line, detections) for line in typed]
    if sum(call is not None and is_number_alone(call.typed.line.text or "") for call in calls) > _MOST_NUMBERS:
        calls = [None if call and is_number_alone(call.typed.line.text or "") else call for call in calls]
    blocks = group_lines([line for line, call in zip(typed, calls, strict=True) if call is None])
    return blocks, [call for call in calls if call is not None]


def _call(rgb: UInt8, typed: TypeLine, detections: Sequence[Detection]) -> Call | None:
    wording = calls_to_action(typed.line.text or "")
    button, shape = button_around(rgb, typed, detections)
    confidence = 1 - (1 - wording) * (1 - shape)
    if confidence <= _MIN_CALL:
        return None
    seen = any(d.type == "button" and d.box == button for d in detections)
    return Call(typed, button, confidence, "wording" if wording else "detector" if seen else "text")


def _calls(page: _Page, calls: Sequence[Call]) -> list[Candidate]:
    """Calls to action; lines without a button are put together like other text."""
    plain = {id(call.typed): call for call in calls if call.button is None}
    found = []
    for block in group_lines([call.typed for call in plain.values()]):
        surest = max((plain[id(line)] for line in block.lines), key=lambda call: call.confidence)
        found.append(_candidate(page, block, "call_to_action", surest.confidence, surest.method))
    for call in calls:
        if call.button is not None:
            block = Block((call.typed,))
            found.append(_candidate(page, block, "call_to_action", call.confidence, call.method, call.button))
    return found


def _is_on_pack(block: Block, detections: Sequence[Detection]) -> bool:
    """Whether it is the lettering of a product rather than copy."""
    packs = [d.box for d in detections if d.type == "product" and d.confidence >= _SURE_PACK]
    return any(pack.area <= _MAX_PACK and pack.intersection(block.box) >= _ON_PACK * block.box.area for pack in packs)


def _candidate(
    page: _Page, block: Block, kind: AoiType, confidence: float, method: Method, button: Box | None = None
) -> Candidate:
    facts = _facts(page, block)
    words = (facts.transcription or "").split()
    label = " ".join(words[:_LABEL_WORDS]) + ("…" if len(words) > _LABEL_WORDS else "")
    angle = abs(block.angle_deg)
    slanted = angle >= _SLANT_DEG and abs(angle - 90) >= _SLANT_DEG
    polygon = turned_rectangle(block.lines, block.angle_deg, page.width, page.height) if slanted else None
    return Candidate(kind, label, (button or block.box).clipped(), confidence, method, polygon, facts)


def _facts(page: _Page, block: Block) -> TextFacts:
    """Of the typical line."""
    contrasts = [line.contrast for line in block.lines if line.contrast is not None]
    contrast = float(np.median(contrasts)) if contrasts else None
    size = float(np.median([line.size_px for line in block.lines]))
    seen = legibility(size, block.text, contrast, page.width, page.height, page.platform)
    return TextFacts(block.text, seen.line_height_pct, seen.contrast_ratio, seen.legible)
