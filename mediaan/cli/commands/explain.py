"""`mediaan explain`: what a number, a category, a code or a word means."""

from __future__ import annotations

import json
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import click

from mediaan.cli import complete, options

if TYPE_CHECKING:
    from mediaan.cli.explanations import Explanation

_WIDEST = 100
_LABEL = 12
"""Columns for the labels of facts."""


@click.command()
@click.argument("words", nargs=-1, metavar="[WORD]", shell_complete=complete.explained)
@options.json_lines
def explain(words: tuple[str, ...], as_json: bool) -> None:
    """Say what WORD means: a score, a number of an area, a check, a category, a map, a driver, a code.

    Without WORD, all that there are, with a line each.

    \b
    mediaan explain clarity
    mediaan explain first seen
    mediaan explain truncated
    """
    from mediaan.cli.explanations import explanations, find

    typed = " ".join(words)
    found = find(typed) if typed else explanations()
    if not found:
        raise _unknown(typed)
    if as_json:
        click.echo(json.dumps([one.to_dict() for one in found], ensure_ascii=False))
    elif typed:
        click.echo("\n\n".join("\n".join(_lines(one)) for one in found))
    else:
        click.echo("\n".join(_listed(found)))


def _unknown(typed: str) -> Exception:
    from mediaan.cli.explanations import nearest_name
    from mediaan.errors import UsageError

    near = nearest_name(typed)
    way_out = f"did you mean {near!r}?" if near else "`mediaan explain` lists what there is"
    return UsageError(f"nothing is called {typed!r}; {way_out}", code="unknown_word")


def _lines(one: Explanation) -> Iterator[str]:
    """Write all that is known of one name, wrapped."""
    title = click.style(one.title, bold=True)
    yield title if one.title == one.name else f"{title} ({one.name})"
    yield from _wrapped(one.meaning, "")
    facts = [*one.facts, ("In tables", one.tables), ("More", f"docs/{one.page}")]
    for label, text in facts:
        if text:
            yield from _fact(label, text)


def _fact(label: str, text: str) -> Iterator[str]:
    if len(label) >= _LABEL:  # it would stand over its column: the text begins below
        yield f"  {label}"
        label = ""
    yield from _wrapped(text, f"  {label:<{_LABEL}}")


def _wrapped(text: str, before: str) -> list[str]:
    width = min(_WIDEST, max(40, shutil.get_terminal_size((_WIDEST, 24)).columns))
    return textwrap.wrap(
        text, width, initial_indent=before, subsequent_indent=" " * len(before), break_long_words=False,
        break_on_hyphens=False,
    )  # fmt: skip


def _listed(found: Sequence[Explanation]) -> Iterator[str]:
    """List all names by kind, a line each."""
    from mediaan.cli.explanations import KINDS

    columns = shutil.get_terminal_size((_WIDEST, 24)).columns
    longest = max(len(one.name) for one in found)
    for kind, group in groupby(found, key=lambda one: one.kind):
        yield click.style(KINDS[kind], bold=True)
        for one in group:
            text = textwrap.shorten(one.meaning, max(20, min(_WIDEST, columns) - longest - 4), placeholder=" …")
            yield f"  {one.name:<{longest}}  {text}"
        yield ""
    yield "mediaan explain WORD says more."
