"""One medium in a real browser: what matters, the viewer's layers and times, keys, parts."""

from pathlib import Path

import pytest
from browsing import find, needs_browser, open_fresh, run_script, wait_until
from fake_areas import MOVING, STILLS, add_areas
from fake_run import medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run

PICTURE, BARE, VIDEO = (f"#{medium_id(i)}" for i in (0, 2, 100))

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("viewer") / "run", 9), [FakeVideo(100, n=30, cuts=(10,))])
    return write_report(read_run(add_areas(run, (*STILLS, *MOVING))), layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, page + PICTURE)
    return browser


def sides(browser: webdriver.Chrome) -> tuple[str, str]:
    """File names of the pictures on the left and on the right."""
    left, right = (find(browser, f"#picture-{side}").get_attribute("src") for side in ("left", "right"))
    return Path(left).name, Path(right).name


def said(browser: webdriver.Chrome) -> str:
    return str(find(browser, "#detail-says").get_property("textContent"))


def test_one_map_lies_over_the_original_as_strongly_as_is_asked(opened: webdriver.Chrome):
    right = find(opened, "#picture-right")
    assert sides(opened) == ("original.jpg", "heat.jpg")
    assert (right.value_of_css_property("clip-path"), right.value_of_css_property("opacity")) == ("none", "1")
    assert not find(opened, ".handle").is_displayed()
    assert not find(opened, "#divider-tools").is_displayed()
    run_script(opened, "opacity.value = 40; opacity.dispatchEvent(new Event('input'))")
    assert right.value_of_css_property("opacity") == "0.4"
    assert find(opened, "#opacity").get_attribute("aria-valuetext") == "40 % Attention"
    find(opened, "#layers [data-layer=fog]").click()
    assert right.value_of_css_property("opacity") == "0.4"
    assert said(opened) == "Fog"
    find(opened, "#layers [data-layer=original]").click()
    assert not find(opened, "#opacity").is_enabled()


def test_any_two_layers_lie_on_either_side_and_are_swapped(opened: webdriver.Chrome):
    find(opened, "#divide").click()
    assert sides(opened) == ("original.jpg", "heat.jpg")
    find(opened, "#layers [data-layer=fog]").click()
    assert sides(opened) == ("original.jpg", "fog.jpg")
    assert [b.text for b in opened.find_elements(By.CSS_SELECTOR, "#layers [aria-pressed=true]")] == ["Fog"]
    Select(find(opened, "#left-map")).select_by_value("heat")
    assert said(opened) == "Attention on the left of the divider, Fog on the right"
    find(opened, "#swap").click()
    assert sides(opened) == ("fog.jpg", "heat.jpg")
    assert find(opened, "#divider").get_attribute("aria-label") == "Divider between Fog and Attention"
    assert Select(find(opened, "#left-map")).first_selected_option.text == "Fog"


@pytest.mark.parametrize("control", ["#times-shown", "#area-times"])
def test_pictures_areas_and_numbers_speak_of_one_time(opened: webdriver.Chrome, control: str):
    first = "#area-table tbody tr td"
    assert find(opened, first).text.split()[0] == "80"
    find(opened, f"{control} [data-time=start]").click()
    assert sides(opened) == ("original.jpg", "first_two_heat.jpg")
    assert find(opened, first).text.split()[0] == "40"
    tag = find(opened, "#areas-on-picture .area-tag[data-area='0'] b").get_property("textContent")
    assert tag.endswith("seen by 40 ± 6 %")
    for place in ("#times-shown", "#area-times"):
        assert find(opened, f"{place} [aria-pressed=true]").text == "First 2 s"
    assert opened.switch_to.active_element == find(opened, f"{control} [data-time=start]")
    find(opened, "#layers [data-layer=clarity_heat]").click()  # which has no windows
    assert find(opened, "#map-caption strong").text == "Clarity, whole"
    find(opened, "#layers [data-layer=fog]").click()
    assert sides(opened)[1] == "first_two_fog.jpg"


def test_layer_and_time_stay_from_medium_to_medium(opened: webdriver.Chrome):
    find(opened, "#layers [data-layer=fog]").click()
    find(opened, "#times-shown [data-time=end]").click()
    name = find(opened, "#detail-name").text
    find(opened, "#next").click()
    wait_until(opened, f"document.getElementById('detail-name').textContent !== {name!r}")
    assert sides(opened) == ("original.jpg", "last_two_fog.jpg")


