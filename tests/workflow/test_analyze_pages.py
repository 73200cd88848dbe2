"""Web pages as media of a run: pictures that are kept, failures that are rows, options that take pictures again."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import mediaan_command
from web_pages import needs_web, served_pages

import mediaan as mn
from mediaan.media.pages.browser import PageCamera

FAST = {"maps": (), "aois": "none", "advice": "none", "model": "centre-prior"}
OPTIONS = ("--maps", "none", "--aois", "none", "--model", "centre-prior")


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with served_pages() as address:
        yield address


def host(site: str) -> str:
    return site.removeprefix("http://").replace(":", "_")


@needs_web
def test_pages_beside_files_are_rows_with_folds_or_reasons(site: str, tmp_path: Path, data_image: Path) -> None:
    listed = tmp_path / "pages.txt"
    listed.write_text(f"# two\n{site}/shop\n{site}/missing\n")
    done = mediaan_command(
        "analyze", f"@{listed}", data_image, f"{site}/cookies", "--out", "run", *OPTIONS, cwd=tmp_path
    )
    assert done.returncode == 3
    run = mn.read_run(tmp_path / "run")
    media = run.media.set_index("path")
    at = host(site)
    assert list(media.index) == sorted(
        [
            data_image.name,
            *(
                f"{at}/{page}.{screen}.png"
                for page in ("shop", "missing", "cookies")
                for screen in ("desktop", "phone")
            ),
        ]
    )
    failed = media[media["status"] == "failed"]
    assert set(failed.index) == {f"{at}/missing.desktop.png", f"{at}/missing.phone.png"}
    assert set(failed["error_code"]) == {"page_refused"}
    assert done.stderr.count(f"{site}/missing: answers with the status 404") == 1
    pages = media[media["status"] == "done"].drop(data_image.name)
    assert set(run.folds["medium_id"]) == set(
        pages.loc[[f"{at}/shop.desktop.png", f"{at}/shop.phone.png"], "medium_id"]
    )
    layers = run.problems[run.problems["code"] == "page_layer"]
    assert set(layers["path"]) == {f"{at}/cookies.desktop.png", f"{at}/cookies.phone.png"}
    assert "--click" in done.stderr
    for path in pages.index:
        assert (tmp_path / "run" / "pages" / path).is_file()


@needs_web
def test_pictures_are_kept_until_other_clicks_are_asked(
    site: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[str] = []
    original = PageCamera.take

    def counting(self: PageCamera, picture: object) -> object:
        taken.append(picture.name)  # type: ignore[attr-defined]
        return original(self, picture)  # type: ignore[arg-type]

    monkeypatch.setattr(PageCamera, "take", counting)

    def analyze(**options: object) -> mn.Run:
        taken.clear()
        return mn.analyze_folder(f"{site}/cookies", tmp_path / "run", viewport="500x400", **FAST, **options)

    first = analyze().media.iloc[0]
    assert (first["path"], len(taken)) == (f"{host(site)}/cookies.500x400.png", 1)
    assert analyze().media.iloc[0]["medium_id"] == first["medium_id"]
    assert not taken
    closed = analyze(click=["Accept all"])
    assert len(taken) == 1
    assert closed.media.iloc[0]["medium_id"] != first["medium_id"]
    assert not (closed.problems["code"] == "page_layer").any()
    assert analyze().media.iloc[0]["medium_id"] == closed.media.iloc[0]["medium_id"]
    assert not taken
    assert analyze(force_new=True).media.iloc[0]["medium_id"] == first["medium_id"]  # the same page, the same picture
    assert len(taken) == 1
    again = mn.analyze_folder(tmp_path / "run" / "pages", tmp_path / "other", **FAST)
    assert list(again.media["medium_id"]) == [first["medium_id"]]


@needs_web
def test_pages_can_be_looked_at_where_a_loop_of_events_runs(site: str, tmp_path: Path) -> None:
    """As in a notebook."""
    import asyncio

    async def cell() -> mn.Run:
        return mn.analyze_folder([f"{site}/plain"], tmp_path / "run", viewport="500x400", **FAST)

    assert list(asyncio.run(cell()).media["status"]) == ["done"]


@needs_web
@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_ends_with_what_is_done_and_no_browser(site: str, tmp_path: Path) -> None:
    pages = [f"{site}/{'plain' if i == 0 else 'unfinished'}?{i}" for i in range(9)]
    command = [sys.executable, "-m", "mediaan", "analyze", *pages, "--out", "run", "--viewport", "500x400", *OPTIONS]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True, text=True)
    while not list((tmp_path / "run" / "pages").rglob("*.png")):
        assert process.poll() is None
        time.sleep(0.1)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the browser, too
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 130
    assert "interrupted" in errors
    assert "Traceback" not in errors
    assert not any("failed" in line for line in errors.splitlines())


def test_addresses_are_for_analyze_and_for_runs_on_this_machine(tmp_path: Path) -> None:
    for arguments in (["compare", "https://a.example", "b.png"], ["whatif", "https://a.example"]):
        done = mediaan_command(*arguments, cwd=tmp_path)
        assert done.returncode == 2
    with pytest.raises(mn.UsageError, match="on this machine"):
        mn.analyze_folder("https://a.example", "s3://bucket/run")
    with pytest.raises(mn.UsageError, match="cannot find"):  # a path is never an address: nor on the server
        mn.analyze_folder(Path("https://a.example"), tmp_path / "run")
    with pytest.raises(mn.UsageError, match="analyze_folder takes those"):
        mn.analyze("https://a.example")
    with pytest.raises(mn.UsageError, match="no host"):
        mn.analyze_folder("https:///", tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.fixture
def data_image() -> Path:
    return Path(__file__).parents[1] / "sample_ads" / "ads" / "serum_square.jpg"
