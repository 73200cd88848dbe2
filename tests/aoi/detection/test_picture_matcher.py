"""Pictures of logos found in frames: where they are, however they are shown; and not where they are not."""

import pickle
from pathlib import Path

import cv2
import numpy as np
import pytest
from own_marks import bars, saved, scene, shown, star, word
from PIL import Image

from mediaan.aoi.detection.picture_matcher import PictureMatcher, edge_field, load_picture
from mediaan.errors import UsageError
from mediaan.types.aoi import Box

SAMPLE_ADS = Path(__file__).parents[2] / "sample_ads/ads"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("logos")
    for name, mark in (("star", star()), ("word", word()), ("bars", bars())):
        saved(mark, path / f"{name}.png")
    return path


@pytest.fixture(scope="module")
def matcher(folder: Path) -> PictureMatcher:
    return PictureMatcher([folder / f"{name}.png" for name in ("star", "word", "bars")])


@pytest.mark.parametrize(
    ("name", "width", "turn", "light"),
    [
        ("star", 60, 0.0, False),
        pytest.param("star", 300, 20.0, False, marks=pytest.mark.full),
        pytest.param("star", 120, 0.0, True, marks=pytest.mark.full),
        ("word", 70, 0.0, False),
        ("word", 400, -12.0, True),
        pytest.param("bars", 220, 0.0, True, marks=pytest.mark.full),
    ],
)
def test_a_logo_is_found_small_and_large_turned_and_inverted(
    matcher: PictureMatcher, name: str, width: int, turn: float, light: bool
) -> None:
    mark = {"star": star, "word": word, "bars": bars}[name]()
    picture = scene(3)
    picture[60:560, 100:640] = 25 if light else 235
    if light:
        mark[..., :3] = 245
    picture, bounds = shown(picture, mark, 180, 120, width, turn)
    found = matcher.find(picture)
    assert found, "it is there"
    assert found[0].picture.stem == name
    assert found[0].box.iou(Box(*bounds)) > 0.6
    assert len(found) == 1


def test_a_logo_is_found_with_a_third_hidden(matcher: PictureMatcher) -> None:
    picture = scene(4)
    picture[40:600, 60:800] = 240
    picture, bounds = shown(picture, word(), 150, 200, 420)
    picture[:, 150:270] = scene(5)[:, 150:270]
    (match,) = matcher.find(picture)
    assert match.picture.stem == "word"
    assert match.box.iou(Box(*bounds)) > 0.6, "the hidden part counts as there"


def test_every_copy_is_found(matcher: PictureMatcher) -> None:
    picture = np.full((640, 900, 3), 230, np.uint8)
    places = []
    for x, y, width in ((80, 90, 90), (420, 60, 150), (600, 380, 220)):
        picture, bounds = shown(picture, star(), x, y, width)
        places.append(Box(*bounds))
    found = matcher.find(picture)
    assert len(found) == 3
    assert all(any(match.box.iou(place) > 0.6 for match in found) for place in places)


def test_nothing_is_found_where_no_logo_is(matcher: PictureMatcher) -> None:
    for seed in range(3):
        assert matcher.find(scene(seed)) == ()
    assert matcher.find(np.full((300, 300, 3), 128, np.uint8)) == ()


@pytest.mark.parametrize("ad", sorted(SAMPLE_ADS.iterdir()), ids=lambda path: path.stem)
def test_nothing_is_found_in_ads_of_others(matcher: PictureMatcher, ad: Path) -> None:
    with Image.open(ad) as image:
        image.thumbnail((800, 800))
        rgb = np.asarray(image.convert("RGB"), np.uint8)
    assert matcher.find(rgb) == ()


def test_similar_marks_are_not_the_logo(matcher: PictureMatcher) -> None:
    picture = np.full((640, 900, 3), 235, np.uint8)
    picture, _ = shown(picture, word("KRONOS"), 80, 60, 400)
    cv2.rectangle(picture, (500, 300), (560, 420), (0, 0, 0), -1)
    cv2.circle(picture, (700, 460), 70, (200, 30, 30), -1)
    assert matcher.find(picture) == ()


@pytest.mark.parametrize("width", [16, 30])
def test_a_mark_with_too_few_features_is_found_where_one_may_be(matcher: PictureMatcher, width: int) -> None:
    picture = np.full((640, 900, 3), 225, np.uint8)
    picture, (x0, y0, x1, y1) = shown(picture, star(), 400, 300, width)
    cv2.circle(picture, (700, 460), 20, (200, 30, 30), -1)
    cv2.rectangle(picture, (100, 100), (160, 130), (0, 0, 0), 5)
    rough = Box(x0 - 0.1 * (x1 - x0), y0, x1, y1 + 0.2 * (y1 - y0))
    others = [Box(677 / 900, 437 / 640, 723 / 900, 483 / 640), Box(96 / 900, 96 / 640, 164 / 900, 134 / 640)]
    assert matcher.find(picture) == (), "it is too small to be found by itself"
    (match,) = matcher.find(picture, [others[0], rough, others[1]])
    assert match.picture.stem == "star"
    assert match.box.iou(Box(x0, y0, x1, y1)) > 0.7, "closer than the place"


def test_tiny_frames_are_no_fault(matcher: PictureMatcher) -> None:
    for shape in ((1, 1, 3), (8, 300, 3), (40, 40, 3)):
        assert matcher.find(np.zeros(shape, np.uint8), [Box(0, 0, 1, 1), Box(0.5, 0.5, 0.51, 1)]) == ()


def test_a_matcher_travels_to_another_process_as_paths(folder: Path) -> None:
    matcher = PictureMatcher([folder / "star.png"])
    data = pickle.dumps(matcher)
    assert len(data) < 1000
    picture, _ = shown(np.full((400, 500, 3), 240, np.uint8), star(), 100, 100, 120)
    assert pickle.loads(data).find(picture) == matcher.find(picture) != ()


def test_edges_are_the_same_for_light_on_dark_and_dark_on_light() -> None:
    grey = cv2.cvtColor(scene(1), cv2.COLOR_RGB2GRAY)
    np.testing.assert_allclose(edge_field(grey), edge_field(255 - grey), atol=1e-5)


def test_the_ground_of_a_logo_is_cut_away(tmp_path: Path) -> None:
    flat = np.full((100, 160, 3), 255, np.uint8)
    flat[30:70, 40:120] = (200, 20, 30)
    cv2.imwrite(str(tmp_path / "plain.jpg"), flat, [cv2.IMWRITE_JPEG_QUALITY, 92])
    logo = load_picture(tmp_path / "plain.jpg")
    assert logo.size == pytest.approx((80, 40), abs=4)
    see_through = np.dstack([flat, np.zeros((100, 160), np.uint8)])
    see_through[30:70, 40:120, 3] = 255
    logo = load_picture(saved(see_through, tmp_path / "clear.png"))
    assert logo.size == (80, 40)
    assert (logo.ground, logo.mask.min()) == (255.0, 1.0), "a dark mark is thought of on white"


def test_pictures_without_a_logo_are_refused(tmp_path: Path) -> None:
    blank = saved(np.zeros((50, 50, 4), np.uint8), tmp_path / "blank.png")
    with pytest.raises(UsageError, match=r"blank\.png: shows no logo"):
        PictureMatcher([blank])
    (tmp_path / "text.png").write_text("text")
    with pytest.raises(UsageError, match=r"text\.png: is no image"):
        PictureMatcher([tmp_path / "text.png"])
