"""Compare two versions of an image: the change of each score, and its repeatability under augmentations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.analysis.aoi_detection import DEFAULT_OPTIONS, AoiDetector
from mediaan.analysis.augmentation import AUGMENTATIONS, Augmentation
from mediaan.analysis.image import Findings, StageTimer, analyze_image
from mediaan.analysis.models import Models
from mediaan.analysis.plan import Plan
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, AVAILABILITY, PERCENTAGE_SEEN, TIME_SPENT
from mediaan.media import resize, view_size
from mediaan.metrics import BUILT_INS
from mediaan.metrics.intervals import repeatability_interval
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Densities, Window
from mediaan.types.edits import Change
from mediaan.types.media import Chunk, Medium, Problem
from mediaan.types.metrics import Score

_GONE = {metric.name for metric in (ATTENTION, PERCENTAGE_SEEN, TIME_SPENT, AVAILABILITY)}
"""What is 0, rather than undefined, of an area that is not there."""

_REMOVED = "The AOI was removed."
_TOO_FEW = "It is undefined in too many views of the pictures for an interval."
_RANGES = {spec.name: (spec.low, spec.high) for spec in (*(metric.spec for metric in BUILT_INS), *AOI_METRICS)}

_Key = tuple[UUID | None, str, Window]
_Scores = dict[_Key, Score | AoiScore]


@dataclass(frozen=True, slots=True)
class AugmentedScores:
    """A picture as it is and under changes that should not matter.

    Attributes
    ----------
    densities : Densities
        Of the picture as it is.
    views : tuple of dict
        Scores by area, metric and time: of the picture as it is, then of each variant.
    problems : tuple of Problem
        Of the picture as it is.
    """

    densities: Densities
    views: tuple[_Scores, ...]
    problems: tuple[Problem, ...]


def score_augmented(
    rgb: UInt8,
    medium: Medium,
    aois: Sequence[Aoi],
    plan: Plan,
    models: Models,
    variants: Sequence[Augmentation] = AUGMENTATIONS,
) -> AugmentedScores:
    """Score a picture and its areas, as it is and under changes that should not matter.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        sRGB.
    medium : Medium
        Which it is, or was before it was edited.
    aois : sequence of Aoi
    plan : Plan
        Its scores; maps and AOIs are left out.
    models : Models
    variants : sequence of Variant

    Returns
    -------
    Looks
    """
    found = analyze_array(rgb, medium, plan, models)
    views = [_by_key(found.scores, score_still(aois, found.densities, plan.exposure_s, model=plan.seen))]
    for variant in variants:
        varied = analyze_array(variant.apply(rgb), medium, plan, models)
        maps = {
            window: variant.restore(varied.densities[window], _shape(density))
            for window, density in found.densities.maps.items()
        }
        views.append(_by_key(varied.scores, score_still(aois, Densities(maps), plan.exposure_s, model=plan.seen)))
    return AugmentedScores(found.densities, tuple(views), found.problems)


def analyze_array(rgb: UInt8, medium: Medium, plan: Plan, models: Models) -> Findings:
    """Analyse a picture that is at hand as an array, without maps and without looking for areas.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        sRGB.
    medium, plan, models
        As for `look_at`.

    Returns
    -------
    Findings
    """
    picture = Image.fromarray(rgb)
    size = picture.size
    views = {
        view.name: np.asarray(resize(picture, view_size(*size, view)), dtype=np.uint8)[None]
        for view in plan.views(models.still.view)
    }
    one = np.array([plan.exposure_s])
    chunk = Chunk(t=np.zeros(1), weight_s=one, views=views, shot=np.zeros(1, np.int32), fresh=np.ones(1, np.bool_))
    search = AoiDetector("none", models, DEFAULT_OPTIONS, medium)
    return analyze_image(chunk, plan, models, StageTimer(), search)


def score_changes(before: AugmentedScores, after: AugmentedScores) -> Iterator[Change]:
    """What differs between two pictures that were looked at in the same views.

    The interval is that of the difference in one more such view, were they drawn at random: mean of the paired
    differences plus and minus t * s * sqrt(1 + 1 / n), widened where needed to hold the difference of the pictures as
    they are, and kept within what the metric's range leaves open. What both pictures share, such as the model's error
    against people, mostly cancels out, and is not in it.

    Parameters
    ----------
    before, after : Looks
        Areas that only `before` has were removed.

    Yields
    ------
    Change
        The picture's own scores in the order of `before`, then those of its areas.
    """
    for key in before.views[0]:
        yield _change(key, before, after)


def _change(key: _Key, before: AugmentedScores, after: AugmentedScores) -> Change:
    first = [view.get(key) for view in before.views]
    then = [_or_gone(view, key, first[0]) for view in after.views]
    was, now = first[0], then[0]
    assert was is not None
    values = was.value, now.value if now else None
    reason = was.reason or (now.reason if now else _REMOVED)
    if values[0] is None or values[1] is None:
        return Change(*key, *values, None, None, None, was.unit, reason)
    difference = values[1] - values[0]
    pairs = [(a.value, b.value) for a, b in zip(first, then, strict=True) if a is not None and b is not None]
    known = [b - a for a, b in pairs if a is not None and b is not None]
    if len(known) < 3:
        return Change(*key, *values, difference, None, None, was.unit, _TOO_FEW)
    lo, hi = repeatability_interval(known, difference)
    low, high = _RANGES.get(key[1], (-inf, inf))
    lo, hi = max(lo, min(difference, low - values[0])), min(hi, max(difference, high - values[0]))
    return Change(*key, *values, difference, lo, hi, was.unit)


def _or_gone(view: _Scores, key: _Key, was: Score | AoiScore | None) -> Score | AoiScore | None:
    """The score after; of an area that was removed 0 where that means something, else none."""
    if key in view or key[0] is None:
        return view.get(key)
    value = 0.0 if key[1] in _GONE else None
    unit = was.unit if was else ""
    return AoiScore(key[0], key[1], key[2], value, None, None, unit, _REMOVED)


def _by_key(scores: Sequence[Score], aoi_scores: Sequence[AoiScore]) -> _Scores:
    own: _Scores = {(None, score.metric, score.time): score for score in scores}
    return own | {(score.aoi_id, score.metric, score.time): score for score in aoi_scores}


def _shape(density: Float32) -> tuple[int, int]:
    return density.shape[0], density.shape[1]
