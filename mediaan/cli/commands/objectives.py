"""`mediaan objectives`: the file that says what media are for, before it is used."""

from __future__ import annotations

import json
from pathlib import Path

import click

from mediaan.cli import complete, options


@click.group()
def objectives() -> None:
    """Objectives say what each ad is for: list valid words, check your file, print an example."""


@objectives.command("list")
@click.argument("setting", required=False, shell_complete=complete.setting)
@click.option(
    "--objectives", type=click.Path(path_type=Path), metavar="FILE", help="Also list the words that this file adds."
)
@options.json_lines
def list_words(setting: str | None, objectives: Path | None, as_json: bool) -> None:
    """List the valid words for purpose, domain, platform, placement, industry and usecase, or for one SETTING."""
    from mediaan.cli.output.objectives_output import words_as_json, words_as_text
    from mediaan.config.objectives.file import load_objectives
    from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
    from mediaan.errors import UsageError, did_you_mean

    vocabulary = load_objectives(objectives).vocabulary if objectives else BUILT_IN_VOCABULARY
    known = tuple(vocabulary.built_in)
    if setting is not None and setting not in known:
        guess = did_you_mean(setting, known) or f"; choose from {', '.join(known)}"
        raise UsageError(f"there is no setting {setting!r}{guess}", code="unknown_setting")
    kinds = known if setting is None else (setting,)
    click.echo(json.dumps(words_as_json(vocabulary, kinds)) if as_json else words_as_text(vocabulary, kinds))


@objectives.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path), metavar="[PATH]...")
@options.json_lines
def check(file: Path, paths: tuple[Path, ...], as_json: bool) -> None:
    """Check FILE line by line; with PATH, show what it says about each file there.

    Nothing is analyzed. Exit code 2 when something must change.
    """
    from mediaan.cli.output.objectives_output import media_as_text, quoted_names
    from mediaan.workflow.objectives import check_objectives

    checked = check_objectives(file, paths)
    if as_json:
        facts = {"media": checked.media, "unused": checked.unused, "unlisted": checked.unlisted}
        click.echo(json.dumps({"file": str(file), **facts}))
        return
    config = checked.config
    counts = {
        "rules for files": len(config.media),
        "rows in its table": len(config.table.rows) if config.table else 0,
        "brands": len({brand.name for brand in config.described_brands.values()}),
        "rules": len(config.rules),
        "targets": len(config.targets),
    }
    said = ", ".join(f"{name}: {n}" for name, n in counts.items() if n)
    click.echo(f"{file}: valid" + (f" ({said})" if said else ""))
    if paths:
        click.echo(media_as_text(checked.media))
        for one in quoted_names(checked.unused):
            click.echo(f"{file}: no file matches {one}", err=True)
        for one in quoted_names(checked.unlisted):
            click.echo(f"{file}: its table has no row for {one}", err=True)


@objectives.command("example")
def print_example() -> None:
    """Print a file to start from, with a comment on every setting.

    \b
    mediaan objectives example > objectives.yaml
    """
    from mediaan.config.objectives.template import example_objectives

    click.echo(example_objectives(), nl=False)
