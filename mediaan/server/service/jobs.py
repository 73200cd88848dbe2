"""Jobs: what is to be done to media, who does it, and what became of it."""

from __future__ import annotations

import json
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from mediaan.server.service.database import Database, now
from mediaan.server.service.errors import QueueFullError, no_such_medium
from mediaan.server.service.media import count, refuse_beyond_room
from mediaan.server.settings import ServerSettings

JobKind = Literal["predict", "detect", "draw", "rate", "report"]
"""Predict attention and score; look for AOIs; take AOIs that a client drew, or the answer of a review; take other
objectives; write the report."""
Lane = Literal["short", "long"]
"""Images, and jobs without a model, are short; one worker is kept free for them."""
JobState = Literal["waiting", "running", "done", "failed", "cancelled"]

_STATUS_OF = {"predict": "status", "detect": "aoi_status"}
_ERROR_OF = {"predict": "error", "detect": "aoi_error"}
"""Only these jobs change a status; when others fail, only the request that added them is told."""
MOST_WAITING = 20
"""Jobs of one medium that wait or run."""
MOST_WAITING_BYTES = 64 << 20
"""Payloads of one company's waiting jobs: eight bodies of the largest size."""
CALLED_OFF = 75
"""Exit code of a worker that lost the lease of its job."""
_INTERRUPTIONS = 20
"""Restarts of the server during one job: after so many, the job may be their cause."""


@dataclass(frozen=True, slots=True)
class Job:
    """A job that a worker has taken; `lease` proves that it is still this worker's."""

    job_id: int
    media_id: UUID
    kind: JobKind
    payload: Mapping[str, Any]
    lease: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """Changes of a medium that a finished job makes; None: as before."""

    run: str | None = None  # name of the run directory that holds the results from now on
    metrics: Mapping[str, float | None] | None = None  # as `StoredMedium` has them
    results: Mapping[str, str] | None = None  # likewise
    duration_s: float | None = None  # of a medium that moves, which counts as predicted; no column of the medium


@dataclass(frozen=True, slots=True)
class JobResult:
    """State of a job; `error_code` and `error` where it has failed."""

    state: JobState
    error_code: str | None = None
    error: str | None = None


