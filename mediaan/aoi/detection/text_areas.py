"""Find headline, body text, calls to action, offers and the platform's interface, and how legible they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mediaan.aoi.detection.buttons import button_around
from mediaan.aoi.detection.call_to_action import call_to_action_confidence, is_phone_number
from mediaan.aoi.detection.line_roles import LINE_ROLES, LineRole
from mediaan.aoi.detection.text_blocks import TextBlock, TypesetLine, group_lines, rotated_rectangle
from mediaan.aoi.legibility import legibility
from mediaan.types.aoi import AOI_TYPES, AoiMethod, AoiType, Box, Candidate, Detection, TextFacts
from mediaan.types.arrays import Float64, UInt8

LEAST_HEADLINE = 0.4
"""Probability that the surest headline must have."""

_JOINS_HEADLINE = 0.35
"""Probability from which on a line next to the headline is part of it."""

_HEADLINE_GAP = 1.3
"""Between lines of one headline, in heights of the larger: messages mix sizes and colours."""

_SURE_BUTTON = 0.5
"""Confidence from which a detected button is a call to action, if no words of its own speak against it."""

_MAY_ASK = 0.1
"""Probability of a call to action that some line on a button must have: plates of marks look like buttons."""

_SAME_BUTTON, _IN_BUTTON = 0.5, 0.7
"""IoU from which on two lines stand on one button; share of a line inside a button that is on it."""

_MOST_NUMBERS = 3
"""Telephone numbers that can each be a call to action."""

_SURE_PACK, _MAX_PACK, _ON_PACK = 0.5, 0.5, 0.8
"""A product that is this sure, no larger than this share of the image, and holds this share of a text: lettering."""

_IN_ROW = 0.6
"""Share of the lower one's height that two entries of a menu have in common."""

_CALL_GAP = 0.75
"""Between lines of one call to action, in type sizes: address and telephone number below each other are two."""

_LABEL_WORDS = 6
_SLANT_DEG = 4.0
"""From here on a block has an outline of its own beside its bounds."""


class _Page(NamedTuple):
    """Size of the image, px, and the platform that shows it."""

    width: int
    height: int
    platform: str | None


def find_text(
    rgb: UInt8,
    lines: Sequence[TypesetLine],
    roles: Float64,
    detections: Sequence[Detection],
    *,
    platform: str | None = None,
) -> tuple[Candidate, ...]:
    """Find headline, body text, calls to action, offers, and what belongs to the platform.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        The frame, or a view of it of the same aspect.
    lines : sequence of TypesetLine
    roles : (lines, roles) float64
        Probabilities, from `fused_line_roles`.
    detections : sequence of Detection
        Buttons give calls to action their outline.
    platform : str, optional
        Where the medium is seen; decides what is legible.

    Returns
    -------
    tuple of Candidate
        At most one headline; the rest from top to bottom. Offers and the platform's interface are of type ``other``
        with the labels ``offer`` and ``platform``. Lettering of packs and scenes is left out.
    """
    page = _Page(rgb.shape[1], rgb.shape[0], platform)
    said = roles.argmax(axis=1) if len(lines) else np.zeros(0, int)
    numbers = [i for i, line in enumerate(lines) if is_phone_number(line.line.text or "")]
    if len(numbers) > _MOST_NUMBERS:  # a list of branches asks for nothing
        said[numbers] = LINE_ROLES.index("body_text")
    asks = roles[:, LINE_ROLES.index("call_to_action")] if len(lines) else np.zeros(0)
    buttons = []
    on_button: set[int] = set()
    for d in detections:
        words = [i for i, line in enumerate(lines) if _inside(line.line.box, d.box)]
        if d.type == "button" and d.confidence >= _SURE_BUTTON and max(asks[words], default=1.0) >= _MAY_ASK:
            buttons.append(d)
            on_button.update(words)
    headline = [i for i in headline_lines(lines, roles) if i not in on_button]
    rest = [i for i in range(len(lines)) if i not in headline and i not in on_button]

    def of(role: LineRole) -> list[int]:
        return [i for i in rest if LINE_ROLES[said[i]] == role]

    found = _calls(page, rgb, lines, roles, [*of("call_to_action"), *sorted(on_button)], detections)
    for button in buttons:
        if all(button.box.iou(call.box) < _SAME_BUTTON for call in found):
            found.append(Candidate("call_to_action", "button", button.box, button.confidence, "detector"))
    if headline:
        block = TextBlock(tuple(sorted((lines[i] for i in headline), key=lambda line: line.line.box.y0)))
        sure = float(max(roles[i, LINE_ROLES.index("headline_text")] for i in headline))
        found.append(_candidate(page, block, "headline_text", sure, "text"))
    packs = [
        d.box for d in detections if d.type == "product" and d.confidence >= _SURE_PACK and d.box.area <= _MAX_PACK
    ]
    area_types: tuple[tuple[LineRole, AoiType, str | None], ...] = (
        ("body_text", "body_text", None), ("offer", "other", "offer"), ("platform", "other", "platform"),
    )  # fmt: skip
    for role, aoi_type, label in area_types:
        members = of(role) + (of("headline_text") if role == "body_text" else [])
        column = LINE_ROLES.index(role)
        chance = {id(lines[i]): float(roles[i, column] + (aoi_type == "body_text") * roles[i, 0]) for i in members}
        group = rows_of if role == "platform" else group_lines
        for block in group([lines[i] for i in members]):
            glyph = block.text is not None and sum(letter.isalnum() for letter in block.text) <= 1  # an icon, a corner
            on_pack = any(pack.intersection(block.box) >= _ON_PACK * block.box.area for pack in packs)
            if aoi_type == "body_text" and (on_pack or glyph):
                continue
            sure = float(np.mean([chance[id(line)] for line in block.lines]))
            found.append(_candidate(page, block, aoi_type, sure, "text", label=label))
    return tuple(sorted(found, key=lambda c: (AOI_TYPES.index(c.type), c.box.y0, c.box.x0)))


