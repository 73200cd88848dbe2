"""Suggest edits: propose candidates, compare each with the image as it is, keep and describe those that help."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice, zip_longest
from uuid import UUID

import cv2
import numpy as np

from mediaan.advice.elements import Element, area_noun, competitors, elements, name_area, needed_elements
from mediaan.advice.free_space import FreeSpace, place_words
from mediaan.aoi.editing import MIN_EVENNESS, AnnotatedImage, apply_edit, remove_area
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.region import PixelBox
from mediaan.aoi.scoring.aoi_scores import shares_seen
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.aoi.scoring.main_area import counted_areas, lies_on_object
from mediaan.aoi.scoring.specs import PERCENTAGE_SEEN
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Edit, Suggestion
from mediaan.types.metrics import Z90

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


Predict = Callable[[Sequence[UInt8]], Sequence[Densities]]
"""Predicts densities of images (H, W, 3) uint8."""

MAX_SUGGESTIONS = 3
"""Suggestions for one image."""

LEAST_GAIN, LEAST_AFTER = 3.0, 10.0
"""Percentage points of viewers, and share of viewers, %: what gains less, or is hardly seen even then, is not worth an
edit."""

_MOVES, _MOVES_WITH_GAIN = 1.0, 0.25
"""Standard deviation of a change of the share of viewers: points, and per point of the gain. Of such edits nine in ten
changes in mirrored, cropped or blurred images, and nine in ten that the full model predicts, lie in the interval."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """A candidate, and by how much each needed element changes, points."""

    candidate: EditCandidate
    changes: Mapping[UUID, float]

    @property
    def gain(self) -> float:
        """Change of the element that should gain."""
        return self.changes[self.candidate.gains.aoi.aoi_id]

    @property
    def key(self) -> tuple[str, UUID]:
        """Action and id of the edited area."""
        return self.candidate.edits[0].action, self.candidate.of.aoi.aoi_id

    def helps(self, needed: Sequence[Element]) -> bool:
        """Tell whether its element gains enough and no other loses more."""
        gains = self.candidate.gains
        if self.gain < LEAST_GAIN or gains.seen + self.gain < LEAST_AFTER:
            return False
        return all(self.changes[element.aoi.aoi_id] >= -self.gain for element in needed)


def suggest(
    rgb: UInt8,
    aois: Sequence[Aoi],
    densities: Densities,
    predict: Predict,
    *,
    purposes: Sequence[str | None] = (None,),
    exposure_s: float = 5.0,
    model: FixationHazardModel | None = None,
) -> tuple[Suggestion, ...]:
    """Try the edits that the facts of an image suggest and keep those that help.

    An edit is kept where the element for which it was tried gains at least 3 points of viewers, and 10 % see it then,
    and no other element that the purpose needs loses more than that.

    `rgb` (H, W, 3) uint8: at most 1024 px on the long side.
    `aois`: scored, as the reader of the suggestions sees them.
    `densities`: of the image.
    `purposes`: each is answered as if it were the only one; what several ask for is predicted once. None: of what most
        ads live by.
    `model`: of viewers of one's own.
    Returns: of each purpose in turn at most three, those with the largest gain first; none where nothing that is needed
        is weak, or nothing helps.
    """
    all_elements = elements(aois)
    space = FreeSpace(rgb, aois)
    needed = {purpose: needed_elements(all_elements, purpose) for purpose in purposes}
    grounds: dict[UUID, FigureGround] = {}  # the purposes share most elements

    def ground_of(aoi: Aoi) -> FigureGround:
        if aoi.aoi_id not in grounds:
            grounds[aoi.aoi_id] = figure_ground(rgb, aoi)
        return grounds[aoi.aoi_id]

    wanted = {
        purpose: edit_candidates(ground_of, all_elements, needed[purpose], densities["total"], exposure_s, space)
        for purpose in purposes
    }
    candidates = list(dict.fromkeys(chain.from_iterable(wanted.values())))
    if not candidates:
        return ()
    edited = [_edited(AnnotatedImage(rgb, tuple(aois)), candidate) for candidate in candidates]
    needed_ids = frozenset(element.aoi.aoi_id for of_purpose in needed.values() for element in of_purpose)

    def seen(areas: Sequence[Aoi], density: Densities) -> dict[UUID, float]:
        return shares_seen([aoi for aoi in areas if aoi.aoi_id in needed_ids], density, exposure_s, model)

    before, *after = predict([rgb, *(image.rgb for image in edited)])
    was, tried = seen(aois, before), dict[EditCandidate, _Trial]()
    for candidate, image, density in zip(candidates, edited, after, strict=True):
        now = seen(image.aois, density)
        tried[candidate] = _Trial(candidate, {aoi_id: now[aoi_id] - was[aoi_id] for aoi_id in needed_ids})
    suggestions: list[Suggestion] = []
    for purpose, of_purpose in wanted.items():
        trials = [tried[candidate] for candidate in of_purpose if tried[candidate].helps(needed[purpose])]
        by_key: dict[tuple[str, UUID], _Trial] = {}  # of two edits of one area that do the same, the better
        for trial in sorted(trials, key=lambda trial: -trial.gain):
            by_key.setdefault(trial.key, trial)
        suggestions += (_suggestion(trial, purpose) for trial in list(by_key.values())[:MAX_SUGGESTIONS])
    return tuple(suggestions)


def _edited(image: AnnotatedImage, candidate: EditCandidate) -> AnnotatedImage:
    for edit in candidate.edits:
        image = apply_edit(image, edit, candidate.of.aoi.aoi_id)
    return image


def _suggestion(trial: _Trial, purpose: str | None) -> Suggestion:
    candidate = trial.candidate
    before = candidate.gains.seen
    most = 100 - before
    gain = min(trial.gain, most)
    half_width = Z90 * math.hypot(_MOVES, _MOVES_WITH_GAIN * trial.gain)
    lo, hi = min(trial.gain - half_width, gain), min(trial.gain + half_width, most)
    return Suggestion(
        aoi_id=candidate.of.aoi.aoi_id,
        gains_aoi_id=candidate.gains.aoi.aoi_id,
        edits=candidate.edits,
        text=sentence(candidate, before, gain, lo, hi),
        metric=PERCENTAGE_SEEN.name,
        before=before,
        after=before + gain,
        gain=gain,
        lo=lo,
        hi=hi,
        purpose=purpose,
    )


def sentence(candidate: EditCandidate, before: float, gain: float, lo: float, hi: float) -> str:
    """Describe an edit that helps, in one sentence.

    `before`: share of viewers who see the element now, %.
    `gain`, `lo`, `hi`: predicted change with its 90 % interval, points.
    """
    first, of, gains = candidate.edits[0], candidate.of, candidate.gains
    seen = "it" if of is gains else f"the {area_noun(gains.aoi)}"
    shares = (
        f"{before + gain:.0f} % of viewers would see {seen} instead of {before:.0f} % (+{lo:.0f} to +{hi:.0f} points)."
    )
    name = name_area(of.aoi)
    if of is not gains:
        return (
            f"{name[0].upper()}{name[1:]} draws {of.attention:.0f} % of attention and {name_area(gains.aoi)} "
            f"{gains.attention:.0f} %: make the {area_noun(of.aoi)} {100 - 100 * (first.factor or 1):.0f} % smaller, "
            f"and {shares}"
        )
    if first.action == "move":
        return f"Move {name} into the empty space {candidate.place}: {shares}"
    if first.action == "contrast":
        ratio = of.aoi.text.contrast_ratio if of.aoi.text else None
        low = ratio is not None and ratio < MIN_CONTRAST
        now = f" (now {ratio:.1f} to 1)" if low else ""
        return f"Give {name} more contrast with its background{now}: {shares}"
    direction = ""
    shift = next((edit.to for edit in candidate.edits if edit.to is not None), None)
    if shift is not None:  # it does not grow about its centre
        x, y = (now - was for now, was in zip(shift, of.aoi.box.centre, strict=True))
        down, across = ("downwards" if y > 0 else "upwards"), ("to the right" if x > 0 else "to the left")
        least = 0.25 * max(abs(x), abs(y))
        direction = ", " + " and ".join(word for word, step in ((down, y), (across, x)) if abs(step) > least)
    return f"Enlarge {name} by {100 * (first.factor or 1) - 100:.0f} %{direction}: {shares}"
