"""Detect and score areas of a medium that was analyzed before, from its stored densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from mediaan.advice import PURPOSES
from mediaan.analysis.aoi_detection import AoiDetector, MediumOptions, VideoAoiDetector
from mediaan.analysis.image import suggest_edits
from mediaan.analysis.models import Models, load_models
from mediaan.analysis.plan import AOI_VIEW, Plan
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving, score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.errors import AnalysisError, MediumError
from mediaan.media import open_medium
from mediaan.metrics import DRIVER_VIEW
from mediaan.saliency.density_storage import DensityTrack, read_densities
from mediaan.types.aoi import Aoi, AoiScore, BrandSearch
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Suggestion
from mediaan.types.media import Medium, Problem


class RedetectedAois(NamedTuple):
    """AOIs of a file, what went wrong on the way, and the picture (H, W, 3) uint8 of a still in the view of AOIs."""

    aois: tuple[Aoi, ...]
    problems: tuple[Problem, ...]
    rgb: UInt8 | None = None


def redetect_aois(path: Path, plan: Plan, models: Models, options: MediumOptions) -> RedetectedAois:
    """Look for AOIs in a file whose attention is known.

    Parameters
    ----------
    path : Path
    plan : Plan
        `plan.aois` says what is looked for.
    models : Models
    options : MediumOptions

    Raises
    ------
    MediumError
        The file is bad.
    """
    with open_medium(path, (AOI_VIEW, DRIVER_VIEW), plan.limits(), plan.sampling()) as source:
        search = AoiDetector(plan.aois, models, options, source.medium)
        if source.medium.kind == "image":
            (chunk,) = source.chunks()
            rgb = chunk.views[AOI_VIEW.name][0]
            return RedetectedAois(*search.still(rgb), rgb)
        follower = VideoAoiDetector(search)
        for chunk in source.chunks():
            columns = zip(
                chunk.t.tolist(), chunk.weight_s.tolist(), chunk.shot.tolist(), chunk.fresh.tolist(), strict=True
            )
            for i, (t_s, weight_s, shot, fresh) in enumerate(columns):
                views = {name: view[i] for name, view in chunk.views.items()}
                follower.add(t_s, weight_s, shot, fresh, views)
        return RedetectedAois(*follower.aois())


def rescore_aois(
    aois: Sequence[Aoi],
    medium: Medium,
    densities: Densities,
    track: DensityTrack | None,
    exposure_s: float,
    seen: FixationHazardModel | None = None,
    *,
    intervals: bool = True,
) -> tuple[AoiScore, ...]:
    """Scores of AOIs of a medium whose densities are known; `seen` is of viewers of one's own."""
    if track is None:
        return score_still(aois, densities, exposure_s, model=seen, intervals=intervals)
    samples, duration_s = map(DensitySample._make, track.samples()), medium.duration_s or 0.0
    return score_moving(aois, samples, duration_s, model=seen, intervals=intervals, domain=densities.domain)


@dataclass(frozen=True, slots=True)
class AoiTask:
    """A medium that was analysed before: its file, its densities, what is asked of it, and what was drawn on it.

    Attributes
    ----------
    exposure_s : float
        How long a picture was looked at then, s; it still is.
    domain : str or None
        What a user said that it is.
    """

    medium: Medium
    shown: str
    file: Path
    densities: Path
    options: MediumOptions
    exposure_s: float
    drawn: tuple[Aoi, ...] = ()
    domain: str | None = None


@dataclass(frozen=True, slots=True)
class AoiTaskResult:
    """AOIs of a medium with their scores, what went wrong on the way, whether the brand was found, and tried advice."""

    aois: tuple[Aoi, ...]
    scores: tuple[AoiScore, ...]
    problems: tuple[Problem, ...]
    brand: BrandSearch | None = None
    suggestions: tuple[Suggestion, ...] = ()


@dataclass(frozen=True, slots=True)
class AoiTaskRunner:
    """Callable and picklable: looks for AOIs in a visit's file again and scores them with those that were drawn."""

    plan: Plan

    def __call__(self, visit: AoiTask) -> AoiTaskResult:
        """A file that is bad now keeps what was drawn on it."""
        densities, track = read_densities(visit.densities)
        models = load_models(*self.plan.models)
        searched = False
        try:
            found = redetect_aois(visit.file, self.plan, models, visit.options)
            searched = True
        except (MediumError, AnalysisError) as error:
            found = RedetectedAois((), (Problem(error.code, error.message),))
        aois = found.aois + visit.drawn
        plan = self.plan
        scores = rescore_aois(
            aois, visit.medium, densities, track, visit.exposure_s, plan.seen, intervals=plan.wants_intervals
        )
        suggestions: tuple[Suggestion, ...] = ()
        if plan.wants_advice and aois and found.rgb is not None:
            looked = plan.model_copy(update={"exposure_s": visit.exposure_s, "domain": visit.domain})
            suggestions = suggest_edits(found.rgb, aois, scores, densities, PURPOSES, looked, models)
        named = visit.options.brand.name if visit.options.brand else None
        brand = BrandSearch.among(named, aois, searched=searched)
        return AoiTaskResult(aois, scores, found.problems, brand, suggestions)
