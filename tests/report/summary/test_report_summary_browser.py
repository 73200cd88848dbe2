"""The summary in a real browser: what it says, counts that lead to the media behind them, and the page around it."""

from pathlib import Path

import pytest
from browsing import assert_fits_a_phone, find, needs_browser, open_fresh, run_script, shown_rows, wait_until
from fake_areas import STILLS, add_areas
from fake_benchmark import add_benchmark, add_checks, add_some_rules, some_checks
from fake_run import HOSTILE, name_of, write_fake_run
from fake_video import FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from mediaan.report import write_report

MEDIA = 12
pytestmark = needs_browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("summary") / "run", MEDIA)
    add_checks(run, some_checks(MEDIA))
    return add_some_rules(add_benchmark(add_areas(run, STILLS), areas=True), MEDIA)


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_report(run).as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, page)
    return browser


def verdicts(browser: webdriver.Chrome, wanted: str) -> list[str]:
    return run_script(
        browser, "return report.media.filter((m) => m.done && m.verdict === arguments[0]).map((m) => m.name)", wanted
    )


def test_the_summary_comes_before_any_number(opened: webdriver.Chrome):
    first = "document.querySelector('#overview section').id"
    assert run_script(opened, f"return {first}") == "summary"
    works, weak = len(verdicts(opened, "works")), len(verdicts(opened, "attention"))
    assert works, "the invented run has some"
    assert weak
    headline = find(opened, "#summary-title").text
    assert f"{works} of {MEDIA} media work." in headline
    assert f"{weak} need attention; 1 fails a rule; most often, in 6: many places compete for attention." in headline


def test_cards_are_of_the_media_with_the_verdict_and_open_them(opened: webdriver.Chrome):
    for kind in ("works", "attention"):
        names = [card.text for card in opened.find_elements(By.CSS_SELECTOR, f".summary-card.{kind} .summary-name")]
        assert len(names) == min(4, len(verdicts(opened, kind)))
        assert set(names) <= set(verdicts(opened, kind))
        assert len({*names}) == len(names)
    card = find(opened, ".summary-card.attention a")
    name = card.text
    assert name == name_of(1) == HOSTILE, "the one that fails a rule comes first, its name is text"
    assert "Branded: <b>1</b>." in find(opened, ".summary-card.attention .reason.rule").text
    card.click()
    wait_until(opened, "!document.getElementById('detail').hidden")
    assert find(opened, "#detail-name").text == name


def test_a_recurring_reason_shows_just_the_media_that_it_counts(opened: webdriver.Chrome):
    buttons = opened.find_elements(By.CSS_SELECTOR, ".recurring")
    assert buttons
    for place in range(len(buttons)):
        button = opened.find_elements(By.CSS_SELECTOR, ".recurring")[place]
        key, n = button.get_attribute("data-reason"), int(button.find_element(By.TAG_NAME, "b").text)
        button.send_keys(Keys.ENTER)
        expected = "return report.media.filter((m) => m.reasons.includes(arguments[0])).map((m) => m.name)"
        assert sorted(shown_rows(opened)) == sorted(run_script(opened, expected, key))
        assert len(shown_rows(opened)) == n


def test_all_of_a_verdict_are_shown_and_the_address_keeps_it(opened: webdriver.Chrome):
    button = find(opened, "[data-verdict=attention]")
    n = int(button.text.removeprefix("Show all "))
    button.click()
    assert sorted(shown_rows(opened)) == sorted(verdicts(opened, "attention"))
    assert len(shown_rows(opened)) == n
    assert "verdict=attention" in opened.current_url
    open_fresh(opened, opened.current_url)
    assert len(shown_rows(opened)) == n


def test_a_reason_filter_forgets_what_was_wished_before(opened: webdriver.Chrome):
    run_script(opened, "updateList({ text: 'no such thing' })")
    assert shown_rows(opened) == []
    find(opened, ".recurring").click()
    assert shown_rows(opened)


def test_links_to_sections_say_where_one_is(opened: webdriver.Chrome):
    assert find(opened, "#sections [aria-current]").text == "Summary"
    links = [link.text for link in opened.find_elements(By.CSS_SELECTOR, "#sections a")]
    assert links == ["Summary", "Media", "Scores", "Areas", "Rules", "Help"]
    for name in ("Scores", "Help", "Media"):
        opened.find_element(By.LINK_TEXT, name).send_keys(Keys.ENTER)
        wait_until(opened, f"document.querySelector('#sections [aria-current]').textContent === '{name}'")
        top = "document.getElementById('sections').getBoundingClientRect().top"
        assert run_script(opened, f"return {top}") == 0, "they stay in sight"
        target = "document.querySelector(document.querySelector('#sections [aria-current]').hash)"
        bottom = "document.getElementById('sections').getBoundingClientRect().bottom"
        assert run_script(opened, f"return {target}.getBoundingClientRect().top >= {bottom}"), "nothing is covered"


def test_explanations_unfold_when_they_are_looked_for(opened: webdriver.Chrome, page: str):
    assert not find(opened, "#about-memory").is_displayed()
    find(opened, ".sureness a").click()
    wait_until(opened, "document.querySelector('#about-verdict').checkVisibility()")
    assert "two to one" in find(opened, "#about-verdict").text
    open_fresh(opened, f"{page}#about-memory")
    assert find(opened, "#about-memory").is_displayed()


def test_paper_has_all_explanations_and_no_links_to_sections(opened: webdriver.Chrome):
    run_script(opened, "dispatchEvent(new Event('beforeprint'))")
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert find(opened, "#about-memory").is_displayed()
    assert find(opened, "#summary-title").is_displayed()
    assert not find(opened, "#sections").is_displayed()
    assert not opened.find_elements(By.CSS_SELECTOR, ".summary-card")[0].find_elements(By.TAG_NAME, "button")


def test_it_fits_a_phone(browser: webdriver.Chrome, page: str):
    open_fresh(browser, page)
    assert_fits_a_phone(browser, page)


def test_without_checks_nothing_is_claimed(browser: webdriver.Chrome, tmp_path: Path):
    open_fresh(browser, write_report(write_fake_run(tmp_path, 3, maps=("original",))).as_uri())
    assert "Which media work cannot be told" in find(browser, "#summary-title").text
    assert not browser.find_elements(By.CSS_SELECTOR, ".summary-card")
    assert browser.get_log("browser") == []


def test_media_that_were_not_checked_have_no_verdict(browser: webdriver.Chrome, tmp_path: Path):
    run = add_videos(add_checks(write_fake_run(tmp_path, 4), some_checks(4)), [FakeVideo(100)])
    open_fresh(browser, write_report(run).as_uri())
    assert "Of 1 medium nothing could be checked" in find(browser, ".sureness").text
    assert len(verdicts(browser, "unknown")) == 1


def test_of_a_large_run_counts_are_of_all_and_the_rest_says_so(browser: webdriver.Chrome, run: Path, page: str):
    open_fresh(browser, page)
    whole = find(browser, "#summary-title").text
    few = write_report(run, limit=5)
    try:
        open_fresh(browser, few.as_uri())
        shown = len(run_script(browser, "return report.media"))
        assert shown == 5
        headline = find(browser, "#summary-title").text
        assert headline == whole
        recurs = browser.find_elements(By.CSS_SELECTOR, ".recurs")
        assert all("media on this page" in one.text for one in recurs)
    finally:
        write_report(run)
