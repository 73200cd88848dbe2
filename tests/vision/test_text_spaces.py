"""Spaces between words, from the probabilities that the recogniser gives each step."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.types.arrays import Float32, UInt8
from mediaan.vision.text import recognition
from mediaan.vision.text.recognition import LineRecogniser, rectify_line

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
