"""Media as the server knows them: who owns them, how far they are, what came of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal
from uuid import UUID, uuid4

from mediaan.server.storage.database import Database, ago, now
from mediaan.server.storage.usage import count

Kind = Literal["image", "video", "mixed"]
Status = Literal["init", "started", "done", "failed"]
AoiStatus = Literal["unspecified", "started", "done", "failed"]


@dataclass(frozen=True, slots=True)
class StoredMedium:
    """A medium of a company.

    Attributes
    ----------
    media_id : UUID
        Drawn for each upload: the same bytes twice are two media here.
    kind : {'image', 'video', 'mixed'}
        Which of the service's three ways it came.
    name : str
        As the client called it.
    file : str or None
        Its file in the data folder; None until it is uploaded.
    status, aoi_status : str
    error, aoi_error : str or None
        Why the last prediction, or search for AOIs, failed.
    run : str or None
        Name of the run directory that holds its results; None before the first.
    metrics : mapping of str to float or None
        By the service's names; empty before the first prediction.
    results : mapping of str to str
        File inside the run directory, by the service's name of the result.
    objectives : mapping or None
        What it is for, as settings of an objectives file; None: nobody has said.
    created_at, updated_at, deleted_at : str
        ISO 8601, UTC.
    """

    media_id: UUID
    company_id: int
    kind: Kind
    name: str
    file: str | None
    content_type: str
    size_bytes: int
    status: Status
    aoi_status: AoiStatus
    error: str | None
    aoi_error: str | None
    run: str | None
    metrics: Mapping[str, float | None]
    results: Mapping[str, str]
    objectives: Mapping[str, Any] | None
    created_at: str
    updated_at: str
    deleted_at: str | None

    @property
    def type(self) -> Literal["image", "video"]:
        """What the service calls its type; mixed media are handled, and therefore shown, as videos."""
        return "image" if self.kind == "image" else "video"


class Media:
    """The table of media."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, company_id: int, kind: Kind, name: str, content_type: str, size_bytes: int) -> StoredMedium:
        """Take in a new medium, whose file may still have to come."""
        media_id, at = uuid4(), now()
        with self._database.transaction() as connection:
            connection.execute(
                "INSERT INTO media (media_id, company_id, kind, name, content_type, size_bytes, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (str(media_id), company_id, kind, name, content_type, size_bytes, at, at),
            )
        found = self.find(company_id, media_id)
        assert found is not None
        return found

    def has_file(self, media_id: UUID, file: str) -> bool:
        """The medium's file has come, and is called so in its folder; False: the medium was deleted meanwhile.

        Who put the file there removes it again if this says False: nobody else knows of it before the next sweep.
        """
        with self._database.transaction() as connection:
            row = connection.execute(
                "SELECT file, size_bytes FROM media WHERE media_id = ? AND deleted_at IS NULL", (str(media_id),)
            ).fetchone()
            if row is None:
                return False
            connection.execute(
                "UPDATE media SET file = ?, updated_at = ? WHERE media_id = ?", (file, now(), str(media_id))
            )
            if row["file"] is None:  # an upload whose end is told twice, before and after a crash, is one
                count(connection, media_id, "uploads")
                count(connection, media_id, "uploaded_bytes", row["size_bytes"])
        return True

    def find(self, company_id: int, media_id: UUID) -> StoredMedium | None:
        """A company's medium; None where there is none, where it is deleted, or another's."""
        row = self._database.connection.execute(
            "SELECT * FROM media WHERE media_id = ? AND company_id = ? AND deleted_at IS NULL",
            (str(media_id), company_id),
        ).fetchone()
        return None if row is None else _medium(row)

    def get(self, media_id: UUID) -> StoredMedium | None:
        """A medium whoever owns it, for what a job or a signed address names; None where it is deleted."""
        row = self._database.connection.execute(
            "SELECT * FROM media WHERE media_id = ? AND deleted_at IS NULL", (str(media_id),)
        ).fetchone()
        return None if row is None else _medium(row)

    def page(
        self,
        company_id: int,
        *,
        status: Status | None = None,
        type: Literal["image", "video"] | None = None,
        aoi_status: AoiStatus | None = None,
        limit: int = 100,
        offset: int = 0,
    ) -> tuple[list[StoredMedium], int]:
        """A company's media that fit, from the oldest to the most recent, and how many there are without limit."""
        kinds = {None: "", "image": " AND kind = 'image'", "video": " AND kind <> 'image'"}[type]
        where = f"company_id = ? AND deleted_at IS NULL{kinds}"
        values: list[Any] = [company_id]
        for column, value in (("status", status), ("aoi_status", aoi_status)):
            if value is not None:
                where += f" AND {column} = ?"
                values.append(value)
        connection = self._database.connection
        (total,) = connection.execute(f"SELECT count(*) FROM media WHERE {where}", values).fetchone()
        rows = connection.execute(
            f"SELECT * FROM media WHERE {where} ORDER BY created_at, media_id LIMIT ? OFFSET ?",
            [*values, limit, offset],
        ).fetchall()
        return [_medium(row) for row in rows], int(total)

    def delete(self, company_id: int, media_id: UUID) -> StoredMedium | None:
        """Mark a medium as deleted and call off its jobs; its files are another's business. None: there is none."""
        at = now()
        with self._database.transaction() as connection:
            row = connection.execute(
                "UPDATE media SET deleted_at = ?, updated_at = ?"
                " WHERE media_id = ? AND company_id = ? AND deleted_at IS NULL RETURNING *",
                (at, at, str(media_id), company_id),
            ).fetchone()
            if row is None:
                return None
            connection.execute(
                "UPDATE jobs SET state = 'cancelled', lease = NULL, finished_at = ?, payload = '{}'"
                " WHERE media_id = ? AND state IN ('waiting', 'running')",
                (at, str(media_id)),
            )
            count(connection, media_id, "media_deleted")
        return _medium(row)

    def awaited(self, within_s: float) -> set[UUID]:
        """Media whose upload was announced within so many seconds and has not ended."""
        rows = self._database.connection.execute(
            "SELECT media_id FROM uploads JOIN media USING (media_id)"
            " WHERE deleted_at IS NULL AND file IS NULL AND uploads.created_at > ?",
            (ago(within_s),),
        )
        return {UUID(row["media_id"]) for row in rows}

    def deleted(self) -> list[UUID]:
        """Media that were deleted, whose files may still lie there."""
        rows = self._database.connection.execute("SELECT media_id FROM media WHERE deleted_at IS NOT NULL")
        return [UUID(row["media_id"]) for row in rows]

    def unanswered(self) -> list[UUID]:
        """Pictures whose prediction was never asked for, which the request that brings them does."""
        rows = self._database.connection.execute(
            "SELECT media_id FROM media WHERE kind = 'image' AND status = 'init' AND deleted_at IS NULL"
        )
        return [UUID(row["media_id"]) for row in rows]

    def withdraw(self, media_id: UUID) -> None:
        """Forget a medium as if it had never come: its upload is refused, and nobody was told its id."""
        with self._database.transaction() as connection:
            for table in ("jobs", "uploads", "usage", "media"):
                connection.execute(f"DELETE FROM {table} WHERE media_id = ?", (str(media_id),))


def _medium(row: sqlite3.Row) -> StoredMedium:
    facts = dict(row)
    facts["media_id"] = UUID(facts["media_id"])
    for name in ("metrics", "results"):
        facts[name] = _parsed(facts[name]) if facts[name] else {}
    facts["objectives"] = json.loads(facts["objectives"]) if facts["objectives"] else None
    return StoredMedium(**facts)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Mapping[str, Any]:
    """What a column says; lists are polled, and parsing them is most of their cost."""
    return MappingProxyType(json.loads(text))
