"""Choices of the form for objectives: the vocabulary, as people read it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from mediaan.benchmark.registry import norm_set_names
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.server.pages.listing import plain


@dataclass(frozen=True, slots=True)
class Option:
    """A value that can be chosen.

    Attributes
    ----------
    value : str
        As the API takes it.
    title, means : str
        As it is called, and what it means.
    finer : tuple of Option
        Divisions of it.
    """

    value: str
    title: str
    means: str = ""
    finer: tuple[Option, ...] = ()


@dataclass(frozen=True, slots=True)
class Form:
    """What can be chosen, by setting."""

    purposes: tuple[Option, ...]
    platforms: tuple[Option, ...]
    industries: tuple[Option, ...]
    usecases: tuple[Option, ...]
    benchmarks: tuple[Option, ...]


@cache
def objectives_form() -> Form:
    """The choices; they are the same for as long as the server runs."""
    return Form(
        purposes=tuple(_options("purpose")),
        platforms=tuple(_options("platform")),
        industries=tuple(_options("industry")),
        usecases=tuple(_options("usecase")),
        benchmarks=(*(Option(name, plain(name)) for name in norm_set_names()), Option("none", "No comparison")),
    )


def _options(kind: str) -> Iterator[Option]:
    for name, word in BUILT_IN_VOCABULARY.built_in[kind].items():
        finer = tuple(Option(division, plain(division)) for division in word.subcategories)
        yield Option(name, plain(name), word.means, finer)
