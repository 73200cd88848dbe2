"""Analyze one file: open it, predict attention, measure, score, render."""

from __future__ import annotations

from pathlib import Path

from mediaan.analysis.aoi_detection import DEFAULT_OPTIONS, AoiDetector, MediumOptions
from mediaan.analysis.image import Findings, StageTimer, analyze_image
from mediaan.analysis.models import Models
from mediaan.analysis.plan import Plan
from mediaan.analysis.progress import ProgressReporter
from mediaan.analysis.video import VideoAnalyzer
from mediaan.media import Source, is_moving, open_medium
from mediaan.types.result import Result


def analyze_file(
    path: Path,
    plan: Plan,
    models: Models,
    *,
    shown: str | None = None,
    scratch: Path | None = None,
    options: MediumOptions = DEFAULT_OPTIONS,
) -> Result:
    """Analyse one picture, video or animation.

    Parameters
    ----------
    path : Path
    plan : Plan
    models : Models
    shown : str, optional
        The path as users shall see it; defaults to `path`.
    scratch : Path, optional
        Folder in which films may be left; without one none are made.
    options : MediumOptions, optional
        What is asked of this medium in particular.

    Returns
    -------
    Result

    Raises
    ------
    MediumError
        The file is bad.
    SetupError, AnalysisError
        The model cannot run, or fails on this medium.
    UsageError
        A domain is stated that the model does not know.
    """
    watch = StageTimer()
    stated = {"exposure_s": options.exposure_s, "domain": options.domain}
    plan = plan.model_copy(update={name: value for name, value in stated.items() if value is not None})
    with watch("open"):
        model = models.moving if is_moving(path, plan.limits()) else models.still
        source = open_medium(path, plan.views(model.view), plan.limits(), plan.sampling())
    with source:
        search = AoiDetector(plan.aois, models, options, source.medium)
        found = _analyze_source(
            source, path, plan, models, watch, scratch, ProgressReporter(shown or str(path)), search
        )
        return Result(
            path=shown or str(path),
            medium=source.medium,
            scores=found.scores,
            densities=found.densities,
            pictures=found.pictures,
            problems=source.problems + found.problems + (found.brand.problems if found.brand else ()),
            size_bytes=source.size_bytes,
            stages=watch.seconds,
            frames=found.frames,
            scenes=found.scenes,
            share_read=source.share_read,
            videos=found.videos,
            aois=found.aois,
            aoi_scores=found.aoi_scores,
            series=found.series,
            novelty=found.novelty,
            stated_domain=plan.domain,
            brand_found=found.brand.found if found.brand else None,
            suggestions=found.suggestions,
        )


def _analyze_source(
    source: Source,
    path: Path,
    plan: Plan,
    models: Models,
    watch: StageTimer,
    scratch: Path | None,
    tell: ProgressReporter,
    search: AoiDetector,
) -> Findings:
    chunks = source.chunks()
    if source.medium.kind == "image":
        with watch("open"):
            (chunk,) = chunks
        return analyze_image(chunk, plan, models, watch, search)
    moving = VideoAnalyzer(plan, models, watch, scratch, search)
    try:
        while True:
            with watch("open"):
                following = next(chunks, None)
            if following is None:
                source.close()  # the decoder's frames make room for the maps
                return moving.findings(source, path)
            moving.add(following)
            tell(source.read_s, source.medium.duration_s)
    finally:
        moving.close()
