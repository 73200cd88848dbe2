"""Pages whose names, labels and campaigns carry code, in a real browser: nothing of it runs, all of it is shown."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from browsing import find, needs_browser, open_fresh, run_script
from conftest import CAMPAIGNS, LABELS, Named
from selenium import webdriver
from selenium.webdriver.common.by import By

from mediaan.config.attributes import unescape_formula
from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.run.directory import copy_run

pytestmark = needs_browser

FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")


@pytest.fixture(scope="module")
def pages(named: Named) -> dict[str, Path]:
    out, attributes = named.folder, named.folder / "attributes.csv"
    dated = ("--attributes", attributes, "--by", "campaign", "--metric", "focus")
    named.command("compare", "--runs", named.run, *dated, "--out", out / "groups")
    named.command("compare", "--runs", named.run, "--metric", "focus", "--out", out / "ranking", *named.names[:6])
    named.command("trend", named.run, "--date", "date", *dated, "--out", out / "trend")
    named.command("drift", named.run, named.run, "--out", out / "drift.html")
    edit = ("--aois", out / "areas.json", "--grey", LABELS[0], "--model", "centre-prior")
    named.command("whatif", named.ads / named.names[0], *edit, "--out", out / "whatif")
    folders = {name: out / name / "index.html" for name in ("groups", "ranking", "trend", "whatif")}
    copy_run(named.run, out / "large")
    write_report(read_run(out / "large"), limit=8)
    large = out / "large" / "report" / "index.html"
    return {"report": named.run / "report" / "index.html", "large": large, "drift": out / "drift.html", **folders}


def read(browser: webdriver.Chrome, page: Path, place: str = "") -> str:
    """Open a page, open all that folds, and give its text; nothing may have run, and nothing may have been refused."""
    browser.get_log("browser")
    open_fresh(browser, page.as_uri() + place)
    run_script(browser, "for (const one of document.querySelectorAll('details')) one.open = true")
    assert_quiet(browser)
    return str(run_script(browser, "return document.documentElement.textContent"))


def assert_quiet(browser: webdriver.Chrome) -> None:
    assert run_script(browser, "return window.pwned === undefined")
    assert browser.get_log("browser") == []  # a policy that had to stop something would say so
    assert (
        run_script(browser, "return document.querySelectorAll('img[onerror], svg[onload], a[href^=java]').length") == 0
    )


def shown(text: str) -> str:
    """A name as text of HTML, which knows one kind of line end."""
    return text.replace("\r", "\n")


def test_the_report_shows_names(browser: webdriver.Chrome, pages: dict[str, Path], named: Named) -> None:
    text = read(browser, pages["report"]).replace("\r", "\n")
    assert not [name for name in named.names if shown(name) not in text]
    rows = run_script(browser, "return [...document.querySelectorAll('#media tbody tr')].map((row) => row.textContent)")
    assert len(rows) == len(named.names)


def test_the_editor_of_areas(browser: webdriver.Chrome, pages: dict[str, Path]) -> None:
    read(browser, pages["report"])
    media = run_script(browser, "return report.media.map((medium) => medium.id)")
    seen = set()
    for medium_id in media[: len(LABELS) + 1]:
        read(browser, pages["report"], f"#{medium_id}")
        find(browser, "#edit-areas").click()
        for area in browser.find_elements(By.CSS_SELECTOR, "#canvas [data-area], #areas li, #areas button")[:3]:
            if area.is_displayed():
                area.click()
        assert_quiet(browser)
        seen |= {area["label"] for area in run_script(browser, "return state.editor.draft.list")}
        run_script(browser, "for (const draft of drafts.values()) discardDraft(draft); sessionStorage.clear()")
    assert seen <= set(LABELS)
    assert len(seen) > 3


def test_the_search_and_the_sorting(browser: webdriver.Chrome, pages: dict[str, Path]) -> None:
    read(browser, pages["report"])
    find(browser, "#text").send_keys("<img src=x onerror=window.pwned")
    assert run_script(browser, "return state.shown.length") == 1
    find(browser, "[data-look=table]").click()
    for head in browser.find_elements(By.CSS_SELECTOR, "#media thead button")[:4]:
        head.click()
    assert_quiet(browser)


@pytest.mark.parametrize("page", ["ranking", "drift", "whatif"])
def test_pages_about_media(page: str, browser: webdriver.Chrome, pages: dict[str, Path], named: Named) -> None:
    text = read(browser, pages[page]).replace("\r", "\n")
    if page == "ranking":
        assert all(shown(name) in text for name in named.names[:6])
    if page == "whatif":
        assert LABELS[0] in text


@pytest.mark.parametrize("page", ["groups", "trend"])
def test_pages_about_campaigns(page: str, browser: webdriver.Chrome, pages: dict[str, Path]) -> None:
    text = read(browser, pages[page])
    assert all(campaign in text for campaign in CAMPAIGNS)


def test_the_download_holds_no_formula(browser: webdriver.Chrome, pages: dict[str, Path], named: Named) -> None:
    read(browser, pages["report"])
    rows = list(csv.DictReader(io.StringIO(run_script(browser, "return csvText()"), newline="")))
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if cell.startswith(FORMULAS) and not number(cell)]
    assert sorted(unescape_formula(row["name"]) for row in rows) == sorted(named.names)


def number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
