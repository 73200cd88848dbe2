"""What came of one file as rows of tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from mediaan.run.aoi_rows import aoi_row, score_rows, track_rows
from mediaan.run.schema import SCENES
from mediaan.run.suggestion_rows import suggestion_rows
from mediaan.types.outcome import Problem
from mediaan.types.result import Failed, Outcome, Result

Row = dict[str, Any]
Columns = dict[str, list[Any]]
"""Rows of one table, column by column, all of one length."""


def columns_of(rows: Iterable[Row]) -> Columns:
    """Rows column by column; what a row lacks is None.

    Examples
    --------
    >>> columns_of([{"a": 1}, {"a": 2, "b": 3}])
    {'a': [1, 2], 'b': [None, 3]}
    """
    listed = list(rows)
    names = dict.fromkeys(name for row in listed for name in row)
    return {name: [row.get(name) for row in listed] for name in names}


def rows_of(columns: Mapping[str, Sequence[Any]]) -> list[Row]:
    """The same row by row.

    Examples
    --------
    >>> rows_of({"a": [1, 2], "b": [None, 3]})
    [{'a': 1, 'b': None}, {'a': 2, 'b': 3}]
    """
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def outcome_rows(outcome: Outcome, files: Mapping[str, str], seconds: float, at: datetime) -> dict[str, list[Row]]:
    """Rows by table; those of the tables that follow from others are not among them.

    Parameters
    ----------
    outcome : Outcome
    files : mapping of str to str
        Path of each written map, by name, relative to the run directory.
    seconds : float
        Time that the analysis took, s.
    at : datetime
        When it ended, UTC without zone.
    """
    head = {
        "path": outcome.path,
        "size_bytes": outcome.size_bytes,
        "created_at": at,
        "seconds": seconds,
    }
    if isinstance(outcome, Failed):
        return {"media": [head | _failed_row(outcome)], "problems": [_error_row(outcome)]}
    medium_id, aois = outcome.medium.medium_id, outcome.aois or ()
    return {
        "media": [head | _done_row(outcome)],
        "metrics": list(_metric_rows(outcome)),
        "drivers": list(_driver_rows(outcome)),
        "frames": [{"medium_id": str(medium_id)} | asdict(frame) for frame in outcome.frames],
        "scenes": list(_scene_rows(outcome)),
        "aois": [aoi_row(medium_id, aoi) for aoi in aois],
        "aoi_tracks": [row for aoi in aois for row in track_rows(medium_id, aoi)],
        "aoi_scores": list(score_rows(medium_id, outcome.aoi_scores)),
        "suggestions": list(suggestion_rows(medium_id, outcome.suggestions)),
        "maps": [{"medium_id": str(medium_id), "map": name, "path": path} for name, path in files.items()],
        "problems": [warning_row(outcome.path, str(medium_id), problem) for problem in outcome.problems],
    }


def _failed_row(outcome: Failed) -> Row:
    return {
        "medium_id": outcome.medium_id,
        "name": outcome.name,
        "status": "failed",
        "error_code": outcome.code,
        "error_message": outcome.message,
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
    }


def _metric_rows(outcome: Result) -> Iterator[Row]:
    for score in outcome.scores:
        yield {
            "medium_id": str(outcome.medium.medium_id),
            "metric": score.metric,
            "metric_time": score.time,
            "value": score.value,
            "lo": score.lo,
            "hi": score.hi,
            "basis": score.basis,
            "unit": score.unit,
            "reason": score.reason,
        }


def _driver_rows(outcome: Result) -> Iterator[Row]:
    for score in outcome.scores:
        for rank, driver in enumerate(score.drivers, 1):
            yield {
                "medium_id": str(outcome.medium.medium_id),
                "metric": score.metric,
                "metric_time": score.time,
                "rank": rank,
                "driver": driver.driver,
                "value": driver.value,
                "points": driver.points,
                "text": driver.text,
            }


def _scene_rows(outcome: Result) -> Iterator[Row]:
    for scene in outcome.scenes:
        yield {
            "medium_id": str(outcome.medium.medium_id),
            "scene_id": scene.scene_id,
            "start_s": scene.start_s,
            "end_s": scene.end_s,
            "cut_type": scene.cut_type,
        } | {name: value for name, value in scene.scores.items() if name in SCENES.names}


def _error_row(outcome: Failed) -> Row:
    return {
        "path": outcome.path,
        "medium_id": outcome.medium_id,
        "severity": "error",
        "code": outcome.code,
        "message": outcome.trace or outcome.message,
    }


def warning_row(path: str, medium_id: str, problem: Problem) -> Row:
    """A row of the table of problems about a medium that has a result."""
    return {
        "path": path,
        "medium_id": medium_id,
        "severity": "warning",
        "code": problem.code,
        "message": problem.message,
    }
