"""Title, client and logo over a report: on the page, on paper and on slides."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from fake_run import write_fake_run
from PIL import Image

import mediaan as mn
from mediaan.errors import UsageError
from mediaan.report.heading import LOGO_SIZE, Heading, read_heading
from mediaan.report.pdf import render_sheets
from mediaan.report.write import read_sheets, refresh_report
from mediaan.run import read_run
from mediaan.storage import LocalStorage

TITLE, ESCAPED = "Spring <b>&", "Spring &lt;b&gt;&amp;"


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return write_fake_run(tmp_path / "run", 1, maps=())


@pytest.fixture
def logo(tmp_path: Path) -> Path:
    Image.new("RGBA", (900, 300), (200, 0, 0, 128)).save(tmp_path / "acme.webp", lossless=True)
    return tmp_path / "acme.webp"


def test_a_run_keeps_what_stands_over_its_page(run: Path, logo: Path):
    page = mn.write_report(run, title=TITLE, client="Acme", logo=logo)
    refresh_report(read_run(run))
    for text in (page.read_text(), render_sheets(read_sheets(read_run(run), 1), LocalStorage(run))):
        assert f"<title>{ESCAPED}: attention report</title>" in text
        assert f">{ESCAPED}</h1>" in text
        assert "Acme ·" in text
        assert '<img class="logo" src="data:image/png;base64,' in text
    with Image.open(BytesIO(read_heading(run).png)) as image:
        assert image.size == LOGO_SIZE
        assert image.convert("RGBA").getpixel((0, 0)) == pytest.approx((200, 0, 0, 128), abs=1)
    assert "<h1>run</h1>" in mn.write_report(run, title="", client="", logo="").read_text()
    assert read_heading(run) == Heading()


def test_elsewhere_they_are_of_that_file_alone(run: Path, logo: Path, tmp_path: Path):
    pptx = pytest.importorskip("pptx")
    mn.write_report(run, client="Acme")
    away = mn.write_report(run, out=tmp_path / "away.html", title=TITLE).read_text()
    assert (f"<h1>{ESCAPED}</h1>" in away, "Acme ·" in away) == (True, True)
    deck = pptx.Presentation(str(mn.write_pptx(run, title=TITLE, logo=logo)))
    shapes = {shape.name: shape for shape in deck.slides[0].shapes}
    assert shapes["Title 1"].text_frame.text == TITLE
    assert shapes["Facts"].text_frame.text.startswith("Acme · ")
    assert shapes["Logo"].width == pytest.approx(3 * shapes["Logo"].height, rel=0.01)
    assert read_heading(run) == Heading(client="Acme")


def test_a_logo_that_is_no_image_changes_nothing(run: Path, tmp_path: Path):
    text = tmp_path / "logo.png"
    text.write_text("no image")
    with pytest.raises(UsageError, match=r"logo\.png: the logo cannot be read"):
        mn.write_report(run, title=TITLE, logo=text)
    assert read_heading(run) == Heading()
