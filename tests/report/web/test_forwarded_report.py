"""A report that was forwarded alone, in a real browser: all that it shows is inside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from browsing import find, needs_browser, open_fresh, run_script, wait_until
from fake_run import MAP_NAMES, medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.keys import Keys

from mediaan.report import write_report
from mediaan.run import read_run

pytestmark = needs_browser

N = 4
SPOT = FakeVideo(100)
LOADED = (
    "[...document.querySelectorAll('#detail img')].filter(i => ![null, '', 'data:,'].includes(i.getAttribute('src')))"
    ".every(i => i.naturalWidth > 0)"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("forwarded")
    run = add_videos(write_fake_run(folder / "run", N), [SPOT])
    alone = folder / "inbox" / "report.html"
    alone.parent.mkdir()
    write_report(read_run(run)).rename(alone)
    shutil.rmtree(run)
    return alone.as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    open_fresh(browser, "about:blank")
    for log in ("browser", "performance"):
        browser.get_log(log)
    open_fresh(browser, page)
    return browser


def requests(browser: webdriver.Chrome) -> list[str]:
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    return [m["params"]["request"]["url"] for m in messages if m["method"] == "Network.requestWillBeSent"]


def show(browser: webdriver.Chrome, index: int) -> None:
    run_script(browser, f"location.hash = '{medium_id(index)}'")
    wait_until(browser, f"state.open !== null && report.media[state.open].id === '{medium_id(index)}'")
    # those below the fold would be loaded once they come into view
    run_script(browser, "for (const one of document.querySelectorAll('#detail img')) one.loading = 'eager'")


def test_it_shows_every_picture_and_asks_for_nothing(opened: webdriver.Chrome, page: str):
    for index in (*range(N), SPOT.index):
        show(opened, index)
        wait_until(opened, LOADED)
        if index < N:
            shown = "return [...document.querySelectorAll('#strip img')].filter(i => i.naturalWidth > 0).length"
            assert run_script(opened, shown) == len(MAP_NAMES)
    wait_until(opened, "video.readyState > 1")
    assert opened.get_log("browser") == []
    others = [address for address in requests(opened) if not address.startswith(("data:", "blob:", "about:"))]
    assert {address.partition("#")[0] for address in others} == {page}


def test_the_slider_stands_between_two_pictures_of_the_medium(opened: webdriver.Chrome):
    show(opened, 1)
    wait_until(opened, LOADED)
    find(opened, "#divide").click()
    find(opened, "#layers [data-layer=fog]").click()
    inside = "JSON.parse(document.getElementById(`pictures-${report.media[state.open].id}`).textContent)"
    sources = run_script(
        opened,
        f"return [{inside}, document.getElementById('picture-left').src, document.getElementById('picture-right').src]",
    )
    assert sources[1:] == [sources[0]["original"], sources[0]["fog"]]
    find(opened, "#divider").send_keys(Keys.ARROW_LEFT)
    assert run_script(opened, "return document.getElementById('compare').style.getPropertyValue('--at')") == "49%"


def test_a_video_plays_from_inside_and_is_let_go_of(opened: webdriver.Chrome):
    show(opened, SPOT.index)
    wait_until(opened, "video.readyState > 1")
    address = run_script(opened, "return video.src")
    assert address.startswith("blob:")
    find(opened, "#play").click()
    wait_until(opened, "video.currentTime > 0.3")
    find(opened, "#back").click()
    assert run_script(opened, "return [objectUrls.length, video.getAttribute('src')]") == [0, None]
    again = "const again = document.createElement('video'); again.onerror = () => { window.gone = true; };"
    run_script(opened, f"{again} again.src = arguments[0]", address)
    wait_until(opened, "window.gone === true")
    opened.get_log("browser")  # it says that the address leads nowhere


def test_commands_name_no_folder_that_holds_no_run(opened: webdriver.Chrome):
    assert run_script(opened, "return [runFolder(), applyCommand()]") == [
        "RUN",
        "mediaan aois apply RUN ~/Downloads/areas.json",
    ]


def test_a_preview_that_is_too_long_is_said_to_be_in_the_run(browser: webdriver.Chrome, tmp_path: Path):
    run = add_videos(write_fake_run(tmp_path / "run", 1, maps=()), [SPOT])
    page = write_report(read_run(run), layout="file", max_bytes=1000)
    open_fresh(browser, f"{page.as_uri()}#{medium_id(SPOT.index)}")
    assert "too large for this page" in find(browser, "#no-preview").text
    assert not find(browser, "#player").is_displayed()


def test_pictures_are_unpacked_only_when_their_medium_is_opened_or_its_card_shows_attention(opened: webdriver.Chrome):
    wait_until(opened, "imageCache.size > 0")
    run_script(opened, "document.getElementById('card-heat').click()")  # off, and the browser keeps it
    opened.refresh()
    try:
        assert run_script(opened, "return imageCache.size") == 0
        show(opened, 2)
        assert run_script(opened, "return [...imageCache.keys()]") == [medium_id(2)]
    finally:
        run_script(opened, "localStorage.clear()")


def test_few_media_are_kept_unpacked(browser: webdriver.Chrome, tmp_path: Path):
    page = write_report(read_run(write_fake_run(tmp_path / "run", 12)))
    open_fresh(browser, page.as_uri())
    script = "for (const medium of report.media.filter(m => m.done)) imageOf(medium, 'heat'); return imageCache.size"
    assert run_script(browser, script) == 8
