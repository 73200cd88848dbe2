"""Let tests of all sub-folders import the made-up runs that lie here: pytest puts a conftest's folder on the path."""

import pytest
from browsing import open_fresh
from selenium import webdriver


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    """The page of a module, without what an earlier test left in it."""
    open_fresh(browser, page)
    return browser
