"""`mediaan report`: the report of a run, written again, as one file to forward, on paper, or as slides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mediaan.cli import options
from mediaan.cli.options import EXISTING_FILE, FILE
from mediaan.cli.paths import check_output_path
from mediaan.errors import UsageError

_SUFFIXES = {"html": (".html", ".htm"), "pdf": (".pdf",), "pptx": (".pptx",)}


@click.command()
@options.run
@click.option(
    "--format",
    "file_format",
    type=click.Choice(list(_SUFFIXES)),
    help="html: the page; pdf: a page for each ad, printed with Chromium, Chrome or Edge; pptx: a slide for each ad, "
    "for PowerPoint.  [default: as --out ends, else html]",
)
@click.option(
    "--out",
    type=FILE,
    help="File to write; a page is then one file, and the run does not change.  [default: "
    "RUN/report/index.html, report.pdf or report.pptx]",
)
@click.option(
    "--layout",
    type=click.Choice(["auto", "file", "folder"]),
    help="Layout of the page. file: images are inside; folder: they stay in the run; auto: inside if the page "
    "is small enough to mail.  [default: unchanged]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Most ads in the report: those that say most about the run.  [default: 1000; 100 in a PDF or PowerPoint file]",
)
@click.option("--title", metavar="TEXT", help="Title, in the place of the run's name.")
@click.option("--client", metavar="TEXT", help="Name of the client, beside the date.")
@click.option(
    "--logo",
    type=EXISTING_FILE,
    metavar="IMAGE",
    help="Logo of the client. The run keeps title, client and logo of its own page; elsewhere they are of that file.",
)
@click.option(
    "--browser", metavar="PROGRAM", help="Browser that prints.  [default: MEDIAAN_BROWSER, else found automatically]"
)
@click.option("--open", "open_file", is_flag=True, help="Open the result.")
def report(
    run: Path,
    file_format: str | None,
    out: Path | None,
    layout: str | None,
    limit: int | None,
    browser: str | None,
    open_file: bool,
    **heading: Any,
) -> None:
    """Write the report of RUN again: as a page that can be forwarded, a PDF, or slides.

    \b
    mediaan report RUN                      again, with this version
    mediaan report RUN --out campaign.html  one file, with all images inside
    mediaan report RUN --format pdf         a summary, then a page for each ad
    mediaan report RUN --format pptx        a summary, then a slide for each ad
    mediaan report RUN --title "Spring campaign" --client Acme --logo acme.png
    """
    by_suffix = {suffix: name for name, suffixes in _SUFFIXES.items() for suffix in suffixes}
    kind = file_format or by_suffix.get(out.suffix.lower() if out else "", "html")
    check_output_path("--out", out, *(_SUFFIXES[file_format] if file_format else by_suffix))
    if layout is not None and kind != "html":
        raise UsageError("--layout applies only to the page; leave it out", code="bad_report")
    if kind == "html":
        written = _write_page(run, layout, out, limit, heading)
    else:
        written = _write_sheets(kind, run, out, limit, browser, heading)
    if open_file:
        click.launch(written.resolve().as_uri())


def _write_page(run: Path, layout: str | None, out: Path | None, limit: int | None, heading: Any) -> Path:
    from mediaan.report.selection import PAGE_MEDIA
    from mediaan.workflow.report import write_report

    page = write_report(run, layout=layout, out=out, limit=limit or PAGE_MEDIA, **heading)  # type: ignore[arg-type]  # a Choice
    click.echo(f"report: {page} ({page_size(page)})")
    return page


def _write_sheets(kind: str, run: Path, out: Path | None, limit: int | None, browser: str | None, heading: Any) -> Path:
    from mediaan.run import read_run
    from mediaan.workflow.report import SHEET_MEDIA, write_pdf, write_pptx

    most = limit or SHEET_MEDIA
    is_pdf = kind == "pdf"
    if is_pdf:
        made = write_pdf(run, out, limit=most, browser=browser, **heading)
    else:
        made = write_pptx(run, out, limit=most, **heading)
    media = read_run(run).media
    done = media[media.status == "done"].medium_id.nunique()
    cut = f"; the {most} of {done:,} ads that say most, see --limit" if done > most else ""
    click.echo(f"{'PDF' if is_pdf else 'slides'}: {made} ({format_megabytes(made)}{cut})")
    return made


def page_size(page: Path) -> str:
    """Say how large a page is, and whether it can be forwarded."""
    from mediaan.report.web.images import is_one_file

    size = format_megabytes(page)
    if is_one_file(page):
        return f"one file, {size}; you can forward it as it is"
    return f"{size}; shows images from the folder maps. To forward it: mediaan report RUN --out FILE"


def format_megabytes(file: Path) -> str:
    """Format the size of a file."""
    return f"{file.stat().st_size / 1e6:.1f} MB"
