"""Draw text, chips, tables and outlines on slides of PowerPoint, in points from the upper left corner."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any

from lxml import etree
from pptx.dml.color import RGBColor
from pptx.enum.dml import MSO_LINE
from pptx.enum.shapes import MSO_SHAPE
from pptx.enum.text import MSO_ANCHOR, MSO_AUTO_SIZE, PP_ALIGN
from pptx.oxml.ns import qn
from pptx.shapes.group import GroupShape
from pptx.slide import Slide
from pptx.text.text import TextFrame
from pptx.util import Emu, Length, Pt

from mediaan.report.formatting import area_label, area_name, area_title, outline, percent_text, unbroken
from mediaan.report.sheets.placement import (
    AREA_COLOURS,
    LINE_HEIGHT,
    SlideBox,
    cut_to_line,
    place_tags,
    text_width,
    wrap_lines,
)
from mediaan.types.aoi import Aoi

WIDTH, HEIGHT = 960.0, 540.0
"""Of a slide of 16:9, pt."""

TAG_SIZE = 9.0
"""Of labels of areas, pt."""

FONT = "Arial"
INK, SOFT, LINE, ACCENT, WHITE = "151A23", "576173", "D5DAE3", "4338CA", "FFFFFF"
_UNSAFE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_NO_STYLE = "{2D5ABB26-0587-4C30-8999-92F81FD0307C}"  # of tables: neither fills nor lines


@dataclass(frozen=True, slots=True)
class TextRun:
    """Text in one colour and weight."""

    text: str
    colour: str = INK
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph; `hanging` pt of its first line stand out to the left."""

    runs: Sequence[TextRun]
    size: float = 11.0
    after: float = 4.0
    hanging: float = 0.0
    before: float = 0.0

    @property
    def text(self) -> str:
        """All its text."""
        return "".join(run.text for run in self.runs)

    def height(self, width: float) -> float:
        """Estimate the height in a column, pt."""
        lines = wrap_lines(self.text, width - self.hanging, self.size, bold=self.runs[0].bold and len(self.runs) == 1)
        return max(len(lines), 1) * self.size * LINE_HEIGHT + self.before + self.after


def xml_safe(text: str) -> str:
    """Replace what XML cannot hold, as names of files and text that was read from pictures may have it.

    >>> xml_safe("a\\x08b\\ud800")
    'a\ufffdb\ufffd'
    """
    return _UNSAFE.sub("\ufffd", text)


def _lengths(box: SlideBox) -> tuple[Length, Length, Length, Length]:
    """Return a box as python-pptx takes it."""
    x, y, width, height = (Pt(value) for value in box)
    return x, y, width, height


def text_height(paragraphs: Iterable[Paragraph], width: float) -> float:
    """Estimate the height of paragraphs in a column, pt."""
    return sum(paragraph.height(width) for paragraph in paragraphs)


def fit_paragraphs(paragraphs: Sequence[Paragraph], box: SlideBox, smallest: float = 9.0) -> list[Paragraph]:
    """Scale text to fit its box; where even the smallest does not fit, leave out the last lines and say how many.

    A paragraph in bold is a heading: it does not stay behind without what follows it.
    """
    for scale in (1.15, 1.07, 1.0, 0.95, 0.9, 0.85, 0.8):
        scaled = [replace(line, size=max(line.size * scale, smallest), after=line.after * scale) for line in paragraphs]
        if text_height(scaled, box.width) <= box.height:
            return scaled
    kept = list(scaled)
    while kept:
        kept.pop()
        left = sum(not _is_heading(paragraph) for paragraph in scaled[len(kept) :])
        if kept and _is_heading(kept[-1]):
            continue
        more = Paragraph([TextRun(f"… {left} more in the notes of this slide", SOFT)], smallest, 0.0)
        if text_height([*kept, more], box.width) <= box.height:
            return [*kept, more]
    return []


def _is_heading(paragraph: Paragraph) -> bool:
    return len(paragraph.runs) == 1 and paragraph.runs[0].bold


