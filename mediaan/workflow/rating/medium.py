"""Rate and check one medium outside a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mediaan.benchmark.ranges import MeasuredScore, rate_scores
from mediaan.checks import evaluate_checks, verdict_of
from mediaan.checks.specs import AreaFacts, MediumFacts, ScoreFact
from mediaan.config import Objective
from mediaan.config.objectives.file import Targets
from mediaan.config.objectives.objective import read_objective
from mediaan.errors import UsageError
from mediaan.run.metadata import RunMetadata
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, AoiLevel, AoiScore
from mediaan.types.arguments import check_type
from mediaan.types.benchmark import BenchmarkRange, Category
from mediaan.types.checks import CheckResult
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.rating.checks import OF_AREAS
from mediaan.workflow.rating.populations import AUTO, NONE, populations_of_one
from mediaan.workflow.rating.ranges import Standards


def benchmark_ranges(
    result: Result,
    objective: Objective | Mapping[str, Any] | None = None,
    *,
    norms: str | Path = AUTO,
    despite: str = "",
    targets: Mapping[str, Category | Sequence[Category]] | None = None,
) -> list[BenchmarkRange]:
    """Say where the scores of an analyzed medium, and of its AOIs, stand in their population.

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
    check_type(result, Result, "result")
    try:
        own_targets = TypeAdapter(Targets).validate_python(dict(targets or {}))
    except ValidationError as error:
        complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        raise UsageError(complaints, code="config_invalid") from error
    said = read_objective(objective or {}).model_dump(mode="json", exclude_none=True)
    return _ranges(result, said, str(norms), despite, own_targets)


def _ranges(
    result: Result,
    objective: Mapping[str, Any],
    norms: str,
    despite: str,
    targets: Mapping[str, Sequence[Category]],
) -> list[BenchmarkRange]:
    """Rate all scores; the words of the objective are known to be valid, or a file's own."""
    if not result.measured_with:
        raise UsageError(
            f"{result.path}: the result does not say what it was measured with; get it from mediaan.analyze",
            code="unknown_yardstick",
        )
    standards = Standards(populations_of_one(result, objective, norms, despite), targets)
    medium_id = str(result.medium.medium_id)
    types = {aoi.aoi_id: aoi.type for aoi in result.aois or ()}
    of_medium: list[tuple[str | None, str | None, Score | AoiScore]] = [(None, None, one) for one in result.scores]
    of_aois = [(str(one.aoi_id), types[one.aoi_id], one) for one in result.aoi_scores]
    measured = (
        MeasuredScore(medium_id, aoi_id, aoi_type, one.metric, one.time, one.value, one.lo, one.hi, one.reason)
        for aoi_id, aoi_type, one in (*of_medium, *of_aois)
    )
    return list(rate_scores(measured, standards.of))


def with_checks(result: Result, choice: str = AUTO, despite: str = "") -> Result:
    """Check a medium that a run has analyzed, for its objective.

    Parameters
    ----------
    result : Result
        `measured_with` holds the metadata of the run.
    choice, despite : str
        Norm set of the run, as `load_populations` takes it.

    Returns
    -------
    Result
        With its checks, its verdict, and the suggestions for its purpose; as `mediaan.analyze` gives it.
    """
    metadata = RunMetadata.parse(result.measured_with)
    objective, level = metadata.objective(result.path), metadata.recipe.aois
    drawn = any(aoi.source == "drawn" for aoi in result.aois or ())
    found = check_result(result, objective, level=level, drawn=drawn, norms=choice, despite=despite)
    kept = tuple(one for one in result.suggestions if one.purpose == objective.get("purpose"))
    return replace(result, checks=found, verdict=verdict_of(found), suggestions=kept)


def check_result(
    result: Result,
    objective: Mapping[str, Any],
    *,
    brand: str | None = None,
    level: AoiLevel = "all",
    drawn: bool = False,
    norms: str = AUTO,
    despite: str = "",
) -> tuple[CheckResult, ...]:
    """Check one analyzed medium against a benchmark.

    Parameters
    ----------
    result : Result
        From `mediaan.analyze`.
    objective : mapping
        What it is for, such as ``{"purpose": "conversion"}``; without a purpose, only what every ad needs is asked.
    brand : str or None
        The brand that was named, where the objective names none.
    level : AoiLevel
        Which areas were looked for.
    drawn : bool
        Whether areas were drawn, so that what is not among them is not there.
    norms, despite : str
        As of `benchmark_ranges`; ``none`` compares with nothing.

    Returns
    -------
    tuple of CheckResult
        In the order of ``mediaan/checks/checks.toml``.
    """
    ranges = [] if norms == NONE else _ranges(result, objective, norms, despite, {})
    standing = {(row.aoi_id, row.metric): row for row in ranges if row.metric_time == "total"}
    scores = {
        score.metric: _reading(score, standing.get((None, score.metric)))
        for score in result.scores
        if score.time == "total"
    }
    by_area: dict[str, dict[str, ScoreFact]] = {}
    for of_area in result.aoi_scores:
        if of_area.time == "total" and of_area.metric in OF_AREAS:
            aoi_id = str(of_area.aoi_id)
            by_area.setdefault(aoi_id, {})[of_area.metric] = _reading(of_area, standing.get((aoi_id, of_area.metric)))
    areas = tuple(
        AreaFacts(
            aoi_id=str(aoi.aoi_id),
            type=aoi.type,
            label=aoi.label,
            confidence=aoi.confidence,
            scores=by_area.get(str(aoi.aoi_id), {}),
            words=aoi.text.transcription if aoi.text else None,
            contrast=aoi.text.contrast_ratio if aoi.text else None,
            legible=aoi.text.legible if aoi.text else None,
            t0_s=aoi.t0_s,
        )
        for aoi in result.aois or ()
    )
    looked_for = (
        frozenset[str](AOI_TYPES) if drawn else frozenset[str](FOUND_BY["none" if result.aois is None else level])
    )
    moves = result.medium.kind != "image"
    named = (objective.get("brand") or {}).get("name") or brand
    platform, purpose = objective.get("platform"), objective.get("purpose")
    return evaluate_checks(MediumFacts(purpose, moves, areas, looked_for, scores, named, platform))


def _reading(score: Score | AoiScore, found: BenchmarkRange | None) -> ScoreFact:
    edges = found.edges if found is not None else ()
    without = found.reason if found is not None and not edges else None
    population = found.norm_set if found is not None and edges else ""
    return ScoreFact(score.value, score.lo, score.hi, edges, population, score.unit, score.reason or without)
