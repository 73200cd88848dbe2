"""Find the branding of a frame: the brand's name, its logo, and what looks like a brand mark."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.detection.brand_names import NameMatch, find_names, name_similarity
from mediaan.aoi.detection.logo_matcher import LogoMatcher
from mediaan.aoi.detection.text_blocks import TypesetLine
from mediaan.aoi.detection.text_layout import LINE_ROLES
from mediaan.aoi.region import PixelBox
from mediaan.types.aoi import Box, Brand, Candidate, Detection
from mediaan.types.arrays import Float64, UInt8

LEAST_CONFIDENCE, _LEAST_UNNAMED = 0.5, 0.55
"""What is less sure is not shown: where the brand is named, and where it is not. There four of five are to be right."""

MOST = 5
"""So many at most; the brand's own name and logo may be there more often."""

_MOST_NAMED = 8

_LOGO, _WORDS, _WORDLESS, _INTERCEPT = 0.88, 0.53, -0.59, -0.26
"""Log odds of a mark: weights of those of the logo that is detected and of its words, what is added where it has no
words, and a constant. Fitted to dev by models/training/branding.py."""

_UNDETECTED = 0.185
"""Confidence that stands for a logo where the detector sees none around a word-mark."""

_LEAST_DETECTED, _LEAST_WORDS = 0.05, 0.25

_NAMELESS = 0.7
"""Where the brand is named, a logo without its name must be this sure; its letters may be of no known type."""

_SAME = 0.4
"""Share of the smaller box from which on two candidates are one mark."""

_WITHIN, _LARGEST = 0.6, 14
"""Share of a name inside a logo that holds it, and how much larger this may be."""

_MAX_GAP = 0.6
"""Between a name and a logo that are one mark, in heights of the name."""

_EDGE = 22.0
"""Step of colour from pixel to pixel, 0-255, above the noise of JPEG and the grain of plain grounds."""

# Of an emblem and its word; sizes in heights of the word's letters.
_REACH_ACROSS, _REACH_DOWN = 4.0, 5.0
_EMBLEM_GAP = 0.75
_MIN_EMBLEM, _MAX_EMBLEM = 0.35, 5.0
_MAX_OFFSET = 0.3
_MAX_GROWTH = 6.0
"""Times the area of the word; more is no mark but a panel or an image."""

_ROUNDS = 2


