"""Draw a medium in a neutral mock-up of its placement: grey bars, circles and blank lines, no platform's artwork."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image, ImageDraw

from mediaan.maps.heatmap import FAINT, INK, PAPER, text_font
from mediaan.placements.fit import FittedMedium
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.placement import Frame, Zone

Colour = tuple[int, int, int]

_GROUND: Colour = (236, 238, 241)
_SURFACE: Colour = (250, 250, 251)
_BLANK: Colour = (205, 209, 214)
_DARK: Colour = (24, 26, 30)
_EDGE: Colour = (160, 165, 172)
_VEIL: Colour = (20, 22, 26)
_VEIL_SHARE = 0.5
"""How much of a zone its veil takes: the ad stays visible under it."""
_ON_VEIL: Colour = (235, 237, 240)

HIDDEN_COLOUR: Colour = (220, 38, 38)
"""Outline of what is covered or cropped."""
SMALL_COLOUR: Colour = (217, 119, 6)
"""Outline of text that is too small."""

_PHONE = (390, 844)
_STATUS_PX = 47
"""Height of a phone's status bar, CSS px."""
_LONGEST_PX = 900
"""Longest side of the slot in a preview of what has no pixels of its own."""
_THIN = 0.07
"""Zones narrower than this share are edges: a veil alone is drawn."""


class Mark(NamedTuple):
    """An area to outline, in unit coordinates of the medium."""

    box: Box
    colour: Colour


@dataclass(frozen=True, slots=True)
class Preview:
    """A picture of a medium in its placement."""

    rgb: UInt8
    """(H, W, 3) uint8."""
    slot: Box
    """Where the slot lies in the picture, px."""


class _Layout(NamedTuple):
    """Size of the mock-up, and the corner of the slot in it, px."""

    width: int
    height: int
    x: float
    y: float


def draw_preview(rgb: UInt8, fitted: FittedMedium, marks: Sequence[Mark] = ()) -> Preview:
    """Draw a medium in a mock-up of its placement.

    `rgb` (H, W, 3) uint8: the medium, or a frame of it, in any size of its aspect.
    `marks`: areas to outline.
    Returns: a CSS pixel is a pixel; what has none is drawn with a longest side of 900 px.
    """
    size_mm = fitted.placement.css_px_mm
    scale = 1 / size_mm if size_mm is not None else _LONGEST_PX / max(fitted.slot_mm)
    slot = fitted.slot_mm[0] * scale, fitted.slot_mm[1] * scale
    layout = _layout(fitted.placement.frame, *slot, phone=_is_phone(fitted))
    page = Image.new("RGB", (layout.width, layout.height), _GROUND)
    draw = ImageDraw.Draw(page)
    _surroundings(draw, fitted.placement.frame, layout, slot, phone=_is_phone(fitted))
    box = Box(layout.x, layout.y, layout.x + slot[0], layout.y + slot[1])
    if fitted.place.area < 1:
        dark = fitted.placement.frame in ("story", "reel", "video", "screen")
        draw.rectangle(_px(box), fill=_DARK if dark else PAPER, outline=None if dark else _BLANK)
    _paste(page, rgb, fitted, box)
    for zone in fitted.placement.zones:
        _draw_zone(page, zone, box)
    draw = ImageDraw.Draw(page)
    line = max(2, round(max(slot) / 250))
    for mark in marks:
        x0, y0, x1, y1 = _inside(fitted.box_in_slot(mark.box).clipped(), box)
        if x1 > x0 and y1 > y0:
            corners = (x0, y0, max(x0, x1 - 1), max(y0, y1 - 1))
            draw.rectangle(corners, outline=PAPER, width=line + 1)  # so that it shows on its own colour, too
            draw.rectangle(corners, outline=mark.colour, width=line)
    return Preview(np.asarray(page, np.uint8), box)


_CARD_PX = 460
"""Height of a preview on a sheet."""
_SHEET_PX = 1500
_GAP_PX, _MARGIN_PX, _TITLE_PX, _LINE_PX = 26, 28, 30, 18
_MOST_LINES = 9
_QUOTES = str.maketrans("“”‘’–—×°", "\"\"''--x ")


