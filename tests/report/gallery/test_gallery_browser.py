"""All media in a real browser: two looks of one list, what its address keeps, filters, export."""

from pathlib import Path

import pytest
from browsing import find, needs_browser, open_filters, open_fresh, run_script, shown_rows, wait_until
from fake_areas import STILLS, add_areas
from fake_benchmark import add_benchmark, add_some_rules
from fake_run import add_facts, by_score, medium_id, name_of, score_of, write_fake_run
from scripts import call_module, needs_node
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.config.attributes import escape_formula
from mediaan.report import write_report
from mediaan.report.selection import PAGE_MEDIA
from mediaan.run import read_run

N = 12

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("gallery") / "run", N, maps=("original", "heat"))
    acme, zebra = {"purpose": "conversion", "brand": {"name": "Acme"}}, {"name": "zebrA"}
    objectives = {f"ads/{name_of(i)}": acme for i in (2, 3)}
    add_facts(run, objectives=objectives | {f"ads/{name_of(0)}": {"purpose": "brand_building", "brand": zebra}})
    add_areas(add_some_rules(add_benchmark(run), N), STILLS)
    return write_report(read_run(run), layout="folder").as_uri()


def card_names(browser: webdriver.Chrome) -> list[str]:
    return run_script(
        browser,
        "return [...document.querySelectorAll('.gallery-card')].filter((card) => card.offsetParent)"
        ".map((card) => card.querySelector('.gallery-name').textContent)",
    )


def hash_of(browser: webdriver.Chrome) -> str:
    return run_script(browser, "return location.hash")


def test_both_looks_show_the_same_list(opened: webdriver.Chrome):
    Select(find(opened, "#sort")).select_by_value("focus")
    assert not find(opened, "#media").is_displayed()
    assert card_names(opened) == shown_rows(opened) == [*by_score("focus"), "broken <b>.jpg"]
    Select(find(opened, "#sort")).select_by_value("memory")
    assert card_names(opened)[:N] == by_score("memory")
    card = find(opened, ".gallery-card")
    assert card.find_element(By.CSS_SELECTOR, ".rank").text.endswith("1")
    assert f"{max(score_of(i, 'memory', N) for i in range(N)):.0f}" in card.find_element(By.CSS_SELECTOR, "b").text
    assert find(opened, "[data-look=gallery]").get_attribute("aria-pressed") == "true"
    find(opened, "[data-look=table]").click()
    assert find(opened, "#media").is_displayed()
    assert card_names(opened) == []


def test_a_score_is_on_a_card_only_when_the_list_is_sorted_by_it(opened: webdriver.Chrome):
    assert not opened.find_elements(By.CSS_SELECTOR, ".gallery-card .rank, .gallery-value")
    Select(find(opened, "#sort")).select_by_value("focus")
    card = find(opened, f".gallery-card[data-i='{1}']")
    assert card.find_element(By.CSS_SELECTOR, ".gallery-score").text.split()[:5] == ["Focus", "88", "±", "4", "✓"]
    assert card.find_element(By.CSS_SELECTOR, ".rank").get_attribute("title") == "Rank 2 of 12 images."


def test_facts_that_differ_can_be_sorted_by(opened: webdriver.Chrome):
    facts = [option.text for option in Select(find(opened, "#sort")).options][:4]
    assert facts == ["Verdict", "Brand", "Purpose", "Name"], "no platform is stated, and all are images"
    Select(find(opened, "#sort")).select_by_value("brand")
    Select(find(opened, "#order")).select_by_visible_text("Z–A")
    assert card_names(opened)[:3] == [name_of(0), name_of(3), name_of(2)]
    assert hash_of(opened) == "#media?sort=brand&order=last"
    assert find(opened, ".gallery-card[data-i='0'] .gallery-facts").text == "zebrA · Brand building"


def test_filters_are_folded_and_only_those_that_tell_files_apart_are_offered(opened: webdriver.Chrome):
    assert not find(opened, "#filter-list").is_displayed()
    find(opened, "#filters").click()
    assert find(opened, "#filters").get_attribute("aria-expanded") == "true"
    labels = opened.find_elements(By.CSS_SELECTOR, "#filter-list label")
    shown = [one.find_element(By.TAG_NAME, "span").text for one in labels if one.is_displayed()]
    assert shown == [
        *("Verdict", "Brand", "Purpose", "Folder", "Areas", "Rules", "Main weakness"),
        *("Status", "Score", "from", "to", "Benchmark"),
    ]
    brands = [option.text for option in Select(find(opened, "#brand")).options]
    assert brands == ["All", "Acme", "zebrA"]
    Select(find(opened, "#brand")).select_by_value("Acme")
    Select(find(opened, "#status")).select_by_value("noted")
    assert card_names(opened) == [name_of(2)]
    assert find(opened, "#filters").text == "Filters (2)"
    find(opened, "#active-filters .quiet").click()
    assert find(opened, "#filters").text == "Filters"
    assert len(card_names(opened)) == N + 1


