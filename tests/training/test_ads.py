"""Synthetic ads: boxes are where the ink is, of what is seen, and the same every time."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

skia = pytest.importorskip("skia", reason="drawing ads needs mediaan[train]")
pytest.importorskip("fontTools", reason="drawing ads needs mediaan[train]")

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training" / "objects"))

import ads  # noqa: E402
import assets  # noqa: E402
from ad_elements import begin, button  # noqa: E402
from ad_kit import Kit, Photo  # noqa: E402
from ad_photos import paint_photo  # noqa: E402
from ad_scene import Scene, Seen  # noqa: E402
from ad_text import Style, fill, paint_line  # noqa: E402


@pytest.fixture(scope="module")
def kit() -> Kit:
    kit = Kit.at(None)
    if not kit.fonts_for("en"):
        pytest.skip("no TrueType fonts on this machine")
    return kit


def bounds(thing: Seen) -> list[float]:
    return [*thing.hull.min(0), *thing.hull.max(0)]


def ink(scene: Scene, least: int = 60) -> list[int]:
    """Bounds of what is not white, px."""
    ys, xs = np.nonzero((255 - scene.pixels[..., :3].astype(int)).max(2) > least)
    return [xs.min(), ys.min(), xs.max() + 1, ys.max() + 1]


def rectangle(scene: Scene, *sides: float) -> None:
    scene.part(lambda c: c.drawRect(skia.Rect(*sides), fill((0, 0, 0))))


@pytest.mark.parametrize("degrees", [0, 7, -20])
@pytest.mark.parametrize("text", ["Ägypten jolly", "xxx", "SALE 50%", "..."])
def test_a_lines_box_is_its_ink(kit: Kit, text: str, degrees: float) -> None:
    scene = Scene(400, 240)
    with scene.placed(90, 130, 1, degrees):
        paint_line(scene, text, Style(kit.fonts_for("en")[0], 40, (0, 0, 0), tracking=0.1), 0, 0)
    (line,) = scene.seen()[1]
    assert line.text == text
    assert bounds(line) == pytest.approx(ink(scene), abs=1)


def test_boxes_are_of_what_is_seen() -> None:
    scene = Scene(100, 100)
    with scene.group("product"):
        rectangle(scene, 10, 10, 50, 50)
    with scene.group("product"):
        rectangle(scene, 80, 20, 110, 40)  # a third beyond the edge
    with scene.group("panel"):
        rectangle(scene, 30, 0, 60, 60)  # over the right half of the first
    first, second, _ = scene.seen()[0]
    assert bounds(first) == [10, 10, 30, 50]
    assert bounds(second) == [80, 20, 100, 40]


@pytest.mark.parametrize(("hidden", "seen"), [(0.5, True), (0.7, False)])
def test_what_is_mostly_hidden_has_no_box(hidden: float, seen: bool) -> None:
    covered, beyond = Scene(100, 100), Scene(100, 100)
    with covered.group("face"):
        rectangle(covered, 0, 0, 100, 100)
    rectangle(covered, 0, 0, 100, 100 * hidden)
    with beyond.group("face"):
        rectangle(beyond, 100 - 30 * (1 - hidden), 0, 100 + 30 * hidden, 50)
    assert bool(covered.seen()[0]) == bool(beyond.seen()[0]) == seen


def test_a_button_is_a_call_to_action_around_its_words(kit: Kit) -> None:
    ad = begin(np.random.default_rng(2), kit, 300, 200)
    ad.code = "en"
    button(ad, 150, 80, 20, "centre", "Shop now")
    things, lines = ad.scene.seen()
    kinds = {t.type: bounds(t) for t in things}
    assert kinds["button"] == kinds["call_to_action"]
    assert [line.text.lower() for line in lines] == ["shop now"]
    x0, y0, x1, y1 = bounds(lines[0])
    bx0, by0, bx1, by1 = kinds["button"]
    assert bx0 < x0 < x1 < bx1
    assert by0 < y0 < y1 < by1


@pytest.mark.parametrize("seed", range(6))
def test_what_teachers_saw_moves_with_the_photograph(tmp_path: Path, seed: int) -> None:
    rgb = np.full((120, 200, 3), 230, np.uint8)
    rgb[40:80, 100:130] = 0
    cv2.imwrite(str(tmp_path / f"{seed}.png"), rgb)
    face = {"type": "face", "box": [0.5, 1 / 3, 0.65, 2 / 3], "confidence": 0.9, "label": ""}
    photo = Photo(tmp_path / f"{seed}.png", 200, 120, (face,), ({**face, "confidence": 0.4, "type": "person"},))
    scene = Scene(300, 300)
    paint_photo(scene, np.random.default_rng(seed), photo, (20, 30, 270, 280), (60, 10, 160, 110))
    things = {t.type: bounds(t) for t in scene.seen()[0]}
    shown = scene.pixels[30:280, 20:270, :3].astype(int).sum(2)
    ys, xs = np.nonzero(shown < (shown.min() + shown.max()) / 2)
    expected = [xs.min() + 20, ys.min() + 30, xs.max() + 21, ys.max() + 31]
    assert things["face"] == pytest.approx(expected, abs=2)
    assert things["zone person"] == pytest.approx(expected, abs=2)


def test_pictures_are_the_same_every_time_and_boxes_inside(kit: Kit) -> None:
    pictures = [ads.make(kit, 3, number) for number in range(12)]
    again = ads.make(Kit.at(None), 3, 7)
    np.testing.assert_array_equal(again.rgb, pictures[7].rgb)
    assert again.row == pictures[7].row
    for picture in pictures:
        assert picture.rgb.shape == (picture.row["height"], picture.row["width"], 3)
        assert max(picture.rgb.shape) == 640
        for item in (*picture.row["boxes"], *picture.row["lines"]):
            x0, y0, x1, y1 = item["box"]
            assert 0 <= x0 < x1 <= 1
            assert 0 <= y0 < y1 <= 1
    kinds = {box["type"] for picture in pictures for box in picture.row["boxes"]}
    assert {"product", "logo", "headline_text", "body_text"} <= kinds


def test_nothing_is_cut_from_pictures_that_judge_or_choose(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    rgb = np.clip(rng.normal(200, 6, (160, 160, 3)), 0, 255).astype(np.uint8)
    cv2.circle(rgb, (80, 80), 40, (180, 30, 40), -1)
    names = [f"advertisement_{number:03d}.jpg" for number in (1, 3, 6, 7, 8)]
    for name in names:
        cv2.imwrite(str(tmp_path / name), rgb)
    labels = {name: [{"type": "product", "label": "ball", "box": [0.25, 0.25, 0.756, 0.756]}] for name in names}
    (tmp_path / "labels.json").write_text(json.dumps(labels))
    assets.write_drawn_cuts([tmp_path / "labels.json"], tmp_path, tmp_path)
    files = [json.loads(line)["file"] for line in (tmp_path / "drawn.jsonl").read_text().splitlines()]
    assert files == ["cuts/advertisement_001_p0.png", "cuts/advertisement_008_p0.png"]
