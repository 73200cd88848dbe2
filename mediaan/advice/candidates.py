"""Propose edits that a designer would try first for an element that too few viewers see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

import cv2
import numpy as np

from mediaan.advice.elements import Element, competitors
from mediaan.advice.free_space import FreeSpace, place_words
from mediaan.advice.wording import area_noun
from mediaan.aoi.editing import MIN_EVENNESS, remove_area
from mediaan.aoi.region import PixelBox
from mediaan.aoi.scoring.main_area import counted_areas, lies_on_object
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.edits import Edit

LARGER, SMALLER = 1.3, 0.7
"""Of both sides: a change that one sees, and that leaves a layout what it is."""

_MUCH_LARGER, _HARDLY_SEEN = 1.6, 25.0
"""An element that hardly anybody sees, % of viewers, must grow more."""

MAX_CANDIDATES = 5
"""Edits that are tried for one image."""

_WEAK = 2
"""Weak elements for which edits are tried."""

_FAINT = 30.0
"""Difference in L* (0-100) between an element and its ground below which it is faint: less than the 3 : 1 that WCAG 2.2
asks for of large text, on whichever ground."""

_SET_OFF, _PLAIN = 2.0, 40.0
"""By how much contrast is raised at least, and what it is raised to where it is lower, L*: 3 : 1 on any ground."""

_WORTHWHILE = 1.5
"""Where there is less room, contrast is left as it is."""

_LANDMARKS = ("headline_text", "product", "person", "branding", "call_to_action")
_LOWEST_THIRD = 2 / 3
_ONE_OF_MANY = 3
"""Of areas of one type from which on none of them is the one: a newsletter has many buttons."""

_CUT_CLEANLY = 0.8
"""Share of the border around an element that must be one even ground for it to be cut out without its ground."""


@dataclass(frozen=True, slots=True)
class EditCandidate:
    """Edits that belong together, and the element that they are meant to help."""

    edits: tuple[Edit, ...]
    """Their names are ids of areas."""
    of: Element
    """Element that is edited."""
    gains: Element
    """Element that should gain."""
    place: str = ""
    """New place in words, if it is moved."""


@dataclass(frozen=True, slots=True)
class FigureGround:
    """An element and its ground."""

    evenness: float
    """Share of the border around it that is one even ground, 0-1."""
    contrast: float
    """By how much its own pixels are lighter or darker than the ground: the 90 % quantile of the absolute difference in
    L*, 0-100."""
    headroom: float
    """How many times larger that could be before black or white is reached."""


def edit_candidates(
    ground_of: Callable[[Aoi], FigureGround],
    elements: Sequence[Element],
    needed: Sequence[Element],
    density: Float32,
    exposure_s: float,
    space: FreeSpace,
) -> tuple[EditCandidate, ...]:
    """Return edits to try, at most five: in turn for each of the two weakest elements that the purpose needs most.

    `ground_of`: measures an area, as `figure_ground` does; may keep what it measured.
    `elements`: all of the image.
    `needed`: the most needed first.
    `density` (h, w) float32: density of fixations.
    `exposure_s`: seconds for which the image is looked at.
    `space`: of the image.
    """
    areas = [element.aoi for element in elements]
    weak = [
        element
        for element in needed
        if element.is_weak(exposure_s)
        and len(counted_areas(elements, element.type)) < _ONE_OF_MANY
        and not lies_on_object(element.aoi, areas)
    ]
    weak = weak[:_WEAK]
    each = [_candidates_of(ground_of, element, elements, needed, density, space) for element in weak]
    in_turn = chain.from_iterable(zip_longest(*each))  # nothing is computed before it is asked for
    return tuple(islice((element for element in in_turn if element is not None), MAX_CANDIDATES))


def _candidates_of(
    ground_of: Callable[[Aoi], FigureGround],
    weak: Element,
    elements: Sequence[Element],
    needed: Sequence[Element],
    density: Float32,
    space: FreeSpace,
) -> Iterator[EditCandidate]:
    """Yield edits of a weak element: enlarge it, set it off, have its strongest competitor shrunk, move it."""
    aoi, name = weak.aoi, str(weak.aoi.aoi_id)
    ground = ground_of(aoi)
    cut_cleanly = ground.evenness >= _CUT_CLEANLY and space.stands_alone(aoi)
    if cut_cleanly:
        for factor in (_MUCH_LARGER, LARGER) if weak.seen < _HARDLY_SEEN else (LARGER,):
            enlarged = space.enlarged(aoi, factor)
            if enlarged is not None:
                edits = [Edit("scale", name, factor=factor)]
                if not np.allclose(aoi.box.centre, enlarged.centre):  # beside a neighbour or the margin
                    edits.append(Edit("move", name, to=enlarged.centre))
                yield EditCandidate(tuple(edits), weak, weak)
                break
    can_be_set_off = aoi.type in ("call_to_action", "branding", "headline_text") and ground.evenness >= MIN_EVENNESS
    if can_be_set_off and ground.contrast < _FAINT and ground.headroom >= _WORTHWHILE:
        wanted = max(_SET_OFF, _PLAIN / max(ground.contrast, 2.0))
        factor = round(min(wanted, ground.headroom), 2)
        yield EditCandidate((Edit("contrast", name, factor=factor),), weak, weak)
    rival = next(competitors(elements, weak, needed), None)
    if rival is not None and ground_of(rival.aoi).evenness >= MIN_EVENNESS:
        yield EditCandidate((Edit("scale", str(rival.aoi.aoi_id), factor=SMALLER),), rival, weak)
    if cut_cleanly and area_noun(aoi) in ("logo", "button"):
        headline = next((element.aoi.box for element in needed if element.type == "headline_text"), None)

        def fits(box: Box) -> bool:
            # a request comes after the headline, a logo opens or closes a layout
            if aoi.type == "call_to_action":
                return headline is None or box.y0 >= headline.y1
            return box.y0 >= _LOWEST_THIRD or (headline is not None and box.y1 <= headline.y0)

        place = space.better_place(aoi, density, fits=fits)
        if place is not None:
            others = [element.aoi for element in elements if element.aoi.type in _LANDMARKS and element is not weak]
            yield EditCandidate((Edit("move", name, to=place.centre),), weak, weak, place_words(place, others))


def figure_ground(rgb: UInt8, aoi: Aoi) -> FigureGround:
    """Measure how an element stands out from its ground."""
    mask, filled = remove_area(rgb, aoi)
    here = PixelBox.touched(aoi.box, rgb.shape[1], rgb.shape[0]).slices
    seen, ground = (
        cv2.cvtColor(image[here].astype(np.float32) / 255, cv2.COLOR_RGB2Lab)[..., 0] for image in (rgb, filled.rgb)
    )
    contrast = float(np.quantile(np.abs(seen - ground)[mask[here] > 0], 0.9))
    lightness = float(np.median(ground))
    darker = bool(np.median((seen - ground)[np.abs(seen - ground) >= contrast]) < 0) if contrast > 0 else False
    reach = lightness if darker else 100 - lightness
    return FigureGround(filled.evenness, contrast, reach / max(contrast, 1.0))
