"""Suggestions as rows of a table, and back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

import pyarrow.parquet as pq

from mediaan.run.objectives import objective_of
from mediaan.run.reader import Run
from mediaan.types.edit import Edit
from mediaan.types.suggestion import Suggestion

_PLAIN = ("metric", "before", "after", "gain", "lo", "hi", "unit", "text")


def suggestion_rows(medium_id: UUID, suggestions: Iterable[Suggestion]) -> Iterator[dict[str, Any]]:
    """Rows of the table ``suggestions``."""
    ranks: dict[str | None, int] = {}
    for one in suggestions:
        ranks[one.purpose] = ranks.get(one.purpose, 0) + 1
        yield {
            "medium_id": str(medium_id),
            "purpose": one.purpose,
            "rank": ranks[one.purpose],
            "action": one.action,
            "aoi_id": str(one.aoi_id),
            "gains_aoi_id": str(one.gains_aoi_id),
            "edits": json.dumps([edit.to_dict() for edit in one.edits]),
            **{name: getattr(one, name) for name in _PLAIN},
        }


def read_suggestions(run: Run) -> dict[str, tuple[Suggestion, ...]]:
    """Suggestions for the purpose of each medium of a run, by medium; media without any are absent.

    Of a medium under several paths with several purposes, that of the first path counts.
    """
    purposes: dict[str, str | None] = {}
    for path, medium_id in zip(run.media["path"], run.media["medium_id"], strict=True):
        purposes.setdefault(medium_id, objective_of(run.facts, path).get("purpose"))
    found: dict[str, list[Suggestion]] = {}
    file = run.path / "tables" / "suggestions.parquet"
    for row in pq.read_table(file).to_pylist() if file.is_file() else ():
        if row["purpose"] == purposes.get(row["medium_id"]):
            found.setdefault(row["medium_id"], []).append(suggestion_of(row))
    return {medium_id: tuple(listed) for medium_id, listed in found.items()}


def suggestion_of(row: Mapping[str, Any]) -> Suggestion:
    """Return the suggestion that a row of the table holds."""
    return Suggestion(
        aoi_id=UUID(row["aoi_id"]),
        gains_aoi_id=UUID(row["gains_aoi_id"]),
        edits=tuple(
            Edit(one["action"], one["aoi"], one.get("factor"), tuple(one["to"]) if "to" in one else None)
            for one in json.loads(row["edits"])
        ),
        purpose=row["purpose"],
        **{name: row[name] for name in _PLAIN},
    )
