"""Find the branding of a frame: the brand's name, its logo, and what looks like a brand mark."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.aoi.detection.brand_names import NameMatch, find_names, normalize_name, resembles_name
from mediaan.aoi.detection.line_features import name_features, text_features
from mediaan.aoi.detection.picture_matcher import PictureMatch
from mediaan.aoi.detection.text_blocks import LINE_ROLES, TypesetLine
from mediaan.aoi.region import PixelBox
from mediaan.types.aoi import Box, Brand, Candidate, Detection, TextLine
from mediaan.types.arrays import Float64, UInt8

LEAST_CONFIDENCE, _LEAST_UNNAMED = 0.5, 0.58
"""What is less sure is not shown: where the brand is named, and where it is not. There four of five are to be right."""

MOST = 5
"""So many at most; the brand's own name and logo may be there more often."""


@dataclass(frozen=True, slots=True)
class BrandingSettings:
    """Weights and thresholds by which names, logos and word marks become branding."""

    most_named: int = 8
    """Marks at most where the brand is named."""
    least_detected: float = 0.05
    """Confidence of a logo from which on it is considered at all."""
    one_logo: float = 0.3
    """IoU from which on detected logos are views of one: its bounds are their mean, weighed by confidence."""
    least_words: float = 0.25
    """Probability from which on a line outside of logos is considered as a word mark."""
    on_platform: float = 0.8
    """Probability from which on a line is part of the platform: the page's name above a post is no mark in the ad."""
    largest_avatar: float = 6.0
    """Height of an account's picture, in heights of the lines beside it."""
    like_name: float = 0.15
    """Confidence that a mark must have where its letters resemble the name."""
    resembles: float = 0.8
    """Confidence that such a mark gets: of 10 in train and dev 7 are right (models/training/branding.py)."""
    read_again: float = 0.1
    """Probability from which on a mark is read again, enlarged, where the name was not read."""
    most_read_again: int = 3
    """So many of the likeliest are read again."""
    margin: float = 0.12
    """Room around a mark that is enlarged, as a share of its sides."""
    enlarged_px: int = 480
    """Length of its longer side, enlarged."""
    most_enlarged: float = 4.0
    """Greatest factor of enlargement."""
    same: float = 0.4
    """Share of the smaller box from which on two candidates are one mark."""
    within: float = 0.6
    """Share of a name or a line inside a mark from which on the mark holds it."""
    part_of: float = 2.0
    """Area of the mark around a name, in areas of the logo found there, from which on the logo is a part of it."""
    largest: int = 14
    """Area of a mark that holds a name, at most, in areas of the name."""
    max_gap: float = 0.6
    """Between a name and a logo that are one mark, in heights of the name."""


SETTINGS = BrandingSettings()

EVIDENCE: Mapping[str, float] = {
    "logo": 0.99,
    "no_logo": -3.21,
    "words": 0.33,
    "no_words": -0.26,
    "lines": -0.61,
    "named": 0.62,
    "button": -1.81,
    "digits": -2.13,
    "no_common": 1.06,
    "short": -1.74,
}
"""Log odds that each value of `BrandMark.evidence` adds. These and the next: models/training/branding.py."""

INTERCEPT = 0.99
"""Log odds of a mark where all values are 0."""

OWN, RIVAL, CONSTANT = 1.01, -0.27, 0.34
"""Most images show one name. Of the log odds among the marks of an image: weight of a mark's own, weight of those of
the likeliest other mark, and a constant."""

LEAST_RIVAL = -4.0
"""Log odds that an other mark has at least."""


LineReader = Callable[[UInt8], Sequence[TextLine]]
"""Reads the lines of an image, (H, W, 3) uint8."""


class BrandMark(NamedTuple):
    """Something that may be a mark, and the evidence for it."""

    box: Box
    is_detected: bool
    """False for words around which the detector sees no logo."""
    text: str
    """As recognised, lines joined by blanks."""
    evidence: Mapping[str, float]
    """logo, words: log odds of the detected logo, and that the surest of its lines is branding; no_logo, no_words: 1
    where there is none. lines: log of the number of lines in the image, plus one. named: 1 if its words are repeated in
    the image, or named in an address or another line. button: confidence of a detected button around it, times the
    share within. digits: greatest share of digits in a line. no_common: 1 if a line holds no word of everyday language.
    short: 1 for a text of one or two letters."""


