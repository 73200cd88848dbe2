"""Write results for an assistant: numbers with their units, intervals and evidence, and no more than it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mediaan.metrics.guide import GRADES_TEXT, agreement
from mediaan.placements.placed import PlacedMedium
from mediaan.studies.compare.result import CompareResult
from mediaan.types.aoi import Aoi
from mediaan.types.edits import WhatIf
from mediaan.types.metrics import Score
from mediaan.types.result import Result

READING = (
    "Numbers are predictions of where people look, not of sales. lo and hi bound a 90 % interval; repeatability is how "
    "far a score moves when the image is mirrored, cropped or resized. evidence grades how well a score agreed with "
    f"people, by rank correlation r: {GRADES_TEXT}; null: not compared with people."
)
_AREA_METRICS = ("attention", "percentage_seen", "time_spent", "first_seen_s")
_DIGITS = 3


def analysis(result: Result, name: str) -> dict[str, Any]:
    """Return what is known of a medium, without its scores over time."""
    medium = result.medium
    return _rounded(
        {
            "file": name,
            "type": medium.kind,
            "size_px": [medium.width, medium.height],
            "duration_s": medium.duration_s,
            "domain": result.domain,
            "verdict": result.verdict,
            "checks": [
                {"name": c.name, "status": c.status, "required": c.required, "text": c.text, "todo": c.todo}
                for c in result.checks
            ],
            "scores": [_score(result, score) for score in result.scores if score is result[score.metric]],
            "areas": [_area(result, aoi) for aoi in _by_attention(result.aois or ())],
            "folds": [{"fold": f.fold, "viewers_%": f.viewers, "attention_%": f.attention} for f in result.folds],
            "suggestions": [suggestion.text for suggestion in result.suggestions],
            "problems": [problem.message for problem in result.problems],
            "reading": READING,
        }
    )


def comparison(result: CompareResult, names: dict[str, str]) -> dict[str, Any]:
    """Return which medium leads, and each score with its difference; `names` are what files are called, by path."""
    plain = result.to_dict()
    kept = {key: plain[key] for key in ("summary", "notes", "leader", "rankings")}
    rows = [row for row in plain["comparisons"] if row["headline"] or row["better"] or row["lean"]]
    told = [row | {"evidence": _grade(row["metric"], None)} for row in rows]
    content = {"files": plain["names"], **kept, "comparisons": told}
    return _rounded({**_named(content, names), "reading": READING})


def whatif_changes(result: WhatIf, name: str) -> dict[str, Any]:
    """Return what edits change, clear changes of areas only."""
    plain = result.to_dict()
    areas = [
        {"type": aoi["type"], "label": aoi["label"], "removed": aoi["removed"], "changes": told}
        for aoi in plain["aois"]
        if (
            told := {
                metric: times["total"]
                for metric, times in aoi["scores"].items()
                if times.get("total", {}).get("verdict") in ("rises", "falls")
            }
        )
        or aoi["removed"]
    ]
    scores = {metric: change | {"evidence": _grade(metric, None)} for metric, change in plain["metrics"].items()}
    kept = {"edits": [str(edit) for edit, _ in result.edits], "lost": plain["lost"], "scores": scores, "areas": areas}
    problems = [problem.message for problem in result.problems]
    return _rounded({"file": name, **kept, "problems": problems, "reading": READING})


def placing(placed: Sequence[PlacedMedium], name: str) -> dict[str, Any]:
    """Return how placements show a medium."""
    units = "cropped, covered and hidden_time in %; shown in CSS px, mm and degrees of vision"
    media = [medium.to_dict() for medium in placed]
    for area in (area for medium in media for area in medium["areas"]):
        area["scores"] = {metric: s | {"evidence": _grade(metric, None)} for metric, s in area["scores"].items()}
    return _rounded({"file": name, "units": units, "placements": media, "reading": READING})


def _score(result: Result, score: Score) -> dict[str, Any]:
    position = result.range(score.metric, time=score.time)
    plain = {key: getattr(score, key) for key in ("metric", "value", "unit", "lo", "hi", "basis", "reason")}
    return plain | {
        "repeatability": result.repeatability(score),
        "benchmark_category": position.category if position else None,
        "evidence": _grade(score.metric, result.domain, still=not result.moves),
    }


def _area(result: Result, aoi: Aoi) -> dict[str, Any]:
    scores = {
        score.metric: {key: getattr(score, key) for key in ("value", "lo", "hi", "unit")}
        | {"evidence": _grade(score.metric, result.domain, still=not result.moves)}
        for score in aoi.scores
        if score.metric in _AREA_METRICS and score.time == "total"
    }
    facts = {"id": str(aoi.aoi_id), "type": aoi.type, "label": aoi.label, "box": list(aoi.box)}
    return facts | {"confidence": aoi.confidence, "scores": scores}


def _by_attention(aois: tuple[Aoi, ...]) -> list[Aoi]:
    def attention(aoi: Aoi) -> float:
        values = [score.value for score in aoi.scores if (score.metric, score.time) == ("attention", "total")]
        return max((value for value in values if value is not None), default=0.0)

    return sorted(aois, key=attention, reverse=True)


def _grade(metric: str, domain: str | None, *, still: bool = True) -> str | None:
    compared = agreement(metric, domain) if still else None
    return compared.text if compared else None


def _rounded(facts: dict[str, Any]) -> dict[str, Any]:
    """Round numbers to what is read."""
    return {key: _round(value) for key, value in facts.items()}


def _round(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    if isinstance(value, dict):
        return _rounded(value)
    return [_round(part) for part in value] if isinstance(value, (list, tuple)) else value


def _named(value: Any, names: dict[str, str]) -> Any:
    """Call files what the assistant calls them."""
    if isinstance(value, str):
        for path, name in names.items():
            value = value.replace(path, name)
        return value
    if isinstance(value, dict):
        return {_named(key, names): _named(part, names) for key, part in value.items()}
    return [_named(part, names) for part in value] if isinstance(value, (list, tuple)) else value
