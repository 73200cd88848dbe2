"""Convert results to rows of tables, and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.metrics.drivers.specs import DRIVER_SPECS
from mediaan.run.tables.schema import FRAME_COLUMNS, SCENE_METRICS, SCREEN_METRICS
from mediaan.types.aoi import Aoi, AoiType, Box, Candidate, Sighting, TextFacts
from mediaan.types.edits import Edit, Suggestion
from mediaan.types.media import Problem
from mediaan.types.metrics import Basis, Contribution, Fold, FrameScores, Scene, Score
from mediaan.types.result import Failed, Outcome, Result
from mediaan.types.scanpath import AoiLook, OrderOfLooks, PathFixation

Row = dict[str, Any]
Columns = dict[str, list[Any]]
"""Rows of one table, column by column, all of one length."""

_AOI_BASES: Mapping[str, Basis] = {spec.name: spec.basis for spec in AOI_METRICS}


def aoi_row(medium_id: UUID, aoi: Aoi) -> Row:
    """Return a row of the table ``aois``."""
    text = aoi.text
    return {
        "medium_id": str(medium_id),
        "aoi_id": str(aoi.aoi_id),
        "type": aoi.type,
        "label": aoi.label,
        "source": aoi.source,
        "method": aoi.method,
        "confidence": aoi.confidence,
        **aoi.box._asdict(),
        "polygon": None if aoi.polygon is None else [list(point) for point in aoi.polygon],
        "t0_s": aoi.t0_s,
        "t1_s": aoi.t1_s,
        "text": text.transcription if text else None,
        "line_height_pct": text.line_height_pct if text else None,
        "contrast_ratio": text.contrast_ratio if text else None,
        "legible": text.legible if text else None,
    }


def track_rows(medium_id: UUID, aoi: Aoi) -> Iterator[Row]:
    """Yield rows of the table ``aoi_tracks``."""
    for sighting in aoi.track:
        yield {
            "medium_id": str(medium_id),
            "aoi_id": str(aoi.aoi_id),
            "t_s": sighting.t_s,
            **sighting.box._asdict(),
            "confidence": sighting.confidence,
        }


def score_rows(medium_id: UUID, aoi: Aoi) -> Iterator[Row]:
    """Yield rows of the table ``aoi_scores``."""
    for score in aoi.scores:
        yield {
            "medium_id": str(medium_id),
            "aoi_id": str(aoi.aoi_id),
            "metric": score.metric,
            "metric_time": score.time,
            "value": score.value,
            "lo": score.lo,
            "hi": score.hi,
            "unit": score.unit,
            "reason": score.reason,
        }


def aois_of(
    rows: Iterable[Mapping[str, Any]],
    tracks: Iterable[Mapping[str, Any]] = (),
    scores: Iterable[Mapping[str, Any]] = (),
) -> Iterator[Aoi]:
    """Yield AOIs from rows of the tables ``aois``, ``aoi_tracks`` and ``aoi_scores``."""
    sightings: dict[str, list[Sighting]] = {}
    for row in tracks:
        sightings.setdefault(row["aoi_id"], []).append(Sighting(row["t_s"], _box(row), row["confidence"]))
    of_aoi: dict[str, list[Score]] = {}
    for row in scores:
        basis = _AOI_BASES.get(row["metric"], "measured")  # of a metric of another version
        of_aoi.setdefault(row["aoi_id"], []).append(score_of(row, basis))
    for row in rows:
        text = None
        if row["line_height_pct"] is not None:
            text = TextFacts(row["text"], row["line_height_pct"], row["contrast_ratio"], row["legible"])
        yield Aoi(
            aoi_id=UUID(row["aoi_id"]),
            type=row["type"],
            label=row["label"],
            box=_box(row),
            confidence=row["confidence"],
            method=row["method"],
            polygon=None if row["polygon"] is None else tuple((x, y) for x, y in row["polygon"]),
            text=text,
            t0_s=row["t0_s"],
            t1_s=row["t1_s"],
            track=tuple(sightings.get(row["aoi_id"], ())),
            scores=tuple(of_aoi.get(row["aoi_id"], ())),
            confirmed=row["source"] == "confirmed",
        )


def score_of(row: Mapping[str, Any], basis: Basis, drivers: Iterable[Mapping[str, Any]] = ()) -> Score:
    """Return the score of a row of the table ``metrics`` or ``aoi_scores``, with its rows of ``drivers``."""
    return Score(
        row["value"],
        row["lo"],
        row["hi"],
        metric=row["metric"],
        time=row["metric_time"],
        basis=basis,
        unit=row["unit"],
        reason=row["reason"],
        drivers=tuple(
            Contribution(
                driver["driver"], driver["value"], _driver_unit(driver["driver"]), driver["points"], driver["text"]
            )
            for driver in drivers
        ),
    )


def _driver_unit(name: str) -> str:
    spec = DRIVER_SPECS.get(name)
    return spec.unit if spec else ""


def scores_of(rows: Iterable[Mapping[str, Any]], drivers: Iterable[Mapping[str, Any]] = ()) -> Iterator[Score]:
    """Yield scores of a medium from rows of the tables ``metrics`` and ``drivers``."""
    by_score: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in drivers:
        by_score.setdefault((row["metric"], row["metric_time"]), []).append(row)
    for row in rows:
        yield score_of(row, row["basis"], by_score.get((row["metric"], row["metric_time"]), ()))


def frame_row(medium_id: UUID, frame: FrameScores) -> Row:
    """Return a row of the table ``frames``."""
    facts = {name: getattr(frame, name) for name in _FRAME}
    scores = {FRAME_COLUMNS[name]: value for name, value in frame.scores.items()}
    return {"medium_id": str(medium_id), **facts, **scores}


def frame_of(row: Mapping[str, Any]) -> FrameScores:
    """Return the scores of a row of the table ``frames``."""
    scores = {name: row[column] for name, column in FRAME_COLUMNS.items() if column in row}
    return FrameScores(**{name: row[name] for name in _FRAME}, scores=scores)


_FRAME = ("t_s", "weight_s", "scene_id", "x", "y")


def scene_row(medium_id: UUID, scene: Scene) -> Row:
    """Return a row of the table ``scenes``."""
    return {
        "medium_id": str(medium_id),
        "scene_id": scene.scene_id,
        "start_s": scene.start_s,
        "end_s": scene.end_s,
        "cut_type": scene.cut_type,
        **scene.scores,
    }


def scene_of(row: Mapping[str, Any]) -> Scene:
    """Return the scene of a row of the table ``scenes``."""
    scores = {name: row[name] for name in SCENE_METRICS if name in row}
    return Scene(row["scene_id"], row["start_s"], row["end_s"], row["cut_type"], scores)


def fold_row(medium_id: UUID, fold: Fold) -> Row:
    """Return a row of the table ``folds``."""
    return {"medium_id": str(medium_id), **{name: getattr(fold, name) for name in _FOLD}, **fold.scores}


def fold_of(row: Mapping[str, Any]) -> Fold:
    """Return the fold of a row of the table ``folds``."""
    scores = {name: row[name] for name in SCREEN_METRICS if name in row}
    return Fold(**{name: row[name] for name in _FOLD}, scores=scores)


_FOLD = ("fold", "y0", "y1", "viewers", "attention")


def _box(row: Mapping[str, Any]) -> Box:
    return Box(row["x0"], row["y0"], row["x1"], row["y1"])


def proposal_rows(medium_id: UUID, proposals: Iterable[Candidate]) -> Iterator[Row]:
    """Yield rows of the table ``proposals``; those of a type come the surest first."""
    ranks: Counter[str] = Counter()
    for candidate in proposals:
        ranks[candidate.type] += 1
        facts = {name: getattr(candidate, name) for name in _PROPOSED}
        yield {"medium_id": str(medium_id), "rank": ranks[candidate.type], **facts, **candidate.box._asdict()}


def proposal_of(row: Mapping[str, Any]) -> Candidate:
    """Return the proposal of a row of the table ``proposals``."""
    return Candidate(box=_box(row), **{name: row[name] for name in _PROPOSED})


_PROPOSED = ("type", "label", "method", "confidence")


def absent_rows(medium_id: UUID, absent: Iterable[AoiType]) -> Iterator[Row]:
    """Yield rows of the table ``absent_aois``."""
    for aoi_type in sorted(absent):
        yield {"medium_id": str(medium_id), "type": aoi_type}


_PLAIN = ("metric", "before", "after", "gain", "lo", "hi", "unit", "text")


def suggestion_rows(medium_id: UUID, suggestions: Iterable[Suggestion]) -> Iterator[dict[str, Any]]:
    """Yield rows of the table ``suggestions``."""
    ranks: dict[str | None, int] = {}
    for suggestion in suggestions:
        ranks[suggestion.purpose] = ranks.get(suggestion.purpose, 0) + 1
        yield {
            "medium_id": str(medium_id),
            "purpose": suggestion.purpose,
            "rank": ranks[suggestion.purpose],
            "action": suggestion.action,
            "aoi_id": str(suggestion.aoi_id),
            "gains_aoi_id": str(suggestion.gains_aoi_id),
            "edits": json.dumps([edit.to_dict() for edit in suggestion.edits]),
            **{name: getattr(suggestion, name) for name in _PLAIN},
        }


def suggestion_of(row: Mapping[str, Any]) -> Suggestion:
    """Return the suggestion that a row of the table holds."""
    return Suggestion(
        aoi_id=UUID(row["aoi_id"]),
        gains_aoi_id=UUID(row["gains_aoi_id"]),
        edits=tuple(
            Edit(edit["action"], edit["aoi"], edit.get("factor"), tuple(edit["to"]) if "to" in edit else None)
            for edit in json.loads(row["edits"])
        ),
        purpose=row["purpose"],
        **{name: row[name] for name in _PLAIN},
    )


def look_rows(medium_id: UUID, looks: OrderOfLooks | None) -> Iterator[Row]:
    """Yield rows of the table ``looks``."""
    for look in looks.areas if looks else ():
        yield {"medium_id": str(medium_id), "aoi_id": str(look.aoi_id), "rank": look.rank, "share": look.share}


def scanpath_rows(medium_id: UUID, looks: OrderOfLooks | None) -> Iterator[Row]:
    """Yield rows of the table ``scanpaths``."""
    for index, look in enumerate(looks.path if looks else (), 1):
        aoi_id = None if look.aoi_id is None else str(look.aoi_id)
        yield {"medium_id": str(medium_id), "index": index, **look._asdict(), "aoi_id": aoi_id}


def looks_of(areas: Iterable[Mapping[str, Any]], path: Iterable[Mapping[str, Any]]) -> OrderOfLooks | None:
    """Return the order of looks at an image from its rows of the tables ``looks`` and ``scanpaths``; None without."""
    fixations = tuple(
        PathFixation(row["x"], row["y"], row["onset_s"], row["duration_s"], row["aoi_id"] and UUID(row["aoi_id"]))
        for row in path
    )
    if not fixations:
        return None
    return OrderOfLooks(fixations, tuple(AoiLook(UUID(row["aoi_id"]), row["rank"], row["share"]) for row in areas))


def columns_of(rows: Iterable[Row]) -> Columns:
    """Convert rows to columns; what a row lacks is None.

    >>> columns_of([{"a": 1}, {"a": 2, "b": 3}])
    {'a': [1, 2], 'b': [None, 3]}
    """
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """Convert columns to rows.

    >>> rows_of({"a": [1, 2], "b": [None, 3]})
    [{'a': 1, 'b': None}, {'a': 2, 'b': 3}]
    """
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def outcome_rows(outcome: Outcome, files: Mapping[str, str], seconds: float, at: datetime) -> dict[str, list[Row]]:
    """Return rows by table, without tables that are derived from others.

    `files`: path of each written map, by name, relative to the run directory.
    `seconds`: time that the analysis took, s.
    `at` (datetime): when it ended, UTC without zone.
    """
    head = {
        "path": outcome.path,
        "size_bytes": outcome.size_bytes,
        "created_at": at,
        "seconds": seconds,
    }
    if isinstance(outcome, Failed):
        failed = {
            "medium_id": outcome.medium_id,
            "name": outcome.name,
            "status": "failed",
            "error_code": outcome.code,
            "error_message": outcome.message,
        }
        problem = {
            "path": outcome.path,
            "medium_id": outcome.medium_id,
            "severity": "error",
            "code": outcome.code,
            "message": outcome.trace or outcome.message,
        }
        return {"media": [head | failed], "problems": [problem]}
    medium_id, aois = outcome.medium.medium_id, outcome.aois or ()
    metrics = [
        {
            "medium_id": str(medium_id),
            "metric": score.metric,
            "metric_time": score.time,
            "value": score.value,
            "lo": score.lo,
            "hi": score.hi,
            "basis": score.basis,
            "unit": score.unit,
            "reason": score.reason,
        }
        for score in outcome.scores
    ]
    drivers = [
        {
            "medium_id": str(medium_id),
            "metric": score.metric,
            "metric_time": score.time,
            "rank": rank,
            "driver": driver.driver,
            "value": driver.value,
            "points": driver.points,
            "text": driver.text,
        }
        for score in outcome.scores
        for rank, driver in enumerate(score.drivers, 1)
    ]
    return {
        "media": [head | _done_row(outcome)],
        "metrics": metrics,
        "drivers": drivers,
        "frames": [frame_row(medium_id, frame) for frame in outcome.frames],
        "scenes": [scene_row(medium_id, scene) for scene in outcome.scenes],
        # the rest of it follows from the other tables
        "film": [{"medium_id": str(medium_id), "has_audio": outcome.medium.has_audio}] if outcome.frames else [],
        "aois": [aoi_row(medium_id, aoi) for aoi in aois],
        "aoi_tracks": [row for aoi in aois for row in track_rows(medium_id, aoi)],
        "aoi_scores": [row for aoi in aois for row in score_rows(medium_id, aoi)],
        "absent_aois": list(absent_rows(medium_id, outcome.absent)),
        "proposals": list(proposal_rows(medium_id, outcome.proposals)),
        "suggestions": list(suggestion_rows(medium_id, outcome.suggestions)),
        "folds": [fold_row(medium_id, fold) for fold in outcome.folds],
        "looks": list(look_rows(medium_id, outcome.looks)),
        "scanpaths": list(scanpath_rows(medium_id, outcome.looks)),
        "maps": [{"medium_id": str(medium_id), "map": name, "path": path} for name, path in files.items()],
        "problems": [warning_row(outcome.path, str(medium_id), problem) for problem in outcome.problems],
    }


def _done_row(outcome: Result) -> Row:
    medium = outcome.medium
    return {
        "medium_id": str(medium.medium_id),
        "name": medium.name,
        "type": medium.kind,
        "status": "done",
        "width": medium.width,
        "height": medium.height,
        "codec": medium.codec,
        "duration_s": medium.duration_s,
        "frame_rate": None if medium.frame_rate is None else float(medium.frame_rate),
        "share_read": outcome.share_read,
        "novelty": outcome.novelty,
        "domain": outcome.domain,
        "domain_probability": outcome.domain_probability,
        "domain_stated": None if outcome.domain is None else outcome.stated_domain is not None,
        "brand_found": outcome.brand_found,
        "brand_attention": outcome.brand_attention,
    }


def warning_row(path: str, medium_id: str, problem: Problem) -> Row:
    """Return a row of the table of problems about a medium that has a result."""
    return {
        "path": path,
        "medium_id": medium_id,
        "severity": "warning",
        "code": problem.code,
        "message": problem.message,
    }