def set_text(frame: TextFrame, paragraphs: Sequence[Paragraph], align: PP_ALIGN = PP_ALIGN.LEFT) -> None:
    """Fill a text frame; it neither grows nor shrinks by itself, and lines break at its width."""
    frame.word_wrap, frame.auto_size = True, MSO_AUTO_SIZE.NONE
    frame.margin_left = frame.margin_right = frame.margin_top = frame.margin_bottom = Pt(0)
    for index, text in enumerate(paragraphs):
        paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
        paragraph.alignment, paragraph.space_after, paragraph.line_spacing = align, Pt(text.after), 1.0
        if text.before and index:
            paragraph.space_before = Pt(text.before)
        if text.hanging:
            properties = paragraph._p.get_or_add_pPr()
            properties.set("marL", str(Pt(text.hanging)))
            properties.set("indent", str(-Pt(text.hanging)))
        for part in text.runs:
            run = paragraph.add_run()
            run.text = unbroken(xml_safe(part.text))
            run.font.name, run.font.size, run.font.bold = FONT, Pt(round(text.size, 1)), part.bold
            run.font.color.rgb = RGBColor.from_string(part.colour)


def add_group(slide: Slide, *, name: str, alt: str) -> GroupShape:
    """Add a group, to be filled and then moved as one."""
    group = slide.shapes.add_group_shape()
    group.name = name
    _describe(group, alt)
    return group


def add_text(
    slide: Slide | GroupShape,
    box: SlideBox,
    paragraphs: Sequence[Paragraph],
    *,
    name: str,
    align: PP_ALIGN = PP_ALIGN.LEFT,
) -> None:
    """Add a text box."""
    shape = slide.shapes.add_textbox(*_lengths(box))
    shape.name = name
    set_text(shape.text_frame, paragraphs, align)


def set_title(slide: Slide, box: SlideBox, text: str, size: float) -> None:
    """Fill the title of a slide, cut to one line; outlines and screen readers name the slide by it."""
    title = slide.shapes.title
    assert title is not None
    title.left, title.top, title.width, title.height = _lengths(box)
    cut = cut_to_line(text, box.width, size, bold=True)
    set_text(title.text_frame, [Paragraph([TextRun(cut, bold=True)], size, 0.0)])
    title.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE


_CHIP_SIZE, _BAR_SIZE = 13.0, 7.0  # pt


def _add_filled(
    slide: Slide | GroupShape, box: SlideBox, colour: str, *, name: str, kind: MSO_SHAPE = MSO_SHAPE.RECTANGLE
) -> Any:
    """Add a filled shape without an outline or a shadow."""
    shape = slide.shapes.add_shape(kind, *_lengths(box))
    shape.name = name
    shape.fill.solid()
    shape.fill.fore_color.rgb = RGBColor.from_string(colour)
    shape.line.fill.background()
    _flatten(shape)
    return shape


def add_chip(slide: Slide, right: float, y: float, text: str, colour: str) -> SlideBox:
    """Add a filled chip with white text that ends at `right`; return its place."""
    width = text_width(text, _CHIP_SIZE, bold=True) + 22
    box = SlideBox(right - width, y, width, _CHIP_SIZE * 2)
    chip = _add_filled(slide, box, colour, name="Verdict", kind=MSO_SHAPE.ROUNDED_RECTANGLE)
    chip.adjustments[0] = 0.5
    set_text(chip.text_frame, [Paragraph([TextRun(text, WHITE, bold=True)], _CHIP_SIZE, 0.0)], PP_ALIGN.CENTER)
    chip.text_frame.vertical_anchor, chip.text_frame.word_wrap = MSO_ANCHOR.MIDDLE, False
    return box


def add_picture(slide: Slide, jpeg: bytes, box: SlideBox, *, name: str, alt: str, crop_bottom: float = 0.0) -> None:
    """Add a picture with its alternative text; `crop_bottom` of its height is hidden."""
    picture = slide.shapes.add_picture(BytesIO(jpeg), *_lengths(box))
    picture.name, picture.crop_bottom = name, crop_bottom
    picture.line.color.rgb, picture.line.width = RGBColor.from_string(LINE), Pt(0.5)
    _describe(picture, alt)


def add_logo(slide: Slide, png: bytes, box: SlideBox, *, alt: str) -> None:
    """Add a logo as large as the box allows, at its right and vertically in its middle."""
    picture = slide.shapes.add_picture(BytesIO(png), Emu(0), Emu(0))
    scale = min(Pt(box.width) / picture.width, Pt(box.height) / picture.height)
    picture.width, picture.height = Emu(round(picture.width * scale)), Emu(round(picture.height * scale))
    picture.left = Emu(round(Pt(box.x + box.width) - picture.width))
    picture.top = Emu(round(Pt(box.y + box.height / 2) - picture.height / 2))
    picture.name = "Logo"
    _describe(picture, alt)


