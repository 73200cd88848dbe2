"""Suggest edits: try candidates, compare each with the image as it is, keep and describe those that help."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from mediaan.advice.candidates import EditCandidate, FigureGround, edit_candidates, figure_ground
from mediaan.advice.elements import Element, elements, needed_elements
from mediaan.advice.free_space import FreeSpace
from mediaan.advice.wording import area_noun, name_area
from mediaan.aoi.editing import AnnotatedImage, apply_edit
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.scoring.aoi_scores import shares_seen
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.aoi.scoring.specs import PERCENTAGE_SEEN
from mediaan.metrics.scales import repeatability_interval
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Suggestion

PredictVariant = Callable[[Sequence[UInt8], int], Sequence[Densities]]
"""Predicts densities of images (H, W, 3) uint8, all under the same change that should not matter, by its number; number
0 leaves them as they are. Densities come back in the coordinates of the images."""

MAX_SUGGESTIONS = 3
"""Suggestions for one image."""

LEAST_GAIN, LEAST_AFTER = 3.0, 10.0
"""Percentage points of viewers, and share of viewers, %: what gains less, or is hardly seen even then, is not worth an
edit."""

_CONFIRMED = 3
"""Edits that are predicted in all variants: the most promising of the first."""


@dataclass(frozen=True, slots=True)
class _Trial:
    """A candidate, the image after it, and by how much needed elements change in each variant so far, points."""

    candidate: EditCandidate
    image: AnnotatedImage
    gains: list[dict[UUID, float]]

    @property
    def first(self) -> float:
        """Gain in the image as it is."""
        return self.gains[0][self.candidate.gains.aoi.aoi_id]

    @property
    def last(self) -> float:
        """Gain in the latest variant."""
        return self.gains[-1][self.candidate.gains.aoi.aoi_id]

    @property
    def key(self) -> tuple[str, UUID]:
        """Action and id of the edited area."""
        return self.candidate.edits[0].action, self.candidate.of.aoi.aoi_id

    def interval(self, aoi_id: UUID) -> tuple[float, float]:
        """Return the 90 % interval of the change of an area, points."""
        differences = [gains[aoi_id] for gains in self.gains]
        return repeatability_interval(differences, differences[0])

    def helps(self, needed: Sequence[Element]) -> bool:
        """Tell whether its element surely gains and no other surely loses more."""
        if self.interval(self.candidate.gains.aoi.aoi_id)[0] < 0.5:  # less is shown as a gain of 0
            return False
        others = [element.aoi.aoi_id for element in needed if element is not self.candidate.gains]
        return all(self.interval(aoi_id)[1] >= -self.first for aoi_id in others)


def suggest(
    rgb: UInt8,
    aois: Sequence[Aoi],
    densities: Densities,
    predict: PredictVariant,
    variants: int,
    *,
    purposes: Sequence[str | None] = (None,),
    exposure_s: float = 5.0,
    model: FixationHazardModel | None = None,
) -> tuple[Suggestion, ...]:
    """Try the edits that the facts of an image suggest and keep those that help.

    An edit is kept where the element for which it was tried gains at least 3 points of viewers, and 10 % see it then,
    with its whole interval above 0, and no other element that the purpose needs surely loses more than that. Interval:
    90 %, of the difference in one more variant (`mediaan.metrics.scales`).

    `rgb` (H, W, 3) uint8: at most 1024 px on the long side.
    `aois`: scored, as the reader of the suggestions sees them.
    `densities`: of the image.
    `variants`: count of the numbers that `predict` takes, at least 3.
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
    tried: dict[EditCandidate, _Trial] = {}
    for candidate in chain.from_iterable(wanted.values()):
        if candidate not in tried:
            image = AnnotatedImage(rgb, tuple(aois))
            for edit in candidate.edits:
                image = apply_edit(image, edit, candidate.of.aoi.aoi_id)
            tried[candidate] = _Trial(candidate, image, [])
    needed_ids = frozenset(element.aoi.aoi_id for of_purpose in needed.values() for element in of_purpose)

    def seen(areas: Sequence[Aoi], density: Densities) -> dict[UUID, float]:
        return shares_seen([aoi for aoi in areas if aoi.aoi_id in needed_ids], density, exposure_s, model)

    promising = list(tried.values())
    for variant in range(variants):
        if not promising:
            return ()
        before, *after = predict([rgb, *(trial.image.rgb for trial in promising)], variant)
        was = seen(aois, before)
        for trial, density in zip(promising, after, strict=True):
            now = seen(trial.image.aois, density)
            trial.gains.append({aoi_id: now[aoi_id] - was[aoi_id] for aoi_id in needed_ids})
        if variant == 0:
            best: dict[int, _Trial] = {}
            for candidates in wanted.values():
                worth = [
                    trial
                    for trial in (tried[candidate] for candidate in candidates)
                    if trial.first >= LEAST_GAIN and trial.candidate.gains.seen + trial.first >= LEAST_AFTER
                ]
                worth.sort(key=lambda trial: -trial.first)
                best |= {id(trial): trial for trial in worth[:_CONFIRMED]}
            promising = list(best.values())
        # an interval around variants of which one shows no gain holds 0
        promising = [trial for trial in promising if trial.last > 0]
    kept = {id(trial) for trial in promising}
    suggestions: list[Suggestion] = []
    for purpose, candidates in wanted.items():
        trials = [tried[c] for c in candidates if id(tried[c]) in kept and tried[c].helps(needed[purpose])]
        by_key: dict[tuple[str, UUID], _Trial] = {}  # of two edits of one area that do the same, the better
        for trial in sorted(trials, key=lambda trial: -trial.first):
            by_key.setdefault(trial.key, trial)
        suggestions += (_suggestion(trial, purpose) for trial in list(by_key.values())[:MAX_SUGGESTIONS])
    return tuple(suggestions)


def _suggestion(trial: _Trial, purpose: str | None) -> Suggestion:
    candidate = trial.candidate
    lo, hi = trial.interval(candidate.gains.aoi.aoi_id)
    before = candidate.gains.seen
    gain = min(trial.first, 100 - before)
    lo, hi = min(lo, gain), min(hi, 100 - before)
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
