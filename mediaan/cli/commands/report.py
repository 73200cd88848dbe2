"""`mediaan report`: the report of a run, written again, to be forwarded, or printed."""

from __future__ import annotations

from pathlib import Path

import click

from mediaan.cli.paths import check_output_path


@click.command()
@click.argument("run", metavar="RUN", type=click.Path(path_type=Path))
@click.option(
    "--layout",
    type=click.Choice(["auto", "file", "folder"]),
    help="file: pictures are inside the page; folder: they stay in the run; auto: inside if mail carries it.  "
    "[default: as before]",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Write the page there, as one file, and leave the run as it is.",
)
@click.option(
    "--pdf",
    is_flag=False,
    flag_value="",
    metavar="[FILE]",
    help="Print it, with Chromium, Chrome or Edge.  [default FILE: RUN/report/report.pdf]",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    help="Media on the page at most: those that say most about the run.  [default: 600; 100 in a PDF]",
)
@click.option("--browser", metavar="PROGRAM", help="Browser that prints.  [default: MEDIAAN_BROWSER, else looked for]")
@click.option("--open", "open_page", is_flag=True, help="Show what was written.")
def report(
    run: Path,
    layout: str | None,
    out: Path | None,
    pdf: str | None,
    limit: int | None,
    browser: str | None,
    open_page: bool,
) -> None:
    """Write the report of RUN again: as one file that can be forwarded, or as a PDF.

    \b
    mediaan report RUN                      again, as this version does it
    mediaan report RUN --out campaign.html  one file, with all pictures in it
    mediaan report RUN --pdf                overview and a sheet for each medium, to be printed
    """
    check_output_path("--out", out, ".html", ".htm")
    check_output_path("--pdf", Path(pdf) if pdf else None, ".pdf")
    written = []
    if pdf is None or out is not None or layout is not None:
        written.append(_write_page(run, layout, out, limit))
    if pdf is not None:
        written.append(_print_pdf(run, pdf, limit, browser))
    if open_page:
        click.launch(written[-1].resolve().as_uri())


def _write_page(run: Path, layout: str | None, out: Path | None, limit: int | None) -> Path:
    from mediaan.cli.output.report_output import page_size
    from mediaan.report.data.selection import PAGE_MEDIA
    from mediaan.workflow.report import write_report

    page = write_report(run, layout=layout, out=out, limit=limit or PAGE_MEDIA)  # type: ignore[arg-type]  # a Choice
    click.echo(f"report: {page} ({page_size(page)})")
    return page


def _print_pdf(run: Path, pdf: str, limit: int | None, browser: str | None) -> Path:
    from mediaan.cli.output.report_output import format_megabytes
    from mediaan.run import read_run
    from mediaan.workflow.report import PDF_MEDIA, write_pdf

    most = limit or PDF_MEDIA
    made = write_pdf(run, pdf or None, limit=most, browser=browser)
    media = read_run(run).media
    done = media[media.status == "done"].medium_id.nunique()
    cut = f"; the {most} of {done:,} media that say most, see --limit" if done > most else ""
    click.echo(f"PDF: {made} ({format_megabytes(made)}{cut})")
    return made
