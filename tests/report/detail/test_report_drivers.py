"""Why a score is as it is, which way is good, and what each number means: on the page, in a real browser."""

import pytest
from browsing import find, needs_browser, open_fresh, run_script, unfold, wait_until
from fake_run import METRICS, add_facts, facts_of, medium_id, name_of, write_fake_run
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement

from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.types.metrics import repeatability

N = 12

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("drivers") / "run", N)
    add_facts(run, objectives=facts_of(run)["objectives"] | {f"ads/{name_of(2)}": {"purpose": "conversion"}})
    return write_report(read_run(run)).as_uri()


def open_medium(browser: webdriver.Chrome, page: str, i: int) -> webdriver.Chrome:
    open_fresh(browser, f"{page}#{medium_id(i)}")
    unfold(browser)
    return browser


def panel(browser: webdriver.Chrome, metric: str) -> WebElement:
    return find(browser, f".score-row[data-metric={metric}]")


def test_drivers_stand_in_their_order_with_signed_points(browser: webdriver.Chrome, page: str):
    found = panel(open_medium(browser, page, 0), "clarity").find_elements(By.CSS_SELECTOR, ".drivers li")
    assert [item.get_property("textContent").replace("\xa0", " ") for item in found] == [
        "+18 points:large text: smaller lines 6.1 % of the height (median 3.0 %)",
        "0 points:little empty space: empty space 21 % (median 25 %)",
        "\u22129 points:much clutter: feature congestion 5.2 (median 3.9) <b>",
    ]
    assert not panel(browser, "focus").find_elements(By.CSS_SELECTOR, ".drivers")


def test_bars_lie_on_their_side_of_the_axis_and_are_as_long_as_the_points(browser: webdriver.Chrome, page: str):
    script = (
        "return [...document.querySelectorAll('.score-row[data-metric=clarity] .driver-bar')].map(bar => {"
        "const [box, fill] = [bar, bar.firstChild].map(e => e.getBoundingClientRect());"
        "return [(fill.left - box.left) / box.width, fill.width / box.width]})"
    )
    up, _, down = open_medium(browser, page, 0).execute_script(script)
    assert up == pytest.approx([0.5, 0.5], abs=0.01)  # the longest of the medium fills its half
    wide = 0.5 * 9.25 / 18.4  # points are rounded to tenths on the page
    assert down == pytest.approx([0.5 - wide, wide], abs=0.01)


def test_the_plus_minus_is_a_whisker_on_the_strip(browser: webdriver.Chrome, page: str):
    marker = panel(open_medium(browser, page, 3), "focus").find_element(By.CSS_SELECTOR, ".marker")
    moves = (repeatability("focus", 72.5) or 0.0) / 100
    script = (
        "const style = getComputedStyle(arguments[0], '::after');"
        "return [parseFloat(style.left), parseFloat(style.width)].map(x => x / arguments[0].clientWidth)"
    )
    assert run_script(browser, script, marker) == pytest.approx([0.725 - moves, 2 * moves], abs=0.01)


@pytest.mark.parametrize(
    ("medium", "words"),
    [
        (1, "from the highest; a middle value is best."),
        (0, "from the highest; for brand building, a middle value is best: elaborate design holds attention"),
        (2, "from the highest; for conversion, lower is better: people search more slowly on complex pages"),
    ],
)
def test_which_way_is_good_depends_on_the_objective(browser: webdriver.Chrome, page: str, medium: int, words: str):
    assert words in panel(open_medium(browser, page, medium), "cognitive_demand").text


def test_every_score_title_leads_to_what_it_means_and_back(browser: webdriver.Chrome, page: str):
    links = open_medium(browser, page, 0).find_elements(By.CSS_SELECTOR, ".score-row a.about")
    assert len(links) == len(METRICS)
    for link in links:
        topic = find(browser, link.get_attribute("href").partition("#")[2].join(("#", "")))
        assert topic.find_element(By.CSS_SELECTOR, "h4").get_property("textContent").startswith(link.text)
    links[3].click()
    wait_until(browser, "!document.getElementById('overview').hidden")
    top = run_script(browser, "return document.getElementById('about-cognitive_demand').getBoundingClientRect().top")
    assert 0 <= top < 300
    browser.back()
    wait_until(browser, "!document.getElementById('detail').hidden")
    assert find(browser, "#detail-name").text == name_of(0)
