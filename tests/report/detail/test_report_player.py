"""Media that move, in a real browser: what is on the screen is compared with the number that each frame carries."""

import json
import time
from io import BytesIO
from pathlib import Path

import pytest
from browsing import find, needs_browser, open_filters, open_fresh, run_script, show_table, wait_until
from fake_run import medium_id, write_fake_run
from fake_video import FPS, HOSTILE_VIDEO, FakeVideo, add_videos, grey
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run

SPOT = FakeVideo(100, name=HOSTILE_VIDEO)
FAST = FakeVideo(101, n=20, cuts=tuple(range(1, 20)), previews=("preview_heat", "heat_video"))
BARE = FakeVideo(102, n=8, cuts=(4,), codec="gif", name="badge.gif", share_read=0.9996, previews=(), sheet=False)
LONG = FakeVideo(103, n=36_000, cuts=tuple(range(30, 36_000, 45)), previews=(), sheet=False)
ADDRESS = {video.index: f"#{medium_id(video.index)}" for video in (SPOT, FAST, BARE, LONG)}

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = write_fake_run(tmp_path_factory.mktemp("player") / "run", 3)
    return write_report(read_run(add_videos(run, [SPOT, FAST, BARE])), layout="folder").as_uri()


@pytest.fixture(scope="module")
def long_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same, and a film of two hours, which takes the browser a while."""
    run = write_fake_run(tmp_path_factory.mktemp("long") / "run", 3)
    return write_report(read_run(add_videos(run, [SPOT, FAST, BARE, LONG])), layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    leave(browser)
    open_fresh(browser, page + ADDRESS[SPOT.index])
    for part in ("over-time", "maps", "scores-and-why"):
        run_script(browser, f"document.getElementById('{part}').open = true")
    run_script(browser, "showMoment(0)")
    return browser


def pixel(browser: webdriver.Chrome) -> tuple[int, ...]:
    """Colour in the middle of the player, as it is on the screen."""
    if run_script(browser, "return video.getBoundingClientRect().top < 0"):
        leave(browser)
        run_script(browser, "video.scrollIntoView()")
    picture = Image.open(BytesIO(find(browser, "#video").screenshot_as_png)).convert("RGB")
    return picture.getpixel((picture.width // 2, picture.height // 2))


def shown(browser: webdriver.Chrome) -> int:
    """Return the number of the frame on the screen: both previews carry it in red."""
    return round((pixel(browser)[0] - grey(0)) / (grey(1) - grey(0)))


def wait_for_frame(browser: webdriver.Chrome, k: int) -> None:
    """Wait until frame `k` is on the screen, and see that it stays."""
    until = time.monotonic() + 30
    while shown(browser) != k and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.15)
    assert shown(browser) == k, run_script(
        browser, "return [state.now, video.currentTime, video.seeking, state.seekTo]"
    )


def hover(browser: webdriver.Chrome, share: float, selector: str = "#chart") -> None:
    """Put the mouse at a share of the width."""
    box = find(browser, selector)
    run_script(browser, "arguments[0].scrollIntoView({block: 'end'})", box)
    ActionChains(browser).move_to_element_with_offset(box, round((share - 0.5) * box.size["width"]), 0).perform()


def leave(browser: webdriver.Chrome) -> None:
    """Take the mouse off the page's parts, so that scrolling brings none of them under it."""
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 2, "y": 2})


def chip(browser: webdriver.Chrome, name: str) -> str:
    return find(browser, f"#chips .of-{name} b").text


