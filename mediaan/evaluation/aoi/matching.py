"""Match detected areas with those that people drew, of one role in one image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mediaan.types.aoi import Aoi, Box, Candidate

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
