"""Turn the words of a line into a vector, with numpy alone: texts that mean alike should lie close together."""

from __future__ import annotations

import re
import unicodedata
import zlib
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

BUCKETS = 32768
"""Rows of the table of vectors; pieces of the same hash share one."""

_LENGTHS, _LENGTHS_WITHOUT_SPACES = (3, 4, 5), (1, 2)
"""Of n-grams within a word; of scripts that put no spaces between words."""

_WORD = re.compile(r"\w+|[^\w\s]+")
_MOST_LETTERS = 400
"""Of a line that are looked at."""


def pieces(text: str) -> Iterator[str]:
    """Return words, n-grams of their letters, and pairs of words, as fastText does (Bojanowski et al. 2017).

    Letters are compared without case and accents; digits are all alike.

    Examples
    --------
    >>> list(pieces("Buy 3"))
    ['<buy>', '<bu', 'buy', 'uy>', '<buy', 'buy>', '<0>', 'buy 0']
    """
    plain = unicodedata.normalize("NFKD", text[:_MOST_LETTERS]).casefold()
    plain = "".join("0" if c.isdigit() else c for c in plain if not unicodedata.combining(c))
    words = _WORD.findall(plain)
    for word in words:
        marked = f"<{word}>"
        yield marked
        spaceless = any(c >= "\u2e80" for c in word)
        for length in _LENGTHS_WITHOUT_SPACES if spaceless else _LENGTHS:
            if length < len(marked):
                yield from (marked[i : i + length] for i in range(len(marked) - length + 1))
    yield from (f"{first} {second}" for first, second in pairwise(words))


def buckets_of(text: str) -> list[int]:
    """Return the rows of the table that a text is made of; none of one without letters, digits and signs."""
    return [zlib.crc32(piece.encode()) % BUCKETS for piece in pieces(text)]


class WordVectors(NamedTuple):
    """A table of the vectors of pieces, and what makes a line's vector of their mean.

    Attributes
    ----------
    rows : (BUCKETS, units) int8
    scale : (units,) float32
        What a step of `rows` stands for.
    hidden, out : (units + 1, hidden units), (hidden units + 1, values) float32
        Layers of a perceptron on the mean; the last row of a matrix is its bias.
    """

    rows: np.ndarray
    scale: np.ndarray
    hidden: np.ndarray
    out: np.ndarray

    def __call__(self, texts: Sequence[str]) -> np.ndarray:
        """Return (texts, values) float32."""
        means = np.zeros((len(texts), len(self.scale)), np.float32)
        for mean, text in zip(means, texts, strict=True):
            if buckets := buckets_of(text):
                mean[:] = self.rows[buckets].mean(axis=0, dtype=np.float32) * self.scale
        hidden = np.maximum(np.maximum(means, 0) @ self.hidden[:-1] + self.hidden[-1], 0)
        return hidden @ self.out[:-1] + self.out[-1]


def read_vectors(path: Path) -> WordVectors:
    """Read what `words.py` wrote."""
    with np.load(path, allow_pickle=False) as content:
        return WordVectors(**{name: content[name] for name in WordVectors._fields})