class Jobs:
    """The table of jobs, as a queue with leases.

    Jobs of one medium never run side by side; of predictions, and of searches for AOIs, a medium has one at a time.
    Leases run by the system's monotonic clock, which all processes of this machine share, and which stands while the
    machine sleeps and does not jump when its time is set: neither makes a worker look dead. After a restart of the
    machine `recover` ends all of them.
    """

    def __init__(self, database: Database, settings: ServerSettings) -> None:
        self._database, self._settings = database, settings

    def add(
        self,
        media_id: UUID,
        kind: JobKind,
        lane: Lane,
        payload: Mapping[str, Any] | None = None,
        objectives: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Put a job into the queue and return its id; the medium's status becomes `started` with it.

        None where the medium has a job of this kind already (`predict` and `detect` only); of `rate` the job that waits
        already is returned. `objectives`, what the medium is for from now on, are stored in the same transaction.

        Raises CompanyFullError, QueueFullError: too much waits already, of the medium or of the company.
        """
        at, text = now(), json.dumps(payload or {})
        try:
            with self._database.transaction() as connection:
                query = "SELECT company_id FROM media WHERE media_id = ? AND deleted_at IS NULL"
                medium = connection.execute(query, (str(media_id),)).fetchone()
                if medium is None:
                    raise no_such_medium()
                query = "SELECT max(job_id) FROM jobs WHERE media_id = ? AND kind = 'rate' AND state = 'waiting'"
                (job_id,) = connection.execute(query, (str(media_id),)).fetchone()
                if kind != "rate" or job_id is None:  # one that waits takes the latest objectives
                    if kind not in _STATUS_OF:  # of those a medium has one at a time
                        self._refuse_beyond_queue(connection, media_id, medium["company_id"], len(text))
                    (job_id,) = connection.execute(
                        "INSERT INTO jobs (media_id, kind, lane, payload, payload_bytes, created_at, company_id)"
                        " VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING job_id",
                        (str(media_id), kind, lane, text, len(text), at, medium["company_id"]),
                    ).fetchone()
                changes: dict[str, Any] = {}
                if kind in _STATUS_OF:
                    changes = {_STATUS_OF[kind]: "started", _ERROR_OF[kind]: None}
                if objectives is not None:
                    changes["objectives"] = json.dumps(objectives)
                if changes:
                    _change(connection, media_id, changes | {"updated_at": at})
        except sqlite3.IntegrityError:
            return None
        return int(job_id)

    def _refuse_beyond_queue(
        self, connection: sqlite3.Connection, media_id: UUID, company_id: int, size_bytes: int
    ) -> None:
        waiting = "FROM jobs WHERE state IN ('waiting', 'running')"
        (count,) = connection.execute(f"SELECT count(*) {waiting} AND media_id = ?", (str(media_id),)).fetchone()
        query = f"SELECT coalesce(sum(payload_bytes), 0) {waiting} AND company_id = ?"
        (size,) = connection.execute(query, (company_id,)).fetchone()
        if count >= MOST_WAITING or size + size_bytes > MOST_WAITING_BYTES:
            raise QueueFullError("Too many changes wait to be made; try again when some are done")
        refuse_beyond_room(connection, company_id, size_bytes, self._settings.max_company_bytes)

    def take(self, worker: str, lanes: Sequence[Lane]) -> Job | None:
        """Lease a job that can run now, of the first lane that has one; None: there is none.

        Companies take turns: next is the one with the fewest jobs running in the lane, of several the one that had its
        last turn longest ago; of its jobs the oldest, predictions and searches last. So thousands of jobs of one make
        another wait for one job only.
        """
        with self._database.transaction() as connection:
            for lane, company_id in self._in_turn(connection, lanes):
                next_job = connection.execute(
                    "SELECT job_id FROM jobs AS candidate WHERE state = 'waiting' AND lane = ? AND company_id = ?"
                    " AND NOT EXISTS (SELECT 1 FROM jobs AS other"
                    " WHERE other.media_id = candidate.media_id AND other.job_id <> candidate.job_id"
                    " AND (other.state = 'running' OR (other.state = 'waiting' AND other.job_id < candidate.job_id)))"
                    " ORDER BY kind IN ('predict', 'detect'), job_id LIMIT 1",  # somebody waits for others
                    (lane, company_id),
                ).fetchone()
                if next_job is not None:
                    break
            else:
                return None
            turn = (company_id, lane, now())
            connection.execute("REPLACE INTO turns (company_id, lane, taken_at) VALUES (?, ?, ?)", turn)
            row = connection.execute(
                "UPDATE jobs SET state = 'running', worker = ?, lease = ?, lease_until = ?, started_at = ?"
                " WHERE job_id = ? RETURNING *",
                (worker, secrets.token_hex(8), time.monotonic() + self._settings.lease_s, now(), next_job["job_id"]),
            ).fetchone()
        return Job(row["job_id"], UUID(row["media_id"]), row["kind"], json.loads(row["payload"]), row["lease"])

    def _in_turn(self, connection: sqlite3.Connection, lanes: Sequence[Lane]) -> Iterator[tuple[Lane, int]]:
        """Yield lane and company in the order in which their jobs come next."""
        for lane in lanes:
            companies = connection.execute(
                "SELECT waiting.company_id AS company_id"
                " FROM (SELECT DISTINCT company_id FROM jobs WHERE state = 'waiting' AND lane = ?) AS waiting"
                " LEFT JOIN turns ON turns.company_id = waiting.company_id AND turns.lane = ?"
                " ORDER BY (SELECT count(*) FROM jobs WHERE state = 'running' AND lane = ?"
                " AND company_id = waiting.company_id), taken_at",  # without a turn so far: null, which sorts first
                (lane, lane, lane),
            ).fetchall()
            yield from ((lane, int(row["company_id"])) for row in companies)

    def renew(self, job: Job) -> bool:
        """Extend the lease of a job; False if it was lost or cancelled."""
        with self._database.transaction() as connection:
            changed = connection.execute(
                "UPDATE jobs SET lease_until = ? WHERE job_id = ? AND lease = ? AND state = 'running'",
                (time.monotonic() + self._settings.lease_s, job.job_id, job.lease),
            )
        return changed.rowcount == 1

    def finish(self, job: Job, outcome: Outcome) -> bool:
        """Record the outcome of a job; False, and nothing is written, if its lease was lost."""
        changes: dict[str, Any] = {} if job.kind == "report" else {"updated_at": now()}
        if job.kind in _STATUS_OF:
            changes |= {_STATUS_OF[job.kind]: "done", _ERROR_OF[job.kind]: None}
        if outcome.run is not None:
            changes["run"] = outcome.run
        for name in ("metrics", "results"):
            if (value := getattr(outcome, name)) is not None:
                changes[name] = json.dumps(value, allow_nan=False)
        with self._database.transaction() as connection:
            if not _end(connection, job, "done"):
                return False
            if changes:
                _change(connection, job.media_id, changes)
            if job.kind == "detect":
                count(connection, job.media_id, "aoi_detections")
            elif job.kind == "predict":
                query = "SELECT kind FROM media WHERE media_id = ?"
                (kind,) = connection.execute(query, (str(job.media_id),)).fetchone()
                count(connection, job.media_id, "images_predicted" if kind == "image" else "videos_predicted")
                if outcome.duration_s is not None:
                    count(connection, job.media_id, "video_seconds_predicted", outcome.duration_s)
        return True

    def fail(self, job: Job, code: str, message: str) -> bool:
        """Record why a job failed; False if its lease was lost."""
        with self._database.transaction() as connection:
            return _fail(connection, job, code, message)

    def give_back(self, worker: str, *, died: bool, cause: str = "") -> None:
        """Put the job of a worker that died or was stopped back into the queue; `cause` says of what it died.

        A job that its worker has died of as often as is allowed fails.
        """
        self._retry("worker = ?", worker, died=died, cause=cause)

    def recover(self) -> int:
        """Put jobs that were running when the server ended back into the queue; returns their number."""
        return self._retry("lease IS NOT NULL", died=False)

    def expire(self) -> int:
        """Put jobs whose leases have expired back into the queue; returns their number."""
        cause = f"it was not heard of for {self._settings.lease_s:g} s"
        return self._retry("lease_until < ?", time.monotonic(), died=True, cause=cause)

    def extend(self) -> None:
        """Renew all leases, after another program held the database so that no worker could."""
        with self._database.transaction() as connection:
            until = time.monotonic() + self._settings.lease_s
            connection.execute("UPDATE jobs SET lease_until = ? WHERE state = 'running'", (until,))

    def busy(self) -> set[UUID]:
        """Return the media that are worked on."""
        return {UUID(media_id) for media_id in self._running("media_id")}

    def working(self) -> set[str]:
        """Return the workers that have a job."""
        return self._running("worker")

    def silent(self) -> set[str]:
        """Return the workers whose leases have expired."""
        return self._running("worker", " AND lease_until < ?", time.monotonic())

    def _running(self, column: str, where: str = "", *values: float) -> set[str]:
        query = f"SELECT {column} FROM jobs WHERE state = 'running'{where}"
        return {row[column] for row in self._database.connection.execute(query, values)}

    def prediction(self, media_id: UUID) -> int:
        """Return the latest prediction job of a medium; `NotFoundError` where it has had none: it was withdrawn."""
        query = "SELECT max(job_id) FROM jobs WHERE media_id = ? AND kind = 'predict'"
        (job_id,) = self._database.connection.execute(query, (str(media_id),)).fetchone()
        if job_id is None:
            raise no_such_medium()
        return int(job_id)

    def rating(self, media_id: UUID) -> int | None:
        """Return the latest rating job of a medium if it waits, runs or failed; None if the ranges are up to date."""
        row = self._database.connection.execute(
            "SELECT job_id, state FROM jobs WHERE media_id = ?"
            " AND (kind = 'rate' OR (kind IN ('predict', 'detect') AND state = 'done'))"  # these rate, too
            " ORDER BY job_id DESC LIMIT 1",
            (str(media_id),),
        ).fetchone()
        return None if row is None or row["state"] == "done" else int(row["job_id"])

    def result(self, job_id: int) -> JobResult:
        """Return the state of a job."""
        query = "SELECT state, error_code, error FROM jobs WHERE job_id = ?"
        row = self._database.connection.execute(query, (job_id,)).fetchone()
        return JobResult("cancelled") if row is None else JobResult(*row)  # its medium was withdrawn

    def _retry(self, where: str, *values: str | float, died: bool, cause: str = "") -> int:
        """Put unfinished jobs back into the queue, and fail those that were retried too often."""
        with self._database.transaction() as connection:
            query = f"SELECT * FROM jobs WHERE state = 'running' AND {where}"
            rows = connection.execute(query, values).fetchall()
            for row in rows:
                deaths, interruptions = row["deaths"] + died, row["interruptions"] + (not died)
                connection.execute(
                    "UPDATE jobs SET deaths = ?, interruptions = ? WHERE job_id = ?",
                    (deaths, interruptions, row["job_id"]),
                )
                if deaths < self._settings.tries and interruptions < _INTERRUPTIONS:
                    connection.execute(
                        "UPDATE jobs SET state = 'waiting', worker = NULL, lease = NULL, lease_until = NULL"
                        " WHERE job_id = ?",
                        (row["job_id"],),
                    )
                    continue
                how = f"the server ended {interruptions} times while it worked on it"
                if deaths >= self._settings.tries:
                    last = f"; the last time {cause}" if cause else ""
                    how = f"{deaths} times the process that worked on it died{last}"
                job = Job(row["job_id"], UUID(row["media_id"]), row["kind"], {}, row["lease"])
                _fail(connection, job, "worker_died", f"{how}; it is not tried again")
        return len(rows)


def _end(connection: sqlite3.Connection, job: Job, state: JobState) -> bool:
    changed = connection.execute(
        # what it needed to know, such as thousands of boxes, nobody needs any more
        "UPDATE jobs SET state = ?, finished_at = ?, lease = NULL, payload = '{}', payload_bytes = 0"
        " WHERE job_id = ? AND lease = ? AND state = 'running'",
        (state, now(), job.job_id, job.lease),
    )
    return changed.rowcount == 1


def _fail(connection: sqlite3.Connection, job: Job, code: str, message: str) -> bool:
    if not _end(connection, job, "failed"):
        return False
    connection.execute("UPDATE jobs SET error_code = ?, error = ? WHERE job_id = ?", (code, message, job.job_id))
    if job.kind in _STATUS_OF:
        changes = {_STATUS_OF[job.kind]: "failed", _ERROR_OF[job.kind]: message, "updated_at": now()}
        _change(connection, job.media_id, changes)
    return True


def _change(connection: sqlite3.Connection, media_id: UUID, changes: Mapping[str, Any]) -> None:
    columns = ", ".join(f"{name} = ?" for name in changes)
    connection.execute(f"UPDATE media SET {columns} WHERE media_id = ?", [*changes.values(), str(media_id)])
