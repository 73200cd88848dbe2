"""A still picture: one look, one measurement, and its maps."""

from __future__ import annotations

from dataclasses import replace

from mediaan.advice import PURPOSES
from mediaan.analysis.advised import suggest
from mediaan.analysis.aois import AoiSearch
from mediaan.analysis.findings import Findings, Stopwatch, drawable, not_drawn
from mediaan.analysis.models import Models
from mediaan.analysis.novelty import distance_of, share_of_nearer, unlike_training
from mediaan.analysis.plan import AOI_VIEW, DISPLAY_VIEW, Plan
from mediaan.analysis.repeats import Repeat, coarse_densities, look_again
from mediaan.aoi.score import score_still
from mediaan.maps import local_map_names, render_maps
from mediaan.metrics import (
    DRIVER_VIEW,
    Drivers,
    built_in_scales,
    clarity_map,
    cognitive_demand_map,
    engagement_map,
    measure_drivers,
    score_all,
    too_simple,
    with_intervals,
)
from mediaan.types.arrays import Float32
from mediaan.types.maps import Densities
from mediaan.types.media import Chunk
from mediaan.types.metrics import Score
from mediaan.types.outcome import Problem

_TOO_SIMPLE = Problem(
    "too_simple", "the picture shows next to nothing: its clarity says little, there is hardly a message to take in"
)


def analyse_still(chunk: Chunk, plan: Plan, models: Models, watch: Stopwatch, search: AoiSearch) -> Findings:
    """Analyse the one frame of a picture.

    Parameters
    ----------
    chunk : Chunk
        With the views of `plan`.
    plan : Plan
    models : Models
    watch : Stopwatch
        Takes the time of each stage.
    search : AoiSearch
    """
    predictor = models.still
    with watch("attention"):
        (densities,) = predictor.predict(chunk.views[predictor.view.name], domain=plan.domain)
    repeats: tuple[Repeat, ...] = ()
    if plan.scores and plan.intervals:
        with watch("intervals"):
            repeats = look_again(chunk.views[DRIVER_VIEW.name][0], models, domain=plan.domain)
        densities = replace(densities, variants=coarse_densities(repeats, densities["total"].shape))
    found = _scored(chunk, densities, repeats, plan, models, watch)
    if not search.scores:
        return found
    with watch("aois"):
        rgb = chunk.views[AOI_VIEW.name][0] if search.detects else None
        aois, problems = search.still(rgb)
        scores = score_still(aois, densities, plan.exposure_s, intervals=plan.intervals, model=plan.seen)
    brand = search.brand_among(aois)
    found = replace(found, aois=aois, aoi_scores=scores, problems=found.problems + problems, brand=brand)
    if not plan.advice or not aois:
        return found
    with watch("advice"):
        large = chunk.views[(AOI_VIEW if search.detects else DISPLAY_VIEW).name][0]
        suggestions = suggest(large, aois, scores, densities, PURPOSES, plan, models)
    return replace(found, suggestions=suggestions)


def _scored(
    chunk: Chunk, densities: Densities, repeats: tuple[Repeat, ...], plan: Plan, models: Models, watch: Stopwatch
) -> Findings:
    """The picture's own scores and its maps."""
    if not plan.scores and not plan.maps:
        return Findings(densities)
    problems: tuple[Problem, ...] = ()
    scores: tuple[Score, ...] = ()
    small = chunk.views[DRIVER_VIEW.name][0]
    with watch("drivers"):
        drivers = measure_drivers(small, models.appearance.look(small))
    with watch("scores"):
        scores = score_all(drivers, densities) if plan.scores else ()
    if repeats:
        with watch("intervals"):
            scales = built_in_scales().of_domain(densities.domain)
            varied = [score_all(one.drivers, one.densities) for one in repeats]
            scores = with_intervals(scores, scales, varied)
    novelty = share_of_nearer([(distance_of(drivers.appearance), 1.0)]) if plan.scores else None
    problems += unlike_training(novelty)
    if too_simple(drivers, built_in_scales()):
        problems += (_TOO_SIMPLE,)
    if not plan.pictures:
        return Findings(densities, scores, problems=problems, novelty=novelty)
    names = drawable(plan.pictures, densities)
    problems += tuple(not_drawn(name, models.still.name) for name in plan.pictures if name not in names)
    with watch("maps"):
        rgb = chunk.views[DISPLAY_VIEW.name][0]
        pictures = {"original": rgb, **render_maps(rgb, densities, local_maps(drivers, densities, names), names)}
    return Findings(densities, scores, pictures, problems, novelty=novelty)


def local_maps(drivers: Drivers, densities: Densities, names: tuple[str, ...]) -> dict[str, Float32]:
    """The local drivers of the metrics whose maps are among `names`."""
    makers = {
        "clarity_heat": lambda: clarity_map(drivers),
        "engagement_heat": lambda: engagement_map(drivers, densities),
        "cognitive_demand_heat": lambda: cognitive_demand_map(drivers),
    }
    return {name: makers[name]() for name in names if name in local_map_names()}
