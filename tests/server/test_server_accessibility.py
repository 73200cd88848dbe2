"""The web page of the server for everybody: the way in, the list in all its states, dialogs, the report within."""

from __future__ import annotations

import pytest
from accessible import WIDTHS, assert_open_to_all
from axe import needs_axe
from browsing import find, needs_browser, open_fresh, wait_until
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from serving import RunningServer
from short_film import ADS

from mediaan.server.service.service import Service

BUSY_S = 240
DIALOGS = {
    "menu": "const button = document.querySelector('#media .menu summary'); button.focus(); button.click()",
    "objectives": "document.querySelector('#media [data-does=objectives]').click()",
    "delete": "document.querySelector('#media [data-does=delete]').click()",
}

pytestmark = [needs_browser, needs_axe]


@pytest.fixture(scope="module")
def library(browser: webdriver.Chrome, server: RunningServer, stored: Service) -> webdriver.Chrome:
    """A list with one medium that was predicted, one that failed and one that waits."""
    sign_in(browser, server, server.key)
    wait_until(browser, "document.getElementById('listing') !== null")
    find(browser, "#files").send_keys(str(ADS / "serum_square.jpg"))
    # the search for areas comes after the prediction, and makes another report
    searched = "return document.querySelector('#media .mark.areas.done') !== null"
    WebDriverWait(browser, BUSY_S, 0.2).until(lambda driver: driver.execute_script(searched))
    assert browser.execute_script("return document.querySelector('#media .mark.done:not(.areas)') !== null")
    found = stored.keys.company(server.key)
    assert found
    for name, status in (("broken.png", "failed"), ("waiting.png", "init")):
        medium = stored.media.add(found[0], "image", name, "image/png", 1000)
        change = "UPDATE media SET status = ? WHERE name = ?"
        stored.database.connection.execute(change, (status, name))
        assert medium
    return browser


def sign_in(browser: webdriver.Chrome, server: RunningServer, key: str) -> None:
    browser.delete_all_cookies()
    open_fresh(browser, server.url)
    find(browser, "#key").send_keys(key, Keys.ENTER)


@pytest.mark.parametrize("width", WIDTHS)
def test_the_list(library: webdriver.Chrome, server: RunningServer, width: int) -> None:
    assert_open_to_all(library, server.url, width)
    assert len(library.execute_script("return [...document.querySelectorAll('#media tbody tr')]")) == 3


@pytest.mark.parametrize("dialog", DIALOGS)
def test_menus_and_dialogs(library: webdriver.Chrome, server: RunningServer, dialog: str) -> None:
    assert_open_to_all(library, server.url, 1440, DIALOGS[dialog])
    ActionChains(library).send_keys(Keys.ESCAPE).perform()
    wait_until(library, "document.querySelector('dialog[open], .menu[open]') === null")
