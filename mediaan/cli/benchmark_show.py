"""`mediaan benchmark list`, `show` and `validate`: norm sets that are there."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mediaan.cli import complete, options
from mediaan.types.counts import media_count


@click.command("list")
@options.json_lines
def list_sets(as_json: bool) -> None:
    """List the norm sets that ship."""
    from mediaan.benchmark.shelf import list_norm_sets

    known = list_norm_sets()
    if as_json:
        names = ("name", "title", "population", "keys", "min_n", "suits", "created")
        rows = [
            {**{name: getattr(about, name) for name in names}, "media": about.sizes[()], "file": str(about.path)}
            for about in known.values()
        ]
        click.echo(json.dumps(rows))
        return
    width = max(map(len, known), default=0)
    for about in known.values():
        divided = f", by {', '.join(about.keys)}" if about.keys else ""
        click.echo(f"{about.name:<{width}}  {about.title}: {media_count(about.sizes[()])}{divided}")


@click.command()
@click.argument("name", shell_complete=complete.norm_set)
@click.option(
    "--metric",
    metavar="NAME",
    shell_complete=complete.metric,
    help="All times and types of AOI of one score.  [default: the main ones]",
)
@click.option("--segment", metavar="KEY=VALUE,...", help="A part of the population.  [default: all of it]")
@click.option("--min-n", type=click.IntRange(min=1), help="Media that a part needs.  [default: that of the set]")
@options.json_lines
def show(name: str, metric: str | None, segment: str | None, min_n: int | None, as_json: bool) -> None:
    """Show the norm set NAME, one that ships or a file: where the edges of its categories lie, and how surely."""
    from mediaan.benchmark.shelf import find_norm_set
    from mediaan.cli.benchmark_board import norms_as_text, norms_to_dict, shown_norms
    from mediaan.cli.benchmark_build import by_key, words

    norm_set = find_norm_set(name)
    values = {key: value[0] for key, value in by_key("--segment", words(segment or "")).items()}
    shown = shown_norms(norm_set, metric, values, min_n)
    click.echo(json.dumps(norms_to_dict(norm_set, shown)) if as_json else norms_as_text(norm_set, shown))


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def validate(file: Path) -> int:
    """Say whether the norm set in FILE holds together; exit code 2 where it does not."""
    from mediaan.benchmark.file import parse_norm_set
    from mediaan.benchmark.validate import problems
    from mediaan.cli.main import EXIT_USAGE

    norm_set = parse_norm_set(file)
    found = problems(norm_set)
    for problem in found:
        click.echo(problem, err=True)
    if not found:
        click.echo(f"{file}: ok, {len(norm_set.norms)} norms of {media_count(norm_set.sizes[()])}")
    return EXIT_USAGE if found else 0
