"""Checks of one medium, outside a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mediaan.checks import evaluate_checks, verdict_of
from mediaan.checks.facts import AreaFacts, MediumFacts, Reading
from mediaan.rules.rule import FOUND_BY
from mediaan.run.objectives import objective_of
from mediaan.types.aoi import AOI_TYPES, AoiLevel, AoiScore
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckResult
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.checks import OF_AREAS
from mediaan.workflow.medium_ranges import benchmark_ranges
from mediaan.workflow.population_choice import AUTO, NONE


def checked(result: Result, choice: str = AUTO, despite: str = "") -> Result:
    """Check a medium that a run has analysed, for its objective.

    Parameters
    ----------
    result : Result
        `measured_with` holds the facts of the run.
    choice, despite : str
        Norm set of the run, as `load_populations` takes it.

    Returns
    -------
    Result
        With its checks, its verdict, and the suggestions for its purpose; as `mediaan.analyze` gives it.
    """
    facts = result.measured_with
    objective = objective_of(facts, result.path)
    level = facts["recipe"]["aois"]
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
    """Check one analysed medium against a benchmark.

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
    ranges = [] if norms == NONE else benchmark_ranges(result, objective, norms=norms, despite=despite)
    standing = {(row.aoi_id, row.metric): row for row in ranges if row.metric_time == "total"}
    scores = {
        score.metric: _reading(score, standing.get((None, score.metric)))
        for score in result.scores
        if score.time == "total"
    }
    by_area: dict[str, dict[str, Reading]] = {}
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
            readings=by_area.get(str(aoi.aoi_id), {}),
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


def _reading(score: Score | AoiScore, found: BenchmarkRange | None) -> Reading:
    edges = found.edges if found is not None else ()
    without = found.reason if found is not None and not edges else None
    population = found.norm_set if found is not None and edges else ""
    return Reading(score.value, score.lo, score.hi, edges, population, score.unit, score.reason or without)
