"""Words for people: the terms of tables, reports and messages, and counts."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal, get_args


def media_count(count: int) -> str:
    """Format a number of files.

    >>> media_count(1), media_count(1200)
    ('1 file', '1,200 files')
    """
    return "1 file" if count == 1 else f"{count:,} files"


TermKind = Literal["word", "basis", "category", "position", "time", "problem"]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A term of tables, reports or messages."""

    name: str
    """As in tables, snake_case."""
    kind: TermKind
    meaning: str
    """In one to three sentences."""
    page: str
    """Page of the documentation that says more, from docs/."""
    title: str = ""
    """For readers, where it is not the name with spaces."""
    severity: str = ""
    """Of a problem: 'error' or 'warning'."""
    advice: str = ""
    """Of a problem: the action to take."""


@cache
def glossary() -> tuple[GlossaryTerm, ...]:
    """Return all terms, by kind.

    >>> next(term.page for term in glossary() if term.name == "proxy")
    'metrics.md'
    """
    kinds = tomllib.loads(files("mediaan.types").joinpath("glossary.toml").read_text(encoding="utf-8"))
    return tuple(
        GlossaryTerm(name, kind, **facts) for kind in get_args(TermKind) for name, facts in kinds[kind].items()
    )
