"""Checks of one medium, outside a run."""

from __future__ import annotations

from mediaan.checks import evaluate_checks
from mediaan.checks.facts import AreaFacts, MediumFacts, Reading
from mediaan.rules.rule import FOUND_BY
from mediaan.types.aoi import AOI_TYPES, AoiLevel, AoiScore
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.checks import CheckResult
from mediaan.types.metrics import Score
from mediaan.types.result import Result
from mediaan.workflow.checks import OF_AREAS
from mediaan.workflow.medium_ranges import benchmark_ranges


def check_result(
    result: Result,
    purpose: str | None = None,
    *,
    brand: str | None = None,
    platform: str | None = None,
    level: AoiLevel = "all",
    drawn: bool = False,
) -> tuple[CheckResult, ...]:
    """Check one analysed medium against the benchmark that ships.

    Parameters
    ----------
    result : Result
        From `mediaan.analyze`.
    purpose : {'brand_building', 'conversion'} or None
        What it is for; without one, only what every ad needs is asked of it.
    brand, platform : str or None
        The brand that was named, and where the medium is shown.
    level : AoiLevel
        Which areas were looked for.
    drawn : bool
        Whether areas were drawn, so that what is not among them is not there.

    Returns
    -------
    tuple of CheckResult
        In the order of ``mediaan/checks/checks.toml``.
    """
    ranges = benchmark_ranges(result, {"purpose": purpose} if purpose else {})
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
    return evaluate_checks(MediumFacts(purpose, moves, areas, looked_for, scores, brand, platform))


def _reading(score: Score | AoiScore, found: BenchmarkRange | None) -> Reading:
    edges = found.edges if found is not None else ()
    without = found.reason if found is not None and not edges else None
    population = found.norm_set if found is not None and edges else ""
    return Reading(score.value, score.lo, score.hi, edges, population, score.unit, score.reason or without)