def add_bar(slide: Slide | GroupShape, box: SlideBox, colour: str, text: str = "", *, name: str) -> None:
    """Add a filled rectangle, with white text at its left; without text it is decoration."""
    bar = _add_filled(slide, box, colour, name=name)
    if text:
        set_text(bar.text_frame, [Paragraph([TextRun(text, WHITE)], _BAR_SIZE, 0.0)])
        bar.text_frame.margin_left, bar.text_frame.word_wrap = Pt(2), False
        bar.text_frame.vertical_anchor = MSO_ANCHOR.MIDDLE
    else:
        hide_from_readers(bar)


def add_line(
    slide: Slide | GroupShape,
    points: Sequence[tuple[float, float]],
    colour: str,
    *,
    name: str,
    width: float = 0.5,
    dash: MSO_LINE | None = None,
    alt: str = "",
) -> None:
    """Add a line through points; without alternative text it is decoration."""
    builder = slide.shapes.build_freeform(Pt(points[0][0]), Pt(points[0][1]), scale=1.0)
    builder.add_line_segments([(Pt(x), Pt(y)) for x, y in points[1:]], close=False)
    line = builder.convert_to_shape()
    line.name = name
    line.fill.background()
    line.line.color.rgb, line.line.width = RGBColor.from_string(colour), Pt(width)
    if dash is not None:
        line.line.dash_style = dash
    _flatten(line)
    if alt:
        _describe(line, alt)
    else:
        hide_from_readers(line)


def _describe(shape: Any, text: str) -> None:
    """Set the alternative text of a shape."""
    shape.element.xpath(".//p:cNvPr")[0].set("descr", xml_safe(text))


def _flatten(shape: Any) -> None:
    """Remove the theme's shadow and other effects from a shape."""
    if (style := shape.element.find(qn("p:style"))) is not None:
        shape.element.remove(style)


def hide_from_readers(shape: Any) -> None:
    """Mark a shape as decoration, which screen readers pass over."""
    uri, namespace = (
        "{C183D7F6-B498-43B3-948B-1728B52AA6E4}",
        "http://schemas.microsoft.com/office/drawing/2017/decorative",
    )
    properties = shape.element.xpath(".//p:cNvPr")[0]
    extension = etree.SubElement(etree.SubElement(properties, qn("a:extLst")), qn("a:ext"), uri=uri)
    etree.SubElement(extension, f"{{{namespace}}}decorative", nsmap={"adec": namespace}, val="1")


