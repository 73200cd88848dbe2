"""Match detected areas with drawn ones, and score a method: precision, recall and F1 by type and kind of ad."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mediaan.evaluation.aoi.methods import DETECTED, NAMED, LabelledImage
from mediaan.evaluation.bootstrap import RESAMPLES, SEED
from mediaan.types.aoi import Aoi, Box, Candidate
from mediaan.types.arrays import Float64
from mediaan.types.metrics import Interval

LOOSE_IOU = 0.3
"""IoU from which on a box is a loose match."""

MIN_HIDDEN_SHARE = 0.5
"""Share of a found box inside an undecided area from which on it counts neither way."""

OFFER, PLATFORM, OTHER_MARK = "other: offer", "other: platform", "other mark"
"""Roles of areas of type ``other``: an offer, the platform's interface, and the mark of another company, labelled
``other mark: NAME``."""

MatchOutcome = Literal["found", "loose", "as_other", "missed"]
"""Outcome of a drawn area: found; matched at `LOOSE_IOU` only; found under another type; not found."""


def role_of(area: Aoi | Candidate) -> str:
    """Return the role of an area: its type; of type ``other`` the role that its label names, if any.

    >>> role_of(Candidate("other", "offer", Box(0, 0, 1, 1), 0.9, "text"))
    'other: offer'
    """
    if area.type != "other":
        return area.type
    word = area.label.split(":")[0].strip().lower()
    if word == OTHER_MARK:
        return OTHER_MARK
    return role if (role := f"other: {word}") in (OFFER, PLATFORM) else "other"


def concerns_all(undecided: Aoi) -> bool:
    """Return True if an undecided area concerns all roles: type ``other`` without a label."""
    return undecided.type == "other" and not undecided.label.strip()


@dataclass(frozen=True, slots=True)
class AoiMatches:
    """Drawn and found areas of one role in one image, matched."""

    image: str
    """Name of the image."""
    type: str
    """Role, see `role_of`."""
    drawn: tuple[Aoi, ...]
    detected: tuple[Candidate, ...]
    """By falling confidence, without those in undecided areas."""
    pairs: dict[int, int]
    """Index of the drawn area by that of the found one, at the required IoU."""
    loose_pairs: dict[int, int]
    """The same at `LOOSE_IOU`."""
    overlaps: tuple[float, ...]
    """Of each drawn area, the greatest IoU with any found one."""
    found_as: tuple[str | None, ...]
    """Of each drawn area, the role of the found area of any role that overlaps it most, at the required IoU; None where
    there is none. Of equal overlaps its own role goes first."""
    drawn_as: tuple[str | None, ...]
    """Of each found area, the role of the drawn area that overlaps it most, likewise."""
    as_other: tuple[bool, ...]
    """Of each drawn area, whether it was found under another type only."""
    ignored: tuple[Candidate, ...]
    """Found in undecided areas: they count neither way."""

    @property
    def errors(self) -> int:
        """Number of missed and of false areas."""
        return len(self.drawn) + len(self.detected) - 2 * len(self.pairs)

    def outcome(self, drawn: int) -> MatchOutcome:
        """Return the outcome of a drawn area by its index."""
        if drawn in self.pairs.values():
            return "found"
        if drawn in self.loose_pairs.values():
            return "loose"
        return "as_other" if self.as_other[drawn] else "missed"

    def partner(self, drawn: int) -> Candidate | None:
        """Return the found area that matches a drawn one, tight or loose."""
        for pairs in (self.pairs, self.loose_pairs):
            for finder, index in pairs.items():
                if index == drawn:
                    return self.detected[finder]
        return None


def match_areas(
    image: str,
    role: str,
    drawn: Sequence[Aoi],
    candidates: Sequence[Candidate],
    *,
    iou: float = 0.5,
    undecided: Sequence[Aoi] = (),
) -> AoiMatches:
    """Match drawn and found areas of one role.

    `role`: AOI type, or one of `OFFER` and `PLATFORM`; see `role_of`.
    `drawn`, `candidates`: of all roles; the others show what was found under a wrong one.
    `iou`: overlap of a match, 0-1.
    `undecided`: areas in which nobody can say what there is of their role; see `concerns_all`. Areas found there that
        match no drawn one are left out; areas drawn there count.
    """
    ours = tuple(sorted((c for c in candidates if role_of(c) == role), key=lambda c: -c.confidence))
    theirs = tuple(aoi for aoi in drawn if role_of(aoi) == role)
    wanted = [aoi.box for aoi in theirs]
    matched = greedy_pairs([c.box for c in ours], wanted, iou)
    doubtful = [aoi.box for aoi in undecided if concerns_all(aoi) or role_of(aoi) == role]
    left_out = {
        i
        for i, c in enumerate(ours)
        if i not in matched and any(area.intersection(c.box) >= MIN_HIDDEN_SHARE * c.box.area for area in doubtful)
    }
    kept = tuple(c for i, c in enumerate(ours) if i not in left_out)
    boxes = [c.box for c in kept]
    pairs = greedy_pairs(boxes, wanted, iou)
    others = [c.box for c in candidates if role_of(c) != role]
    hit = set(pairs.values())
    return AoiMatches(
        image=image,
        type=role,
        drawn=theirs,
        detected=kept,
        pairs=pairs,
        loose_pairs=greedy_pairs(boxes, wanted, min(iou, LOOSE_IOU)),
        overlaps=tuple(max(map(box.iou, boxes), default=0.0) for box in wanted),
        found_as=tuple(_role_there(box, candidates, role, iou) for box in wanted),
        drawn_as=tuple(_role_there(box, drawn, role, iou) for box in boxes),
        as_other=tuple(i not in hit and any(box.iou(o) >= iou for o in others) for i, box in enumerate(wanted)),
        ignored=tuple(ours[i] for i in sorted(left_out)),
    )


def _role_there(box: Box, areas: Sequence[Aoi | Candidate], role: str, iou: float) -> str | None:
    """Return the role of the area that overlaps a box most, of equals the box's own; None where none does by `iou`."""
    overlaps = [(box.iou(area.box), role_of(area)) for area in areas]
    best = max(overlaps, key=lambda overlap: (overlap[0], overlap[1] == role), default=None)
    return best[1] if best and best[0] >= iou else None


def greedy_pairs(boxes: Sequence[Box], drawn: Sequence[Box], iou: float) -> dict[int, int]:
    """Match each found box, by falling confidence, with the free drawn box that overlaps it most.

    `boxes`: by falling confidence.
    `iou`: least overlap, 0-1.
    Returns: index of the drawn box by that of the found one; as in PASCAL VOC (Everingham et al. 2010), except that a
        box whose best match is taken may have the next best.

    >>> whole, left = Box(0, 0, 1, 1), Box(0, 0, 0.6, 1)
    >>> greedy_pairs([left, whole], [whole], 0.5), greedy_pairs([left], [whole], 0.7)
    ({0: 0}, {})
    """
    pairs: dict[int, int] = {}
    free = set(range(len(drawn)))
    for finder, box in enumerate(boxes):
        best = max(sorted(free), key=lambda i: box.iou(drawn[i]), default=None)
        if best is not None and box.iou(drawn[best]) >= iou:
            pairs[finder] = best
            free.discard(best)
    return pairs


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
    """Role, see `mediaan.evaluation.aoi.scores.role_of`, or a name for several."""
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
