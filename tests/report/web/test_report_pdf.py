"""A report on paper: printed by a real browser, read back from the PDF; and what is said where none can print."""

from __future__ import annotations

import stat
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import CHROMIUM
from fake_areas import MOVING, STILLS, FakeArea, add_areas
from fake_benchmark import add_benchmark, add_checks, some_checks
from fake_run import HOSTILE, MAP_NAMES, name_of, write_fake_run
from fake_video import FakeVideo, add_videos
from pypdf import PdfReader

from mediaan.errors import SetupError
from mediaan.media.installed_browser import find_browser
from mediaan.report.pdf import front_pages, print_pdf, render_sheets
from mediaan.report.write import read_sheets
from mediaan.run import read_run
from mediaan.storage import LocalStorage
from mediaan.workflow.report import write_pdf

if TYPE_CHECKING:
    from selenium import webdriver

N = 6
LONG = "spring_sale_" * 20 + ".mp4"
TEXT = "word " * 60
needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs chromium")


def words(text: str) -> str:
    """Text of a page without what line breaks and ligatures did to it."""
    return "".join(text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").split())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with a video, a medium with very many checks, and one with very many areas."""
    folder = add_videos(write_fake_run(tmp_path_factory.mktemp("pdf") / "run", N), [FakeVideo(100, name=LONG)])
    crowd = [FakeArea(30 + i, 3, "product", (0.02 * i, 0.1, 0.02 * i + 0.01, 0.2), 90.0 - i) for i in range(40)]
    add_areas(folder, (*STILLS, *MOVING, *crowd))
    add_benchmark(folder)
    checks = some_checks(N)
    checks[3] = {f"{TEXT}{i}!": "failed" for i in range(14)}
    return add_checks(folder, checks)


@pytest.fixture(scope="module")
def printed(run: Path) -> Path:
    pdf = write_pdf(run, browser=CHROMIUM)
    assert pdf == run / "report" / "report.pdf"
    assert not list(pdf.parent.glob("mediaan-pdf-*"))
    return pdf


@pytest.fixture(scope="module")
def pages(printed: Path) -> list[tuple[str, int]]:
    """Of a printed report, text and number of pictures of each page."""
    return [(words(page.extract_text()), len(page.images)) for page in PdfReader(printed).pages]


@needs_chromium
def test_there_is_a_front_page_then_a_page_for_each_medium(pages: list[tuple[str, int]]):
    assert len(pages) == 1 + N + 1
    front = pages[0][0]
    assert "2March2026" in front
    assert "7ads" in front
    assert "predictions" in front
    assert "Notanalyzed:Thefileends" in front
    names = [name for name in (*map(name_of, range(N)), LONG) if name.isascii()]  # others want fonts
    for name in names:
        assert words(name)[:12] in front
        assert [words(name)[:12] in text[:60] for text, _ in pages[1:]].count(True) == 1


@needs_chromium
def test_the_front_page_says_which_page_is_whose(pages: list[tuple[str, int]]):
    front, *media = (text for text, _ in pages)
    for number, text in enumerate(media, 2):
        assert f"{number}{text[:6]}" in front


@needs_chromium
def test_a_page_holds_verdict_checks_areas_scores_and_pictures(pages: list[tuple[str, int]]):
    text, pictures = next(page for page in pages[1:] if page[0].startswith("springhero"))
    assert "✓Works" in text
    assert "Passes(required):brand_seenof0haspassed<b>here</b>." in text
    assert "Focus95±3" in text
    assert "HeadlineBigsale80±4%" in text
    assert "beats" in text
    assert pictures >= 2
    assert words(HOSTILE) in "".join(text for text, _ in pages)


@needs_chromium
def test_everything_fits_its_page(run: Path, browser: webdriver.Chrome, tmp_path: Path):
    page = tmp_path / "sheets.html"
    page.write_text(render_sheets(read_sheets(read_run(run), 100), LocalStorage(run)), encoding="utf-8")
    browser.get(page.as_uri())
    browser.execute_async_script("document.fonts.ready.then(() => setTimeout(arguments[0], 50))")
    over = """return [...document.querySelectorAll(".sheet, .paper")]
        .filter((sheet) => sheet.scrollHeight > sheet.clientHeight + 1).map((sheet) => sheet.innerText.slice(0, 40));"""
    assert browser.execute_script(over) == []
    low = """return [...document.querySelectorAll(".sheet[data-largest] .frame")]
        .filter((frame) => frame.clientHeight < 100).length;"""
    assert browser.execute_script(low) == 0
    assert browser.execute_script("return document.querySelectorAll('.areas-more:not([hidden])').length") == 1
    rows = """return [...document.querySelectorAll(".sheet[data-medium]")].map((sheet) =>
        new Set([...sheet.querySelectorAll("figure")].map((one) => one.offsetTop)).size);"""
    assert max(browser.execute_script(rows)[:N]) == 1
    off = """return [...document.querySelectorAll(".frame")].filter((frame) => {
        const [box, sheet] = [frame, frame.closest(".sheet")].map((one) => one.getBoundingClientRect());
        return box.right > sheet.right + 1; }).length;"""
    assert browser.execute_script(off) == 0


def test_a_long_table_goes_on_on_further_pages():
    rows: list[Any] = [object() for _ in range(100)]
    pages = list(front_pages(rows, rows[:3]))
    assert len(pages) == 3
    assert [row for page in pages for row in page][:2] == [(4, rows[0]), (5, rows[1])]
    assert sum(map(len, pages)) == 103
    assert list(front_pages([], [])) == [[]]
    assert [len(page) for n in (28, 29) for page in front_pages(rows[:n], [])] == [28, 24, 5]


@needs_chromium
def test_it_is_a4_and_says_nothing_of_where_it_was_printed(printed: Path, pages: list[tuple[str, int]]):
    sizes = {(round(page.mediabox.width), round(page.mediabox.height)) for page in PdfReader(printed).pages}
    assert sizes == {(595, 842)}  # points
    text = "".join(text for text, _ in pages)
    assert "mediaan-pdf" not in text
    assert "mediaancheck" not in text


def program(folder: Path, body: str) -> Path:
    made = folder / "browser"
    made.write_text(f"#!/bin/sh\n{body}\n")
    made.chmod(made.stat().st_mode | stat.S_IXUSR)
    return made


def test_a_browser_that_hangs_is_ended_in_time(tmp_path: Path):
    browser, began = program(tmp_path, "sleep 60"), time.monotonic()
    with pytest.raises(SetupError, match=r"printed no PDF within 0\.5 s") as error:
        print_pdf("<p>", tmp_path / "out.pdf", browser, 0.5)
    assert error.value.code == "no_pdf"
    assert time.monotonic() - began < 20
    assert sorted(file.name for file in tmp_path.iterdir()) == ["browser"]


def test_what_a_browser_said_is_told_and_an_earlier_pdf_stays(tmp_path: Path):
    (tmp_path / "out.pdf").write_bytes(b"earlier")
    with pytest.raises(SetupError, match="no such display"):
        print_pdf("<p>", tmp_path / "out.pdf", program(tmp_path, "echo no such display >&2"), 20)
    assert (tmp_path / "out.pdf").read_bytes() == b"earlier"


def test_a_browser_gets_no_network_and_no_profile_of_its_user(tmp_path: Path):
    print_pdf(
        "<p>",
        tmp_path / "out.pdf",
        program(
            tmp_path,
            f'echo "$@" > {tmp_path}/said; for a; do case $a in --print-to-pdf=*) echo x > "${{a#*=}}";; esac; done',
        ),
        20,
    )
    said = (tmp_path / "said").read_text()
    assert "--host-resolver-rules=MAP * ~NOTFOUND" in said
    assert f"--user-data-dir={tmp_path}/mediaan-pdf-" in said
    assert (tmp_path / "out.pdf").read_text() == "x\n"


def test_a_browser_is_found_by_option_then_variable_then_name(tmp_path: Path):
    chrome = program(tmp_path, "true").rename(tmp_path / "google-chrome")
    other = program(tmp_path, "true").rename(tmp_path / "other")
    path = {"PATH": str(tmp_path)}
    assert find_browser(None, path) == chrome
    assert find_browser(None, path | {"MEDIAAN_BROWSER": "other"}) == other
    assert find_browser(chrome, path | {"MEDIAAN_BROWSER": "other"}) == chrome
    with pytest.raises(SetupError, match="MEDIAAN_BROWSER missing: no such program"):
        find_browser(None, path | {"MEDIAAN_BROWSER": "missing"})


def test_without_a_browser_what_to_install_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("mediaan.media.installed_browser._PLACES", ())
    with pytest.raises(SetupError, match="install one") as error:
        find_browser(None, {"PATH": str(tmp_path)})
    assert error.value.code == "no_browser"


@needs_chromium
def test_a_pdf_of_fewer_media_says_so(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 5, maps=MAP_NAMES[:2])
    add_areas(run, ())
    pages = PdfReader(write_pdf(run, tmp_path / "few.pdf", limit=2, browser=CHROMIUM)).pages
    assert len(pages) <= 3
    assert "Shownare2of" in words(pages[0].extract_text())
