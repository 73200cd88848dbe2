"""A tall page in the report: a window that scrolls, a line and a row for each fold."""

from __future__ import annotations

import pytest
from browsing import find, needs_browser, open_medium, run_script
from PIL import Image, ImageDraw, ImageFont
from selenium import webdriver

import mediaan as mn


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """Address of a report of a page of six screens and a banner, and the page's identifier."""
    folder = tmp_path_factory.mktemp("pages")
    (folder / "media").mkdir()
    image = Image.new("RGB", (1280, 4800), (245, 245, 250))
    pen = ImageDraw.Draw(image)
    for screen in range(6):
        pen.text((100, 800 * screen + 200), f"Part {screen + 1}", (20, 30, 60), ImageFont.load_default(90))
    image.save(folder / "media" / "page.png")
    image.crop((0, 0, 1280, 400)).save(folder / "media" / "banner.png")
    recipe = mn.Recipe(maps=("heat",), aois="text", advice="none")
    mn.analyze_folder(
        folder / "media", folder / "run", recipe=recipe.replace(domain="page"), execution=mn.Execution(workers=1)
    )
    media = mn.read_run(folder / "run").media.set_index("name").medium_id
    return (folder / "run" / "report" / "index.html").as_uri(), media["page.png"]


@needs_browser
def test_a_tall_page_scrolls_in_a_window(browser: webdriver.Chrome, page: tuple[str, str]) -> None:
    open_medium(browser, *page)
    stage = find(browser, "#stage")
    assert stage.rect["height"] < 0.8 * 900
    assert browser.execute_script("return arguments[0].scrollHeight", stage) > 2000
    rows = browser.find_elements("css selector", "#fold-table tbody tr")
    lines = browser.find_elements("css selector", "#fold-lines i")
    assert len(rows) == len(lines) == 6
    assert "61 %" in rows[1].text
    height = find(browser, "#compare").rect["height"]
    top = float(lines[3].value_of_css_property("top").removesuffix("px"))
    assert top == pytest.approx(height / 2, abs=2)
    run_script(browser, "arguments[0].click()", rows[3].find_element("css selector", "button"))
    assert browser.execute_script("return arguments[0].scrollTop", stage) == pytest.approx(height / 2, abs=3)
    assert not find(browser, "#edit-areas").is_displayed()
