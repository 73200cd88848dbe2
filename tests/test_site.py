"""The site of the documentation: built without a complaint, whole, and asking no other machine for anything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest
from accessible import show
from axe import needs_axe, scan
from browsing import find, needs_browser, open_fresh, wait_until
from selenium import webdriver

import mediaan

pytest.importorskip("mkdocs", reason="pip install -e '.[docs]'")
ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(
        build, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    return folder


class Loaded(HTMLParser):
    """Addresses that a page loads by itself, and those that it links to."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: set[str] = set()
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.linked.append(values["href"])
        elif tag == "link" and "href" in values:
            self.loaded.append(values["href"])
        elif "src" in values:
            self.loaded.append(values["src"])


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Loaded]:
    """What each page loads and links to."""
    return {page: Loaded(page) for page in site.rglob("*.html")}


def test_pages_load_nothing_from_elsewhere(pages: dict[Path, Loaded]) -> None:
    assert len(pages) > 40
    for page, found in pages.items():
        for address in found.loaded:
            assert not re.match(r"(?:[a-z]+:)?//", address), f"{page.name}: {address}"
            if page.name != "404.html" and not address.startswith(("data:", "#")):
                assert (page.parent / address.partition("?")[0]).exists(), f"{page.name}: {address}"


def test_styles_load_nothing_from_elsewhere(site: Path) -> None:
    for style in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import)[\"' ]*(?:https?:)?//", style.read_text(encoding="utf-8")), style.name


def test_links_lead_somewhere_in_the_site_too(pages: dict[Path, Loaded]) -> None:
    """Also those that the hook turned, and those inside generated pages."""
    for page, found in pages.items():
        for link in found.linked if page.name != "404.html" else ():
            path, _, anchor = link.partition("#")
            if re.match(r"[a-z]+:", link):
                continue
            file = Path(os.path.normpath(page.parent / path)) if path else page
            assert file.exists(), f"{page.name}: {link}"
            if anchor and file in pages:
                assert anchor in pages[file].ids, f"{page.name}: {link}"


def test_the_page_of_commands_has_each_of_them(site: Path) -> None:
    text = (site / "reference" / "commands.html").read_text(encoding="utf-8")
    for name in re.findall(r"^#+ (mediaan .*)$", (ROOT / "docs" / "cli.md").read_text(encoding="utf-8"), re.MULTILINE):
        assert f"Usage: {name} " in text


def test_the_page_about_python_has_every_public_name(site: Path, pages: dict[Path, Loaded]) -> None:
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    named = re.findall(r"^::: mediaan\.(\w+)$", text, re.MULTILINE)
    assert sorted(named) == sorted(
        name for name in mediaan.__all__ if not isinstance(getattr(mediaan, name), ModuleType)
    )
    ids = pages[site / "reference" / "python.html"].ids
    assert {f"mediaan.{name}" for name in named} <= ids


def test_every_notebook_is_listed_and_has_its_page(site: Path, pages: dict[Path, Loaded]) -> None:
    text = (ROOT / "docs" / "notebooks.md").read_text(encoding="utf-8")
    notebooks = sorted((ROOT / "notebooks").glob("*.ipynb"))
    assert sorted(re.findall(r"\(\.\./notebooks/(\w+)\.ipynb\)", text)) == [notebook.stem for notebook in notebooks]
    for notebook in notebooks:
        assert notebook.name in pages[site / "notebooks" / f"{notebook.stem}.html"].linked


def test_the_cards_are_in_it(site: Path) -> None:
    for folder in ("models", "benchmarks_data"):
        for card in (ROOT / folder).glob("*.md"):
            assert (site / folder / f"{card.stem}.html").exists()


@needs_browser
def test_search_works_from_a_disk(site: Path, browser: webdriver.Chrome) -> None:
    browser.get_log("browser"), browser.get_log("performance")
    open_fresh(browser, (site / "howto" / "brand.html").as_uri())
    field = find(browser, "input.md-search__input")
    field.click()
    field.send_keys("calibration")
    wait_until(browser, "document.querySelector('.md-search-result__link')")
    assert "/calibration.html" in str(find(browser, ".md-search-result__link").get_attribute("href"))
    assert browser.get_log("browser") == []
    sent = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = {one["params"]["request"]["url"] for one in sent if one["method"] == "Network.requestWillBeSent"}
    assert any(address.endswith("search_index.js") for address in asked)
    assert {address.partition(":")[0] for address in asked}.isdisjoint({"http", "https", "ws", "wss", "ftp"})


@pytest.mark.full
@needs_browser
def test_pages_fit_a_phone(site: Path, browser: webdriver.Chrome) -> None:
    """Wide tables and code scroll in themselves."""
    for page in ("index", "faq", "cli", "reference/python", "models/attention"):
        open_fresh(browser, (site / f"{page}.html").as_uri())
        size = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        assert browser.execute_script("return [innerWidth, document.documentElement.scrollWidth]") == [390, 390], page
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


@needs_axe
@needs_browser
@pytest.mark.parametrize(
    ("theme", "scheme"), [("light", "default"), pytest.param("dark", "slate", marks=pytest.mark.full)]
)
def test_pages_are_for_everybody(site: Path, browser: webdriver.Chrome, theme: str, scheme: str) -> None:
    open_fresh(browser, (site / "faq.html").as_uri())
    browser.execute_script("localStorage.clear()")  # where the theme keeps what was shown last
    for page in ("faq", "notebooks/quick_start"):
        show(browser, (site / f"{page}.html").as_uri(), 1440, theme)
        assert browser.execute_script("return document.body.dataset.mdColorScheme") == scheme
        assert scan(browser).findings == [], page
