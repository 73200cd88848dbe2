"""Check the media of a run against what ads of their purpose need."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import Any

from mediaan.checks import evaluate_checks
from mediaan.checks.specs import AreaFacts, MediumFacts, ScoreFact, check_specs
from mediaan.run import Run
from mediaan.run.aois.searches import types_looked_for
from mediaan.run.tables.reading import Cells, RowsByMedium, done_media
from mediaan.run.tables.writing import replace_table
from mediaan.types.checks import CheckResult

_COLUMNS = tuple(field.name for field in fields(CheckResult))
OF_AREAS = ("percentage_seen", "first_seen_s", "attention")
"""Metrics of areas that checks look at."""
_AREA = ["aoi_id", "type", "label", "confidence", "source", "text", "contrast_ratio", "legible", "t0_s"]
_SCORE = ["metric", "metric_time", "value", "lo", "hi", "unit", "reason"]
_RANGE = ["aoi_id", "metric", "metric_time", "edges", "norm_set", "reason"]


def write_checks(run: Run) -> None:
    """Check the media of a run, and put the results in the place of those that its table holds.

    Parameters
    ----------
    run : Run
        With its benchmark ranges written.
    """
    replace_table(run.path, "checks", _rows(run))


def _rows(run: Run) -> Iterator[dict[str, Any]]:
    seen: set[str] = set()
    names = {spec.metric for spec in check_specs() if spec.metric}
    looked_for = types_looked_for(run)
    with (
        RowsByMedium(run.path, "metrics", _SCORE) as metrics,
        RowsByMedium(run.path, "aois", _AREA) as aois,
        RowsByMedium(run.path, "aoi_scores", ["aoi_id", *_SCORE]) as aoi_scores,
        RowsByMedium(run.path, "benchmark_ranges", _RANGE) as ranges,
    ):
        for path, medium_id, kind in done_media(run.path):
            if medium_id in seen:
                continue
            seen.add(medium_id)
            objective = run.metadata.objective(path)
            edges = {
                (aoi_id, metric): (tuple(steps or ()), norm_set, reason)
                for aoi_id, metric, time, steps, norm_set, reason in ranges.of(medium_id)
                if time == "total" and (metric in names if aoi_id is None else metric in OF_AREAS)
            }
            scores = {
                row[0]: _of_row(row, edges.get((None, row[0])))
                for row in metrics.of(medium_id)
                if row[1] == "total" and row[0] in names
            }
            rows = aois.of(medium_id)
            areas = _areas(rows, aoi_scores.of(medium_id), edges)
            brand, platform = (objective.get("brand") or {}).get("name"), objective.get("platform")
            sources = frozenset(row[4] for row in rows)
            purpose, known = objective.get("purpose"), looked_for(sources)
            facts = MediumFacts(purpose, kind != "image", areas, known, scores, brand, platform)
            for check in evaluate_checks(facts):
                yield {"medium_id": medium_id, "sure": check.sure} | {name: getattr(check, name) for name in _COLUMNS}


_Edges = Mapping[tuple[str | None, str], tuple[tuple[float, ...], str, str | None]]


def _areas(rows: Iterable[Cells], scores: Iterable[Cells], edges: _Edges) -> tuple[AreaFacts, ...]:
    by_area: dict[str, dict[str, ScoreFact]] = {}
    for aoi_id, *row in scores:
        if row[1] == "total" and row[0] in OF_AREAS:
            by_area.setdefault(aoi_id, {})[row[0]] = _of_row(tuple(row), edges.get((aoi_id, row[0])))
    return tuple(
        AreaFacts(aoi_id, aoi_type, label, confidence, by_area.get(aoi_id, {}), text, contrast, legible, t0_s)
        for aoi_id, aoi_type, label, confidence, _, text, contrast, legible, t0_s in rows
    )


def _of_row(row: Cells, found: tuple[tuple[float, ...], str, str | None] | None) -> ScoreFact:
    _, _, value, lo, hi, unit, reason = row
    edges, norm_set, without = found or ((), "", None)
    return ScoreFact(value, lo, hi, edges, norm_set if edges else "", unit, reason or (None if edges else without))