class BrandMark(NamedTuple):
    """Something that may be a mark, and the evidence for it.

    Attributes
    ----------
    box : Box
    detected : float or None
        Confidence of the detector's logo; None for a wordmark in which it sees none.
    words : float or None
        Probability that the surest of its lines is branding; None where it has no words.
    text : str
        As recognised, lines joined by blanks.
    """

    box: Box
    detected: float | None
    words: float | None
    text: str


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
    lines : sequence of TypesetLine
        Without any, only logos can be found.
    roles : (lines, roles) float64
        Probabilities, from `mediaan.aoi.detection.text_layout`.
    detections : sequence of Detection
        Those of the type logo are taken up.
    brand : Brand, optional
        Where it is given, a mark counts if it says the name, or an alias, if a logo image fits it, or if it is a logo
        without other words of which the detector is sure. A name in running text or in a web address is no mark.
    matcher : LogoMatcher, optional
        For the images of the brand's logos.

    Returns
    -------
    tuple of Candidate
        Of the type branding, the surest first. A name and the emblem or logo beside it are one. The label is the
        brand's name for what was found by it, else what the mark says.
    """
    marks = [
        Candidate(
            "branding",
            mark.text,
            mark.box,
            mark_probability(mark.detected, mark.words),
            "word_mark" if mark.detected is None else "detector",
        )
        for mark in possible_marks(rgb, lines, roles, detections)
    ]
    if brand is None:
        found = _without_overlaps([mark for mark in marks if mark.confidence >= _LEAST_UNNAMED], (), MOST)
    else:
        names = find_names([line.line for line in lines], brand)
        named = [_mark_of_name(name, marks, rgb, lines, brand.name) for name in names if name.context == "alone"]
        logos = [
            Candidate("branding", brand.name, match.box, match.confidence, "logo_picture", match.polygon)
            for match in (matcher.find(rgb) if matcher else ())
        ]
        nameless = []
        for mark in marks:
            wordless = sum(letter.isalnum() for letter in mark.label) <= 1
            like_name = any(name_similarity(mark.label, name) > 0 for name in (brand.name, *brand.aliases))
            if mark.confidence >= _NAMELESS and (wordless or like_name):
                nameless.append(mark)
        found = _without_overlaps(_merge_with_logos(named, logos), (), _MOST_NAMED)
        found = _without_overlaps(nameless, found, _MOST_NAMED)
    return tuple(sorted(found, key=lambda c: (-c.confidence, c.box)))


def possible_marks(
    rgb: UInt8, lines: Sequence[TypesetLine], roles: Float64, detections: Sequence[Detection]
) -> Iterator[BrandMark]:
    """Yield everything that may be a mark: detected logos with their words, and wordmarks outside of them."""
    column = LINE_ROLES.index("branding")
    taken: set[int] = set()
    for logo in sorted((d for d in detections if d.type == "logo"), key=lambda d: -d.confidence):
        if logo.confidence < _LEAST_DETECTED:
            continue
        inside = [i for i, line in enumerate(lines) if logo.box.intersection(line.line.box) >= 0.6 * line.line.box.area]
        taken.update(inside)
        words = max((float(roles[i, column]) for i in inside), default=None)
        yield BrandMark(logo.box, logo.confidence, words, " ".join(lines[i].line.text or "" for i in inside))
    branded = [i for i in range(len(lines)) if roles[i, column] >= _LEAST_WORDS and i not in taken]
    groups: list[list[int]] = []  # names are often stacked
    for i in sorted(branded, key=lambda i: lines[i].line.box.y0):
        box = lines[i].line.box
        group = next((g for g in groups if any(_is_stacked(box, lines[j].line.box) for j in g)), None)
        if group is None:
            groups.append([i])
        else:
            group.append(i)
    for group in groups:
        box = Box.around(lines[i].line.box for i in group)
        others = [line.line.box for i, line in enumerate(lines) if i not in group]
        largest = max(lines[i].size_px for i in group)
        expanded = expand_to_emblem(rgb, box, 0.7 * largest / rgb.shape[0], others)
        words = max(float(roles[i, column]) for i in group)
        yield BrandMark(expanded, None, words, " ".join(lines[i].line.text or "" for i in group))


def mark_probability(detected: float | None, words: float | None) -> float:
    """Return how probable a mark is, 0-1, by a logistic model of a detected logo and of its words.

    Parameters
    ----------
    detected : float or None
        Confidence of the logo; None where none is detected.
    words : float or None
        Probability that its words are a mark; None where no words are read in it.
    """
    odds = _INTERCEPT + _LOGO * _log_odds(_UNDETECTED if detected is None else detected)
    odds += _WORDLESS if words is None else _WORDS * _log_odds(words)
    return 1 / (1 + math.exp(-odds))


def _log_odds(share: float) -> float:
    share = min(0.99, max(0.01, share))
    return math.log(share / (1 - share))


def _is_stacked(a: Box, b: Box) -> bool:
    gap = max(a.y0 - b.y1, b.y0 - a.y1)
    wider = max(a.width, b.width)
    centred = abs(a.centre[0] - b.centre[0]) < 0.25 * wider or abs(a.x0 - b.x0) < 0.1 * wider
    return centred and -0.5 * min(a.height, b.height) < gap < 0.7 * min(a.height, b.height)


def _mark_of_name(
    match: NameMatch, marks: Sequence[Candidate], rgb: UInt8, lines: Sequence[TypesetLine], label: str
) -> Candidate:
    """Make a mark of a name: the logo or word-mark around it, else the words with their emblem."""
    name = match.box
    around = [
        mark
        for mark in marks
        if (mark.box.intersection(name) >= _WITHIN * name.area and mark.box.area <= _LARGEST * name.area)
        or mark.box.iou(name) >= 0.5
    ]
    if around:
        best = max(around, key=lambda mark: mark.confidence)
        return Candidate("branding", label, best.box, max(match.confidence, best.confidence), "brand_name")
    others = [line.line.box for i, line in enumerate(lines) if i not in match.lines]
    largest = max(lines[i].size_px for i in match.lines)
    box = expand_to_emblem(rgb, name, 0.7 * largest / rgb.shape[0], others)
    return Candidate("branding", label, box, match.confidence, "brand_name")


def _merge_with_logos(names: Sequence[Candidate], logos: Sequence[Candidate]) -> list[Candidate]:
    """Return names and logos, as one where a name is close to a logo."""
    rest, found = list(names), []
    for logo in logos:
        near = []
        for name in rest:
            across = max(name.box.x0 - logo.box.x1, logo.box.x0 - name.box.x1)
            down = max(name.box.y0 - logo.box.y1, logo.box.y0 - name.box.y1)
            reach = _MAX_GAP * min(name.box.height, logo.box.height)
            touching = down < reach and across < reach and (across < 0 or down < 0)
            if touching and name.box.area < 8 * logo.box.area:
                near.append(name)
        rest = [name for name in rest if name not in near]
        box = Box.around((logo.box, *(name.box for name in near)))
        confidence = 1 - math.prod((1 - name.confidence for name in near), start=1 - logo.confidence)
        polygon = logo.polygon if box == logo.box else None
        found.append(replace(logo, box=box, confidence=confidence, polygon=polygon))
    return [*found, *rest]


def _without_overlaps(candidates: Iterable[Candidate], kept: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return what was kept and the surest others, no mark twice (non-maximum suppression)."""
    chosen = list(kept)
    for one in sorted(candidates, key=lambda c: -c.confidence):
        overlaps = (one.box.intersection(o.box) / max(1e-9, min(one.box.area, o.box.area)) for o in chosen)
        if one.confidence >= LEAST_CONFIDENCE and len(chosen) < most and all(share < _SAME for share in overlaps):
            chosen.append(one)
    return chosen


