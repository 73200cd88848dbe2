"""A report on paper: printed by a real browser, read back from the PDF; and what is said where none can print."""

from __future__ import annotations

import stat
import time
from itertools import pairwise
from pathlib import Path

import pytest
from browsing import CHROMIUM
from fake_areas import add_areas
from fake_run import HOSTILE, MAP_NAMES, medium_id, name_of, write_fake_run
from fake_video import FakeVideo, add_videos
from pypdf import PdfReader

from mediaan.errors import SetupError
from mediaan.report.pdf import find_browser, print_pdf
from mediaan.workflow.report import write_pdf

N = 3
needs_chromium = pytest.mark.skipif(not CHROMIUM.exists(), reason="needs chromium")


def words(text: str) -> str:
    """Text of a page without what line breaks and ligatures did to it."""
    return "".join(text.replace("ﬁ", "fi").replace("ﬂ", "fl").replace("ﬀ", "ff").split())


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("pdf") / "run", N), [FakeVideo(100)])
    pdf = write_pdf(run, browser=CHROMIUM)
    assert pdf == run / "report" / "report.pdf"
    assert not list(pdf.parent.glob("mediaan-pdf-*"))
    return pdf


@pytest.fixture(scope="module")
def pages(printed: Path) -> list[tuple[str, int]]:
    """Of a printed report, text and number of pictures of each page."""
    return [(words(page.extract_text()), len(page.images)) for page in PdfReader(printed).pages]


def sheet(pages: list[tuple[str, int]], name: str, path: str) -> int:
    """Which page a medium's sheet begins with."""
    begins = [text.startswith(words(name)[:4]) and words(path)[:8] in text[:200] for text, _ in pages]
    assert any(begins), (name, [text[:60] for text, _ in pages])
    return begins.index(True)


@needs_chromium
def test_each_medium_has_a_sheet_of_a_page_or_two_after_the_overview(pages: list[tuple[str, int]]):
    starts = sorted(sheet(pages, name_of(i), f"ads/{name_of(i)}") for i in range(N))
    assert starts[0] > 0
    assert all(later - earlier in (1, 2) for earlier, later in pairwise(starts))
    assert len(pages) - starts[0] <= 2 * (N + 1)


@needs_chromium
def test_a_sheet_holds_name_scores_and_pictures(pages: list[tuple[str, int]]):
    for i in range(N):
        first = sheet(pages, name_of(i), f"ads/{name_of(i)}")
        text = "".join(text for text, _ in pages[first : first + 2])
        assert words(f"Focus {95 - 90 * i / N:.0f}") in text
        assert words("What moved it most") in text
        assert sum(pictures for _, pictures in pages[first : first + 2]) >= len({"original", "heat", "fog"})
    assert words(HOSTILE) in "".join(text for text, _ in pages)


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
    monkeypatch.setattr("mediaan.report.pdf._PLACES", ())
    with pytest.raises(SetupError, match="install one") as error:
        find_browser(None, {"PATH": str(tmp_path)})
    assert error.value.code == "no_browser"


@needs_chromium
def test_a_pdf_of_fewer_media_says_so(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 5, maps=MAP_NAMES[:2])
    add_areas(run, ())
    pages = PdfReader(write_pdf(run, tmp_path / "few.pdf", limit=2, browser=CHROMIUM)).pages
    texts = [words(page.extract_text()) for page in pages]
    sheets = [i for i in range(5) if any(text.startswith(words(f"{name_of(i)} ads/")) for text in texts)]
    assert 1 <= len(sheets) <= 2
    assert medium_id(0) not in "".join(texts)
