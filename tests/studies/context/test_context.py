"""Ads in pages: composed pictures, attention on them, and the command."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
import pytest
from browsing import find, needs_browser, open_fresh
from click.testing import CliRunner, Result
from PIL import Image
from selenium import webdriver

import mediaan as mn
from mediaan.cli.main import cli
from mediaan.errors import UsageError
from mediaan.run import OTHER_TABLES
from mediaan.studies.context.attention import average_page, bootstrap_ratio
from mediaan.studies.context.pictures import crop_to_aspect, parse_place, paste_ad
from mediaan.studies.context.result import SPECS
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


def test_cropping_keeps_the_middle() -> None:
    picture = np.zeros((10, 30, 3), np.uint8)
    picture[:, 10:20] = 255
    assert (crop_to_aspect(picture, 1.0) == 255).all()
    assert crop_to_aspect(picture, 3.0).shape == picture.shape


FAST = ("--model", "centre-prior")


def card(name: str) -> UInt8:
    """Draw a square card: a disc on grey, nothing on grey, or faint stripes."""
    rgb = np.full((320, 320, 3), 205, np.uint8)
    if name == "disc":
        cv2.circle(rgb, (160, 160), 70, (225, 30, 30), -1)
        cv2.circle(rgb, (160, 160), 26, (255, 240, 60), -1)
    elif name.startswith("other"):
        number = int(name.removeprefix("other"))
        for i in range(3):
            cv2.rectangle(rgb, (60 + 12 * number, 80 + 60 * i), (200, 110 + 60 * i), (170 + 3 * number,) * 3, -1)
    return rgb


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("context")
    for name in ("disc", "blank"):
        Image.fromarray(card(name)).save(folder / f"{name}.png")
    (folder / "others").mkdir()
    for number in range(6):
        Image.fromarray(card(f"other{number}")).save(folder / "others" / f"other{number}.png")
    page = np.full((800, 1280, 3), 255, np.uint8)
    page[:80] = (60, 70, 90)
    for i in range(6):
        page[120 + 100 * i : 190 + 100 * i, 60:760] = 225
    Image.fromarray(page).save(folder / "page.png")
    return folder


def test_a_disc_on_a_page_draws_more_than_a_blank_card_in_the_same_place(folder: Path) -> None:
    at = ["820,200,320,320", "65%,60%,25%,40%"]
    results = [
        mn.context.in_page(folder / f"{n}.png", folder / "page.png", at, others=folder / "others", draws=4)
        for n in ("disc", "blank")
    ]
    for one, other in zip(results[0].positions, results[1].positions, strict=True):
        assert one["attention"].value > one["others"].value > other["attention"].value
        assert one["page_before"].value == other["page_before"].value < one["attention"].value
        assert one["average_place"].value == other["average_place"].value
        ratio = one["ratio_to_average"]
        assert ratio.value == pytest.approx(one["attention"].value / one["average_place"].value)
        assert ratio.lo == pytest.approx(one["attention"].lo / one["average_place"].value)
    assert results[0].positions[0].box == Box(820 / 1280, 0.25, 1140 / 1280, 0.65)


def test_display_ads_are_looked_at_less_than_content_with_wider_intervals(folder: Path) -> None:
    at = ["820,200,320,320"]
    ad, content = (
        mn.context.in_page(folder / "disc.png", folder / "page.png", at, display_ad=one) for one in (True, False)
    )
    mine, other = ad.positions[0], content.positions[0]
    assert mine["attention"].value == pytest.approx(average_page().display_ads.value * other["attention"].value)
    assert mine["percentage_seen"].value < other["percentage_seen"].value
    width, other_width = ((one["attention"].hi - one["attention"].lo) / one["attention"].value for one in (mine, other))
    assert width > other_width
    assert any("take this into account; the heatmap does not" in note for note in ad.notes)


def test_of_a_phones_screenshot_no_average_is_known(folder: Path, tmp_path: Path) -> None:
    Image.fromarray(np.full((800, 390, 3), 250, np.uint8)).save(tmp_path / "phone.png")
    (one,) = mn.context.in_page(folder / "disc.png", tmp_path / "phone.png", ["20%,10%,60%,40%"]).positions
    for metric in ("average_place", "ratio_to_average"):
        assert one[metric].value is None
        assert one[metric].reason == "Known of computer screens only."
    assert one["attention"].value is not None


def test_one_seed_gives_one_result(folder: Path) -> None:
    def rows(seed: int) -> list[dict[str, object]]:
        settings = {"others": folder / "others", "draws": 4, "model": "centre-prior", "seed": seed}
        result = mn.context.in_page(folder / "disc.png", folder / "page.png", ["820,200,320,320"], **settings)  # type: ignore[arg-type]
        return list(result.rows())

    assert rows(1) == rows(1)


def test_too_few_others_and_settings_that_cannot_be(folder: Path, tmp_path: Path) -> None:
    for number in range(3):
        Image.fromarray(card(f"other{number}")).save(tmp_path / f"{number}.png")
    Image.fromarray(card("disc")).save(tmp_path / "again.png")  # the ad itself does not count
    ad, page, at = folder / "disc.png", folder / "page.png", ["820,200,320,320"]
    with pytest.raises(UsageError, match="holds 3 other still images; at least 4"):
        mn.context.in_page(ad, page, at, others=tmp_path)
    with pytest.raises(UsageError, match="draws must be 4 to 100"):
        mn.context.in_page(ad, page, at, others=folder / "others", draws=3)


def test_intervals_of_ratios_hold_the_truth_nine_times_in_ten() -> None:
    rng = np.random.default_rng(5)
    held = []
    for _ in range(400):
        others = rng.gamma(8, 0.02, 10)
        own = others * rng.gamma(20, 1.3 / 20, 10) * 0.5 + rng.gamma(20, 0.65 * 0.16 / 20, 10)
        _, lo, hi = bootstrap_ratio(list(own), list(others))
        held.append(lo <= 1.3 <= hi)
    assert 0.86 <= np.mean(held) <= 0.95
    assert bootstrap_ratio([0.2, 0.3], [0.1, 0.1])[1:] == (None, None)


def command(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["context", *map(str, arguments)], standalone_mode=False)


def test_the_command_writes_pictures_a_table_json_and_a_page(folder: Path, tmp_path: Path) -> None:
    out, ad = tmp_path / "out", folder / "disc.png"
    places = ("--screenshot", folder / "page.png", "--at", "820,200,320,320", "--at", "5%,20%,30%,40%")
    others = ("--others", folder / "others", "--draws", 4)
    done = command("page", ad, *places, *others, *FAST, "--out", out)
    assert done.exit_code == 0
    assert "It gets " in done.stdout
    assert "nobody was shown this page" in done.stdout
    names = [f"{place}{heat}.png" for place in ("page_before", "place_1", "place_2") for heat in ("", "_heat")]
    assert sorted(path.name for path in out.iterdir()) == sorted(
        [*names, "context.json", "context.parquet", "index.html"]
    )
    table = pd.read_parquet(out / "context.parquet")
    assert list(table.columns) == OTHER_TABLES["context"].names
    assert set(table.metric) <= set(SPECS)
    facts = json.loads((out / "context.json").read_text())
    value = table.query("position == '820,200,320,320' and metric == 'attention'").value.item()
    assert facts["positions"][0]["scores"]["attention"]["value"] == value
    done = command("page", ad, *places, *FAST, "--json")
    assert [position["draws"] for position in json.loads(done.stdout)["positions"]] == [1, 1]
    (tmp_path / "bad.png").write_bytes(b"no picture")
    done = command("page", tmp_path / "bad.png", *places)
    assert done.return_value == 3
    with pytest.raises(UsageError, match="holds other files"):
        raise command("page", ad, *places, "--out", folder).exception  # type: ignore[misc]


@needs_browser
def test_the_page_in_a_browser(browser: webdriver.Chrome, folder: Path, tmp_path: Path) -> None:
    arguments = ("--screenshot", folder / "page.png", "--at", "820,200,320,320", *FAST, "--out", tmp_path / "out")
    assert command("page", folder / "disc.png", *arguments).exit_code == 0
    page = (tmp_path / "out" / "index.html").as_uri()
    open_fresh(browser, page)
    assert find(browser, "#summary").text.startswith("Estimate: at 820,200,320,320 the ad gets ")
    shown = "return [...document.images].map(image => image.complete && image.naturalWidth > 0)"
    assert browser.execute_script(shown) == [True] * 4
    heads = browser.execute_script("return [...document.querySelectorAll('thead th')].map(cell => cell.textContent)")
    cells = browser.execute_script("return [...document.querySelectorAll('tbody td')].map(cell => cell.textContent)")
    assert len(heads) == len(cells) + 1
    assert heads[:3] == ["Position", "Attention,\u00a0%", "Seen by,\u00a0%"]
    assert browser.get_log("browser") == []
