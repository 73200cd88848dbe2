"""Mark by letters which variants of a ranking cannot be told apart."""

from __future__ import annotations

from collections.abc import Iterable
from string import ascii_lowercase

Pair = tuple[int, int]


def indistinguishable_groups(count: int, apart: Iterable[Pair]) -> tuple[tuple[int, ...], ...]:
    """Group variants that cannot be told apart.

    By inserting and absorbing (Piepho 2004, J. Comput. Graph. Stat. 13, 456-466).

    `count`: variants, numbered from 0, the first of the ranking first.
    `apart`: those that can be told apart.
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
