"""`mediaan objectives`: the file that says what media are for, before it is used."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mediaan.cli import complete, options
from mediaan.cli.options import PATH
from mediaan.cli.table import join_blocks, table_lines
from mediaan.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from mediaan.config.vocabulary import Vocabulary


@click.group()
def objectives() -> None:
    """Objectives say what each ad is for: list valid words, check your file, print an example."""


@objectives.command("list")
@click.argument("setting", required=False, shell_complete=complete.setting)
@click.option("--objectives", type=PATH, metavar="FILE", help="Also list the words that this file adds.")
@options.json_lines
def list_words(setting: str | None, objectives: Path | None, as_json: bool) -> None:
    """List the valid words for purpose, domain, platform, placement, industry and usecase, or for one SETTING."""
    from mediaan.config.objectives import load_objectives
    from mediaan.config.vocabulary import BUILT_IN_VOCABULARY

    vocabulary = load_objectives(objectives).vocabulary if objectives else BUILT_IN_VOCABULARY
    settings = tuple(vocabulary.built_in)
    if setting is not None and setting not in settings:
        guess = did_you_mean(setting, settings) or f"; choose from {', '.join(settings)}"
        raise UsageError(f"there is no setting {setting!r}{guess}", code="unknown_setting")
    kinds = settings if setting is None else (setting,)
    text = join_blocks([kind, *_lines(vocabulary, kind)] for kind in kinds)
    click.echo(json.dumps(words_as_json(vocabulary, kinds)) if as_json else text)


@objectives.command()
@click.argument("file", type=PATH)
@click.argument("paths", nargs=-1, type=PATH, metavar="[PATH]...")
@options.json_lines
def check(file: Path, paths: tuple[Path, ...], as_json: bool) -> None:
    """Check FILE line by line; with PATH, show what it says about each file there.

    Nothing is analyzed. Exit code 2 when something must change.
    """
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
    summary = ", ".join(f"{name}: {n}" for name, n in counts.items() if n)
    click.echo(f"{file}: valid" + (f" ({summary})" if summary else ""))
    if paths:
        click.echo(media_as_text(checked.media))
        for unused_name in quoted_names(checked.unused):
            click.echo(f"{file}: no file matches {unused_name}", err=True)
        for unused_name in quoted_names(checked.unlisted):
            click.echo(f"{file}: its table has no row for {unused_name}", err=True)


@objectives.command("example")
def print_example() -> None:
    """Print a file to start from, with a comment on every setting.

    \b
    mediaan objectives example > objectives.yaml
    """
    from mediaan.config.objectives_template import example_objectives

    click.echo(example_objectives(), nl=False)


_WIDTH = 100
_MAX_NAMES = 5
_OWN = "your own"


def words_as_json(vocabulary: Vocabulary, kinds: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return words by setting, with what they mean, as plain values."""
    return {
        kind: [
            {
                "word": name,
                "means": word.means if (word := vocabulary.built_in[kind].get(name)) else None,
                "subcategories": list(vocabulary.subcategories(kind, name)),
                "nace": list(word.nace) if word else [],
                "own": word is None,
            }
            for name in vocabulary.words(kind)
        ]
        for kind in kinds
    }


def media_as_text(media: Mapping[str, Mapping[str, Any]]) -> str:
    """Write a line for each medium, a column for each setting that any of them has."""
    names = list(dict.fromkeys(name for values in media.values() for name in values))
    rows = [["path", *names]] + [[path, *(cell(values.get(name)) for name in names)] for path, values in media.items()]
    return "\n".join(table_lines(rows, left=range(len(names) + 1)))


def cell(value: Any) -> str:
    """Write a setting as one word; nothing where it is not set.

    >>> cell({"category": "food", "subcategory": "snacks"}), cell({"name": "Acme", "logos": ["a.png"]}), cell(2.0)
    ('food/snacks', 'Acme', '2')
    """
    if isinstance(value, Mapping):
        return "/".join(str(value[key]) for key in ("category", "subcategory", "name") if value.get(key))
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "none"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _lines(vocabulary: Vocabulary, kind: str) -> Iterator[str]:
    """List the words of a setting with what they mean, subcategories below them."""
    names = vocabulary.words(kind)
    width = max(map(len, names))
    for name in names:
        word = vocabulary.built_in[kind].get(name)
        yield f"  {name:<{width}}  {word.means if word else _OWN}"
        if word and word.subcategories:
            indent = " " * (width + 4)
            yield textwrap.fill(", ".join(word.subcategories), _WIDTH, initial_indent=indent, subsequent_indent=indent)
    users_words = vocabulary.additions.get(f"{kind}_subcategory", ())
    if users_words:
        yield f"  {_OWN} subcategories: {', '.join(users_words)}"


def quoted_names(names: tuple[str, ...] | list[str]) -> list[str]:
    """Quote the first few names, and count the rest."""
    more = len(names) - _MAX_NAMES
    return [repr(name) for name in names[:_MAX_NAMES]] + ([f"{more} more names"] if more > 0 else [])
