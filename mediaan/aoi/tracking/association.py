"""Associate detections with tracks: affinity of two candidates, and greedy matching."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz import fuzz

from mediaan.types.aoi import TEXT_TYPES, AoiType, Box, Candidate

READ_METHODS = frozenset({"text", "wording", "brand_name", "word_mark"})
"""Methods that need text recognition."""

LETTERED_METHODS = frozenset({"word_mark", "brand_name"})
"""Methods that find marks made of letters."""

MIN_AFFINITY = 0.35
"""Affinity from which on two findings may be the same object."""

_OBJECT_TYPES: frozenset[AoiType] = frozenset({"product", "branding", "other"})


@dataclass(frozen=True, slots=True)
class AssociationSettings:
    """Thresholds by which a detection is taken for an area that is tracked."""

    compatible: float = 0.8
    """Compatibility of two types of text."""
    weakly_compatible: float = 0.5
    """The same of two types of objects, or of branding and text."""
    shortest: int = 3
    """Letters that two texts must have to be compared."""
    different_text: float = 0.6
    """Similarity under which two texts say different things: readings of one text have more."""
    same_text: float = 0.85
    """Similarity from which on two texts say the same."""
    most_growth: float = 2.5
    """Ratio of sides between two detections."""
    overlap: float = 0.2
    """IoU of the boxes of one object, where its place is no surer than usual."""
    reach: float = 0.7
    """By which an object may be off its place, in its own size."""


SETTINGS = AssociationSettings()


def is_text(candidate: Candidate) -> bool:
    """Tell whether a candidate is text (a headline, an offer, the platform's interface) rather than a mark."""
    return candidate.type in TEXT_TYPES or candidate.text is not None


def is_lettering(candidate: Candidate) -> bool:
    """Tell whether a candidate is made of letters: text or a word mark."""
    return is_text(candidate) or candidate.method in LETTERED_METHODS


def was_read(candidate: Candidate) -> bool:
    """Tell whether a candidate can only be found by text recognition.

    >>> shape = Candidate("branding", "", Box(0, 0, 0.1, 0.1), 0.6, "detector")
    >>> was_read(shape), was_read(Candidate("branding", "Acme", shape.box, 0.8, "detector"))
    (False, True)
    """
    return is_text(candidate) or candidate.method in READ_METHODS or bool(normalized_text(candidate))


def class_compatibility(first: AoiType, second: AoiType) -> float:
    """Return how well two types go together, 0-1: a headline may be body text, a face nothing else.

    >>> class_compatibility("headline_text", "body_text"), class_compatibility("face", "person")
    (0.8, 0.0)
    """
    if first == second:
        return 1.0
    types = {first, second}
    if types <= set(TEXT_TYPES):
        return SETTINGS.compatible
    if types <= _OBJECT_TYPES or types <= {"branding", *TEXT_TYPES}:
        return SETTINGS.weakly_compatible
    return 0.0


def candidate_compatibility(tracked: Candidate, aoi_type: AoiType, candidate: Candidate) -> float:
    """Return how well a finding goes with an object that is known, of a type on the whole, 0-1.

    All text is of one type, whatever its role: a headline now may be an offer at the next detection.
    """
    compatible = max(class_compatibility(aoi_type, candidate.type), class_compatibility(tracked.type, candidate.type))
    return max(compatible, SETTINGS.compatible) if is_text(tracked) and is_text(candidate) else compatible


def normalized_text(candidate: Candidate) -> str:
    """Return the text of a candidate as one line of lower case; empty where nothing was read."""
    words = candidate.text.transcription if candidate.text is not None else None
    if candidate.type == "branding" and candidate.text is None and candidate.method != "logo_picture":
        words = candidate.label
    return " ".join((words or "").lower().split())


def text_similarity(first: str, second: str) -> float | None:
    """Return how alike two readings are, 0-1, where one may be a part of the other; None where one is too short.

    >>> text_similarity("summer sale", "sumner sale") > 0.9, text_similarity("", "sale")
    (True, None)
    """
    if min(len(first), len(second)) < SETTINGS.shortest:
        return None
    ratio = fuzz.ratio(first, second)
    # a title that is typed letter by letter, or of which a line was missed
    part = (
        0.95 * fuzz.partial_ratio(first, second)
        if 3 * min(len(first), len(second)) >= max(len(first), len(second))
        else 0.0
    )
    return max(ratio, part) / 100


def affinity(
    tracked: Candidate, aoi_type: AoiType, at: Box, candidate: Candidate, similarity: float | None, slack: float
) -> float:
    """Return how likely a finding is an object that is known, 0-1; 0 where it cannot be.

    `tracked`: its last finding.
    `aoi_type`: its type on the whole.
    `at`: its expected place.
    `similarity`: similarity of appearance of the two; None where it is not known.
    `slack`: uncertainty of its place: 1 where it was propagated until now, more where it was not.
    """
    compatible = candidate_compatibility(tracked, aoi_type, candidate)
    if not compatible:
        return 0.0
    words_alike = text_similarity(normalized_text(tracked), normalized_text(candidate))
    # what is read on a drawn logo differs from detection to detection
    if (
        words_alike is not None
        and words_alike < SETTINGS.different_text
        and is_lettering(tracked)
        and is_lettering(candidate)
    ):
        return 0.0
    (x, y), (found_x, found_y) = at.centre, candidate.box.centre
    wide, high = (at.width + candidate.box.width) / 2, (at.height + candidate.box.height) / 2
    off = math.hypot((x - found_x) / max(wide, 1e-4), (y - found_y) / max(high, 1e-4))
    overlap = at.iou(candidate.box)
    near = max(overlap if overlap >= SETTINGS.overlap / slack else 0.0, 0.8 * (1 - off / (SETTINGS.reach * slack)), 0.0)
    sides = ((at.width, candidate.box.width), (at.height, candidate.box.height))
    if any(max(pair) > SETTINGS.most_growth * max(min(pair), 1e-4) for pair in sides):
        near = 0.0
    if words_alike is not None and words_alike >= SETTINGS.same_text:
        near = max(near, 0.3)  # the same words elsewhere: they have jumped
    if not near:
        return 0.0
    evidence = [value for value in (words_alike, similarity) if value is not None]
    rest = sum(evidence) / len(evidence) if evidence else 0.5
    return 0.6 * near + 0.15 * compatible + 0.25 * max(0.0, rest)


def match_greedily(scores: Iterable[tuple[float, int, int]], least: float = MIN_AFFINITY) -> list[tuple[int, int]]:
    """Pair two sides one to one, best score first.

    >>> match_greedily([(0.9, 0, 0), (0.8, 0, 1), (0.7, 1, 0), (0.5, 1, 1)])
    [(0, 0), (1, 1)]
    """
    left: set[int] = set()
    right: set[int] = set()
    pairs = []
    for score, i, j in sorted(scores, key=lambda row: (-row[0], row[1], row[2])):
        if score >= least and i not in left and j not in right:
            left.add(i)
            right.add(j)
            pairs.append((i, j))
    return pairs
