"""Compare two versions of an image: the change of each score, and its repeatability under augmentations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf
from uuid import UUID

import numpy as np

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.augmentation import AUGMENTATIONS, Augmentation
from mediaan.analysis.image import analyze_image
from mediaan.analysis.models import Models
from mediaan.analysis.plan import DEFAULT_OPTIONS, Plan
from mediaan.analysis.progress import StageTimer
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.specs import AOI_METRICS, ZERO_IF_ABSENT
from mediaan.media.views import resize_to_view
from mediaan.metrics import metric_specs
from mediaan.metrics.scales import repeatability_interval
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities, Window
from mediaan.types.edits import Change
from mediaan.types.media import Chunk, Medium, Problem
from mediaan.types.metrics import Score
from mediaan.types.result import Result

_REMOVED = "The AOI was removed."
_TOO_FEW = "It is undefined in too many views of the images for an interval."
_RANGES = {spec.name: (spec.low, spec.high) for spec in (*metric_specs(), *AOI_METRICS)}

_Key = tuple[UUID | None, str, Window]
_Scores = dict[_Key, Score]


@dataclass(frozen=True, slots=True)
class AugmentedScores:
    """Scores of an image and of its augmented copies."""

    densities: Densities
    """Of the image."""
    views: tuple[_Scores, ...]
    """Scores by area, metric and time: of the image, then of each augmented copy."""
    problems: tuple[Problem, ...]
    """Of the image."""


def score_augmented(
    rgb: UInt8,
    medium: Medium,
    aois: Sequence[Aoi],
    plan: Plan,
    models: Models,
    augmentations: Sequence[Augmentation] = AUGMENTATIONS,
) -> AugmentedScores:
    """Score an image and its areas, as it is and augmented.

    `rgb` (H, W, 3) uint8: sRGB.
    `medium`: the image's, or that of the image before it was edited.
    `plan`: its scores; maps and AOIs are left out.
    """
    original = analyze_array(rgb, medium, plan, models)
    scored = score_still(aois, original.densities, plan.exposure_s, model=plan.seen)
    views = [_by_key(original.scores, scored)]
    for augmentation in augmentations:
        varied = analyze_array(augmentation.apply(rgb), medium, plan, models)
        densities = Densities(
            {
                window: augmentation.restore(varied.densities[window], (density.shape[0], density.shape[1]))
                for window, density in original.densities.maps.items()
            }
        )
        views.append(_by_key(varied.scores, score_still(aois, densities, plan.exposure_s, model=plan.seen)))
    return AugmentedScores(original.densities, tuple(views), original.problems)


def analyze_array(rgb: UInt8, medium: Medium, plan: Plan, models: Models) -> Result:
    """Analyze an image given as an array, without maps and areas.

    `rgb` (H, W, 3) uint8: sRGB.
    `medium`, `plan`, `models`: as for `score_augmented`.
    """
    views = {view.name: resize_to_view(rgb, view)[None] for view in plan.views(models.still.view)}
    times = np.array([plan.exposure_s])
    chunk = Chunk(t=np.zeros(1), weight_s=times, views=views, shot=np.zeros(1, np.int32), fresh=np.ones(1, np.bool_))
    return analyze_image(chunk, plan, models, StageTimer(), AoiDetector("none", models, DEFAULT_OPTIONS, medium))


def score_changes(before: AugmentedScores, after: AugmentedScores) -> Iterator[Change]:
    """Compare two images that were scored under the same augmentations.

    The interval is that of the difference in one more augmented pair, were augmentations drawn at random: mean of the
    paired differences plus and minus t * s * sqrt(1 + 1 / n), widened where needed to hold the difference of the
    images as they are, and kept within the metric's range. Errors that both images share, such as the model's against
    people, mostly cancel out, and are not in it.

    `before`, `after`: areas that only `before` has were removed.
    Yields: the image's own scores in the order of `before`, then those of its areas.
    """
    for key in before.views[0]:
        first = [view.get(key) for view in before.views]
        was = first[0]
        assert was is not None
        then = [view.get(key) for view in after.views]
        if key[0] is not None:  # of a removed area 0 where that means something
            value = 0.0 if key[1] in ZERO_IF_ABSENT else None
            removed = replace(was, value=value, lo=None, hi=None, reason=_REMOVED)
            then = [score or removed for score in then]
        now = then[0]
        values = was.value, now.value if now else None
        aoi_id, metric, time = key
        change = Change(None, aoi_id=aoi_id, metric=metric, time=time, before=values[0], after=values[1], unit=was.unit)
        if values[0] is None or values[1] is None:
            yield replace(change, reason=was.reason or (now.reason if now else _REMOVED))
            continue
        difference = values[1] - values[0]
        pairs = [(a.value, b.value) for a, b in zip(first, then, strict=True) if a is not None and b is not None]
        differences = [b - a for a, b in pairs if a is not None and b is not None]
        if len(differences) < 3:
            yield replace(change, value=difference, reason=_TOO_FEW)
            continue
        lo, hi = repeatability_interval(differences, difference)
        low, high = _RANGES.get(key[1], (-inf, inf))
        lo, hi = max(lo, min(difference, low - values[0])), min(hi, max(difference, high - values[0]))
        yield replace(change, value=difference, lo=lo, hi=hi)


def _by_key(scores: Sequence[Score], aois: Sequence[Aoi]) -> _Scores:
    of_medium: _Scores = {(None, score.metric, score.time): score for score in scores}
    return of_medium | {(aoi.aoi_id, score.metric, score.time): score for aoi in aois for score in aoi.scores}
