"""The site of the documentation: built without a complaint, and asking no other machine for anything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from accessible import show
from axe import needs_axe, scan
from browsing import find, needs_browser, open_fresh, wait_until
from selenium import webdriver

pytest.importorskip("mkdocs", reason="pip install -e '.[docs]'")
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site; `--strict` refuses links and anchors that lead nowhere, and pages that no menu lists."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        build, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


class LoadedAddresses(HTMLParser):
    """Addresses that a page loads by itself."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.addresses: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if address := values.get("href") if tag == "link" else values.get("src"):
            self.addresses.append(address)


def test_pages_load_nothing_from_elsewhere(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 40
    for page in pages:
        for address in LoadedAddresses(page).addresses:
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page.name}: {address}"
            if page.name != "404.html" and not address.startswith(("data:", "#")):
                assert (page.parent / address.partition("?")[0]).exists(), f"{page.name}: {address}"
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)[\"' ]*(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


@needs_browser
def test_search_works_from_a_disk(site: Path, browser: webdriver.Chrome) -> None:
    open_fresh(browser, (site / "howto" / "brand.html").as_uri())
    field = find(browser, "input.md-search__input")
    field.click()
    field.send_keys("calibration")
    wait_until(browser, "document.querySelector('.md-search-result__link')")
    assert "/calibration.html" in str(find(browser, ".md-search-result__link").get_attribute("href"))


@needs_axe
@needs_browser
@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.full)])
def test_pages_are_for_everybody(site: Path, browser: webdriver.Chrome, theme: str) -> None:
    open_fresh(browser, (site / "faq.html").as_uri())
    browser.execute_script("localStorage.clear()")  # where the theme keeps what was shown last
    for page in ("faq", "notebooks/quick_start"):
        show(browser, (site / f"{page}.html").as_uri(), 1440, theme)
        assert scan(browser).findings == [], page
