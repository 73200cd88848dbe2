"""Results with chosen scores and areas, and comparisons, for tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import count
from typing import Any
from uuid import UUID

from mediaan.studies.compare.differences import Comparison, Estimate
from mediaan.types.aoi import Aoi, AoiType, Box
from mediaan.types.densities import Densities, Window
from mediaan.types.media import Medium
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.populations import METRIC_SPECS

Estimates = Mapping[tuple[str, Window], Estimate]
"""By metric and time."""

_numbers = count(1)


def area_of(aoi_type: AoiType, label: str, estimates: Estimates, aoi_id: UUID | None = None) -> Aoi:
    aoi_id = aoi_id or UUID(int=next(_numbers))
    return Aoi(aoi_id, aoi_type, label, Box(0, 0, 1, 1), None, "drawn", scores=_scores(estimates))


def result_of(name: str, estimates: Estimates, *areas: Aoi, looked_for: Collection[AoiType] = ()) -> Result:
    medium = Medium(UUID(int=next(_numbers)), name, "image", 96, 96, "png")
    scores = _scores(estimates)
    return Result(name, medium, scores, Densities({}), aois=areas, looked_for=frozenset(looked_for))


def _scores(estimates: Estimates) -> tuple[Score, ...]:
    return tuple(
        Score.of(METRIC_SPECS[metric], score.value, (score.lo, score.hi), time=time, reason=score.reason)
        for (metric, time), score in estimates.items()
    )


def comparison_of(metric: str, difference: float | None, **facts: Any) -> Comparison:
    sides: dict[str, Any] = {"a": "a", "b": "b", "value_a": 1.0, "value_b": 1.0, "n_a": 1, "n_b": 1}
    of_score = {"aoi_type": None, "aoi_label": None, "metric": metric, "metric_time": "total", "unit": "score"}
    return Comparison(value=difference, **(sides | of_score | facts))
