"""What companies have used."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from mediaan.server.database import Database


class Usage:
    """The table of usage: one row per event, with an amount."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, company_id: int, what: str, media_id: UUID, amount: float = 1.0) -> None:
        """Note that something was used."""
        raise NotImplementedError

    def between(self, company_id: int, start: date | None, end: date | None) -> dict[str, float]:
        """Sums by what was used, from the first day to the last, both included, UTC."""
        raise NotImplementedError