def add_areas(slide: Slide, areas: Mapping[int, Aoi], picture: SlideBox, tag_size: float = TAG_SIZE) -> None:
    """Draw areas over a picture, each as a group of outline and percentage that can be moved or deleted."""
    for number, area, tag in place_tags(areas, picture, tag_size):
        colour = RGBColor.from_string(AREA_COLOURS[area.type])
        title, percentage = area_title(area), area_label(number, area)
        group = slide.shapes.add_group_shape()
        group.name = xml_safe(f"Area {number}: {title}, {percentage}")
        seen = percent_text(area.score("percentage_seen"))
        _describe(group, f"{title} “{area_name(area)}”: {seen} of viewers see it")
        points = [(picture.x + x * picture.width, picture.y + y * picture.height) for x, y in outline(area)]
        for width, line_colour in ((2.25, RGBColor.from_string(WHITE)), (1.25, colour)):  # seen on any ground
            if area.polygon:
                builder = group.shapes.build_freeform(Pt(points[0][0]), Pt(points[0][1]), scale=1.0)
                builder.add_line_segments([(Pt(x), Pt(y)) for x, y in points[1:]], close=True)
                line = builder.convert_to_shape()
            else:
                (x0, y0), (x1, y1) = points[0], points[2]
                line = group.shapes.add_shape(
                    MSO_SHAPE.RECTANGLE, *_lengths(SlideBox(x0, y0, max(x1 - x0, 1), max(y1 - y0, 1)))
                )
            line.name = "Outline"
            line.fill.background()
            line.line.color.rgb, line.line.width = line_colour, Pt(width)
            _flatten(line)
        label = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, *_lengths(tag))
        label.name = "Label"
        label.fill.solid()
        label.fill.fore_color.rgb = colour
        label.line.color.rgb, label.line.width = RGBColor.from_string(WHITE), Pt(0.75)
        _flatten(label)
        set_text(label.text_frame, [Paragraph([TextRun(percentage, WHITE, bold=True)], tag_size, 0.0)], PP_ALIGN.CENTER)
        label.text_frame.word_wrap, label.text_frame.vertical_anchor = False, MSO_ANCHOR.MIDDLE


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table."""

    title: str
    width: float
    align: PP_ALIGN = PP_ALIGN.LEFT


@dataclass(frozen=True, slots=True)
class Cell:
    """Text of a cell, cut to its column."""

    text: str
    colour: str = INK
    bold: bool = False


def add_table(
    slide: Slide,
    x: float,
    y: float,
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    name: str,
    size: float,
) -> float:
    """Add a table of single lines; return its height, pt."""
    row_height = table_row_height(size)
    width = sum(column.width for column in columns)
    box = SlideBox(x, y, width, row_height * (len(rows) + 1))
    shape = slide.shapes.add_table(len(rows) + 1, len(columns), *_lengths(box))
    shape.name, table = name, shape.table
    table.first_row, table.horz_banding = True, False
    table._tbl.find(f".//{qn('a:tableStyleId')}").text = _NO_STYLE
    heads = [Cell(column.title, SOFT) for column in columns]
    for place, column in enumerate(columns):
        table.columns[place].width = Pt(column.width)
    for index, cells in enumerate([heads, *rows]):
        table.rows[index].height = Pt(row_height)
        for place, (cell, column) in enumerate(zip(cells, columns, strict=True)):
            entry = table.cell(index, place)
            text = cut_to_line(cell.text, column.width - 2 * _CELL_MARGIN, size, bold=cell.bold)
            set_text(entry.text_frame, [Paragraph([TextRun(text, cell.colour, cell.bold)], size, 0.0)], column.align)
            entry.margin_left, entry.margin_right = Pt(_CELL_MARGIN if place else 0), Pt(_CELL_MARGIN)
            entry.margin_top = entry.margin_bottom = Pt(1)
            entry.vertical_anchor = MSO_ANCHOR.MIDDLE
            _underline(entry)
    return box.height


_CELL_MARGIN = 3.0


def table_row_height(size: float) -> float:
    """Return the height of a row of a table with text of this size, pt."""
    return round(size * LINE_HEIGHT + 5.5, 1)


def _underline(cell: Any) -> None:
    """Draw a thin line below a cell."""
    line = etree.SubElement(cell._tc.get_or_add_tcPr(), qn("a:lnB"), w=str(Pt(0.5)))
    colour = etree.SubElement(etree.SubElement(line, qn("a:solidFill")), qn("a:srgbClr"))
    colour.set("val", LINE)


MARGIN = 30.0
"""Of a slide, pt."""


def add_heading(slide: Slide, title: str, facts: str, right: float = WIDTH - MARGIN) -> None:
    """Add the title of a slide, which ends at `right`, and below it a line of facts and a rule."""
    set_title(slide, SlideBox(MARGIN, 22, right - MARGIN, 32), title, 22)
    width = WIDTH - 2 * MARGIN
    line = fit_paragraphs([Paragraph([TextRun(facts, SOFT)], 11.0, 0.0)], SlideBox(0, 0, width, 15))
    add_text(slide, SlideBox(MARGIN, 57, width, 16), line, name="Facts")
    hide_from_readers(_add_filled(slide, SlideBox(MARGIN, 78, width, 0.75), LINE, name="Line"))


def set_notes(slide: Slide, lines: Iterable[str]) -> None:
    """Set the speaker notes of a slide."""
    notes = slide.notes_slide.notes_text_frame
    assert notes is not None
    notes.text = xml_safe("\n".join(lines))


def add_footer(slide: Slide, text: str) -> None:
    """Add the line at the foot of a slide, and its number as a field, which stays right when slides are moved."""
    add_text(slide, SlideBox(MARGIN, 517, 780, 14), [Paragraph([TextRun(text, SOFT)], 9.0, 0.0)], name="Footer")
    number = slide.shapes.add_textbox(*_lengths(SlideBox(WIDTH - MARGIN - 60, 517, 60, 14)))
    number.name = "Slide number"
    set_text(number.text_frame, [Paragraph([TextRun("0", SOFT)], 9.0, 0.0)], PP_ALIGN.RIGHT)
    run = number.text_frame.paragraphs[0]._p.find(qn("a:r"))
    run.tag = qn("a:fld")
    run.set("id", "{B6F15528-21DE-4FAA-801E-634DDDAF4B2B}")
    run.set("type", "slidenum")
