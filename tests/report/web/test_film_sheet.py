"""The film sheet: of the sample video true by its frames, and on one page whatever is in a video."""

from __future__ import annotations

import base64
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from browsing import CHROMIUM, open_medium, run_script, wait_until
from fake_areas import FakeArea, add_areas
from fake_benchmark import add_benchmark, add_checks, some_checks
from fake_run import write_fake_run
from fake_video import FakeVideo, add_videos
from pypdf import PdfReader

import mediaan as mn
from mediaan.report.entries import read_contents
from mediaan.report.pdf import render_sheets
from mediaan.report.sheets.film_chart import film_chart
from mediaan.report.sheets.film_sheet import FilmSheet, film_sheet, read_key_frames
from mediaan.report.write import read_sheets
from mediaan.run import read_run
from mediaan.run.tables.writing import replace_table
from mediaan.storage import LocalStorage
from mediaan.workflow.report import write_pdf

if TYPE_CHECKING:
    from selenium import webdriver

SPOT = Path(__file__).resolve().parents[2] / "sample_ads" / "videos" / "coffee_spot.mp4"
needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs chromium")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("spot")
    (folder / "objectives.yaml").write_text("defaults: {brand: Tolma, purpose: brand_building}\n")
    recipe = mn.Recipe(maps=("heat",), aois="all")
    settings = (recipe.replace(objectives=folder / "objectives.yaml"), mn.Execution(workers=1))
    return mn.analyze_folder(SPOT, folder / "run", *settings).path


def film_of(run: Path) -> FilmSheet:
    (sheet,) = [sheet for sheet in read_sheets(read_run(run), 100).sheets if sheet.film is not None]
    assert sheet.film is not None
    return sheet.film


def test_its_statements_are_those_of_the_frames(run: Path) -> None:
    """`Slow mornings, quick espresso.` stands from 1 to 2.4 s, `New: Tolma oil` from 2.4 to 4.8 s, a face from 4.8 to
    6.8 s, and brand and button from 6.8 to 10 s; the file has no audio track."""
    film = film_of(run)
    said = dict(film.measures)
    assert said["Brand on screen"] == "5.6 s; 56 % of the time"
    assert said["First brand moment"] == "2.4 s"
    assert said["Brand at the end"] == "yes, at the cut to the end card (6.8 s); yes, at the last frame"
    assert said["Faces"].startswith("2.0 s; first at 4.8 s; ")
    assert said["Pace"] == "4 shots; 24 a minute; first cut at 2.4 s"
    assert said["Length of shots"] == "mean 2.5 s; longest 3.2 s"
    assert said["Sound"] == "the file has no audio track"
    assert said["Message told without sound (estimate)"] == "yes"
    assert [text.verdict for text in film.texts][:2] == ["too short", "long enough"]
    assert len(film.mend) == 1
    assert "is on screen for 1.4 s" in film.mend[0]
    lanes = {lane.title: [span for span, _ in lane.bars] for lane in film.lanes}
    assert lanes["Brand"] == [pytest.approx((2.4, 4.8)), pytest.approx((6.8, 10))]
    assert lanes["Face"] == [pytest.approx((4.8, 6.8))]
    assert film.cuts == pytest.approx([2.4, 4.8, 6.8])


def test_key_frames_show_the_areas_of_their_moment(run: Path) -> None:
    (sheet,) = read_sheets(read_run(run), 100).sheets
    frames = read_key_frames(sheet, LocalStorage(run))
    shown = [{area.type for area in frame.areas.values()} for frame in frames]
    assert "headline_text" in shown[0]
    assert frames[0].at_s >= 1.0
    assert shown[2] == {"face"}
    assert {"branding", "call_to_action"} <= shown[3]
    assert all(frame.scene.start_s <= frame.at_s < frame.scene.end_s for frame in frames)


def test_the_timeline_is_to_scale(run: Path) -> None:
    film = film_of(run)
    chart = film_chart(film, 500, 150)
    x_of = {t_s: chart.plot.x + chart.plot.width * t_s / 10 for t_s in (2.4, 4.8, 6.8)}
    assert chart.cuts == pytest.approx(list(x_of.values()))
    assert chart.card.x == pytest.approx(x_of[6.8])
    face = chart.bars[-1]
    assert (face.box.x, face.box.right) == pytest.approx((x_of[4.8], x_of[6.8]), abs=0.01)
    assert all(chart.plot.y <= y <= chart.plot.bottom for curve in chart.curves for one in curve.pieces for _, y in one)


