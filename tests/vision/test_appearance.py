"""Text, faces and people as the encoder's features tell: the arithmetic, drawn pictures, and people's own labels."""

from __future__ import annotations

import csv
import hashlib
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from mediaan.errors import SetupError
from mediaan.saliency.onnx.registry import list_cards
from mediaan.types.arrays import Float32, UInt8
from mediaan.vision import appearance as appearance_heads
from mediaan.vision.appearance import (
    CELL_PX,
    ENCODER_MODEL,
    ENCODER_PIXELS,
    AppearanceEncoder,
    AppearanceReader,
    CellPredictions,
    load_appearance_heads,
    pool_features,
    presence_evidence,
    resize_for_encoder,
    text_height,
    text_letters,
)

DATA = Path(__file__).parents[3] / "shared" / "data"
WORDS = "the quick brown fox jumps over a lazy dog while seven wizards mix their bright liquor and sing to the moon "


@pytest.fixture(scope="module")
def reader() -> AppearanceReader:
    return AppearanceReader(device="cpu", threads=1)


@pytest.fixture(scope="module")
def encoder() -> AppearanceEncoder:
    return AppearanceEncoder(device="cpu", threads=1)


def page(size: int, lines: int, shape: tuple[int, int] = (384, 288), top: int = 20) -> tuple[UInt8, np.ndarray]:
    """A light page with lines of dark print, and which of its pixels lie in the box of a line."""
    image = Image.new("RGB", (shape[1], shape[0]), (244, 240, 232))
    pen, font = ImageDraw.Draw(image), ImageFont.load_default(size)
    inside = np.zeros(shape, bool)
    for k in range(lines):
        place = (16, top + round(1.6 * size * k))
        words = WORDS[3 * k :]
        while pen.textlength(words, font) > shape[1] - 32:
            words = words[:-1]
        pen.text(place, words, (30, 30, 60), font)
        x0, y0, x1, y1 = (round(v) for v in pen.textbbox(place, words, font))
        inside[y0:y1, x0:x1] = True
    return np.asarray(image, np.uint8), inside


def naive_cells(levels: list[Float32], weights: dict[str, np.ndarray]) -> np.ndarray:
    """The heads once more, the slow way: every level at full depth on the grid, one cell after the other."""
    grid = levels[1].shape[1:]
    stacked = np.concatenate([on_grid(level.astype(np.float64), grid) for level in levels])
    first = np.concatenate([weights[f"level{i}"] for i in range(4)]).astype(np.float64)
    hidden = np.maximum(np.einsum("chw,ck->khw", stacked, first) + weights["bias"][:, None, None], 0)
    out = np.zeros((4, *grid))
    for y in range(grid[0]):
        for x in range(grid[1]):
            seen = np.concatenate([hidden[:, y, x], around(hidden, y, x, 1), around(hidden, y, x, 4)])
            mixed = np.maximum(seen @ weights["mix"] + weights["mix_bias"], 0)
            out[:, y, x] = mixed @ weights["out"] + weights["out_bias"]
    return out


def on_grid(level: np.ndarray, grid: tuple[int, ...]) -> np.ndarray:
    _, height, width = level.shape
    if height > grid[0]:
        return (level[:, ::2, ::2] + level[:, 1::2, ::2] + level[:, ::2, 1::2] + level[:, 1::2, 1::2]) / 4
    rows, columns = interpolation(height, grid[0]), interpolation(width, grid[1])
    return np.einsum("yh,chw,xw->cyx", rows, level, columns)


def interpolation(few: int, many: int) -> np.ndarray:
    """Matrix (many, few) of linear interpolation between the middles of cells."""
    at = np.clip((np.arange(many) + 0.5) * few / many - 0.5, 0, few - 1)
    return np.maximum(0, 1 - np.abs(at[:, None] - np.arange(few)))


def around(hidden: np.ndarray, y: int, x: int, reach: int) -> np.ndarray:
    rows = np.clip(np.arange(y - reach, y + reach + 1), 0, hidden.shape[1] - 1)
    columns = np.clip(np.arange(x - reach, x + reach + 1), 0, hidden.shape[2] - 1)
    return hidden[:, rows][:, :, columns].mean(axis=(1, 2))


