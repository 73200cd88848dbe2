"""Find the branding of a frame: the brand's name, its logo, and what looks like a brand mark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.detection.brand_names import NameMatch, find_names, name_similarity
from mediaan.aoi.detection.line_roles import LINE_ROLES
from mediaan.aoi.detection.logo_matcher import LogoMatch, LogoMatcher
from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.types.aoi import AoiMethod, Box, Brand, Candidate, Detection
from mediaan.types.arrays import Bool, Float64, UInt8

_EDGE = 22.0
"""Step of colour from pixel to pixel, 0-255, above the noise of JPEG and the grain of plain grounds."""

# Of an emblem and its word; sizes in heights of the word's letters.
_REACH_ACROSS, _REACH_DOWN = 4.0, 5.0
_EMBLEM_GAP = 0.75
_MIN_EMBLEM, _MAX_EMBLEM = 0.35, 5.0
_MAX_OFFSET = 0.3
_MAX_GROWTH = 6.0
"""Times the area of the word; more is no mark but a panel or a picture."""

_ROUNDS = 2

# Of a mark that stands alone; sizes as shares of the picture's sides.
_ALONE_SIDES_PX = (512, 256)
_MIN_SIDE, _MAX_SIDE = 0.02, 0.32
_MAX_ASPECT = 6.0
_CLEAR = 0.35
"""Width of the plain strip that must surround it, in its own shorter side."""

_MAX_BUSY = 0.04
_STRIP = 0.12
_FILL = 0.1, 0.97


class PixelBox(NamedTuple):
    """A rectangle of pixels, half-open."""

    x0: int
    y0: int
    x1: int
    y1: int

    @property
    def width(self) -> int:
        """Px."""
        return self.x1 - self.x0

    @property
    def height(self) -> int:
        """Px."""
        return self.y1 - self.y0

    def around(self, other: PixelBox) -> PixelBox:
        """The smallest rectangle that holds both."""
        return PixelBox(min(self.x0, other.x0), min(self.y0, other.y0), max(self.x1, other.x1), max(self.y1, other.y1))

    def holds(self, other: PixelBox) -> bool:
        """Whether the other lies inside."""
        return self.x0 <= other.x0 and self.y0 <= other.y0 and self.x1 >= other.x1 and self.y1 >= other.y1


def expand_to_emblem(rgb: UInt8, word: Box, letters: float, others: Sequence[Box]) -> Box:
    """The word with the emblem that stands beside, above or below it, or the plate that it stands on.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    word : Box
        Close around the letters.
    letters : float
        Their height, as a share of the picture's height.
    others : sequence of Box
        Other lines of text, which are no emblems.

    Returns
    -------
    Box
        That of the word where nothing belongs to it.
    """
    height, width = rgb.shape[:2]
    start = _pixels(word, width, height)
    size = max(4.0, letters * height)
    window = _window(start, size, width, height)
    things = _things(colour_edges(rgb[window.y0 : window.y1, window.x0 : window.x1]), window, width, height, size)
    taken = [_pixels(other, width, height) for other in others]
    things = [thing for thing in things if not any(_mostly_in(thing, text) for text in taken)]
    grown = start
    for _ in range(_ROUNDS):
        for thing in things:
            if _belongs(thing, grown, size) and not any(_covers(grown.around(thing), text) for text in taken):
                grown = grown.around(thing)
    if grown.width * grown.height > _MAX_GROWTH * max(1, start.width * start.height):
        return word
    return word if grown == start else _box(grown, width, height)


def busy_around(changes: Bool, box: Box) -> tuple[float, float]:
    """Share of edges in a narrow strip around a box, and inside it, 0-1; `changes` is from `edges`."""
    height, width = changes.shape
    thing = _pixels(box, width, height)
    strip = max(2, round(_STRIP * min(thing.width, thing.height)))
    return _busy(changes, thing, strip)


def lone_marks(rgb: UInt8) -> list[Box]:
    """Compact things with plain ground all around them, as logos in corners have; texts are among them."""
    found: list[Box] = []
    for side in _ALONE_SIDES_PX:
        scale = min(1.0, side / max(rgb.shape[:2]))
        size = max(8, round(rgb.shape[1] * scale)), max(8, round(rgb.shape[0] * scale))
        small = np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8)
        changes = colour_edges(small)
        joined = cv2.morphologyEx(changes.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
        for thing in _components(np.asarray(joined, np.uint8)):
            box = _box(thing, *size)
            if _compact(box, thing) and _apart(changes, thing) and not any(box.iou(other) > 0.7 for other in found):
                found.append(box)
    return found


def colour_edges(rgb: UInt8) -> Bool:
    """Pixels at which any colour changes, (H, W) bool."""
    smooth = cv2.GaussianBlur(rgb, (3, 3), 0)
    step = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    return np.asarray(step.max(axis=2) > _EDGE, np.bool_)


def _components(mask: UInt8) -> list[PixelBox]:
    count, _, stats, _ = cv2.connectedComponentsWithStats(mask, connectivity=8)
    rows = (stats[i] for i in range(1, count))
    return [PixelBox(int(x), int(y), int(x + w), int(y + h)) for x, y, w, h, _ in rows]


def _window(word: PixelBox, size: float, width: int, height: int) -> PixelBox:
    across, down = int(_REACH_ACROSS * size), int(_REACH_DOWN * size)
    return PixelBox(
        max(0, word.x0 - across), max(0, word.y0 - down), min(width, word.x1 + across), min(height, word.y1 + down)
    )


def _things(changes: Bool, window: PixelBox, width: int, height: int, size: float) -> list[PixelBox]:
    """Connected edges that end inside the window, px of the picture; specks are left out."""
    found = []
    for thing in _components(changes.astype(np.uint8)):
        cut = (thing.x0 <= 0 < window.x0) or (thing.x1 >= window.width and window.x1 < width)
        cut = cut or (thing.y0 <= 0 < window.y0) or (thing.y1 >= window.height and window.y1 < height)
        if not cut and max(thing.width, thing.height) >= _MIN_EMBLEM * size:
            x, y = window.x0, window.y0
            # edges are found a pixel or two outside of what they bound
            found.append(PixelBox(thing.x0 + x + 1, thing.y0 + y + 1, thing.x1 + x - 1, thing.y1 + y - 1))
    return found


def _belongs(thing: PixelBox, mark: PixelBox, size: float) -> bool:
    """Whether a thing is part of a mark: a plate around it, or close by and in line with its middle."""
    if thing.holds(mark):
        return True
    if max(thing.height, min(thing.width, thing.height)) > _MAX_EMBLEM * size:
        return False
    across = max(thing.x0 - mark.x1, mark.x0 - thing.x1)
    down = max(thing.y0 - mark.y1, mark.y0 - thing.y1)
    if max(across, down) > _EMBLEM_GAP * size:
        return False
    middle_x = abs(thing.x0 + thing.x1 - mark.x0 - mark.x1) / 2
    middle_y = abs(thing.y0 + thing.y1 - mark.y0 - mark.y1) / 2
    inside = thing.x0 >= mark.x0 - size / 2 and thing.x1 <= mark.x1 + size / 2
    above = down > across and (middle_x < _MAX_OFFSET * mark.width or inside)
    beside = down <= across and middle_y < max(_MAX_OFFSET * mark.height, 0.5 * size)
    return above or beside


def _mostly_in(thing: PixelBox, text: PixelBox) -> bool:
    return _shared(thing, text) > 0.5 * thing.width * thing.height


def _covers(mark: PixelBox, text: PixelBox) -> bool:
    """Whether a mark would swallow another line."""
    return _shared(mark, text) > 0.5 * text.width * text.height


def _shared(a: PixelBox, b: PixelBox) -> int:
    return max(0, min(a.x1, b.x1) - max(a.x0, b.x0)) * max(0, min(a.y1, b.y1) - max(a.y0, b.y0))


def _compact(box: Box, thing: PixelBox) -> bool:
    aspect = max(thing.width, thing.height) / max(1, min(thing.width, thing.height))
    small, large = min(box.width, box.height), max(box.width, box.height)
    return small >= _MIN_SIDE and large <= _MAX_SIDE and aspect <= _MAX_ASPECT and min(thing.width, thing.height) >= 8


def _apart(changes: Bool, thing: PixelBox) -> bool:
    """Whether a plain strip surrounds a thing, up to the rim of the picture."""
    strip = max(2, round(_CLEAR * min(thing.width, thing.height)))
    around, inside = _busy(changes, thing, strip)
    return around <= _MAX_BUSY and _FILL[0] <= inside <= _FILL[1]


def _busy(changes: Bool, thing: PixelBox, strip: int) -> tuple[float, float]:
    height, width = changes.shape
    y0, x0 = max(0, thing.y0 - strip), max(0, thing.x0 - strip)
    outer = changes[y0 : min(height, thing.y1 + strip), x0 : min(width, thing.x1 + strip)]
    inner = changes[thing.y0 : thing.y1, thing.x0 : thing.x1]
    around = (int(outer.sum()) - int(inner.sum())) / max(1, outer.size - inner.size)
    return around, int(inner.sum()) / max(1, inner.size)


def _pixels(box: Box, width: int, height: int) -> PixelBox:
    return PixelBox(round(box.x0 * width), round(box.y0 * height), round(box.x1 * width), round(box.y1 * height))


def _box(pixels: PixelBox, width: int, height: int) -> Box:
    return Box(pixels.x0 / width, pixels.y0 / height, pixels.x1 / width, pixels.y1 / height).clipped()


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


class BrandMark(NamedTuple):
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
    method: AoiMethod
    label: str


def find_branding(
    rgb: UInt8,
    lines: Sequence[TypesetLine],
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
        Probabilities, from `mediaan.aoi.detection.line_roles`.
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
        return _candidates(_without_overlaps(marks, (), MOST), {})
    names = find_names([line.line for line in lines], brand)
    logos = matcher.find(rgb) if matcher else ()
    named = [_named(m, marks, rgb, lines, brand.name) for m in names if m.setting == "alone"]
    own = _together(named, [_pictured(m, brand.name) for m in logos])
    nameless = [m for m in marks if m.confidence >= _NAMELESS and _may_be_of(m.label, brand)]
    kept = _without_overlaps(own, (), _MOST_NAMED)
    kept = _without_overlaps(nameless, kept, _MOST_NAMED)
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
    rgb: UInt8, lines: Sequence[TypesetLine], roles: Float64, detections: Sequence[Detection]
) -> Iterator[BrandMark]:
    """Everything that may be a mark: logos that are detected, with their words, and wordmarks outside of them."""
    column = LINE_ROLES.index("branding")
    taken: set[int] = set()
    for logo in sorted((d for d in detections if d.type == "logo"), key=lambda d: -d.confidence):
        if logo.confidence < _LEAST_DETECTED:
            continue
        inside = [i for i, line in enumerate(lines) if logo.box.intersection(line.line.box) >= 0.6 * line.line.box.area]
        taken.update(inside)
        words = max((float(roles[i, column]) for i in inside), default=None)
        yield BrandMark(logo.box, logo.confidence, words, " ".join(lines[i].line.text or "" for i in inside))
    for group in _stacked([i for i in range(len(lines)) if roles[i, column] >= _LEAST_WORDS and i not in taken], lines):
        box = Box.around(lines[i].line.box for i in group)
        others = [line.line.box for i, line in enumerate(lines) if i not in group]
        largest = max(group, key=lambda i: lines[i].size_px)
        grown = expand_to_emblem(rgb, box, 0.7 * lines[largest].size_px / rgb.shape[0], others)
        words = max(float(roles[i, column]) for i in group)
        yield BrandMark(grown, None, words, " ".join(lines[i].line.text or "" for i in group))


def _as_find(mark: BrandMark) -> _Find:
    method: AoiMethod = "word_mark" if mark.detected is None else "detector"
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


def _stacked(members: Sequence[int], lines: Sequence[TypesetLine]) -> list[list[int]]:
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


def _named(match: NameMatch, marks: Sequence[_Find], rgb: UInt8, lines: Sequence[TypesetLine], label: str) -> _Find:
    """A name as a mark: the logo or word-mark around it, else the words with their emblem."""
    around = [mark for mark in marks if _holds(mark.box, match.box)]
    if around:
        best = max(around, key=lambda mark: mark.confidence)
        return _Find(best.box, max(match.confidence, best.confidence), "brand_name", label)
    others = [line.line.box for i, line in enumerate(lines) if i not in match.lines]
    largest = max(lines[i].size_px for i in match.lines)
    box = expand_to_emblem(rgb, match.box, 0.7 * largest / rgb.shape[0], others)
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


def _without_overlaps(finds: Iterable[_Find], kept: Sequence[_Find], most: int) -> list[_Find]:
    """What was kept and the surest others, no mark twice."""
    chosen = list(kept)
    for find in sorted(finds, key=lambda f: -f.confidence):
        overlaps = (find.box.intersection(o.box) / max(1e-9, min(find.box.area, o.box.area)) for o in chosen)
        if find.confidence >= LEAST_CONFIDENCE and len(chosen) < most and all(share < _SAME for share in overlaps):
            chosen.append(find)
    return chosen
