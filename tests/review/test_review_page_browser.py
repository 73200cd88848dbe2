"""The page of the review in a real browser, over a small server that keeps a made-up review."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from accessible import assert_open_to_all, emulate
from browsing import find, needs_browser, on_phone, open_fresh, press, touch, wait_until
from fake_review import FakeReview, question, serving
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

pytestmark = needs_browser

ASKED = "document.querySelector('.review-head h2')?.textContent"
ERROR = ".review-error"


@pytest.fixture
def review() -> Iterator[FakeReview]:
    with serving(FakeReview([*(question(i) for i in range(4)), question(4, folder="other/"), question(5, 0)])) as fake:
        yield fake


@pytest.fixture
def page(browser: webdriver.Chrome, review: FakeReview) -> Iterator[webdriver.Chrome]:
    emulate(browser)
    browser.get(review.url)
    wait_until(browser, ASKED)
    browser.get_log("browser")
    yield browser
    complaints = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert [text for text in complaints if "507" not in text] == []  # which the test asked for
    review.refuses = ""
    open_fresh(browser, "about:blank")


def with_key(browser: webdriver.Chrome, held: str, key: str) -> None:
    ActionChains(browser).key_down(held).send_keys(key).key_up(held).perform()


def shown(browser: webdriver.Chrome) -> str:
    """Return the name of the file that is asked about, without folder and ending."""
    return find(browser, ".review-head .sub").text.rsplit("/", 1)[1].removesuffix(".png")


def written(browser: webdriver.Chrome, review: FakeReview, n: int) -> list[dict[str, Any]]:
    """Wait until so many answers were written, and return them without what the question gives them."""
    until = time.monotonic() + 30
    while len(review.answers) != n and time.monotonic() < until:
        time.sleep(0.02)
    assert len(review.answers) == n, review.answers
    wait_until(browser, f"document.querySelector('.review-progress').textContent.includes('{n} answered')")
    answers = []
    for answer in review.answers:
        boxes = [proposal["box"] for proposal in review.by_id[answer["question"]]["proposals"]]
        given = {"type": "branding", "brand": "Acme", "numbers": [], "boxes": [], "shown": boxes}
        answers.append({name: value for name, value in answer.items() if given.get(name) != value})
    return answers


def drag(browser: webdriver.Chrome, start: tuple[float, float], end: tuple[float, float]) -> None:
    picture = find(browser, ".review-picture")
    width, height = picture.size["width"], picture.size["height"]
    at = (round((start[0] - 0.5) * width), round((start[1] - 0.5) * height))
    by = (round((end[0] - start[0]) * width), round((end[1] - start[1]) * height))
    ActionChains(browser, duration=0).move_to_element_with_offset(picture, *at).click_and_hold().move_by_offset(
        *by
    ).release().perform()


def test_keys_answer_and_go_on(page: webdriver.Chrome, review: FakeReview):
    press(page, "2")
    with_key(page, Keys.SHIFT, "3")  # beside the area that there is
    with_key(page, Keys.SHIFT, "2")
    with_key(page, Keys.SHIFT, "2")  # not that one
    assert find(page, ".review-actions .primary").text.startswith("Confirm 1 + 3")
    press(page, Keys.ENTER, Keys.ENTER, "n", "7")
    assert find(page, ".review-says").text == "There is no proposal 7."
    assert shown(page) == "ad 04"
    assert written(page, review, 4) == [
        {"question": "q0", "answer": "pick", "numbers": [2]},
        {"question": "q1", "answer": "pick", "numbers": [1, 3]},
        {"question": "q2", "answer": "confirm_all"},
        {"question": "q3", "answer": "none"},
    ]
    assert "ad 03.png: ~ Undecided → ✓ Works" in " ".join(find(page, ".review-progress").text.split())
    press(page, Keys.ARROW_RIGHT)
    assert shown(page) == "ad 05"
    press(page, Keys.ARROW_LEFT)
    assert shown(page) == "ad 04"
    with_key(page, Keys.SHIFT, "1")
    assert find(page, ".review-actions .primary").text.startswith("Confirm that there is none")
    press(page, Keys.ENTER)
    assert written(page, review, 5)[4:] == [{"question": "q4", "answer": "none"}]


def test_a_key_that_is_held_answers_once(page: webdriver.Chrome, review: FakeReview):
    press(page, "1")
    for key, code in (("1", "Digit1"), ("n", "KeyN"), ("Enter", "Enter"), ("u", "KeyU")):
        event = f"new KeyboardEvent('keydown', {{key: '{key}', code: '{code}', repeat: true, bubbles: true}})"
        page.execute_script(f"document.activeElement.dispatchEvent({event})")
    assert shown(page) == "ad 01"
    assert len(written(page, review, 1)) == 1


def test_keys_draw_a_box_and_escape_drops_it(page: webdriver.Chrome, review: FakeReview):
    box = (*[Keys.ARROW_LEFT] * 10, " ", *[Keys.ARROW_RIGHT] * 20, *[Keys.ARROW_DOWN] * 20, " ")
    press(page, "d", *box, Keys.ESCAPE)
    assert find(page, ".review-actions .primary").text.startswith("All right, no product")
    press(page, "d", *box[:5], Keys.ESCAPE, Keys.ARROW_RIGHT)
    assert shown(page) == "ad 01", "arrows skip again"
    press(page, "d", *box, Keys.ENTER)
    (answer,) = written(page, review, 1)
    assert answer.pop("boxes") == [pytest.approx([0.4, 0.5, 0.2, 0.2])]
    assert answer == {"question": "q1", "answer": "draw"}


def test_what_is_drawn_or_chosen_is_not_lost(page: webdriver.Chrome, review: FakeReview):
    press(page, "d", Keys.ENTER)
    assert find(page, ".review-says").text.startswith("Set the first corner")
    press(page, " ", *[Keys.ARROW_RIGHT] * 20, *[Keys.ARROW_DOWN] * 20, Keys.ENTER, Keys.ARROW_RIGHT)
    assert (shown(page), find(page, ".review-says").text[:7]) == ("ad 00", "Confirm")
    press(page, "3")  # and that one
    assert find(page, ".review-actions .primary").text.startswith("Confirm 3 + 1 drawn box")
    with_key(page, Keys.CONTROL, "z")
    assert find(page, ".review-actions .primary").text.startswith("All right, no product")
    with_key(page, Keys.SHIFT, "3")
    press(page, "2", Keys.ENTER)
    assert written(page, review, 1) == [{"question": "q0", "answer": "pick", "numbers": [1, 2, 3]}]


def test_a_mouse_picks_and_draws_and_a_click_alone_draws_nothing(page: webdriver.Chrome, review: FakeReview):
    picture = find(page, ".review-picture")
    ActionChains(page).move_to_element_with_offset(picture, 0, round(0.4 * picture.size["height"])).click().perform()
    assert (shown(page), find(page, ".review-actions .primary").text[:11]) == ("ad 00", "All right, ")
    drag(page, (0.2, 0.3), (0.21, 0.301))  # a hand that trembles over the first proposal picks it
    assert shown(page) == "ad 01"
    drag(page, (0.3, 0.6), (0.6, 0.9))
    drag(page, (0.7, 0.6), (0.9, 0.9))
    assert find(page, ".review-actions .primary").text.startswith("Confirm 2 drawn boxes")
    find(page, ".review-actions .primary").click()
    page.find_element(By.CSS_SELECTOR, ".review-proposals li:nth-child(3) button").click()
    assert find(page, ".review-proposals [data-number='1']").is_selected(), "it is an area"
    find(page, ".review-proposals [data-number='2']").click()
    find(page, ".review-actions .primary").click()
    first, second, *others = written(page, review, 4)
    assert first == {"question": "q0", "answer": "pick", "numbers": [1]}
    expected = [[0.3, 0.6, 0.3, 0.3], [0.7, 0.6, 0.2, 0.3]]
    assert second["boxes"] == [pytest.approx(box, abs=0.01) for box in expected]
    assert others == [
        {"question": "q2", "answer": "pick", "numbers": [3]},
        {"question": "q3", "answer": "pick", "numbers": [1, 2]},
    ]


def test_a_brand_is_given_to_a_folder_and_taken_back(page: webdriver.Chrome, review: FakeReview):
    press(page, "b")
    assert find(page, ".review-brand").text.startswith("Brand of all files in acme/")
    assert page.switch_to.active_element.get_attribute("value") == "Acme"
    press(page, Keys.ESCAPE, "b", "n & ü", Keys.ENTER)  # letters are typed, not taken for keys
    assert written(page, review, 1) == [{"question": "q0", "answer": "brand_for_folder", "brand": "n & ü"}]
    wait_until(page, f"{ASKED} === 'Where is n & ü?'")
    assert shown(page) == "ad 00", "where it is was not answered"
    press(page, "2")
    assert shown(page) == "ad 01"
    with_key(page, Keys.SHIFT, "2")
    press(page, "b", Keys.ENTER)
    assert written(page, review, 3)[1:] == [
        {"question": "q0", "answer": "pick", "numbers": [2], "brand": "n & ü"},
        {"question": "q1", "answer": "brand_for_folder", "numbers": [1, 2], "brand": "n & ü"},
    ]
    assert shown(page) == "ad 02"
    for _ in range(3):
        with_key(page, Keys.CONTROL, "z")
    wait_until(page, f"{ASKED} === 'Where is the brand?'")
    assert (shown(page), review.answers) == ("ad 00", [])


def test_that_all_areas_are_right_answers_all_questions_about_a_file(browser: webdriver.Chrome):
    headline = question(0) | {"id": "h0", "type": "headline_text", "text": "Which is the headline?"}
    with serving(FakeReview([question(0), headline, question(1, 1) | {"type": "product"}, question(2)])) as review:
        emulate(browser)
        browser.get(review.url)
        wait_until(browser, ASKED)
        press(browser, Keys.ENTER)
        assert shown(browser) == "ad 01"
        assert find(browser, ".review-actions .primary").text.startswith("All right, no product or call to action")
        press(browser, Keys.ENTER, "u", "u")
        wait_until(browser, "document.querySelector('.review-progress').textContent.includes('0 answered · 4 left')")
        press(browser, "2")
        assert find(browser, "h2").text == "Which is the headline?"
        press(browser, Keys.ARROW_RIGHT)
        assert shown(browser) == "ad 01", "the ad is skipped"
        press(browser, Keys.ARROW_LEFT)
        assert find(browser, "h2").text == "Which is the headline?"
        assert [answer["answer"] for answer in review.answers] == ["pick"]
        open_fresh(browser, "about:blank")


def beside(number: int, of_type: str, **facts: Any) -> dict[str, Any]:
    """Ask about a type of areas that is sure."""
    other = question(number, 1, id=f"{of_type}{number}", type=of_type, text=f"Which is the {of_type}?", open=False)
    return other | {"answered": False, "why": ""} | facts


@pytest.mark.parametrize("by", ["key", "mouse", "picture"])
def test_what_is_sure_and_wrong_is_corrected_beside_the_question(browser: webdriver.Chrome, by: str):
    others = [beside(0, "product"), beside(0, "headline_text"), beside(7, "branding")]
    with serving(FakeReview([question(0), question(1)], others=others)) as review:
        emulate(browser)
        browser.get(review.url)
        wait_until(browser, ASKED)
        assert find(browser, ".review-types").text.split() == ["brand", "1", "?", "product", "none", "headline", "1"]
        if by == "key":
            press(browser, Keys.ARROW_UP)
        elif by == "mouse":
            browser.find_element(By.CSS_SELECTOR, ".review-types button:nth-child(3)").click()
        else:
            picture = find(browser, ".review-picture")
            at = (round(-0.3 * picture.size["width"]), round(0.15 * picture.size["height"]))
            ActionChains(browser).move_to_element_with_offset(picture, *at).click().perform()
        assert find(browser, "h2").text == "Which is the headline_text?"
        press(browser, "n")
        assert find(browser, "h2").text == "Where is the brand?"
        assert find(browser, ".review-types").text.split()[-2:] == ["1", "✓"]
        press(browser, "1", "1", Keys.ARROW_RIGHT)
        assert find(browser, "h2").text == "Are all areas right?", "the ad without a question"
        press(browser, Keys.ENTER)
        assert find(browser, ".review-end h2").text == "All questions are answered"
        wait_until(browser, "!document.querySelector('.review-end').textContent.includes('being written')")
        asked = [(answer["question"], answer["answer"]) for answer in review.answers]
        assert asked == [("headline_text0", "none"), ("q0", "pick"), ("q1", "pick"), ("branding7", "confirm_all")]
        open_fresh(browser, "about:blank")


def test_answers_of_an_earlier_visit_are_undone(page: webdriver.Chrome, review: FakeReview):
    press(page, "1", "2")
    written(page, review, 2)
    page.refresh()
    wait_until(page, ASKED)
    assert shown(page) == "ad 02"
    press(page, "u")
    wait_until(page, "document.querySelector('.review-head .sub').textContent.includes('ad 01')")
    press(page, "3")
    assert written(page, review, 2)[1]["numbers"] == [3]


def leaving_warns(browser: webdriver.Chrome) -> bool:
    event = "const event = new Event('beforeunload', {cancelable: true}); dispatchEvent(event);"
    return bool(browser.execute_script(f"{event} return event.defaultPrevented"))


@pytest.mark.parametrize("then", ["try again", "take it back", "undo"])
def test_what_was_not_saved_is_told_and_can_be_tried_again(page: webdriver.Chrome, review: FakeReview, then: str):
    review.refuses = "the disk is full"
    press(page, "1", "2")
    wait_until(page, f"!document.querySelector('{ERROR}').hidden")
    assert find(page, ERROR).text.startswith("Not saved: the disk is full.")
    assert leaving_warns(page)
    assert shown(page) == "ad 02"
    review.refuses = ""
    if then == "try again":
        page.find_element(By.XPATH, "//button[text()='Try again']").click()
        assert [answer["question"] for answer in written(page, review, 2)] == ["q0", "q1"]
    elif then == "take it back":
        page.find_element(By.XPATH, "//button[text()='Take it back']").click()
        assert [answer["question"] for answer in written(page, review, 1)] == ["q1"]
        assert shown(page) == "ad 00"
    else:
        press(page, "u", "u")  # neither was written: nothing is left to be tried again
        assert shown(page) == "ad 00"
        press(page, "3")
        assert written(page, review, 1) == [{"question": "q0", "answer": "pick", "numbers": [3]}]
    assert not find(page, ERROR).is_displayed()
    assert not leaving_warns(page)


def test_without_a_token_the_page_says_what_the_server_says(browser: webdriver.Chrome, review: FakeReview):
    browser.get(review.url.split("?")[0])
    wait_until(browser, "document.querySelector('[role=alert]') !== null")
    assert find(browser, "[role=alert]").text == "The questions could not be loaded: no token."


def test_fingers_pick_and_draw_on_a_phone(page: webdriver.Chrome, review: FakeReview):
    with on_phone(page):
        picture = find(page, ".review-picture").rect
        assert picture["y"] + picture["height"] < 844
        assert page.execute_script("return document.documentElement.scrollWidth") == 390
        touch(page, ".review-picture", [(0.3, 0.8)], [(0.6, 0.95)], [])
        assert shown(page) == "ad 00"
        assert find(page, ".review-actions .primary").text.startswith("All right"), "without Draw, a finger scrolls"
        touch(page, ".review-picture", [(0.2, 0.3)], [])
        assert shown(page) == "ad 01"
        page.find_element(By.XPATH, "//button[contains(., 'Draw')]").click()
        find(page, ".review-actions .primary").click()
        assert shown(page) == "ad 01", "nothing is drawn yet"
        touch(page, ".review-picture", [(0.3, 0.6)], [(0.5, 0.8)], [(0.6, 0.9)], [])
        find(page, ".review-actions .primary").click()
        first, second = written(page, review, 2)
        assert first == {"question": "q0", "answer": "pick", "numbers": [1]}
        assert second["boxes"] == [pytest.approx([0.3, 0.6, 0.3, 0.3], abs=0.02)]


@pytest.mark.parametrize("width", [1440, 390])
def test_everybody_can_use_the_page(browser: webdriver.Chrome, review: FakeReview, width: int):
    wait = "const wait = () => document.querySelector('h2') ? done() : setTimeout(wait, 20); wait()"
    assert_open_to_all(browser, review.url, width, f"return new Promise((done) => {{ {wait} }})")
    press(browser, "b", Keys.ESCAPE)
    press(browser, Keys.TAB)
    focused = browser.switch_to.active_element
    assert focused.get_attribute("class") == "review-zoom", "after the question comes its picture"
    press(browser, Keys.TAB)
    assert browser.switch_to.active_element.text.startswith("1"), "and its proposals"
