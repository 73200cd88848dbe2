"""Branding of a frame: the brand's name, its logo, and what looks like a mark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mediaan.aoi.blocks import TypeLine
from mediaan.aoi.emblems import with_emblem
from mediaan.aoi.line_roles import LINE_ROLES
from mediaan.aoi.logos import LogoMatch, LogoMatcher
from mediaan.aoi.names import NameMatch, find_names, name_similarity
from mediaan.types.aoi import Box, Brand, Candidate, Detection, Method
from mediaan.types.arrays import Float64, UInt8

LEAST_CONFIDENCE = 0.5
"""What is less sure is not shown."""

MOST = 5
"""So many at most; the brand's own name and logo may be there more often."""

_MOST_NAMED = 8

_LOGO, _WORDS, _WORDLESS, _START = 0.69, 0.56, -0.48, -0.35
"""Log odds of a mark: weights of those of the logo that is detected and of its words, what is added where it has no
words, and a constant. Fitted to dev by models/training/branding.py."""

_UNSEEN = 0.105
"""Confidence that stands for a logo where the detector sees none around a word-mark."""

_LEAST_DETECTED, _LEAST_WORDS = 0.05, 0.25

_NAMELESS = 0.7
"""Where the brand is named, a logo without its name must be this sure; its letters may be of no known type."""

_SAME = 0.4
"""Share of the smaller box from which on two finds are one mark."""

_WITHIN, _LARGEST = 0.6, 14
"""Share of a name inside a logo that holds it, and how much larger this may be."""

_MAX_GAP = 0.6
"""Between a name and a logo that are one mark, in heights of the name."""


class Mark(NamedTuple):
    """Something that may be a mark, and what speaks for it.

    Attributes
    ----------
    box : Box
    detected : float or None
        Confidence of the detector's logo; None for a wordmark in which it sees none.
    words : float or None
        Probability that the surest of its lines is branding; None where it has no words.
    text : str
        What it says.
    """

    box: Box
    detected: float | None
    words: float | None
    text: str


class _Find(NamedTuple):
    box: Box
    confidence: float
    method: Method
    label: str


def find_branding(
    rgb: UInt8,
    lines: Sequence[TypeLine],
    roles: Float64,
    detections: Sequence[Detection],
    brand: Brand | None = None,
    matcher: LogoMatcher | None = None,
) -> tuple[Candidate, ...]:
    """Find what shows whose medium this is.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TypeLine
        Without any, only logos can be found.
    roles : (lines, roles) float64
        Probabilities, from `mediaan.aoi.line_roles`.
    detections : sequence of Detection
        Those of the type logo are taken up.
    brand : Brand, optional
        Where it is given, a mark counts if it says the name, or an alias, if a logo picture fits it, or if it is a logo
        without other words of which the detector is sure. A name in running text or in a web address is no mark.
    matcher : LogoMatcher, optional
        For the brand's logo pictures.

    Returns
    -------
    tuple of Candidate
        Of the type branding, the surest first. A name and the emblem or logo beside it are one. The label is the
        brand's name for what was found by it, else what the mark says.
    """
    marks = [_as_find(mark) for mark in possible_marks(rgb, lines, roles, detections)]
    if brand is None:
        return _candidates(_apart(marks, (), MOST), {})
    names = find_names([line.line for line in lines], brand)
    logos = matcher.find(rgb) if matcher else ()
    named = [_named(m, marks, rgb, lines, brand.name) for m in names if m.setting == "alone"]
    own = _together(named, [_pictured(m, brand.name) for m in logos])
    nameless = [m for m in marks if m.confidence >= _NAMELESS and _may_be_of(m.label, brand)]
    kept = _apart(own, (), _MOST_NAMED)
    kept = _apart(nameless, kept, _MOST_NAMED)
    return _candidates(kept, {m.box: m for m in logos})


def _may_be_of(words: str, brand: Brand) -> bool:
    """Whether a mark without the brand's name may be the brand's: it has no words, or ones that are like the name."""
    read = "".join(letter for letter in words if letter.isalnum())
    return len(read) <= 1 or any(name_similarity(words, name) > 0 for name in (brand.name, *brand.aliases))


def _candidates(finds: Iterable[_Find], pictures: dict[Box, LogoMatch]) -> tuple[Candidate, ...]:
    outlines = {box: match.polygon for box, match in pictures.items()}
    marks = [Candidate("branding", f.label, f.box, f.confidence, f.method, outlines.get(f.box)) for f in finds]
    return tuple(sorted(marks, key=lambda c: (-c.confidence, c.box)))


