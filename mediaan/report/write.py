"""Write the report of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path
from typing import Literal

from mediaan.report.entries import MediumEntry, read_contents
from mediaan.report.heading import Heading, read_heading
from mediaan.report.selection import PAGE_MEDIA
from mediaan.report.sheets.medium_sheet import ReportSheets, gather_sheets
from mediaan.report.web.images import IMAGE_FITS, MAIL_BYTES, THREADS, Layout, MediaEmbedder, thumbnail_uri
from mediaan.report.web.page import ReportPage, ServedPage
from mediaan.run import Run
from mediaan.run.files import disk_errors, write_atomic
from mediaan.storage import LocalStorage, Storage

_FORWARD = "To forward it, write it as one file: mediaan report RUN --layout file --out FILE."
_ASKED = f"The large images are in the folder maps beside this page’s own. {_FORWARD}"
_TOO_LARGE = (
    "The large images are in the folder maps beside this page’s own: inside they would make it larger than the "
    f"{MAIL_BYTES / 1e6:.0f} MB that mail carries."
)
_IN_STORE = "The large images are in the folder maps beside this page’s own, where the run is kept."


def write_report(
    run: Run,
    *,
    layout: Layout | None = None,
    out: Path | None = None,
    limit: int = PAGE_MEDIA,
    maps: Storage | None = None,
    max_bytes: int = MAIL_BYTES,
    heading: Heading | None = None,
) -> Path:
    """Write the report of a finished run, replacing an older one.

    The page needs no network: styles, script, figures and thumbnails are inside it. As one file it holds the images
    and previews of all media, too; else they stay in `maps/` and are loaded when a medium is opened. Of a large run it
    shows some media; what it says of the run is of all.

    `out`: where the page is written; None: `report/index.html` of the run. Elsewhere it is one file.
    All others: as in `render_report`.
    Raises UsageError: the run is not one that this version can show.
    Raises SetupError: the disk is full or may not be written to.
    """
    page = out or run.path / "report" / "index.html"
    layout = layout if out is None else "file"
    text = render_report(run, layout=layout, limit=limit, maps=maps, max_bytes=max_bytes, heading=heading)
    with disk_errors(page):
        page.parent.mkdir(exist_ok=True)
    write_atomic(page, text.encode())
    return page


def refresh_report(run: Run, *, maps: Storage | None = None) -> None:
    """Write the report of a run that has changed, unless it was made without one (``report: none`` in ``run.json``)."""
    if run.facts.get("report") != "none":
        write_report(run, maps=maps)


def render_report(
    run: Run,
    *,
    layout: Layout | None = None,
    limit: int = PAGE_MEDIA,
    maps: Storage | None = None,
    max_bytes: int = MAIL_BYTES,
    served: ServedPage | None = None,
    heading: Heading | None = None,
) -> str:
    """Return the text of the report of a finished run.

    `layout`: images are inside, or stay in `maps/`; `auto`: inside where the page then has at most `max_bytes`. None:
        as the run was made.
    `limit`: media on the page at most.
    `maps`: where the maps lie, if that is not the run directory.
    `max_bytes`: of one file. Images are made smaller, and some left out, rather than exceed it.
    `served`: addresses of the server that shows the page; without it the page may speak to no network.
    `heading`: none: that of the run.
    Raises UsageError: the run is not one that this version can show.
    """
    contents = read_contents(run, limit)
    storage = maps or LocalStorage(run.path)
    page = ReportPage(contents, _thumbnails(storage, contents.entries), served, heading or read_heading(run.path))
    recorded: Layout | Literal["none"] = run.facts.get("report", "auto")
    wanted = layout or ("auto" if recorded == "none" else recorded)
    embedder = MediaEmbedder(contents, storage, max_bytes)
    if wanted == "folder" or (wanted == "auto" and storage.folder is None):
        return page.render(embedder.refer(_ASKED if storage.folder else _IN_STORE))
    for fit in embedder.fits():
        text = page.render(embedder.embed(fit))
        if len(text.encode()) <= max_bytes:
            return text
    if wanted == "file":
        return page.render(embedder.embed(IMAGE_FITS[-1]))
    return page.render(embedder.refer(f"{_TOO_LARGE} {_FORWARD}"))


def read_sheets(run: Run, limit: int, heading: Heading | None = None) -> ReportSheets:
    """Return what is said about each medium of a run on a page or a slide of its own.

    `heading`: none: that of the run.
    Raises UsageError: the run is not one that this version can show.
    """
    return gather_sheets(read_contents(run, limit), heading or read_heading(run.path))


def _thumbnails(storage: Storage, entries: Sequence[MediumEntry]) -> Callable[[MediumEntry], str | None]:
    """Make the small images of entries; return a function that gives the data URI of one, None where there is none."""

    def made(path: str) -> str | None:
        try:
            return thumbnail_uri(storage.folder / path if storage.folder else BytesIO(storage.read(path)))
        except FileNotFoundError:
            return None

    paths = list(dict.fromkeys(entry.thumbnail_source for entry in entries if entry.thumbnail_source))
    with ThreadPoolExecutor(THREADS) as threads:
        uris = dict(zip(paths, threads.map(made, paths), strict=True))
    return lambda entry: uris.get(entry.thumbnail_source or "")
