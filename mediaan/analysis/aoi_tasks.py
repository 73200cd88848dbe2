"""Detect and score areas of a medium that was analyzed before, from its stored densities."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.aoi_tracking import VideoAoiDetector
from mediaan.analysis.image import suggest_edits
from mediaan.analysis.models import Models, load_models
from mediaan.analysis.page import detect_page_aois, reopen_page
from mediaan.analysis.plan import AOI_VIEW, MediumOptions, Plan
from mediaan.aoi.medium_coordinates import with_drawn
from mediaan.aoi.scoring.aoi_scores import DensitySample, score_moving, score_still
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.errors import AnalysisError, MediumError
from mediaan.media import open_medium
from mediaan.metrics import DRIVER_VIEW
from mediaan.saliency.density_storage import DensityTrack, read_densities
from mediaan.types.aoi import Aoi, BrandSearch
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Densities
from mediaan.types.edits import Suggestion
from mediaan.types.media import Medium, Problem
from mediaan.types.scanpath import OrderOfLooks


@dataclass(frozen=True, slots=True)
class AoiTask:
    """A medium that was analyzed before, in which areas are to be detected."""

    medium: Medium
    display_path: str
    """As shown to users."""
    file: Path
    densities: Path
    """File of its stored densities."""
    options: MediumOptions
    exposure_s: float
    """Viewing time of an image in the earlier analysis, which is kept, s."""
    drawn: tuple[Aoi, ...] = ()
    """Areas that people drew on it."""
    domain: str | None = None
    """Stated by a user."""


@dataclass(frozen=True, slots=True)
class AoiTaskResult:
    """Scored areas of a medium, problems, the search for its brand, suggested edits, and the order of looks."""

    aois: tuple[Aoi, ...]
    problems: tuple[Problem, ...]
    brand: BrandSearch | None = None
    suggestions: tuple[Suggestion, ...] = ()
    looks: OrderOfLooks | None = None


@dataclass(frozen=True, slots=True)
class AoiTaskRunner:
    """Detects areas in a file again and scores them with drawn ones; callable and picklable.

    `plan`: `plan.aois` says what to detect.
    """

    plan: Plan

    def __call__(self, task: AoiTask) -> AoiTaskResult:
        """Run a task; a file that is bad now keeps its drawn areas."""
        plan, options = self.plan, task.options
        densities, track = read_densities(task.densities)
        models = load_models(*plan.models)
        rgb, searched = None, False
        try:
            if densities.screen is None:
                aois, problems, rgb = redetect_aois(task.file, plan, models, options)
            else:
                page = reopen_page(task.file, task.medium, densities.screen, plan)
                aois, problems = detect_page_aois(page, AoiDetector(plan.aois, models, options, task.medium))
            searched = True
        except (MediumError, AnalysisError) as error:
            aois, problems = (), (Problem(error.code, error.message),)
        aois = with_drawn(aois, task.drawn)
        aois = AoiDetector(plan.aois, models, options, task.medium).with_legibility(aois, densities)
        aois = rescore_aois(aois, task.medium, densities, track, task.exposure_s, plan.seen)
        suggestions: tuple[Suggestion, ...] = ()
        if plan.suggests_edits and aois and rgb is not None:
            earlier = plan.model_copy(update={"exposure_s": task.exposure_s, "domain": task.domain})
            suggestions = suggest_edits(rgb, aois, densities, earlier, models)
        brand = BrandSearch.among(options.brand, aois, searched=searched)
        looks: OrderOfLooks | None = None
        if track is None:
            looks = estimate_looks(aois, densities, task.exposure_s, task.medium.medium_id)
        return AoiTaskResult(aois, problems, brand, suggestions, looks)


def redetect_aois(
    path: Path, plan: Plan, models: Models, options: MediumOptions
) -> tuple[tuple[Aoi, ...], tuple[Problem, ...], UInt8 | None]:
    """Detect areas in a file; return them with problems of drawings, and the array of an image, (H, W, 3)."""
    with open_medium(path, (AOI_VIEW, DRIVER_VIEW), plan.limits(), plan.sampling()) as source:
        detector = AoiDetector(plan.aois, models, options, source.medium)
        if source.medium.kind == "image":
            (chunk,) = source.chunks()
            rgb = chunk.views[AOI_VIEW.name][0]
            return *detector.detect_image(rgb), rgb
        video_detector = VideoAoiDetector(detector)
        for chunk in source.chunks():
            for sample in chunk.samples():
                video_detector.add(*sample)
        return *video_detector.aois(), None


def rescore_aois(
    aois: Sequence[Aoi],
    medium: Medium,
    densities: Densities,
    track: DensityTrack | None,
    exposure_s: float,
    model: FixationHazardModel | None = None,
) -> tuple[Aoi, ...]:
    """Score areas of a medium on its stored densities.

    `track`: densities over time; None for an image.
    `exposure_s`: viewing time of an image, s.
    `model`: of one's own viewers.
    """
    if track is None:
        return score_still(aois, densities, exposure_s, model=model)
    samples, duration_s = map(DensitySample._make, track.samples()), medium.duration_s or 0.0
    return score_moving(aois, samples, duration_s, model=model, domain=densities.domain)