def test_areas_are_hidden_and_shown_with_the_picture_and_the_video(opened: webdriver.Chrome, page: str):
    assert find(opened, "#areas-on-picture .area-tag").is_displayed()
    find(opened, "#show-areas").click()
    assert not find(opened, "#areas-on-picture .area-tag").is_displayed()
    assert find(opened, "#show-areas").get_attribute("aria-pressed") == "false"
    run_script(opened, f"location.hash = '{VIDEO}'")
    wait_until(opened, "state.timeline !== null")
    run_script(opened, "showMoment(1)")
    assert not find(opened, "#areas-on-video .area-tag").is_displayed()
    find(opened, "#show-areas").click()
    assert find(opened, "#areas-on-video .area-tag").is_displayed()
    open_fresh(opened, page + BARE)
    assert not find(opened, "#show-areas").is_displayed()


def test_keys_do_what_buttons_do_but_not_while_somebody_types(opened: webdriver.Chrome):
    body = find(opened, "body")
    body.send_keys("3")
    assert sides(opened) == ("original.jpg", "fog.jpg")
    body.send_keys("x")
    assert sides(opened) == ("original.jpg", "fog.jpg")  # nothing to swap without a divider
    body.send_keys("d")
    body.send_keys("x")
    assert sides(opened) == ("fog.jpg", "original.jpg")
    body.send_keys("w")
    assert sides(opened) == ("first_two_fog.jpg", "original.jpg")
    body.send_keys("a")
    assert said(opened) == "Areas are hidden"
    width = find(opened, "#compare").size["width"]
    body.send_keys("z")
    # a copy of 120 px of a file of 1,200 is not sharp at twice the size
    assert find(opened, "#compare").size["width"] == pytest.approx(1.25 * width, abs=1)
    run_script(opened, "toggleZoom(false); openMedium().width = 1; toggleZoom(true)")
    assert find(opened, "#compare").size["width"] == pytest.approx(2 * width, abs=1)
    body.send_keys("za")
    find(opened, "#edit-areas").click()
    find(opened, "#canvas").send_keys("a3x")
    assert sides(opened)[0] == "original.jpg"  # what is drawn on
    assert find(opened, "#show-areas").get_attribute("aria-pressed") == "true"


def test_a_medium_fits_two_screens_and_what_is_folded_opens(opened: webdriver.Chrome, page: str):
    size = {"width": 1440, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    assert run_script(opened, "return document.documentElement.scrollHeight") <= 2 * 900
    for part in ("scores-and-why", "over-time", "maps"):
        assert not find(opened, f"#{part} > :nth-child(2)").is_displayed()
        find(opened, f"#{part} > summary").click()
        assert find(opened, f"#{part} > summary h3").is_displayed()
        assert any(child.is_displayed() for child in opened.find_elements(By.CSS_SELECTOR, f"#{part} > :not(summary)"))
    assert not find(opened, "#notes").is_displayed()
    open_fresh(opened, page + BARE)
    assert find(opened, "#notes").is_displayed()


def test_what_stands_out_is_said_first_with_advice_and_what_it_is_about(opened: webdriver.Chrome):
    reasons = {
        "verdict": "attention",
        "sentence": "Needs attention: it fails 1 rule.",
        "good": [],
        "bad": [
            {"text": "Few see the <b>logo</b>: 3 %", "todo": "Make it larger."},
            {"text": "Few see the headline: 12 %", "todo": "Make it larger.", "sure": False},
        ],
        "to_try": ["Make it larger."],
        "open": [{"text": "No product was found", "todo": "If there is one, draw it."}],
    }
    run_script(opened, "report.media[0].summary = arguments[0]; showMediumSummary(report.media[0])", reasons)
    assert find(opened, "#verdict-sentence").text == "Needs attention: it fails 1 rule."
    lines = find(opened, "#medium-summary-bad ul").text.split("\n")
    assert lines == ["Few see the <b>logo</b>: 3 %.", "Few see the headline: 12 %."]
    reasons["bad"][0]["required"] = True
    run_script(opened, "report.media[0].summary = arguments[0]; showMediumSummary(report.media[0])", reasons)
    lines = find(opened, "#medium-summary-bad ul").text.split("\n")
    assert lines == ["Few see the <b>logo</b>: 3 %.", "Few see the headline: 12 %.", "Not required."]
    assert not find(opened, "#medium-summary-good").is_displayed()
    assert find(opened, "#medium-summary-try ul").text == "Make it larger."
    assert find(opened, "#medium-summary-open ul").text == "No product was found.\nIf there is one, draw it."
