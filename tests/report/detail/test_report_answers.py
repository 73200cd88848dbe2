"""Questions about areas, answered in the page of a report and saved as a file, in a real browser."""

import json

import pytest
from accessible import assert_scanned
from browsing import find, needs_browser, open_fresh, press, run_script, wait_until
from fake_areas import BOTTLE, FACE, HEADLINE, LOGO, STILLS, FakeArea, add_areas
from fake_run import medium_id, name_of, write_fake_run
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from mediaan.report import write_report
from mediaan.run import read_run

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("answers") / "run", 3)
    return write_report(read_run(add_areas(run, STILLS))).as_uri()


def question(number: int, aoi_type: str, *areas: FakeArea | None) -> dict[str, object]:
    proposals = [
        {
            "number": i + 1,
            "box": [0.3, 0.3, 0.1, 0.1],
            "type": aoi_type,
            "label": "",
            "confidence": 0.5,
            "area_id": area and area.id,
        }
        for i, area in enumerate(areas)
    ]
    words = {"text": f"Which is the {aoi_type}?", "why": ""}
    return words | {"id": f"{number}.{aoi_type}", "type": aoi_type, "proposals": proposals}


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, page)
    run_script(browser, "for (const medium of report.media) medium.scoring = 'left_out'")  # but not unknown
    asked = [question(0, "branding", LOGO, None), question(0, "headline_text", HEADLINE)]
    run_script(browser, "report.media[0].questions = arguments[0]", asked)
    run_script(browser, "report.media[1].questions = arguments[0]", [question(1, "product", None)])
    run_script(browser, f"location.hash = '{medium_id(0)}'")
    wait_until(browser, "!document.getElementById('answer-questions').hidden")
    return browser


def asked(browser: webdriver.Chrome) -> str:
    return find(browser, "#review h2").text


def test_answers_about_several_files_are_saved_as_one_file(opened: webdriver.Chrome):
    opened.execute_script(
        "const make = URL.createObjectURL; window.saved = [];"
        "URL.createObjectURL = (blob) => { window.saved.push(blob); return make.call(URL, blob); }"
    )
    assert find(opened, "#answer-questions").text == "Answer 2 questions about its areas"
    find(opened, "#answer-questions").click()
    wait_until(opened, "document.querySelector('#review h2')")
    assert find(opened, "#review img").get_attribute("src").startswith("data:")
    assert_scanned(opened)
    press(opened, "2", "u", "1")
    assert asked(opened) == "Which is the headline_text?"
    press(opened, Keys.ESCAPE)
    assert not find(opened, "#questions").is_displayed()
    assert find(opened, "#detail").is_displayed()
    press(opened, "n")  # no key of the review any more
    find(opened, "#answer-questions").click()
    wait_until(opened, "document.querySelector('#review h2')?.textContent === 'Which is the headline_text?'")
    press(opened, Keys.ENTER)
    assert find(opened, "#review .review-end h2").text == "All questions are answered"
    find(opened, "#close-questions").click()
    find(opened, "#next").click()
    find(opened, "#answer-questions").click()
    wait_until(opened, "document.querySelector('#review h2')?.textContent === 'Which is the product?'")
    press(opened, Keys.ENTER)
    find(opened, ".review-saving .primary").click()
    assert "mediaan aois apply" in find(opened, ".review-saving code").text
    text = opened.execute_async_script("window.saved[0].text().then(arguments[0])")
    first, second = (json.loads(text)[f"ads/{name_of(number)}"] for number in (0, 1))
    assert {(area["aoi_id"], area["type"], area.get("source")) for area in first if "none" not in area} == {
        *((area.id, area.type, "confirmed") for area in (LOGO, HEADLINE, BOTTLE)),
        (FACE.id, FACE.type, None),  # nobody is asked about faces
    }
    assert [area["type"] for area in first if "none" in area] == ["call_to_action"]
    assert [(area["type"], area.get("source")) for area in second if "none" not in area] == [
        ("branding", "confirmed"),
        ("branding", "confirmed"),
    ]
    assert {area["type"] for area in second if "none" in area} == {"product", "call_to_action", "headline_text"}


def test_a_file_about_which_nothing_is_asked_has_no_button(opened: webdriver.Chrome):
    run_script(opened, f"location.hash = '{medium_id(2)}'")
    wait_until(opened, f"document.getElementById('detail-name').textContent === {name_of(2)!r}")
    assert not find(opened, "#answer-questions").is_displayed()
