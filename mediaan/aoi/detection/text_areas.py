"""Find headline, body text, calls to action, offers and the platform's interface."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mediaan.aoi.detection.call_to_action import call_to_action_confidence, contact_confidence
from mediaan.aoi.detection.surroundings import button_around, expand_to_badge
from mediaan.aoi.detection.text_blocks import (
    LINE_ROLES,
    LineRole,
    TextBlock,
    TextLayout,
    TypesetLine,
    block_of,
    group_by_links,
    group_lines,
    rotated_rectangle,
)
from mediaan.aoi.legibility import TYPE_HEIGHT
from mediaan.types.aoi import AOI_TYPES, AoiMethod, AoiType, Box, Candidate, Detection, TextFacts
from mediaan.types.arrays import Float64, UInt8

LEAST_HEADLINE = 0.25
"""Probability that the surest headline must have."""


@dataclass(frozen=True, slots=True)
class TextAreaSettings:
    """Thresholds by which lines of text become areas."""

    headline_gap: float = 1.3
    """Between lines of one headline, in heights of the larger: messages mix sizes and colours."""
    sure_button: float = 0.5
    """Confidence from which a detected button is a call to action, if its words may be one."""
    may_ask: float = 0.15
    """Probability of a call to action that some line on a button must have: plates of marks and badges look like
    buttons. On train and dev no button below it is right."""
    certain_button: float = 0.75
    """Confidence from which a button needs no such line."""
    same_button: float = 0.5
    """IoU of two buttons from which on they are one."""
    in_button: float = 0.7
    """Share of a line inside a button from which on it stands on the button."""
    least_platform: float = 0.6
    """Mean probability that a row of the platform's words must have."""
    in_row: float = 0.6
    """Share of the lower one's height that two entries of a menu have in common."""
    call_gap: float = 0.75
    """Between lines of one call to action, in type sizes: address and telephone number below each other are two."""
    label_words: int = 6
    """Words of a text that its label shows."""
    slant_deg: float = 4.0
    """Angle from which on a block gets an outline beside its bounds."""


SETTINGS = TextAreaSettings()


class _Page(NamedTuple):
    """Size of the image, px."""

    width: int
    height: int


class _Block(NamedTuple):
    """Lines that belong together, and what they are for."""

    lines: list[int]
    roles: Float64

    @property
    def role(self) -> LineRole:
        """The likeliest."""
        return LINE_ROLES[int(self.roles.argmax())]


_BLOCK_AREAS: Mapping[LineRole, tuple[AoiType, str | None]] = {
    "headline_text": ("body_text", None),  # an image has one headline
    "body_text": ("body_text", None),
    "offer": ("other", "offer"),
}
"""Type and label of the area of a block."""


def find_text(
    rgb: UInt8,
    lines: Sequence[TypesetLine],
    layout: TextLayout,
    detections: Sequence[Detection],
) -> tuple[Candidate, ...]:
    """Find headline, body text, calls to action, offers, and the platform's interface.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        The frame, or a view of it of the same aspect.
    lines : sequence of TypesetLine
    layout : TextLayout
        Of these lines.
    detections : sequence of Detection
        Buttons give calls to action their outline.

    Returns
    -------
    tuple of Candidate
        At most one headline; the rest from top to bottom. Offers and the platform's interface are of type ``other``
        with the labels ``offer`` and ``platform``. Lettering of scenes is left out.
    """
    page, roles = _Page(rgb.shape[1], rgb.shape[0]), layout.roles
    call = LINE_ROLES.index("call_to_action")
    likeliest = roles.argmax(axis=1) if len(lines) else np.zeros(0, int)
    figures = {i for i, line in enumerate(lines) if _is_figure(line.text)}
    buttons, on_button = _asking_buttons(lines, roles, detections, figures)
    calls = sorted({*on_button, *(int(i) for i in np.flatnonzero(likeliest == call))} - figures)
    areas = _calls(page, rgb, lines, layout, calls, detections)
    for button in buttons:
        if all(button.box.iou(call_area.box) < SETTINGS.same_button for call_area in areas):
            areas.append(Candidate("call_to_action", "button", button.box, button.confidence, "detector"))
    rest = [i for i in range(len(lines)) if i not in set(calls)]
    blocks = [
        _Block([rest[i] for i in group], roles[[rest[i] for i in group]].mean(axis=0))
        for group in group_by_links(layout.of(rest).links)
    ]
    headline = headline_blocks(lines, blocks)
    if headline:
        text = block_of(lines[i] for block in headline for i in block.lines)
        sure = float(max(block.roles[LINE_ROLES.index("headline_text")] for block in headline))
        areas.append(_candidate(page, text, "headline_text", sure, "text"))
    others = [block for block in blocks if all(block is not other for other in headline)]
    areas += [area for block in others if (area := _block_area(page, rgb, lines, block)) is not None]
    platform = [i for block in others if block.role == "platform" for i in block.lines]
    marks = np.flatnonzero(likeliest == LINE_ROLES.index("branding"))
    areas += _platform_rows(page, lines, roles, [i for i in platform if i not in marks])
    return tuple(sorted(areas, key=lambda c: (AOI_TYPES.index(c.type), c.box.y0, c.box.x0)))


