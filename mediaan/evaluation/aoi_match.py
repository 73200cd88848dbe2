"""Areas that were found against areas that people drew, of one type in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mediaan.types.aoi import Aoi, AoiType, Box, Candidate

LOOSE = 0.3
"""From this IoU on a box is about the right thing, though perhaps not tight enough."""

Outcome = Literal["found", "loose", "as_other", "missed"]
"""What became of an area that was drawn: found; overlapped by `LOOSE` only; found under another type; not found."""


@dataclass(frozen=True, slots=True)
class Matches:
    """What was drawn and what was found, brought together.

    Attributes
    ----------
    image : str
        Name of the picture.
    type : AoiType
    drawn : tuple of Aoi
    found : tuple of Candidate
        The surest first.
    pairs : dict of int to int
        Index of what was drawn by that of what found it, at the IoU that was asked for.
    loose_pairs : dict of int to int
        The same at an IoU of `LOOSE`.
    overlaps : tuple of float
        For each that was drawn the greatest IoU with any that was found.
    as_other : tuple of bool
        For each that was drawn whether it was found under another type only.
    """

    image: str
    type: AoiType
    drawn: tuple[Aoi, ...]
    found: tuple[Candidate, ...]
    pairs: dict[int, int]
    loose_pairs: dict[int, int]
    overlaps: tuple[float, ...]
    as_other: tuple[bool, ...]

    @property
    def errors(self) -> int:
        """How many were missed, and how many are none."""
        return len(self.drawn) + len(self.found) - 2 * len(self.pairs)

    def outcome(self, drawn: int) -> Outcome:
        """What became of one that was drawn."""
        if drawn in self.pairs.values():
            return "found"
        if drawn in self.loose_pairs.values():
            return "loose"
        return "as_other" if self.as_other[drawn] else "missed"

    def partner(self, drawn: int) -> Candidate | None:
        """What found it, tight or loose."""
        for pairs in (self.pairs, self.loose_pairs):
            for finder, index in pairs.items():
                if index == drawn:
                    return self.found[finder]
        return None


HIDDEN = 0.5
"""Share of a found box inside an undecided area from which on it counts neither way."""


def match_type(
    image: str,
    kind: AoiType,
    drawn: Sequence[Aoi],
    found: Sequence[Candidate],
    *,
    iou: float = 0.5,
    undecided: Sequence[Aoi] = (),
) -> Matches:
    """Bring together what was drawn and what was found of one type.

    Parameters
    ----------
    image : str
    kind : AoiType
    drawn, found : sequence
        Of all types; the others tell what was found under a wrong type.
    iou : float
        Overlap from which something is found, 0-1.
    undecided : sequence of Aoi
        Areas in which nobody can say what there is of their type; those of type ``other`` speak of all types. What is
        found there and matches nothing that was drawn is left out.
    """
    ours = tuple(sorted((c for c in found if c.type == kind), key=lambda c: -c.confidence))
    theirs = tuple(aoi for aoi in drawn if aoi.type == kind)
    wanted = [aoi.box for aoi in theirs]
    matched = greedy_pairs([c.box for c in ours], wanted, iou)
    doubtful = [aoi.box for aoi in undecided if aoi.type in (kind, "other")]
    ours = tuple(c for i, c in enumerate(ours) if i in matched or not _hidden(c.box, doubtful))
    boxes = [c.box for c in ours]
    pairs = greedy_pairs(boxes, wanted, iou)
    others = [c.box for c in found if c.type != kind]
    hit = set(pairs.values())
    return Matches(
        image=image,
        type=kind,
        drawn=theirs,
        found=ours,
        pairs=pairs,
        loose_pairs=greedy_pairs(boxes, wanted, min(iou, LOOSE)),
        overlaps=tuple(max(map(box.iou, boxes), default=0.0) for box in wanted),
        as_other=tuple(i not in hit and any(box.iou(o) >= iou for o in others) for i, box in enumerate(wanted)),
    )


def _hidden(box: Box, doubtful: Sequence[Box]) -> bool:
    return any(area.intersection(box) >= HIDDEN * box.area or area.iou(box) >= HIDDEN for area in doubtful)


def greedy_pairs(found: Sequence[Box], drawn: Sequence[Box], iou: float) -> dict[int, int]:
    """Give each found box, the surest first, that drawn box which is still free and overlaps it most.

    Parameters
    ----------
    found : sequence of Box
        By falling confidence.
    drawn : sequence of Box
    iou : float
        Least overlap, 0-1.

    Returns
    -------
    dict of int to int
        Index of the drawn box by that of the found one; as in PASCAL VOC (Everingham et al. 2010), except that a box
        whose best partner is taken may have the next best.

    Examples
    --------
    >>> whole, left = Box(0, 0, 1, 1), Box(0, 0, 0.6, 1)
    >>> greedy_pairs([left, whole], [whole], 0.5), greedy_pairs([left], [whole], 0.7)
    ({0: 0}, {})
    """
    pairs: dict[int, int] = {}
    free = set(range(len(drawn)))
    for finder, box in enumerate(found):
        best = max(sorted(free), key=lambda i: box.iou(drawn[i]), default=None)
        if best is not None and box.iou(drawn[best]) >= iou:
            pairs[finder] = best
            free.discard(best)
    return pairs
