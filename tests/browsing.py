"""Driving a real browser over a page on disk."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.common.exceptions import TimeoutException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

CHROMIUM, DRIVER = Path("/usr/bin/chromium"), Path("/usr/bin/chromedriver")
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"]
FLAGS += ["--disable-background-networking", "--disable-component-update"]
FLAGS += ["--window-size=1280,900", "--force-prefers-reduced-motion"]  # a smooth scroll would outrun the clicks

needs_browser = pytest.mark.skipif(
    not (CHROMIUM.exists() and DRIVER.exists()), reason="needs chromium and chromedriver"
)


BOX_KEYS = (
    "n", *[Keys.ARROW_LEFT] * 10, *[Keys.ARROW_UP] * 10, " ", *[Keys.ARROW_RIGHT] * 20, *[Keys.ARROW_DOWN] * 20, " ",
)  # fmt: skip
"""Keys that draw a box from 0.4 to 0.6 in the editor of areas."""


def open_fresh(browser: webdriver.Chrome, address: str) -> None:
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    browser.get("about:blank")
    try:
        browser.get(address)
    except TimeoutException:  # now and then Chromium 150 does not begin to open a page, and chromedriver waits for it
        browser.get(address)


def open_medium(browser: webdriver.Chrome, page: str, medium_id: str) -> None:
    """Open the page of one medium, with all that is folded there unfolded."""
    open_fresh(browser, f"{page}#{medium_id}")
    unfold(browser)


def unfold(browser: webdriver.Chrome) -> None:
    browser.execute_script("for (const part of document.querySelectorAll('#detail details')) part.open = true")


def run_script(browser: webdriver.Chrome, script: str, *args: object) -> Any:
    """Run a script that can use by name what a report's own script shows (`views/inspect.js`)."""
    exports = "typeof mediaan === 'undefined' ? {} : mediaan"
    return browser.execute_script(f"with ({exports}) {{ {script}\n }}", *args)


def shown_rows(browser: webdriver.Chrome) -> list[str]:
    """Return the names of the media in the table, in its order."""
    return run_script(browser, "return state.shown.map((index) => report.media[index].name)")


def show_table(browser: webdriver.Chrome, page: str) -> None:
    """Open a report with its list as a table."""
    open_fresh(browser, f"{page}#media?look=table")


def open_filters(browser: webdriver.Chrome) -> None:
    """Unfold the filters of the list."""
    button = find(browser, "#filters")
    if button.get_attribute("aria-expanded") == "false":
        run_script(browser, "arguments[0].click()", button)


def open_folds(browser: webdriver.Chrome) -> None:
    """Unfold every section of the overview."""
    run_script(browser, "for (const fold of document.querySelectorAll('.fold')) fold.open = true")


@contextmanager
def on_phone(browser: webdriver.Chrome) -> Iterator[None]:
    """Let the page that is open be on a phone: 390 px, fingers in the place of a mouse."""
    send = browser.execute_cdp_cmd
    send("Emulation.setDeviceMetricsOverride", {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True})
    send("Emulation.setTouchEmulationEnabled", {"enabled": True, "maxTouchPoints": 2})
    try:
        yield
    finally:
        send("Emulation.setTouchEmulationEnabled", {"enabled": False})
        send("Emulation.clearDeviceMetricsOverride", {})


def touch(browser: webdriver.Chrome, selector: str, *moments: Sequence[tuple[float, float]]) -> None:
    """Touch an element: at each moment, where the fingers are, as shares of its sides; none at the end lifts them."""
    browser.execute_script("arguments[0].scrollIntoView({block: 'center'})", find(browser, selector))
    place = browser.execute_script("return arguments[0].getBoundingClientRect()", find(browser, selector))
    fingers = 0
    for moment in moments:
        points = [
            {"x": place["left"] + x * place["width"], "y": place["top"] + y * place["height"], "id": i}
            for i, (x, y) in enumerate(moment)
        ]
        kind = "touchEnd" if not points else "touchStart" if len(points) > fingers else "touchMove"
        browser.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        fingers = len(points)


def find(browser: webdriver.Chrome, selector: str) -> WebElement:
    return browser.find_element(By.CSS_SELECTOR, selector)


def wait_until(browser: webdriver.Chrome, script: str) -> None:
    WebDriverWait(browser, 30).until(lambda driver: run_script(driver, f"return {script}"))


def press(browser: webdriver.Chrome, *keys: str) -> None:
    ActionChains(browser).send_keys(*keys).perform()


def edit_areas(browser: webdriver.Chrome, address: str, *, fresh: bool = False) -> None:
    """Open the editor of areas of a medium; fresh: without drafts of earlier tests."""
    open_fresh(browser, address)
    if fresh:
        run_script(browser, "for (const draft of drafts.values()) discardDraft(draft); sessionStorage.clear()")
        open_fresh(browser, address)
    find(browser, "#edit-areas").click()


def drag(browser: webdriver.Chrome, start: tuple[float, float], end: tuple[float, float]) -> ActionChains:
    """Press at one place of the picture and go to another; both are shares of its sides."""
    run_script(browser, "scrollTo(0, 0)")
    canvas = find(browser, "#canvas")
    width, height = canvas.size["width"], canvas.size["height"]
    dx, dy = round((end[0] - start[0]) * width), round((end[1] - start[1]) * height)
    at = round((start[0] - 0.5) * width), round((start[1] - 0.5) * height)
    return ActionChains(browser, duration=0).move_to_element_with_offset(canvas, *at).click_and_hold().move_by_offset(
        dx // 2, dy // 2
    ).move_by_offset(dx - dx // 2, dy - dy // 2)  # fmt: skip