def rows_of(lines: Sequence[TypesetLine]) -> list[TextBlock]:
    """Group lines that stand side by side, as the entries of a menu do."""
    rows: list[list[TypesetLine]] = []
    for line in sorted(lines, key=lambda line: line.line.box.x0):
        box = line.line.box
        for row in rows:
            bounds = Box.around(other.line.box for other in row)
            if min(box.y1, bounds.y1) - max(box.y0, bounds.y0) >= _IN_ROW * min(box.height, bounds.height):
                row.append(line)
                break
        else:
            rows.append([line])
    return [TextBlock(tuple(row)) for row in rows]


def headline_lines(lines: Sequence[TypesetLine], roles: Float64) -> list[int]:
    """Return the lines of the headline, from the surest on to what stands next to it; empty if there is none."""
    if not lines:
        return []
    chance = roles[:, LINE_ROLES.index("headline_text")]
    weight = chance * np.array([line.size_px for line in lines]) ** 0.5
    first = int(weight.argmax())
    if chance[first] < LEAST_HEADLINE:
        return []
    chosen = [first]
    mark = roles[:, LINE_ROLES.index("branding")]
    waiting = [i for i in range(len(lines)) if i != first and chance[i] >= max(_JOINS_HEADLINE, mark[i])]
    while near := [i for i in waiting if any(_is_next(lines[i], lines[j]) for j in chosen)]:
        chosen += near
        waiting = [i for i in waiting if i not in near]
    return sorted(chosen)


def _is_next(line: TypesetLine, other: TypesetLine) -> bool:
    """Tell whether two lines of a headline stand next to each other: one below the other, or side by side."""
    a, b = line.line.box, other.line.box
    reach = _HEADLINE_GAP * max(a.height, b.height)
    down, across = max(a.y0 - b.y1, b.y0 - a.y1), max(a.x0 - b.x1, b.x0 - a.x1)
    beside = down <= -0.3 * min(a.height, b.height) and across <= reach
    return (down <= reach and across <= 0) or beside


def _calls(
    page: _Page,
    rgb: UInt8,
    lines: Sequence[TypesetLine],
    roles: Float64,
    members: Sequence[int],
    detections: Sequence[Detection],
) -> list[Candidate]:
    """Find calls to action: one for each button; lines without a button are put together like other text."""
    column = LINE_ROLES.index("call_to_action")
    found: list[Candidate] = []
    plain: list[int] = []
    buttons: list[Box] = []
    for i in members:
        button, _ = button_around(rgb, lines[i], detections)
        if button is None:
            plain.append(i)
        elif all(button.iou(other) < _SAME_BUTTON for other in buttons):
            buttons.append(button)
            inside = [lines[j] for j in members if _inside(lines[j].line.box, button)]
            method: AoiMethod = "wording" if call_to_action_confidence(lines[i].line.text or "") else "detector"
            block = TextBlock(tuple(inside) or (lines[i],))
            found.append(_candidate(page, block, "call_to_action", float(roles[i, column]), method, button))
    chance = {id(lines[i]): float(roles[i, column]) for i in plain}
    for block in group_lines([lines[i] for i in plain], gap=_CALL_GAP):
        sure = max(chance[id(line)] for line in block.lines)
        worded = any(call_to_action_confidence(line.line.text or "") for line in block.lines)
        found.append(_candidate(page, block, "call_to_action", sure, "wording" if worded else "text"))
    return found


def _inside(line: Box, button: Box) -> bool:
    return button.intersection(line) > _IN_BUTTON * line.area


def _candidate(
    page: _Page,
    block: TextBlock,
    aoi_type: AoiType,
    confidence: float,
    method: AoiMethod,
    button: Box | None = None,
    *,
    label: str | None = None,
) -> Candidate:
    contrasts = [line.contrast for line in block.lines if line.contrast is not None]
    contrast = float(np.median(contrasts)) if contrasts else None
    size = float(np.median([line.size_px for line in block.lines]))
    seen = legibility(size, block.text, contrast, page.width, page.height, page.platform)
    facts = TextFacts(block.text, seen.line_height_pct, seen.contrast_ratio, seen.legible)
    words = (facts.transcription or "").split()
    label = label or " ".join(words[:_LABEL_WORDS]) + ("…" if len(words) > _LABEL_WORDS else "")
    angle = abs(block.angle_deg)
    slanted = angle >= _SLANT_DEG and abs(angle - 90) >= _SLANT_DEG
    polygon = rotated_rectangle(block.lines, block.angle_deg, page.width, page.height) if slanted else None
    return Candidate(aoi_type, label, (button or block.box).clipped(), confidence, method, polygon, facts)