def _asking_buttons(
    lines: Sequence[TypesetLine], roles: Float64, detections: Sequence[Detection], figures: Collection[int]
) -> tuple[list[Detection], set[int]]:
    """Return detected buttons that ask for something, and the lines on them; `figures` are prices and percentages."""
    column = LINE_ROLES.index("call_to_action")
    buttons, on_button = list[Detection](), set[int]()
    for d in detections:
        if d.type != "button" or d.confidence < SETTINGS.sure_button:
            continue
        words = {i for i, line in enumerate(lines) if line.box.share_in(d.box) > SETTINGS.in_button}
        may_ask = max(roles[list(words), column], default=1.0) >= SETTINGS.may_ask
        if (may_ask or d.confidence >= SETTINGS.certain_button) and not (words and words.issubset(figures)):
            buttons.append(d)
            on_button |= words
    return buttons, on_button


def _block_area(page: _Page, rgb: UInt8, lines: Sequence[TypesetLine], block: _Block) -> Candidate | None:
    """Return the area of a block of body text, or of an offer with its badge; None for what else lines are."""
    if block.role not in _BLOCK_AREAS:
        return None
    aoi_type, label = _BLOCK_AREAS[block.role]
    text = block_of(lines[i] for i in block.lines)
    if aoi_type == "body_text" and text.text is not None and sum(letter.isalnum() for letter in text.text) <= 1:
        return None  # an icon, a corner
    shown_so = [LINE_ROLES.index(name) for name, area in _BLOCK_AREAS.items() if area == (aoi_type, label)]
    badge, largest = None, max((lines[i] for i in block.lines), key=lambda line: line.size_px)
    if label == "offer" and largest.letters:
        others = [line.box for i, line in enumerate(lines) if i not in block.lines]
        badge = expand_to_badge(rgb, text.box, largest.size_px, largest.letters.ground, others)
    return _candidate(page, text, aoi_type, float(block.roles[shown_so].sum()), "text", badge, label=label)


def _platform_rows(
    page: _Page, lines: Sequence[TypesetLine], roles: Float64, members: Sequence[int]
) -> Iterator[Candidate]:
    """Yield the rows of the platform's interface that are sure enough."""
    chance = {id(lines[i]): roles[i, LINE_ROLES.index("platform")] for i in members}
    for row in rows_of([lines[i] for i in members]):
        sure = float(np.mean([chance[id(line)] for line in row.lines]))
        only_figures = all(_is_figure(line.text) for line in row.lines)  # labels of a chart, a score, a year
        if sure >= SETTINGS.least_platform and not only_figures:
            yield _candidate(page, row, "other", sure, "text", label="platform")


def rows_of(lines: Sequence[TypesetLine]) -> list[TextBlock]:
    """Group lines that stand side by side, as the entries of a menu do."""
    rows: list[list[TypesetLine]] = []
    for line in sorted(lines, key=lambda line: line.box.x0):
        box = line.box
        for row in rows:
            bounds = Box.around(other.box for other in row)
            if min(box.y1, bounds.y1) - max(box.y0, bounds.y0) >= SETTINGS.in_row * min(box.height, bounds.height):
                row.append(line)
                break
        else:
            rows.append([line])
    return [TextBlock(tuple(row)) for row in rows]


