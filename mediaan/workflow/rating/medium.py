"""Rate and check one medium outside a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mediaan.config import Objective
from mediaan.config.objectives.objective import read_objective
from mediaan.config.objectives.targets import Targets
from mediaan.errors import UsageError
from mediaan.judge.benchmark.ranges import rate_scores
from mediaan.judge.checks import evaluate_checks
from mediaan.judge.verdict import verdict_of
from mediaan.types.arguments import check_type
from mediaan.types.benchmark import BenchmarkRange, Category
from mediaan.types.result import Result
from mediaan.workflow.rating.populations import AUTO, NONE, Standards, measured_scores, populations_of_one


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
    facts = read_objective(objective or {}).model_dump(mode="json", exclude_none=True)
    return _ranges(result, facts, str(norms), despite, own_targets)


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
    return list(rate_scores(measured_scores(result), standards.of))


def with_checks(result: Result, choice: str = AUTO, despite: str = "") -> Result:
    """Rate and check a result by what its objective says the medium is for.

    `result`: with its objective, and what was looked for.
    `choice`, `despite`: norm set, as of `benchmark_ranges`; ``none`` compares with nothing.
    Returns: with its ranges, checks and verdict, and the suggestions for its purpose.
    """
    ranges = () if choice == NONE else tuple(_ranges(result, result.objective, choice, despite, {}))
    checks = evaluate_checks(replace(result, ranges=ranges))
    purpose = result.objective.get("purpose")
    suggestions = tuple(suggestion for suggestion in result.suggestions if suggestion.purpose == purpose)
    return replace(result, ranges=ranges, checks=checks, verdict=verdict_of(checks), suggestions=suggestions)
