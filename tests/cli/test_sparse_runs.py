"""Every command that reads runs, on runs whose tables are empty or whose columns hold nulls alone."""

from __future__ import annotations

import shutil
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from commands import mediaan_command
from PIL import Image, ImageDraw

RUNS = {
    "blank": ("blank.png",),
    "bare": ("blank.png", "--aois", "none", "--no-densities"),
    "failed": ("broken.png",),
    "clip": ("clip.gif",),
    "mixed": ("blank.png", "clip.gif", "broken.png"),
    "drawn": ("discs.png", "blank.png", "--aois", "areas.json"),  # of one type, on one file
    "words": ("words.png", "--aois", "text"),  # no branding, product or face
}
NOTHING_DONE = ("failed",)
FAST = ("--model", "centre-prior", "--maps", "none", "--advice", "none", "-q")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files, and a run of each sort of them."""
    folder = tmp_path_factory.mktemp("sparse")
    Image.new("RGB", (200, 150), "white").save(folder / "blank.png")
    discs, words = Image.new("RGB", (200, 150), "white"), Image.new("RGB", (400, 300), "white")
    ImageDraw.Draw(discs).ellipse((50, 30, 100, 80), "red")
    discs.save(folder / "discs.png")
    ImageDraw.Draw(words).text((40, 100), "Nothing is sold here", "black", font_size=32)
    words.save(folder / "words.png")
    frames = [Image.new("RGB", (80, 60), (20 * i, 50, 90)) for i in range(6)]
    frames[0].save(folder / "clip.gif", save_all=True, append_images=frames[1:], duration=200)
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    (folder / "areas.json").write_text('{"discs.png": [{"type": "face", "box": [0.25, 0.2, 0.5, 0.55]}]}')
    for name, arguments in RUNS.items():
        code = mediaan_command("analyze", *arguments, *FAST, "--out", name, cwd=folder).returncode
        assert code == (3 if "broken.png" in arguments else 0)
    return folder


def answer(folder: Path, *arguments: object) -> int:
    """Run a command, in this process so that an exception fails the test; a refusal must say why."""
    done = mediaan_command(*arguments, cwd=folder)
    assert done.returncode in (0, 2, 3, 4), f"{arguments}: {done.stderr}"
    assert done.returncode != 2 or len(done.stderr) > 30, arguments
    return done.returncode


@pytest.mark.parametrize("run", RUNS)
@pytest.mark.parametrize("area", ["branding", "face", "none"])
def test_trend(folder: Path, run: str, area: str) -> None:
    code = answer(
        folder, "trend", run, "--date", "run", "--aoi", area, "--out", f"trends/{run}-{area}", "--despite", "x"
    )
    assert code == (2 if run in NOTHING_DONE else 0)
    start = answer(folder, "trend", run, "--date", "run", "--aoi", area, "--time", "start", "--type", "image", "--json")
    assert start == (2 if run in ("failed", "clip") else 0)


@pytest.mark.parametrize(("run", "other"), [*combinations_with_replacement(RUNS, 2)])
def test_two_runs(folder: Path, run: str, other: str) -> None:
    """Runs that lack different things, followed and compared together."""
    images = {*RUNS} - {"failed", "clip"}
    code = answer(folder, "trend", run, other, "--date", "run", "--type", "image", "--despite", "x")
    assert code == (0 if images & {run, other} else 2)
    code = answer(
        folder, "compare", "--runs", run, "--runs", other, "--by", "run", "--metric", "all", "--type", "image"
    )
    assert code == (0 if len({run, other} & images) == 2 else 2)
    files = {name: {a for a in RUNS[name] if a.endswith((".png", ".gif"))} - {"broken.png"} for name in (run, other)}
    assert answer(folder, "drift", run, other) == (0 if files[run] & files[other] else 2)


@pytest.mark.parametrize("run", RUNS)
def test_one_run(folder: Path, run: str) -> None:
    done = run not in NOTHING_DONE
    for by in ("folder", "platform", "purpose"):
        answer(folder, "compare", run, "--by", by)
    answer(folder, "compare", run, "--metric", "branding.percentage_seen", "--out", f"compared/{run}")
    assert answer(folder, "place", run, "--as", "instagram_story", "--out", f"placed/{run}") == (0 if done else 2)
    assert answer(folder, "place", run) == 2
    for rules in ("abcd", "feed", "stills"):
        answer(folder, "check", run, "--rules", rules, "--junit", f"{run}.xml", "--out", f"{run}.csv")
    answer(folder, "benchmark", "build", run, "--out", f"{run}.parquet", "--min-n", "1")
    answer(folder, "benchmark", "build", run, "--out", f"{run}.parquet", "--by", "folder1,platform")
    answer(folder, "whatif", "blank.png", "--aois", run, "--model", "centre-prior", "--blur", "0.1,0.1,0.5,0.5")


@pytest.mark.parametrize("run", RUNS)
def test_changes_of_a_run(folder: Path, run: str) -> None:
    shutil.copytree(folder / run, folder / f"{run}-again")
    copy = f"{run}-again"
    for form in ("json", "csv", "coco", "labelstudio"):
        assert answer(folder, "aois", "export", run, "--format", form, "--out", f"{run}.{form}") == 0
        answer(folder, "aois", "apply", copy, f"{run}.{form}")
    assert answer(folder, "report", copy) == 0
    assert answer(folder, "report", copy, "--format", "pptx") == 0
    assert answer(folder, "report", copy, "--out", f"{run}.html") == 0
    answer(folder, "check", copy, "--rules", "stills", "--keep", "--strict")
    assert answer(folder, "benchmark", "apply", copy, "--benchmark", "ads", "--benchmark-despite", "x") == 0
    assert answer(folder, "benchmark", "apply", copy, "--benchmark", "none") == 0