def find_branding(
    rgb: UInt8,
    lines: Sequence[TypesetLine],
    roles: Float64,
    detections: Sequence[Detection],
    brand: Brand | None = None,
    logos: Sequence[PictureMatch] = (),
    read: LineReader | None = None,
) -> tuple[Candidate, ...]:
    """Find what shows whose medium this is.

    `lines`: without any, only logos can be found; `roles` (lines, roles): their probabilities.
    `detections`: those of the type logo are taken up, and buttons speak against marks.
    `brand`: a mark counts if it says the name, or an alias, if its lettering was read unsurely and resembles one, or if
        a logo image fits it. A name in running text, in a web address, or in what the platform writes around an ad is
        no mark.
    `logos`: where images of the brand's logos were found.
    `read`: to read the likeliest marks once more, enlarged, where the name is in none of the lines.
    Returns: of the type branding, the surest first. A name and the logo beside it are one. The label is the brand's
        name for what was found by it, else what the mark says.
    """
    marks = mark_candidates(lines, roles, detections)
    platform = LINE_ROLES.index("platform")
    of_platform = [line.box for line, role in zip(lines, roles, strict=True) if role[platform] >= SETTINGS.on_platform]
    marks = [mark for mark in marks if not any(_is_avatar(mark.box, line) for line in of_platform)]
    if brand is None:
        branding = _without_overlaps([mark for mark in marks if mark.confidence >= _LEAST_UNNAMED], MOST)
    else:
        named = [
            _mark_of_name(name, marks, brand.name)
            for name in find_names([line.line for line in lines], brand)
            if roles[list(name.lines), platform].mean() < SETTINGS.on_platform
        ]
        for mark in marks:
            inside = [line.line for line in lines if line.box.share_in(mark.box) >= SETTINGS.within]
            if mark.confidence >= SETTINGS.like_name and resembles_name(inside, brand):
                named.append(replace(mark, label=brand.name, confidence=SETTINGS.resembles, method="brand_name"))
        if read is not None and all(name.confidence < LEAST_CONFIDENCE for name in named):
            named += _read_again(rgb, marks, brand, read)
        pictured = [
            Candidate("branding", brand.name, match.box, match.confidence, "logo_picture", match.polygon)
            for match in logos
        ]
        branding = _without_overlaps(_merge_with_logos(named, pictured), SETTINGS.most_named)
    return tuple(sorted(branding, key=lambda c: (-c.confidence, c.box)))


def mark_candidates(lines: Sequence[TypesetLine], roles: Float64, detections: Sequence[Detection]) -> list[Candidate]:
    """Return everything that may be a mark, as sure as it is among the others; see `possible_marks`."""
    marks = possible_marks(lines, roles, detections)
    return [
        Candidate("branding", mark.text, mark.box, chance, "detector" if mark.is_detected else "word_mark")
        for mark, chance in zip(marks, mark_probabilities(marks), strict=True)
    ]


def possible_marks(lines: Sequence[TypesetLine], roles: Float64, detections: Sequence[Detection]) -> list[BrandMark]:
    """Return everything that may be a mark: detected logos with their words, and word marks outside of them."""
    column = LINE_ROLES.index("branding")
    places = list[tuple[Box, float | None, list[int]]]()
    taken: set[int] = set()
    logos = sorted((d for d in detections if d.type == "logo"), key=lambda d: -d.confidence)
    for logo in logos:
        if logo.confidence >= SETTINGS.least_detected:
            inside = [i for i, line in enumerate(lines) if line.box.share_in(logo.box) >= SETTINGS.within]
            taken.update(inside)
            same = [d for d in logos if d.box.iou(logo.box) >= SETTINGS.one_logo]
            weights = np.array([d.confidence for d in same])
            box = weights / weights.sum() @ np.array([d.box for d in same])
            places.append((Box(*map(float, box)), logo.confidence, inside))
    alone = [i for i in range(len(lines)) if roles[i, column] >= SETTINGS.least_words and i not in taken]
    places += [(lines[i].box, None, [i]) for i in alone]
    texts = [line.text for line in lines]
    is_named = np.any(list(name_features(texts).values()), axis=0)
    buttons = [d for d in detections if d.type == "button"]
    marks = []
    for box, detected, inside in places:
        words = max((float(roles[i, column]) for i in inside), default=None)
        text = " ".join(texts[i] for i in inside)
        facts = [text_features(texts[i]) for i in inside]
        evidence = {
            "logo": 0.0 if detected is None else _log_odds(detected),
            "no_logo": float(detected is None),
            "words": 0.0 if words is None else _log_odds(words),
            "no_words": float(words is None),
            "lines": math.log1p(len(lines)),
            "named": float(any(is_named[i] for i in inside)),
            "button": max((d.confidence * box.share_in(d.box) for d in buttons), default=0.0),
            "digits": max((fact["digits"] for fact in facts), default=0.0),
            "no_common": float(any(fact["no_common"] for fact in facts)),
            "short": float(0 < len(normalize_name(text)) <= 2),
        }
        marks.append(BrandMark(box, detected is not None, text, evidence))
    return marks


def mark_probabilities(marks: Sequence[BrandMark]) -> list[float]:
    """Return how probable each possible mark of an image is, 0-1: by its evidence, and by that for the others.

    Two logistic models, the second of the outcome of the first and of the likeliest other mark at another place.
    """
    odds = [log_odds_of(mark) for mark in marks]
    together = (OWN * own + RIVAL * rival + CONSTANT for own, rival in zip(odds, rivals(marks, odds), strict=True))
    return [1 / (1 + math.exp(-value)) for value in together]


def log_odds_of(mark: BrandMark) -> float:
    """Return the log odds of a mark by its evidence alone."""
    return INTERCEPT + sum(weight * mark.evidence[name] for name, weight in EVIDENCE.items())