def test_the_address_keeps_what_is_shown_and_back_brings_it_again(opened: webdriver.Chrome, page: str):
    find(opened, "[data-look=table]").click()
    Select(find(opened, "#sort")).select_by_value("clarity")
    open_filters(opened)
    Select(find(opened, "#status")).select_by_value("noted")
    assert hash_of(opened) == "#media?look=table&sort=clarity&status=noted"
    assert shown_rows(opened) == [name_of(2)]
    opened.back()
    wait_until(opened, "location.hash === '#media?look=table&sort=clarity' && state.shown.length > 1")
    assert Select(find(opened, "#status")).first_selected_option.text == "All"
    opened.forward()
    wait_until(opened, "state.shown.length === 1")
    open_fresh(opened, f"{page}#media?look=gallery&sort=clarity&status=noted")
    assert card_names(opened) == [name_of(2)]
    assert Select(find(opened, "#sort")).first_selected_option.text == "Clarity"
    find(opened, ".gallery-card a").click()
    wait_until(opened, f"location.hash === '#{medium_id(2)}'")
    find(opened, "body").send_keys(Keys.ESCAPE)
    wait_until(opened, "!document.getElementById('overview').hidden")
    assert hash_of(opened) == "#media?sort=clarity&status=noted"
    assert card_names(opened) == [name_of(2)]
    assert opened.switch_to.active_element.text == name_of(2)


def test_cards_show_attention_unless_it_is_switched_off_which_is_kept(opened: webdriver.Chrome):
    heated = "document.querySelectorAll('.gallery-card.heated .heat').length"
    wait_until(opened, f"{heated} > 3")
    run_script(opened, "document.getElementById('card-heat').click()")
    assert run_script(opened, f"return {heated}") == 0
    opened.refresh()
    wait_until(opened, "document.querySelectorAll('.gallery-card').length > 3")
    assert run_script(opened, f"return {heated}") == 0
    link = find(opened, ".gallery-card a")
    run_script(opened, "arguments[0].focus()", link)
    wait_until(opened, "document.querySelector('.gallery-card .heat')?.naturalWidth > 0")
    assert find(opened, ".gallery-card .heat").is_displayed()
    run_script(opened, "arguments[0].blur()", link)
    assert not find(opened, ".gallery-card .heat").is_displayed()
    run_script(opened, "document.getElementById('card-heat').click()")
    wait_until(opened, f"{heated} > 3")


@needs_node
def test_cells_are_guarded_as_python_guards_them():
    blanks = ["", "'", " ", "\ufeff", "\u200b", "\x00", "\u3164", "a", "\t", "' "]
    texts = [blank + sign + "1" for blank in blanks for sign in ("=", "＝", "－", "−", "@", "1", "'=")]
    cells = call_module("gallery/csv.js", "csvCell", "return args[0].map(csvCell)", texts)
    assert cells == [escape_formula(text) for text in texts]


def test_of_a_thousand_only_those_near_the_screen_are_laid_out(browser: webdriver.Chrome, tmp_path: Path):
    page = write_report(read_run(write_fake_run(tmp_path, PAGE_MEDIA - 1, maps=())))
    for look, selector in (("table", "#media tbody tr"), ("gallery", ".gallery-card")):
        open_fresh(browser, f"{page.as_uri()}#media?look={look}")
        run_script(browser, "layOutRest()")
        assert len(browser.find_elements(By.CSS_SELECTOR, selector)) == PAGE_MEDIA == 1000
        near = (
            f"return [...document.querySelectorAll('{selector}')].filter((one) =>"
            " one.firstElementChild.checkVisibility({ contentVisibilityAuto: true })).length"
        )
        assert 5 < run_script(browser, near) < 120
        last = f"[...document.querySelectorAll('{selector}')].at(-2)"
        run_script(browser, f"{last}.scrollIntoView()")
        wait_until(browser, f"{last}.firstElementChild.checkVisibility({{ contentVisibilityAuto: true }})")
