"""Write the report of a run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import Literal

from mediaan.report.data.entries import MediumEntry, RunContents, read_contents, read_description
from mediaan.report.data.overview import Overview, read_overview
from mediaan.report.data.selection import PAGE_MEDIA, select_media
from mediaan.report.heading import Heading, read_heading
from mediaan.report.sheets.medium_sheet import ReportSheets, gather_sheets
from mediaan.report.web.images import MediaEmbedder, thumbnail_uri
from mediaan.report.web.layout import IMAGE_FITS, MAIL_BYTES, Layout
from mediaan.report.web.render import ServedPage, render_page
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
    run_dir: Path,
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

    `run_dir`: run directory with `run.json` and `tables/`.
    `layout`: images are inside, or stay in `maps/`; `auto`: inside where the page then has at most `max_bytes`. None:
        as the run was made.
    `out`: where the page is written; None: `report/index.html` of the run. Elsewhere it is one file.
    `limit`: media on the page at most.
    `maps`: where the maps lie, if that is not the run directory.
    `max_bytes`: of one file. Images are made smaller, and some left out, rather than exceed it.
    `heading`: none: that of the run.
    Returns: the page.
    Raises UsageError: when `run_dir` holds no run that this version can show.
    Raises SetupError: the disk is full or may not be written to.
    """
    page = out or run_dir / "report" / "index.html"
    layout = layout if out is None else "file"
    text = render_report(run_dir, layout=layout, limit=limit, maps=maps, max_bytes=max_bytes, heading=heading)
    with disk_errors(page):
        page.parent.mkdir(exist_ok=True)
    write_atomic(page, text.encode())
    return page


def refresh_report(run_dir: Path, *, maps: Storage | None = None) -> None:
    """Write the report of a run that has changed, unless it was made without one (``report: none`` in ``run.json``)."""
    if read_description(run_dir).facts.get("report") != "none":
        write_report(run_dir, maps=maps)


def render_report(
    run_dir: Path,
    *,
    layout: Layout | None = None,
    limit: int = PAGE_MEDIA,
    maps: Storage | None = None,
    max_bytes: int = MAIL_BYTES,
    served: ServedPage | None = None,
    heading: Heading | None = None,
) -> str:
    """Return the text of the report of a finished run.

    `run_dir`, `layout`, `limit`, `maps`, `max_bytes`, `heading`: as in `write_report`.
    `served`: addresses of the server that shows the page; without it the page may speak to no network.
    Raises UsageError: when `run_dir` holds no run that this version can show.
    """
    contents, overview = _read_run(run_dir, limit)
    heading = heading or read_heading(run_dir)
    storage = maps or LocalStorage(run_dir)
    thumbnails = _Thumbnails(storage)
    recorded: Layout | Literal["none"] = contents.facts.get("report", "auto")
    wanted = layout or ("auto" if recorded == "none" else recorded)
    embedder = MediaEmbedder(contents, storage, max_bytes)
    if wanted == "folder" or (wanted == "auto" and storage.folder is None):
        media = embedder.refer(_ASKED if storage.folder else _IN_STORE)
        return render_page(contents, overview, thumbnails, media, served, heading)
    for fit in embedder.fits():
        text = render_page(contents, overview, thumbnails, embedder.embed(fit), served, heading)
        if len(text.encode()) <= max_bytes:
            return text
    if wanted == "file":
        return render_page(contents, overview, thumbnails, embedder.embed(IMAGE_FITS[-1]), served, heading)
    return render_page(contents, overview, thumbnails, embedder.refer(f"{_TOO_LARGE} {_FORWARD}"), served, heading)


def read_sheets(run_dir: Path, limit: int, heading: Heading | None = None) -> ReportSheets:
    """Return what is said about each medium of a run on a page or a slide of its own.

    `limit`: media at most.
    `heading`: none: that of the run.
    Raises UsageError: when `run_dir` holds no run that this version can show.
    """
    return gather_sheets(*_read_run(run_dir, limit), heading or read_heading(run_dir))


def _read_run(run_dir: Path, limit: int) -> tuple[RunContents, Overview]:
    description, overview = read_description(run_dir), read_overview(run_dir)
    specs = [spec for spec in description.specs if spec.name in overview.times]
    selection = select_media(run_dir, specs, overview.times, limit) if overview.media > limit else None
    return read_contents(run_dir, selection), overview


class _Thumbnails:
    """Data URIs of small images of entries, each made once; None where there is none."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._made: dict[str, str | None] = {}

    def __call__(self, entry: MediumEntry) -> str | None:
        path = entry.thumbnail_source
        if path is None:
            return None
        if path not in self._made:
            source: Path | BytesIO | None
            try:
                folder = self._storage.folder
                source = folder / path if folder is not None else BytesIO(self._storage.read(path))
            except FileNotFoundError:
                source = None
            self._made[path] = thumbnail_uri(source) if source else None
        return self._made[path]
