"""Rules as the page shows them: counts, badges, filters."""

import re
from pathlib import Path

import pytest
from browsing import find, needs_browser, open_filters, open_folds, open_fresh, open_medium, run_script, shown_rows
from fake_benchmark import add_rules, add_some_rules
from fake_run import HOSTILE, medium_id, name_of, write_fake_run
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.report.counts import count_rules
from mediaan.run import read_run

MEDIA = 12

RULES = [
    {"rule": "focus >= 30", "name": "Focused"},
    {"rule": "clarity >= p30", "name": "clarity >= p30", "severity": "warning"},
    {"rule": "branding.count >= 1", "name": "Branded"},
]


def ruled(tmp_path: Path) -> Path:
    run = write_fake_run(tmp_path, 4, maps=())
    statuses = ["pfp", "fff", "pps", "ppp"]
    words = {"p": "passed", "f": "failed", "s": "skipped"}
    rows = [
        {"path": f"ads/{name_of(i)}", "medium_id": medium_id(i), "message": f"{i} <i>{k}</i>."} | rule
        | {"status": words[statuses[i][k]]}
        for i in range(4)
        for k, rule in enumerate(RULES)
    ]  # fmt: skip
    copy = [row | {"path": "copies/spring hero.jpg"} for row in rows[:3]]
    why = [{"rule": "focus >= 30", "name": "Focused", "why": "Two <b>seconds</b> are all we have."}, "clarity >= p30"]
    return add_rules(run, [*rows, *copy], why)


def test_rules_are_counted_by_medium_and_the_worst_comes_first(tmp_path: Path):
    run = ruled(tmp_path)
    rules = count_rules(run, read_run(run).facts["rules"])
    found = [(rule.name, rule.failed, rule.skipped, rule.passed, rule.why) for rule in rules]
    assert found == [
        ("Branded", 1, 1, 2, None),
        ("Focused", 1, 0, 3, "Two <b>seconds</b> are all we have."),
        ("clarity >= p30", 2, 0, 2, None),  # a warning, after what may not ship
    ]
    assert rules[1].shares == {"failed": 25, "skipped": 0, "passed": 75}


def test_badges_tell_failures_warnings_and_what_was_skipped_apart(tmp_path: Path):
    text = write_report(read_run(ruled(tmp_path))).read_text("utf-8")
    rows = {i: re.search(rf'<tr data-i="{i}".*?</tr>', text, re.DOTALL)[0] for i in range(5)}
    badges = {i: re.findall(r'class="badge (rule-\w+)">(.*?)</span>', row) for i, row in rows.items()}
    assert badges[0] == [("rule-passed", "✓ 2 rules passed"), ("rule-warned", "! 1 warning")]
    assert badges[1] == [("rule-failed", "✕ 2 rules failed"), ("rule-warned", "! 1 warning")]
    assert badges[2] == [("rule-passed", "✓ 2 rules passed"), ("rule-skipped", "– 1 skipped")]
    assert badges[3] == [("rule-passed", "✓ 3 rules passed")]
    assert badges[4] == []  # a file that could not be read


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("ruled") / "run", MEDIA, maps=())
    return write_report(read_run(add_some_rules(run, MEDIA))).as_uri()


@needs_browser
def test_rules_of_a_medium_are_told_with_what_failed_first(opened: webdriver.Chrome, page: str):
    open_medium(opened, page, medium_id(1))
    assert find(opened, "#medium-rules-title").text == "2 of 3 rules failed"
    items = opened.find_elements(By.CSS_SELECTOR, "#medium-rules-list li")
    assert [item.get_attribute("class") for item in items] == ["failed", "failed"]
    texts = {item.text for item in items}
    [focus] = [text for text in texts if "focus >= 30: <b>1</b>." in text]
    assert "Two <b>seconds</b>." in focus
    assert "not sure" in focus
    assert find(opened, "#medium-rules-passed summary").text == "1 passed"
    open_fresh(opened, f"{page}#{medium_id(2)}")
    assert find(opened, "#medium-rules-title").text == "Rules: none failed of 3"
    assert find(opened, "#medium-rules-list li").text.startswith("! warning")
    assert find(opened, "#medium-rules-passed summary").text == "2 passed"
    assert not find(opened, "#medium-rules-passed li").is_displayed()
    open_medium(opened, page, medium_id(5))
    assert find(opened, "#medium-rules-title").text == "All 3 rules passed"


@needs_browser
def test_a_rule_shows_the_media_that_fail_it(opened: webdriver.Chrome):
    open_folds(opened)
    buttons = opened.find_elements(By.CSS_SELECTOR, "#rule-counts .rule-go")
    assert [button.text for button in buttons] == ["Branded", "focus >= 30", "Readable"]
    buttons[2].send_keys(Keys.ENTER)
    assert shown_rows(opened) == [name_of(2)]
    assert buttons[2].get_attribute("aria-pressed") == "true"
    buttons[2].send_keys(Keys.ENTER)
    assert len(shown_rows(opened)) == MEDIA + 1


@needs_browser
def test_failures_can_be_copied_as_text(opened: webdriver.Chrome):
    text = run_script(opened, "return failuresText()")
    assert text == (
        f"ads/{HOSTILE}\n  Branded: Branded: <b>1</b>.\n  focus >= 30: focus >= 30: <b>1</b>.\n\n"
        f"ads/{name_of(2)}\n  warning: Readable: Readable: <b>2</b>.\n"
    )
    open_filters(opened)
    Select(find(opened, "#rules-filter")).select_by_value("passed")
    assert set(shown_rows(opened)) == {name_of(i) for i in (0, *range(4, MEDIA))}
    assert run_script(opened, "return failuresText()") == "The files shown fail no rule.\n"