def headline_blocks(lines: Sequence[TypesetLine], blocks: Sequence[_Block]) -> list[_Block]:
    """Return the blocks of the headline: the surest, and those next to it that are headline rather than anything else.

    Empty if there is none.
    """
    column = LINE_ROLES.index("headline_text")
    first = max(blocks, key=lambda block: float(block.roles[column]), default=None)
    if first is None or first.roles[column] < LEAST_HEADLINE:
        return []
    chosen = [first]
    waiting = [block for block in blocks if block is not first and block.roles.argmax() == column]
    while near := [
        block
        for block in waiting
        if any(_is_next(lines[i], lines[j]) for i in block.lines for other in chosen for j in other.lines)
    ]:
        chosen += near
        waiting = [block for block in waiting if all(block is not other for other in near)]
    return chosen


def _is_next(line: TypesetLine, other: TypesetLine) -> bool:
    """Tell whether two lines of a headline stand next to each other: one below the other, or side by side."""
    a, b = line.box, other.box
    reach = SETTINGS.headline_gap * max(a.height, b.height)
    down, across = max(a.y0 - b.y1, b.y0 - a.y1), max(a.x0 - b.x1, b.x0 - a.x1)
    beside = down <= -0.3 * min(a.height, b.height) and across <= reach
    return (down <= reach and across <= 0) or beside


def _calls(
    page: _Page,
    rgb: UInt8,
    lines: Sequence[TypesetLine],
    layout: TextLayout,
    members: Sequence[int],
    detections: Sequence[Detection],
) -> list[Candidate]:
    """Find calls to action: one for each button; other lines are grouped like other text."""
    roles = layout.roles
    column = LINE_ROLES.index("call_to_action")
    calls: list[Candidate] = []
    plain: list[int] = []
    buttons: list[Box] = []
    for i in members:
        button = button_around(rgb, lines[i], detections)
        if button is None:
            plain.append(i)
        elif all(button.iou(other) < SETTINGS.same_button for other in buttons):
            buttons.append(button)
            inside = [j for j in members if lines[j].box.share_in(button) > SETTINGS.in_button] or [i]
            method: AoiMethod = "wording" if call_to_action_confidence(lines[i].text) else "detector"
            block = TextBlock(tuple(lines[j] for j in inside))
            same = [d for d in detections if d.type == "button" and d.box.iou(button) >= SETTINGS.same_button]
            sure = max([*(float(roles[j, column]) for j in inside), *(d.confidence for d in same)])
            calls.append(_candidate(page, block, "call_to_action", sure, method, button))
    chance = {id(lines[i]): float(roles[i, column]) for i in plain}
    for block in group_lines([lines[i] for i in plain], gap=SETTINGS.call_gap):
        sure = max(chance[id(line)] for line in block.lines)
        worded = any(call_to_action_confidence(line.text) for line in block.lines)
        calls.append(_candidate(page, block, "call_to_action", sure, "wording" if worded else "text"))
    return calls


def _is_figure(text: str) -> bool:
    """Tell whether a text is a price or a percentage and no more: a badge looks like a button, but asks for nothing."""
    numeric = any(letter.isdigit() for letter in text) and sum(letter.isalpha() for letter in text) < 2
    return numeric and not contact_confidence(text)  # a telephone number asks


def _candidate(
    page: _Page,
    block: TextBlock,
    aoi_type: AoiType,
    confidence: float,
    method: AoiMethod,
    area: Box | None = None,
    *,
    label: str | None = None,
) -> Candidate:
    contrasts = [line.contrast for line in block.lines if line.contrast is not None]
    contrast = float(np.median(contrasts)) if contrasts else None
    size = float(np.median([line.size_px for line in block.lines]))
    facts = TextFacts(block.text, 100 * size * TYPE_HEIGHT / page.height, contrast)
    words = (facts.transcription or "").split()
    label = label or " ".join(words[: SETTINGS.label_words]) + ("…" if len(words) > SETTINGS.label_words else "")
    angle = abs(block.angle_deg)
    slanted = angle >= SETTINGS.slant_deg and abs(angle - 90) >= SETTINGS.slant_deg
    is_whole = area is None or area == block.box  # no button, badge or icon around it
    polygon = None
    if slanted and is_whole:
        polygon = rotated_rectangle(block.lines, block.angle_deg, page.width, page.height)
    return Candidate(aoi_type, label, (area or block.box).clipped(), confidence, method, polygon, facts)
