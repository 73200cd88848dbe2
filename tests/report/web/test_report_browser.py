"""The page in a real browser, opened from disk."""

import json
from pathlib import Path

import pytest
from browsing import find, needs_browser, open_folds, open_fresh, run_script, show_table, unfold, wait_until
from fake_run import by_score, medium_id, name_of, write_fake_run
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run

N = 12

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_report(
        read_run(write_fake_run(tmp_path_factory.mktemp("browser") / "run", N)), layout="folder"
    ).as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    show_table(browser, page)
    return browser


def row_names(browser: webdriver.Chrome) -> list[str]:
    """Names in the visible rows, from top to bottom."""
    script = (
        "return [...document.querySelectorAll('#media tbody tr')].filter(r => r.offsetParent)"
        ".map(r => report.media[r.dataset.i].name)"
    )
    return run_script(browser, script)


def test_no_console_message_and_no_request_leaves_the_disk(opened: webdriver.Chrome, page: str):
    opened.get_log("browser")
    opened.get_log("performance")
    open_fresh(opened, f"{page}#{medium_id(1)}")
    wait_until(opened, "document.getElementById('picture-right').naturalWidth > 0")
    assert opened.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    addresses = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert any(address.endswith("heat.jpg") for address in addresses)
    assert all(address.startswith(("file:", "data:", "blob:", "about:")) for address in addresses)


def test_large_pictures_load_only_with_a_detail(opened: webdriver.Chrome):
    opened.get_log("performance")
    open_fresh(opened, opened.current_url)
    messages = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    addresses = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert not [address for address in addresses if "/maps/" in address]


def test_starts_ranked_by_the_first_score_with_failures_last(opened: webdriver.Chrome):
    assert row_names(opened) == [*by_score("focus"), "broken <b>.jpg"]
    assert find(opened, "#media [aria-sort]").get_attribute("aria-sort") == "descending"


def test_header_sorts_and_sorts_back_with_missing_values_last(opened: webdriver.Chrome):
    find(opened, "[data-sort=clarity]").click()
    assert row_names(opened) == [*by_score("clarity"), name_of(4), "broken <b>.jpg"]
    find(opened, "[data-sort=clarity]").click()
    assert row_names(opened) == [*reversed(by_score("clarity")), name_of(4), "broken <b>.jpg"]
    assert find(opened, "#media [aria-sort]").get_attribute("aria-sort") == "ascending"


def test_a_card_of_the_scores_sorts_by_its_score(opened: webdriver.Chrome):
    open_folds(opened)
    find(opened, ".card[data-metric=memory]").click()
    assert find(opened, "#sort-note").text.startswith("How likely the image is to be recognised.")
    assert "An estimate" in find(opened, "#sort-note").text
    assert row_names(opened)[:N] == by_score("memory")
    assert Select(find(opened, "#sort")).first_selected_option.text == "Memory"
    assert find(opened, ".card[data-metric=memory]").get_attribute("aria-pressed") == "true"


def test_filters_that_fit_nothing_can_be_cleared(opened: webdriver.Chrome):
    find(opened, "#text").send_keys("no such thing")
    assert row_names(opened) == []
    find(opened, "#reset").click()
    assert len(row_names(opened)) == N + 1


def test_detail_shows_the_numbers_of_the_medium(opened: webdriver.Chrome):
    cell = find(opened, "#media tr[data-i='3'] .score.current b").text
    assert find(opened, "#media tr[data-i='3'] .score.current .plus-minus").get_attribute("textContent") == "± 11"
    find(opened, f"#media a[href='#{medium_id(3)}']").click()
    assert find(opened, "#detail-name").text == name_of(3)
    assert not find(opened, "#overview").is_displayed()
    assert cell == "73"
    unfold(opened)
    panel = find(opened, ".score-row[data-metric=focus]")
    assert panel.find_element(By.CSS_SELECTOR, ".value").text.split() == ["73", "±", "11"]  # 95 - 90·3/12 = 72.5
    assert "Rank 4 (3–7) of 12 in this run; higher is better." in panel.text
    marker = panel.find_element(By.CSS_SELECTOR, ".marker")
    left = run_script(opened, "return parseFloat(getComputedStyle(arguments[0], '::before').left)", marker)
    assert left / marker.size["width"] == pytest.approx(0.725, abs=0.003)
    assert "estimate" in find(opened, ".score-row[data-metric=memory]").text


def test_missing_value_says_why(opened: webdriver.Chrome, page: str):
    open_fresh(opened, f"{page}#{medium_id(4)}")
    unfold(opened)
    assert "No value: no text was found." in find(opened, ".score-row[data-metric=clarity]").text


