"""Find headline, body text, calls to action, offers and the platform's interface."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mediaan.aoi.detection.call_to_action import call_to_action_confidence, contact_confidence
from mediaan.aoi.detection.surroundings import button_around, expand_to_badge, expand_to_icon
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

_CALL, _HEADLINE, _BRANDING, _PLATFORM = map(
    LINE_ROLES.index, ("call_to_action", "headline_text", "branding", "platform")
)


def find_text(
    rgb: UInt8, lines: Sequence[TypesetLine], layout: TextLayout, detections: Sequence[Detection]
) -> tuple[Candidate, ...]:
    """Find headline, body text, calls to action, offers, and the platform's interface.

    `rgb` (H, W, 3) uint8: the frame, or a view of it of the same aspect.
    `layout`: of these lines.
    `detections`: buttons give calls to action their outline.
    Returns: at most one headline; the rest from top to bottom. Offers and the platform's interface are of type
        ``other`` with the labels ``offer`` and ``platform``. Lettering of scenes is left out.
    """
    texts = _Texts(rgb, lines, layout.roles, [d for d in detections if d.type == "button"])
    likeliest = layout.roles.argmax(axis=1) if len(lines) else np.zeros(0, int)
    buttons, on_button = texts.asking_buttons()
    calls = sorted({*on_button, *(int(i) for i in np.flatnonzero(likeliest == _CALL))} - texts.figures)
    areas = texts.calls(calls)
    for button in buttons:
        if all(button.box.iou(area.box) < SETTINGS.same_button for area in areas):
            areas.append(Candidate("call_to_action", "button", button.box, button.confidence, "detector"))
    rest = [i for i in range(len(lines)) if i not in set(calls)]
    groups = [[rest[i] for i in group] for group in group_by_links(layout.of(rest).links)]
    blocks = [_Block(group, layout.roles[group].mean(axis=0)) for group in groups]
    headline = max(blocks, key=lambda block: float(block.roles[_HEADLINE]), default=None)
    if headline is not None and (sure := float(headline.roles[_HEADLINE])) >= LEAST_HEADLINE:
        areas.append(texts.area(block_of(lines[i] for i in headline.lines), "headline_text", sure, "text"))
        blocks = [block for block in blocks if block is not headline]
    areas += [area for block in blocks if (area := texts.block_area(block)) is not None]
    platform = [i for block in blocks if block.role == "platform" for i in block.lines]
    areas += texts.platform_rows([i for i in platform if likeliest[i] != _BRANDING])
    return tuple(sorted(areas, key=lambda c: (AOI_TYPES.index(c.type), c.box.y0, c.box.x0)))


class _Texts:
    """The lines of a frame, with their roles (lines, roles) and the detected buttons."""

    def __init__(self, rgb: UInt8, lines: Sequence[TypesetLine], roles: Float64, buttons: Sequence[Detection]) -> None:
        self._rgb, self._lines, self._roles, self._buttons = rgb, lines, roles, buttons
        self._chance = {id(line): role for line, role in zip(lines, roles, strict=True)}
        self.figures = {i for i, line in enumerate(lines) if _is_figure(line.text)}

    def asking_buttons(self) -> tuple[list[Detection], set[int]]:
        """Return detected buttons that ask for something, and the lines on them."""
        buttons, on_button = list[Detection](), set[int]()
        for d in self._buttons:
            if d.confidence < SETTINGS.sure_button:
                continue
            words = self._on(d.box, range(len(self._lines)))
            may_ask = max(self._roles[words, _CALL], default=1.0) >= SETTINGS.may_ask
            if (may_ask or d.confidence >= SETTINGS.certain_button) and not (words and self.figures.issuperset(words)):
                buttons.append(d)
                on_button.update(words)
        return buttons, on_button

    def _on(self, button: Box, members: Iterable[int]) -> list[int]:
        """Return the lines that stand on a button."""
        return [i for i in members if self._lines[i].box.share_in(button) > SETTINGS.in_button]

    def block_area(self, block: _Block) -> Candidate | None:
        """Return the area of a block of body text, or of an offer with its badge; None for what else lines are."""
        if block.role not in _BLOCK_AREAS:
            return None
        aoi_type, label = _BLOCK_AREAS[block.role]
        text = block_of(self._lines[i] for i in block.lines)
        if aoi_type == "body_text" and text.text is not None and sum(letter.isalnum() for letter in text.text) <= 1:
            return None  # an icon, a corner
        shown_so = [LINE_ROLES.index(name) for name, area in _BLOCK_AREAS.items() if area == (aoi_type, label)]
        badge, largest = None, max((self._lines[i] for i in block.lines), key=lambda line: line.size_px)
        if label == "offer" and largest.letters:
            others = [line.box for i, line in enumerate(self._lines) if i not in block.lines]
            badge = expand_to_badge(self._rgb, text.box, largest.size_px, largest.letters.ground, others)
        return self.area(text, aoi_type, float(block.roles[shown_so].sum()), "text", badge, label)

    def platform_rows(self, members: Sequence[int]) -> Iterator[Candidate]:
        """Yield the rows of the platform's interface that are sure enough."""
        for row in rows_of([self._lines[i] for i in members]):
            sure = float(np.mean([self._chance[id(line)][_PLATFORM] for line in row.lines]))
            only_figures = all(_is_figure(line.text) for line in row.lines)  # labels of a chart, a score, a year
            if sure >= SETTINGS.least_platform and not only_figures:
                yield self.area(row, "other", sure, "text", label="platform")

    def calls(self, members: Sequence[int]) -> list[Candidate]:
        """Find calls to action: one for each button; other lines are grouped like other text."""
        calls: list[Candidate] = []
        plain: list[TypesetLine] = []
        buttons: list[Box] = []
        for i in members:
            button = button_around(self._rgb, self._lines[i], self._buttons)
            if button is None:
                plain.append(self._lines[i])
            elif all(button.iou(other) < SETTINGS.same_button for other in buttons):
                buttons.append(button)
                inside = self._on(button, members) or [i]
                method: AoiMethod = "wording" if call_to_action_confidence(self._lines[i].text) else "detector"
                same = [d.confidence for d in self._buttons if d.box.iou(button) >= SETTINGS.same_button]
                sure = max([*(float(chance) for chance in self._roles[inside, _CALL]), *same])
                block = TextBlock(tuple(self._lines[j] for j in inside))
                calls.append(self.area(block, "call_to_action", sure, method, button))
        for block in group_lines(plain, gap=SETTINGS.call_gap):
            sure = max(float(self._chance[id(line)][_CALL]) for line in block.lines)
            worded = any(call_to_action_confidence(line.text) for line in block.lines)
            with_icon = None
            if len(block.lines) == 1 and contact_confidence(block.lines[0].text):
                line = block.lines[0]
                others = [other.box for other in self._lines if other is not line]
                with_icon = expand_to_icon(self._rgb, line.box, line.size_px, others)
            calls.append(self.area(block, "call_to_action", sure, "wording" if worded else "text", with_icon))
        return calls

    def area(
        self, block: TextBlock, aoi_type: AoiType, confidence: float, method: AoiMethod,
        around: Box | None = None, label: str | None = None,
    ) -> Candidate:  # fmt: skip
        """Make an area of a block of text; `around`: its button or badge."""
        height, width = self._rgb.shape[:2]
        contrasts = [line.contrast for line in block.lines if line.contrast is not None]
        contrast = float(np.median(contrasts)) if contrasts else None
        size = float(np.median([line.size_px for line in block.lines]))
        facts = TextFacts(block.text, 100 * size * TYPE_HEIGHT / height, contrast)
        words = (facts.transcription or "").split()
        label = label or " ".join(words[: SETTINGS.label_words]) + ("…" if len(words) > SETTINGS.label_words else "")
        angle, polygon = abs(block.angle_deg), None
        slanted = angle >= SETTINGS.slant_deg and abs(angle - 90) >= SETTINGS.slant_deg
        if slanted and around in (None, block.box):
            polygon = rotated_rectangle(block.lines, block.angle_deg, width, height)
        return Candidate(aoi_type, label, (around or block.box).clipped(), confidence, method, polygon, facts)


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


def _is_figure(text: str) -> bool:
    """Tell whether a text is a price or a percentage and no more: a badge looks like a button, but asks for nothing."""
    numeric = any(letter.isdigit() for letter in text) and sum(letter.isalpha() for letter in text) < 2
    return numeric and not contact_confidence(text)  # a telephone number asks