def expand_to_emblem(rgb: UInt8, word: Box, letters: float, others: Sequence[Box]) -> Box:
    """Expand a word to the emblem that stands beside, above or below it, or to the plate that it stands on.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    word : Box
        Close around the letters.
    letters : float
        Their height, as a share of the image's height.
    others : sequence of Box
        Other lines of text, which are no emblems.

    Returns
    -------
    Box
        That of the word where nothing belongs to it.
    """
    height, width = rgb.shape[:2]
    start = PixelBox.of(word, width, height)
    size = max(4.0, letters * height)
    across, down = int(_REACH_ACROSS * size), int(_REACH_DOWN * size)
    window = PixelBox(
        max(0, start.x0 - across), max(0, start.y0 - down), min(width, start.x1 + across), min(height, start.y1 + down)
    )
    taken = [PixelBox.of(other, width, height) for other in others]
    graphics = [
        graphic
        for graphic in _graphic_bounds(rgb, window, size)
        if not any(graphic.shared_area(text) > 0.5 * graphic.area for text in taken)
    ]
    mark = start
    for _ in range(_ROUNDS):
        for graphic in graphics:
            joined = mark.union(graphic)
            if _is_part(graphic, mark, size) and not any(joined.shared_area(text) > 0.5 * text.area for text in taken):
                mark = joined
    if mark == start or mark.area > _MAX_GROWTH * max(1, start.area):
        return word
    return Box(mark.x0 / width, mark.y0 / height, mark.x1 / width, mark.y1 / height).clipped()


def _graphic_bounds(rgb: UInt8, window: PixelBox, size: float) -> Iterator[PixelBox]:
    """Yield bounds of connected edges that end inside a window, px of the image, without specks."""
    height, width = rgb.shape[:2]
    smooth = cv2.GaussianBlur(rgb[window.slices], (3, 3), 0)
    steps = cv2.morphologyEx(smooth, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8)).max(axis=2)
    _, _, stats, _ = cv2.connectedComponentsWithStats((steps > _EDGE).astype(np.uint8), connectivity=8)
    for x, y, across, down, _ in stats[1:].tolist():
        cut = (x == 0 < window.x0) or (x + across == window.width and window.x1 < width)
        cut = cut or (y == 0 < window.y0) or (y + down == window.height and window.y1 < height)
        if not cut and max(across, down) >= _MIN_EMBLEM * size:
            x, y = x + window.x0, y + window.y0
            # edges are found a pixel or two outside of what they bound
            yield PixelBox(x + 1, y + 1, x + across - 1, y + down - 1)


def _is_part(graphic: PixelBox, mark: PixelBox, size: float) -> bool:
    """Tell whether a graphic is part of a mark: a plate around it, or close by and in line with its middle."""
    if graphic.holds(mark):
        return True
    if max(graphic.height, min(graphic.width, graphic.height)) > _MAX_EMBLEM * size:
        return False
    across = max(graphic.x0 - mark.x1, mark.x0 - graphic.x1)
    down = max(graphic.y0 - mark.y1, mark.y0 - graphic.y1)
    if max(across, down) > _EMBLEM_GAP * size:
        return False
    middle_x = abs(graphic.x0 + graphic.x1 - mark.x0 - mark.x1) / 2
    middle_y = abs(graphic.y0 + graphic.y1 - mark.y0 - mark.y1) / 2
    inside = graphic.x0 >= mark.x0 - size / 2 and graphic.x1 <= mark.x1 + size / 2
    above = down > across and (middle_x < _MAX_OFFSET * mark.width or inside)
    beside = down <= across and middle_y < max(_MAX_OFFSET * mark.height, 0.5 * size)
    return above or beside
