"""Render the page that is printed: a short summary, then a page of paper for each medium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from markupsafe import Markup

from mediaan.report.data.entries import MediumEntry
from mediaan.report.formatting import duration
from mediaan.report.sheets.area_text import area_label, area_name, first_seen_text, percent_text
from mediaan.report.sheets.film_chart import FilmChart, film_chart
from mediaan.report.sheets.film_sheet import FilmSheet, film_sheet, scene_title
from mediaan.report.sheets.key_frames import ScenePicture, read_key_frames
from mediaan.report.sheets.medium_sheet import VERDICT_MARKS, MediumSheet, ReportSheets
from mediaan.report.sheets.placement import (
    AREA_COLOURS,
    MOST_AREAS,
    STATUS_COLOURS,
    VERDICT_COLOURS,
    SlideBox,
    choose_areas,
    picture_size,
    place_tags,
)
from mediaan.report.summary.medium import STATUS_MARKS
from mediaan.report.web.environment import jpeg_uri, page_environment, read_source, script_hash, sources
from mediaan.storage import Storage
from mediaan.types.aoi import Aoi
from mediaan.types.area_types import AREA_TYPES

MOST_PAPERS = 100
"""Most videos whose sheets the page holds for printing: about 20 kB each."""

_FIRST_ROWS, _ROWS = 24, 42  # of the table of all media, on the first page and on others
_FEW = 4  # rows that do not begin another page: what stands above the table becomes smaller instead
_MOST_FAILED = 20
_WIDTH, _GAP = 186.0, 3.5  # of a page and between pictures, mm
_LARGEST, _TALLEST, _LEAST_TEXT = 112.0, 175.0, 66.0  # height of pictures, width of text beside them, mm
_TALL, _WIDE = 0.62, 2.0  # width to height: text goes beside narrower pictures, wider ones stand one over the other
_CHART_HEIGHT, _LARGEST_FRAME = 52.0, 62.0  # timeline and key frames of a video, mm
_FRAME_HEIGHT = 34.0  # of key frames, about, mm: so that labels keep apart
_TAG_SIZE = 7.0  # pt
_POINTS = 72 / 25.4  # in a millimetre


TaggedArea = tuple[Aoi, str, float, float]
"""An area, its label, and the place of the label's upper left corner in its picture, %."""


@dataclass(frozen=True, slots=True)
class PrintedPicture:
    """A picture on paper, cropped from below to `aspect`, width to height."""

    uri: str
    alt: str
    caption: str
    aspect: float
    areas: Sequence[TaggedArea] = ()


@dataclass(frozen=True, slots=True)
class FilmPaper:
    """The sheet of a video that the page prints by itself."""

    medium_id: str
    name: str
    facts: str
    film: FilmSheet
    chart: FilmChart
    frames: Sequence[tuple[float, str, Sequence[TaggedArea]]]  # moment, s, caption and areas of each key frame


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """A page of a medium."""

    sheet: MediumSheet
    pictures: Sequence[PrintedPicture]  # all as high as each other
    largest: float  # height that they may have, mm
    beside: bool  # text stands beside them, because they are narrow
    chart: FilmChart | None = None  # timeline of a video


def render_sheets(report: ReportSheets, storage: Storage) -> str:
    """Render the page that is printed.

    `storage`: where the maps lie.
    Returns: a complete HTML document that stands alone; its script fits each medium to a page of A4.
    """
    environment = page_environment()
    environment.filters.update(area_name=area_name, percent=percent_text, first_seen=first_seen_text)
    script = read_source(environment, "print/fit.js")
    failed = report.failed[:_MOST_FAILED]
    front = list(front_pages(report.sheets, failed))
    return environment.get_template("print/sheets.html.j2").render(
        report=report,
        front=front,
        pages=[_printed_sheet(sheet, storage) for sheet in report.sheets],
        left_out=report.overview.failed - len(failed),
        most_areas=MOST_AREAS + 2,
        status_marks=STATUS_MARKS,
        verdict_marks=VERDICT_MARKS,
        status_colours=STATUS_COLOURS,
        verdict_colours=VERDICT_COLOURS,
        area_types=AREA_TYPES,
        area_colours=AREA_COLOURS,
        style=Markup(sources(environment, ["print/sheets.css", "print/film.css"])),
        script=Markup(script),
        script_hash=script_hash(script),
    )


