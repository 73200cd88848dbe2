"""Ranges as the page's script reads them: a few small numbers each, what they have in common kept once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from mediaan.report.contents import Row
from mediaan.types.benchmark import CATEGORIES, Position

CATEGORY_TITLES: Mapping[str, str] = {name: name.replace("_", " ").capitalize() for name in CATEGORIES}
POSITIONS: tuple[Position, ...] = ("within", "close_to", "above", "below")
POSITION_WORDS: Mapping[str, str] = {name: name.replace("_", " ") for name in POSITIONS}

_NORM_KEYS = ("norm_set", "segment", "metric", "metric_time", "aoi_type", "n", "lower", "upper")
_TEXT_KEYS = ("why", "fallback")
_PERCENTILE_KEYS = ("percentile", "percentile_lo", "percentile_hi")
_CATEGORY_KEYS = ("category", "category_lo", "category_hi")
_EDGE_KEYS = ("edges", "edges_lo", "edges_hi")
_FIGURES = 6  # significant ones of edges: more than a strip can show
_NUMBER = re.compile(r"(?<= is )-?\d+(?:[.,]\d+)*")


Packed = list[Any] | int
"""A range, or the place of the reason why there is none."""


@dataclass(slots=True)
class Packing:
    """What many rows of the table have in common, kept once; a row then is a few small numbers."""

    norms: dict[tuple[Any, ...], int] = field(default_factory=dict)
    texts: dict[str | None, int] = field(default_factory=dict)
    populations: dict[tuple[int, ...], int] = field(default_factory=dict)
    sentences: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)

    def pack(self, row: Row) -> Packed:
        """A row as the page's script reads it.

        Returns
        -------
        list or int
            ``[population, code, sentence, its number, percentile, lo, hi]``: the code's decimal digits are the places,
            from 1, of the category, of those of the interval's ends, and of the position, 0 where unknown; without an
            interval lo and hi are left out. Where there is no range, the place of its reason.
        """
        if row["category"] is None:
            return _place(self.reasons, row["reason"] or "there is no such population")
        sentence, number = _split(row["score_title"])
        spoken = -1 if sentence is None else _place(self.sentences, sentence)
        percents = [_tenth(row[key]) for key in _PERCENTILE_KEYS if row[key] is not None]
        texts = (_place(self.texts, row[key]) for key in _TEXT_KEYS)
        population = _place(self.populations, (_place(self.norms, _norm(row)), *texts))
        return [population, _code(row), spoken, number or "", *percents]

    def data(self) -> Mapping[str, Any]:
        """What the rows have in common, for the page's script."""
        return {
            "categories": list(CATEGORY_TITLES.values()),
            "positions": [POSITION_WORDS[name] for name in POSITIONS],
            "norms": [_norm_data(norm) for norm in self.norms],
            "texts": list(self.texts),
            "populations": list(self.populations),
            "sentences": list(self.sentences),
            "reasons": list(self.reasons),
        }


def _norm(row: Row) -> tuple[Any, ...]:
    lists = (tuple(row[key] or ()) for key in (*_EDGE_KEYS, "target"))
    return (*(row[key] for key in _NORM_KEYS), *lists)


def _norm_data(norm: tuple[Any, ...]) -> Mapping[str, Any]:
    found = dict(zip((*_NORM_KEYS, *_EDGE_KEYS, "target"), norm, strict=True))
    return found | {key: [float(f"{edge:.{_FIGURES}g}") for edge in found[key]] for key in _EDGE_KEYS}


def _split(sentence: str | None) -> tuple[str | None, str | None]:
    """A sentence without the number that says the score, and that number: most then are the same.

    Examples
    --------
    >>> _split("Focus is 64, above the recommended 30 to 70 of 51 beauty ads.")
    ('Focus is \\t, above the recommended 30 to 70 of 51 beauty ads.', '64')
    """
    match = _NUMBER.search(sentence) if sentence else None
    if sentence is None or match is None or "\t" in sentence:
        return sentence, None
    return f"{sentence[: match.start()]}\t{sentence[match.end() :]}", match[0]


def _place(known: dict[Any, int], item: Any) -> int:
    return known.setdefault(item, len(known))


def _code(row: Row) -> int:
    categories = [CATEGORIES.index(name) + 1 if name else 0 for name in map(row.get, _CATEGORY_KEYS)]
    place = POSITIONS.index(row["position"]) + 1 if row["position"] else 0
    return int("".join(map(str, (*categories, place))))


def _tenth(percent: float) -> float | int:
    """Down to a tenth, so that a rank never reaches the next category."""
    tenths = int(10 * percent)
    return tenths / 10 if tenths % 10 else tenths // 10