def shipped_weights() -> dict[str, np.ndarray]:
    path = Path(appearance_heads.__file__).with_name("appearance_heads.npz")
    with np.load(path, allow_pickle=False) as content:
        return {name: content[name] for name in content.files}


def test_cells_are_what_a_slow_second_implementation_computes(encoder: AppearanceEncoder) -> None:
    picture, _ = page(20, 5, (256, 192))
    levels = encoder.encode(picture)
    cells = load_appearance_heads(encoder.sha256).predict_cells(levels)
    expected = naive_cells(levels, shipped_weights())
    for plane, wanted in zip((cells.text, cells.face, cells.person), expected[[0, 2, 3]], strict=True):
        np.testing.assert_allclose(plane, wanted, atol=2e-3)
    np.testing.assert_allclose(cells.height, np.clip(expected[1], 0, np.log(256)), atol=2e-3)


def test_weights_are_small_and_belong_to_the_encoder_that_ships() -> None:
    path = Path(appearance_heads.__file__).with_name("appearance_heads.npz")
    assert path.stat().st_size < 500_000
    assert str(shipped_weights()["encoder_sha256"]) == list_cards()[ENCODER_MODEL].sha256
    assert all(w.dtype == np.float32 for name, w in shipped_weights().items() if name != "encoder_sha256")


def test_heads_of_another_encoder_are_refused() -> None:
    with pytest.raises(SetupError, match="taught on the encoder") as caught:
        load_appearance_heads(hashlib.sha256(b"another model").hexdigest())
    assert caught.value.code == "model_corrupt"


@pytest.mark.parametrize("content", [b"", b"not weights at all", b"PK\x03\x04 cut short"])
def test_damaged_weights_are_a_setup_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    (tmp_path / "appearance_heads.npz").write_bytes(content)
    monkeypatch.setattr(appearance_heads, "files", lambda _: tmp_path)
    with pytest.raises(SetupError, match="cannot be read"):
        load_appearance_heads(f"damaged {content!r}")


def test_incomplete_weights_are_a_setup_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    weights = {name: w for name, w in shipped_weights().items() if name != "mix"}
    np.savez(tmp_path / "appearance_heads.npz", **weights)
    monkeypatch.setattr(appearance_heads, "files", lambda _: tmp_path)
    with pytest.raises(SetupError, match="mix"):
        load_appearance_heads("incomplete")


def test_features_are_what_they_were_before_the_heads(reader: AppearanceReader, encoder: AppearanceEncoder) -> None:
    picture, _ = page(24, 4)
    np.testing.assert_array_equal(
        reader.read(picture).features, pool_features(encoder.encode(resize_for_encoder(picture)))
    )


