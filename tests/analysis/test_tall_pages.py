"""Tall pages, fold by fold: drawn targets, areas of lower folds, what is folded and what is not, memory."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from budget import budget
from PIL import Image, ImageDraw, ImageFont

import mediaan as mn
from mediaan.saliency.folds import share_reaching

SHARED = Path(__file__).resolve().parents[2].parent / "shared"
FIWI = SHARED / "data" / "gaze" / "dev" / "fiwi" / "images"
SKYSCRAPER, WIDTH, SCREEN = (160, 600), 1440, 900
DISC = (900, 2150, 90)
"""Centre and radius, px: on the third screen."""


def draw_page(path: Path, screens: float = 5.0) -> Path:
    image = Image.new("RGB", (WIDTH, round(screens * SCREEN)), (250, 250, 250))
    pen = ImageDraw.Draw(image)
    pen.text((120, 130), "Holidays by the sea", (20, 30, 60), ImageFont.load_default(72))
    x, y, r = DISC
    pen.ellipse((x - r, y - r, x + r, y + r), (220, 20, 30))
    pen.text((200, 2_960), "Book your room today", (20, 30, 60), ImageFont.load_default(48))
    image.save(path)
    return path


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> mn.Result:
    return mn.analyze(draw_page(tmp_path_factory.mktemp("page") / "page.png"), domain="page")


def test_a_disc_on_the_third_fold_gets_its_place(page: mn.Result) -> None:
    density = page.densities["total"]
    rows = density.shape[0]
    fold = slice(2 * rows // 5, 3 * rows // 5)
    down, across = np.unravel_index(density[fold].argmax(), density[fold].shape)
    y, x = (down + fold.start + 0.5) * 5 * SCREEN / rows, (across + 0.5) * WIDTH / density.shape[1]
    assert np.hypot(x - DISC[0], y - DISC[1]) < DISC[2]


def test_folds_sum_up_and_fall(page: mn.Result) -> None:
    assert [fold.fold for fold in page.folds] == [1, 2, 3, 4, 5]
    assert sum(fold.attention for fold in page.folds) == pytest.approx(100)
    assert page.folds[0].attention > 50
    viewers = [fold.viewers for fold in page.folds]
    assert viewers == sorted(viewers, reverse=True)
    assert viewers[0] == 100
    assert page.folds[0].scores["focus"] == page["focus"].value
    assert all(fold.scores["focus"] is not None for fold in page.folds)
    (note,) = [problem for problem in page.problems if problem.code == "tall_page"]
    assert "stated as a page" in note.message
    assert "5.0 screens of 1440 x 900" in note.message
    assert page.to_dict()["folds"][0]["fold"] == 1


def test_text_far_down_is_read_in_its_place_and_seen_by_few(page: mn.Result) -> None:
    found = {aoi.text.transcription: aoi for aoi in page.aois or () if aoi.text and aoi.text.transcription}
    top = next(aoi for text, aoi in found.items() if "Holidays" in text)
    low = next(aoi for text, aoi in found.items() if "Book" in text)
    assert low.box.y0 * 4500 == pytest.approx(2_965, abs=15)
    assert low.box.x0 * WIDTH == pytest.approx(200, abs=12)
    seen = {aoi.aoi_id: aoi.value("percentage_seen") for aoi in page.aois}
    assert 0 < seen[low.aoi_id] <= 100 * share_reaching(2_985 / SCREEN) < seen[top.aoi_id]
    first = {aoi.aoi_id: aoi.value("first_seen_s") for aoi in page.aois}
    assert first[low.aoi_id] is None or first[low.aoi_id] > 2 > first[top.aoi_id]
    start = {aoi.aoi_id: aoi.value("percentage_seen", "start") for aoi in page.aois}
    assert start[low.aoi_id] == 0


def test_the_first_screen_has_the_scores_that_it_has_alone(page: mn.Result, tmp_path: Path) -> None:
    draw_page(tmp_path / "page.png")
    with Image.open(tmp_path / "page.png") as image:
        image.crop((0, 0, WIDTH, SCREEN)).save(tmp_path / "screen.png")
    alone = mn.analyze(tmp_path / "screen.png", domain="page", aois="none")
    assert not alone.folds
    for score in alone.scores:
        if score.value is not None:
            assert page[score.metric].value == pytest.approx(score.value, abs=1.0), score.metric


def poster(path: Path, size: tuple[int, int]) -> Path:
    image = Image.new("RGB", size, (20, 90, 160))
    pen = ImageDraw.Draw(image)
    for i in range(6):
        y = round((0.06 + 0.15 * i) * size[1])
        pen.ellipse((0.1 * size[0], y, 0.3 * size[0], y + 0.2 * size[0]), (255, 200, 40))
        pen.text((0.36 * size[0], y), f"{7 * i + 3} %", (255, 255, 255), ImageFont.load_default(size[0] // 9))
    image.save(path)
    return path


def test_banners_and_infographics_are_seen_whole_unless_asked(tmp_path: Path) -> None:
    quick = {"aois": "none"}
    banner, infographic = poster(tmp_path / "b.png", SKYSCRAPER), poster(tmp_path / "i.png", (1200, 3000))
    assert not mn.analyze(banner, **quick).folds
    assert not mn.analyze(infographic, **quick).folds
    assert not mn.analyze(infographic, **quick, domain="design", viewport="1440x900").folds
    assert len(mn.analyze(infographic, **quick, domain="page").folds) == 4
    assert not mn.analyze(infographic, **quick, domain="page", viewport="whole").folds
    assert len(mn.analyze(banner, **quick, domain="page", viewport="160x300").folds) == 2


@pytest.mark.full
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell a process's peak")
def test_a_very_long_page_within_memory(tmp_path: Path) -> None:
    """Peak of the whole process; the decoded page alone is 52 MB."""
    draw_page(tmp_path / "long.png", screens=12_000 / SCREEN)
    code = (
        "import re, sys, mediaan as mn; from pathlib import Path; "
        "r = mn.analyze(sys.argv[1], domain='page', aois='none', maps=('heat',)); "
        # not ru_maxrss, which begins with what the process had that started this one
        r"print(len(r.folds), int(re.search(r'VmHWM:\s+(\d+)', Path('/proc/self/status').read_text())[1]) // 1024)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "long.png"], capture_output=True, text=True, check=True
    )
    folds, megabytes = map(int, done.stdout.split())
    assert folds == 14
    assert megabytes < 1000


@pytest.mark.skipif(not FIWI.is_dir(), reason="eye-tracked pages not beside the project")
def test_screens_in_a_stack_are_judged_as_alone(tmp_path: Path) -> None:
    """`models/training/page_checks.py` measures all of them against people."""
    files = sorted(FIWI.iterdir())[: budget(2, 12)]
    quick = {"aois": "none", "domain": "page", "viewport": "1360x768"}
    for upper, lower in zip(files[::2], files[1::2], strict=True):
        stack = Image.new("RGB", (1360, 1536))
        for i, path in enumerate((upper, lower)):
            with Image.open(path) as image:
                stack.paste(image.convert("RGB").resize((1360, 768)), (0, 768 * i))
        stack.crop((0, 0, 1360, 768)).save(tmp_path / "alone.png")
        stack.save(tmp_path / "stack.png")
        alone = mn.analyze(tmp_path / "alone.png", **quick).densities["total"]
        page = mn.analyze(tmp_path / "stack.png", **quick).densities["total"]
        top = page[: page.shape[0] // 2]
        assert np.corrcoef(top.ravel(), alone.ravel())[0, 1] > 0.98
