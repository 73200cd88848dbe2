"""What is left over goes, and nothing else."""

from __future__ import annotations

import os
import time
from pathlib import Path
from uuid import UUID, uuid4

from asking import Asker

from mediaan.server.service.database import ago
from mediaan.server.service.sweep import sweep, sweep_uploads


def with_files(ask: Asker, *runs: str, current: str | None = None) -> UUID:
    media_id = ask.add()
    folder = ask.service.folder
    for file in (folder.source(media_id, "ad.png"), *(folder.run(media_id, run) / "run.json" for run in runs)):
        file.parent.mkdir(parents=True)
        file.write_text("")
    ask.change(media_id, file="ad.png", run=current, status="done" if current else "failed")
    return media_id


def announced(ask: Asker, age_s: float = 0.0) -> Path:
    """A file under way, whose upload was announced so long ago."""
    media_id = ask.add("video")
    with ask.service.database.transaction() as connection:
        connection.execute(
            "INSERT INTO uploads (token_hash, media_id, content_type, total_bytes, created_at) VALUES (?, ?, ?, ?, ?)",
            (media_id.bytes, str(media_id), "video/mp4", 10, ago(age_s)),
        )
    file = ask.service.folder.upload(media_id)
    file.write_bytes(b"part")
    return file


def runs(ask: Asker, media_id: UUID) -> list[str]:
    return sorted(run.name for run in ask.service.folder.run(media_id, "x").parent.iterdir())


def test_runs_that_were_replaced_or_never_ended_go(ask: Asker) -> None:
    media_id = with_files(ask, "old", "current", "half", current="current")
    unpredicted = with_files(ask, "half")
    sweep(ask.service)
    assert (runs(ask, media_id), runs(ask, unpredicted)) == (["current"], [])
    assert ask.service.folder.source(unpredicted, "ad.png").exists()


def test_a_medium_that_is_worked_on_is_left_alone(ask: Asker) -> None:
    media_id = with_files(ask, "old", "growing", current="old")
    ask.service.jobs.add(media_id, "predict", "short")
    assert ask.service.jobs.take("worker", ["short"])
    sweep(ask.service)
    assert runs(ask, media_id) == ["growing", "old"]
    ask.service.jobs.recover()
    sweep(ask.service)
    assert runs(ask, media_id) == ["old"]


def test_pictures_that_no_client_knows_of_go(ask: Asker) -> None:
    known, unknown, video = ask.add(), ask.add(), ask.add("video")
    ask.service.jobs.add(known, "predict", "short")
    ask.service.media.has_file(unknown, "ad.png")
    ask.service.folder.source(unknown, "x").parent.mkdir(parents=True)
    sweep(ask.service)
    stored = [ask.service.media.get(media_id) is not None for media_id in (known, unknown, video)]
    assert stored == [True, False, True]
    assert not ask.service.folder.medium(unknown).exists()
    assert ask.service.media.stored(1) == (0, 0)


def test_folders_of_deleted_and_unknown_media_go(ask: Asker) -> None:
    stays, deleted = with_files(ask, "r1", current="r1"), with_files(ask, "r1", current="r1")
    ask.service.media.delete(1, deleted)
    unknown = ask.service.folder.medium(uuid4())
    unknown.mkdir()
    stray = ask.service.folder.path / "media" / "notes.txt"
    stray.write_text("")
    sweep(ask.service)
    assert [path.name for path in (ask.service.folder.path / "media").iterdir()] == [str(stays)]
    assert runs(ask, stays) == ["r1"]


def test_uploads_under_way_stay_as_long_as_they_may_take(ask: Asker) -> None:
    week = ask.service.settings.upload_lifetime_s
    stays, late = announced(ask, week - 60), announced(ask, week + 60)
    form = ask.service.folder.incoming / f"{uuid4()}.form"
    form.write_bytes(b"of a server that was killed")
    sweep(ask.service)
    assert stays.read_bytes() == b"part"
    assert not late.exists()
    assert not form.exists()
    late_medium = ask.service.media.get(UUID(late.stem))
    assert late_medium.status == "init"


def test_while_the_server_runs_nothing_goes_that_somebody_may_be_writing(ask: Asker) -> None:
    growing, form = announced(ask, 1e9), ask.service.folder.incoming / f"{uuid4()}.form"
    form.write_bytes(b"just now")
    quiet = ask.service.folder.incoming / f"{uuid4()}.form"
    quiet.write_bytes(b"long ago")
    os.utime(quiet, (time.time() - 4000, time.time() - 4000))
    sweep_uploads(ask.service)
    assert growing.exists()
    assert form.exists()
    assert not quiet.exists()


def test_links_out_of_the_folder_are_not_followed(ask: Asker, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "mine").write_text("")
    link = ask.service.folder.path / "media" / str(uuid4())
    link.symlink_to(elsewhere)
    sweep(ask.service)
    assert not link.is_symlink()
    assert (elsewhere / "mine").exists()
