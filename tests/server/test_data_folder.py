"""The data folder: one server at a time, a secret, names that lead nowhere else."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from pathlib import Path
from uuid import uuid4

import pytest

from mediaan.errors import SetupError
from mediaan.server.service.folder import DataFolder, file_name

HOLD = """
import subprocess, sys, time
from pathlib import Path
from mediaan.server.service.folder import DataFolder
held = DataFolder(Path(sys.argv[1])).hold()
print(subprocess.Popen(["sleep", "60"]).pid, flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    folder = DataFolder(tmp_path / "data")
    folder.make()
    return folder


def test_it_is_this_user_s_alone(folder: DataFolder) -> None:
    folder.secret()
    folder.hold().close()
    paths = [
        folder.path,
        folder.incoming,
        folder.path / "media",
        folder.path / "secret",
        folder.path / "serving.sqlite",
    ]
    assert [stat.S_IMODE(path.stat().st_mode) for path in paths] == [0o700, 0o700, 0o700, 0o600, 0o600]


def test_the_secret_is_made_once_and_differs_between_folders(folder: DataFolder, tmp_path: Path) -> None:
    secret = folder.secret()
    assert len(secret) == 32
    assert folder.secret() == DataFolder(folder.path).secret() == secret
    other = DataFolder(tmp_path / "other")
    other.make()
    assert other.secret() != secret
    assert sorted(path.name for path in folder.path.iterdir()) == ["incoming", "media", "secret"]


def test_processes_that_make_the_secret_at_the_same_time_agree(folder: DataFolder) -> None:
    script = (
        "import sys; from pathlib import Path; from mediaan.server.service.folder import DataFolder;"
        "print(DataFolder(Path(sys.argv[1])).secret().hex())"
    )
    processes = [
        subprocess.Popen([sys.executable, "-c", script, folder.path], stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    assert len({process.communicate()[0] for process in processes}) == 1


@pytest.mark.parametrize("content", [b"", b"short", b"x" * 33])
def test_a_damaged_secret_signs_nothing(folder: DataFolder, content: bytes) -> None:
    """An empty one above all: anybody could sign with it."""
    (folder.path / "secret").write_bytes(content)
    with pytest.raises(SetupError) as caught:
        folder.secret()
    assert caught.value.code == "bad_secret"


def test_a_second_server_is_kept_out_until_the_first_ends(folder: DataFolder) -> None:
    held = folder.hold()
    with pytest.raises(SetupError) as caught:
        folder.hold()
    assert caught.value.code == "data_folder_in_use"
    held.close()
    folder.hold().close()


def test_a_child_of_a_server_that_was_killed_does_not_hold_it(folder: DataFolder) -> None:
    """Workers may outlive their server by a moment."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, folder.path], stdout=subprocess.PIPE, text=True)
    child = int(process.stdout.readline())
    try:
        process.kill()
        process.wait()
        os.kill(child, 0)  # it lives
        folder.hold().close()
    finally:
        os.kill(child, signal.SIGKILL)
        process.stdout.close()


def test_discarding_removes_one_medium_with_all_its_files(folder: DataFolder) -> None:
    gone, stays = uuid4(), uuid4()
    for media_id in (gone, stays):
        for file in (folder.source(media_id, "ad.png"), folder.run(media_id, "r1") / "run.json"):
            file.parent.mkdir(parents=True)
            file.write_text("")
        folder.upload(media_id).write_text("")
    folder.discard(gone)
    folder.discard(gone)
    assert not folder.medium(gone).exists()
    assert not folder.upload(gone).exists()
    assert folder.source(stays, "ad.png").exists()
    assert folder.upload(stays).exists()


HOSTILE = [
    "", ".", "..", "...", "/", "../../etc/passwd", "..\\..\\windows\\win.ini", "C:\\ad.png", "C:ad.png",
    "/etc/passwd", "a/../../b.png", "ad.png\0.exe", "ad\n.png", "\x1b[31mad.png", "\u202egnp.da", "\ud800.png",
    "ad.png/", " ad.png ", "ad.png.", ".png", ".htaccess", "-rf.png", "~root", "$(reboot).png", "a|b>c.png",
    "x" * 119 + " .y" * 50, "x" * 119 + " " + "y" * 50, "ad." + "x" * 5000, "x" * 5000 + ".png", "ü" * 5000 + ".png",
    "👩‍👩‍👧‍👦" * 100 + ".webp", "ad.äöüäöüäö", "\N{FULLWIDTH FULL STOP}\N{FULLWIDTH FULL STOP}",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_becomes_a_plain_one_in_its_folder(tmp_path: Path, name: str) -> None:
    safe = file_name(name, "image.png")
    assert 0 < len(safe.encode()) <= 120
    assert safe.isprintable()
    assert not set(safe) & set('/\\<>:"|?*\0')
    assert safe == safe.strip(" .")
    file = tmp_path / "source" / safe
    assert file.resolve().parent == (tmp_path / "source").resolve()
    file.parent.mkdir()
    file.write_bytes(b"")
    assert [path.name for path in file.parent.iterdir()] == [safe], "the file system takes it as it is"
    assert file_name(safe, "image.png") == safe, "what is safe stays"
