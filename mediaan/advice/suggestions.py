"""Suggest edits: try candidates, compare each with the image as it is, keep and describe those that help."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from uuid import UUID

from mediaan.advice.candidates import EditCandidate, edit_candidates
from mediaan.advice.elements import Element, elements, needed_elements
from mediaan.advice.free_space import FreeSpace
from mediaan.advice.wording import area_noun, name_area
from mediaan.aoi.editing.edits import AnnotatedImage, apply_edit
from mediaan.aoi.legibility import MIN_CONTRAST
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.aoi.scoring.specs import PERCENTAGE_SEEN
from mediaan.metrics.intervals import repeatability_interval
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Suggestion

PredictVariant = Callable[[Sequence[UInt8], int], Sequence[Densities]]
"""Predicts where people look in pictures (H, W, 3) uint8, all under the same change that should not matter, by its
number; number 0 leaves them as they are. Densities come back in the coordinates of the pictures."""

MAX_SUGGESTIONS = 3
"""Suggestions for one picture."""

LEAST_GAIN, LEAST_AFTER = 3.0, 10.0
"""Percentage points of viewers, and share of viewers, %: what gains less, or is hardly seen even then, is not worth an
edit."""

_CONFIRMED = 3
"""Edits that are looked at in all views: the most promising of the first look."""


def sentence(candidate: EditCandidate, before: float, gain: float, lo: float, hi: float) -> str:
    """One sentence.

    Parameters
    ----------
    candidate : EditCandidate
    before : float
        Share of viewers who see the element now, %.
    gain, lo, hi : float
        Predicted change with its 90 % interval, points.
    """
    first = candidate.edits[0]
    shares = _shares(candidate, before, gain, lo, hi)
    name = name_area(candidate.of.aoi)
    if candidate.of is not candidate.gains:
        rival, weak = candidate.of, candidate.gains
        return (
            f"{name[0].upper()}{name[1:]} draws {rival.attention:.0f} % of attention and {name_area(weak.aoi)} "
            f"{weak.attention:.0f} %: make the {area_noun(rival.aoi)} {100 - 100 * (first.factor or 1):.0f} % smaller, "
            "and "
            f"{shares}"
        )
    if first.action == "move":
        return f"Move {name} into the empty space {candidate.place}: {shares}"
    if first.action == "contrast":
        return f"Give {name} more contrast with its ground{_ratio(candidate.of.aoi)}: {shares}"
    return f"Enlarge {name} by {100 * (first.factor or 1) - 100:.0f} %{_towards(candidate)}: {shares}"


def _ratio(aoi: Aoi) -> str:
    """What the contrast of its letters is now, where that is low."""
    ratio = aoi.text.contrast_ratio if aoi.text else None
    return f" (its letters have {ratio:.1f} : 1 now)" if ratio is not None and ratio < MIN_CONTRAST else ""


def _towards(candidate: EditCandidate) -> str:
    """In which direction something grows that does not grow about its centre."""
    shifts = [edit.to for edit in candidate.edits if edit.to is not None]
    if not shifts:
        return ""
    x, y = (now - before for now, before in zip(shifts[0], candidate.of.aoi.box.centre, strict=True))
    down, across = ("downwards" if y > 0 else "upwards"), ("to the right" if x > 0 else "to the left")
    least = 0.25 * max(abs(x), abs(y))
    return ", " + " and ".join(word for word, way in ((down, y), (across, x)) if abs(way) > least)


def _shares(candidate: EditCandidate, before: float, gain: float, lo: float, hi: float) -> str:
    seer = "of viewers would see it" if candidate.of is candidate.gains else "of viewers would see the "
    seer = seer if candidate.of is candidate.gains else seer + area_noun(candidate.gains.aoi)
    return f"{before + gain:.0f} % {seer} instead of {before:.0f} % (+{lo:.0f} to +{hi:.0f} points)."


@dataclass(frozen=True, slots=True)
class _Trial:
    """A candidate, the picture after it, and by how much needed elements change in each view so far, points."""

    candidate: EditCandidate
    scene: AnnotatedImage
    gains: list[dict[UUID, float]]

    @property
    def first(self) -> float:
        """Gain in the picture as it is."""
        return self.gains[0][self.candidate.gains.aoi.aoi_id]

    @property
    def last(self) -> float:
        """Gain in the latest view."""
        return self.gains[-1][self.candidate.gains.aoi.aoi_id]


def suggest(
    rgb: UInt8,
    aois: Sequence[Aoi],
    scores: Sequence[AoiScore],
    densities: Densities,
    look: PredictVariant,
    views: int,
    *,
    purposes: Sequence[str | None] = (None,),
    exposure_s: float = 5.0,
    seen: FixationHazardModel | None = None,
) -> tuple[Suggestion, ...]:
    """Try the edits that the facts of a picture suggest and keep those that help.

    An edit is kept where the element for which it was tried gains at least 3 points of viewers, and 10 % see it then,
    with its whole interval above 0, and no other element that the purpose needs surely loses more than that. Interval:
    90 %, of the difference in one more view (`mediaan.metrics.intervals`).

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        At most 1024 px on the long side.
    aois : sequence of Aoi
    scores : sequence of AoiScore
        Theirs, as the reader of the suggestions sees them.
    densities : Densities
        Of the picture.
    look : PredictVariant
    views : int
        How many numbers `look` knows, at least 3.
    purposes : sequence of {'brand_building', 'conversion', None}
        Each is answered as if it were the only one; what several ask for is looked at once. None: of what most ads live
        by.
    exposure_s : float
    seen : FixationHazardModel, optional
        Of viewers of one's own.

    Returns
    -------
    tuple of Suggestion
        Of each purpose in turn at most three, those with the largest gain first; none where nothing that is needed is
        weak, or nothing helps.
    """
    known = elements(aois, scores)
    room = FreeSpace(rgb, aois)
    needed = {purpose: needed_elements(known, purpose) for purpose in purposes}
    wanted = {
        purpose: edit_candidates(rgb, known, needed[purpose], densities["total"], exposure_s, room)
        for purpose in purposes
    }
    tried: dict[EditCandidate, _Trial] = {}
    for candidate in chain.from_iterable(wanted.values()):
        if candidate not in tried:
            tried[candidate] = _carried_out(rgb, aois, candidate)
    needs = frozenset(one.aoi.aoi_id for of_purpose in needed.values() for one in of_purpose)
    shares = _SeenBy(exposure_s, seen, needs)
    promising = list(tried.values())
    for view in range(views):
        if not promising:
            return ()
        before, *after = look([rgb, *(one.scene.rgb for one in promising)], view)
        was = shares(aois, before)
        for one, density in zip(promising, after, strict=True):
            now = shares(one.scene.aois, density)
            one.gains.append({aoi_id: now[aoi_id] - was[aoi_id] for aoi_id in needs})
        if view == 0:
            best = chain.from_iterable(_most_promising(tried[one] for one in found) for found in wanted.values())
            promising = list({id(one): one for one in best}.values())
        # an interval around views of which one shows no gain holds 0
        promising = [one for one in promising if one.last > 0]
    kept = {id(one) for one in promising}
    return tuple(
        _suggestion(one, purpose)
        for purpose, found in wanted.items()
        for one in _one_of_a_kind(
            [tried[c] for c in found if id(tried[c]) in kept and _helps(tried[c], needed[purpose])]
        )[:MAX_SUGGESTIONS]
    )


def _most_promising(trials: Iterable[_Trial]) -> list[_Trial]:
    worth = [one for one in trials if _is_worth_it(one)]
    return sorted(worth, key=lambda one: -one.first)[:_CONFIRMED]


class _SeenBy:
    """Returns the share of viewers who see each needed area, %."""

    def __init__(self, exposure_s: float, seen: FixationHazardModel | None, needs: frozenset[UUID]) -> None:
        self._exposure_s, self._seen, self._needs = exposure_s, seen, needs

    def __call__(self, aois: Sequence[Aoi], densities: Densities) -> Mapping[UUID, float]:
        wanted = [aoi for aoi in aois if aoi.aoi_id in self._needs]
        scores = score_still(wanted, densities, self._exposure_s, model=self._seen, intervals=False)
        return {
            score.aoi_id: score.value or 0.0
            for score in scores
            if score.metric == PERCENTAGE_SEEN.name and score.time == "total"
        }


def _carried_out(rgb: UInt8, aois: Sequence[Aoi], candidate: EditCandidate) -> _Trial:
    scene = AnnotatedImage(rgb, tuple(aois))
    for edit in candidate.edits:
        scene = apply_edit(scene, edit, candidate.of.aoi.aoi_id)
    return _Trial(candidate, scene, [])


def _is_worth_it(trial: _Trial) -> bool:
    return trial.first >= LEAST_GAIN and trial.candidate.gains.seen + trial.first >= LEAST_AFTER


def _helps(trial: _Trial, needed: Sequence[Element]) -> bool:
    gain, (lo, _) = trial.first, _interval(trial, trial.candidate.gains.aoi.aoi_id)
    if lo < 0.5:  # less is shown as a gain of 0
        return False
    others = [one.aoi.aoi_id for one in needed if one is not trial.candidate.gains]
    return all(_interval(trial, aoi_id)[1] >= -gain for aoi_id in others)


def _interval(trial: _Trial, aoi_id: UUID) -> tuple[float, float]:
    differences = [view[aoi_id] for view in trial.gains]
    return repeatability_interval(differences, differences[0])


def _one_of_a_kind(trials: Sequence[_Trial]) -> list[_Trial]:
    """The largest gain first; of two edits of one area that do the same, the better."""
    best: dict[tuple[str, UUID], _Trial] = {}
    for one in sorted(trials, key=lambda one: -one.first):
        best.setdefault((one.candidate.edits[0].action, one.candidate.of.aoi.aoi_id), one)
    return list(best.values())


def _suggestion(trial: _Trial, purpose: str | None) -> Suggestion:
    candidate = trial.candidate
    lo, hi = _interval(trial, candidate.gains.aoi.aoi_id)
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
