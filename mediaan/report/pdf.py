"""Render the page that is printed, and print it to a PDF by an installed browser without a window or a network."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from markupsafe import Markup

from mediaan.errors import SetupError
from mediaan.media.installed_browser import find_browser
from mediaan.report.entries import MediumEntry
from mediaan.report.formatting import area_name, area_title, first_seen_text, percent_text
from mediaan.report.medium_summary import STATUS_MARKS
from mediaan.report.sheets.film_chart import FRAME_HEIGHT, PAPER_WIDTH, FilmChart, paper_chart
from mediaan.report.sheets.film_sheet import read_key_frames
from mediaan.report.sheets.medium_sheet import VERDICT_MARKS, MediumSheet, ReportSheets
from mediaan.report.sheets.placement import (
    AREA_COLOURS,
    MOST_AREAS,
    STATUS_COLOURS,
    VERDICT_COLOURS,
    TaggedArea,
    choose_areas,
    picture_size,
    tagged_areas,
)
from mediaan.report.web.environment import jpeg_uri, page_environment, read_source, script_hash, sources
from mediaan.run.files import disk_errors
from mediaan.storage import Storage

_FIRST_ROWS, _ROWS = 24, 42  # of the table of all media, on the first page and on others
_FEW = 4  # rows that do not begin another page: what stands above the table becomes smaller instead
_MOST_FAILED = 20
_GAP = 3.5  # between pictures, mm
_LARGEST, _TALLEST, _LEAST_TEXT = 112.0, 175.0, 66.0  # height of pictures, width of text beside them, mm
_TALL, _WIDE = 0.62, 2.0  # width to height: text goes beside narrower pictures, wider ones stand one over the other
_LARGEST_FRAME = 62.0  # height of key frames of a video, mm


@dataclass(frozen=True, slots=True)
class PrintedPicture:
    """A picture on paper, cropped from below to `aspect`, width to height."""

    uri: str
    alt: str
    caption: str
    aspect: float
    areas: Sequence[TaggedArea] = ()


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

    Returns: a complete HTML document that stands alone; its script fits each medium to a page of A4.
    """
    environment = page_environment()
    environment.filters |= {
        "area_name": area_name,
        "area_title": area_title,
        "percent": percent_text,
        "first_seen": first_seen_text,
    }
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
        script_hash=script_hash(script),
    )


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
        frames = []
        for frame in read_key_frames(sheet, storage):
            aspect, caption = frame.width / frame.height, f"{frame.title} (shown: {frame.at_s:.1f} s)"
            tagged = tagged_areas(frame.areas, FRAME_HEIGHT, aspect)
            frames.append(PrintedPicture(jpeg_uri(frame.jpeg), frame.alt(name), caption, aspect, tagged))
        chart = paper_chart(sheet.film)
        if not frames:
            return PrintedSheet(sheet, (), 1.0, beside=False, chart=chart)
        aspect = frames[0].aspect
        in_row = 2 if len(frames) <= 2 else 3 if aspect >= 1 and len(frames) != 4 else len(frames)
        width = (PAPER_WIDTH - (in_row - 1) * _GAP) / in_row
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
        largest = min((PAPER_WIDTH - _LEAST_TEXT - 2 * _GAP) / 2 / aspect, _TALLEST)
    else:
        largest = min((PAPER_WIDTH if aspect > _WIDE else (PAPER_WIDTH - _GAP) / 2) / aspect, _LARGEST)
    pictures = []
    if jpeg := files.get("original"):
        areas = choose_areas(sheet.entry.areas)
        part = f", {len(areas)} of {len(sheet.entry.areas)} areas" if len(areas) < len(sheet.entry.areas) else ""
        caption = f"Viewers who see each area{part}" if areas else "The file"
        placed = tagged_areas(areas, largest, aspect)
        pictures.append(PrintedPicture(jpeg_uri(jpeg), f"The file {name}", caption, aspect, placed))
    if jpeg := files.get("heat"):
        alt = f"Heatmap of {name}: where people are predicted to look"
        pictures.append(PrintedPicture(jpeg_uri(jpeg), alt, "Attention: purple some, yellow most", aspect))
    return PrintedSheet(sheet, pictures, _in_row(largest), beside)


def _in_row(height: float) -> float:
    """Round the height of pictures down, mm; rounded up, they would not fit in a row."""
    return int(10 * height) / 10 - 0.1


SheetFormat = Literal["pdf", "pptx"]


def sheet_formats() -> tuple[SheetFormat, ...]:
    """Return what reports can be besides a page on this machine: a PDF takes a browser, slides a package."""
    pptx: tuple[SheetFormat, ...] = ("pptx",) if find_spec("pptx") else ()
    try:
        find_browser()
    except SetupError:
        return pptx
    return ("pdf", *pptx)


_FLAGS = (
    *("--headless", "--disable-gpu", "--no-first-run", "--no-default-browser-check", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"),
    *("--no-proxy-server", "--host-resolver-rules=MAP * ~NOTFOUND"),  # the page asks for nothing; nor may the browser
    "--no-pdf-header-footer",
)
_ERROR_LINES = 3  # of the browser, in our message


def print_pdf(page: str, out: Path, browser: Path, time_limit_s: float) -> None:
    """Print a page.

    `page`: a document that stands alone.
    `out`: the PDF, replaced whole or not at all.
    Raises SetupError: it did not print (code no_pdf), or not in time; the disk is full.
    """
    with disk_errors(out):
        out.parent.mkdir(exist_ok=True)
    # beside the result, where a browser that is kept to the user's own files can read and write
    with disk_errors(out), tempfile.TemporaryDirectory(prefix="mediaan-pdf-", dir=out.parent) as folder:
        source, printed = Path(folder) / "index.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8")
        errors = _run_browser(source.resolve().as_uri(), printed, browser, time_limit_s, Path(folder) / "profile")
        if not printed.exists() or not printed.stat().st_size:
            words = " | ".join(errors.strip().splitlines()[-_ERROR_LINES:]) or "it said nothing"
            raise SetupError(f"{browser} printed no PDF: {words}", code="no_pdf")
        printed.replace(out)


def _run_browser(address: str, pdf: Path, browser: Path, time_limit_s: float, profile: Path) -> str:
    """Have a page printed; return what the browser wrote to its errors."""
    command = [str(browser), *_FLAGS, f"--user-data-dir={profile}", f"--print-to-pdf={pdf}", address]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.insert(1, "--no-sandbox")  # Chromium refuses to sandbox what the administrator runs
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise SetupError(f"{browser} cannot be started: {error}", code="no_browser") from error
    try:
        return process.communicate(timeout=time_limit_s)[1].decode(errors="replace")
    except subprocess.TimeoutExpired as error:
        message = f"{browser} printed no PDF within {time_limit_s:g} s; give it fewer files with --limit"
        raise SetupError(message, code="no_pdf") from error
    finally:  # the browser and its helpers
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        elif process.poll() is None:
            process.kill()
        process.wait()
        if process.stderr:
            process.stderr.close()
