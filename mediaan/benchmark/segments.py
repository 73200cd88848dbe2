"""Parts of a population: which there are, and which a medium belongs to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from mediaan.types.benchmark import Segment

MOST_KEYS = 4
"""Keys that a norm set may be divided by: each doubles the number of ways to divide it."""


def segment_text(segment: Segment) -> str:
    """A segment in words, as in `BenchmarkRange.segment`.

    Examples
    --------
    >>> segment_text((("industry", "food"), ("platform", "print"))), segment_text(())
    ('industry=food, platform=print', 'all')
    """
    return ", ".join(f"{key}={value}" for key, value in segment) or "all"


def segments_of(keys: Sequence[str], values: Mapping[str, str | None]) -> Iterator[Segment]:
    """The segments that a medium belongs to, from the finest to the whole.

    More keys come before fewer; among as many, those that `keys` names first; with the same keys, ``food/snacks`` comes
    before ``food``. A key without a value is not asked for.

    Parameters
    ----------
    keys : sequence of str
        Those that the set is divided by, in its order.
    values : mapping of str to str or None
        Of the medium; keys that the set does not know do not matter.

    Examples
    --------
    >>> found = segments_of(("industry", "platform"), {"industry": "food/snacks", "platform": "print"})
    >>> [segment_text(one) for one in found][:4]
    ['industry=food/snacks, platform=print', 'industry=food, platform=print', 'industry=food/snacks', 'industry=food']
    """
    said = [key for key in keys if values.get(key)]
    for count in range(len(said), -1, -1):
        for chosen in combinations(said, count):
            for words in product(*(_with_parents(str(values[key])) for key in chosen)):
                yield tuple(zip(chosen, words, strict=True))


def _with_parents(word: str) -> list[str]:
    """``food/snacks/salty``, ``food/snacks``, ``food``."""
    parts = word.split("/")
    return ["/".join(parts[:count]) for count in range(len(parts), 0, -1)]
