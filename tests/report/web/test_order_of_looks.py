"""The order of looks on the page of an image: sentence, list, path, and its play button."""

from __future__ import annotations

import pytest
from browsing import find, needs_browser, open_fresh, run_script, wait_until
from fake_areas import STILLS, add_areas
from fake_looks import PATH, add_looks
from fake_run import medium_id, write_fake_run
from selenium import webdriver

from mediaan.report import write_report
from mediaan.run import read_run

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = add_areas(write_fake_run(tmp_path_factory.mktemp("looks") / "run", 2), STILLS)
    return write_report(read_run(add_looks(run)), layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, f"{page}#{medium_id(0)}")
    find(browser, "#order-of-looks > summary").click()
    return browser


def test_the_line_and_the_list_say_who_is_looked_at_first(opened: webdriver.Chrome) -> None:
    line = find(opened, "#looks-line").text
    assert line == "Headline, then product, then branding; an estimate"
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


CLOCK = """
window.seconds = 0;
performance.now = () => 1000 * seconds;
window.requestAnimationFrame = step => { window.step = step; return 1; };
window.frameAt = at => { seconds = at; step(); return document.querySelectorAll('#looks-path circle').length; };
"""  # the page's time stands still between frames, however slow the machine is


def test_play_shows_one_look_after_the_other_and_then_all(opened: webdriver.Chrome) -> None:
    run_script(opened, CLOCK)
    button = find(opened, "#looks-play")
    button.click()
    assert (button.text, button.get_attribute("aria-pressed")) == ("Stop", "true")
    assert [run_script(opened, f"return frameAt({at})") for at in (0.05, 0.2, 0.5, 1.1)] == [0, 1, 2, 3]
    assert button.text == "Stop"
    assert run_script(opened, "return frameAt(2.4)") == 3
    assert (button.text, button.get_attribute("aria-pressed")) == ("Play", "false")


def test_stop_shows_the_whole_path_at_once(opened: webdriver.Chrome) -> None:
    button = find(opened, "#looks-play")
    button.click()
    button.click()
    assert button.text == "Play"
    assert run_script(opened, "return document.querySelectorAll('#looks-path circle').length") == 3


def test_an_image_without_an_order_has_no_fold(opened: webdriver.Chrome, page: str) -> None:
    open_fresh(opened, f"{page}#{medium_id(1)}")
    assert not find(opened, "#order-of-looks").is_displayed()
