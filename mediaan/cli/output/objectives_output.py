"""Write the words that objectives may use, and what a file says of media, as text and as JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from mediaan.cli.output.table import table_lines
from mediaan.config.vocabulary import Vocabulary

_WIDTH = 100
_MAX_NAMES = 5
_OWN = "your own"


def words_as_text(vocabulary: Vocabulary, kinds: Sequence[str]) -> str:
    """List words by setting with what they mean, subcategories below them."""
    return "\n\n".join("\n".join([kind, *_lines(vocabulary, kind)]) for kind in kinds)


def words_as_json(vocabulary: Vocabulary, kinds: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """Return the same as plain values."""
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
    names = list(dict.fromkeys(name for said in media.values() for name in said))
    rows = [["path", *names]] + [[path, *(cell(said.get(name)) for name in names)] for path, said in media.items()]
    return "\n".join(table_lines(rows, left=range(len(names) + 1)))


def cell(value: Any) -> str:
    """Write a setting as one word; nothing where it is not set.

    Examples
    --------
    >>> cell({"category": "food", "subcategory": "snacks"}), cell({"name": "Acme", "logos": ["a.png"]}), cell(2.0)
    ('food/snacks', 'Acme', '2')
    """
    if isinstance(value, Mapping):
        return "/".join(str(value[key]) for key in ("category", "subcategory", "name") if value.get(key))
    if isinstance(value, (list, tuple)):
        return ",".join(map(str, value)) or "none"
    return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _lines(vocabulary: Vocabulary, kind: str) -> Iterator[str]:
    names = vocabulary.words(kind)
    width = max(map(len, names))
    for name in names:
        word = vocabulary.built_in[kind].get(name)
        yield f"  {name:<{width}}  {word.means if word else _OWN}"
        if word and word.subcategories:
            indent = " " * (width + 4)
            yield textwrap.fill(", ".join(word.subcategories), _WIDTH, initial_indent=indent, subsequent_indent=indent)
    own = vocabulary.own.get(f"{kind}_subcategory", ())
    if own:
        yield f"  {_OWN} subcategories: {', '.join(own)}"


def quoted_names(names: tuple[str, ...] | list[str]) -> list[str]:
    """Quote the first few names, and count the rest."""
    more = len(names) - _MAX_NAMES
    return [repr(name) for name in names[:_MAX_NAMES]] + ([f"{more} more"] if more > 0 else [])
