"""`mediaan serve` and `serve keys` where they cannot work: a sentence that says what to do, never a traceback."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from commands import mediaan_command

from mediaan.server.service.database import Database
from mediaan.server.service.folder import DataFolder


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A data folder with a database."""
    folder = DataFolder(tmp_path / "data")
    folder.make()
    Database(folder.database).close()
    return folder.path


def secret_is_a_folder(data: Path) -> None:
    (data / "secret").mkdir()


def secret_leads_nowhere(data: Path) -> None:
    (data / "secret").symlink_to(data / "nowhere" / "secret")


def database_is_a_folder(data: Path) -> None:
    (data / "server.sqlite").unlink()
    (data / "server.sqlite").mkdir()


def lacks_a_table(data: Path) -> None:
    with closing(sqlite3.connect(data / "server.sqlite")) as connection:
        connection.execute("DROP TABLE jobs")


def lock_is_a_folder(data: Path) -> None:
    (data / "serving.sqlite").mkdir()


def incoming_is_a_file(data: Path) -> None:
    (data / "incoming").rmdir()
    (data / "incoming").write_text("")


@pytest.mark.parametrize(
    "spoil",
    [
        secret_is_a_folder,
        secret_leads_nowhere,
        database_is_a_folder,
        lacks_a_table,
        lock_is_a_folder,
        incoming_is_a_file,
    ],
)
def test_a_spoilt_data_folder_is_told_of(data: Path, tmp_path: Path, spoil: Callable[[Path], None]) -> None:
    spoil(data)
    told = mediaan_command("serve", "--data", data, "--port", 0, "--host", "192.0.2.1", cwd=tmp_path)
    assert told.returncode in (1, 2)
    assert "Traceback" not in told.stderr
    assert str(data) in told.stderr


@pytest.mark.parametrize("words", [("create", "--company", "Blue"), ("list",), ("revoke", "--company", "Blue")])
def test_keys_say_that_the_database_cannot_be_written_or_read(
    data: Path, tmp_path: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full:
        def __getattr__(self, name: str) -> Callable[..., None]:
            def fail(*_: object, **__: object) -> None:
                error = sqlite3.OperationalError("database or disk is full")
                error.sqlite_errorcode = sqlite3.SQLITE_FULL
                raise error

            return fail

    monkeypatch.setattr("mediaan.server.service.keys.Keys", lambda database: Full())
    told = mediaan_command("serve", "keys", *words, "--data", data, cwd=tmp_path)
    assert (told.returncode, "the disk is full" in told.stderr) == (1, True)


@pytest.mark.parametrize(
    "options",
    [
        ("--workers", "100000"),
        ("--workers", "0"),
        ("--max-image-bytes", str(10**30)),
        ("--max-company-bytes", str(10**30)),
        ("--host", "a" * 300),
        ("--host", ".."),
        ("--host", "no such host"),
        ("--port", "70000"),
    ],
)
def test_options_that_cannot_be_are_told_of(data: Path, tmp_path: Path, options: tuple[str, str]) -> None:
    told = mediaan_command("serve", "--data", data, "--port", 0, *options, cwd=tmp_path)
    assert told.returncode in (1, 2)
    assert "Traceback" not in told.stderr
    assert options[0] in told.stderr


@pytest.fixture(autouse=True)
def _umask() -> object:
    before = os.umask(0o077)
    os.umask(before)
    yield
    os.umask(before)
