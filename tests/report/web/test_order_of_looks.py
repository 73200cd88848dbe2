"""The order of looks on the page of an image: sentence, list, path, and its play button."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import find, needs_browser, open_fresh, run_script, wait_until
from fake_areas import BOTTLE, FACE, HEADLINE, LOGO, STILLS, add_areas
from fake_run import medium_id, write_fake_run
from selenium import webdriver

from mediaan.report import write_report
from mediaan.run.tables.schema import TABLES

pytestmark = needs_browser

PATH = [(0.5, 0.5, 0.1, 0.2, None), (0.3, 0.2, 0.4, 0.5, HEADLINE), (0.4, 0.6, 1.0, 0.3, BOTTLE)]


def write_table(run_dir: Path, name: str, rows: list[dict[str, object]]) -> None:
    pq.write_table(pa.Table.from_pylist(rows, TABLES[name]), run_dir / "tables" / f"{name}.parquet")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = add_areas(write_fake_run(tmp_path_factory.mktemp("looks") / "run", 2), STILLS)
    ranks = ((HEADLINE, 1, 62.4), (BOTTLE, 2, 55.0), (LOGO, 3, 100.0), (FACE, None, None))
    rows = [{"medium_id": medium_id(0), "aoi_id": area.id, "rank": rank, "share": s} for area, rank, s in ranks]
    write_table(run, "looks", rows)
    names = ("x", "y", "onset_s", "duration_s")
    path = [
        {
            "medium_id": medium_id(0),
            "index": index,
            **dict(zip(names, values, strict=True)),
            "aoi_id": area and area.id,
        }
        for index, (*values, area) in enumerate(PATH, 1)
    ]
    write_table(run, "scanpaths", path)
    return write_report(run, layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, f"{page}#{medium_id(0)}")
    find(browser, "#order-of-looks > summary").click()
    return browser


def test_the_line_and_the_list_say_who_is_looked_at_first(opened: webdriver.Chrome) -> None:
    line = find(opened, "#looks-line").text
    assert line == "Headline first (62 % of simulated viewers), then product (55 %), then branding; an estimate"
    listed = run_script(opened, "return [...document.querySelectorAll('#looks-order li')].map(one => one.textContent)")
    assert [one.split(" (area")[0] for one in listed][:2] == ["Headline “Big sale”", "Product “bottle”"]
    assert [one.split(") ")[-1] for one in listed[:2]] == ["62\u00a0%", "55\u00a0%"]
    assert "1 area is looked at by fewer than" in find(opened, "#looks-rest").text


def test_circles_lie_on_the_picture_where_the_looks_are(opened: webdriver.Chrome) -> None:
    wait_until(opened, "document.getElementById('looks-picture').naturalWidth > 0")
    script = """
    const box = document.getElementById('looks-picture').getBoundingClientRect();
    return [...document.querySelectorAll('#looks-path g')].map(one => {
      const c = one.querySelector('circle').getBoundingClientRect();
      const [x, y] = [c.x + c.width / 2 - box.x, c.y + c.height / 2 - box.y];
      return [one.textContent, x / box.width, y / box.height, c.width];
    }).sort();
    """
    circles = run_script(opened, script)
    assert [one[0] for one in circles] == ["1", "2", "3"]
    for (_, x, y, _), (x0, y0, *_) in zip(circles, PATH, strict=True):
        assert (x, y) == pytest.approx((x0, y0), abs=0.01)
    assert circles[1][3] > 1.3 * circles[0][3]  # looked at for longer


def test_play_shows_one_look_after_the_other_and_then_all(opened: webdriver.Chrome) -> None:
    count = "document.querySelectorAll('#looks-path circle').length"
    assert run_script(opened, f"return {count}") == 3
    button = find(opened, "#looks-play")
    button.click()
    assert (button.text, button.get_attribute("aria-pressed")) == ("Stop", "true")
    wait_until(opened, f"{count} === 2")
    wait_until(opened, f"{count} === 3")
    wait_until(opened, "document.getElementById('looks-play').textContent === 'Play'")
    assert run_script(opened, f"return {count}") == 3


def test_stop_shows_the_whole_path_at_once(opened: webdriver.Chrome) -> None:
    button = find(opened, "#looks-play")
    button.click()
    button.click()
    assert button.text == "Play"
    assert run_script(opened, "return document.querySelectorAll('#looks-path circle').length") == 3


def test_an_image_without_an_order_has_no_fold(opened: webdriver.Chrome, page: str) -> None:
    open_fresh(opened, f"{page}#{medium_id(1)}")
    assert not find(opened, "#order-of-looks").is_displayed()
