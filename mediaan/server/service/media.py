"""The tables of media and of usage."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Literal, get_args
from uuid import UUID, uuid4

from mediaan.server.service.database import Database, ago, now
from mediaan.server.service.errors import CompanyFullError, ConflictError, RefusedError, no_such_medium
from mediaan.server.settings import ServerSettings

Kind = Literal["image", "video", "mixed"]
Status = Literal["init", "started", "done", "failed"]
AoiStatus = Literal["unspecified", "started", "done", "failed"]
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


@dataclass(frozen=True, slots=True)
class StoredMedium:
    """A medium of a company."""

    media_id: UUID  # drawn for each upload: the same bytes twice are two media here
    company_id: int
    kind: Kind  # which of the service's three ways it came
    name: str  # as the client called it
    file: str | None  # its file in the data folder; None until it is uploaded
    content_type: str
    size_bytes: int
    status: Status
    aoi_status: AoiStatus
    error: str | None  # why the last prediction failed
    aoi_error: str | None  # why the last search for AOIs failed
    run: str | None  # name of the run directory that holds its results; None before the first prediction
    metrics: Mapping[str, float | None]  # by the service's names
    results: Mapping[str, str]  # file inside the run directory, by the service's name of the result
    objectives: Mapping[str, Any] | None  # settings of an objectives file; None: nobody has said what it is for
    created_at: str  # ISO 8601, UTC
    updated_at: str
    deleted_at: str | None

    @property
    def type(self) -> Literal["image", "video"]:
        """The service's name of its type; mixed media are handled, and therefore shown, as videos."""
        return "image" if self.kind == "image" else "video"


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """What a client sends to repeat a request without doing its work twice, and a hash of what the request sent."""

    key: str
    fingerprint: bytes


IDEMPOTENCY_S = 24 * 3600
"""How long a repeated request is recognized, s."""


_OF_TYPE = {None: "", "image": " AND kind = 'image'", "video": " AND kind <> 'image'"}
"""Condition of a query, by the service's type."""


