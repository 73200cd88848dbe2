"""From probabilities to quadrilaterals, from words to lines, and spaces between words."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.vision.text import recognition
from mediaan.vision.text.detection import DetectedLine, detect_regions, join_words
from mediaan.vision.text.recognition import LineRecogniser, rectify_line


def rectangle(x: float, y: float, width: float, height: float, degrees: float = 0.0) -> Float64:
    turn = np.radians(degrees)
    axes = np.array([(np.cos(turn), np.sin(turn)), (-np.sin(turn), np.cos(turn))])
    return np.array([(0, 0), (width, 0), (width, height), (0, height)]) @ axes + (x, y)


def island(probability: float = 0.9) -> Float32:
    plane = np.zeros((100, 300), np.float32)
    plane[40:60, 50:250] = probability
    return plane


def test_an_island_grows_by_its_area_over_its_perimeter() -> None:
    (line,) = detect_regions(island())
    width, height = 200, 20  # of the island, 199 x 19 between pixel centres, one more by the dilation
    margin = 1.6 * width * height / (2 * (width + height))
    assert line.quad[0] == pytest.approx((49.5 - margin, 39.5 - margin), abs=1.0)
    assert line.quad[2] == pytest.approx((249.5 + margin, 59.5 + margin), abs=1.0)
    assert line.confidence == pytest.approx(0.9, abs=0.05)


def test_faint_and_thin_islands_are_none() -> None:
    assert detect_regions(island(0.45)) == []
    thin = np.zeros((100, 300), np.float32)
    thin[50:51, 50:250] = 0.9
    assert detect_regions(thin) == []


def test_a_frame_around_text_does_not_hide_it() -> None:
    plane = island()
    plane[5:95:89, 5:295] = 0.9
    plane[5:95, 5:295:289] = 0.9
    inner = [line for line in detect_regions(plane) if line.quad[:, 1].min() > 20]
    assert len(inner) == 1


def test_tall_islands_run_upwards() -> None:
    plane = np.zeros((300, 100), np.float32)
    plane[50:250, 40:60] = 0.9
    (line,) = detect_regions(plane)
    assert line.quad[0, 1] > line.quad[1, 1]
    assert line.quad[0, 0] == pytest.approx(line.quad[1, 0], abs=1e-3)


def lines(*quads: Float64) -> list[DetectedLine]:
    return [DetectedLine(quad, 0.8) for quad in quads]


def test_words_a_blank_apart_are_one_line() -> None:
    (line,) = join_words(lines(rectangle(10, 10, 100, 20), rectangle(110.5, 11, 60, 19)))
    assert line.quad.min(axis=0) == pytest.approx((10, 10))
    assert line.quad.max(axis=0) == pytest.approx((170.5, 30))


@pytest.mark.parametrize(
    "other",
    [
        rectangle(130, 10, 60, 20),  # a column
        rectangle(111, 25, 60, 20),  # the next line
        rectangle(111, 5, 60, 32),  # larger letters
        rectangle(111, 12, 60, 20, 20),  # another direction
        rectangle(10, 31, 100, 20),  # below
    ],
)
def test_other_neighbours_are_not_joined(other: Float64) -> None:
    assert len(join_words(lines(rectangle(10, 10, 100, 20), other))) == 2


def test_a_slanted_line_is_joined_along_its_slant() -> None:
    first = rectangle(10, 10, 100, 20, 15)
    second = first[1] - first[0]
    moved = first + second * 1.005
    (line,) = join_words(lines(first, moved))
    assert np.hypot(*(line.quad[1] - line.quad[0])) == pytest.approx(200.5, abs=0.1)
    assert np.hypot(*(line.quad[3] - line.quad[0])) == pytest.approx(20, abs=0.1)


def test_many_words_become_one_line_in_any_order() -> None:
    words = [rectangle(10 + 61 * i, 10, 60, 20) for i in range(6)]
    rng = np.random.default_rng(3)
    for _ in range(5):
        joined = join_words(lines(*[words[i] for i in rng.permutation(6)]))
        assert len(joined) == 1


CHARACTERS = "ABCDEF"
LINE = np.zeros((48, 64, 3), np.uint8)


def read(monkeypatch: pytest.MonkeyPatch, letters: list[tuple[str, int, float]]) -> str:
    """Read a line of (letter, steps to the next, probability of a space on the way)."""
    blank, space = np.eye(len(CHARACTERS) + 2, dtype=np.float32)[[0, -1]]
    rows: list[Float32] = []
    for letter, steps, chance in letters:
        rows.append(np.eye(len(blank), dtype=np.float32)[1 + CHARACTERS.index(letter)])
        rows += [blank * np.float32(1 - chance) + space * np.float32(chance)] * (steps - 1)
    probabilities = np.stack(rows)[None]
    recogniser = object.__new__(LineRecogniser)
    recogniser._session = None  # type: ignore[assignment]
    recogniser._characters = ("", *CHARACTERS, " ")
    monkeypatch.setattr(recognition, "run_session", lambda *_: probabilities)
    return recogniser.read(LINE).text


def test_a_likely_space_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, [("A", 2, 0), ("B", 6, 0.3), ("C", 2, 0), ("D", 2, 0)]) == "AB CD"


def test_a_sure_space_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, [("A", 2, 0), ("B", 6, 0.8), ("C", 2, 0), ("D", 2, 0)]) == "AB CD"


def test_an_unlikely_space_and_one_without_room_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, [("A", 2, 0), ("B", 6, 0.05), ("C", 2, 0.3), ("D", 2, 0)]) == "ABCD"


def test_a_word_set_far_apart_stays_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, [(letter, 6, 0.3) for letter in "ABCDEF"]) == "ABCDEF"


@pytest.mark.parametrize("size", [(300, 20), (900, 300), (5, 90), (4000, 40)])
def test_a_line_has_the_height_that_the_network_reads(size: tuple[int, int]) -> None:
    rgb: UInt8 = np.full((320, 320, 3), 90, np.uint8)
    quad = np.array([(0, 0), (size[0], 0), size, (0, size[1])], dtype=np.float64)
    line = rectify_line(rgb, quad)
    assert line.shape[0] == 48
    assert line.shape[1] % 8 == 0
    assert line.shape[1] <= 48 * 40
    assert (line == 90).all()
