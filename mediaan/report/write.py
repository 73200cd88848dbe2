"""Write the report of a run."""

from __future__ import annotations

from functools import cache
from io import BytesIO
from pathlib import Path

from mediaan.report.data.contents import RunContents, read_contents, read_description
from mediaan.report.data.entries import MediumEntry
from mediaan.report.data.overview import Overview, read_overview
from mediaan.report.data.selection import PAGE_MEDIA, select_media
from mediaan.report.web.images import EmbeddedMedia, MediaEmbedder, thumbnail_uri
from mediaan.report.web.layout import IMAGE_FITS, MAIL_BYTES, PAPER, Layout
from mediaan.report.web.render import Thumbnail, render_page
from mediaan.run.files import disk_errors, write_atomic
from mediaan.storage import LocalStorage, Storage

_FORWARD = "To forward it, write it as one file: mediaan report RUN --layout file --out FILE."
_ASKED = f"The large pictures are in the folder maps beside this page’s own. {_FORWARD}"
_TOO_LARGE = (
    "The large pictures are in the folder maps beside this page’s own: inside they would make it larger than the "
    f"{MAIL_BYTES / 1e6:.0f} MB that mail carries."
)
_IN_STORE = "The large pictures are in the folder maps beside this page’s own, where the run is kept."


def write_report(
    run_dir: Path,
    *,
    layout: Layout | None = None,
    out: Path | None = None,
    limit: int = PAGE_MEDIA,
    maps: Storage | None = None,
    room: int = MAIL_BYTES,
) -> Path:
    """Write the report of a finished run, replacing an older one.

    The page needs no network: styles, script, figures and thumbnails are inside it. As one file it holds the pictures
    and previews of all media, too; else they stay in `maps/` and are loaded when a medium is opened. Of a large run it
    shows some media; what it says of the run is of all.

    Parameters
    ----------
    run_dir : Path
        Run directory with `run.json` and `tables/`.
    layout : {'auto', 'file', 'folder'} or None
        Whether pictures are inside; `auto`: where the page then has at most `room` bytes. None: as the run was made.
    out : Path or None
        Where the page is written; None: `report/index.html` of the run. Elsewhere it is one file.
    limit : int
        Media on the page at most.
    maps : Storage or None
        Where the maps lie, if that is not the run directory.
    room : int
        Bytes of one file. Pictures are made smaller, and some left out, rather than exceed it.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        When `run_dir` holds no run that this version can show.
    SetupError
        The disk is full or may not be written to.
    """
    contents, overview = _read(run_dir, limit)
    storage = maps or LocalStorage(run_dir)
    wanted = layout or contents.run.get("report", "auto") if out is None else "file"
    page = out or run_dir / "report" / "index.html"
    with disk_errors(page):
        page.parent.mkdir(exist_ok=True)
    write_atomic(page, _rendered(contents, overview, storage, wanted, room).encode())
    return page


def render_print_page(run_dir: Path, limit: int) -> str:
    """The page that is printed: one file, pictures as large as paper shows them, no previews."""
    contents, overview = _read(run_dir, limit)
    storage = LocalStorage(run_dir)
    bundle = MediaEmbedder(contents, storage, MAIL_BYTES).pack(PAPER, videos=False)
    return render_page(contents, overview, _thumbnails(storage), bundle)


def _read(run_dir: Path, limit: int) -> tuple[RunContents, Overview]:
    said, overview = read_description(run_dir), read_overview(run_dir)
    specs = [spec for spec in said.specs if spec.name in overview.times]
    selection = select_media(run_dir, specs, overview.times, limit) if overview.media > limit else None
    return read_contents(run_dir, selection), overview


def _rendered(contents: RunContents, overview: Overview, storage: Storage, layout: Layout, room: int) -> str:
    thumbnail = _thumbnails(storage)
    if layout == "folder" or (layout == "auto" and storage.folder is None):
        return render_page(
            contents, overview, thumbnail, EmbeddedMedia("folder", _ASKED if storage.folder else _IN_STORE)
        )
    packer = MediaEmbedder(contents, storage, room)
    for fit in packer.fits():
        text = render_page(contents, overview, thumbnail, packer.pack(fit))
        if len(text.encode()) <= room:
            return text
    bundle = packer.pack(IMAGE_FITS[-1]) if layout == "file" else EmbeddedMedia("folder", f"{_TOO_LARGE} {_FORWARD}")
    return render_page(contents, overview, thumbnail, bundle)


def _thumbnails(storage: Storage) -> Thumbnail:
    @cache
    def made(path: str) -> str | None:
        if storage.folder is not None:
            return thumbnail_uri(storage.folder / path)
        try:
            return thumbnail_uri(BytesIO(storage.read(path)))
        except FileNotFoundError:
            return None

    def thumbnail(entry: MediumEntry) -> str | None:
        return made(entry.thumbnail_source) if entry.thumbnail_source else None

    return thumbnail