class Media:
    """The tables of media and of usage."""

    def __init__(self, database: Database, settings: ServerSettings) -> None:
        self._database, self._settings = database, settings

    def add(
        self,
        company_id: int,
        kind: Kind,
        name: str,
        content_type: str,
        size_bytes: int,
        idempotency: IdempotencyKey | None = None,
    ) -> StoredMedium:
        """Add a medium, whose file may still have to come; a repeated request finds it by `idempotency`.

        Raises CompanyFullError: its files would have more bytes together than they may.
        Raises ConflictError: another request with the same idempotency key was faster.
        """
        media_id, at = uuid4(), now()
        with self._database.transaction() as connection:
            refuse_beyond_room(connection, company_id, size_bytes, self._settings.max_company_bytes)
            connection.execute(
                "INSERT INTO media (media_id, company_id, kind, name, content_type, size_bytes, created_at, updated_at)"
                " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (str(media_id), company_id, kind, name, content_type, size_bytes, at, at),
            )
            if idempotency is not None:
                connection.execute("DELETE FROM idempotency_keys WHERE created_at <= ?", (ago(IDEMPOTENCY_S),))
                try:
                    connection.execute(
                        "INSERT INTO idempotency_keys (company_id, idempotency_key, fingerprint, media_id, created_at)"
                        " VALUES (?, ?, ?, ?, ?)",
                        (company_id, idempotency.key, idempotency.fingerprint, str(media_id), at),
                    )
                except sqlite3.IntegrityError as error:
                    raise ConflictError("A request with this Idempotency-Key is under way; try again") from error
        medium = self.find(company_id, media_id)
        assert medium is not None
        return medium

    def has_file(self, media_id: UUID, file: str) -> bool:
        """Record the name of the medium's complete file; False if the medium was deleted meanwhile.

        The caller then removes the file, of which nobody else knows before the next sweep.
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

    def repeated(self, company_id: int, idempotency: IdempotencyKey) -> StoredMedium | None:
        """Return the medium that an earlier request with the same idempotency key made; None: there was none.

        Raises RefusedError: that request sent something else; or its medium was refused, for the reason given.
        Raises NotFoundError: its medium was deleted since.
        """
        row = self._database.connection.execute(
            "SELECT media_id, fingerprint, detail FROM idempotency_keys"
            " WHERE company_id = ? AND idempotency_key = ? AND created_at > ?",
            (company_id, idempotency.key, ago(IDEMPOTENCY_S)),
        ).fetchone()
        if row is None:
            return None
        if row["fingerprint"] != idempotency.fingerprint:
            raise RefusedError("This Idempotency-Key came before with another file or body; take a new key for it")
        if row["media_id"] is None:
            raise RefusedError(row["detail"])
        medium = self.find(company_id, UUID(row["media_id"]))
        if medium is None:
            raise no_such_medium()
        return medium

    def find(self, company_id: int, media_id: UUID) -> StoredMedium | None:
        """Return a company's medium; None where there is none, where it is deleted, or another's."""
        return self._first("media_id = ? AND company_id = ?", str(media_id), company_id)

    def get(self, media_id: UUID) -> StoredMedium | None:
        """Return a medium of any company, for jobs and signed addresses; None if it is deleted."""
        return self._first("media_id = ?", str(media_id))

    def _first(self, where: str, *values: str | int) -> StoredMedium | None:
        query = f"SELECT * FROM media WHERE {where} AND deleted_at IS NULL"
        row = self._database.connection.execute(query, values).fetchone()
        return None if row is None else _medium(row)

    def page(
        self,
        company_id: int,
        *,
        status: Status | None = None,
        type: Literal["image", "video"] | None = None,
        aoi_status: AoiStatus | None = None,
        limit: int | None = None,
        offset: int = 0,
        newest_first: bool = False,
    ) -> tuple[list[StoredMedium], int]:
        """Return a company's media that fit, from the oldest on, and how many there are without `limit`."""
        where = f"company_id = ? AND deleted_at IS NULL{_OF_TYPE[type]}"
        values: list[Any] = [company_id]
        for column, value in (("status", status), ("aoi_status", aoi_status)):
            if value is not None:
                where += f" AND {column} = ?"
                values.append(value)
        connection = self._database.connection
        (total,) = connection.execute(f"SELECT count(*) FROM media WHERE {where}", values).fetchone()
        order = "DESC" if newest_first else "ASC"
        rows = connection.execute(
            f"SELECT * FROM media WHERE {where} ORDER BY created_at {order}, media_id {order} LIMIT ? OFFSET ?",
            [*values, -1 if limit is None else limit, offset],  # negative: no limit
        ).fetchall()
        return [_medium(row) for row in rows], int(total)

    def counts(self, company_id: int, type: Literal["image", "video"] | None = None) -> dict[Status, int]:
        """Return how many media a company has in each status that any has."""
        query = f"SELECT status, count(*) FROM media WHERE company_id = ? AND deleted_at IS NULL{_OF_TYPE[type]}"
        rows = self._database.connection.execute(f"{query} GROUP BY status", (company_id,))
        return dict(rows.fetchall())

    def delete(self, company_id: int, media_id: UUID) -> StoredMedium | None:
        """Delete a medium, call its jobs off, and return it as it was, but for `deleted_at`; None: there is none.

        Only its id and dates stay, for usage and for jobs that end later. Its files are another's business.
        """
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
                "UPDATE jobs SET state = 'cancelled', lease = NULL, finished_at = ?"
                " WHERE media_id = ? AND state IN ('waiting', 'running')",
                (at, str(media_id)),
            )
            connection.execute(
                "UPDATE jobs SET payload = '{}', payload_bytes = 0, error = NULL WHERE media_id = ?", (str(media_id),)
            )
            connection.execute(
                "UPDATE media SET name = '', file = NULL, error = NULL, aoi_error = NULL, run = NULL, metrics = NULL,"
                " results = NULL, objectives = NULL WHERE media_id = ?",
                (str(media_id),),
            )
            connection.execute("DELETE FROM uploads WHERE media_id = ?", (str(media_id),))
            count(connection, media_id, "media_deleted")
        self._database.forget()
        return _medium(row)

    def awaited(self, within_s: float) -> set[UUID]:
        """Return media whose upload was announced within so many seconds and has not ended."""
        uploads = "SELECT media_id FROM uploads WHERE created_at > ?"
        return self._ids(f"file IS NULL AND deleted_at IS NULL AND media_id IN ({uploads})", ago(within_s))

    def deleted(self) -> set[UUID]:
        """Return media that were deleted, whose files may still lie there."""
        return self._ids("deleted_at IS NOT NULL")

    def unanswered(self) -> set[UUID]:
        """Return images without a prediction job: the request that brought them never came to it."""
        return self._ids("kind = 'image' AND status = 'init' AND deleted_at IS NULL")

    def _ids(self, where: str, *values: str) -> set[UUID]:
        rows = self._database.connection.execute(f"SELECT media_id FROM media WHERE {where}", values)
        return {UUID(row["media_id"]) for row in rows}

    def withdraw(self, media_id: UUID, refusal: RefusedError | None = None) -> None:
        """Remove all traces of a medium whose id no client knows.

        `refusal`: what is wrong with its file, which is the answer to all requests with the same idempotency key.
        """
        with self._database.transaction() as connection:
            if refusal is not None:
                connection.execute(
                    "UPDATE idempotency_keys SET media_id = NULL, detail = ? WHERE media_id = ?",
                    (refusal.message, str(media_id)),
                )
            for table in ("jobs", "uploads", "usage", "idempotency_keys", "media"):
                connection.execute(f"DELETE FROM {table} WHERE media_id = ?", (str(media_id),))

    def usage(self, company_id: int, start: date | None, end: date | None) -> dict[What, float]:
        """Return sums by what a company used, from the first day to the last, both included, UTC; None: without bound.

        Media that were deleted since count like all others.
        """
        first = "" if start is None else start.isoformat()
        after = "9999-99" if end is None or end == date.max else (end + timedelta(days=1)).isoformat()
        rows = self._database.connection.execute(
            "SELECT what, total(amount) AS sum FROM usage WHERE company_id = ? AND at >= ? AND at < ? GROUP BY what",
            (company_id, first, after),
        )
        return dict.fromkeys(get_args(What), 0.0) | {row["what"]: row["sum"] for row in rows}

    def stored(self, company_id: int) -> tuple[int, int]:
        """Return how many media with a file a company has now, and how many bytes their files have together."""
        row = self._database.connection.execute(
            "SELECT count(*), coalesce(sum(size_bytes), 0) FROM media"
            " WHERE company_id = ? AND deleted_at IS NULL AND file IS NOT NULL",
            (company_id,),
        ).fetchone()
        return int(row[0]), int(row[1])


