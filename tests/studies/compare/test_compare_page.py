"""The page of a comparison in a real browser, opened from disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from uuid import UUID

import numpy as np
import pytest
from browsing import find, needs_browser, open_fresh
from compared_results import area_of, result_of
from selenium import webdriver
from selenium.webdriver.common.by import By

from mediaan.studies.compare.differences import Estimate, ScoreKey, estimate
from mediaan.studies.compare.page import MediumPreview, render_compare, resample_density
from mediaan.studies.compare.pairs import all_pairs, decide, media_rows
from mediaan.studies.compare.ranking import rank
from mediaan.studies.compare.result import CompareResult
from mediaan.types.aoi import Aoi, Box
from mediaan.types.result import Result

HOSTILE = "ads/<img src=x onerror=alert(1)>.png"
WANTED = [ScoreKey("focus", "total"), ScoreKey("engagement", "total"), ScoreKey("attention", "total", "branding")]
LOGO = Aoi(UUID(int=1), "branding", "Acme & Söhne", Box(0.1, 0.1, 0.4, 0.3), 0.9, "word_mark")


def medium(name: str, focus: float, *, areas: bool = True) -> Result:
    scores = {
        ("focus", "total"): Estimate(focus, focus - 5, focus + 5),
        ("engagement", "total"): Estimate(50.0, 30.0, 70.0),
    }
    logo = area_of("branding", LOGO.label, {("attention", "total"): Estimate(9.0, 2.0, 20.0)})
    return result_of(name, scores, *([logo] if areas else []), looked_for=("branding",))


def side(seed: int, size: tuple[int, int] = (160, 120), density: bool = True) -> MediumPreview:
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    cells = rng.uniform(size=(9, 12)).astype(np.float32) ** 4
    return MediumPreview(size, picture, cells / cells.sum() if density else None, (LOGO,))


def two(b: Result | None = None) -> CompareResult:
    media = medium(HOSTILE, 80.0), b or medium("ads/b.png", 40.0)
    names = tuple(result.path for result in media)
    return CompareResult(names, decide(media_rows(*media, WANTED)), (), {name: (name,) for name in names})


def many() -> CompareResult:
    media = [medium(f"ads/{i}.png", 12.0 * i) for i in range(6)]
    rows = decide(all_pairs(media, WANTED[0]))
    ranking = rank(WANTED[0], {result.path: estimate(result, WANTED[0]) for result in media}, rows, "higher")
    return CompareResult(tuple(m.path for m in media), rows, (ranking,), {m.path: (m.path,) for m in media})


def opened(browser: webdriver.Chrome, folder: Path, html: str) -> webdriver.Chrome:
    (folder / "index.html").write_text(html, encoding="utf-8")
    browser.get("about:blank")  # a browser that has just started is still busy with its own first page
    browser.get_log("browser")
    browser.get_log("performance")
    open_fresh(browser, (folder / "index.html").as_uri())
    return browser


@needs_browser
def test_two_side_by_side(browser: webdriver.Chrome, tmp_path: Path) -> None:
    names = two().names
    opened(browser, tmp_path, render_compare(two(), {names[0]: side(1), names[1]: side(2)}))
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    addresses = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert all(address.startswith(("file:", "data:", "about:")) for address in addresses)
    widths = browser.execute_script("return [...document.images].map(i => i.naturalWidth)")
    assert len(widths) == 5
    assert all(width > 0 for width in widths)
    told = browser.find_elements(By.CSS_SELECTOR, "tr.told")
    assert [row.text.split("\n")[0].startswith("Focus") for row in told] == [True]
    assert "A is higher" in told[0].text
    assert "A BETTER" in told[0].text.upper()
    assert HOSTILE in find(browser, ".masthead").text
    assert "Acme & Söhne" in find(browser, "#areas-title").find_element(By.XPATH, "../..").text
    assert browser.execute_script("return document.documentElement.scrollWidth <= innerWidth")


@needs_browser
def test_the_bar_of_a_difference_lies_on_the_side_of_the_higher_one(browser: webdriver.Chrome, tmp_path: Path) -> None:
    opened(browser, tmp_path, render_compare(two(), {}))
    script = (
        "const row = document.querySelector('tr.told'), box = s => row.querySelector(s).getBoundingClientRect();"
        "return [box('.zero').x, box('.span').x, box('.span').right, box('.point').x]"
    )
    zero, left, right, point = browser.execute_script(script)
    assert zero < left < point < right, "A is higher by more than chance: all of it lies right of the middle"


@needs_browser
def test_a_ranking(browser: webdriver.Chrome, tmp_path: Path) -> None:
    compared = many()
    opened(browser, tmp_path, render_compare(compared, {name: side(i) for i, name in enumerate(compared.names)}))
    assert browser.get_log("browser") == []
    rows = browser.find_elements(By.CSS_SELECTOR, ".ranking tbody tr")
    assert [row.find_element(By.CSS_SELECTOR, ".name").text for row in rows] == [
        place.name for place in compared.rankings[0].places
    ]
    groups = [row.find_elements(By.TAG_NAME, "td")[-2].text for row in rows]
    assert groups == [str(place.group) for place in compared.rankings[0].places]
    means = browser.execute_script(
        "return [...document.querySelectorAll('.ranking .mean')].map(m => m.getBoundingClientRect().x)"
    )
    assert means == sorted(means, reverse=True), "the best stands first and farthest to the right"
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    )
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


def test_a_density_keeps_its_place_and_its_sum_on_other_cells() -> None:
    density = np.zeros((8, 8), np.float32)
    density[6, 1] = 1
    other = resample_density(density, (16, 12))
    assert other.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)
    y, x = np.unravel_index(np.argmax(other), other.shape)
    assert (y / 16, x / 12) == pytest.approx((6.5 / 8, 1.5 / 8), abs=0.08)


def test_a_picture_that_is_gone_is_grey_and_that_is_said() -> None:
    gone = replace(side(1), picture=None)
    assert gone.ground.shape == (675, 900, 3)
    names = two().names
    assert "not available" in render_compare(two(), {names[0]: gone, names[1]: side(2)})