@pytest.mark.parametrize("shape", [(1, 1), (40, 900), (701, 333), (288, 384)])
def test_any_size_gives_maps_of_the_picture_as_shown_and_shares_within_bounds(
    reader: AppearanceReader, shape: tuple[int, int]
) -> None:
    picture = np.random.default_rng(0).integers(0, 256, (*shape, 3), np.uint8)
    said, view = reader.read(picture), resize_for_encoder(picture)
    for plane in (said.text_map, said.face_map, said.person_map):
        assert plane.dtype == np.float32
        assert plane.shape == (view.shape[0] // CELL_PX, view.shape[1] // CELL_PX)
        assert np.isfinite(plane).all()
        assert 0 <= plane.min() <= plane.max() <= 1
    shares = (said.text_share, said.face_share, said.person_share, said.face_presence, said.person_presence)
    assert all(0 <= share <= 1 for share in shares)
    assert said.text_letters >= 0
    assert said.text_height is None or 0 < said.text_height <= 1


def test_an_empty_page_holds_no_text_and_nobody(reader: AppearanceReader) -> None:
    said = reader.read(page(20, 0)[0])
    assert said.text_share < 0.02
    assert said.text_height is None
    assert said.text_letters == 0
    assert said.face_presence < 0.3
    assert said.person_presence < 0.3


@pytest.mark.parametrize(("size", "lines"), [(14, 12), (24, 6), (40, 4)])
def test_share_and_place_of_print_agree_with_the_boxes_of_its_lines(
    reader: AppearanceReader, size: int, lines: int
) -> None:
    picture, inside = page(size, lines)
    said = reader.read(picture)
    assert said.text_share == pytest.approx(inside.mean(), rel=0.4)
    covered = inside.reshape(said.text_map.shape[0], CELL_PX, -1, CELL_PX).mean(axis=(1, 3))
    assert said.text_map[covered > 0.9].mean() > said.text_map[covered == 0].mean() + 0.5


def test_height_follows_the_size_of_print(reader: AppearanceReader) -> None:
    heights = [reader.read(page(size, 5)[0]).text_height for size in (12, 18, 27, 40)]
    said = np.array([height for height in heights if height is not None])
    assert said.size == 4
    steps = said[1:] / said[:-1]
    assert (steps > 1.15).all()
    assert said[-1] / said[0] == pytest.approx(40 / 12, rel=0.35)


def test_smaller_print_below_a_headline_decides_the_height(reader: AppearanceReader) -> None:
    headline, _ = page(48, 2)
    both = headline.copy()
    small, _ = page(14, 8, top=200)
    both[190:] = small[190:]
    alone, mixed = reader.read(headline).text_height, reader.read(both).text_height
    assert alone is not None
    assert mixed is not None
    assert mixed < 0.6 * alone


def test_letters_grow_with_lines_and_with_smaller_print(reader: AppearanceReader) -> None:
    letters = [reader.read(page(16, lines)[0]).text_letters for lines in (2, 5, 12)]
    assert letters[0] < letters[1] < letters[2]
    assert reader.read(page(14, 10)[0]).text_letters > 2 * reader.read(page(36, 4)[0]).text_letters


def test_height_is_the_lower_fifth_of_the_area_of_text() -> None:
    text = np.full((10, 10), 0.9, np.float32)
    height = np.full((10, 10), np.log(16.0), np.float32)
    height[0] = np.log(4.0)  # a tenth of the area: below the fifth that counts
    assert text_height(text, height) == pytest.approx(16 / 80)
    height[:3] = np.log(4.0)
    assert text_height(text, height) == pytest.approx(4 / 80)
    text[:3] = 0.1  # no longer text
    assert text_height(text, height) == pytest.approx(16 / 80)


def test_letters_are_area_over_the_square_of_their_height() -> None:
    text, height = np.zeros((4, 4), np.float32), np.zeros((4, 4), np.float32)
    text[0, :2], height[0, :2] = 1.0, np.log(2.0)
    assert text_letters(text, height) == pytest.approx(2 * CELL_PX**2 / 4)


def test_presence_grows_with_a_peak_and_looks_at_both_kinds() -> None:
    nothing = np.full((6, 6), -6.0, np.float32)
    face = nothing.copy()
    face[2:5, 2:5] = 4.0
    evidence = presence_evidence(CellPredictions(nothing, nothing, face, nothing))
    assert evidence[0] == pytest.approx(4.0)
    assert evidence[2] == pytest.approx(-6.0)
    share = float(np.mean(1 / (1 + np.exp(-face.astype(np.float64)))))
    assert evidence[1] == pytest.approx(np.log(share / (1 - share)), abs=1e-4)


def test_shown_keeps_the_area_and_multiples_of_32() -> None:
    view = resize_for_encoder(np.zeros((900, 1600, 3), np.uint8))
    assert view.shape[0] % 32 == view.shape[1] % 32 == 0
    assert view.shape[0] * view.shape[1] == pytest.approx(ENCODER_PIXELS, rel=0.12)


@pytest.mark.skipif(not DATA.exists(), reason="the human data beside the project are not here")
def test_people_and_faces_agree_with_labels_by_eye(reader: AppearanceReader) -> None:
    """Advertisements that were not trained on (number % 3 == 0): every fourth of those."""
    with (DATA / "ad_categories.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if int(row["image"][-3:]) % 12 == 0]
    right = []
    for row in rows:
        picture = cv2.imread(str(DATA / "complexity" / "images" / f"{row['image']}.jpg"))
        said = reader.read(np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2RGB), np.uint8))
        right.append((said.person_presence > 0.5) == (row["has_person"] == "1"))
        right.append((said.face_presence > 0.5) == (row["has_face"] == "1"))
    assert len(right) >= 30
    assert np.mean(right) >= 0.85
