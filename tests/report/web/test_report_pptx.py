"""The report as slides: opened again with python-pptx."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from fake_areas import MOVING, STILLS, FakeArea, add_areas
from fake_benchmark import add_benchmark, add_checks, some_checks
from fake_run import HOSTILE, name_of, write_fake_run
from fake_video import FakeVideo, add_videos
from PIL import Image
from pptx import Presentation
from pptx.enum.shapes import MSO_SHAPE_TYPE
from pptx.presentation import Presentation as Deck
from pptx.util import Pt

from mediaan.cli.commands.report import report
from mediaan.errors import SetupError
from mediaan.report.pdf import render_sheets
from mediaan.report.sheets.deck import PICTURE_SIDE
from mediaan.report.sheets.drawing import Paragraph, TextRun, fit_paragraphs, text_height, xml_safe
from mediaan.report.sheets.placement import SlideBox, cut_to_line, cut_to_lines, grid, text_width, wrap_lines
from mediaan.report.write import read_sheets
from mediaan.run import read_run
from mediaan.storage import LocalStorage
from mediaan.workflow.report import write_pptx

N = 6
LONG = "spring_sale_" * 20 + ".mp4"
TEXT = "word " * 100


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = add_videos(write_fake_run(tmp_path_factory.mktemp("pptx") / "run", N), [FakeVideo(100, name=LONG)])
    odd = FakeArea(20, 2, "other", (0.0, 0.0, 0.001, 0.001), 3.0, "bell \x07", text=TEXT)
    crowd = [FakeArea(30 + i, 3, "product", (0.05 * i, 0.1, 0.05 * i + 0.04, 0.2), 90.0 - i) for i in range(15)]
    add_areas(folder, (*STILLS, *MOVING, odd, *crowd))
    add_benchmark(folder)
    checks = some_checks(N)
    checks[3] = {f"{TEXT}{i}!": "failed" for i in range(12)}
    return add_checks(folder, checks)


@pytest.fixture(scope="module")
def deck(run: Path) -> Deck:
    made = write_pptx(run)
    assert made == run / "report" / "report.pptx"
    return Presentation(str(made))


def flat(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        yield shape
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from flat(shape.shapes)


def texts(slide: Any) -> str:
    found = []
    for shape in flat(slide.shapes):
        if shape.has_text_frame:
            found.append(shape.text_frame.text)
        if getattr(shape, "has_table", False):
            found += [cell.text for row in shape.table.rows for cell in row.cells]
    return "\n".join(found).replace("\u00a0", " ")


def slide_of(deck: Deck, name: str) -> Any:
    title = name[:10]
    return next(slide for slide in deck.slides if slide.shapes.title.text.startswith(title))


def test_a_title_a_table_what_failed_and_a_slide_for_each(deck: Deck) -> None:
    assert len(deck.slides) == 1 + 1 + 1 + N + 2  # a video has its film sheet beside its slide
    assert deck.slide_width == Pt(960)
    assert deck.slide_height == Pt(540)
    first = texts(deck.slides[0])
    assert "2 March 2026" in first
    assert "7 ads" in first
    assert "predictions" in first
    assert "Works" in first
    table = texts(deck.slides[1])
    assert all(xml_safe(name_of(i))[:20] in table for i in range(N))
    assert "broken" in texts(deck.slides[len(deck.slides) - 1])
    titles = [slide.shapes.title.text for slide in deck.slides]
    assert len(set(titles)) == len(titles)
    numbers = [row.cells[0].text for shape in deck.slides[1].shapes if shape.has_table for row in shape.table.rows]
    assert [titles[int(number) - 1][:12] for number in numbers[1:]] == [
        row.cells[1].text[:12] for shape in deck.slides[1].shapes if shape.has_table for row in shape.table.rows
    ][1:]


def test_nothing_leaves_its_slide_and_text_fits_its_box(deck: Deck) -> None:
    for slide in deck.slides:
        for shape in flat(slide.shapes):
            where = (slide.shapes.title.text, shape.name)
            assert shape.left >= 0, where
            assert shape.top >= 0, where
            assert shape.left + shape.width <= deck.slide_width, where
            assert shape.top + shape.height <= deck.slide_height, where
            if shape.has_text_frame and shape.text_frame.word_wrap and shape.name != "Label":
                needed = 0.0
                for paragraph in shape.text_frame.paragraphs:
                    if not paragraph.runs:
                        continue
                    size = paragraph.runs[0].font.size.pt
                    lines = wrap_lines("".join(run.text for run in paragraph.runs), shape.width.pt, size)
                    needed += len(lines) * size * 1.2
                assert needed <= shape.height.pt + 3, where


def test_boxes_do_not_lie_on_each_other(deck: Deck) -> None:
    for slide in deck.slides:
        boxes = []
        for shape in slide.shapes:
            if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
                continue
            box = SlideBox(shape.left.pt, shape.top.pt, shape.width.pt, shape.height.pt)
            for name, other in boxes:
                assert box.overlap(other) < 40, (slide.shapes.title.text, name, shape.name)
            boxes.append((shape.name, box))


def test_pictures_are_native_sharp_and_described(deck: Deck) -> None:
    pictures = [shape for shape in slide_of(deck, name_of(0)).shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert [picture.name for picture in pictures] == ["Picture", "Heatmap"]
    for slide in list(deck.slides)[2:]:
        for shape in slide.shapes:
            if shape.shape_type == MSO_SHAPE_TYPE.PICTURE:
                assert len(shape.element.nvPicPr.cNvPr.get("descr")) > 10
                assert shape.image.content_type == "image/jpeg"
                shown = shape.width / shape.height
                width, height = shape.image.size
                assert shown == pytest.approx(width / (height * (1 - shape.crop_bottom)), rel=0.02)
                assert max(width, height) <= PICTURE_SIDE


def test_areas_are_shapes_with_their_percentage(deck: Deck) -> None:
    slide = slide_of(deck, name_of(0))
    groups = {shape.name: shape for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.GROUP}
    assert set(groups) == {
        "Area 1: Headline, 80 %",
        "Area 2: Product, 63 %",
        "Area 3: Branding, 40 %",
        "Area 4: Face, 4",
    }
    picture = next(shape for shape in slide.shapes if shape.name == "Picture")
    outline = next(iter(groups["Area 1: Headline, 80 %"].shapes))
    place = [(outline.left - picture.left) / picture.width, (outline.top - picture.top) / picture.height]
    assert place == pytest.approx([0.1, 0.1], abs=0.002)
    assert outline.width / picture.width == pytest.approx(0.52, abs=0.002)
    kinds = {shape.shape_type for shape in groups["Area 2: Product, 63 %"].shapes}
    assert MSO_SHAPE_TYPE.FREEFORM in kinds
    assert "80 %" in texts(slide)
    crowded = slide_of(deck, name_of(3))
    assert sum(shape.shape_type == MSO_SHAPE_TYPE.GROUP for shape in crowded.shapes) == 10
    assert "10 of 15 areas" in texts(crowded)


@pytest.mark.parametrize(
    ("status", "word"),
    [("passed", "Passes"), ("failed", "Fails"), ("close", "Too close to call"), ("unknown", "Unknown")],
)
def test_outcomes_have_the_same_words_everywhere(tmp_path: Path, status: str, word: str) -> None:
    """On a slide, in its notes and on a page of the PDF, as in the report."""
    run = add_checks(write_fake_run(tmp_path / "run", 1, failed=False), {0: {"brand_seen!": status}})
    report = read_sheets(read_run(run), 10)
    assert [check.word for sheet in report.sheets for check in sheet.checks] == [word]
    printed = render_sheets(report, LocalStorage(run))
    assert f"{word} (required)</b>" in printed
    deck = Presentation(str(write_pptx(run)))
    assert any(f" {word} (required)" in texts(slide) for slide in deck.slides)


def test_checks_say_their_outcome_in_words_and_go_on_in_the_notes(deck: Deck) -> None:
    slide = slide_of(deck, name_of(0))
    shown = texts(slide)
    assert "✓ Passes (required): brand_seen of 0 has passed <b>here</b>." in shown
    assert "~ Too close to call: action_legible" in shown
    assert "✓  Works" in shown
    notes = slide.notes_slide.notes_text_frame.text
    assert "attention" in notes
    assert "Agreement with people: " in notes
    assert "How strongly attention gathers in few places." in notes
    many = slide_of(deck, name_of(3))
    assert "more in the notes of this slide" in texts(many)
    assert many.notes_slide.notes_text_frame.text.count("✕ Fails (required)") == 12


def test_a_video_has_key_frames_of_its_scenes(deck: Deck) -> None:
    slide = slide_of(deck, LONG)
    assert slide.shapes.title.text.endswith("…")
    names = [shape.name for shape in slide.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert names == ["Scene 1, 0.0–2.0 s", "Scene 2, 2.0–3.0 s", "Scene 3, 3.0–6.0 s"]
    frame = next(shape for shape in slide.shapes if shape.name == names[1])
    assert Image.open(BytesIO(frame.image.blob)).size == frame.image.size


def test_a_video_has_a_film_sheet_whose_timeline_is_one_group_of_native_shapes(deck: Deck) -> None:
    sheet = slide_of(deck, "Film sheet")
    before = list(deck.slides).index(sheet) - 1
    assert deck.slides[before].shapes.title.text[:12] == LONG[:12]
    timeline = next(shape for shape in sheet.shapes if shape.name == "Timeline")
    kinds = {shape.shape_type for shape in timeline.shapes}
    assert MSO_SHAPE_TYPE.FREEFORM in kinds
    assert {"Focus", "Cognitive demand", "Engagement"} <= {shape.name for shape in timeline.shapes}
    assert "Brand" in texts(timeline)
    pictures = [shape.name for shape in sheet.shapes if shape.shape_type == MSO_SHAPE_TYPE.PICTURE]
    assert [name[:7] for name in pictures] == ["Scene 1", "Scene 2", "Scene 3"]


def test_without_pictures_and_previews_there_are_slides_too(run: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    shutil.copytree(run, bare)
    for file in bare.glob("maps/*/*"):
        file.unlink()
    made = Presentation(str(write_pptx(bare, tmp_path / "bare.pptx", limit=3)))
    assert any("keeps no image" in texts(slide) for slide in made.slides)
    assert any("Shown are 3 of" in texts(slide) for slide in made.slides)


def test_the_command_goes_by_format_or_by_the_name_of_the_file(run: Path, tmp_path: Path) -> None:
    out = tmp_path / "deck.pptx"
    result = CliRunner().invoke(report, [str(run), "--out", str(out), "--limit", "2"])
    assert result.exit_code == 0, result.output
    assert result.output.startswith(f"slides: {out} (")
    assert "the 2 of 7 ads that say most" in result.output
    assert HOSTILE not in result.output
    for wrong in (["--format", "pdf", "--out", str(out)], ["--format", "pptx", "--layout", "file"]):
        assert CliRunner().invoke(report, [str(run), *wrong]).exit_code != 0


def test_without_python_pptx_the_command_to_install_it_is_named(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mediaan.report.sheets.deck", None)
    with pytest.raises(SetupError, match=r"pip install 'mediaan\[pptx\]'") as error:
        write_pptx(run)
    assert error.value.code == "no_pptx"


def test_text_is_cut_to_its_room() -> None:
    assert cut_to_line("short", 100, 10) == "short"
    cut = cut_to_line(TEXT, 100, 10)
    assert cut.endswith("…")
    assert text_width(cut, 10) <= 100
    assert len(wrap_lines(cut_to_lines(TEXT, 200, 11, 3), 200, 11)) == 3
    assert all(text_width(line, 10) <= 50 for line in wrap_lines("x" * 300, 50, 10))


@pytest.mark.parametrize("height", [12.0, 40.0, 120.0, 400.0, 2000.0])
def test_paragraphs_fit_their_box_or_say_how_many_are_left_out(height: float) -> None:
    many = [Paragraph([TextRun("Checks", bold=True)]), *(Paragraph([TextRun(TEXT)]) for _ in range(10))]
    box = SlideBox(0, 0, 300, height)
    fitted = fit_paragraphs(many, box)
    assert text_height(fitted, box.width) <= height
    if len(fitted) > 1 and fitted[-1].text.startswith("…"):
        assert int(fitted[-1].text.split()[1]) == 10 - (len(fitted) - 2)


@pytest.mark.parametrize("aspect", [0.1, 0.5, 1.0, 1.78, 4.0, 12.0])
@pytest.mark.parametrize("n", [1, 2, 3, 6])
def test_pictures_of_any_shape_leave_room_for_text(aspect: float, n: int) -> None:
    body = SlideBox(30, 88, 900, 420)
    places, used = grid([aspect] * n, body, 310)
    assert used.right <= body.right - 310
    assert used.bottom <= body.bottom + 1
    for i, place in enumerate(places):
        assert place.width / place.height == pytest.approx(aspect)
        assert all(place.overlap(other) == 0 for other in places[:i])