def possible_marks(
    rgb: UInt8, lines: Sequence[TypeLine], roles: Float64, detections: Sequence[Detection]
) -> Iterator[Mark]:
    """Everything that may be a mark: logos that are detected, with their words, and wordmarks outside of them."""
    column = LINE_ROLES.index("branding")
    taken: set[int] = set()
    for logo in sorted((d for d in detections if d.type == "logo"), key=lambda d: -d.confidence):
        if logo.confidence < _LEAST_DETECTED:
            continue
        inside = [i for i, line in enumerate(lines) if logo.box.intersection(line.line.box) >= 0.6 * line.line.box.area]
        taken.update(inside)
        words = max((float(roles[i, column]) for i in inside), default=None)
        yield Mark(logo.box, logo.confidence, words, " ".join(lines[i].line.text or "" for i in inside))
    for group in _stacked([i for i in range(len(lines)) if roles[i, column] >= _LEAST_WORDS and i not in taken], lines):
        box = Box.around(lines[i].line.box for i in group)
        others = [line.line.box for i, line in enumerate(lines) if i not in group]
        largest = max(group, key=lambda i: lines[i].size_px)
        grown = with_emblem(rgb, box, 0.7 * lines[largest].size_px / rgb.shape[0], others)
        words = max(float(roles[i, column]) for i in group)
        yield Mark(grown, None, words, " ".join(lines[i].line.text or "" for i in group))


def _as_find(mark: Mark) -> _Find:
    method: Method = "word_mark" if mark.detected is None else "detector"
    return _Find(mark.box, mark_probability(mark.detected, mark.words), method, mark.text)


def mark_probability(detected: float | None, words: float | None) -> float:
    """How probable a mark is, 0-1, from the confidence of a detected logo and the probability that its words are one.

    Parameters
    ----------
    detected : float or None
        None where no logo is detected.
    words : float or None
        None where no words are read in it.
    """
    odds = _START + _LOGO * _log_odds(_UNSEEN if detected is None else detected)
    odds += _WORDLESS if words is None else _WORDS * _log_odds(words)
    return 1 / (1 + math.exp(-odds))


def _log_odds(share: float) -> float:
    share = min(0.99, max(0.01, share))
    return math.log(share / (1 - share))


def _stacked(members: Sequence[int], lines: Sequence[TypeLine]) -> list[list[int]]:
    """Lines grouped into marks: names are often stacked."""
    groups: list[list[int]] = []
    for i in sorted(members, key=lambda i: lines[i].line.box.y0):
        box = lines[i].line.box
        home = next((g for g in groups if any(_close(box, lines[j].line.box) for j in g)), None)
        if home is None:
            groups.append([i])
        else:
            home.append(i)
    return groups


def _close(a: Box, b: Box) -> bool:
    gap = max(a.y0 - b.y1, b.y0 - a.y1)
    wider = max(a.width, b.width)
    centred = abs(a.centre[0] - b.centre[0]) < 0.25 * wider or abs(a.x0 - b.x0) < 0.1 * wider
    return centred and -0.5 * min(a.height, b.height) < gap < 0.7 * min(a.height, b.height)


def _named(match: NameMatch, marks: Sequence[_Find], rgb: UInt8, lines: Sequence[TypeLine], label: str) -> _Find:
    """A name as a mark: the logo or word-mark around it, else the words with their emblem."""
    around = [mark for mark in marks if _holds(mark.box, match.box)]
    if around:
        best = max(around, key=lambda mark: mark.confidence)
        return _Find(best.box, max(match.confidence, best.confidence), "brand_name", label)
    others = [line.line.box for i, line in enumerate(lines) if i not in match.lines]
    largest = max(lines[i].size_px for i in match.lines)
    box = with_emblem(rgb, match.box, 0.7 * largest / rgb.shape[0], others)
    return _Find(box, match.confidence, "brand_name", label)


def _holds(logo: Box, name: Box) -> bool:
    within = logo.intersection(name) >= _WITHIN * name.area and logo.area <= _LARGEST * name.area
    return within or logo.iou(name) >= 0.5


def _pictured(match: LogoMatch, label: str) -> _Find:
    return _Find(match.box, match.confidence, "logo_picture", label)


def _together(names: Sequence[_Find], logos: Sequence[_Find]) -> list[_Find]:
    """Names and logos; one where a name belongs to a logo."""
    rest, found = list(names), []
    for logo in logos:
        near = [name for name in rest if _belong(name.box, logo.box)]
        rest = [name for name in rest if name not in near]
        doubt = 1 - logo.confidence
        for name in near:
            doubt *= 1 - name.confidence
        found.append(logo._replace(box=Box.around((logo.box, *(n.box for n in near))), confidence=1 - doubt))
    return [*found, *rest]


def _belong(name: Box, logo: Box) -> bool:
    across, down = max(name.x0 - logo.x1, logo.x0 - name.x1), max(name.y0 - logo.y1, logo.y0 - name.y1)
    reach = _MAX_GAP * min(name.height, logo.height)
    return down < reach and across < reach and (across < 0 or down < 0) and name.area < 8 * logo.area


def _apart(finds: Iterable[_Find], kept: Sequence[_Find], most: int) -> list[_Find]:
    """What was kept and the surest others, no mark twice."""
    chosen = list(kept)
    for find in sorted(finds, key=lambda f: -f.confidence):
        overlaps = (find.box.intersection(o.box) / max(1e-9, min(find.box.area, o.box.area)) for o in chosen)
        if find.confidence >= LEAST_CONFIDENCE and len(chosen) < most and all(share < _SAME for share in overlaps):
            chosen.append(find)
    return chosen
