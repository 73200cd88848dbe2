"""Branding of a frame: the brand's name, its logo, and what is set like a mark."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from mediaan.aoi.logos import LogoMatch, LogoMatcher
from mediaan.aoi.names import NameMatch, find_names
from mediaan.aoi.word_marks import Guess, best_version, guesses, rating
from mediaan.types.aoi import Box, Brand, Candidate, Detection, Method, TextLine
from mediaan.types.arrays import Float32, UInt8

LEAST_CONFIDENCE = 0.15
"""What is less sure is not shown. About every second mark that is shown is then one that people drew."""

MOST = 5
"""So many at most; the brand's own name and logo may be there more often."""

_MOST_NAMED = 8
_SUREST = 0.75
"""Of a mark that nobody named: of the surest in advertisements no more were right."""

_BESIDE_NAMED = 0.8
"""Where the brand's own name or logo was found, other things that are set like marks are less probably branding."""

_SAME = 0.4
"""Share of the smaller box from which on two finds are one mark."""

_WITHIN, _LARGEST = 0.6, 7
"""Share of a name inside a logo that holds it, and how much larger this may be."""

_WORDS_ALONE = 0.8
"""A word-mark that the detector does not take for a logo is so much less probably one."""

_MAX_GAP = 0.6
"""Between a name and a logo that are one mark, in heights of the name."""


class _Find(NamedTuple):
    box: Box
    confidence: float
    method: Method
    label: str


def find_branding(
    rgb: UInt8,
    lines: Sequence[TextLine],
    detections: Sequence[Detection],
    brand: Brand | None = None,
    matcher: LogoMatcher | None = None,
    density: Float32 | None = None,
) -> tuple[Candidate, ...]:
    """Find what shows whose medium this is.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
    lines : sequence of TextLine
        Read ones are used; without any, only logos can be found.
    detections : sequence of Detection
        Those of the type logo are taken up, those of the type product are a hint.
    brand : Brand, optional
        Whose marks are looked for first. A name in running text or in a web address counts only where there is no
        word-mark and no logo.
    matcher : LogoMatcher, optional
        For the brand's logo pictures.
    density : (h, w) float32, optional
        Fixation density. Not used: where people look says little of what is a mark, and marks shall be scored by it.

    Returns
    -------
    tuple of Candidate
        Of the type branding, the surest first. A name and the emblem or logo beside it are one. The label is the
        brand's name for what was found by it, else what the mark says.
    """
    del density
    label = brand.name if brand else ""
    found = guesses(rgb, lines, detections)
    names = find_names(lines, brand) if brand else ()
    sure = [m for m in names if m.setting == "alone"]
    logos = matcher.find(rgb) if matcher else ()
    seen = [d for d in detections if d.type == "logo" and d.confidence >= LEAST_CONFIDENCE]
    own = _together([_named(m, seen, found, label) for m in sure], [_pictured(m, label) for m in logos])
    own = own or [_named(m, seen, found, label) for m in names]
    others = _unnamed(found, _BESIDE_NAMED if own else 1.0)
    kept = _apart(own, (), _MOST_NAMED)
    kept = _apart(others, kept, _MOST_NAMED if brand else MOST)
    outlines = {m.box: m.polygon for m in logos}
    marks = [Candidate("branding", f.label, f.box, f.confidence, f.method, outlines.get(f.box)) for f in kept]
    return tuple(sorted(marks, key=lambda c: (-c.confidence, c.box)))


def _named(match: NameMatch, seen: Sequence[Detection], found: Sequence[Guess], label: str) -> _Find:
    """A name as a mark: the logo that the detector sees around it, else with what lies about it; in running text the
    words alone."""
    box = match.box
    if match.setting == "alone":
        around = [logo for logo in seen if _holds(logo.box, box)]
        drawn = best_version(box, [guess for guess in found if not guess.detected])
        box = max(around, key=lambda logo: logo.confidence).box if around else drawn
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


def _unnamed(found: Sequence[Guess], trust: float) -> Iterator[_Find]:
    for guess in found:
        confidence = min(_SUREST, rating(guess)) * trust * (1.0 if guess.detected else _WORDS_ALONE)
        method: Method = "detector" if guess.detected else "word_mark"
        if confidence >= LEAST_CONFIDENCE:
            box = guess.box if guess.detected else best_version(guess.box, found)
            yield _Find(box, confidence, method, guess.text)


def _apart(finds: Iterable[_Find], kept: Sequence[_Find], most: int) -> list[_Find]:
    """What was kept and the surest others, no mark twice."""
    chosen = list(kept)
    for find in sorted(finds, key=lambda f: -f.confidence):
        overlaps = (find.box.intersection(o.box) / max(1e-9, min(find.box.area, o.box.area)) for o in chosen)
        if find.confidence >= LEAST_CONFIDENCE and len(chosen) < most and all(share < _SAME for share in overlaps):
            chosen.append(find)
    return chosen
