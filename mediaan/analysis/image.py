"""Analyze a still image: attention, scores, intervals, areas of interest, suggestions and maps."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW, DISPLAY_VIEW, Plan
from mediaan.analysis.progress import StageTimer
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.looks import estimate_looks
from mediaan.aoi.scoring.main_area import brand_attention
from mediaan.maps import MAPS, gaze_animation, gaze_plot, render_maps
from mediaan.media.views import resize_to_view
from mediaan.metrics import (
    DRIVER_VIEW,
    Drivers,
    built_in_scales,
    measure_drivers,
    score_all,
    too_simple,
    with_intervals,
)
from mediaan.metrics.guide import PURPOSES
from mediaan.metrics.novelty import NOVELTY_THRESHOLD, novelty_model
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Appearance, Densities
from mediaan.types.edits import Suggestion
from mediaan.types.media import Chunk, Problem
from mediaan.types.result import Result

_TOO_SIMPLE = Problem(
    "too_simple", "the image is nearly empty: its clarity says little, because there is almost no message to take in"
)


def analyze_image(
    chunk: Chunk,
    plan: Plan,
    models: Models,
    timer: StageTimer,
    detector: AoiDetector,
    scratch: Path | None = None,
    *,
    densities: Densities | None = None,
) -> Result:
    """Analyze the one frame of an image.

    `chunk`: with the views of `plan`.
    `timer`: takes the time of each stage.
    `detector`: of the image's AOIs.
    `scratch`: folder in which an animation may be left; without one none is made.
    `densities`: of the frame, where they have been predicted.
    Returns: without facts of the file.
    """
    if densities is None:
        with timer("attention"):
            (densities,) = models.still.predict(chunk.views[models.still.view.name], domain=plan.domain)
    result = Result(path=detector.medium.name, medium=detector.medium, scores=(), densities=densities)
    if plan.scores or plan.maps:
        result = _with_scores(result, chunk, plan, models, timer)
    if not detector.has_areas:
        return _with_looks(result, chunk, plan, timer, scratch) if plan.gaze_maps else result
    with timer("aois"):
        rgb = chunk.views[AOI_VIEW.name][0] if detector.detects else None
        aois, problems, proposals = detector.propose_image(rgb)
        aois = detector.with_legibility(aois, densities)
        aois = score_still(aois, densities, plan.exposure_s, model=plan.seen)
    search = detector.search_brand(aois)
    result = replace(
        result,
        aois=aois,
        problems=result.problems + problems + (search.problems if search else ()),
        brand_found=search.found if search else None,
        brand_attention=brand_attention(aois, search.spellings if search else ()),
        absent=detector.absent,
        proposals=proposals,
    )
    result = _with_looks(result, chunk, plan, timer, scratch)
    if not plan.suggests_edits or not aois:
        return result
    with timer("advice"):
        large = chunk.views[(AOI_VIEW if detector.detects else DISPLAY_VIEW).name][0]
        suggestions = suggest_edits(large, aois, densities, plan, models)
    return replace(result, suggestions=suggestions)


def _with_looks(result: Result, chunk: Chunk, plan: Plan, timer: StageTimer, scratch: Path | None) -> Result:
    """Add the order in which simulated viewers look at the image's areas, and maps of it."""
    with timer("looks"):
        looks = estimate_looks(result.aois or (), result.densities, plan.exposure_s, result.medium.medium_id)
    result = replace(result, looks=looks)
    if looks is None or not plan.gaze_maps:
        return result
    with timer("maps"):
        rgb = chunk.views[DISPLAY_VIEW.name][0]
        pictures = {"original": rgb, **result.pictures}
        videos = dict(result.videos)
        for name in plan.gaze_maps:
            if MAPS[name].kind == "gaze":
                pictures[name] = gaze_plot(rgb, looks.path)
            elif scratch is not None:
                videos[name] = scratch / f"{name}.webp"
                videos[name].write_bytes(gaze_animation(rgb, looks.path, plan.exposure_s))
    return replace(result, pictures=pictures, videos=videos)


