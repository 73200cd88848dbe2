"""`mediaan compare`: which one is better, and is the difference real?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from mediaan.analysis.execution import Device
from mediaan.cli import complete, options


@click.command()
@click.argument("names", metavar="[A B ...]", nargs=-1)
@click.option("--runs", multiple=True, type=click.Path(path_type=Path), metavar="RUN", help="Run that holds the files.")
@click.option(
    "--metric",
    "metrics",
    multiple=True,
    metavar="NAME",
    shell_complete=complete.metric,
    help="Score to compare, or all.",
)
@click.option(
    "--by", metavar="KEY", help="Compare groups by folder, run, a setting of objectives such as platform, or a column."
)
@click.option("--pair", metavar="KEY", help="Pair the files of groups by a key, such as name.")
@click.option("--cluster", metavar="KEY", help="Files of a group that share this, such as a campaign, count once.")
@click.option("--type", "type_", type=click.Choice(["image", "video", "mixed"]), help="Only files of this type.")
@click.option("--versions", is_flag=True, help="They are versions of one design: errors that all share cancel out.")
@click.option(
    "--attributes", type=click.Path(path_type=Path), metavar="FILE", help="CSV file with columns of your own."
)
@click.option(
    "--objectives",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What the ads are for; that decides what is better.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Write a page, a table and JSON here.",
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
    device: Device,
    as_json: bool,
) -> int:
    """Compare A with B, rank many, or compare groups; and say which differences are real.

    \b
    mediaan compare a.png b.png                two files
    mediaan compare RUN                        all files of a run
    mediaan compare RUN --by platform          groups

    A and B are files, or names of files in a run (the end of the path is enough). Files that no run holds are analyzed
    first. Images and videos are compared apart. --runs and --metric can be repeated; a metric is, for example, focus or
    branding.percentage_seen.start.
    """
    from mediaan.cli.main import EXIT_SOME_FAILED
    from mediaan.cli.output.compare_output import comparisons_as_text
    from mediaan.errors import MediumError
    from mediaan.run import is_run
    from mediaan.run.files import check_own_folder
    from mediaan.studies.compare.folder import FACTS_FILE, write_folder
    from mediaan.studies.compare.media import TYPE_NAMES, find_media
    from mediaan.studies.compare.options import CompareOptions
    from mediaan.studies.compare.result import CompareResult
    from mediaan.studies.compare.workflow import compare_types

    question = CompareOptions(metrics, by, pair, cluster, type_, versions, attributes, objectives)
    media = [name for name in names if not is_run(Path(name))]
    runs = (*runs, *(Path(name) for name in names if is_run(Path(name))))
    if out is not None and not any((out / folder / FACTS_FILE).is_file() for folder in TYPE_NAMES):
        check_own_folder(out, FACTS_FILE)
    pages = []
    try:
        with find_media(media, runs, device) as held:
            found = compare_types(held, question, device)
            for kind, result in found.items():
                if out is not None and isinstance(result, CompareResult):
                    own = [one for one in held if one.type == kind]
                    pages.append(write_folder(result, own, out / kind if len(found) > 1 else out))
    except MediumError as error:
        click.echo(error.message, err=True)
        return EXIT_SOME_FAILED
    if as_json:
        for kind, result in found.items():
            facts = {"reason": result} if isinstance(result, str) else result.to_dict()
            click.echo(json.dumps(({"type": kind} if len(found) > 1 else {}) | facts))
        return 0
    click.echo(comparisons_as_text(found))
    click.echo("\n" + ("\n".join(f"page: {page}" for page in pages) or "For a page with images: --out DIR"))
    return 0