@pytest.mark.parametrize("k", [0, 9, 10, 29])
def test_moving_over_a_curve_shows_that_moment_with_its_heat_and_numbers(opened: webdriver.Chrome, k: int):
    hover(opened, 0.3)  # somewhere else first
    hover(opened, (k + 0.5) / SPOT.n)
    wait_for_frame(opened, k)
    assert pixel(opened)[2] > 170  # with heat: the plain frames have as much blue as red
    assert find(opened, "#moment-time").text == f"0:0{k / FPS:.1f}"
    assert find(opened, "#moment-scene").text == f"of 0:06.0 · scene {SPOT.scene_of(k) + 1} of 3"
    assert chip(opened, "focus") == f"{10 + 80 * k / 29:.0f}"
    clarity = SPOT.score("clarity", k)
    assert chip(opened, "clarity") == ("–" if clarity is None else f"{clarity:.0f}")
    cursor, chart = find(opened, "#chart .cursor").rect, find(opened, "#chart").rect
    assert (cursor["x"] + 1 - chart["x"]) / chart["width"] == pytest.approx(k / SPOT.n, abs=0.004)


def test_it_opens_at_a_telling_moment_and_plays_from_the_beginning(opened: webdriver.Chrome, page: str):
    open_fresh(opened, page + ADDRESS[SPOT.index])
    k = max(k for k in range(SPOT.n) if SPOT.score("clarity", k) is not None)  # focus rises from frame to frame
    wait_for_frame(opened, k)
    assert find(opened, "#moment-time").text == f"0:0{k / FPS:.1f}"
    assert find(opened, "#moment-scene").text.endswith("where attention is most gathered")
    find(opened, "#play").click()
    wait_until(opened, "!video.paused && state.now < 1.5")
    assert "gathered" not in find(opened, "#moment-scene").text


def test_plain_and_heat_show_the_same_moment(opened: webdriver.Chrome):
    hover(opened, 12.5 / SPOT.n)
    wait_for_frame(opened, 12)
    find(opened, "#looks [data-look=preview]").click()
    wait_until(opened, "video.readyState > 1 && !video.seeking")
    wait_for_frame(opened, 12)
    red, green, blue = pixel(opened)
    assert max(red, green, blue) - min(red, green, blue) < 8
    assert find(opened, "#looks [aria-pressed=true]").text == "Plain"
    find(opened, "#looks [data-look=preview_heat]").click()
    wait_for_frame(opened, 12)
    assert pixel(opened)[2] > 170


def test_scenes_are_jumped_to_from_the_list_and_the_strip(opened: webdriver.Chrome):
    find(opened, "#scene-list tbody tr:nth-child(2) button").click()
    wait_for_frame(opened, 10)
    assert find(opened, "#scene-list [aria-current]").text.split()[:4] == ["2", "0:02.0", "0:03.0", "cut"]
    find(opened, "#scene-strip i:nth-child(3)").click()
    wait_for_frame(opened, 15)
    assert find(opened, "#scene-strip .open").text == "3"


def test_keys_step_by_samples_and_scenes(opened: webdriver.Chrome):
    body = find(opened, "body")
    body.send_keys("...")
    wait_for_frame(opened, 3)
    body.send_keys(",")
    wait_for_frame(opened, 2)
    moment = find(opened, "#moment")
    moment.send_keys(Keys.END)
    wait_for_frame(opened, 29)
    moment.send_keys(Keys.ARROW_LEFT)
    wait_for_frame(opened, 28)
    moment.send_keys(Keys.PAGE_UP, Keys.PAGE_UP)
    wait_for_frame(opened, 0)
    moment.send_keys(Keys.PAGE_DOWN)
    wait_for_frame(opened, 10)
    demand = SPOT.score("cognitive_demand", 10)
    assert moment.get_attribute("aria-valuetext") == f"0:02.0, scene 2, Focus 38, Cognitive demand {demand:.0f}"
    assert find(opened, "#detail-name").text == HOSTILE_VIDEO  # the arrows did not leave the medium


