"""Where errors are: by kind of advertisement, and between roles."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mediaan.evaluation.aoi_finders import DETECTED, NAMED
from mediaan.evaluation.aoi_labels import LabelledPicture
from mediaan.evaluation.aoi_match import Matches
from mediaan.evaluation.aoi_score import TypeScores, score_type

NOTHING = "nothing"
"""What a missed area was found as, and what is there where nobody drew anything."""


@dataclass(frozen=True, slots=True)
class KindScores:
    """Advertisements of one kind.

    Attributes
    ----------
    kind : str
        As people call it.
    n_pictures : int
    scores : tuple of TypeScores
        As detected, of each role that is scored over all pictures.
    """

    kind: str
    n_pictures: int
    scores: tuple[TypeScores, ...]


@dataclass(frozen=True, slots=True)
class Confusion:
    """Roles that are taken for each other.

    Attributes
    ----------
    found_as : dict of str to dict of str to int
        Of each role that was drawn, how many areas are overlapped most by a found area of which role, at the IoU from
        which something is found; `NOTHING` where there is none. Two may be overlapped by the same, so the diagonal is
        no count of hits.
    false_as : dict of str to dict of str to int
        Of each role, how many areas that were found wrongly overlap a drawn area of which role most; of its own role
        where that was found already. ``branding (brand named)`` is what is found when the brand is told.
    """

    found_as: dict[str, dict[str, int]]
    false_as: dict[str, dict[str, int]]


def score_kinds(
    pictures: Sequence[LabelledPicture], matches: Mapping[tuple[str, str], Sequence[Matches]]
) -> tuple[KindScores, ...]:
    """Score each kind of advertisement alone, the most frequent first; pictures of no known kind are left out.

    Parameters
    ----------
    pictures : sequence of LabelledPicture
    matches : dict of (finder, name) to sequence of Matches
        One per picture.
    """
    kinds = {picture.name: picture.facts.kind for picture in pictures if picture.facts.kind}
    counts = Counter(kinds.values())
    return tuple(
        KindScores(
            kind,
            counts[kind],
            tuple(
                score_type([m for m in some if kinds.get(m.image) == kind], finder, name)
                for (finder, name), some in matches.items()
                if finder == DETECTED
            ),
        )
        for kind in sorted(counts, key=lambda kind: (-counts[kind], kind))
    )


def confuse(matches: Mapping[tuple[str, str], Sequence[Matches]]) -> Confusion:
    """Count which roles are taken for each other.

    Parameters
    ----------
    matches : dict of (finder, name) to sequence of Matches
        Names that are no role, such as any text, are left out.
    """
    found_as: dict[str, dict[str, int]] = {}
    false_as: dict[str, dict[str, int]] = {}
    for (finder, name), some in matches.items():
        if finder == DETECTED and all(m.type == name for m in some):
            found_as[name] = dict(Counter(role or NOTHING for m in some for role in m.found_as))
        if finder in (DETECTED, NAMED) and all(m.type == name for m in some):
            false = [m.drawn_as[i] or NOTHING for m in some for i in range(len(m.found)) if i not in m.pairs]
            false_as[name if finder == DETECTED else f"{name} ({finder})"] = dict(Counter(false))
    return Confusion(found_as, false_as)


def confusion_columns(rows: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """Return the columns of a table of confusions: what is counted, in the order of the rows, `NOTHING` last.

    Examples
    --------
    >>> confusion_columns({"face": {"nothing": 2, "person": 1}, "person": {"product": 1}})
    ('person', 'product', 'nothing')
    """
    there = {role for row in rows.values() for role in row} - {NOTHING}
    return (*(name for name in rows if name in there), *sorted(there - set(rows)), NOTHING)
