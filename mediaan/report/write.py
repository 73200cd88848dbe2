"""Write the report of a run."""

from __future__ import annotations

from pathlib import Path

from mediaan.report.contents import read_contents, read_description
from mediaan.report.entries import Entry
from mediaan.report.overview import read_overview
from mediaan.report.page import render_page
from mediaan.report.selection import PAGE_MEDIA, select_media
from mediaan.report.thumbnails import thumbnail_uri


def write_report(run_dir: Path, *, limit: int = PAGE_MEDIA) -> Path:
    """Write `report/index.html` of a finished run, replacing an older one.

    The page needs no network: styles, script, figures and thumbnails are inside it. The large maps stay in `maps/`
    and are loaded when a medium is opened. Of a large run it shows some media; what it says of the run is of all.

    Parameters
    ----------
    run_dir : Path
        Run directory with `run.json` and `tables/`.
    limit : int
        Media on the page at most.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        When `run_dir` holds no run that this version can show.
    """
    said, overview = read_description(run_dir), read_overview(run_dir)
    specs = [spec for spec in said.specs if spec.name in overview.times]
    selection = select_media(run_dir, specs, overview.times, limit) if overview.media > limit else None
    contents = read_contents(run_dir, selection)

    def thumbnail(entry: Entry) -> str | None:
        source = entry.thumbnail_source
        return thumbnail_uri(run_dir / source) if source else None

    page = run_dir / "report" / "index.html"
    page.parent.mkdir(exist_ok=True)
    draft = page.with_suffix(".html.part")
    draft.write_text(render_page(contents, overview, thumbnail), encoding="utf-8")
    draft.replace(page)
    return page