def _medium(row: sqlite3.Row) -> StoredMedium:
    facts = dict(row)
    facts["media_id"] = UUID(facts["media_id"])
    for name in ("metrics", "results"):
        facts[name] = _parsed(facts[name]) if facts[name] else {}
    facts["objectives"] = json.loads(facts["objectives"]) if facts["objectives"] else None
    return StoredMedium(**facts)


@lru_cache(maxsize=4096)
def _parsed(text: str) -> Mapping[str, Any]:
    """Parse a JSON column; cached, because lists are polled and parsing is most of their cost."""
    return MappingProxyType(json.loads(text))


def refuse_beyond_room(
    connection: sqlite3.Connection, company_id: int, size_bytes: int, max_company_bytes: int | None
) -> None:
    """Raise `CompanyFullError` inside a transaction if files and waiting jobs of a company would exceed its limit."""
    if max_company_bytes is None:
        return
    files = "SELECT coalesce(sum(size_bytes), 0) FROM media WHERE company_id = ? AND deleted_at IS NULL"
    waiting = (
        "SELECT coalesce(sum(payload_bytes), 0) FROM jobs WHERE company_id = ? AND state IN ('waiting', 'running')"
    )
    (used,) = connection.execute(f"SELECT ({files}) + ({waiting})", (company_id, company_id)).fetchone()
    if used + size_bytes > max_company_bytes:
        raise CompanyFullError(f"Your company's files may have {max_company_bytes} bytes and have {used}; delete some")


def count(connection: sqlite3.Connection, media_id: UUID, what: What, amount: float = 1.0) -> None:
    """Record usage of a medium's company inside a transaction."""
    connection.execute(
        "INSERT INTO usage (company_id, at, what, media_id, amount)"
        " SELECT company_id, ?, ?, media_id, ? FROM media WHERE media_id = ?",
        (now(), what, amount, str(media_id)),
    )