def _with_scores(result: Result, chunk: Chunk, plan: Plan, models: Models, timer: StageTimer) -> Result:
    """Add the image's own scores, novelty and maps."""
    densities, small = result.densities, chunk.views[DRIVER_VIEW.name][0]
    with timer("drivers"):
        drivers = measure_drivers(small, models.appearance.read(small))
    with timer("scores"):
        scales = built_in_scales().of_domain(densities.domain)
        scores = with_intervals(score_all(drivers, densities), scales) if plan.scores else ()
    novelty = novelty_share([(novelty_distance(drivers.appearance), 1.0)]) if plan.scores else None
    problems = novelty_problem(novelty)
    if too_simple(drivers, built_in_scales()):
        problems += (_TOO_SIMPLE,)
    result = replace(result, scores=scores, problems=problems, novelty=novelty)
    if not plan.pictures:
        return result
    names = available_maps(plan.pictures, densities)
    problems += tuple(missing_map_problem(name, models.still.name) for name in plan.pictures if name not in names)
    with timer("maps"):
        rgb = chunk.views[DISPLAY_VIEW.name][0]
        maps = render_maps(rgb, densities, local_maps(drivers, densities, names), names)
    return replace(result, problems=problems, pictures={"original": rgb, **maps})


def local_maps(drivers: Drivers, densities: Densities, names: tuple[str, ...]) -> dict[str, Float32]:
    """Return the values of the maps of local drivers among `names`."""
    return {name: values(drivers, densities) for name in names if (values := MAPS[name].values) is not None}


def available_maps(names: tuple[str, ...], densities: Densities) -> tuple[str, ...]:
    """Return the maps that can be drawn from the predicted windows."""
    return tuple(name for name in names if MAPS[name].window in (None, *densities.maps))


def missing_map_problem(name: str, model: str) -> Problem:
    """Explain why a map was not drawn."""
    return Problem("map_not_drawn", f"{name} was not drawn: model {model} predicts no {MAPS[name].window} window")


def novelty_distance(appearance: Appearance) -> float:
    """Return the distance of an image from the nearest cluster of training images."""
    return novelty_model().distance(appearance.features)


def novelty_share(weighted_distances: Iterable[tuple[float, float]]) -> float | None:
    """Return the share of training images that are nearer to their own cluster than a medium is, 0-1.

    `weighted_distances` (iterable of (float, float)): `novelty_distance` of frames of the medium, and their durations,
        s; distances are averaged. None if all weights are 0.
    """
    total = seconds = 0.0
    for distance, weight in weighted_distances:
        total += distance * weight
        seconds += weight
    return novelty_model().share(total / seconds) if seconds > 0 else None


def novelty_problem(novelty: float | None) -> tuple[Problem, ...]:
    """Return the warning of a medium unlike the training images; empty for any other."""
    if novelty is None or novelty <= NOVELTY_THRESHOLD:
        return ()
    message = (
        f"this file is unlike the images that the models learned from: {novelty:.1%} of those are closer to "
        "the others of their type; treat its predictions and scores with caution"
    )
    return (Problem("unlike_training", message),)


def suggest_edits(
    rgb: UInt8,
    aois: Sequence[Aoi],
    densities: Densities,
    plan: Plan,
    models: Models,
) -> tuple[Suggestion, ...]:
    """Try edits of an image and keep those that are predicted to help; see `mediaan.advice.suggestions.suggest`.

    `rgb` (H, W, 3) uint8: in the view of AOIs: at most 1024 px on the long side.
    `aois`: scored.
    `densities`: of the image.
    `plan`: its exposure, viewers and domain.
    `models`: both images are predicted by the cheaper model of video frames: differences between them show there as
        well.
    """
    # which the analysis of a video or of an image without areas does not need
    from mediaan.advice.suggestions import suggest

    def predict(images: Sequence[UInt8]) -> list[Densities]:
        frames = np.stack([resize_to_view(image, models.frames.view) for image in images])
        return models.frames.predict(frames, domain=plan.domain)

    return suggest(
        rgb,
        aois,
        densities,
        predict,
        purposes=(*PURPOSES, None),
        exposure_s=plan.exposure_s,
        model=plan.seen,
    )
