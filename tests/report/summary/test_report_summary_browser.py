"""The summary in a real browser: what it says, counts that lead to the media behind them, and the page around it."""

from pathlib import Path

import pytest
from browsing import find, needs_browser, open_fresh, run_script, shown_rows
from fake_areas import STILLS, add_areas
from fake_benchmark import add_benchmark, add_checks, add_some_rules, some_checks
from fake_run import HOSTILE, name_of, write_fake_run
from fake_video import FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run

MEDIA = 12
pytestmark = needs_browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("summary") / "run", MEDIA)
    add_checks(run, some_checks(MEDIA))
    return add_some_rules(add_benchmark(add_areas(run, STILLS), areas=True), MEDIA)


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_report(read_run(run)).as_uri()


def verdicts(browser: webdriver.Chrome, wanted: str) -> list[str]:
    return run_script(
        browser, "return report.media.filter((m) => m.done && m.verdict === arguments[0]).map((m) => m.name)", wanted
    )


def test_the_summary_and_the_list_come_first(opened: webdriver.Chrome):
    first = "[...document.querySelectorAll('#overview section')].slice(0, 2).map((one) => one.id)"
    assert run_script(opened, f"return {first}") == ["summary", "all-media"]
    works, weak, undecided = (len(verdicts(opened, one)) for one in ("works", "attention", "open"))
    assert min(works, weak, undecided) > 0, "the invented run has some"
    headline = find(opened, "#summary-title").get_attribute("textContent")
    assert headline == f"{works} of {MEDIA} ads work, {weak} need attention, {undecided} are undecided."
    assert find(opened, ".gallery-card").is_displayed()


def test_the_first_screen_shows_the_first_row_of_cards_whole(browser: webdriver.Chrome, page: str):
    open_fresh(browser, page)
    size = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    bottom = "document.querySelector('.gallery-card').getBoundingClientRect().bottom"
    assert run_script(browser, f"return {bottom}") < 900
    folds = "[...document.querySelectorAll('details')].filter((one) => one.open).length"
    assert run_script(browser, f"return {folds}") == 0


def test_the_list_begins_with_what_needs_attention(opened: webdriver.Chrome):
    found = run_script(opened, "return state.shown.map((index) => report.media[index]).map((m) => m.done && m.verdict)")
    order = ["attention", "open", "works", "unknown", False]
    assert [order.index(one) for one in found] == sorted(order.index(one) for one in found)
    assert shown_rows(opened)[0] == name_of(1) == HOSTILE, "the one that fails a rule"
    assert Select(find(opened, "#sort")).first_selected_option.text == "Verdict"
    assert Select(find(opened, "#order")).first_selected_option.text == "Needs attention first"
    Select(find(opened, "#order")).select_by_visible_text("Works first")
    assert shown_rows(opened)[0] in verdicts(opened, "works")
    assert shown_rows(opened)[-1] == "broken <b>.jpg"


def test_a_card_says_the_verdict_and_the_first_problem(opened: webdriver.Chrome):
    card = find(opened, ".gallery-card[data-i='1']")
    assert card.find_element(By.CSS_SELECTOR, ".verdict-tag").text == "✕ Needs attention"
    assert card.find_element(By.CSS_SELECTOR, ".gallery-finding.bad").text == "Branded: <b>1</b>."
    for index, verdict in run_script(opened, "return report.media.map((m, i) => [i, m.done && m.verdict])"):
        tags = opened.find_elements(By.CSS_SELECTOR, f".gallery-card[data-i='{index}'] .verdict-tag")
        assert [tag.get_attribute("class") for tag in tags] == ([f"verdict-tag {verdict}"] if verdict else [])


def test_a_common_problem_shows_just_the_media_that_it_counts(opened: webdriver.Chrome):
    buttons = opened.find_elements(By.CSS_SELECTOR, ".problem")
    assert buttons
    for button in buttons:
        key, n = button.get_attribute("data-reason"), int(button.find_element(By.TAG_NAME, "b").text)
        button.send_keys(Keys.ENTER)
        expected = "return report.media.filter((m) => m.reasons.includes(arguments[0])).map((m) => m.name)"
        assert sorted(shown_rows(opened)) == sorted(run_script(opened, expected, key))
        assert len(shown_rows(opened)) == n
        assert button.get_attribute("aria-pressed") == "true"
    buttons[-1].send_keys(Keys.ENTER)
    assert len(shown_rows(opened)) == MEDIA + 1, "again: all of them"


def test_a_count_shows_its_verdict_and_the_address_keeps_it(opened: webdriver.Chrome):
    for verdict in ("attention", "open", "works"):
        button = find(opened, f"[data-verdict={verdict}]")
        button.click()
        assert sorted(shown_rows(opened)) == sorted(verdicts(opened, verdict))
        assert len(shown_rows(opened)) == int(button.find_element(By.TAG_NAME, "b").text)
        assert button.get_attribute("aria-pressed") == "true"
        assert f"verdict={verdict}" in opened.current_url
    n = len(shown_rows(opened))
    open_fresh(opened, opened.current_url)
    assert len(shown_rows(opened)) == n
    find(opened, "[data-verdict=all]").click()
    assert len(shown_rows(opened)) == MEDIA + 1


def test_a_problem_forgets_the_filters_of_before(opened: webdriver.Chrome):
    run_script(opened, "updateList({ text: 'no such thing' })")
    assert shown_rows(opened) == []
    find(opened, ".problem").click()
    assert shown_rows(opened)


def test_media_that_were_not_checked_have_no_verdict(browser: webdriver.Chrome, tmp_path: Path):
    run = add_videos(add_checks(write_fake_run(tmp_path, 4), some_checks(4)), [FakeVideo(100)])
    open_fresh(browser, write_report(read_run(run)).as_uri())
    assert "Nothing that is required is known of 1 file." in find(browser, ".sureness").get_attribute("textContent")
    assert len(verdicts(browser, "unknown")) == 1
