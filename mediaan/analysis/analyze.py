"""Analyze one file: open it, predict attention, measure, score, render."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.image import analyze_image
from mediaan.analysis.models import Models
from mediaan.analysis.page import analyze_page, find_page
from mediaan.analysis.plan import DEFAULT_OPTIONS, MediumOptions, Plan
from mediaan.analysis.progress import ProgressReporter, StageTimer
from mediaan.media import is_moving, open_medium
from mediaan.types.result import Result


def analyze_file(
    path: Path,
    plan: Plan,
    models: Models,
    *,
    display_path: str | None = None,
    scratch: Path | None = None,
    options: MediumOptions = DEFAULT_OPTIONS,
) -> Result:
    """Analyze one image, video or animation.

    `display_path`: the path as shown to users; defaults to `path`.
    `scratch`: folder in which rendered videos and animations may be left; without one none are made.
    `options`: options of this medium alone.
    Raises MediumError: the file is bad.
    Raises SetupError, AnalysisError: the model cannot run, or fails on this medium.
    Raises UsageError: a domain is stated that the model does not know.
    """
    display_path = display_path or str(path)
    timer, report = StageTimer(), ProgressReporter(display_path)
    stated = {"exposure_s": options.exposure_s, "domain": options.domain, "viewport": options.viewport}
    plan = plan.model_copy(update={name: value for name, value in stated.items() if value is not None})
    with timer("open"):
        model = models.moving if is_moving(path, plan.limits()) else models.still
        source = open_medium(path, plan.views(model.view), plan.limits(), plan.sampling())
    with source:
        detector = AoiDetector(plan.aois, models, options, source.medium)
        chunks = source.chunks()
        if source.medium.kind == "image":
            with timer("open"):
                (chunk,) = chunks
            with timer("attention"):
                (densities,) = models.still.predict(chunk.views[models.still.view.name], domain=plan.domain)
            with timer("open"):
                page = find_page(path, source.medium, plan, models, densities)
            if page is not None:
                result = analyze_page(page, plan, models, timer, source.medium, options)
            else:
                result = analyze_image(chunk, plan, models, timer, detector, scratch, densities=densities)
        else:
            from mediaan.analysis.video import VideoAnalyzer

            analyzer = VideoAnalyzer(plan, models, timer, scratch, detector)
            try:
                while True:
                    with timer("open"):
                        following = next(chunks, None)
                    if following is None:
                        break
                    analyzer.add(following)
                    report(source.read_s, source.medium.duration_s)
                source.close()  # frees the decoder's frames before maps are rendered
                result = analyzer.result(source, path)
            finally:
                analyzer.close()
        return replace(
            result,
            path=display_path,
            problems=source.problems + result.problems,
            size_bytes=source.size_bytes,
            stages=timer.seconds,
            share_read=source.share_read,
            stated_domain=plan.domain,
        )