def rivals(marks: Sequence[BrandMark], odds: Sequence[float]) -> list[float]:
    """Return for each mark the log odds of the likeliest other one that stands elsewhere, at least `LEAST_RIVAL`."""
    others = [
        [value for other, value in zip(marks, odds, strict=True) if not _is_same(mark.box, other.box)] for mark in marks
    ]
    return [max((LEAST_RIVAL, *values)) for values in others]


def _log_odds(share: float) -> float:
    share = min(0.99, max(0.01, share))
    return math.log(share / (1 - share))


def _is_avatar(mark: Box, line: Box) -> bool:
    """Tell whether a mark is the picture of a page or account, left of its name in the platform's row."""
    gap = line.x0 - mark.x1
    shared = min(mark.y1, line.y1) - max(mark.y0, line.y0)
    beside = -0.2 * mark.width <= gap <= mark.width and shared >= 0.5 * line.height
    return beside and mark.width <= 2 * mark.height and mark.height <= SETTINGS.largest_avatar * line.height


def _mark_of_name(match: NameMatch, marks: Sequence[Candidate], label: str) -> Candidate:
    """Make a mark of a name: the logo or word-mark around it, else the words."""
    name = match.box
    around = [
        mark
        for mark in marks
        if (name.share_in(mark.box) >= SETTINGS.within and mark.box.area <= SETTINGS.largest * name.area)
        or mark.box.iou(name) >= 0.5
    ]
    if around:
        best = max(around, key=lambda mark: mark.confidence)
        box = Box.around((best.box, name))  # detectors cut letters off
        return Candidate("branding", label, box, max(match.confidence, best.confidence), "brand_name")
    return Candidate("branding", label, name, match.confidence, "brand_name")


def _read_again(rgb: UInt8, marks: Sequence[Candidate], brand: Brand, read: LineReader) -> list[Candidate]:
    """Read the likeliest marks again, enlarged, and return those with the brand's name."""
    height, width = rgb.shape[:2]
    likeliest = sorted(
        (mark for mark in marks if mark.confidence >= SETTINGS.read_again), key=lambda mark: -mark.confidence
    )
    read_marks = []
    for mark in likeliest[: SETTINGS.most_read_again]:
        box = mark.box
        across, down = SETTINGS.margin * box.width, SETTINGS.margin * box.height
        room = Box(box.x0 - across, box.y0 - down, box.x1 + across, box.y1 + down).clipped()
        part = rgb[PixelBox.of(room, width, height).slices]
        factor = min(SETTINGS.most_enlarged, max(1.0, SETTINGS.enlarged_px / max(part.shape[:2])))
        size = round(factor * part.shape[1]), round(factor * part.shape[0])
        enlarged = np.asarray(cv2.resize(part, size, interpolation=cv2.INTER_CUBIC), np.uint8)
        lines = tuple(read(enlarged))
        names = find_names(lines, brand)
        sure = max((name.confidence for name in names), default=0.0)
        if resembles_name(lines, brand):
            sure = max(sure, SETTINGS.resembles)
        if sure >= LEAST_CONFIDENCE:
            read_marks.append(Candidate("branding", brand.name, box, max(sure, mark.confidence), "brand_name"))
    return read_marks


def _merge_with_logos(names: Sequence[Candidate], logos: Sequence[Candidate]) -> list[Candidate]:
    """Join each logo with the names in it, or else close to it; return the rest unchanged.

    The image of a logo says where it ends, unless it is the smaller part of what holds the name.
    """
    rest, merged = list(names), []
    for logo in logos:
        over = [name for name in rest if _is_same(name.box, logo.box)]
        near = over or [name for name in rest if _is_close(name.box, logo.box)]
        rest = [name for name in rest if name not in near]
        larger = [name.box for name in near if not over or name.box.area >= SETTINGS.part_of * logo.box.area]
        box = Box.around((logo.box, *larger))
        confidence = 1 - math.prod((1 - name.confidence for name in near), start=1 - logo.confidence)
        polygon = logo.polygon if box == logo.box else None
        merged.append(replace(logo, box=box, confidence=confidence, polygon=polygon))
    return [*merged, *rest]


def _is_close(name: Box, logo: Box) -> bool:
    across = max(name.x0 - logo.x1, logo.x0 - name.x1)
    down = max(name.y0 - logo.y1, logo.y0 - name.y1)
    reach = SETTINGS.max_gap * min(name.height, logo.height)
    return down < reach and across < reach and (across < 0 or down < 0) and name.area < 8 * logo.area


def _is_same(a: Box, b: Box) -> bool:
    return max(a.share_in(b), b.share_in(a)) >= SETTINGS.same


def _without_overlaps(candidates: Iterable[Candidate], most: int) -> list[Candidate]:
    """Return the surest candidates that overlap none before them (non-maximum suppression)."""
    chosen: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: -c.confidence):
        box = candidate.box
        is_free = not any(_is_same(box, c.box) for c in chosen)
        if candidate.confidence >= LEAST_CONFIDENCE and len(chosen) < most and is_free:
            chosen.append(candidate)
    return chosen
