"""The server's SQLite database: its tables, and connections to it."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from mediaan.errors import SetupError

VERSION = 4
"""Of the tables; mediaan 0.9 wrote version 1, those between were never released."""
_APPLICATION = 0x6D64616E
"""SQLite's application_id of our files ("mdan"): another program's database is never taken for ours."""
_BUSY_S = 15.0
"""How long another program may hold the database before that is an error."""

_JOBS = """\
CREATE TABLE jobs (
    job_id INTEGER PRIMARY KEY AUTOINCREMENT,
    media_id TEXT NOT NULL REFERENCES media,
    kind TEXT NOT NULL CHECK (kind IN ('predict', 'detect', 'draw', 'rate', 'report')),
    lane TEXT NOT NULL CHECK (lane IN ('short', 'long')),
    payload TEXT NOT NULL,
    state TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'running', 'done', 'failed', 'cancelled')),
    deaths INTEGER NOT NULL DEFAULT 0,
    interruptions INTEGER NOT NULL DEFAULT 0,
    worker TEXT,
    lease TEXT,
    lease_until REAL,  -- of the monotonic clock, s
    error_code TEXT,
    error TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    finished_at TEXT,
    company_id INTEGER NOT NULL REFERENCES companies,
    payload_bytes INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX jobs_by_state ON jobs (state, lane, company_id, job_id);
CREATE INDEX jobs_of_medium ON jobs (media_id, state);
CREATE UNIQUE INDEX one_of_a_kind ON jobs (media_id, kind)
    WHERE state IN ('waiting', 'running') AND kind IN ('predict', 'detect');
