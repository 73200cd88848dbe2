"""The page of the review over a real run: served by the review, and in its report, whose answers are a file."""

import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from browsing import find, needs_browser, open_fresh, press, run_script, wait_until
from review.made_runs import analyze, write_ads
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

import mediaan as mn
from mediaan.report import write_report
from mediaan.review import open_review
from mediaan.review.server import ReviewServer
from mediaan.run import read_run

pytestmark = needs_browser

END = "document.querySelector('.review-end h2')?.textContent === 'All questions are answered'"


@pytest.fixture
def run(tmp_path: Path) -> mn.Run:
    return analyze(write_ads(tmp_path / "ads", "ab"), tmp_path / "run")


@pytest.fixture
def server(run: mn.Run) -> Iterator[ReviewServer]:
    with open_review(run.path) as review, ReviewServer(review) as one:
        thread = Thread(target=one.serve_forever)
        thread.start()
        yield one
        one.shutdown()
        thread.join()


def wait_for(server: ReviewServer, left: int) -> None:
    """Wait until the last answers are written and so many questions are open."""
    until = time.monotonic() + 20
    while server.review.progress.left != left and time.monotonic() < until:
        time.sleep(0.05)
    assert server.review.progress.left == left


def test_questions_of_a_run_are_answered_by_keys(browser: webdriver.Chrome, server: ReviewServer):
    browser.get_log("browser")
    browser.get(server.address)
    wait_until(browser, "document.querySelector('.review-picture img')?.naturalWidth > 0")
    find(browser, ".review-types button").click()  # of the brand, whether it is asked about or not
    press(browser, "b", "Acme", Keys.ENTER)
    wait_until(browser, "document.querySelector('.review-head h2').textContent.includes('Acme')")
    press(browser, "d", " ", *[Keys.ARROW_RIGHT] * 9, *[Keys.ARROW_DOWN] * 9, Keys.ENTER, Keys.ENTER)
    press(browser, *"n" * 8)  # four types of two ads, at most
    wait_until(browser, END)
    wait_for(server, left=0)
    press(browser, "u")
    wait_until(browser, "document.querySelector('.review-head h2')?.checkVisibility()")
    wait_for(server, left=1)
    open_fresh(browser, "about:blank")
    assert not [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_answers_in_the_report_are_a_file_for_the_run(browser: webdriver.Chrome, run: mn.Run, tmp_path: Path):
    with open_review(run.path) as review:
        left = len(review.questions)
        medium_id = review.questions[0].medium_id
        n = sum(question.medium_id == medium_id for question in review.questions)
    open_fresh(browser, f"{write_report(read_run(run.path)).as_uri()}#{medium_id}")
    run_script(
        browser,
        "const make = URL.createObjectURL; window.saved = [];"
        "URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); }",
    )
    assert find(browser, "#answer-questions").text.startswith(f"Answer {n} questions" if n > 1 else "Answer a question")
    find(browser, "#answer-questions").click()
    wait_until(browser, "document.querySelector('.review-picture img')?.naturalWidth > 0")
    press(browser, "d", " ", *[Keys.ARROW_RIGHT] * 9, *[Keys.ARROW_DOWN] * 9, Keys.ENTER, Keys.ENTER)
    press(browser, *"n" * (n - 1))
    wait_until(browser, END)
    find(browser, ".review-saving .primary").click()
    file = tmp_path / "areas.json"
    text = browser.execute_async_script("window.saved[0].text().then(arguments[0])")
    file.write_text(text, encoding="utf-8")
    mn.apply_aois(run.path, file)
    with open_review(run.path) as review:
        assert len(review.questions) == left - n
        aois = review.result(medium_id).aois or ()
    assert [aoi.box.x0 for aoi in aois if aoi.confirmed] == [pytest.approx(0.5)]
