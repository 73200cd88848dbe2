"""What the analysis of an open medium finds, and the time it takes."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy.typing as npt

from mediaan.maps import map_spec
from mediaan.types.aoi import Aoi, AoiScore
from mediaan.types.arrays import UInt8
from mediaan.types.brand_search import BrandSearch
from mediaan.types.maps import Densities
from mediaan.types.metrics import Score
from mediaan.types.outcome import Problem
from mediaan.types.suggestion import Suggestion
from mediaan.types.timeline import FrameScores, Scene


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


def drawable(names: tuple[str, ...], densities: Densities) -> tuple[str, ...]:
    """Those of the maps that can be drawn from the windows that there are."""
    return tuple(name for name in names if map_spec(name).window in (None, *densities.maps))


def not_drawn(name: str, model: str) -> Problem:
    """Why a map is missing."""
    return Problem("map_not_drawn", f"{name} was not drawn: model {model} predicts no {map_spec(name).window} window")
