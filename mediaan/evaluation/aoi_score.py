"""How good a finder of areas is at one type: precision, recall, F1, average precision, and how far they could move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.evaluation.aoi_match import Matches
from mediaan.evaluation.bootstrap import RESAMPLES, SEED
from mediaan.types.arrays import Float64

LEVEL = 0.9
"""Coverage of the intervals."""

FIRST = 3
"""Proposals of which the recall is told beside that of all."""


@dataclass(frozen=True, slots=True)
class Rate:
    """A share, 0-1, with the bootstrap interval over pictures; None where it is undefined."""

    value: float | None
    lo: float | None
    hi: float | None


@dataclass(frozen=True, slots=True)
class TypeScores:
    """One type over all pictures.

    Attributes
    ----------
    finder : str
        What found them, see `mediaan.evaluation.aoi_finders`.
    type : str
        Role, see `mediaan.evaluation.aoi_match.role_of`, or a name for several.
    n_pictures : int
        On which one was drawn.
    n_drawn, n_found, n_hits : int
    precision, recall, f1 : Rate
    average_precision : float or None
        Area under precision over recall, precision made non-increasing (PASCAL VOC since 2010).
    loose_recall : float or None
        Share that is found at an IoU of 0.3.
    median_iou : float or None
        Over what was drawn, of the best overlap; 0 counts where nothing was found.
    first_recall : float or None
        Share that the first three proposals of its picture find.
    first_ceiling : float or None
        The most that three proposals could find.
    n_as_other : int
        How many were found under another type only.
    n_ignored : int
        How many were found in undecided areas; they are not in `n_found`.
    """

    finder: str
    type: str
    n_pictures: int
    n_drawn: int
    n_found: int
    n_hits: int
    precision: Rate
    recall: Rate
    f1: Rate
    average_precision: float | None
    loose_recall: float | None
    median_iou: float | None
    first_recall: float | None
    first_ceiling: float | None
    n_as_other: int
    n_ignored: int


def score_type(matches: Sequence[Matches], finder: str, name: str) -> TypeScores:
    """Score one type.

    Parameters
    ----------
    matches : sequence of Matches
        One per picture, also where there is nothing.
    finder, name : str
        As in `TypeScores`.
    """
    drawn = sum(len(m.drawn) for m in matches)
    hits = sum(len(m.pairs) for m in matches)
    first = [len([i for i in m.pairs if i < FIRST]) for m in matches]
    overlaps = [overlap for m in matches for overlap in m.overlaps]
    counts = np.array([(len(m.pairs), len(m.found), len(m.drawn)) for m in matches], np.float64).reshape(-1, 3)
    precision, recall, f1 = rates(counts)
    return TypeScores(
        finder=finder,
        type=name,
        n_pictures=sum(bool(m.drawn) for m in matches),
        n_drawn=drawn,
        n_found=sum(len(m.found) for m in matches),
        n_hits=hits,
        precision=precision,
        recall=recall,
        f1=f1,
        average_precision=average_precision(matches),
        loose_recall=_share(sum(len(m.loose_pairs) for m in matches), drawn),
        median_iou=float(np.median(overlaps)) if overlaps else None,
        first_recall=_share(sum(first), drawn),
        first_ceiling=_share(sum(min(FIRST, len(m.drawn)) for m in matches), drawn),
        n_as_other=sum(sum(m.as_other) for m in matches),
        n_ignored=sum(len(m.ignored) for m in matches),
    )


def rates(counts: Float64) -> tuple[Rate, Rate, Rate]:
    """Precision, recall and F1 with intervals.

    Parameters
    ----------
    counts : (n, 3) float64
        Of each picture: hits, found, drawn.

    Returns
    -------
    precision, recall, f1 : Rate
        Resampled by picture (percentile bootstrap, Efron 1979). None where nothing was found or drawn; no interval for
        fewer than two pictures.

    Examples
    --------
    >>> [rate.value for rate in rates(np.array([[1.0, 2.0, 4.0]]))]
    [0.5, 0.25, 0.3333333333333333]
    """
    values, sampled = _ratios(counts.sum(axis=0, keepdims=True)), [np.empty(0)] * 3
    if len(counts) > 1:
        picks = np.random.default_rng(SEED).integers(len(counts), size=(RESAMPLES, len(counts)))
        sampled = _ratios(counts[picks].sum(axis=1))
    precision, recall, f1 = (_rate(value, sample) for value, sample in zip(values, sampled, strict=True))
    return precision, recall, f1


def _ratios(totals: Float64) -> list[Float64]:
    """Precision, recall and F1 of rows of hits, found, drawn; rows in which one is undefined are left out of it."""
    hits, found, drawn = totals.T
    pairs = ((hits, found), (hits, drawn), (2 * hits, found + drawn))
    return [above[below > 0] / below[below > 0] for above, below in pairs]


def _rate(value: Float64, sample: Float64) -> Rate:
    if not value.size:
        return Rate(None, None, None)
    if not sample.size:
        return Rate(float(value[0]), None, None)
    lo, hi = np.quantile(sample, [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
    return Rate(float(value[0]), float(lo), float(hi))


def average_precision(matches: Sequence[Matches]) -> float | None:
    """Area under precision over recall, 0-1; None where nothing was drawn."""
    drawn = sum(len(m.drawn) for m in matches)
    if not drawn:
        return None
    rows = [(c.confidence, i in m.pairs) for m in matches for i, c in enumerate(m.found)]
    rows.sort(key=lambda row: -row[0])
    right = np.array([hit for _, hit in rows], bool)
    precision = right.cumsum() / np.arange(1, right.size + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(envelope[right].sum() / drawn)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
