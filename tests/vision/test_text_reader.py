"""The text reader on rendered text: what is known to be there is found where it is, and read."""

from __future__ import annotations

import hashlib
import shutil
import socket
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from mediaan.errors import SetupError
from mediaan.saliency.onnx.registry import models_folder
from mediaan.types.aoi import Box, TextLine
from mediaan.vision.text.detection import DetectedLine, LineDetector
from mediaan.vision.text.reader import TextReader, load_text_reader
from mediaan.vision.text.recognition import LineRecogniser, RecognisedLine

FONTS = Path(__file__).resolve().parents[1] / "sample_ads" / "source" / "fonts"
Put = tuple[str, int, int, int]


def page(
    puts: list[Put], size: tuple[int, int] = (800, 500), font: str = "poppins-600"
) -> tuple[Image.Image, list[Box]]:
    """A white page with texts (text, x, y, type size), and the boxes of their ink."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    boxes = []
    for text, x, y, points in puts:
        face = ImageFont.truetype(FONTS / f"{font}.woff2", points)
        draw.text((x, y), text, fill=(20, 20, 60), font=face)
        x0, y0, x1, y1 = draw.textbbox((x, y), text, font=face)
        boxes.append(Box(x0 / size[0], y0 / size[1], x1 / size[0], y1 / size[1]))
    return image, boxes


@pytest.fixture(scope="module")
def reader() -> TextReader:
    return load_text_reader(1)


def said(lines: tuple[TextLine, ...]) -> list[str | None]:
    return [line.text for line in lines]


PAGE: list[Put] = [
    ("Fresh bread every day", 60, 40, 52),
    ("Baked before sunrise", 60, 180, 26),
    ("Order now", 500, 180, 26),
    ("Terms and conditions apply", 60, 440, 15),
]


def test_reads_what_is_there_and_where(reader: TextReader) -> None:
    image, boxes = page(PAGE)
    lines = reader.read(np.asarray(image))
    assert sorted(map(str, said(lines))) == sorted(text for text, *_ in PAGE)
    for (text, *_), box in zip(PAGE, boxes, strict=True):
        (line,) = [line for line in lines if line.text == text]
        assert line.box.iou(box) > 0.6
        assert line.confidence > 0.8


def test_large_pictures_and_small_ones_give_the_same(reader: TextReader) -> None:
    image, _ = page(PAGE[:3])
    large = image.resize((2400, 1500), Image.Resampling.BICUBIC)
    assert said(reader.read(np.asarray(large))) == said(reader.read(np.asarray(image)))


@pytest.mark.parametrize("size", [(1, 1), (9, 7), (300, 4), (200, 200)])
def test_nothing_to_read(reader: TextReader, size: tuple[int, int]) -> None:
    blank = np.full((size[1], size[0], 3), 140, np.uint8)
    assert reader.read(blank) == ()
    assert reader.find(blank) == ()


@pytest.mark.parametrize("degrees", [90, 270])
def test_text_that_runs_up_or_down(reader: TextReader, degrees: int) -> None:
    image, _ = page([("Photographed in Lisbon", 60, 40, 40)], (640, 140))
    turned = image.rotate(degrees, expand=True)
    (line,) = reader.read(np.asarray(turned))
    assert line.text == "Photographed in Lisbon"
    (x0, y0), (x1, y1) = line.corners[:2]
    assert abs(y1 - y0) > 5 * abs(x1 - x0)
    assert (y1 < y0) == (degrees == 90)


def test_slanted_text_is_a_slanted_quadrilateral(reader: TextReader) -> None:
    image, _ = page([("Half price on Sunday", 90, 200, 48)], (700, 500))
    turned = np.asarray(image.rotate(12, fillcolor="white"))
    (line,) = reader.read(turned)
    assert line.text == "Half price on Sunday"
    (x0, y0), (x1, y1) = line.corners[:2]
    assert np.degrees(np.arctan2((y0 - y1) * 500, (x1 - x0) * 700)) == pytest.approx(12, abs=2)


def test_columns_stay_apart(reader: TextReader) -> None:
    left = ["our coffee comes", "from small farms", "in the highlands"]
    right = ["roasted slowly by", "people who know", "what they do"]
    puts: list[Put] = [(text, 60, 60 + 40 * i, 24) for i, text in enumerate(left)]
    puts += [(text, 330, 60 + 40 * i, 24) for i, text in enumerate(right)]
    image, _ = page(puts, (640, 260))
    assert sorted(map(str, said(reader.read(np.asarray(image))))) == sorted(left + right)


def test_silent_and_offline(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked for")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    image, _ = page(PAGE[:1])
    assert said(TextReader(1).read(np.asarray(image))) == [PAGE[0][0]]
    assert capfd.readouterr() == ("", "")


def test_threads_are_those_asked_for() -> None:
    reader = TextReader(threads=1)
    for session in (reader._detector._session, reader._recogniser._session):
        options = session.get_session_options()
        assert options.intra_op_num_threads == 1
        assert options.get_session_config_entry("session.intra_op.allow_spinning") == "0"


def test_the_hash_is_of_the_weights(reader: TextReader) -> None:
    data = b"".join((models_folder() / f"text_{part}.onnx").read_bytes() for part in ("detection", "recognition"))
    assert reader.sha256 == hashlib.sha256(data).hexdigest()


@pytest.mark.parametrize(("damage", "code"), [(None, "model_missing"), (b"not a model", "model_corrupt")])
def test_missing_and_damaged_models_are_a_setup_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, damage: bytes | None, code: str
) -> None:
    shutil.copy(models_folder() / "manifest.toml", tmp_path)
    if damage is not None:
        (tmp_path / "text_detection.onnx").write_bytes(damage)
    monkeypatch.setenv("MEDIAAN_MODELS", str(tmp_path))
    with pytest.raises(SetupError, match="text_detection") as caught:
        TextReader(1)
    assert caught.value.code == code


@pytest.mark.parametrize(
    ("detected", "read", "expected"),
    [(0.6, 0.9, ["Vegan"]), (0.6, 0.7, [None]), (0.9, 0.7, [None]), (0.9, 0.1, [None]), (0.6, 0.4, [])],
)
def test_an_unsure_reading_gives_no_text(
    reader: TextReader, monkeypatch: pytest.MonkeyPatch, detected: float, read: float, expected: list[str | None]
) -> None:
    quad = np.array([(20, 20), (180, 20), (180, 60), (20, 60)], dtype=np.float64)
    monkeypatch.setattr(LineDetector, "detect", lambda *_: [DetectedLine(quad, detected)])
    monkeypatch.setattr(LineRecogniser, "read", lambda *_: RecognisedLine("Vegan", read, "Vegan"))
    assert said(reader.read(np.zeros((100, 200, 3), np.uint8))) == expected


def read_as(reader: TextReader, monkeypatch: pytest.MonkeyPatch, readings: list[RecognisedLine]) -> list[str | None]:
    """Texts of an image whose lines are read so."""
    rows = [float(row) for row in range(20, 20 + 40 * len(readings), 40)]
    quads = [np.array([(20, y), (180, y), (180, y + 20), (20, y + 20)]) for y in rows]
    waiting = iter(readings)
    monkeypatch.setattr(LineDetector, "detect", lambda *_: [DetectedLine(quad, 0.9) for quad in quads])
    monkeypatch.setattr(LineRecogniser, "read", lambda *_: next(waiting))
    return said(reader.read(np.zeros((40 * len(readings) + 40, 200, 3), np.uint8)))


def test_unsure_readings_among_unread_lines_are_made_up(reader: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    unread, unsure, sure = (RecognisedLine(text, c, text) for text, c in (("D1n", 0.6), ("UTN", 0.85), ("2024", 0.99)))
    assert read_as(reader, monkeypatch, [unread, unsure, unread]) == [None, None, None]
    assert read_as(reader, monkeypatch, [unread, sure, unread]) == [None, "2024", None]
    assert read_as(reader, monkeypatch, [unread, unsure, sure]) == [None, None, "2024"]
    assert read_as(reader, monkeypatch, [unread, unsure, sure, sure]) == [None, "UTN", "2024", "2024"]
    assert read_as(reader, monkeypatch, [unsure]) == ["UTN"]


def test_a_single_accent_must_be_sure(reader: TextReader, monkeypatch: pytest.MonkeyPatch) -> None:
    invented, other = RecognisedLine("Mind thē gap", 0.98, "Mind the gap"), RecognisedLine("Zürich", 0.99, "Zürich")
    assert read_as(reader, monkeypatch, [invented]) == ["Mind the gap"]
    assert read_as(reader, monkeypatch, [invented, other]) == ["Mind thē gap", "Zürich"]
    monkeypatch.undo()
    image, _ = page([("Café de la Paix", 60, 40, 52)])
    assert said(reader.read(np.asarray(image))) == ["Café de la Paix"]


@pytest.mark.parametrize(("sure", "plain"), [(0.6, "to shine"), (0.95, "to šhine")])
def test_an_unsure_accent_is_left_out_of_the_plain_text(
    reader: TextReader, monkeypatch: pytest.MonkeyPatch, sure: float, plain: str
) -> None:
    characters = reader._recogniser._characters
    steps = np.zeros((2 * len(plain), len(characters)), np.float32)
    for at, letter in enumerate("to šhine"):
        steps[2 * at, characters.index(letter)] = sure if letter == "š" else 1.0
        steps[2 * at + 1, 0] = 1.0
    monkeypatch.setattr("mediaan.vision.text.recognition.run_session", lambda *_: steps[None])
    reading = reader._recogniser.read(np.zeros((48, 96, 3), np.uint8))
    assert (reading.text, reading.plain) == ("to šhine", plain)