def test_space_plays_and_the_cursor_follows_what_is_on_the_screen(opened: webdriver.Chrome):
    wait_until(opened, "video.readyState > 2")
    find(opened, "body").send_keys(Keys.SPACE)
    wait_until(opened, "state.now >= 1")
    assert find(opened, "#play").accessible_name == "Pause"
    hover(opened, 0.95)  # a mouse that comes by does not disturb what plays
    assert run_script(opened, "return state.now") < 5
    leave(opened)
    find(opened, "body").send_keys(Keys.SPACE)
    wait_until(opened, "video.paused")
    k = run_script(opened, "return pointAt(state.now)")
    assert k >= 5
    assert find(opened, "#moment-time").text == f"0:0{k / FPS:.1f}"
    wait_for_frame(opened, k)
    assert find(opened, "#play").accessible_name == "Play"


def test_quick_jumps_end_on_the_right_frame(opened: webdriver.Chrome):
    moment = find(opened, "#moment")
    moment.send_keys(Keys.END, Keys.HOME, Keys.ARROW_RIGHT)
    wait_for_frame(opened, 1)
    moment.send_keys(Keys.PAGE_DOWN, Keys.PAGE_DOWN, Keys.PAGE_UP)
    wait_for_frame(opened, 10)


def test_a_finger_drags_the_moment(opened: webdriver.Chrome):
    box = find(opened, "#chart").rect
    script = (
        "const box = document.getElementById('chart'); box.setPointerCapture = () => {};"
        "box.hasPointerCapture = () => arguments[1];"
        "for (const kind of arguments[2]) box.dispatchEvent(new PointerEvent(kind,"
        " {pointerId: 7, pointerType: 'touch', button: 0, bubbles: true, clientX: arguments[0] - scrollX}));"
    )
    run_script(opened, script, box["x"] + 20.5 / SPOT.n * box["width"], True, ["pointerdown"])
    wait_for_frame(opened, 20)
    run_script(opened, script, box["x"] + 5.5 / SPOT.n * box["width"], True, ["pointermove"])
    wait_for_frame(opened, 5)
    run_script(opened, script, box["x"] + 9.5 / SPOT.n * box["width"], False, ["pointermove"])  # without touching
    time.sleep(0.2)
    assert shown(opened) == 5


def test_curves_are_drawn_where_the_values_are(opened: webdriver.Chrome):
    script = (
        "const p = document.querySelector('#curves .of-focus');"
        "return [p.getPointAtLength(0), p.getPointAtLength(1e6)].map(q => [q.x, q.y])"
    )
    first, last = run_script(opened, script)
    assert first == pytest.approx([0, 90], abs=0.1)  # focus 10 at the start
    assert last == pytest.approx([1000, 10], abs=0.1)  # 90 from 5.8 s to the end
    find(opened, "#chips .of-focus").click()
    assert opened.find_elements(By.CSS_SELECTOR, "#curves .of-focus") == []
    shaded = [box.get_attribute("width") for box in opened.find_elements(By.CSS_SELECTOR, "#curves .window")]
    assert [float(width) for width in shaded] == pytest.approx([1000 / 3, 1000 / 3])


def test_no_video_is_loaded_before_a_detail_is_opened_or_after_it_is_left(opened: webdriver.Chrome, page: str):
    wait_until(opened, "video.readyState > 1")
    opened.get_log("performance")
    open_fresh(opened, page)
    find(opened, ".gallery-card[data-i='0'] a").click()
    messages = [json.loads(entry["message"])["message"] for entry in opened.get_log("performance")]
    addresses = [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]
    assert not [address for address in addresses if address.endswith(".mp4")]
    assert not find(opened, "#moments").is_displayed()
    run_script(opened, f"location.hash = '{ADDRESS[SPOT.index]}'")
    wait_until(opened, "video.readyState > 1")
    find(opened, "body").send_keys(Keys.ESCAPE)
    assert run_script(opened, "return [video.getAttribute('src'), video.paused]") == [None, True]