def test_slider_follows_the_pointer_and_the_keyboard(opened: webdriver.Chrome, page: str):
    open_fresh(opened, f"{page}#{medium_id(0)}")
    find(opened, "#divide").click()
    compare = find(opened, "#compare")
    quarter = -compare.size["width"] // 4
    ActionChains(opened).move_to_element(compare).click_and_hold().move_by_offset(quarter, 0).release().perform()
    assert find(opened, "#divider").get_attribute("value") == "25"
    assert find(opened, "#picture-right").value_of_css_property("clip-path") == "inset(0px 0px 0px 25%)"
    find(opened, "#divider").send_keys(Keys.ARROW_RIGHT)
    assert find(opened, "#divider").get_attribute("value") == "26"
    assert find(opened, "#divider").get_attribute("aria-valuetext") == "26 % Original, 74 % Attention"
    assert find(opened, "#detail-name").text == name_of(0)  # arrows on the slider do not leave the medium


def test_pictures_lie_on_each_other_though_maps_carry_a_legend(opened: webdriver.Chrome, page: str):
    open_fresh(opened, f"{page}#{medium_id(0)}")
    wait_until(opened, "document.getElementById('picture-right').complete")
    left, right, box = (find(opened, s).rect for s in ("#picture-left", "#picture-right", "#compare"))
    assert (left["x"], left["y"], left["width"]) == (right["x"], right["y"], right["width"])
    assert left["height"] == pytest.approx(box["height"], abs=1)
    assert right["height"] == pytest.approx(box["height"] * 104 / 90, abs=1)


def test_keys_walk_in_the_order_of_the_table_and_escape_returns(opened: webdriver.Chrome):
    find(opened, "[data-sort=memory]").click()
    order = by_score("memory")
    find(opened, "#media tbody tr:first-child a").click()
    wait_until(opened, "document.getElementById('detail-place').textContent.startsWith('1 of')")
    body = find(opened, "body")
    body.send_keys(Keys.ARROW_RIGHT)
    wait_until(opened, "document.getElementById('detail-place').textContent.startsWith('2 of')")
    assert find(opened, "#detail-name").text == order[1]
    body.send_keys(Keys.ARROW_LEFT)
    wait_until(opened, "document.getElementById('detail-place').textContent.startsWith('1 of')")
    assert find(opened, "#detail-name").text == order[0]
    assert not find(opened, "#previous").is_enabled()
    body.send_keys(Keys.ESCAPE)
    wait_until(opened, "!document.getElementById('overview').hidden")
    assert opened.switch_to.active_element.text == order[0]
    assert opened.current_url.endswith("#media?look=table&sort=memory")


def test_theme_follows_the_system_and_the_button(opened: webdriver.Chrome):
    def ground() -> str:
        return find(opened, "body").value_of_css_property("background-color")

    def system(theme: str) -> None:
        features = [{"name": "prefers-color-scheme", "value": theme}]
        opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    system("light")
    light = ground()
    system("dark")
    dark = ground()
    assert light != dark
    find(opened, "#theme").click()
    assert ground() == light
    run_script(opened, "localStorage.clear()")


def test_a_long_table_grows_to_all_rows_while_the_page_answers(browser: webdriver.Chrome, tmp_path: Path):
    show_table(browser, write_report(read_run(write_fake_run(tmp_path, 240, maps=()))).as_uri())
    assert row_names(browser)[:200] == [name_of(i) for i in range(200)]  # focus falls with the index
    assert find(browser, "#shown").text == "241 files"
    wait_until(browser, "document.querySelectorAll('#media tbody tr').length === 241")
    assert row_names(browser) == [*(name_of(i) for i in range(240)), "broken <b>.jpg"]
    at_once = "showList(); const n = document.querySelectorAll('#media tbody tr').length; return n"
    assert run_script(browser, at_once) < 241
    find(browser, "#text").send_keys("ad 23")
    assert row_names(browser) == [f"ad {i}.jpg" for i in range(230, 240)]
    wait_until(browser, "state.laying === null")
    assert row_names(browser) == [f"ad {i}.jpg" for i in range(230, 240)]  # rows of before do not come after all


def test_paper_has_all_rows_of_a_long_table(browser: webdriver.Chrome, tmp_path: Path):
    show_table(browser, write_report(read_run(write_fake_run(tmp_path, 210, maps=()))).as_uri())
    run_script(browser, "showList(); dispatchEvent(new Event('beforeprint'))")
    assert len(row_names(browser)) == 211
