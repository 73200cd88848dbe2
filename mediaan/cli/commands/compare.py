"""`mediaan compare`: which of two is better, and is the difference real?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from mediaan.cli import complete, options


@click.command()
@click.argument("names", metavar="[A B ...]", nargs=-1)
@click.option("--runs", multiple=True, type=click.Path(path_type=Path), metavar="RUN", help="Run that holds the media.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=complete.metric,
    help="Score to compare; all for every one.",
)
@click.option("--by", metavar="KEY", help="Compare groups: a column, a setting of objectives, folder, or run.")
@click.option("--pair", metavar="KEY", help="Pair the media of groups by a key, such as name, the file's.")
@click.option("--cluster", metavar="KEY", help="Media of a group that share this, such as a campaign, count once.")
@click.option("--type", "type_", type=click.Choice(["image", "video", "mixed"]), help="Only media of this type.")
@click.option(
    "--versions", is_flag=True, help="They are versions of one design: leave out errors that all of them share."
)
@click.option("--attributes", type=click.Path(path_type=Path), metavar="FILE", help="CSV with keys of the media.")
@click.option(
    "--objectives",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the media are for decides what is better.",
)
@click.option(
    "--out", type=click.Path(path_type=Path, file_okay=False), metavar="DIR", help="Write page, table and JSON here."
)
@options.device
@options.json_lines
def compare(
    names: tuple[str, ...],
    runs: tuple[Path, ...],
    metrics: tuple[str, ...],
    by: str | None,
    pair: str | None,
    cluster: str | None,
    type_: str | None,
    versions: bool,
    attributes: Path | None,
    objectives: Path | None,
    out: Path | None,
    device: str,
    as_json: bool,
) -> int:
    """Compare A with B, or rank many, and say what can be told from chance.

    A and B are media of runs, by their paths in the tables or an ending of one, or files, which are analysed on the
    spot where no run holds them. Run directories may stand among them; without media all of the runs' are compared.
    --runs and --metric may be repeated; a metric is named like focus, or branding.percentage_seen.start.
    """
    from mediaan.cli.main import EXIT_SOME_FAILED
    from mediaan.cli.output.compare_output import compared_as_text
    from mediaan.errors import MediumError
    from mediaan.run import is_run
    from mediaan.run.files import check_own_folder
    from mediaan.studies.compare.folder import FACTS_FILE, write_folder
    from mediaan.studies.compare.media import find_media
    from mediaan.studies.compare.options import CompareOptions
    from mediaan.studies.compare.workflow import compare_media

    question = CompareOptions(metrics, by, pair, cluster, type_, versions, attributes, objectives)
    media = [name for name in names if not is_run(Path(name))]
    runs = (*runs, *(Path(name) for name in names if is_run(Path(name))))
    if out is not None:
        check_own_folder(out, FACTS_FILE)
    try:
        with find_media(media, runs, device) as held:
            found = compare_media(held, question, device)
            page = write_folder(found, held, out) if out is not None else None
    except MediumError as error:
        click.echo(error.message, err=True)
        return EXIT_SOME_FAILED
    click.echo(json.dumps(found.to_dict()) if as_json else compared_as_text(found))
    if not as_json:
        click.echo(f"\npage: {page}" if page is not None else "\nAs a page, with pictures: --out DIR")
    return 0
