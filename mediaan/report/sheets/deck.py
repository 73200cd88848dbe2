"""Write a PowerPoint file: a title, a table of all media, then a slide for each; a video has a second one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path

from pptx import Presentation
from pptx.enum.dml import MSO_LINE
from pptx.enum.text import PP_ALIGN
from pptx.oxml.ns import qn
from pptx.presentation import Presentation as Deck
from pptx.slide import Slide
from pptx.util import Pt

from mediaan.report.formatting import area_name, area_title, first_seen_text, percent_text
from mediaan.report.medium_summary import STATUS_MARKS
from mediaan.report.sheets.drawing import (
    ACCENT,
    HEIGHT,
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
    add_chip,
    add_footer,
    add_group,
    add_heading,
    add_line,
    add_logo,
    add_picture,
    add_table,
    add_text,
    fit_paragraphs,
    set_notes,
    set_title,
    table_row_height,
    text_height,
    xml_safe,
)
from mediaan.report.sheets.film_chart import TEXT_SIZE, film_chart
from mediaan.report.sheets.film_sheet import MOST_FRAMES, FilmSheet, ScenePicture, read_key_frames
from mediaan.report.sheets.medium_sheet import VERDICT_MARKS, MediumSheet, ReportSheets
from mediaan.report.sheets.placement import (
    CAPTION_HEIGHT,
    GAP,
    LINE_HEIGHT,
    MOST_AREAS,
    STATUS_COLOURS,
    VERDICT_COLOURS,
    SlideBox,
    choose_areas,
    cut_to_lines,
    grid,
    picture_size,
    text_width,
)
from mediaan.report.web.images import shrink_jpeg
from mediaan.run.files import disk_errors, write_atomic
from mediaan.storage import Storage
from mediaan.types.aoi import Aoi

PICTURE_SIDE = 1600
"""Long side of pictures at most, px: sharp when one fills a screen."""

_TITLE_ONLY = 5  # layout of the template that python-pptx brings
_BODY = SlideBox(MARGIN, 88, WIDTH - 2 * MARGIN, 420)
_LEAST_PANEL, _TWO_COLUMNS = 310.0, 520.0
_ROWS = 23  # of the table of all media, on a slide
_LINES = 4  # of a check or a suggestion


def write_deck(report: ReportSheets, storage: Storage, out: Path) -> None:
    """Write the slides of a run.

    `out`: the file, replaced.
    """
    deck = Presentation()
    _make_wide(deck)
    deck.core_properties.title = xml_safe(f"{report.name}: predicted attention")
    deck.core_properties.author = deck.core_properties.last_modified_by = "mediaan"
    deck.core_properties.subject = report.headline
    footer = f"{report.name} · {report.created} · predicted attention, not measured"
    _add_title_slide(deck, report)
    _add_tables(deck, report, footer)
    for sheet in report.sheets:
        _MediumSlide(_new_slide(deck), sheet, storage, footer).draw(report)
        if sheet.film is not None:
            add_film_slide(_new_slide(deck), sheet, sheet.film, read_key_frames(sheet, storage), footer)
    if report.failed:
        _add_failed(deck, report, footer)
    data = BytesIO()
    deck.save(data)
    with disk_errors(out):
        out.parent.mkdir(exist_ok=True)
    write_atomic(out, data.getvalue())


def _make_wide(deck: Deck) -> None:
    """Make slides 16:9, and stretch the layouts of the template, which are 4:3, to that width."""
    stretch = Pt(WIDTH) / (deck.slide_width or Pt(WIDTH))
    deck.slide_width, deck.slide_height = Pt(WIDTH), Pt(HEIGHT)
    for page in (deck.slide_master, *deck.slide_layouts):
        for tag, side in (("a:off", "x"), ("a:ext", "cx")):
            for place in page.element.iter(qn(tag)):
                if side in place.attrib:
                    place.set(side, str(round(int(place.get(side)) * stretch)))


def _new_slide(deck: Deck) -> Slide:
    slide: Slide = deck.slides.add_slide(deck.slide_layouts[_TITLE_ONLY])
    return slide


def _add_title_slide(deck: Deck, report: ReportSheets) -> None:
    slide = _new_slide(deck)
    set_title(slide, SlideBox(60, 70, WIDTH - 120, 48), report.name, 36)
    done, moving = report.overview.done, report.overview.moving
    videos = f", {moving:,} of them {'a video' if moving == 1 else 'videos'}" if moving else ""
    if report.heading.logo:
        add_logo(slide, report.heading.png, SlideBox(WIDTH - 240, 24, 180, 40), alt=report.heading.client or "Logo")
    client = f"{report.heading.client} · " if report.heading.client else ""
    facts = f"{client}Predicted attention · {report.created} · {report.noun.counted(done)}{videos}"
    add_text(slide, SlideBox(60, 122, WIDTH - 120, 24), [Paragraph([TextRun(facts, SOFT)], 16.0, 0.0)], name="Facts")
    headline = fit_paragraphs([Paragraph([TextRun(report.headline)], 20.0, 0.0)], SlideBox(60, 170, WIDTH - 120, 76))
    add_text(slide, SlideBox(60, 170, WIDTH - 120, 76), headline, name="Headline")
    for index, (verdict, title, n) in enumerate(report.verdicts):
        mark = TextRun(f"{VERDICT_MARKS[verdict]} {title}", VERDICT_COLOURS[verdict], bold=True)
        tile = [
            Paragraph([TextRun(f"{n:,}", VERDICT_COLOURS[verdict], bold=True)], 32.0, 0.0),
            Paragraph([mark], 13.0, 0.0),
        ]
        add_text(slide, SlideBox(60 + index * 150, 262, 140, 64), tile, name=f"Verdict: {title}")
    if report.recurring:
        lines = [Paragraph([TextRun("Most common problems", bold=True)], 13.0)]
        lines += [Paragraph([TextRun(f"{n:,} × {short}")], 13.0, 3.0) for short, n in report.recurring[:4]]
        box = SlideBox(60, 346, 400, 100)
        add_text(slide, box, fit_paragraphs(lines, box), name="Most common problems")
    cautions = [Paragraph([TextRun("About these numbers", bold=True)], 13.0)]
    cautions += [Paragraph([TextRun(line, SOFT)], 12.0, 3.0) for line in report.cautions]
    box = SlideBox(490, 346, WIDTH - 550, 150)
    add_text(slide, box, fit_paragraphs(cautions, box), name="About these numbers")
    set_notes(slide, [*report.cautions, report.models])


def _add_tables(deck: Deck, report: ReportSheets, footer: str) -> None:
    """Add the table of all media, on as many slides as it takes."""
    pages = -(-len(report.sheets) // _ROWS)
    rows_each = -(-len(report.sheets) // max(pages, 1))
    counts = (Column(word.removesuffix(" to call"), 68, PP_ALIGN.RIGHT) for _, word in STATUS_MARKS.values())
    columns = [
        Column("Slide", 40, PP_ALIGN.RIGHT),
        Column("Ad", 258),
        Column("Verdict", 130),
        Column("Purpose", 100),
        Column("Brand", 100),
        *counts,
    ]
    size = min((430 / (rows_each + 1) - 5.5) / LINE_HEIGHT, 12.0)
    numbers, at = [], 2 + pages  # the slide of each medium; a video has a second one
    for sheet in report.sheets:
        numbers.append(at)
        at += 1 if sheet.film is None else 2
    for page in range(pages):
        slide = _new_slide(deck)
        title = "All ads, best first" + (f" ({page + 1} of {pages})" if pages > 1 else "")
        set_title(slide, SlideBox(MARGIN, 26, _BODY.width, 34), title, 24)
        rows = []
        for index, sheet in list(enumerate(report.sheets))[page * rows_each : (page + 1) * rows_each]:
            verdict = Cell(f"{sheet.mark} {sheet.lead}", VERDICT_COLOURS[sheet.verdict], bold=True)
            counts_of_sheet = [Cell(f"{sheet.count(status) or '–'}") for status in STATUS_MARKS]
            names = (sheet.entry.name, sheet.purpose or "–", sheet.entry.brand or "–")
            name, purpose, brand = (Cell(text) for text in names)
            rows.append([Cell(f"{numbers[index]}", SOFT), name, verdict, purpose, brand, *counts_of_sheet])
        add_table(slide, MARGIN, 74, columns, rows, name="All ads", size=size)
        add_footer(slide, footer)


def _add_failed(deck: Deck, report: ReportSheets, footer: str) -> None:
    """Add a table of the files that could not be analyzed."""
    slide = _new_slide(deck)
    set_title(slide, SlideBox(MARGIN, 26, _BODY.width, 34), f"Not analyzed: {report.overview.failed:,}", 24)
    columns = [Column("File", 330), Column("Why", _BODY.width - 330)]
    rows = [
        [Cell(entry.paths[0]), Cell(entry.failure.message if entry.failure else "")] for entry in report.failed[:_ROWS]
    ]
    add_table(slide, MARGIN, 74, columns, rows, name="Not analyzed", size=10.5)
    add_footer(slide, footer)


class _MediumSlide:
    """The slide of one medium."""

    def __init__(self, slide: Slide, sheet: MediumSheet, storage: Storage, footer: str) -> None:
        self._slide, self._sheet, self._storage, self._footer = slide, sheet, storage, footer
        self._shown = choose_areas(sheet.entry.areas)

    def draw(self, report: ReportSheets) -> None:
        slide, sheet = self._slide, self._sheet
        chip = add_chip(slide, WIDTH - MARGIN, 25, f"{sheet.mark}  {sheet.lead}", VERDICT_COLOURS[sheet.verdict])
        add_heading(slide, sheet.entry.name, sheet.facts, right=chip.x - 16)
        used = self._draw_pictures()
        panel = SlideBox(used.right + GAP + 4, _BODY.y, _BODY.right - used.right - GAP - 4, _BODY.height)
        below = SlideBox(_BODY.x, used.bottom + 14, used.width, _BODY.bottom - used.bottom - 14)
        areas_below = bool(sheet.entry.areas) and below.height >= 5 * table_row_height(9.0) and below.width >= 380
        blocks = [self._checks(), self._advice()]
        if panel.width >= _TWO_COLUMNS:
            width = (panel.width - GAP) / 2
            self._stack([blocks[0]], panel._replace(width=width))
            side = panel._replace(x=panel.x + width + GAP, width=width)
            self._stack([blocks[1]], side, scores=True, areas=not areas_below)
        else:
            self._stack(blocks, panel, scores=True, areas=not areas_below)
        if areas_below:
            self._draw_area_table(below)
        add_footer(slide, self._footer)
        set_notes(slide, note_lines(sheet, report))

    def _draw_pictures(self) -> SlideBox:
        """Draw the picture with its areas and its heat, or key frames of a video; return the room that they take."""
        sheet = self._sheet
        if sheet.entry.moves and (frames := read_key_frames(sheet, self._storage)):
            places, used = grid([frame.width / frame.height for frame in frames], _BODY, _LEAST_PANEL)
            for frame, box in zip(frames, places, strict=True):
                add_picture(self._slide, frame.jpeg, box, name=frame.title, alt=frame.alt(sheet.entry.name))
                self._caption(box, frame.title + ("" if box.width < 180 else ": with predicted attention"))
            return used
        original, heat = self._picture("original"), self._picture("heat")
        pictures = [picture for picture in (original, heat) if picture]
        if not pictures:
            text = "The run keeps no image of this file."
            add_text(
                self._slide, _BODY._replace(width=200, height=30), [Paragraph([TextRun(text, SOFT)])], name="No image"
            )
            return _BODY._replace(width=200, height=30)
        width, height = picture_size(pictures[0])
        places, used = grid([width / height] * len(pictures), _BODY, _LEAST_PANEL)
        name = sheet.entry.name
        if original:
            add_picture(self._slide, original, places[0], name="Picture", alt=f"The file {name}")
            if not sheet.entry.moves and self._shown:
                add_areas(self._slide, self._shown, places[0])
                caption = "Viewers who see each area"
                if len(self._shown) < len(sheet.entry.areas):
                    caption += f", {len(self._shown)} of {len(sheet.entry.areas)} areas"
                self._caption(places[0], caption if places[0].width >= 200 else "Who sees each, %")
        if heat:
            hidden = 0.0
            if original:  # the legend below a heatmap is no native text
                heat_width, heat_height = picture_size(heat)
                hidden = max(0.0, 1 - (heat_width * height / width) / heat_height)
            alt = f"Heatmap of {name}: where people are predicted to look"
            add_picture(self._slide, heat, places[-1], name="Heatmap", alt=alt, crop_bottom=hidden)
            self._caption(places[-1], "Attention" if places[-1].width < 150 else "Attention: purple some, yellow most")
        return used

    def _picture(self, name: str) -> bytes | None:
        path = self._sheet.entry.maps.get(name)
        try:
            return shrink_jpeg(self._storage.read(path), PICTURE_SIDE) if path else None
        except FileNotFoundError:
            return None

    def _caption(self, picture: SlideBox, text: str) -> None:
        box = SlideBox(picture.x, picture.bottom + 2, max(picture.width, 60), CAPTION_HEIGHT - 2)
        paragraphs = [Paragraph([TextRun(cut_to_lines(text, box.width, 9.0, 1), SOFT)], 9.0, 0.0)]
        add_text(self._slide, box, paragraphs, name="Caption")

    def _stack(
        self, blocks: Sequence[list[Paragraph]], box: SlideBox, *, scores: bool = False, areas: bool = False
    ) -> None:
        """Set blocks of text from above, the score table at the foot, and areas between them where there is room."""
        shown_scores = self._sheet.headline_scores if scores else []
        table_height = table_row_height(9.0) * (len(shown_scores) + 1) + 10 if shown_scores else 0.0
        room = box._replace(height=box.height - table_height)
        paragraphs = [paragraph for block in blocks for paragraph in block]
        fitted = fit_paragraphs(paragraphs, room) if paragraphs else []
        used = text_height(fitted, box.width)
        if fitted:
            add_text(self._slide, box._replace(height=used), fitted, name="Checks and suggestions")
        y = box.y + used + (10 if fitted else 0)
        if shown_scores:
            rows = [
                [Cell(f"{score.title}  {score.value}"), Cell(score.standing or score.reason or "–", SOFT)]
                for score in shown_scores
            ]
            first = min(max(text_width(row[0].text, 9.0) for row in rows) + 8, 0.6 * box.width)
            columns = [Column("Score", first), Column("Benchmark", box.width - first)]
            y += add_table(self._slide, box.x, y, columns, rows, name="Scores", size=9.0) + 12
        if areas and self._sheet.entry.areas and box.bottom - y >= 4 * table_row_height(9.0):
            self._draw_area_table(SlideBox(box.x, y, box.width, box.bottom - y))

    def _draw_area_table(self, box: SlideBox) -> None:
        rows_that_fit = int(box.height / table_row_height(9.0)) - 1
        areas = self._sheet.entry.areas[: min(rows_that_fit, MOST_AREAS)]
        columns = [Column("Area", box.width - 160), Column("See it", 105), Column("Attention", 55)]
        rows = []
        for area in areas:
            title, name = area_title(area), area_name(area)
            is_named = name.lower() != title.lower() and box.width >= 300
            attention = percent_text(area.score("attention"))
            rows.append(
                [Cell(f"{title}: {name}" if is_named else name), Cell(_seen_text(self._sheet, area)), Cell(attention)]
            )
        add_table(self._slide, box.x, box.y, columns, rows, name="Areas", size=9.0)

    def _checks(self) -> list[Paragraph]:
        sheet = self._sheet
        paragraphs = [Paragraph([TextRun(sheet.sentence)], 12.0, 8.0)]
        for check in sheet.checks:
            colour = STATUS_COLOURS[check.status]
            fix = f" {check.todo}" if check.status == "failed" and check.todo in sheet.summary.to_try else ""
            text = f": {cut_to_lines(check.text + fix, 330, 11.0, _LINES)}"
            needed = " (required)" if check.required else ""
            runs = [TextRun(f"{check.mark} {check.word}{needed}", colour, bold=True), TextRun(text)]
            paragraphs.append(Paragraph(runs, 11.0, 4.0, hanging=11.0))
        return paragraphs

    def _advice(self) -> list[Paragraph]:
        tips = [cut_to_lines(tip, 330, 11.0, _LINES) for tip in self._sheet.tips[:3]]
        if not tips:
            return []
        heading = Paragraph([TextRun("What to try", ACCENT, bold=True)], 12.0, 4.0, before=6.0)
        return [heading, *(Paragraph([TextRun(f"→ {tip}", INK)], 11.0, 4.0, hanging=14.0) for tip in tips)]


def note_lines(sheet: MediumSheet, report: ReportSheets) -> Iterator[str]:
    """Yield the speaker notes of a medium: everything with its definition, and what it was made with."""
    yield f"{sheet.entry.paths[0]} · {sheet.facts}"
    yield f"{sheet.lead}: {sheet.sentence}"
    yield from sheet.notes
    yield ""
    yield "Checks"
    for check in sheet.checks:
        todo = f" {check.todo}" if check.todo else ""
        yield f"{check.mark} {check.word}{' (required)' if check.required else ''}: {check.title}. {check.text}{todo}"
    if sheet.summary.to_try:
        yield ""
        yield "What to try"
        yield from (f"→ {tip}" for tip in sheet.summary.to_try)
    yield ""
    yield "Scores"
    for score in sheet.scores:
        standing = f", {score.standing}" if score.standing else ""
        yield f"{score.title}: {score.value}{standing}. {score.definition} {score.agreement}".rstrip()
    if sheet.entry.moves:
        yield sheet.agreement
    if sheet.entry.areas:
        yield ""
        yield "Areas: predicted share of viewers who see each, share of attention, first seen"
    for number, area in enumerate(sheet.entry.areas, 1):
        times = "" if area.t0_s is None or area.t1_s is None else f", on screen {area.t0_s:.1f}–{area.t1_s:.1f} s"
        numbers = f"{_seen_text(sheet, area)}, {percent_text(area.score('attention'))}, {first_seen_text(area)}"
        yield f"{number}. {area_title(area)} “{area_name(area)}”: {numbers}{times}"
    yield ""
    yield report.models


def _seen_text(sheet: MediumSheet, area: Aoi) -> str:
    score = area.score("percentage_seen")
    return percent_text(score, sheet.entry.moves_by(score))


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
