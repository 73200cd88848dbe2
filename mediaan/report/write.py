"""Write the report of a run."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from mediaan.report.contents import read_contents, read_description
from mediaan.report.entries import Entry
from mediaan.report.overview import read_overview
from mediaan.report.page import render_page
from mediaan.report.selection import PAGE_MEDIA, select_media
from mediaan.report.thumbnails import thumbnail_uri
from mediaan.run.files import disk_errors, write_whole
from mediaan.storage import LocalPlace, Place


def write_report(run_dir: Path, *, limit: int = PAGE_MEDIA, maps: Place | None = None) -> Path:
    """Write `report/index.html` of a finished run, replacing an older one.

    The page needs no network: styles, script, figures and thumbnails are inside it. The large maps stay in `maps/`
    and are loaded when a medium is opened. Of a large run it shows some media; what it says of the run is of all.

    Parameters
    ----------
    run_dir : Path
        Run directory with `run.json` and `tables/`.
    limit : int
        Media on the page at most.
    maps : Place or None
        Where the maps lie, if that is not the run directory.

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
    said, overview = read_description(run_dir), read_overview(run_dir)
    specs = [spec for spec in said.specs if spec.name in overview.times]
    selection = select_media(run_dir, specs, overview.times, limit) if overview.media > limit else None
    contents = read_contents(run_dir, selection)

    def thumbnail(entry: Entry) -> str | None:
        source = entry.thumbnail_source
        return _thumbnail(maps or LocalPlace(run_dir), source) if source else None

    page = run_dir / "report" / "index.html"
    with disk_errors(page):
        page.parent.mkdir(exist_ok=True)
    write_whole(page, render_page(contents, overview, thumbnail).encode())
    return page


def _thumbnail(place: Place, path: str) -> str | None:
    if place.folder is not None:
        return thumbnail_uri(place.folder / path)
    try:
        return thumbnail_uri(BytesIO(place.read(path)))
    except FileNotFoundError:
        return None
