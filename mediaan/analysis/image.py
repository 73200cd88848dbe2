"""Analyze a still image: attention, scores, intervals, areas of interest, suggestions and maps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from PIL import Image

from mediaan import advice
from mediaan.advice import PURPOSES
from mediaan.analysis.aoi_detection import AoiDetector
from mediaan.analysis.augmentation import AUGMENTATIONS, AugmentedMeasurement, coarse_densities, measure_augmented
from mediaan.analysis.models import Models
from mediaan.analysis.plan import AOI_VIEW, DISPLAY_VIEW, Plan
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.maps import local_map_names, map_spec, render_maps
from mediaan.media import resize, view_size
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
from mediaan.metrics.novelty import NOVELTY_THRESHOLD, novelty_model
from mediaan.types.aoi import Aoi, AoiScore, BrandSearch
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.densities import Appearance, Densities
from mediaan.types.edits import Suggestion
from mediaan.types.media import Chunk, Problem, ViewSpec
from mediaan.types.metrics import FrameScores, Scene, Score


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything about a medium but what its file says; fields as in `Result`, which says `brand_found` for `brand`."""

    densities: Densities
    scores: tuple[Score, ...] = ()
    pictures: Mapping[str, UInt8] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    frames: tuple[FrameScores, ...] = ()
    scenes: tuple[Scene, ...] = ()
    videos: Mapping[str, Path] = field(default_factory=dict)
    aois: tuple[Aoi, ...] | None = None
    aoi_scores: tuple[AoiScore, ...] = ()
    series: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)
    novelty: float | None = None
    brand: BrandSearch | None = None
    suggestions: tuple[Suggestion, ...] = ()


class StageTimer:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time that the block takes to `stage`."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began


def available_maps(names: tuple[str, ...], densities: Densities) -> tuple[str, ...]:
    """Those of the maps that can be drawn from the windows that there are."""
    return tuple(name for name in names if map_spec(name).window in (None, *densities.maps))


def missing_map_problem(name: str, model: str) -> Problem:
    """Why a map is missing."""
    return Problem("map_not_drawn", f"{name} was not drawn: model {model} predicts no {map_spec(name).window} window")


def novelty_distance(appearance: Appearance) -> float:
    """How far from its nearest kind of training pictures one picture lies."""
    return novelty_model().distance(appearance.features)


def novelty_share(seen: Iterable[tuple[float, float]]) -> float | None:
    """Share of training pictures that lie nearer to their own kind than a medium does, 0-1.

    Parameters
    ----------
    seen : iterable of (float, float)
        `distance_of` what was seen of the medium, and for how long it counts, s; distances are averaged. None if
        nothing counts.
    """
    total = seconds = 0.0
    for distance, weight in seen:
        total += distance * weight
        seconds += weight
    return novelty_model().share(total / seconds) if seconds > 0 else None


def novelty_problem(novelty: float | None) -> tuple[Problem, ...]:
    """The warning that such a medium gets, if it is due."""
    if novelty is None or novelty <= NOVELTY_THRESHOLD:
        return ()
    message = (
        f"the medium is unlike what the models have learned from: {novelty:.1%} of the training pictures lie nearer to "
        "their own kind; take its predictions and scores with caution"
    )
    return (Problem("unlike_training", message),)


def suggest_edits(
    rgb: UInt8,
    aois: Sequence[Aoi],
    scores: Sequence[AoiScore],
    densities: Densities,
    purposes: Sequence[str | None],
    plan: Plan,
    models: Models,
) -> tuple[Suggestion, ...]:
    """Try edits of a picture and keep those that are predicted to help; see `mediaan.advice.suggest`.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        In the view of AOIs: at most 1024 px on the long side.
    aois : sequence of Aoi
    scores : sequence of AoiScore
    densities : Densities
        Of the picture.
    purposes : sequence of {'brand_building', 'conversion', None}
        Each is answered.
    plan : Plan
        Its exposure, viewers and domain.
    models : Models
        Both pictures are looked at as the frames of videos are: what differs between them shows there as well.

    Returns
    -------
    tuple of Suggestion
    """
    predictor, shape = models.frames, (densities["total"].shape[0], densities["total"].shape[1])

    def look(pictures: Sequence[UInt8], view: int) -> list[Densities]:
        variant = AUGMENTATIONS[view - 1] if view else None
        small = [_resize_to_view(picture, DRIVER_VIEW) for picture in pictures]
        shown = [variant.apply(picture) for picture in small] if variant else small
        frames = np.stack([_resize_to_view(picture, predictor.view) for picture in shown])
        found = predictor.predict(frames, domain=plan.domain)
        if variant is None:
            return found
        return [Densities({window: variant.restore(one, shape) for window, one in each.maps.items()}) for each in found]

    return advice.suggest(
        rgb,
        aois,
        scores,
        densities,
        look,
        1 + len(AUGMENTATIONS),
        purposes=purposes,
        exposure_s=plan.exposure_s,
        model=plan.seen,
    )


def _resize_to_view(rgb: UInt8, view: ViewSpec) -> UInt8:
    return np.asarray(resize(Image.fromarray(rgb), view_size(rgb.shape[1], rgb.shape[0], view)), np.uint8)


_TOO_SIMPLE = Problem(
    "too_simple", "the picture shows next to nothing: its clarity says little, there is hardly a message to take in"
)


def analyze_image(chunk: Chunk, plan: Plan, models: Models, watch: StageTimer, search: AoiDetector) -> Findings:
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
    repeats: tuple[AugmentedMeasurement, ...] = ()
    if plan.scores and plan.wants_intervals:
        with watch("intervals"):
            repeats = measure_augmented(chunk.views[DRIVER_VIEW.name][0], models, domain=plan.domain)
        densities = replace(densities, variants=coarse_densities(repeats, densities["total"].shape))
    found = _score_image(chunk, densities, repeats, plan, models, watch)
    if not search.scores:
        return found
    with watch("aois"):
        rgb = chunk.views[AOI_VIEW.name][0] if search.detects else None
        aois, problems = search.still(rgb)
        scores = score_still(aois, densities, plan.exposure_s, intervals=plan.wants_intervals, model=plan.seen)
    brand = search.brand_among(aois)
    found = replace(found, aois=aois, aoi_scores=scores, problems=found.problems + problems, brand=brand)
    if not plan.wants_advice or not aois:
        return found
    with watch("advice"):
        large = chunk.views[(AOI_VIEW if search.detects else DISPLAY_VIEW).name][0]
        suggestions = suggest_edits(large, aois, scores, densities, PURPOSES, plan, models)
    return replace(found, suggestions=suggestions)


def _score_image(
    chunk: Chunk,
    densities: Densities,
    repeats: tuple[AugmentedMeasurement, ...],
    plan: Plan,
    models: Models,
    watch: StageTimer,
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
    novelty = novelty_share([(novelty_distance(drivers.appearance), 1.0)]) if plan.scores else None
    problems += novelty_problem(novelty)
    if too_simple(drivers, built_in_scales()):
        problems += (_TOO_SIMPLE,)
    if not plan.pictures:
        return Findings(densities, scores, problems=problems, novelty=novelty)
    names = available_maps(plan.pictures, densities)
    problems += tuple(missing_map_problem(name, models.still.name) for name in plan.pictures if name not in names)
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