def test_without_previews_the_curves_work_alone(opened: webdriver.Chrome, page: str):
    open_fresh(opened, page + ADDRESS[BARE.index])
    assert not find(opened, "#video").is_displayed()
    assert not find(opened, "#play").is_displayed()
    assert "no preview" in find(opened, "#no-preview").text
    hover(opened, 5.5 / BARE.n)
    assert find(opened, "#moment-time").text == "0:01.0"
    assert chip(opened, "focus") == f"{10 + 80 * 5 / 7:.0f}"
    find(opened, "body").send_keys(".")
    assert find(opened, "#moment-time").text == "0:01.2"
    assert "no longer than two seconds" in find(opened, "#windows-text").text
    assert "99 % of the file could be read" in find(opened, "#detail-facts").text


def test_a_lost_preview_is_said_in_words(browser: webdriver.Chrome, tmp_path: Path):
    run = add_videos(write_fake_run(tmp_path, 1), [FakeVideo(100, n=5, cuts=())])
    page = write_report(read_run(run), layout="folder").as_uri()
    for preview in run.glob("maps/*/preview_heat.mp4"):
        preview.unlink()
    open_fresh(browser, f"{page}#{medium_id(100)}")
    wait_until(browser, "!document.getElementById('video-problem').hidden")
    assert "preview_heat.mp4" in find(browser, "#video-problem").text
    hover(browser, 0.5)
    assert chip(browser, "focus") == "50"
    browser.get_log("browser")


def test_the_contact_sheet_is_shown_whole_and_not_compared(opened: webdriver.Chrome):
    find(opened, "#divide").click()
    find(opened, "#strip [data-map=contact_sheet]").click()
    wait_until(opened, "document.getElementById('picture-right').complete")
    box = find(opened, "#picture-right").rect
    assert box["height"] / box["width"] == pytest.approx(300 / 240, abs=0.01)
    assert find(opened, "#compare").rect["height"] == pytest.approx(box["height"], abs=1)
    assert not find(opened, "#picture-left").is_displayed()
    assert not find(opened, "#divider").is_enabled()
    assert "contact_sheet" not in [o.get_attribute("value") for o in Select(find(opened, "#left-map")).options]
    find(opened, "#strip [data-map=heat]").click()
    assert find(opened, "#picture-left").is_displayed()
    assert find(opened, "#divider").is_enabled()


def test_overview_marks_and_sifts_what_moves(opened: webdriver.Chrome, long_page: str):
    show_table(opened, long_page)
    open_filters(opened)

    def rows() -> list[int]:
        visible = "[...document.querySelectorAll('#media tbody tr')].filter(r => r.offsetParent)"
        return [int(i) for i in run_script(opened, f"return {visible}.map(r => r.dataset.i)")]

    badge = find(opened, f"#media tr:has(a[href='{ADDRESS[BARE.index]}'])")
    assert badge.find_element(By.CSS_SELECTOR, ".play-mark").text.split() == ["animation,", "0:02"]
    assert "99 % read" in badge.text
    assert find(opened, f"#media tr:has(a[href='{ADDRESS[LONG.index]}']) .play-mark").text.endswith("2:00:00")
    Select(find(opened, "#kind")).select_by_value("videos")
    assert sorted(rows()) == [4, 5, 6, 7]  # 0-2 are pictures, 3 could not be read
    Select(find(opened, "#kind")).select_by_value("pictures")
    assert sorted(rows()) == [0, 1, 2]
    Select(find(opened, "#kind")).select_by_value("all")
    Select(find(opened, "#sort")).select_by_value("kind")
    assert sorted(rows()[:3]) == [0, 1, 2]
    assert opened.find_elements(By.CSS_SELECTOR, "#media [aria-sort]") == []
    Select(find(opened, "#order")).select_by_visible_text("Videos first")
    assert sorted(rows()[:4]) == [4, 5, 6, 7]


def test_on_paper_the_contact_sheet_stands_for_the_player(opened: webdriver.Chrome):
    opened.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not find(opened, "#video").is_displayed()
    assert not find(opened, "#play").is_displayed()
    assert find(opened, "#sheet-in-print").is_displayed()
    assert find(opened, "#curves").is_displayed()
    assert find(opened, "#chips .of-focus").is_displayed()
    assert not find(opened, "#chips .of-memory").is_displayed()
