"""`mediaan explain`: what a number, a category, a code or a word means."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

import click

from mediaan.cli import complete, options
from mediaan.errors import UsageError

if TYPE_CHECKING:
    from mediaan.explanations import Explanation

_WIDEST = 100
_LABEL = 12
"""Columns for the labels of facts."""


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]", shell_complete=complete.explained)
@options.json_lines
def explain(words: tuple[str, ...], as_json: bool) -> None:
    """Explain WORD: a score, a number of an area, a check, a category, a map, a driver, a code.

    Without WORD, list all of them.

    \b
    mediaan explain clarity
    mediaan explain first seen
    mediaan explain truncated
    """
    from mediaan.explanations import KINDS, explanations, find, nearest_name

    typed = " ".join(words)
    matches = find(typed) if typed else explanations()
    if not matches:
        near = nearest_name(typed)
        way_out = f"did you mean {near!r}?" if near else "`mediaan explain` lists all words"
        raise UsageError(f"nothing is called {typed!r}; {way_out}", code="unknown_word")
    width = min(_WIDEST, max(40, shutil.get_terminal_size((_WIDEST, 24)).columns))
    if as_json:
        click.echo(json.dumps([match.to_dict() for match in matches], ensure_ascii=False))
    elif typed:
        click.echo("\n\n".join("\n".join(_lines(match, width)) for match in matches))
    else:
        longest = max(len(match.name) for match in matches)
        for kind, group in groupby(matches, key=lambda match: match.kind):
            click.secho(KINDS[kind], bold=True)
            for match in group:
                text = textwrap.shorten(match.meaning, max(20, width - longest - 4), placeholder=" …")
                click.echo(f"  {match.name:<{longest}}  {text}")
            click.echo()
        click.echo("For more: mediaan explain WORD")


def _lines(explanation: Explanation, width: int) -> Iterator[str]:
    """Write all that is known of one name, wrapped."""
    title = click.style(explanation.title, bold=True)
    yield title if explanation.title == explanation.name else f"{title} ({explanation.name})"
    wrap = partial(textwrap.wrap, width=width, break_long_words=False, break_on_hyphens=False)
    yield from wrap(explanation.meaning)
    for label, text in {
        **explanation.facts,
        "In tables": explanation.tables,
        "More": f"docs/{explanation.page}",
    }.items():
        if not text:
            continue
        before = f"  {label:<{_LABEL}}"
        if len(label) >= _LABEL:  # it would stand over its column: the text begins below
            yield f"  {label}"
            before = " " * (_LABEL + 2)
        yield from wrap(text, initial_indent=before, subsequent_indent=" " * (_LABEL + 2))
