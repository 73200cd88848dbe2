"""`mediaan review`: answer questions about the areas of a run, on a page that this machine alone sees."""

from __future__ import annotations

from pathlib import Path

import click

from mediaan.cli import options


@click.command()
@options.run
@click.option("--no-open", is_flag=True, help="Only print the address of the page.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default="a free one",
    help="Port to listen on, on 127.0.0.1.",
)
def review(run: Path, no_open: bool, port: int) -> None:
    """Ask which area is the brand, product, headline or call to action of the ads in RUN, where that is unclear.

    Opens a page on this machine. Each answer is kept at once; Ctrl-C ends the review and brings the tables and the
    report up to it.
    """
    import webbrowser

    from mediaan.review import open_review
    from mediaan.review.server import ReviewServer

    with open_review(run) as opened:
        progress = opened.progress
        with ReviewServer(opened, port) as server:
            try:
                click.echo(f"Questions: {progress.left}. Files without a clear verdict: {progress.undecided}.")
                click.echo(f"{server.address}\nCtrl-C ends the review")
                if not no_open:
                    webbrowser.open(server.address)
                server.serve_forever()
            except KeyboardInterrupt:
                server.lock.acquire()  # an answer that is being written is; no other one is taken
        progress = opened.progress
        told = f"Answered: {progress.answered}, left: {progress.left}, without a clear verdict: {progress.undecided}"
        click.echo(f"{told}; writing tables and report", err=True)
    if (report := run / "report" / "index.html").is_file():
        click.echo(f"report: {report}")
