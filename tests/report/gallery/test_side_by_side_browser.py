"""Two to four media beside each other: what is shown, and differences as `mediaan compare` states them."""

import numpy as np
import pytest
from browsing import find, needs_browser, open_fresh, run_script, show_table, wait_until
from compared_results import comparison_of
from fake_areas import STILLS, add_areas
from fake_benchmark import add_benchmark
from fake_run import medium_id, name_of, score_of, write_fake_run
from scripts import call_module, needs_node
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from mediaan.metrics.scales import LEAN
from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.studies.compare.differences import Estimate, subtract
from mediaan.studies.compare.pairs import decide, direction_of
from mediaan.studies.compare.result import verdict_words
from mediaan.studies.statistics import holm
from mediaan.types.media import Purpose
from mediaan.types.metrics import Z90

N = 12
SIGNIFICANCE = "compare/significance.js"

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("sides") / "run", N, maps=("original", "heat"))
    return write_report(read_run(add_benchmark(add_areas(run, STILLS), areas=True)), layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    show_table(browser, page)
    return browser


def beside(page: str, *indices: int) -> str:
    return f"{page}#compare={','.join(medium_id(i) for i in indices)}"


def significance_of(browser: webdriver.Chrome, title: str) -> str:
    rows = browser.find_elements(By.CSS_SELECTOR, "#sides-table tbody tr")
    row = next(row for row in rows if row.find_element(By.CSS_SELECTOR, "th").text.startswith(title))
    return row.find_element(By.CSS_SELECTOR, ".significance").text


def pick(browser: webdriver.Chrome, i: int) -> None:
    run_script(browser, "arguments[0].click()", find(browser, f"#media tr[data-i='{i}'] .pick input"))


def test_two_are_chosen_in_the_table_and_laid_beside_each_other(opened: webdriver.Chrome):
    pick(opened, 0)
    assert find(opened, "#chosen-count").text.startswith("1 selected")
    assert not find(opened, "#chosen-go").is_displayed()
    pick(opened, 4)
    find(opened, "#chosen-go").click()
    wait_until(opened, "!document.getElementById('sides').hidden")
    assert run_script(opened, "return location.hash") == f"#compare={medium_id(0)},{medium_id(4)}"
    assert [one.text for one in opened.find_elements(By.CSS_SELECTOR, ".side-name a")] == [name_of(0), name_of(4)]
    values = [cell.text for cell in opened.find_elements(By.CSS_SELECTOR, "#sides-table tr:nth-child(2) td > b")][:2]
    assert values == [f"{score_of(i, 'focus', N):.0f}" for i in (0, 4)]
    find(opened, "body").send_keys(Keys.ESCAPE)
    wait_until(opened, "!document.getElementById('overview').hidden")
    assert find(opened, "#chosen-count").text.startswith("2 selected")
    find(opened, "#chosen-clear").click()
    assert not find(opened, "#chosen").is_displayed()
    assert run_script(opened, "return document.querySelectorAll('.pick input:checked').length") == 0


def test_a_fifth_is_refused_and_what_is_chosen_stays_between_looks(opened: webdriver.Chrome):
    for i in range(5):
        pick(opened, i)
    assert "Four at most" in find(opened, "#chosen-count").text
    find(opened, "[data-look=gallery]").click()
    checked = "return [...document.querySelectorAll('.gallery-card:has(input:checked)')].map((c) => +c.dataset.i)"
    assert sorted(run_script(opened, checked)) == [0, 1, 2, 3]


def test_one_choice_of_picture_for_all(opened: webdriver.Chrome, page: str):
    open_fresh(opened, beside(page, 0, 1, 2))
    for name in ("heat", "original"):
        find(opened, f"#sides-maps [data-map={name}]").click()
        sources = [img.get_attribute("src") for img in opened.find_elements(By.CSS_SELECTOR, "#sides-table thead img")]
        assert len(sources) == 3
        assert all(source.endswith(f"/{name}.jpg") for source in sources)
    alts = [img.get_attribute("alt") for img in opened.find_elements(By.CSS_SELECTOR, "#sides-table thead img")]
    assert alts[0] == f"Original of {name_of(0)}"


def test_two_differ_as_the_comparison_says(opened: webdriver.Chrome, page: str):
    """Focus falls by 7.5 a medium, its intervals are some 10 wide."""
    open_fresh(opened, beside(page, 0, 10))
    assert significance_of(opened, "Focus").startswith("A is higher")
    assert "A − B +75" in significance_of(opened, "Focus")
    open_fresh(opened, beside(page, 10, 0))
    assert significance_of(opened, "Focus").startswith("B is higher")
    open_fresh(opened, beside(page, 3, 4))
    assert significance_of(opened, "Focus, first 2 s").startswith("leans to A, 63 in 100")
    assert significance_of(opened, "Clarity") == "–"  # medium 4 has none
    open_fresh(opened, beside(page, 0, 1, 10))
    assert significance_of(opened, "Focus").splitlines() == ["A > C, B > C", "others tied"]


@needs_node
def test_formulas_are_those_of_the_comparison():
    rng = np.random.default_rng(5)
    cases = []
    for _ in range(200):
        a, b = (
            Estimate(v, max(0.0, v - rng.uniform(0, 30)), min(100.0, v + rng.uniform(0, 30)))
            for v in rng.uniform(0, 100, 2)
        )
        cases += [(a, b, factor, middles) for factor, middles in ((1.0, False), (1.13, False), (1.0, True))]
    options = [{"z90": Z90, "factor": factor, "fromMiddles": middles} for *_, factor, middles in cases]
    sides = [[{"value": score.value, "lo": score.lo, "hi": score.hi} for score in case[:2]] for case in cases]
    body = "return args[0].map(([a, b], i) => subtract(a, b, args[1][i]))"
    differences = call_module(SIGNIFICANCE, "subtract", body, sides, options)
    for (a, b, factor, middles), difference in zip(cases, differences, strict=True):
        expected = subtract(a, b, factor, from_middles=middles)
        for key in ("value", "lo", "hi", "probability", "p"):
            assert difference[key] == pytest.approx(getattr(expected, key), abs=1e-9), key
    p = [*rng.uniform(0, 0.2, 9).tolist(), 0.5, 1.0]
    assert call_module(SIGNIFICANCE, "holm", "return holm(args[0])", p) == pytest.approx(holm(p))


@needs_node
@pytest.mark.parametrize("purpose", [None, "conversion"])
def test_leans_are_said_as_the_comparison_says_them(purpose: Purpose | None):
    """Of cognitive demand neither end is good, but the lower one for conversion."""
    cases, expected = [], []
    for probability in (0.5, 0.54, 0.56, 0.44, 0.2, 0.901, 0.96, 0.005):
        for metric in ("focus", "cognitive_demand"):
            row = decide([comparison_of(metric, probability - 0.5, probability=probability, p=0.9)], purpose)[0]
            expected.append(verdict_words(row))
            cases.append([probability, direction_of(metric, None, purpose), LEAN])
    body = "return args[0].map((lean) => leanWords(...lean))"
    assert call_module(SIGNIFICANCE, "leanWords", body, cases) == expected


def test_rows_of_areas_and_reasons_stand_beside_each_other(opened: webdriver.Chrome, page: str):
    open_fresh(opened, beside(page, 0, 1))
    groups = [one.text for one in opened.find_elements(By.CSS_SELECTOR, "#sides-table .group")]
    assert groups[:3] == ["Scores", "Areas: seen by", "Main drivers"]
    assert not find(opened, "#sides-table .drivers li.down").is_displayed()
    run_script(opened, "document.querySelector('.group-fold').click()")
    assert find(opened, "#sides-table .drivers li.down").is_displayed()


@pytest.mark.parametrize(
    "address", ["#compare=", f"#compare={medium_id(0)}", f"#compare={medium_id(0)},{medium_id(0)},x"]
)
def test_fewer_than_two_show_the_overview(opened: webdriver.Chrome, page: str, address: str):
    opened.get_log("browser")
    open_fresh(opened, page + address)
    assert find(opened, "#overview").is_displayed()
    assert not find(opened, "#sides").is_displayed()
    assert opened.get_log("browser") == []


def test_an_address_survives_a_mail_program_and_names_lead_to_the_medium(opened: webdriver.Chrome, page: str):
    open_fresh(opened, beside(page, 0, 1).replace(",", "%2C"))
    opened.find_elements(By.CSS_SELECTOR, ".side-name a")[1].click()
    wait_until(opened, "!document.getElementById('detail').hidden")
    assert find(opened, "#detail-name").text == name_of(1)
    assert not find(opened, "#sides").is_displayed()
    opened.back()
    wait_until(opened, "!document.getElementById('sides').hidden")
    assert not find(opened, "#detail").is_displayed()