"""
_SINCE_0_9 = """\
CREATE TABLE turns (
    company_id INTEGER NOT NULL REFERENCES companies,
    lane TEXT NOT NULL,
    taken_at TEXT NOT NULL,
    PRIMARY KEY (company_id, lane)
);
CREATE TABLE sessions (
    token_hash BLOB PRIMARY KEY,
    key_id TEXT NOT NULL REFERENCES keys,
    created_at TEXT NOT NULL
);
CREATE TABLE idempotency_keys (
    company_id INTEGER NOT NULL REFERENCES companies,
    idempotency_key TEXT NOT NULL,
    fingerprint BLOB NOT NULL,
    media_id TEXT REFERENCES media ON DELETE CASCADE,  -- null: the medium was refused
    detail TEXT,  -- why
    created_at TEXT NOT NULL,
    PRIMARY KEY (company_id, idempotency_key)
);
CREATE INDEX idempotency_by_medium ON idempotency_keys (media_id);
"""
_TABLES = f"""
CREATE TABLE companies (
    company_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    created_at TEXT NOT NULL
);
CREATE TABLE keys (
    key_id TEXT PRIMARY KEY,
    company_id INTEGER NOT NULL REFERENCES companies,
    hash BLOB NOT NULL,
    created_at TEXT NOT NULL,
    revoked_at TEXT
);
CREATE TABLE media (
    media_id TEXT PRIMARY KEY,
    company_id INTEGER NOT NULL REFERENCES companies,
    kind TEXT NOT NULL CHECK (kind IN ('image', 'video', 'mixed')),
    name TEXT NOT NULL,
    file TEXT,
    content_type TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    status TEXT NOT NULL DEFAULT 'init' CHECK (status IN ('init', 'started', 'done', 'failed')),
    aoi_status TEXT NOT NULL DEFAULT 'unspecified'
        CHECK (aoi_status IN ('unspecified', 'started', 'done', 'failed')),
    error TEXT,
    aoi_error TEXT,
    run TEXT,
    metrics TEXT,
    results TEXT,
    objectives TEXT,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    deleted_at TEXT
);
CREATE INDEX media_of_company ON media (company_id, created_at, media_id) WHERE deleted_at IS NULL;
CREATE TABLE uploads (
    token_hash BLOB PRIMARY KEY,
    media_id TEXT NOT NULL REFERENCES media,
    content_type TEXT NOT NULL,
    total_bytes INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX uploads_of_medium ON uploads (media_id);
{_JOBS}\
{_SINCE_0_9}\
CREATE TABLE usage (
    company_id INTEGER NOT NULL REFERENCES companies,
    at TEXT NOT NULL,
    what TEXT NOT NULL,
    media_id TEXT NOT NULL,
    amount REAL NOT NULL DEFAULT 1
);
CREATE INDEX usage_of_company ON usage (company_id, at);
"""
_FROM_0_9 = f"""
DROP INDEX jobs_by_state;
DROP INDEX jobs_of_medium;
DROP INDEX one_of_a_kind;
ALTER TABLE jobs RENAME TO jobs_before;
{_JOBS}
INSERT INTO jobs SELECT jobs_before.*, media.company_id, 0 FROM jobs_before JOIN media USING (media_id);
DROP TABLE jobs_before;
{_SINCE_0_9}
UPDATE media SET name = '', file = NULL, error = NULL, aoi_error = NULL, run = NULL, metrics = NULL, results = NULL,
    objectives = NULL WHERE deleted_at IS NOT NULL;
UPDATE jobs SET error = NULL, payload = '{{}}'
    WHERE media_id IN (SELECT media_id FROM media WHERE deleted_at IS NOT NULL);
"""
_UPGRADES = {0: _TABLES, 1: _FROM_0_9, VERSION: ""}
"""Statements that bring a file of a version to this one."""

_ALL_COLUMNS = (
    "SELECT tables.name, columns.name FROM sqlite_master AS tables"
    " JOIN pragma_table_info(tables.name) AS columns WHERE tables.type = 'table'"
)


@cache
def _columns() -> frozenset[tuple[str, str]]:
    """Return all tables of a database with their columns."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_TABLES)
        return frozenset(connection.execute(_ALL_COLUMNS))


class Database:
    """Connections to one file, one for each thread; it is made with its tables if absent.

    Raises SetupError: the file is no database of this server, or of a newer one.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._open: dict[threading.Thread, sqlite3.Connection] = {}
        self._lock = threading.Lock()
        try:
            self.path.touch(mode=0o600)  # SQLite gives its files beside it the same mode
            with self.transaction() as connection:
                version = _version(connection)
                if version not in _UPGRADES:
                    message = f"{self.path}: was written by a newer or an unreleased mediaan; update this one"
                    raise SetupError(message, code="newer_database")
                for statement in _UPGRADES[version].split(";"):
                    connection.execute(statement)
                if version < VERSION:
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {VERSION}")
                missing = _columns() - {tuple(row) for row in connection.execute(_ALL_COLUMNS)}
                if missing:
                    raise sqlite3.DatabaseError(f"it is damaged: {'.'.join(min(missing))} is missing")
            if 0 < version < VERSION:  # what earlier versions kept of deleted media is in free pages
                with suppress(sqlite3.OperationalError):  # it needs room on the disk
                    self.connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
                    self.connection.execute("VACUUM")
                self.forget()
        except SetupError:
            self.close()
            raise
        except (sqlite3.DatabaseError, OSError) as error:
            self.close()
            raise SetupError(_trouble(self.path, error), code="bad_database") from error

    @property
    def connection(self) -> sqlite3.Connection:
        """The connection of the calling thread."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = _connect(self.path)
            with self._lock:
                for thread in [thread for thread in self._open if not thread.is_alive()]:  # as in a pool
                    self._open.pop(thread).close()
                self._open[threading.current_thread()] = connection
        return connection

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Commit what is written inside or, after an error, roll it back.

        Other writers are waited for, and none writes between what is read and what is written. Not to be nested.
        """
        connection = self.connection
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield connection
            connection.execute("COMMIT")
        finally:
            if connection.in_transaction:  # an error, also of COMMIT itself: the disk is full
                connection.execute("ROLLBACK")

    def forget(self) -> None:
        """Erase deleted content from the disk: truncate the write-ahead log, and free pages of the file.

        Deleted content is overwritten in its page when it is deleted (`secure_delete`). While others read, what is left
        waits for the next time.
        """
        connection = self.connection
        with suppress(sqlite3.OperationalError):  # another program holds it
            connection.executescript("PRAGMA incremental_vacuum")  # `execute` would give back one page alone
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()

    def close(self) -> None:
        """Close the connections of all threads; later use opens new ones."""
        with self._lock:
            for connection in self._open.values():
                connection.close()
            self._open.clear()
            self._local = threading.local()


def _version(connection: sqlite3.Connection) -> int:
    """Return the version of the tables; 0: there are none yet."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application != _APPLICATION and (application or tables):
        raise sqlite3.DatabaseError("it is another program's")
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    return int(version)


def _trouble(path: Path, error: Exception) -> str:
    if isinstance(error, sqlite3.Error) and is_held(error):
        return f"{path}: another program holds it for long ({error}); end that first"
    if getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
        return f"{path}: cannot be written, the disk is full ({error}); make room"
    if isinstance(error, sqlite3.OperationalError | OSError):  # locked, read-only, full: the place, not the file
        return f"{path}: cannot be opened ({error}); make the folder writable, or name another with --data"
    return f"{path}: is no database of a mediaan server ({error}); name another folder with --data"


@contextmanager
def database_errors(path: Path) -> Iterator[None]:
    """Turn errors of a database that cannot be read or written into a `SetupError`."""
    try:
        yield
    except sqlite3.Error as error:
        raise SetupError(_trouble(path, error), code="bad_database") from error


def _connect(path: Path) -> sqlite3.Connection:
    # check_same_thread: every thread has its own, but close() may come from another
    connection = sqlite3.connect(path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
    try:
        connection.row_factory = sqlite3.Row
        if not path.stat().st_size:  # later it would be a change, for which readers would wait
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
        # Readers and a writer do not wait for each other. Two processes that switch a new file to that can meet;
        # SQLite then fails at once instead of waiting, since neither could go on; whoever comes second finds it done.
        until = time.monotonic() + _BUSY_S
        while True:
            try:
                connection.execute("PRAGMA journal_mode = WAL")
                break
            except sqlite3.OperationalError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)
        # a killed process loses nothing; a power cut the last moments
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def is_held(error: sqlite3.Error) -> bool:
    """Tell whether an error says that another program holds the database."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def now() -> str:
    """Return the time as the service writes it: ISO 8601, UTC, to the microsecond, so that text sorts as time.

    >>> len(now()), now()[-1]
    (27, 'Z')
    """
    return ago(0)


def ago(seconds: float) -> str:
    """Return the time so many seconds ago, written in the same way."""
    return (datetime.now(UTC) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
