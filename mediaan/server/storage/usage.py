"""What companies have used."""

from __future__ import annotations

import sqlite3
from datetime import date, timedelta
from typing import Literal, get_args
from uuid import UUID

from mediaan.server.storage.database import Database, now

What = Literal[
    "images_predicted",
    "videos_predicted",
    "video_seconds_predicted",
    "aoi_detections",
    "uploads",
    "uploaded_bytes",
    "media_deleted",
]
"""What is counted. Each is noted in the transaction in which it happens (`Jobs.finish`, `Media.has_file`,
`Media.delete`), so nothing is counted twice, or lost; what failed is not counted. A re-run counts again."""


class Usage:
    """The table of usage: one row per event, with an amount."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def between(self, company_id: int, start: date | None, end: date | None) -> dict[What, float]:
        """Sums by what was used, from the first day to the last, both included, UTC; None: from the first, or to now.

        Media that were deleted since count like all others.
        """
        first = "" if start is None else start.isoformat()
        after = "9999-99" if end is None or end == date.max else (end + timedelta(days=1)).isoformat()
        rows = self._database.connection.execute(
            "SELECT what, total(amount) AS sum FROM usage WHERE company_id = ? AND at >= ? AND at < ? GROUP BY what",
            (company_id, first, after),
        )
        return dict.fromkeys(get_args(What), 0.0) | {row["what"]: row["sum"] for row in rows}

    def storage(self, company_id: int) -> tuple[int, int]:
        """How many media with a file a company has now, and how many bytes their files have together."""
        row = self._database.connection.execute(
            "SELECT count(*), coalesce(sum(size_bytes), 0) FROM media"
            " WHERE company_id = ? AND deleted_at IS NULL AND file IS NOT NULL",
            (company_id,),
        ).fetchone()
        return int(row[0]), int(row[1])


def count(connection: sqlite3.Connection, media_id: UUID, what: What, amount: float = 1.0) -> None:
    """Note, inside a transaction, that a medium's company has used something."""
    connection.execute(
        "INSERT INTO usage (company_id, at, what, media_id, amount)"
        " SELECT company_id, ?, ?, media_id, ? FROM media WHERE media_id = ?",
        (now(), what, amount, str(media_id)),
    )
