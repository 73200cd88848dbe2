"""What is drawn: pictures in pictures, feeds, shelves and planograms, against what the drawing should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mediaan.errors import UsageError
from mediaan.studies.context.composition import ContextPicture, crop_to_aspect, paste, read_picture
from mediaan.studies.context.feed import DESKTOP, PHONE, FeedScreen, draw_feed
from mediaan.studies.context.screenshot import parse_place, paste_ad
from mediaan.studies.context.shelf import PlanogramEntry, cell_width, draw_shelf, read_planogram
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8

RED, BLUE = (200, 20, 20), (20, 40, 190)


def plain(width: int, height: int, colour: tuple[int, int, int] = RED) -> UInt8:
    return np.full((height, width, 3), colour, np.uint8)


def inside(rgb: UInt8, box: Box) -> UInt8:
    """Pixels that lie in a box with all of themselves."""
    height, width = rgb.shape[:2]
    x0, y0 = int(np.ceil(round(box.x0 * width, 4))), int(np.ceil(round(box.y0 * height, 4)))
    return rgb[y0 : int(round(box.y1 * height, 4)), x0 : int(round(box.x1 * width, 4))]


def test_transparent_parts_show_what_is_below(tmp_path: Path) -> None:
    picture = np.zeros((40, 60, 4), np.uint8)
    picture[10:30, 20:50] = (*RED, 255)
    picture[10:30, 50:54] = (*RED, 128)
    Image.fromarray(picture).save(tmp_path / "pack.png")
    pack = read_picture(tmp_path / "pack.png", 100, cut_out=True)
    assert pack.rgb.shape[:2] == (20, 34), "cropped to what is not transparent"
    canvas = plain(60, 40, BLUE)
    box = paste(canvas, pack.rgb, 0, 0, pack.alpha)
    assert box == Box(0, 0, 34 / 60, 0.5)
    assert (canvas[:20, :29] == RED).all()
    assert np.abs(canvas[:20, 31].astype(int) - (np.array(RED) + BLUE) / 2).max() <= 2, "half of each"
    assert (canvas[:, 36:] == BLUE).all()


def test_white_backgrounds_are_cut_away_and_white_inside_a_pack_is_kept(tmp_path: Path) -> None:
    picture = plain(80, 100, (255, 255, 255))
    picture[20:90, 10:60] = RED
    picture[40:60, 20:40] = 255  # a white label
    Image.fromarray(picture).save(tmp_path / "pack.png")
    whole, pack = (read_picture(tmp_path / "pack.png", 100, cut_out=True, trim_white=trim) for trim in (False, True))
    assert whole.rgb.shape[:2] == (100, 80)
    assert whole.alpha is None
    assert np.abs(np.subtract(pack.rgb.shape[:2], (70, 50))).max() <= 2
    canvas = plain(60, 80, BLUE)
    paste(canvas, pack.rgb, 0, 0, pack.alpha)
    assert (canvas[30, 20] == 255).all()
    Image.fromarray(plain(20, 20, (255, 255, 255))).save(tmp_path / "blank.png")
    blank = read_picture(tmp_path / "blank.png", 100, cut_out=True, trim_white=True)
    assert blank.rgb.shape[:2] == (20, 20)
    assert [problem.code for problem in blank.problems] == ["no_cutout"]


def test_what_sticks_out_of_a_canvas_is_cut_off() -> None:
    canvas = plain(100, 100, BLUE)
    assert paste(canvas, plain(40, 40), 80, -30) == Box(0.8, 0.0, 1.0, 0.1)
    assert int((canvas == RED).all(axis=2).sum()) == 20 * 10
    with pytest.raises(ValueError, match="outside"):
        paste(canvas, plain(10, 10), 100, 0)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("10,10,50", "is not X,Y,WIDTH,HEIGHT"),
        ("a,b,c,d", "is not X,Y,WIDTH,HEIGHT"),
        ("10,10,2000,50", "does not lie in the screenshot of 1000 x 500 px"),
        ("-5,0,50,50", "does not lie in"),
        ("10,10,4,50", "smaller than 8 px"),
        ("0,0,nan,10", "does not lie in"),
    ],
)
def test_places_that_cannot_be(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        parse_place(text, 1000, 500)


def test_an_ad_fills_its_place_in_its_own_shape_and_leaves_nothing_of_what_was_there() -> None:
    page = plain(200, 100, (255, 255, 255))
    page[20:80, 50:150] = BLUE  # an ad that is replaced
    shown = paste_ad(page, plain(30, 30), Box(0.25, 0.2, 0.75, 0.8))
    assert shown.box == Box(0.35, 0.2, 0.65, 0.8)
    assert (inside(shown.rgb, shown.box) == RED).all()
    assert not (shown.rgb == BLUE).all(axis=2).any()
    assert (page[50, 100] == BLUE).all(), "the screenshot itself stays"


@pytest.mark.parametrize("view", [PHONE, DESKTOP, FeedScreen("phone", 390, 844, 300)])
@pytest.mark.parametrize("aspect", [1.91, 1.0, 0.8])
def test_a_feed_shows_the_ad_where_it_says_from_top_to_end(view: FeedScreen, aspect: float) -> None:
    neighbours = [plain(300, 200, BLUE), plain(300, 300, (0, 120, 0))]
    tops = []
    for place in (0.0, 0.5, 1.0):
        shown = draw_feed(view, plain(400, 400), aspect, place, neighbours)
        assert shown.rgb.shape == (view.height, view.width, 3)
        assert (inside(shown.rgb, shown.box) == RED).all()
        assert int((shown.rgb == RED).all(axis=2).sum()) <= 1.01 * shown.box.area * view.width * view.height
        assert abs(shown.box.width * view.width - view.column) < 1e-6
        assert abs(shown.box.height * view.height - view.column / aspect) < 1e-6
        tops.append(shown.box.y0)
    assert tops[0] < tops[1] < tops[2]


def test_two_ads_in_one_feed_differ_nowhere_else() -> None:
    neighbours = [plain(300, 200, BLUE), plain(300, 400, (0, 120, 0))]
    one = draw_feed(PHONE, plain(300, 300), 1.0, 0.5, neighbours)
    other = draw_feed(PHONE, plain(500, 200, (9, 9, 9)), 1.0, 0.5, neighbours)
    differs = (one.rgb != other.rgb).any(axis=2)
    assert one.box == other.box
    assert differs.sum() == inside(differs[:, :, None], one.box).sum() > 0


def test_an_ad_taller_than_the_screen_counts_where_it_is_visible() -> None:
    shown = draw_feed(PHONE, plain(300, 900), 1 / 3, 1.0, [plain(300, 300, BLUE)])
    assert shown.box.y0 == pytest.approx(52 / 844)
    assert (inside(shown.rgb, shown.box) == RED).all()


def test_cropping_keeps_the_middle() -> None:
    picture = np.zeros((10, 30, 3), np.uint8)
    picture[:, 10:20] = 255
    assert (crop_to_aspect(picture, 1.0) == 255).all()
    assert crop_to_aspect(picture, 3.0).shape == picture.shape


def pack_picture(width: int, height: int, colour: tuple[int, int, int]) -> ContextPicture:
    return ContextPicture("", None, plain(width, height, colour))  # type: ignore[arg-type]


def test_packs_stand_on_shelves_to_the_scale_of_their_height() -> None:
    packs = {"tall": pack_picture(50, 100, RED), "low": pack_picture(100, 100, BLUE)}
    entries = [PlanogramEntry("tall", 1, 1, 2, 30.0), PlanogramEntry("low", 1, 2, 1, 15.0),
               PlanogramEntry("low", 2, 1, 3, 15.0)]  # fmt: skip
    shelf = draw_shelf(entries, packs)
    height, width = shelf.rgb.shape[:2]
    tall, low, lower = shelf.packs
    assert tall.height == pytest.approx(2 * low.height, abs=2 / height)
    assert tall.y1 == pytest.approx(low.y1), "on one board"
    assert lower.y0 > tall.y1
    assert low.width * width == pytest.approx(low.height * height, abs=2), "square"
    red, blue = (int((shelf.rgb == colour).all(axis=2).sum()) for colour in (RED, BLUE))
    one = tall.height * height
    assert red == pytest.approx(2 * one * one / 2, rel=0.03), "two facings"
    assert blue == pytest.approx(4 * (one / 2) ** 2, rel=0.03), "one and three"


def test_places_filled_by_lot_are_equally_large_whatever_stands_there() -> None:
    packs = {"tall": pack_picture(30, 100, RED), "wide": pack_picture(300, 100, BLUE)}
    entries = [PlanogramEntry(("tall", "wide")[(i + j) % 2], i, j) for i in (1, 2) for j in (1, 2, 3)]
    turned = [PlanogramEntry(("wide", "tall")[(i + j) % 2], i, j) for i in (1, 2) for j in (1, 2, 3)]
    cell = cell_width(packs.values())
    one, other = draw_shelf(entries, packs, cell=cell), draw_shelf(turned, packs, cell=cell)
    assert one.places == other.places
    assert len({(round(box.width, 6), round(box.height, 6)) for box in one.places}) == 1
    assert all(
        place.x0 - 0.002 <= pack.x0 and pack.x1 <= place.x1 + 0.002
        for place, pack in zip(one.places, one.packs, strict=True)
    )


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("file,row\na.png,1\n", "has no column column"),
        ("file,row,column,price\na.png,1,1,3\n", "column 'price' is unknown"),
        ("file,row,column\n", "lists no pack"),
        ("file,row,column\na.png,0,1\n", "line 2: row is '0', not a whole number"),
        ("file,row,column\na.png,1,one\n", "line 2: column is 'one'"),
        ("file,row,column,facings\na.png,1,1,1\nb.png,1,2,-2\n", "line 3: facings is '-2'"),
        ("file,row,column\na.png,1,1\nb.png,1,1\n", "line 3: a.png already stands in row 1, column 1"),
        ("file,row,column\n,1,1\n", "line 2: names no file"),
        ("file,row,column,height_cm\na.png,1,1,high\n", "height_cm is 'high'"),
        ("file,row,column,height_cm\na.png,1,1,20\nb.png,1,2,\n", "of every pack, or of none"),
        ("file,row,column,facings\na.png,1,1,401\n", "more than 400 facings"),
    ],
)
def test_planograms_that_cannot_be(tmp_path: Path, content: str, why: str) -> None:
    (tmp_path / "shelf.csv").write_text(content)
    with pytest.raises(UsageError, match=why):
        read_planogram(tmp_path / "shelf.csv")


def test_a_planogram_of_a_spreadsheet(tmp_path: Path) -> None:
    text = "﻿File;Row;Column;Height_cm\nb.png;2;1;10,5\na.png;1;2;20\n"
    (tmp_path / "shelf.csv").write_text(text, encoding="utf-8")
    assert read_planogram(tmp_path / "shelf.csv") == (
        PlanogramEntry("a.png", 1, 2, 1, 20.0),
        PlanogramEntry("b.png", 2, 1, 1, 10.5),
    )
