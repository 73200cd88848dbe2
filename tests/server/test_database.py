"""The database: opened by many at once, kept whole, never another program's."""

from __future__ import annotations

import multiprocessing
import sqlite3
import stat
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from mediaan.errors import SetupError
from mediaan.server.service import database as server_database
from mediaan.server.service.database import Database, now


@pytest.fixture
def database(tmp_path: Path) -> Database:
    return Database(tmp_path / "server.sqlite")


def names(database: Database) -> list[str]:
    return [row["name"] for row in database.connection.execute("SELECT name FROM companies ORDER BY company_id")]


def add(database: Database, name: str) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO companies (name, created_at) VALUES (?, ?)", (name, now()))


def test_what_was_written_is_there_when_it_is_opened_again(database: Database) -> None:
    add(database, "Blue")
    database.close()
    assert names(Database(database.path)) == ["Blue"]
    assert names(database) == ["Blue"], "who asks after close() gets a new connection"
    database.close()


def write_and_fail(database: Database) -> None:
    with database.transaction() as connection:
        connection.execute("INSERT INTO companies (name, created_at) VALUES ('Blue', '')")
        raise ZeroDivisionError


def commit_and_fail(database: Database) -> None:
    """A reference that is only checked at the end makes COMMIT itself fail, as a full disk would."""
    with database.transaction() as connection:
        connection.execute("PRAGMA defer_foreign_keys = ON")
        connection.execute("INSERT INTO keys (key_id, company_id, hash, created_at) VALUES ('a', 99, x'00', '')")


@pytest.mark.parametrize(
    ("fail", "error"), [(write_and_fail, ZeroDivisionError), (commit_and_fail, sqlite3.IntegrityError)]
)
def test_after_an_error_nothing_stays_and_the_connection_is_of_use(
    database: Database, fail: Callable[[Database], None], error: type[Exception]
) -> None:
    with pytest.raises(error):
        fail(database)
    assert names(database) == []
    add(database, "Red")
    assert names(database) == ["Red"]
    database.close()


def test_a_file_of_the_version_before_is_brought_to_this_one(tmp_path: Path) -> None:
    path = tmp_path / "server.sqlite"
    with closing(sqlite3.connect(path)) as before:
        before.executescript(
            server_database._TABLES.replace(", 'report')", ")")
            .replace(server_database._SINCE_0_9, "")
            .replace(
                ",\n    company_id INTEGER NOT NULL REFERENCES companies,"
                "\n    payload_bytes INTEGER NOT NULL DEFAULT 0\n);\nCREATE INDEX jobs",
                "\n);\nCREATE INDEX jobs",
            )
            .replace("(state, lane, company_id, job_id)", "(state, lane, job_id)")
        )
        before.execute(f"PRAGMA application_id = {server_database._APPLICATION}")
        before.execute("PRAGMA user_version = 1")
        before.execute("INSERT INTO companies VALUES (1, 'Blue', '')")
        columns = "media_id, company_id, kind, name, content_type, size_bytes, created_at, updated_at"
        before.execute(f"INSERT INTO media ({columns}) VALUES ('m', 1, 'image', 'a', 'image/png', 1, '', '')")
        columns = "job_id, media_id, kind, lane, payload, created_at"
        insert = f"INSERT INTO jobs ({columns}) VALUES ({{}}, 'm', '{{}}', 'short', '{{{{}}}}', '')"
        before.execute(insert.format(7, "predict"))
        with pytest.raises(sqlite3.IntegrityError):
            before.execute(insert.format(8, "report"))
        before.commit()
    for _ in range(2):
        database = Database(path)
        with database.transaction() as connection:
            columns = "media_id, kind, lane, payload, created_at, company_id"
            connection.execute(f"INSERT INTO jobs ({columns}) VALUES ('m', 'report', 'short', '{{}}', '', 1)")
            assert connection.execute("SELECT count(*) FROM sessions").fetchone()[0] == 0
        database.close()
    with closing(sqlite3.connect(path)) as after:
        assert after.execute("SELECT job_id, kind, company_id FROM jobs").fetchall() == [
            (7, "predict", 1),
            (8, "report", 1),
            (9, "report", 1),
        ]
        assert after.execute("PRAGMA user_version").fetchone() == (server_database.VERSION,)
        with pytest.raises(sqlite3.IntegrityError):  # the index came along
            after.execute(insert.format("NULL", "predict"))


def test_nobody_else_may_read_it(database: Database) -> None:
    add(database, "Blue")
    files = sorted(database.path.parent.glob("server.sqlite*"))
    assert [file.name for file in files] == ["server.sqlite", "server.sqlite-shm", "server.sqlite-wal"]
    assert [stat.S_IMODE(file.stat().st_mode) for file in files] == [0o600] * 3
    database.close()


def open_and_add(path: Path, name: str) -> None:
    database = Database(path)
    add(database, name)
    database.close()


def test_many_processes_can_make_it_at_the_same_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=open_and_add, args=(tmp_path / "server.sqlite", f"company {i}")) for i in range(6)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    assert [process.exitcode for process in processes] == [0] * 6
    database = Database(tmp_path / "server.sqlite")
    assert sorted(names(database)) == [f"company {i}" for i in range(6)]
    database.close()


def test_what_was_read_in_a_transaction_is_still_so_when_it_writes(database: Database) -> None:
    def count_on(times: int) -> None:
        for _ in range(times):
            with database.transaction() as connection:
                (known,) = connection.execute("SELECT count(*) FROM companies").fetchone()
                connection.execute("INSERT INTO companies (name, created_at) VALUES (?, '')", (str(known),))

    threads = [threading.Thread(target=count_on, args=(25,)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert names(database) == [str(i) for i in range(100)]
    database.close()


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "server.sqlite"
    file.write_bytes(b"something else entirely" * 100)
    with pytest.raises(SetupError) as caught:
        Database(file)
    assert caught.value.code == "bad_database"
    assert str(file) in caught.value.message
    assert file.read_bytes() == b"something else entirely" * 100


@pytest.mark.parametrize("statement", ["CREATE TABLE media (title TEXT)", "PRAGMA application_id = 7"])
def test_another_program_s_database_is_left_alone(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "server.sqlite"
    other = sqlite3.connect(file)
    other.execute(statement)
    other.close()
    with pytest.raises(SetupError, match="another program's"):
        Database(file)
    other = sqlite3.connect(file)
    assert other.execute("SELECT count(*) FROM sqlite_master WHERE name = 'jobs'").fetchone() == (0,)
    other.close()


def test_a_newer_version_s_database_is_refused(database: Database) -> None:
    database.connection.execute("PRAGMA user_version = 99")
    database.close()
    with pytest.raises(SetupError) as caught:
        Database(database.path)
    assert caught.value.code == "newer_database"


def test_a_database_that_another_program_holds_is_said(database: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_database, "_BUSY_S", 0.05)
    with database.transaction(), pytest.raises(SetupError, match="another program holds it"):
        Database(database.path)