def test_a_frame_is_of_its_scene_though_the_sample_before_the_cut_stands_beyond_it(tmp_path: Path) -> None:
    """Samples at 1.8 and 2.0 s, a cut at 1.9 s: what was there at 1.8 s is gone in the new scene."""
    run = add_videos(write_fake_run(tmp_path / "run", 1), [FakeVideo(100, n=15, cuts=(10,))])
    add_areas(run, [FakeArea(1, 100, "face", (0.1, 0.1, 0.2, 0.2), 40.0, t0_s=0.0, t1_s=2.0)])
    scenes = pq.read_table(run / "tables" / "scenes.parquet").to_pylist()
    scenes[0]["end_s"] = scenes[1]["start_s"] = 1.9
    replace_table(run, "scenes", scenes)
    entry = read_contents(read_run(run)).entries[-1]
    assert entry.film is not None
    assert entry.timeline is not None
    film = film_sheet(entry.film, entry.timeline, entry.tracks, entry.film_scores)
    first, second = film.scenes
    assert film.moment_of(second) > 2.0
    assert film.areas_at(film.moment_of(second)) == {}
    assert [area.type for area in film.areas_at(film.moment_of(first)).values()] == ["face"]


@pytest.fixture(scope="module")
def crowded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A video of 60 scenes in which forty texts stand beside each other, and one that is upright."""
    folder = write_fake_run(tmp_path_factory.mktemp("crowd") / "run", 1)
    long = FakeVideo(100, n=120, cuts=tuple(range(2, 120, 2)))
    add_videos(folder, [long, FakeVideo(101, n=30)])
    words = "Many words that nobody reads in the time that they are there, and some more of them"
    texts = [
        FakeArea(
            40 + i, 100, kind, (0.1, 0.02 * i, 0.9, 0.02 * i + 0.02), 80.0 - i, f"{words} {i}", text=f"{words} {i}"
        )
        for i, kind in enumerate(("headline_text", "body_text", "call_to_action", "product", "face", "branding") * 6)
    ]
    add_areas(folder, texts)
    add_benchmark(folder)
    add_checks(folder, some_checks(1))
    return folder


def test_of_sixty_scenes_those_are_shown_that_matter(crowded: Path) -> None:
    films = [sheet.film for sheet in read_sheets(read_run(crowded), 100).sheets if sheet.film]
    film = next(film for film in films if film.left_out)
    assert (len(film.scenes), film.left_out) == (6, 54)
    assert film.scenes[0].scene_id == 0
    assert film.scenes[-1].scene_id == 59
    assert film.scenes_words.startswith("6 of 60 scenes: ")
    assert len(film.texts) == 8
    assert len(film.areas_at(0.1)) <= 6


@needs_chromium
@pytest.mark.parametrize("which", ["run", "crowded"])
def test_it_prints_on_one_page(
    which: str, request: pytest.FixtureRequest, browser: webdriver.Chrome, tmp_path: Path
) -> None:
    folder = request.getfixturevalue(which)
    report = read_sheets(read_run(folder), 100)
    page = tmp_path / "sheets.html"
    page.write_text(render_sheets(report, LocalStorage(folder)), encoding="utf-8")
    browser.get(page.as_uri())
    over = """return [...document.querySelectorAll(".sheet, .paper")]
        .filter((sheet) => sheet.scrollHeight > sheet.clientHeight + 1).map((sheet) => sheet.innerText.slice(0, 40));"""
    assert browser.execute_script(over) == []
    tall = "return [...document.querySelectorAll('.timeline')].map((one) => one.getBoundingClientRect().height)"
    assert min(browser.execute_script(tall)) > 100
    pdf = write_pdf(folder, tmp_path / "out.pdf", browser=CHROMIUM)
    assert len(PdfReader(pdf).pages) == 1 + len(report.sheets)


@needs_chromium
@pytest.mark.parametrize("which", ["run", "crowded"])
def test_the_page_of_a_video_prints_its_sheet_on_one_page(
    which: str, request: pytest.FixtureRequest, browser: webdriver.Chrome
) -> None:
    folder = request.getfixturevalue(which)
    mn.write_report(folder)
    medium = next(sheet.entry.medium_id for sheet in read_sheets(read_run(folder), 100).sheets if sheet.film)
    open_medium(browser, (folder / "report" / "index.html").as_uri(), str(medium))
    run_script(browser, "window.print = () => { window.asked = true; }")
    drawn = """return [...document.querySelectorAll('.film-paper canvas')].map((canvas) =>
        canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data[3]);"""
    for wide, high in ((8.27, 11.69), (8.5, 11.0)):  # A4 and Letter, inches
        run_script(browser, "window.asked = false; document.getElementById('print-film').click()")
        wait_until(browser, "window.asked === true")
        assert set(run_script(browser, drawn)) == {255}
        asked = {"printBackground": True, "preferCSSPageSize": True, "paperWidth": wide, "paperHeight": high}
        printed = browser.execute_cdp_cmd("Page.printToPDF", asked)
        (page,) = PdfReader(BytesIO(base64.b64decode(printed["data"]))).pages
        text = " ".join(page.extract_text().split())
        assert "What to mend" in text
        assert "told without sound" in text
        assert "← All" not in text
        assert run_script(browser, "return document.querySelectorAll('.film-paper').length") == 0, "put away again"