def film_papers(entries: Sequence[MediumEntry]) -> list[FilmPaper]:
    """Return the sheets of videos that the report holds for printing; none of more than `MOST_PAPERS` videos."""
    papers: list[FilmPaper] = []
    if sum(entry.moves for entry in entries) > MOST_PAPERS:
        return papers
    for entry in entries:
        film = film_sheet(entry)
        if film is None or entry.result is None:
            continue
        medium = entry.result.medium
        box = _box(_FRAME_HEIGHT, medium.width / medium.height)
        frames = []
        for scene in film.scenes:
            at_s = film.moment_of(scene)
            frames.append((round(at_s, 3), scene_title(scene), _tagged_areas(film.areas_at(at_s), box)))
        facts = [f"brand: {entry.brand}" if entry.brand else "", entry.kind or ""]
        facts.append("" if medium.duration_s is None else duration(medium.duration_s))
        facts.append(f"{medium.width} × {medium.height} px")
        chart = film_chart(film, _WIDTH * _POINTS, _CHART_HEIGHT * _POINTS)
        line = " · ".join([*filter(None, facts), "predicted attention, not measured"])
        papers.append(FilmPaper(str(medium.medium_id), medium.name, line, film, chart, frames))
    return papers


def front_pages(
    sheets: Sequence[MediumSheet], failed: Sequence[MediumEntry]
) -> Iterator[list[tuple[int, MediumSheet | MediumEntry]]]:
    """Yield the rows of the table of all media page by page: number of the sheet's page (0: none), and the medium."""
    n = len(sheets) + len(failed)
    on_first = n if n <= _FIRST_ROWS + _FEW else _FIRST_ROWS
    pages = 1 + -(-(n - on_first) // _ROWS)
    rows: list[tuple[int, MediumSheet | MediumEntry]] = [
        *((pages + i, sheet) for i, sheet in enumerate(sheets, 1)),
        *((0, entry) for entry in failed),
    ]
    yield rows[:on_first]
    for first in range(on_first, n, _ROWS):
        yield rows[first : first + _ROWS]


def _printed_sheet(sheet: MediumSheet, storage: Storage) -> PrintedSheet:
    name = sheet.entry.name
    if sheet.film is not None:
        frames = [_key_frame(frame, name) for frame in read_key_frames(sheet, storage)]
        chart = film_chart(sheet.film, _WIDTH * _POINTS, _CHART_HEIGHT * _POINTS)
        if not frames:
            return PrintedSheet(sheet, (), 1.0, beside=False, chart=chart)
        aspect = frames[0].aspect
        in_row = 2 if len(frames) <= 2 else 3 if aspect >= 1 and len(frames) != 4 else len(frames)
        width = (_WIDTH - (in_row - 1) * _GAP) / in_row
        return PrintedSheet(sheet, frames, min(_LARGEST_FRAME, _in_row(width / aspect)), beside=False, chart=chart)
    files = {}
    for kind in ("original", "heat"):
        with suppress(FileNotFoundError):
            if path := sheet.entry.maps.get(kind):
                files[kind] = storage.read(path)
    if not files:
        return PrintedSheet(sheet, (), 1.0, beside=False)
    width_px, height_px = picture_size(next(iter(files.values())))  # a heatmap is higher by its legend
    aspect = width_px / height_px
    beside = aspect < _TALL
    if beside:
        largest = min((_WIDTH - _LEAST_TEXT - 2 * _GAP) / 2 / aspect, _TALLEST)
    else:
        largest = min((_WIDTH if aspect > _WIDE else (_WIDTH - _GAP) / 2) / aspect, _LARGEST)
    pictures = []
    if jpeg := files.get("original"):
        areas = choose_areas(sheet.areas)
        part = f", {len(areas)} of {len(sheet.areas)} areas" if len(areas) < len(sheet.areas) else ""
        caption = f"Viewers who see each area{part}" if areas else "The file"
        placed = _tagged_areas(areas, _box(largest, aspect))
        pictures.append(PrintedPicture(jpeg_uri(jpeg), f"The file {name}", caption, aspect, placed))
    if jpeg := files.get("heat"):
        alt = f"Heatmap of {name}: where people are predicted to look"
        pictures.append(PrintedPicture(jpeg_uri(jpeg), alt, "Attention: purple some, yellow most", aspect))
    return PrintedSheet(sheet, pictures, _in_row(largest), beside)


def _in_row(height: float) -> float:
    """Round the height of pictures down, mm; rounded up, they would not fit in a row."""
    return int(10 * height) / 10 - 0.1


def _box(height: float, aspect: float) -> SlideBox:
    """Return the box of a picture of this height, mm, in pt."""
    return SlideBox(0, 0, height * aspect * _POINTS, height * _POINTS)


def _key_frame(frame: ScenePicture, name: str) -> PrintedPicture:
    aspect = frame.width / frame.height
    caption = f"{frame.title} (shown: {frame.at_s:.1f} s)"
    areas = _tagged_areas(frame.areas, _box(_FRAME_HEIGHT, aspect))
    return PrintedPicture(jpeg_uri(frame.jpeg), frame.alt(name), caption, aspect, areas)


def _tagged_areas(areas: Mapping[int, Aoi], picture: SlideBox) -> list[TaggedArea]:
    return [
        (
            area,
            area_label(number, area),
            round(100 * tag.x / picture.width, 2),
            round(100 * tag.y / picture.height, 2),
        )
        for number, area, tag in place_tags(areas, picture, _TAG_SIZE)
    ]
