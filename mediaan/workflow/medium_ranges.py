"""Where the scores of one medium stand, outside a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mediaan.benchmark.ranges import Measured, rate
from mediaan.config import Objective
from mediaan.config.targets import Targets
from mediaan.errors import UsageError
from mediaan.types.benchmark import BenchmarkRange, Category
from mediaan.types.result import Result
from mediaan.workflow.population_choice import AUTO
from mediaan.workflow.populations import populations_of_one
from mediaan.workflow.ranges import Standards


def benchmark_ranges(
    result: Result,
    objective: Objective | Mapping[str, Any] | None = None,
    *,
    norms: str | Path = AUTO,
    despite: str = "",
    targets: Mapping[str, Category | Sequence[Category]] | None = None,
) -> list[BenchmarkRange]:
    """Say where the scores of an analysed medium, and of its AOIs, stand in their population.

    Parameters
    ----------
    result : Result
        From `mediaan.analyze`.
    objective : Objective or mapping, optional
        What the medium is for, such as ``{"purpose": "conversion", "industry": "food"}``.
    norms : str or Path
        `auto` takes the norm set that ships and is meant for what the objective says; or the name or file of one.
    despite : str
        Why a norm set may be used although its scores were measured otherwise.
    targets : mapping of str to categories, optional
        Targets of your own, as in an objectives file: ``{"branding.percentage_seen": ["high", "extreme_high"]}``.

    Returns
    -------
    list of BenchmarkRange
        Scores of the medium, then those of its AOIs; those without a population say why.

    Raises
    ------
    UsageError
        No such norm set, one that was named does not fit (code norms_mismatch), an objective or target that cannot be,
        or a result that does not say what it was measured with.
    """
    if not result.measured_with:
        raise UsageError(
            f"{result.path}: the result does not say what it was measured with; get it from mediaan.analyze",
            code="unknown_yardstick",
        )
    said = _checked(TypeAdapter(Objective), objective or {}).model_dump(mode="json", exclude_none=True)
    populations = populations_of_one(result, said, str(norms), despite)
    standards = Standards(populations, _checked(TypeAdapter(Targets), dict(targets or {})))
    return list(rate(_measured(result), standards.of))


def _measured(result: Result) -> Iterator[Measured]:
    medium_id = str(result.medium.medium_id)
    for score in result.scores:
        yield Measured(medium_id, None, None, score.metric, score.time, score.value, score.lo, score.hi, score.reason)
    types = {aoi.aoi_id: aoi.type for aoi in result.aois or ()}
    for of_aoi in result.aoi_scores:
        known = (of_aoi.metric, of_aoi.time, of_aoi.value, of_aoi.lo, of_aoi.hi, of_aoi.reason)
        yield Measured(medium_id, str(of_aoi.aoi_id), types[of_aoi.aoi_id], *known)


def _checked(adapter: TypeAdapter[Any], value: Any) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(complaints, code="config_invalid") from error
