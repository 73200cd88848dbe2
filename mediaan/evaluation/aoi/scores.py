"""Score a detection method: precision, recall, F1, average precision, by type and kind of ad, and confusions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mediaan.evaluation.aoi.labels import LabelledImage
from mediaan.evaluation.aoi.matching import AoiMatches
from mediaan.evaluation.aoi.methods import DETECTED, NAMED
from mediaan.evaluation.bootstrap import RESAMPLES, SEED
from mediaan.types.arrays import Float64
from mediaan.types.interval import Interval

INTERVAL_LEVEL = 0.9
"""Coverage of the intervals."""

FIRST_PROPOSALS = 3
"""Number of most confident proposals per image for `first_recall`."""


@dataclass(frozen=True, slots=True)
class Rate(Interval):
    """A share, 0-1, with its bootstrap interval over images; None where it is undefined."""


@dataclass(frozen=True, slots=True)
class TypeScores:
    """Scores of one type of area over all images."""

    finder: str
    """Detection method, see `mediaan.evaluation.aoi.methods`."""
    type: str
    """Role, see `mediaan.evaluation.aoi.matching.role_of`, or a name for several."""
    n_pictures: int
    """Images on which one was drawn."""
    n_drawn: int
    n_found: int
    n_hits: int
    precision: Rate
    recall: Rate
    f1: Rate
    average_precision: float | None
    """Area under precision over recall, precision made non-increasing (PASCAL VOC since 2010)."""
    loose_recall: float | None
    """Recall at an IoU of 0.3."""
    median_iou: float | None
    """Of the best overlap with each drawn area; 0 where nothing was found."""
    first_recall: float | None
    """Recall of the three most confident proposals of each image."""
    first_ceiling: float | None
    """Largest recall that three proposals could reach."""
    n_as_other: int
    """Drawn areas that were found under another type only."""
    n_ignored: int
    """Found in undecided areas; not in `n_found`."""


def score_type(matches: Sequence[AoiMatches], finder: str, name: str) -> TypeScores:
    """Score the detection of one type of area.

    `matches`: one per image, also where there is nothing.
    `finder`, `name`: as in `TypeScores`.
    """
    drawn = sum(len(m.drawn) for m in matches)
    hits = sum(len(m.pairs) for m in matches)
    first = [len([i for i in m.pairs if i < FIRST_PROPOSALS]) for m in matches]
    overlaps = [overlap for m in matches for overlap in m.overlaps]
    counts = np.array([(len(m.pairs), len(m.detected), len(m.drawn)) for m in matches], np.float64).reshape(-1, 3)
    precision, recall, f1 = precision_recall_f1(counts)
    return TypeScores(
        finder=finder,
        type=name,
        n_pictures=sum(bool(m.drawn) for m in matches),
        n_drawn=drawn,
        n_found=sum(len(m.detected) for m in matches),
        n_hits=hits,
        precision=precision,
        recall=recall,
        f1=f1,
        average_precision=average_precision(matches),
        loose_recall=_share(sum(len(m.loose_pairs) for m in matches), drawn),
        median_iou=float(np.median(overlaps)) if overlaps else None,
        first_recall=_share(sum(first), drawn),
        first_ceiling=_share(sum(min(FIRST_PROPOSALS, len(m.drawn)) for m in matches), drawn),
        n_as_other=sum(sum(m.as_other) for m in matches),
        n_ignored=sum(len(m.ignored) for m in matches),
    )


def precision_recall_f1(counts: Float64) -> tuple[Rate, Rate, Rate]:
    """Return precision, recall and F1 with intervals.

    `counts` (n, 3) float64: of each image: hits, found, drawn.
    Returns `precision, recall, f1`: resampled by image (percentile bootstrap, Efron 1979). None where nothing was found
        or drawn; no interval for fewer than two images.

    >>> [rate.value for rate in precision_recall_f1(np.array([[1.0, 2.0, 4.0]]))]
    [0.5, 0.25, 0.3333333333333333]
    """
    values, sampled = _ratios(counts.sum(axis=0, keepdims=True)), [np.empty(0)] * 3
    if len(counts) > 1:
        picks = np.random.default_rng(SEED).integers(len(counts), size=(RESAMPLES, len(counts)))
        sampled = _ratios(counts[picks].sum(axis=1))
    precision, recall, f1 = (_rate(value, sample) for value, sample in zip(values, sampled, strict=True))
    return precision, recall, f1


def _ratios(totals: Float64) -> list[Float64]:
    """Return precision, recall and F1 of rows of hits, found, drawn; each without rows in which it is undefined."""
    hits, detected, drawn = totals.T
    pairs = ((hits, detected), (hits, drawn), (2 * hits, detected + drawn))
    return [above[below > 0] / below[below > 0] for above, below in pairs]


def _rate(value: Float64, sample: Float64) -> Rate:
    if not value.size:
        return Rate(None, None, None)
    if not sample.size:
        return Rate(float(value[0]), None, None)
    lo, hi = np.quantile(sample, [(1 - INTERVAL_LEVEL) / 2, (1 + INTERVAL_LEVEL) / 2])
    return Rate(float(value[0]), float(lo), float(hi))


def average_precision(matches: Sequence[AoiMatches]) -> float | None:
    """Return the area under precision over recall, 0-1; None where nothing was drawn."""
    drawn = sum(len(m.drawn) for m in matches)
    if not drawn:
        return None
    rows = [(c.confidence, i in m.pairs) for m in matches for i, c in enumerate(m.detected)]
    rows.sort(key=lambda row: -row[0])
    right = np.array([hit for _, hit in rows], bool)
    precision = right.cumsum() / np.arange(1, right.size + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return float(envelope[right].sum() / drawn)


def _share(part: int, total: int) -> float | None:
    return part / total if total else None


NOTHING = "nothing"
"""Role of no area in confusions: a missed area was found as it, a false one is drawn as it."""


@dataclass(frozen=True, slots=True)
class AdKindScores:
    """Scores on ads of one kind."""

    kind: str
    """Such as ``banner``."""
    n_pictures: int
    scores: tuple[TypeScores, ...]
    """As detected, of each role that is scored over all images."""


@dataclass(frozen=True, slots=True)
class Confusion:
    """Confusions of roles."""

    found_as: dict[str, dict[str, int]]
    """Drawn role → role of the found area that overlaps it most, at the IoU of a hit → number; `NOTHING` where there is
    none. One found area may overlap two drawn ones, so the diagonal is no count of hits."""
    false_as: dict[str, dict[str, int]]
    """Role of a false detection → role of the drawn area that overlaps it most → number; its own role where that was
    found already. ``branding (brand named)`` is branding found with the brand named."""


def score_kinds(
    images: Sequence[LabelledImage], matches: Mapping[tuple[str, str], Sequence[AoiMatches]]
) -> tuple[AdKindScores, ...]:
    """Score each kind of ad alone, the most frequent first; images of no known kind are left out.

    `matches` (dict of (finder, name) to sequence of Matches): one per image.
    """
    kinds = {image.name: image.facts.kind for image in images if image.facts.kind}
    counts = Counter(kinds.values())
    return tuple(
        AdKindScores(
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


def count_confusions(matches: Mapping[tuple[str, str], Sequence[AoiMatches]]) -> Confusion:
    """Count confusions of roles.

    `matches` (dict of (finder, name) to sequence of Matches): names that are no role, such as ``any text``, are left
        out.
    """
    found_as: dict[str, dict[str, int]] = {}
    false_as: dict[str, dict[str, int]] = {}
    for (finder, name), some in matches.items():
        if finder == DETECTED and all(m.type == name for m in some):
            found_as[name] = dict(Counter(role or NOTHING for m in some for role in m.found_as))
        if finder in (DETECTED, NAMED) and all(m.type == name for m in some):
            false = [m.drawn_as[i] or NOTHING for m in some for i in range(len(m.detected)) if i not in m.pairs]
            false_as[name if finder == DETECTED else f"{name} ({finder})"] = dict(Counter(false))
    return Confusion(found_as, false_as)


def confusion_columns(rows: Mapping[str, Mapping[str, int]]) -> tuple[str, ...]:
    """Return the columns of a confusion table in the order of its rows, `NOTHING` last.

    >>> confusion_columns({"face": {"nothing": 2, "person": 1}, "person": {"product": 1}})
    ('person', 'product', 'nothing')
    """
    there = {role for row in rows.values() for role in row} - {NOTHING}
    return (*(name for name in rows if name in there), *sorted(there - set(rows)), NOTHING)
