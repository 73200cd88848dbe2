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
        At most one headline; calls to action and body from top to bottom.
    """
    blocks, calls = blocks_and_calls(rgb, lines, detections)
    height, width = rgb.shape[:2]
    headline, confidence = choose_headline(blocks, density, detections, marks, (width, height))
    found = [*_calls(calls, width, height, platform)]
    for i, block in enumerate(blocks):
        facts = _facts(block, width, height, platform)
        reading = float(np.mean([line.line.confidence for line in block.lines]))
        kind: tuple[AoiType, float] = ("headline_text", confidence) if i == headline else ("body_text", reading)
        found.append(_candidate(*kind, "text", block, block.box, facts, width, height))
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


def _calls(calls: Sequence[Call], width: int, height: int, platform: str | None) -> list[Candidate]:
    """Calls to action; lines without a button are put together like other text."""
    plain = {id(call.typed): call for call in calls if call.button is None}
    blocks = group_lines([call.typed for call in calls if call.button is None])
    merged = [(block, block.box, [plain[id(line)] for line in block.lines]) for block in blocks]
    pressed = [(Block((call.typed,)), call.button, [call]) for call in calls if call.button is not None]
    found = []
    for block, box, members in [*merged, *pressed]:
        surest = max(members, key=lambda call: call.confidence)
        facts = _facts(block, width, height, platform)
        found.append(_candidate("call_to_action", surest.confidence, surest.method, block, box, facts, width, height))
    return found


def _facts(block: Block, width: int, height: int, platform: str | None) -> TextFacts:
    """Of the typical line."""
    contrasts = [line.contrast for line in block.lines if line.contrast is not None]
    contrast = float(np.median(contrasts)) if contrasts else None
    size = float(np.median([line.size_px for line in block.lines]))
    seen = legibility(size, block.text, contrast, width, height, platform)
    return TextFacts(block.text, seen.line_height_pct, seen.contrast_ratio, seen.legible)


def _candidate(
    kind: AoiType,
    confidence: float,
    method: Method,
    block: Block,
    box: Box,
    facts: TextFacts,
    width: int,
    height: int,
) -> Candidate:
    words = (facts.transcription or "").split()
    label = " ".join(words[:_LABEL_WORDS]) + ("…" if len(words) > _LABEL_WORDS else "")
    slanted = abs(block.angle_deg) >= _SLANT_DEG and not 86 <= abs(block.angle_deg) <= 94
    polygon = turned_rectangle(block.lines, block.angle_deg, width, height) if slanted else None
    return Candidate(kind, label, box.clipped(), confidence, method, polygon, facts)
