"""Write what a finished run shows: its report, as a page, a PDF or slides, and the heat of its files alone."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

from mediaan.errors import SetupError, UsageError
from mediaan.maps.heatmap import heat_layer
from mediaan.media.installed_browser import find_browser
from mediaan.report.heading import read_heading
from mediaan.report.pdf import print_pdf, render_sheets
from mediaan.report.selection import PAGE_MEDIA
from mediaan.report.web.images import LAYOUTS, Layout
from mediaan.report.write import read_sheets
from mediaan.report.write import write_report as write_page
from mediaan.run import read_run
from mediaan.run.changes import density_path, open_for_change
from mediaan.run.files import folder_name, make_folder, write_atomic
from mediaan.run.results import analyzed_media
from mediaan.saliency.density_storage import read_densities
from mediaan.storage import LocalStorage
from mediaan.types.arguments import as_path

SHEET_MEDIA = 100
"""Media in a PDF or a PowerPoint file at most: a page or a slide each, that is as much as anyone turns."""
PDF_SECONDS = 300.0


def write_report(
    run_dir: str | Path,
    *,
    layout: Layout | None = None,
    out: str | Path | None = None,
    limit: int = PAGE_MEDIA,
    title: str | None = None,
    client: str | None = None,
    logo: str | Path | None = None,
) -> Path:
    """Write the report of a finished run again, also of one that an older version made.

    Parameters
    ----------
    run_dir : path
    layout : {'auto', 'file', 'folder'} or None
        `file`: images and previews travel inside the page. `folder`: it shows them from the run's folder `maps`.
        `auto`: one file if mail carries it. The run keeps to what is chosen here; None: as before.
    out : path, optional
        Where the page is written as one file; the run stays as it is. By default the run's own page is replaced.
    limit : int
        Media on the page at most; of a larger run those that say most about it.
    title, client : str, optional
        Shown over the page, the title in the place of the run's name. The run keeps them unless `out` is given. An
        empty text takes away what was kept.
    logo : path, optional
        Image of the client's logo; the same holds of it.

    Returns
    -------
    Path
        The page.

    Raises
    ------
    UsageError
        No run that this version can show; the run is being written; `layout` is unknown, or `folder` for a file that
        is to be forwarded; the logo cannot be read.
    SetupError
        The disk is full or may not be written to.
    """
    if layout not in (*LAYOUTS, None):
        raise UsageError(f"layout {layout!r}: take one of {', '.join(LAYOUTS)}", code="bad_report")
    if out is not None:
        if layout == "folder":
            raise UsageError(
                f"{out}: away from the run a page has to hold its images; leave out the layout folder",
                code="bad_report",
            )
        run = read_run(run_dir)
        heading = read_heading(run.path).changed(title, client, logo)
        return write_page(run, out=Path(out), limit=limit, heading=heading)
    with open_for_change(run_dir) as run:
        if layout is not None:
            run.metadata.updated(report=layout).write(run.path)
        if (title, client, logo) != (None, None, None):
            read_heading(run.path).changed(title, client, logo).keep(run.path)
        return write_page(read_run(run.path), limit=limit)


def write_pdf(
    run_dir: str | Path,
    out: str | Path | None = None,
    *,
    limit: int = SHEET_MEDIA,
    browser: str | Path | None = None,
    time_limit_s: float = PDF_SECONDS,
    title: str | None = None,
    client: str | None = None,
    logo: str | Path | None = None,
) -> Path:
    """Print the report of a finished run: a short summary, then a page for each medium.

    Parameters
    ----------
    run_dir : path
    out : path, optional
        The PDF. By default ``report/report.pdf`` in the run.
    limit : int
        Media in it at most; of a larger run those that say most about it.
    browser : path, optional
        Program of a Chromium, Chrome or Edge, or its name; by default it is looked for.
    time_limit_s : float
        For the browser, s.
    title, client, logo : str, str and path, optional
        In the place of those that `write_report` kept, in this file alone.

    Returns
    -------
    Path
        The PDF.

    Raises
    ------
    UsageError
        No run that this version can show; the logo cannot be read.
    SetupError
        There is no browser (``no_browser``), or it printed nothing (``no_pdf``).
    """
    program = find_browser(browser)
    run = read_run(run_dir)
    target = run.path / "report" / "report.pdf" if out is None else Path(out)
    sheets = read_sheets(run, limit, read_heading(run.path).changed(title, client, logo))
    print_pdf(render_sheets(sheets, LocalStorage(run.path)), target, program, time_limit_s)
    return target


def write_pptx(
    run_dir: str | Path,
    out: str | Path | None = None,
    *,
    limit: int = SHEET_MEDIA,
    title: str | None = None,
    client: str | None = None,
    logo: str | Path | None = None,
) -> Path:
    """Write the report of a finished run as slides for PowerPoint: a summary, then a slide for each medium.

    Pictures, text, tables and the outlines of areas are all native: they can be edited, moved and deleted.

    Parameters
    ----------
    run_dir : path
    out : path, optional
        The file. By default ``report/report.pptx`` in the run.
    limit : int
        Media in it at most; of a larger run those that say most about it. All slides are held in memory until the
        file is saved, about 1.3 MB each.
    title, client, logo : str, str and path, optional
        As in `write_pdf`.

    Returns
    -------
    Path
        The file.

    Raises
    ------
    UsageError
        No run that this version can show; the logo cannot be read.
    SetupError
        python-pptx is not installed (``no_pptx``); the disk is full or may not be written to.
    """
    try:
        from mediaan.report.sheets.deck import write_deck
    except ImportError as error:
        message = "PowerPoint files need an extra package: pip install 'mediaan[pptx]'"
        raise SetupError(message, code="no_pptx") from error
    run = read_run(run_dir)
    target = run.path / "report" / "report.pptx" if out is None else Path(out)
    sheets = read_sheets(run, limit, read_heading(run.path).changed(title, client, logo))
    write_deck(sheets, LocalStorage(run.path), target)
    return target


def write_heat(run_dir: str | Path, out: str | Path) -> dict[str, Path]:
    """Write the heat of each file of a run as a PNG with opacity, in the size of the file.

    Parameters
    ----------
    run_dir : path
        A run that kept its densities.
    out : path
        Folder, made if absent. A file in it is called like the folder of the run's maps.

    Returns
    -------
    dict of str to Path
        The PNG of each path of the table ``media``, each content once; of a video that of its whole length.

    Raises
    ------
    UsageError
        No run, one that kept no densities, or a folder that cannot be made.
    SetupError
        The disk is full.
    """
    run, folder = read_run(run_dir), as_path(out, "out")
    stored = [(path, medium, density_path(run, medium.medium_id)) for path, medium in analyzed_media(run)]
    make_folder(folder)
    written = {}
    for path, medium, file in stored:
        densities, _ = read_densities(file)
        data = BytesIO()
        heat_layer(densities["total"], (medium.width, medium.height)).save(data, "PNG")
        written[path] = folder / f"{folder_name(medium.name, medium.medium_id)}.png"
        write_atomic(written[path], data.getvalue())
    return written
