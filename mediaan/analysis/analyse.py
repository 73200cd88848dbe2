"""One file to its result: open, predict, measure, score, render."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from mediaan.analysis.plan import DISPLAY_VIEW, Plan
from mediaan.maps import local_map_names, map_spec, render_maps
from mediaan.media import open_picture
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
)
from mediaan.predictors import AttentionPredictor
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.maps import Densities
from mediaan.types.metrics import Score
from mediaan.types.outcome import Problem
from mediaan.types.result import Result

_TOO_SIMPLE = Problem(
    "too_simple", "the picture shows next to nothing: its clarity says little, there is hardly a message to take in"
)


class Stopwatch:
    """Seconds by stage."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, stage: str) -> Iterator[None]:
        """Add the time that the block takes to `stage`."""
        began = time.perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - began


def analyse(path: Path, plan: Plan, predictor: AttentionPredictor, *, shown: str | None = None) -> Result:
    """Analyse one picture.

    Parameters
    ----------
    path : Path
    plan : Plan
    predictor : AttentionPredictor
    shown : str, optional
        The path as users shall see it; defaults to `path`.

    Returns
    -------
    Result

    Raises
    ------
    MediumError
        The file is bad.
    SetupError, AnalysisError
        The model cannot run, or fails on this picture.
    """
    watch = Stopwatch()
    with watch("open"):
        opened = open_picture(
            path, plan.views(predictor.view), max_megapixels=plan.max_megapixels, exposure_s=plan.exposure_s
        )
        (chunk,) = opened.chunks
    with watch("attention"):
        (densities,) = predictor.predict(chunk.views[predictor.view.name])
    scores: tuple[Score, ...] = ()
    pictures: dict[str, UInt8] = {}
    problems = opened.problems
    if plan.scores or plan.maps:
        with watch("drivers"):
            drivers = measure_drivers(chunk.views[DRIVER_VIEW.name][0])
        with watch("scores"):
            scores = score_all(drivers, densities) if plan.scores else ()
        if too_simple(drivers, built_in_scales()):
            problems += (_TOO_SIMPLE,)
    if plan.maps:
        drawable = tuple(name for name in plan.maps if map_spec(name).window in (None, *densities.maps))
        problems += tuple(_not_drawn(name, predictor.name) for name in plan.maps if name not in drawable)
        with watch("maps"):
            pictures = _render(chunk.views[DISPLAY_VIEW.name][0], drivers, densities, drawable)
    return Result(
        path=shown or str(path),
        medium=opened.medium,
        scores=scores,
        densities=densities,
        pictures=pictures,
        problems=problems,
        size_bytes=opened.size_bytes,
        stages=watch.seconds,
    )


def _not_drawn(name: str, model: str) -> Problem:
    return Problem("map_not_drawn", f"{name} was not drawn: model {model} predicts no {map_spec(name).window} window")


def _render(rgb: UInt8, drivers: Drivers, densities: Densities, names: tuple[str, ...]) -> dict[str, UInt8]:
    makers = {
        "clarity_heat": lambda: clarity_map(drivers),
        "engagement_heat": lambda: engagement_map(drivers, densities),
        "cognitive_demand_heat": lambda: cognitive_demand_map(drivers),
    }
    local: dict[str, Float32] = {name: makers[name]() for name in names if name in local_map_names()}
    return {"original": rgb, **render_maps(rgb, densities, local, names)}
