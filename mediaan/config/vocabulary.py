"""Declare the words that objectives may use; a file can add its own under ``values``."""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter

from mediaan.errors import nearest, normalize_word, shorten
from mediaan.types.placement import BUILT_IN_PLACEMENTS

_FILE = Path(__file__).with_name("vocabulary.toml")
_MOST_LISTED = 8
"""More words than this are no help in a message: they are listed by a command."""


_CLOSE = 0.8
"""Likeness from which a word is a misspelling, before it is another name."""


@dataclass(frozen=True, slots=True)
class Word:
    """A valid value."""

    means: str
    subcategories: tuple[str, ...] = ()
    """Finer divisions of an industry or a use case."""
    also: tuple[str, ...] = ()
    """What people write for it; not valid, but told in messages what it would be."""
    nace: tuple[str, ...] = ()
    """Divisions of NACE Rev. 2 that an industry holds, whole or in part."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Valid values by kind of setting."""

    built_in: Mapping[str, Mapping[str, Word]]
    """By kind (purpose, domain, platform, industry, usecase, placement), then by word."""
    additions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that a file adds, by one of `EXTENDABLE`, and its placements."""
    open: bool = True
    """Whether there is a file that could add some; messages say so then."""

    def extended(self, more: Mapping[str, Iterable[str]]) -> Vocabulary:
        """Return the same with words added."""
        merged = {kind: (*self.additions.get(kind, ()), *more.get(kind, ())) for kind in (*EXTENDABLE, _PLACEMENT)}
        return Vocabulary(self.built_in, merged, self.open)

    def words(self, kind: str) -> tuple[str, ...]:
        """Return the valid values of a setting, the built-in words first."""
        return (*self.built_in[kind], *self.additions.get(kind, ()))

    def subcategories(self, kind: str, category: str) -> tuple[str, ...]:
        """Return the valid subcategories of an industry or use case; words of the user's own go with any category."""
        word = self.built_in[kind].get(category)
        return (*(word.subcategories if word else ()), *self.additions.get(f"{kind}_subcategory", ()))

    def complaint(self, kind: str, word: str) -> str | None:
        """Describe what is wrong with the value of a setting, and what to write; None if nothing is."""
        words = self.words(kind)
        if word in words:
            return None
        text = f"{shorten(word)!r} is no known {kind}"
        return text + self._suggestion(self._meant(kind, word), words, kind)

    def subcategory_complaint(self, kind: str, category: str, word: str) -> str | None:
        """Describe what is wrong with the subcategory of a valid category; None if nothing is."""
        words = self.subcategories(kind, category)
        if word in words:
            return None
        text = f"{shorten(word)!r} is no known subcategory of {shorten(category)!r}"
        others = [name for name, category_word in self.built_in[kind].items() if word in category_word.subcategories]
        if others:
            return f"{text}; it is one of {' and '.join(map(repr, others))}"
        return text + self._suggestion(nearest(word, words), words, f"{kind}_subcategory")

    def _meant(self, kind: str, word: str) -> str | None:
        """Guess what was meant: another name of a word, a misspelling, a name of several (`Food & Drink`)."""
        plain, words = normalize_word(word), self.words(kind)
        guesses = (self._called(kind, plain), nearest(word, words, cutoff=_CLOSE))
        parts = (self._called(kind, part) for part in plain.split("_"))
        return next(filter(None, (*guesses, *parts, nearest(word, words))), None)

    def _called(self, kind: str, name: str) -> str | None:
        """Return the word of that name or alias."""
        words = self.built_in[kind]
        return name if name in words else next((other for other, facts in words.items() if name in facts.also), None)

    def _suggestion(self, meant: str | None, choices: tuple[str, ...], kind: str) -> str:
        """Return the word that was probably meant, or the known ones; then where words of the user's own go."""
        if meant:
            text = f"; did you mean {meant!r}?"
        elif not choices:
            text = "; there are none."
        elif len(choices) <= _MOST_LISTED:
            text = f"; there are {', '.join(choices)}."
        else:
            text = "; `mediaan objectives list` shows all valid words."
        if self.open and kind == _PLACEMENT:
            return text + " Your own go under placements"
        extendable = self.open and kind in EXTENDABLE
        return text + f" Your own words go under values.{kind}" if extendable else text.removesuffix(".")


_PLACEMENT = "placement"
"""Its words are the names of placements, which have facts of their own."""

EXTENDABLE = ("domain", "platform", "industry", "industry_subcategory", "usecase", "usecase_subcategory")


def match_known(word: str, choices: Collection[str]) -> str:
    """Return the known word that differs only in capitals, accents, hyphens and spaces; otherwise the word itself.

    >>> match_known("Brand Building", ["brand_building", "conversion"]), match_known("Brnd", ["brand_building"])
    ('brand_building', 'Brnd')
    """
    return (
        word
        if word in choices
        else next((choice for choice in choices if normalize_word(choice) == normalize_word(word)), word)
    )


_WORDS = TypeAdapter(dict[str, dict[str, Word]]).validate_python(tomllib.loads(_FILE.read_text(encoding="utf-8")))
BUILT_IN_VOCABULARY = Vocabulary(
    {**_WORDS, _PLACEMENT: {name: Word(place.title) for name, place in sorted(BUILT_IN_PLACEMENTS.items())}}
)
