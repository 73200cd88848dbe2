"""Draw the sheet of a video on a slide of PowerPoint: key frames, timeline, measures and what to mend."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pptx.enum.dml import MSO_LINE
from pptx.enum.text import PP_ALIGN
from pptx.slide import Slide

from mediaan.report.sheets.drawing import (
    ACCENT,
    INK,
    LINE,
    MARGIN,
    SOFT,
    WIDTH,
    Cell,
    Column,
    Paragraph,
    TextRun,
    add_areas,
    add_bar,
    add_footer,
    add_group,
    add_heading,
    add_line,
    add_picture,
    add_table,
    add_text,
    fit_paragraphs,
    set_notes,
    table_row_height,
    text_height,
)
from mediaan.report.sheets.film_chart import TEXT_SIZE, film_chart
from mediaan.report.sheets.film_sheet import MOST_FRAMES, FilmSheet
from mediaan.report.sheets.key_frames import ScenePicture
from mediaan.report.sheets.medium_sheet import MediumSheet
from mediaan.report.sheets.placement import SlideBox
from mediaan.report.sheets.text_fit import text_width

_GAP, _TOP, _BOTTOM = 8.0, 84.0, 508.0
_TALLEST_FRAME, _CAPTION = 130.0, 13.0
_CHART_WIDTH = 560.0
_CARD = "EEF0F6"
_TAG_SIZE = 7.0
_DASHES: Mapping[str, MSO_LINE | None] = {
    "Focus": None,
    "Cognitive demand": MSO_LINE.DASH,
    "Engagement": MSO_LINE.ROUND_DOT,
}


def add_film_slide(
    slide: Slide, sheet: MediumSheet, film: FilmSheet, frames: Sequence[ScenePicture], footer: str
) -> None:
    """Fill a slide.

    `film`: of the sheet.
    `frames`: empty where the run keeps no preview.
    """
    add_heading(slide, f"Film sheet: {sheet.entry.name}", film.scenes_words or sheet.facts)
    top = _draw_frames(slide, sheet.entry.name, frames)
    left = SlideBox(MARGIN, top, _CHART_WIDTH, _BOTTOM - top)
    right = SlideBox(left.right + 20, top, WIDTH - MARGIN - left.right - 20, _BOTTOM - top)
    mend_height = min(90.0, 16.0 + 24.0 * max(len(film.mend), 1))
    used = _draw_chart(slide, film, left._replace(height=left.height - mend_height))
    _draw_mend(slide, film, SlideBox(left.x, used + 8, left.width, left.bottom - used - 8))
    _draw_measures(slide, film, right)
    add_footer(slide, footer)
    lines = [f"{title}: {value}" for title, value in film.measures]
    lines += [f"Text “{text.text}”: {text.seconds:.1f} s on screen, {text.verdict}" for text in film.texts]
    set_notes(slide, [*lines, *(f"→ {line}" for line in film.mend), film.unknown])


def _draw_frames(slide: Slide, name: str, frames: Sequence[ScenePicture]) -> float:
    """Draw key frames in a row, as high as each other; return where the rest begins."""
    if not frames:
        return _TOP
    aspect = max(frame.width / frame.height for frame in frames)
    columns = max(len(frames), min(5, MOST_FRAMES))
    width = (WIDTH - 2 * MARGIN - (columns - 1) * _GAP) / columns
    height = min(width / aspect, _TALLEST_FRAME)
    for index, frame in enumerate(frames):
        box = SlideBox(MARGIN + index * (width + _GAP), _TOP, height * frame.width / frame.height, height)
        add_picture(slide, frame.jpeg, box, name=frame.title, alt=frame.alt(name))
        add_areas(slide, frame.areas, box, _TAG_SIZE)
        caption = SlideBox(box.x, box.bottom + 2, width, _CAPTION)
        add_text(slide, caption, [Paragraph([TextRun(frame.title, SOFT)], 8.5, 0.0)], name="Caption")
    return _TOP + height + _CAPTION + 8


def _draw_chart(slide: Slide, film: FilmSheet, box: SlideBox) -> float:
    """Draw the timeline; return its foot."""
    chart = film_chart(film, box.width, box.height)
    what = "Timeline: focus, cognitive demand and engagement over time, and when areas are on screen"
    group = add_group(slide, name="Timeline", alt=what)

    def shifted(x: float, y: float) -> tuple[float, float]:
        return (box.x + x, box.y + y)

    def label(x: float, y: float, text: str, width: float, align: PP_ALIGN = PP_ALIGN.LEFT) -> None:
        place = SlideBox(box.x + x, box.y + y - TEXT_SIZE, width, TEXT_SIZE * 1.35)
        add_text(group, place, [Paragraph([TextRun(text, SOFT)], TEXT_SIZE, 0.0)], name="Label", align=align)

    plot = chart.plot
    card = SlideBox(*shifted(chart.card.x, plot.y), chart.card.width, chart.foot - plot.y)
    add_bar(group, card, _CARD, name="End card")
    label(plot.right - 120, 8.0, "Shaded: end card", 120, PP_ALIGN.RIGHT)
    for share in (0, 50, 100):
        y = plot.bottom - plot.height * share / 100
        add_line(group, [shifted(plot.x, y), shifted(plot.right, y)], LINE, name="Line")
        label(plot.x - 44, y + 2.6, f"{share}", 40, PP_ALIGN.RIGHT)
    for x in chart.cuts:
        add_line(group, [shifted(x, plot.y), shifted(x, chart.foot)], "8A93A3", name="Cut", dash=MSO_LINE.ROUND_DOT)
    for curve in chart.curves:
        key = [shifted(curve.legend_x, 5), shifted(curve.legend_x + 18, 5)]
        dash = _DASHES[curve.title]
        add_line(group, key, curve.colour, name="Key", width=1.5, dash=dash)
        label(curve.legend_x + 21, 8.0, curve.title, text_width(curve.title, TEXT_SIZE) + 6)
        for piece in curve.pieces:
            alt = f"{curve.title} over time, 0 to 100"
            points = [shifted(x, y) for x, y in piece]
            add_line(group, points, curve.colour, name=curve.title, width=1.5, dash=dash, alt=alt)
    for x, text in chart.ticks:
        label(x - 20, chart.ticks_y, text, 40, PP_ALIGN.CENTER)
    for y, title in chart.lanes:
        label(0, y, title, plot.x - 4, PP_ALIGN.RIGHT)
    for bar in chart.bars:
        place = SlideBox(*shifted(bar.box.x, bar.box.y), bar.box.width, bar.box.height)
        add_bar(group, place, bar.colour, bar.text, name=f"On screen: {bar.text}" if bar.text else "On screen")
    return box.y + chart.foot


def _draw_mend(slide: Slide, film: FilmSheet, box: SlideBox) -> None:
    if box.height < 24:
        return
    lines = [Paragraph([TextRun("What to mend", ACCENT, bold=True)], 10.5, 2.0)]
    advice = film.mend or ["Nothing among these measures."]
    lines += [Paragraph([TextRun(f"→ {line}", INK)], 9.5, 2.0, hanging=12.0) for line in advice]
    add_text(slide, box, fit_paragraphs(lines, box, smallest=8.0), name="What to mend")


def _draw_measures(slide: Slide, film: FilmSheet, box: SlideBox) -> None:
    """Draw measures, a paragraph each, then texts as a table where there is room."""
    lines = [Paragraph([TextRun("Measures", ACCENT, bold=True)], 10.5, 3.0)]
    lines += [Paragraph([TextRun(f"{title}: ", SOFT), TextRun(value)], 10.0, 3.5) for title, value in film.measures]
    if film.unknown:
        lines.append(Paragraph([TextRun(film.unknown, SOFT)], 9.0, 3.0))
    size = 8.5
    texts_height = table_row_height(size) * (min(len(film.texts), 5) + 1) + 8 if film.texts else 0.0
    fitted = fit_paragraphs(lines, box._replace(height=box.height - texts_height), smallest=8.0)
    used = text_height(fitted, box.width)
    add_text(slide, box._replace(height=used), fitted, name="Measures")
    y = box.y + used + 8
    texts = film.texts[: max(int((box.bottom - y) / table_row_height(size)) - 1, 0)]
    if texts:
        columns = [Column("Text", 0.54 * box.width), Column("On screen", 0.2 * box.width), Column("", 0.26 * box.width)]
        cells = [[Cell(text.text), Cell(f"{text.seconds:.1f} s"), Cell(text.verdict)] for text in texts]
        add_table(slide, box.x, y, columns, cells, name="Texts", size=size)
