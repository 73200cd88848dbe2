"""Render the page that is printed: a short summary, then a page of paper for each medium."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from mediaan.report.data.entries import MediumEntry
from mediaan.report.formatting import duration
from mediaan.report.sheets.film_chart import FilmChart, film_chart
from mediaan.report.sheets.film_sheet import FilmSheet
from mediaan.report.sheets.key_frames import ScenePicture, read_key_frames
from mediaan.report.sheets.medium_sheet import STATUS_MARKS, VERDICT_MARKS, MediumSheet, ReportSheets
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
from mediaan.report.sheets.sheet_area import SheetArea
from mediaan.report.web.environment import page_environment, read_source, sources
from mediaan.storage import Storage

MOST_PAPERS = 100
"""Videos of a report whose sheets it can print by itself: about 20 kB each."""

_FIRST_ROWS, _ROWS = 24, 42  # of the table of all media, on the first page and on others
_FEW = 4  # rows that do not begin another page: what stands above the table becomes smaller instead
_MOST_FAILED = 20
_WIDTH, _GAP = 186.0, 3.5  # of a page and between pictures, mm
_LARGEST, _TALLEST, _LEAST_TEXT = 112.0, 175.0, 66.0  # height of pictures, width of text beside them, mm
_TALL, _WIDE = 0.62, 2.0  # width to height: text goes beside narrower pictures, wider ones stand one over the other
_CHART_HEIGHT, _LARGEST_FRAME = 52.0, 62.0  # timeline and key frames of a video, mm
_TAG_SIZE = 7.0  # pt
_POINTS = 72 / 25.4  # in a millimetre


@dataclass(frozen=True, slots=True)
class PrintedArea:
    """Outline and label of an area, as the template writes them; places in the unit square and in %."""

    type: str
    label: str
    points: str
    left: float
    top: float


@dataclass(frozen=True, slots=True)
class PrintedPicture:
    """A picture of a page; `aspect` is width to height, below which more of the file is hidden."""

    uri: str
    alt: str
    caption: str
    aspect: float
    areas: Sequence[PrintedArea] = ()


@dataclass(frozen=True, slots=True)
class FilmFrame:
    """A key frame of a video that the page draws from its preview."""

    at_s: float
    caption: str
    areas: Sequence[PrintedArea]


@dataclass(frozen=True, slots=True)
class FilmPaper:
    """The sheet of a video that the page prints by itself."""

    medium_id: str
    name: str
    facts: str
    film: FilmSheet
    chart: FilmChart
    frames: Sequence[FilmFrame]


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """A page of a medium.

    Attributes
    ----------
    pictures : sequence of PrintedPicture
        All as high as each other.
    largest : float
        Height that they may have, mm.
    beside : bool
        Text stands beside them, because they are narrow.
    chart : FilmChart or None
        Timeline of a video.
    """

    sheet: MediumSheet
    pictures: Sequence[PrintedPicture]
    largest: float
    beside: bool
    chart: FilmChart | None = None

    @property
    def film(self) -> FilmSheet | None:
        """Facts of a video; None of an image."""
        return self.sheet.film


def render_sheets(report: ReportSheets, storage: Storage) -> str:
    """Render the page that is printed.

    Parameters
    ----------
    report : ReportSheets
    storage : Storage
        Where the maps lie.

    Returns
    -------
    str
        A complete HTML document that stands alone; its script fits each medium to a page of A4.
    """
    environment = page_environment()
    environment.filters["capitalise"] = lambda text: text[:1].upper() + text[1:]
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
        area_colours=AREA_COLOURS,
        style=Markup(sources(environment, ["print/sheets.css", "print/film.css"])),
        script=Markup(script),
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )


def film_papers(
    entries: Sequence[MediumEntry], films: Mapping[str, FilmSheet], most: int = MOST_PAPERS
) -> list[FilmPaper]:
    """Return the sheets of videos that the report holds for printing; none where there are too many for a page."""
    papers = []
    for entry in entries:
        film = films.get(entry.medium_id or "")
        if film is None or entry.medium_id is None or len(films) > most:
            continue
        aspect = (entry.width or 16) / (entry.height or 9)
        box = SlideBox(0, 0, 34 * aspect * _POINTS, 34 * _POINTS)
        frames = []
        for scene in film.scenes:
            at_s = film.moment_of(scene)
            caption = f"Scene {scene['scene_id'] + 1}, {scene['start_s']:.1f}–{scene['end_s']:.1f} s"
            frames.append(FilmFrame(round(at_s, 3), caption, _printed_areas(film.areas_at(at_s), box)))
        facts = [f"brand: {entry.brand}" if entry.brand else "", entry.kind or ""]
        facts.append("" if entry.duration_s is None else duration(entry.duration_s))
        facts.append(f"{entry.width} × {entry.height} px")
        chart = film_chart(film, _WIDTH * _POINTS, _CHART_HEIGHT * _POINTS)
        line = " · ".join([*filter(None, facts), "predicted attention, not measured"])
        papers.append(FilmPaper(entry.medium_id, entry.name, line, film, chart, frames))
    return papers


def front_pages(
    sheets: Sequence[MediumSheet], failed: Sequence[MediumEntry]
) -> Iterator[list[tuple[int, MediumSheet | MediumEntry]]]:
    """Yield the rows of the table of all media page by page, each with the page of its sheet, 0 where it has none."""
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
        pictures = [_key_frame(frame, name) for frame in read_key_frames(sheet, storage)]
        chart = film_chart(sheet.film, _WIDTH * _POINTS, _CHART_HEIGHT * _POINTS)
        if pictures:
            aspect = pictures[0].aspect
            in_row = 2 if len(pictures) <= 2 else 3 if aspect >= 1 and len(pictures) != 4 else len(pictures)
            width = (_WIDTH - (in_row - 1) * _GAP) / in_row
            largest = min(_LARGEST_FRAME, int(10 * width / aspect) / 10 - 0.1)
            return PrintedSheet(sheet, pictures, largest, beside=False, chart=chart)
        return PrintedSheet(sheet, (), 1.0, beside=False, chart=chart)
    files = {}
    for kind in ("original", "heat"):
        try:
            if path := sheet.entry.maps.get(kind):
                files[kind] = storage.read(path)
        except FileNotFoundError:
            continue
    if not files:
        return PrintedSheet(sheet, (), 1.0, beside=False)
    width, height = picture_size(next(iter(files.values())))  # a heatmap is higher by its legend
    aspect = width / height
    beside = aspect < _TALL
    if beside:
        largest = min((_WIDTH - _LEAST_TEXT - 2 * _GAP) / 2 / aspect, _TALLEST)
    else:
        each = _WIDTH if aspect > _WIDE else (_WIDTH - _GAP) / 2
        largest = min(each / aspect, _LARGEST)
    pictures = []
    if jpeg := files.get("original"):
        shown = choose_areas(sheet)
        box = SlideBox(0, 0, largest * aspect * _POINTS, largest * _POINTS)
        areas = _printed_areas(shown, box)
        part = f", {len(shown)} of {len(sheet.areas)} areas" if len(shown) < len(sheet.areas) else ""
        caption = f"Viewers who see each area{part}" if shown else "The file"
        pictures.append(PrintedPicture(_jpeg_uri(jpeg), f"The file {name}", caption, aspect, areas))
    if jpeg := files.get("heat"):
        alt = f"Heatmap of {name}: where people are predicted to look"
        pictures.append(PrintedPicture(_jpeg_uri(jpeg), alt, "Attention: purple some, yellow most", aspect))
    return PrintedSheet(
        sheet, pictures, int(10 * largest) / 10 - 0.1, beside
    )  # rounded up, they would not stand in a row


def _key_frame(frame: ScenePicture, name: str) -> PrintedPicture:
    aspect = frame.width / frame.height
    box = SlideBox(0, 0, 34 * aspect * _POINTS, 34 * _POINTS)  # mm high, about: labels keep apart
    return PrintedPicture(
        _jpeg_uri(frame.jpeg),
        f"Key frame of {name} at {frame.at_s:.1f} s with predicted attention",
        f"Scene {frame.scene}, {frame.start_s:.1f}–{frame.end_s:.1f} s (shown: {frame.at_s:.1f} s)",
        aspect,
        _printed_areas(frame.areas, box),
    )


def _printed_areas(areas: Sequence[SheetArea], picture: SlideBox) -> list[PrintedArea]:
    return [
        PrintedArea(
            area.type,
            area.label,
            " ".join(f"{x:.4f},{y:.4f}" for x, y in area.corners),
            round(100 * tag.x / picture.width, 2),
            round(100 * tag.y / picture.height, 2),
        )
        for area, tag in place_tags(areas, picture, _TAG_SIZE)
    ]


def _jpeg_uri(jpeg: bytes) -> str:
    return f"data:image/jpeg;base64,{base64.b64encode(jpeg).decode('ascii')}"
