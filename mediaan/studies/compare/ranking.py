"""Rank variants on one score, with the probability that each is the best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

import numpy as np

from mediaan.studies.compare.differences import NO_INTERVAL, Comparison, Estimate, ScoreKey
from mediaan.types.arrays import Float64
from mediaan.types.metrics import Z90, Direction

Pair = tuple[int, int]


def indistinguishable_groups(count: int, apart: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Group variants that cannot be told apart.

    By inserting and absorbing (Piepho 2004, J. Comput. Graph. Stat. 13, 456-466).

    `count`: variants, numbered from 0, the first of the ranking first.
    Returns: the groups, in the order of their first members. Two variants are in one group exactly where they cannot be
        told apart, and no group lies within another.

    >>> indistinguishable_groups(4, [(0, 2), (0, 3), (1, 3)])
    ((0, 1), (1, 2), (2, 3))
    """
    others = [0] * count
    for i, j in apart:
        others[i] |= 1 << j
        others[j] |= 1 << i
    groups = [(1 << count) - 1] if count else []  # sets of bits
    for i, far in enumerate(others):
        variant = 1 << i
        # insert: a group that holds both the variant and any that differs from it is split into one without each
        parts: set[int] = set()
        for group in groups:
            parts |= {group & ~variant, group & ~far} if group & variant and group & far else {group}
        # absorb: a group that lies within another is dropped
        groups = []
        for part in sorted(parts, key=lambda part: -part.bit_count()):
            if all(part & ~other for other in groups):
                groups.append(part)
    members = (tuple(i for i in range(count) if group >> i & 1) for group in groups)
    return tuple(sorted(members))


def compact_letters(count: int, apart: Iterable[Pair]) -> list[tuple[str, ...]]:
    """Name the groups of each variant by letter: a, b ... z, then aa, ab ...

    >>> compact_letters(3, [(0, 2)])
    [('a',), ('a', 'b'), ('b',)]
    """
    letters: list[list[str]] = [[] for _ in range(count)]
    for number, group in enumerate(indistinguishable_groups(count, apart)):
        for i in group:
            letters[i].append(letter_name(number))
    return list(map(tuple, letters))


def letter_name(number: int) -> str:
    """Name a group by its number from 0.

    >>> letter_name(0), letter_name(25), letter_name(26), letter_name(702)
    ('a', 'z', 'aa', 'aaa')
    """
    rest, last = divmod(number, len(ascii_lowercase))
    return (letter_name(rest - 1) if rest else "") + ascii_lowercase[last]


APART = 2 / 3
"""Least probability that the first of a group is better than what is in the next one: two pairs of three."""

_CELLS = 4000
_TAIL_SDS = 5.0  # standard deviations past the outermost values at which nothing is left


@dataclass(frozen=True, slots=True)
class RankedVariant:
    """A variant in a ranking."""

    name: str
    estimate: Estimate
    """Of a group its mean."""
    group: int | None
    """From 1. The first of a group is better than the first of the next one with a probability of at least
    `APART`; None where there are no intervals."""
    letters: tuple[str, ...]
    """Two variants share a letter exactly where no difference is proven; empty where there are no intervals."""
    best: float | None
    """Probability that its true score is the best of all, 0-1; None where neither end of the score is good, without
    intervals, or where it stands alone."""
    values: tuple[float, ...] = ()
    """Of a group those of its media; of a medium empty."""


