"""Place pictures, areas, labels and text on a slide or page, and give them colours."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from typing import NamedTuple

from PIL import Image

from mediaan.report.formatting import area_label
from mediaan.types.aoi import Aoi
from mediaan.types.area_types import AREA_TYPES

LINE_HEIGHT = 1.2
"""Of a line, in font sizes."""

_SPARE = 1.04  # other programs break lines a little earlier
_BOLD = 1.08
_WIDTHS = {
    letter: width
    for width, letters in {
        0.19: "'",
        0.22: "‘’",
        0.26: "|",
        0.28: " !,./:;I[\\]ftijl·",
        0.33: "()-`r{}“”",
        0.35: '"',
        0.39: "*",
        0.50: "Jcksvxyz^",
        0.56: "#$0123456789?L_abdeghnopqu–",
        0.58: "+<=>~×≈",
        0.61: "FTZ",
        0.67: "&ABEKPSVXY",
        0.72: "CDHNRUw",
        0.78: "GOQ",
        0.83: "Mm",
        0.89: "%",
        0.94: "W",
        1.00: "—…",
        1.02: "@",
    }.items()
    for letter in letters
}
"""Width of each letter of Arial, in font sizes."""
_UNKNOWN, _WIDE = 0.72, 1.05


def text_width(text: str, size: float, *, bold: bool = False) -> float:
    """Estimate the width of a line of text, pt.

    >>> round(text_width("Works", 10)), round(text_width("ポスター", 10))
    (29, 44)
    """
    total = 0.0
    for letter in text:
        if letter in _WIDTHS:
            total += _WIDTHS[letter]
        elif unicodedata.combining(letter):
            continue
        else:
            total += _WIDE if unicodedata.east_asian_width(letter) in "WF" else _UNKNOWN
    return total * size * _SPARE * (_BOLD if bold else 1.0)


def wrap_lines(text: str, width: float, size: float, *, bold: bool = False) -> list[str]:
    """Break text as a slide does: at spaces, and within a word that is wider than the box.

    >>> wrap_lines("Many places compete", 60, 10), wrap_lines("spring_2026_final", 60, 10)
    (['Many places', 'compete'], ['spring_2026', '_final'])
    """
    lines, line = [], ""
    for word in text.split():
        joined = f"{line} {word}" if line else word
        if text_width(joined, size, bold=bold) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        while text_width(word, size, bold=bold) > width and len(word) > 1:
            end = next(n for n in range(len(word), 0, -1) if n == 1 or text_width(word[:n], size, bold=bold) <= width)
            lines.append(word[:end])
            word = word[end:]
        line = word
    return [*lines, line] if line else lines


def cut_to_line(text: str, width: float, size: float, *, bold: bool = False) -> str:
    """Cut text to one line, with an ellipsis where something is left out.

    >>> cut_to_line("spring_2026_banner_final.jpg", 80, 10)
    'spring_2026_…'
    """
    text = " ".join(text.split())
    if text_width(text, size, bold=bold) <= width:
        return text
    while text and text_width(f"{text}…", size, bold=bold) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def cut_to_lines(text: str, width: float, size: float, lines: int) -> str:
    """Cut text to so many lines, at a word, with an ellipsis where something is left out."""
    wrapped = wrap_lines(text, width, size)
    if len(wrapped) <= lines:
        return " ".join(text.split())
    kept = wrapped[:lines]
    kept[-1] = cut_to_line(f"{kept[-1]} {wrapped[lines]}", width, size)
    return " ".join(kept)


MOST_AREAS = 10
"""That are drawn on a picture, and listed below it."""
GAP = 20.0
"""Between pictures and text, pt."""
CAPTION_HEIGHT = 15.0
_LEAST_SEEN = 5.0  # %

STATUS_COLOURS = {"passed": "0F766E", "failed": "B42318", "close": "8A5A00", "unknown": "576173"}
VERDICT_COLOURS = {"works": "0F766E", "attention": "B42318", "open": "8A5A00", "unknown": "576173"}
AREA_COLOURS = {name: area_type.print_colour for name, area_type in AREA_TYPES.items()}
"""Dark enough for white letters on them."""


class SlideBox(NamedTuple):
    """A rectangle on a slide or a page, pt."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Right edge."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Lower edge."""
        return self.y + self.height

    def overlap(self, other: SlideBox) -> float:
        """Return the area that both cover, pt²."""
        wide = min(self.right, other.right) - max(self.x, other.x)
        high = min(self.bottom, other.bottom) - max(self.y, other.y)
        return max(wide, 0.0) * max(high, 0.0)


def choose_areas(areas: Sequence[Aoi]) -> dict[int, Aoi]:
    """Choose the areas that are drawn, by number: the most seen, so that labels can still be told apart."""
    seen = {number: (aoi, aoi.value("percentage_seen")) for number, aoi in enumerate(areas, 1)}
    many = {number: aoi for number, (aoi, share) in seen.items() if share is None or share >= _LEAST_SEEN}
    chosen = many if len(many) >= 5 else dict(enumerate(areas[:5], 1))
    return dict(list(chosen.items())[:MOST_AREAS])


def place_tags(areas: Mapping[int, Aoi], picture: SlideBox, size: float) -> Iterator[tuple[int, Aoi, SlideBox]]:
    """Yield each area with its number and the place of its label, in the order in which they are drawn.

    Small ones lie on large ones.
    """
    tags: list[SlideBox] = []
    for number, aoi in sorted(areas.items(), key=lambda numbered: -numbered[1].box.area):
        tags.append(_place_tag(number, aoi, picture, tags, size))
        yield number, aoi, tags[-1]


def _place_tag(number: int, aoi: Aoi, picture: SlideBox, taken: Sequence[SlideBox], size: float) -> SlideBox:
    """Place a label at a corner of its area, within the picture and beside other labels as far as that goes."""
    width, height = text_width(area_label(number, aoi), size, bold=True) + 7, size + 4.5
    x0, y0, x1, y1 = aoi.box
    left, right = picture.x + x0 * picture.width, picture.x + x1 * picture.width - width
    top, bottom = picture.y + y0 * picture.height, picture.y + y1 * picture.height
    corners = [(left, top - height), (left, top), (right, top - height), (right, top)]
    corners += [(left, bottom), (right, bottom), (left, bottom - height), (right, bottom - height)]
    places = [
        SlideBox(
            min(max(x, picture.x), max(picture.right - width, picture.x)),
            min(max(y, picture.y), max(picture.bottom - height, picture.y)),
            width,
            height,
        )
        for x, y in corners
    ]
    return min(places, key=lambda place: sum(place.overlap(other) for other in taken))


def grid(aspects: Sequence[float], body: SlideBox, least_panel: float) -> tuple[list[SlideBox], SlideBox]:
    """Place pictures of the same kind in rows and columns, as large as they can be, with a caption below each.

    Returns
    -------
    list of SlideBox
        Of each picture, without its caption.
    SlideBox
        The room that they take, with captions.
    """
    aspect, n = max(aspects), len(aspects)
    widest = body.width - least_panel - GAP

    def side(columns: int) -> float:
        rows = -(-n // columns)
        in_width = (widest - (columns - 1) * 10) / columns
        in_height = (body.height / rows - CAPTION_HEIGHT - 4) * aspect
        return min(in_width, in_height)

    columns = max(range(1, n + 1), key=lambda columns: side(columns) * (1.12 if columns == n else 1.0))
    width = side(columns)
    height = width / aspect
    across, down = width + 10, height + CAPTION_HEIGHT + 6
    places = [SlideBox(body.x + i % columns * across, body.y + i // columns * down, width, height) for i in range(n)]
    return places, SlideBox(
        body.x, body.y, max(p.right for p in places) - body.x, places[-1].bottom + CAPTION_HEIGHT - body.y
    )


def picture_size(jpeg: bytes) -> tuple[int, int]:
    """Return width and height of an encoded picture, px."""
    with Image.open(BytesIO(jpeg)) as image:
        return image.size


POINTS = 72 / 25.4
"""In a millimetre."""

_TAG_SIZE = 7.0  # of labels on paper, pt

TaggedArea = tuple[Aoi, str, float, float]
"""An area, its label, and the place of the label's upper left corner in its picture, %."""


def tagged_areas(areas: Mapping[int, Aoi], height: float, aspect: float) -> list[TaggedArea]:
    """Place the labels of areas, by number, on a printed picture of this height, mm, and width to height."""
    picture = SlideBox(0, 0, height * aspect * POINTS, height * POINTS)
    return [
        (
            area,
            area_label(number, area),
            round(100 * tag.x / picture.width, 2),
            round(100 * tag.y / picture.height, 2),
        )
        for number, area, tag in place_tags(areas, picture, _TAG_SIZE)
    ]
