"""The same command again: what it takes up, what it refuses, what it starts anew."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pandas as pd
import pytest
from ad_folder import BROKEN, IN_ORDER, picture, write_ads

import mediaan as mn
from mediaan.analysis.aoi_detection import _picture_matcher
from mediaan.errors import UsageError
from mediaan.run import Run
from mediaan.run.directory import clear_run, hold_run, remove_partial
from mediaan.workflow.folder.inputs import load_inputs
from mediaan.workflow.folder.work_queue import FileChanges
from mediaan.workflow.options import read_options


def settings(**more: object) -> tuple[mn.Recipe, mn.Execution]:
    recipe = mn.Recipe(model="centre-prior", maps=("heat",), densities=False, aois="none", benchmark="none")
    return read_options(recipe, mn.Execution(workers=1), more)


def analyse(ads: Path, out: Path, **more: object) -> tuple[Run, list[str], FileChanges]:
    """A run, the paths that were analysed, and what changed."""
    looked_at: list[str] = []
    seen: list[FileChanges] = []
    run = mn.analyze_folder(
        ads,
        out,
        *settings(**more),
        on_report=lambda report: looked_at.append(report.outcome.path),
        on_changes=seen.append,
    )
    return run, looked_at, seen[0]


@pytest.fixture
def ads(tmp_path: Path) -> Path:
    folder = write_ads(tmp_path / "ads")
    for file in (path for path in folder.rglob("*") if path.is_file()):
        os.utime(file, (time.time() - 1000,) * 2)
    return folder


def made(tmp_path_factory: pytest.TempPathFactory, **more: object) -> Path:
    folder = tmp_path_factory.mktemp("made")
    analyse(write_ads(folder / "ads"), folder / "run", **more)
    return folder / "run"


@pytest.fixture(scope="module")
def made_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory)


@pytest.fixture
def old_run(made_run: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made_run, tmp_path / "run"))


def test_what_is_known_is_not_analysed_again(ads: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    first, looked_at, changes = analyse(ads, out)
    assert looked_at == [path for path in IN_ORDER if path != "copy of banner.jpeg"]
    assert changes == FileChanges(analyzed=6, copies=1)
    again, looked_at, changes = analyse(ads, out)
    assert looked_at == []
    assert changes == FileChanges(unchanged=6, copies=1)
    assert first.facts["media_per_s"] > 0
    assert again.facts["media_per_s"] is None, "nothing was analysed"
    for name in ("media", "metrics", "maps", "problems"):
        pd.testing.assert_frame_equal(first.table(name), again.table(name))


def test_files_that_are_new_changed_and_gone(ads: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    analyse(ads, out)
    (ads / "banner.jpg").rename(ads / "moved.jpg")
    (ads / "spring" / "hero.png").unlink()
    picture(50).save(ads / "autumn" / "hero.png")
    picture(51).save(ads / "zebra.png")
    run, looked_at, changes = analyse(ads, out)
    assert looked_at == ["autumn/hero.png", "zebra.png"]
    assert changes == FileChanges(unchanged=4, analyzed=2, copies=1, added=2, changed=1, removed=2)
    media = run.media.set_index("path")
    assert set(media.index) == {*IN_ORDER, "moved.jpg", "zebra.png"} - {"banner.jpg", "spring/hero.png"}
    assert media.medium_id["moved.jpg"] == media.medium_id["copy of banner.jpeg"]
    anew, *_ = analyse(ads, tmp_path / "anew")
    for name in ("metrics", "drivers", "problems"):
        pd.testing.assert_frame_equal(run.table(name), anew.table(name))


def test_failures_are_tried_again_on_request_only(ads: Path, tmp_path: Path) -> None:
    out = tmp_path / "run"
    analyse(ads, out)
    assert analyse(ads, out)[1] == []
    run, looked_at, _ = analyse(ads, out, retry_failed=True)
    assert looked_at == sorted(BROKEN)
    assert run.facts["counts"]["failed"] == len(BROKEN)


def test_what_cannot_be_opened_is_always_tried_again(tmp_path: Path) -> None:
    ads, out = tmp_path / "ads", tmp_path / "run"
    ads.mkdir()
    picture(1).save(ads / "a.png")
    (ads / "b.png").symlink_to(ads / "later.png")
    run, *_ = analyse(ads, out)
    assert list(run.media.error_code.fillna("none")) == ["none", "unreadable"]
    picture(2).save(tmp_path / "b.png")
    (ads / "b.png").unlink()
    shutil.move(tmp_path / "b.png", ads / "b.png")
    run, looked_at, _ = analyse(ads, out)
    assert looked_at == ["b.png"]
    assert list(run.media.status) == ["done", "done"]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"maps": ("heat", "fog")}, "--maps heat → heat,fog"),
        ({"maps": ()}, "--maps heat → none"),
        ({"densities": True}, "--no-densities on → off"),
        ({"fps": 2.5}, "--fps 5 → 2.5"),
        ({"fast": True, "mixed": True}, "--fast off → on; --mixed off → on"),
        ({"max_side": 500}, "--max-side none → 500"),
        ({"aois": "text"}, "--aois none → text"),
        ({"model": "attention"}, "--model centre-prior → attention"),
    ],
)
def test_another_recipe_is_refused_with_what_changed(
    old_run: Path, ads: Path, more: dict[str, object], said: str
) -> None:
    before = {path: path.stat().st_mtime_ns for path in old_run.rglob("*")}
    with pytest.raises(UsageError) as caught:
        analyse(ads, old_run, **more)
    assert caught.value.code == "bad_out"
    assert f"holds a run of another recipe ({said})." in caught.value.message
    assert "--force-new" in caught.value.message
    assert {path: path.stat().st_mtime_ns for path in old_run.rglob("*")} == before


def test_force_new_removes_the_run_and_nothing_else(old_run: Path, ads: Path) -> None:
    own = [
        old_run / name for name in ("notes.txt", "maps/mine.psd", "tables/mine.xlsx", "report/logo.svg", "own/a.png")
    ]
    for path in own:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine")
    run, looked_at, changes = analyse(ads, old_run, maps=("fog",), force_new=True)
    assert len(looked_at) == changes.analyzed == 6
    assert all(path.read_text() == "mine" for path in own)
    assert {path.stem for path in old_run.glob("maps/*/*")} == {"original", "fog"}
    assert len(list(old_run.glob("parts/*/*.gz"))) == 6
    assert set(run.maps["map"]) == {"original", "fog"}


OWN_FILES = [
    "report/my_notes.pdf", "report/client/decision.csv", "report/client/index.html", "report/report_final.pdf",
    "report/photo.jpg", "report/style.css", "report/.draft.part", "report/report.pptx.bak", "report/data.json",
    "tables/mine.parquet", "tables/metrics_2023.parquet", "tables/metrics.csv", "tables/.mine.parquet.part",
    "maps/notes.json", "maps/mine-0123456789abcdef/notes.json", "maps/mine-0123456789abcdef/heat_v2.jpg",
    "maps/mine-0123456789abcdef/cut.mp4", "parts/readme.json.gz", "edits/mine.json.gz", "parts/ab/notes.txt",
    ".mine.part", ".notes.12.part", "run.json.bak", "my/run.json",
]  # fmt: skip


@pytest.mark.parametrize("name", OWN_FILES)
def test_a_new_start_removes_only_what_a_run_writes(tmp_path: Path, name: str) -> None:
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    path.write_text("mine")
    clear_run(tmp_path / "run")
    remove_partial(tmp_path / "run")
    assert path.read_text() == "mine"


@pytest.mark.parametrize("inner", [False, True])
def test_a_new_start_goes_through_no_link(old_run: Path, ads: Path, tmp_path: Path, inner: bool) -> None:
    """The folder itself is a link, or one inside it; what lies behind is named as files of runs are."""
    elsewhere = tmp_path / "elsewhere"
    names = ["run.json", "report.pdf", "metrics_old.parquet", ".index.html.12.part", "heat.jpg", f"{'0' * 32}.json.gz"]
    elsewhere.mkdir()
    for name in names:
        (elsewhere / name).write_text("mine")
    for folder in ("report", ".scratch", "maps", "tables", "parts", "edits"):
        link = old_run / folder / f"x-{'0' * 16}" if inner else old_run / folder
        if not inner:
            shutil.rmtree(link, ignore_errors=True)
        link.parent.mkdir(exist_ok=True)
        link.symlink_to(elsewhere, target_is_directory=True)
    assert analyse(ads, old_run, maps=("fog",), force_new=True)[0].facts["counts"]["done"] == 5
    assert {name: (elsewhere / name).read_text() for name in names} == dict.fromkeys(names, "mine")


@pytest.mark.parametrize(("file", "damage"), [("run.json", "{"), ("unfinished.json", '{"recipe_id": 5}')])
def test_facts_that_the_disk_has_damaged(old_run: Path, ads: Path, file: str, damage: str) -> None:
    """What was analysed is known by its parts; nothing has to be removed by hand."""
    (old_run / "run.json").unlink()
    (old_run / file).write_text(damage)
    run, looked_at, _ = analyse(ads, old_run)
    assert looked_at == []
    assert run.facts["counts"]["done"] == 5


HOLD = "import sys, time; from pathlib import Path; from mediaan.run.directory import hold_run\n" + (
    "with hold_run(Path(sys.argv[1])): print('held', flush=True); time.sleep(60)"
)


def test_a_second_writer_is_refused_until_the_first_has_died(old_run: Path, ads: Path) -> None:
    holder = subprocess.Popen([sys.executable, "-c", HOLD, old_run], stdout=subprocess.PIPE)
    assert holder.stdout.readline() == b"held\n"
    for _ in range(2):
        with pytest.raises(UsageError) as caught:
            analyse(ads, old_run)
        assert caught.value.code == "run_locked"
        assert f"process {holder.pid} on {socket.gethostname()} is writing it" in caught.value.message
    holder.kill()
    holder.communicate()
    assert analyse(ads, old_run)[2].unchanged == 6


def test_a_run_is_held_once_but_may_be_held_within(tmp_path: Path) -> None:
    refused: list[str] = []

    def hold() -> None:
        try:
            with hold_run(tmp_path / "run"):
                pass
        except UsageError as error:
            refused.append(error.code)

    with hold_run(tmp_path / "run"):
        with hold_run(tmp_path / "elsewhere" / ".." / "run"):
            pass
        other = threading.Thread(target=hold)
        other.start()
        other.join()
    assert refused == ["run_locked"], "another thread is another writer"
    hold()
    assert refused == ["run_locked"]


def test_two_that_start_at_the_same_time(ads: Path, tmp_path: Path) -> None:
    """One writes the run, the other is told so, or comes after it."""
    codes: list[str] = []
    barrier = threading.Barrier(2)

    def start() -> None:
        barrier.wait()
        try:
            analyse(ads, tmp_path / "run")
            codes.append("done")
        except UsageError as error:
            codes.append(error.code)

    threads: list[threading.Thread] = [threading.Thread(target=start) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["done", "run_locked"]
    assert mn.read_run(tmp_path / "run").facts["counts"]["done"] == 5


def test_a_logo_that_changed_since_the_run_before(tmp_path: Path) -> None:
    """In one process, as in a notebook: what is asked of media is another thing, and the new picture is looked for."""
    logo, said = tmp_path / "logo.png", tmp_path / "objectives.yaml"
    said.write_text("defaults: {brand: {name: Acme, logos: [logo.png]}}\n")
    asked, sought = [], []
    for seed in (1, 1, 2):
        picture(seed, 120, 80).save(logo)
        os.utime(logo, (seed, seed))
        briefing = load_inputs(said, None)
        asked.append(briefing.options_id("a.png", detects_aois=True))
        brand = briefing.options("a.png").brand
        assert brand is not None
        sought.append(_picture_matcher(brand))
    assert asked[0] == asked[1] != asked[2]
    assert sought[0] is sought[1] is not sought[2]


def test_what_a_killed_session_was_writing_is_swept_away(old_run: Path, ads: Path) -> None:
    half = [".run.json.123.part", "tables/.media.parquet.part", "report/.index.html.123.part", ".scratch/tmp1/film.mp4"]
    for name in half:
        (old_run / name).parent.mkdir(parents=True, exist_ok=True)
        (old_run / name).write_bytes(b"half")
    _, looked_at, _ = analyse(ads, old_run)
    assert looked_at == []
    assert not [name for name in (*half, ".scratch", "unfinished.json") if (old_run / name).exists()]