@dataclass(frozen=True, slots=True)
class VariantRanking:
    """Variants in the order of one score, the best first; the highest first where neither end is good."""

    score_key: ScoreKey
    """The score."""
    unit: str
    direction: Direction
    places: tuple[RankedVariant, ...]
    left_out: Mapping[str, str]
    """Mapping of name to str. Variants without a value, without such an area, or without an interval where others have
    one; with the reason."""
    n_comparisons: int
    """Pairs for whose number verdicts are corrected."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return {
            "metric": self.score_key.metric,
            "metric_time": self.score_key.time,
            "aoi_type": self.score_key.aoi_type,
            "unit": self.unit,
            "direction": self.direction,
            "n_comparisons": self.n_comparisons,
            "places": [
                {
                    "name": place.name,
                    "value": place.estimate.value,
                    "lo": place.estimate.lo,
                    "hi": place.estimate.hi,
                    "n": place.estimate.n,
                    "group": place.group,
                    "letters": list(place.letters),
                    "probability_best": place.best,
                }
                for place in self.places
            ],
            "left_out": dict(self.left_out),
        }


def rank(
    score_key: ScoreKey,
    estimates: Mapping[str, Estimate],
    rows: Sequence[Comparison],
    direction: Direction,
    values: Mapping[str, tuple[float, ...]] | None = None,
) -> VariantRanking:
    """Rank variants.

    `rows`: all pairs of them, settled.
    `values` (mapping of name to tuple of float): of each group's media.
    """
    sign = -1.0 if direction == "lower" else 1.0
    sure = any(score.half_widths is not None for score in estimates.values())
    ranked = {
        name: score
        for name, score in estimates.items()
        if score.value is not None and score.n and (score.half_widths is not None or not sure)
    }
    names = sorted(ranked, key=lambda name: (-sign * (ranked[name].value or 0.0), name))
    number = {name: i for i, name in enumerate(names)}
    compared = [row for row in rows if row.a in number and row.b in number]
    letters: list[tuple[str, ...]] = [()] * len(names)
    if len(names) > 1 and all(row.verdict != "undefined" for row in compared):
        told = [row for row in compared if row.verdict != "not_distinguishable"]
        letters = compact_letters(len(names), [(number[row.a], number[row.b]) for row in told])
    unit = rows[0].unit if rows else ""
    truths = [ranked[name].expected() if unit == "score" else ranked[name] for name in names]
    ranks = len(names) > 1 and direction != "middle"  # one alone is neither best nor worst
    best = best_probabilities(truths, sign) if ranks else [None] * len(names)
    groups = _groups(names, compared) if any(letters) else [None] * len(names)
    places = (
        RankedVariant(name, ranked[name], group, its_letters, chance, (values or {}).get(name, ()))
        for name, group, its_letters, chance in zip(names, groups, letters, best, strict=True)
    )
    left_out = {
        name: (score.reason or NO_INTERVAL).removeprefix(f"{name}: ")
        for name, score in estimates.items()
        if name not in ranked
    }
    count = max((row.n_comparisons for row in rows), default=0)
    return VariantRanking(score_key, unit, direction, tuple(places), left_out, count)


def _groups(names: Sequence[str], rows: Sequence[Comparison]) -> list[int | None]:
    """Return the group of each variant, best first: a group ends where its first one is probably better."""
    odds = {frozenset((row.a, row.b)): row.probability for row in rows}
    groups: list[int | None] = []
    first, number = names[0], 1
    for name in names:
        probability = odds.get(frozenset((first, name)))
        if probability is not None and max(probability, 1 - probability) >= APART:
            first, number = name, number + 1
        groups.append(number)
    return groups


def best_probabilities(estimates: Sequence[Estimate], sign: float = 1.0) -> Sequence[float | None]:
    """Return the probability of each that its true score is the highest, or with `sign` -1 the lowest.

    Errors have nothing to do with each other; each is a normal distribution of its own width up and down, as in
    `subtract`. Computed on a grid, so that the order of the variants does not matter.

    `estimates`: with values.
    Returns: they sum to 1; all None where an interval is lacking.
    """
    half_widths = [score.half_widths for score in estimates]
    if any(half_width is None for half_width in half_widths) or not estimates:
        return [None] * len(estimates)
    values = sign * np.array([score.value for score in estimates], dtype=np.float64)
    deviations = np.array(half_widths, dtype=np.float64)[:, :: int(sign)] / Z90
    low, high = values - _TAIL_SDS * deviations[:, 0], values + _TAIL_SDS * deviations[:, 1]
    # below the highest of the lower ends nobody is best
    edges = np.linspace(low.max() - 1e-6, high.max() + 1e-6, _CELLS + 1)
    # each variant's distribution function, (variants, edges); one of no width is a step
    away = edges[None, :] - values[:, None]
    width = np.where(away < 0, deviations[:, :1], deviations[:, 1:])
    below = normal_cdf(away / np.maximum(width, 1e-12))
    middle = np.clip((below[:, 1:] + below[:, :-1]) / 2, 1e-300, 1.0)
    logs = np.log(middle)
    chances = (np.diff(below, axis=1) * np.exp(logs.sum(axis=0) - logs)).sum(axis=1)
    return [float(chance) for chance in chances / chances.sum()]


def normal_cdf(z: Float64) -> Float64:
    """Return the share of the normal distribution below each value, to 1e-7 (Abramowitz & Stegun 1964, 26.2.17)."""
    t = 1 / (1 + 0.2316419 * np.abs(z))
    terms = (0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
    series = t * (terms[0] + t * (terms[1] + t * (terms[2] + t * (terms[3] + t * terms[4]))))
    tail = np.exp(-0.5 * np.minimum(np.abs(z), 38.0) ** 2) / np.sqrt(2 * np.pi) * series
    return np.asarray(np.where(z > 0, 1 - tail, tail), np.float64)