def preview_sheet(title: str, previews: Sequence[tuple[str, Preview, Sequence[str]]]) -> UInt8:
    """Draw previews side by side, with their titles and what was found.

    `title`: of the medium.
    `previews`: sequence of (title, Preview, lines).
    Returns (H, W, 3) uint8.
    Raises ValueError: there is no preview.
    """
    if not previews:
        raise ValueError("a sheet needs a preview")
    cards = []
    for name, preview, lines in previews:
        height, width = preview.rgb.shape[:2]
        scale = min(_CARD_PX / height, (_SHEET_PX - 2 * _MARGIN_PX) / width, 1.0)
        shown = cv2.resize(
            preview.rgb, (max(1, round(width * scale)), max(1, round(height * scale))), interpolation=cv2.INTER_AREA
        )
        cards.append((name, np.asarray(shown, np.uint8), _folded(lines, max(shown.shape[1], 220))))
    rows: list[list[int]] = [[]]
    used = _MARGIN_PX
    for index, (_, shown, _) in enumerate(cards):
        width = max(shown.shape[1], 220)
        if rows[-1] and used + width + _MARGIN_PX > _SHEET_PX:
            rows.append([])
            used = _MARGIN_PX
        rows[-1].append(index)
        used += width + _GAP_PX
    heights = [
        _TITLE_PX + max(cards[i][1].shape[0] + 10 + _LINE_PX * len(cards[i][2]) for i in row) + _GAP_PX for row in rows
    ]
    wide = max(sum(max(cards[i][1].shape[1], 220) + _GAP_PX for i in row) for row in rows) - _GAP_PX
    page = Image.new("RGB", (max(wide, 420) + 2 * _MARGIN_PX, 56 + sum(heights) + _MARGIN_PX // 2), PAPER)
    draw = ImageDraw.Draw(page)
    draw.text((_MARGIN_PX, 38), _plain(title), INK, text_font(20), anchor="ls")
    y = 56
    for row, height in zip(rows, heights, strict=True):
        x = _MARGIN_PX
        for i in row:
            name, shown, lines = cards[i]
            draw.text((x, y + 18), _plain(name), INK, text_font(15), anchor="ls")
            page.paste(Image.fromarray(shown), (x, y + _TITLE_PX))
            right, bottom = x + shown.shape[1] - 1, y + _TITLE_PX + shown.shape[0] - 1
            draw.rectangle((x, y + _TITLE_PX, right, bottom), outline=_BLANK)
            below = y + _TITLE_PX + shown.shape[0] + 18
            for k, line in enumerate(lines):
                draw.text((x, below + k * _LINE_PX), line, FAINT, text_font(13), anchor="ls")
            x += max(shown.shape[1], 220) + _GAP_PX
        y += height
    return np.asarray(page, np.uint8)


def _folded(lines: Sequence[str], width: int) -> list[str]:
    """Break lines at spaces to a width, px; of more than fit, the last says so."""
    font, rows = text_font(13), []
    for line in lines:
        words, current = _plain(line).split(), ""
        for word in words:
            longer = f"{current} {word}".strip()
            if current and font.getlength(longer) > width:
                rows.append(current)
                current = "  " + word
            else:
                current = longer
        rows.append(current)
    return rows if len(rows) <= _MOST_LINES else [*rows[: _MOST_LINES - 1], "and more"]


def _plain(text: str) -> str:
    """Return a text in ASCII, which is what the font holds: quotes and accents as plain ones, the rest as ``?``.

    >>> _plain("été “neuf”…")
    'ete "neuf"...'
    """
    plain = unicodedata.normalize("NFKD", text.translate(_QUOTES))
    letters = "".join(letter for letter in plain if not unicodedata.combining(letter))
    return letters.encode("ascii", "replace").decode()


def _is_phone(fitted: FittedMedium) -> bool:
    """Tell whether the placement is on a phone: its CSS pixels are small, and its slot no wider than one."""
    size = fitted.placement.css_px_mm
    return size is not None and size < 0.2 and fitted.slot_mm[0] / size <= _PHONE[0] + 1


def _layout(frame: Frame, width: float, height: float, *, phone: bool) -> _Layout:
    """Place a slot of `width` x `height` px in its mock-up."""
    if phone:
        return _phone_layout(frame, width, height)
    if frame in ("page", "shop", "video", "mail"):
        page = max(1280.0, width + 120)
        if frame == "page" and width <= 340:  # beside the text
            return _Layout(round(page), round(max(720.0, height + 170)), page - width - 60, 130)
        top = 150.0 if frame == "mail" else 96.0
        return _Layout(round(page), round(max(720.0, top + height + 60)), (page - width) / 2, top)
    margin = {"street": 0.16, "shelf": 0.5, "screen": 0.08}.get(frame, 0.05) * max(width, height)
    below = {"street": 0.28, "shelf": 0.2, "screen": 0.2}.get(frame, 0.05) * max(width, height)
    return _Layout(round(width + 2 * margin), round(height + margin + below), margin, margin * 0.7)


def _phone_layout(frame: Frame, width: float, height: float) -> _Layout:
    screen_w, screen_h = _PHONE
    if frame in ("story", "reel"):
        return _Layout(screen_w, max(screen_h, round(height) + _STATUS_PX), (screen_w - width) / 2, _STATUS_PX)
    if frame == "video":
        return _Layout(screen_w, screen_h, (screen_w - width) / 2, _STATUS_PX)
    if frame == "column":
        return _Layout(screen_w, max(screen_h, round(height) + 260), 2, 110)
    if frame == "shop" and width < 260:
        return _Layout(screen_w, screen_h, 12, 150)
    top = 118 if frame in ("feed", "mail", "shop") else 300
    return _Layout(screen_w, max(screen_h, top + round(height) + 120), (screen_w - width) / 2, top)


def _surroundings(
    draw: ImageDraw.ImageDraw, frame: Frame, layout: _Layout, slot: tuple[float, float], *, phone: bool
) -> None:
    """Draw what surrounds the slot."""
    if phone and frame in ("story", "reel", "video"):
        around = _around_film
    elif phone:
        around = _around_post
    elif frame in ("page", "shop", "video", "mail"):
        around = _around_page
    else:
        around = _around_place
    around(draw, frame, layout, slot)


def _around_film(draw: ImageDraw.ImageDraw, frame: Frame, layout: _Layout, slot: tuple[float, float]) -> None:
    """Draw a dark phone, with what stands below a film or story."""
    width, height = layout.width, layout.height
    below = layout.y + slot[1]
    draw.rectangle((0, 0, width, height), fill=_DARK)
    _lines(draw, 24, 20, 60, 1, colour=_EDGE)
    _dots(draw, width - 70, 23, 3, 7, colour=_EDGE)
    if frame == "video":
        draw.rectangle((0, below, width, height), fill=_SURFACE)
        _post_lines(draw, 16, below + 20, width - 32, 3)
        for k in range(2):
            top = below + 150 + 240 * k
            draw.rectangle((0, top, width, top + 170), fill=_BLANK)
    elif height - below > 40:
        draw.rounded_rectangle((20, below + 24, width - 110, below + 68), 22, outline=_EDGE, width=2)
        _dots(draw, width - 80, below + 46, 2, 26, colour=_EDGE)


def _around_post(draw: ImageDraw.ImageDraw, frame: Frame, layout: _Layout, slot: tuple[float, float]) -> None:
    """Draw a phone with a feed, a shop, mail or a text."""
    width, height = layout.width, layout.height
    below = layout.y + slot[1]
    draw.rectangle((0, 0, width, height), fill=_SURFACE)
    _lines(draw, 24, 20, 60, 1)
    _dots(draw, width - 70, 23, 3, 7)
    if frame == "column":
        _columns(draw, layout, slot)
    elif frame == "shop":
        draw.rounded_rectangle((16, 62, width - 16, 102), 20, fill=_GROUND, outline=_BLANK)
        if slot[0] < 260:
            for k in range(4):
                top = layout.y + k * (slot[1] + 22)
                if k:
                    draw.rectangle((layout.x, top, layout.x + slot[0], top + slot[1]), fill=_BLANK)
                _post_lines(draw, layout.x + slot[0] + 16, top + 10, width - slot[0] - 50, 4)
        else:
            _post_lines(draw, 16, below + 22, width - 32, 4)
            draw.rounded_rectangle((16, height - 80, width - 16, height - 34), 23, fill=_BLANK)
    elif frame in ("feed", "mail"):
        draw.ellipse((14, 66, 54, 106), fill=_BLANK)
        _lines(draw, 66, 72, 130, 2)
        if frame == "feed":
            _dots(draw, 30, below + 26, 3, 26)
            _post_lines(draw, 16, below + 54, width - 32, 2)
            draw.rectangle((0, below + 104, width, height), fill=_GROUND)
    else:
        _post_lines(draw, 20, 70, width - 40, 8)
        _post_lines(draw, 20, below + 26, width - 40, 20, bottom=height - 20)


def _around_page(draw: ImageDraw.ImageDraw, frame: Frame, layout: _Layout, slot: tuple[float, float]) -> None:
    """Draw a page in a browser."""
    width, height = layout.width, layout.height
    below = layout.y + slot[1]
    draw.rectangle((40, 40, width - 40, height), fill=_SURFACE)
    draw.rectangle((40, 0, width - 40, 44), fill=_BLANK)
    _dots(draw, 66, 22, 3, 12, colour=_SURFACE)
    draw.rounded_rectangle((160, 10, width - 200, 34), 12, fill=_SURFACE)
    if frame == "mail":
        draw.ellipse((layout.x, 70, layout.x + 46, 116), fill=_BLANK)
        _lines(draw, layout.x + 60, 78, 220, 2)
    elif frame == "page" and slot[0] <= 340:
        _lines(draw, 100, 84, 360, 1, thick=18)
        _post_lines(draw, 100, 130, layout.x - 160, 40, bottom=height - 30)
    else:
        _post_lines(draw, 100, below + 40, width - 200, 30, bottom=height - 20)


def _around_place(draw: ImageDraw.ImageDraw, frame: Frame, layout: _Layout, slot: tuple[float, float]) -> None:
    """Draw a screen, a poster in a street or a shelf; of other frames nothing."""
    width, height = layout.width, layout.height
    below = layout.y + slot[1]
    if frame == "screen":
        edge = 0.02 * max(slot)
        _frame_around(draw, layout, slot, edge, _DARK)
        middle = width / 2
        draw.rectangle((middle - 0.02 * width, below + edge, middle + 0.02 * width, height - 0.05 * height), fill=_EDGE)
        draw.rectangle((middle - 0.14 * width, height * 0.95, middle + 0.14 * width, height * 0.965), fill=_EDGE)
    elif frame == "street":
        ground = height - 0.05 * max(slot)
        draw.rectangle((0, ground, width, height), fill=_BLANK)
        for x in (layout.x + slot[0] * 0.2, layout.x + slot[0] * 0.8):
            draw.rectangle((x - 7, below, x + 7, ground), fill=_EDGE)
        _frame_around(draw, layout, slot, 0.018 * max(slot), _EDGE)
    elif frame == "shelf":
        gap = slot[0] * 0.08
        for k in range(-3, 4):
            left = layout.x + k * (slot[0] + gap)
            if k:
                top = layout.y + (0.06 * slot[1] if k % 2 else 0)
                draw.rectangle((left, top, left + slot[0], below), fill=_BLANK)
        draw.rectangle((0, below, width, below + 0.05 * slot[1]), fill=_EDGE)


def _columns(draw: ImageDraw.ImageDraw, layout: _Layout, slot: tuple[float, float]) -> None:
    """Draw the other tiles of a feed in two columns."""
    draw.rounded_rectangle((16, 58, layout.width - 16, 96), 19, fill=_GROUND)
    left, right, top = layout.x, layout.x + slot[0] + 4, layout.y
    _lines(draw, left + 8, top + slot[1] + 12, slot[0] * 0.6, 1)
    y = top + slot[1] + 40
    while y < layout.height:
        draw.rounded_rectangle((left, y, left + slot[0], y + slot[0] * 1.2), 10, fill=_BLANK)
        y += slot[0] * 1.2 + 34
    y = top
    for share in (1.1, 1.5, 1.0, 1.3, 1.2):
        draw.rounded_rectangle((right, y, right + slot[0], y + slot[0] * share), 10, fill=_BLANK)
        y += slot[0] * share + 34


def _frame_around(
    draw: ImageDraw.ImageDraw, layout: _Layout, slot: tuple[float, float], edge: float, colour: Colour
) -> None:
    draw.rectangle(
        (layout.x - edge, layout.y - edge, layout.x + slot[0] + edge, layout.y + slot[1] + edge), fill=colour
    )


def _post_lines(
    draw: ImageDraw.ImageDraw, x: float, y: float, width: float, count: int, *, bottom: float | None = None
) -> None:
    """Draw blank lines of text, the last of every four shorter."""
    for k in range(count):
        top = y + 24 * k
        if bottom is not None and top + 10 > bottom:
            return
        share = 0.55 if k % 4 == 3 else (0.94, 1.0, 0.9)[k % 3]
        draw.rounded_rectangle((x, top, x + width * share, top + 10), 5, fill=_BLANK)


def _lines(
    draw: ImageDraw.ImageDraw, x: float, y: float, width: float, count: int, *, colour: Colour = _BLANK, thick: int = 9
) -> None:
    for k in range(count):
        share = 1.0 if k == 0 else 0.65
        top = y + k * (thick + 8)
        draw.rounded_rectangle((x, top, x + width * share, top + thick), thick / 2, fill=colour)


def _dots(draw: ImageDraw.ImageDraw, x: float, y: float, count: int, radius: float, *, colour: Colour = _BLANK) -> None:
    size = min(radius, 13)
    for k in range(count):
        at = x + k * (2 * size + 8)
        draw.ellipse((at - size, y - size, at + size, y + size), fill=colour)


def _paste(page: Image.Image, rgb: UInt8, fitted: FittedMedium, slot: Box) -> None:
    """Paste the shown part of the medium where it lies."""
    x0, y0, x1, y1 = _inside(fitted.place, slot)
    size = max(1, x1 - x0), max(1, y1 - y0)
    rows, columns = rgb.shape[:2]
    crop = fitted.crop
    part = Image.fromarray(rgb).resize(
        size, Image.Resampling.LANCZOS, box=(crop.x0 * columns, crop.y0 * rows, crop.x1 * columns, crop.y1 * rows)
    )
    page.paste(part, (x0, y0))


def _draw_zone(page: Image.Image, zone: Zone, slot: Box) -> None:
    """Lay a veil over a zone, with blank elements in it as interfaces have them."""
    x0, y0, x1, y1 = _inside(zone.box, slot)
    if x1 <= x0 or y1 <= y0:
        return
    width, height = x1 - x0, y1 - y0
    under = np.asarray(page.crop((x0, y0, x1, y1)), np.float32)
    veiled = under * (1 - _VEIL_SHARE) + np.asarray(_VEIL, np.float32) * _VEIL_SHARE
    layer = Image.fromarray(np.asarray(np.round(veiled), np.uint8))
    draw = ImageDraw.Draw(layer)
    if zone.box.width >= 0.5 and zone.box.height >= _THIN:
        unit = min(height / 4, width / 20)
        if zone.box.y1 <= 0.5:  # who speaks: a circle and two lines
            middle = height * 0.6
            draw.ellipse((unit, middle - unit, 3 * unit, middle + unit), fill=_ON_VEIL)
            _lines(
                draw, 4 * unit, middle - unit * 0.8, width * 0.3, 2, colour=_ON_VEIL, thick=max(3, round(unit * 0.5))
            )
        else:  # a caption, and a button below
            step = max(3, round(unit * 0.45))
            _lines(draw, unit, height * 0.15, width * 0.55, 2, colour=_ON_VEIL, thick=step)
            draw.rounded_rectangle(
                (unit, height * 0.62, width - unit, height * 0.62 + min(2.4 * unit, height * 0.3)),
                unit / 2,
                fill=_ON_VEIL,
            )
    elif zone.box.height > 2 * zone.box.width and zone.box.width >= _THIN:  # a column of buttons
        radius = width * 0.24
        count = max(1, int(height / (radius * 5)))
        for k in range(min(count, 5)):
            middle = height - (k + 0.7) * radius * 4
            draw.ellipse((width / 2 - radius, middle - radius, width / 2 + radius, middle + radius), fill=_ON_VEIL)
    elif min(zone.box.width, zone.box.height) >= _THIN:
        draw.rounded_rectangle(
            (width * 0.1, height * 0.2, width * 0.9, height * 0.8), height * 0.15, outline=_ON_VEIL, width=2
        )
    page.paste(layer, (x0, y0))


def _inside(box: Box, slot: Box) -> tuple[int, int, int, int]:
    """Return a box in unit coordinates of the slot as pixels of the picture."""
    return (
        round(slot.x0 + box.x0 * slot.width), round(slot.y0 + box.y0 * slot.height),
        round(slot.x0 + box.x1 * slot.width), round(slot.y0 + box.y1 * slot.height),
    )  # fmt: skip


def _px(box: Box) -> tuple[int, int, int, int]:
    return round(box.x0), round(box.y0), round(box.x1), round(box.y1)
