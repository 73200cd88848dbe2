"""The web page in a real browser, over a real server that predicts: what a person does, and what the API says after."""

import hashlib
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import av
import numpy as np
import pytest
from browsing import BOX_KEYS, find, needs_browser, open_fresh, press, run_script, wait_until
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select, WebDriverWait
from serving import API, RunningServer
from short_film import ADS

from mediaan.server.service.service import Service

BUSY_S = 240

pytestmark = needs_browser


def wait(browser: webdriver.Chrome, script: str) -> None:
    """For what takes the server a while."""
    WebDriverWait(browser, BUSY_S, 0.1).until(lambda driver: driver.execute_script(f"return {script}"))


def says(words: str) -> str:
    """Whether the report's panel of areas begins with some words."""
    return f"document.getElementById('areas-note')?.textContent.startsWith('{words}')"


def network(browser: webdriver.Chrome, upload_rate: int = -1, *, offline: bool = False) -> None:
    """Take the network away, bound its bytes per second, or give it back."""
    browser.execute_cdp_cmd("Network.enable", {})
    conditions = {"offline": offline, "latency": 0, "downloadThroughput": -1, "uploadThroughput": upload_rate}
    browser.execute_cdp_cmd("Network.emulateNetworkConditions", conditions)


def sign_in(browser: webdriver.Chrome, server: RunningServer, key: str | None = None) -> None:
    browser.delete_all_cookies()
    open_fresh(browser, server.url)
    find(browser, "#key").send_keys(key or server.key, Keys.ENTER)


@pytest.fixture
def key(server: RunningServer, request: pytest.FixtureRequest) -> str:
    """Of a company that has nothing yet."""
    return server.new_key(request.node.name)


@pytest.fixture
def page(browser: webdriver.Chrome, server: RunningServer, key: str) -> Iterator[webdriver.Chrome]:
    """The list of that company."""
    browser.get(server.url)
    sign_in(browser, server, key)
    wait_until(browser, "document.getElementById('listing') !== null")
    browser.get_log("browser")
    yield browser
    complaints = [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert not complaints


def add(stored: Service, key: str, *names: str, status: str = "init") -> None:
    found = stored.keys.company(key)
    assert found
    for name in names:
        stored.media.add(found[0], "image", name, "image/png", 1000)
    stored.database.connection.execute("UPDATE media SET status = ? WHERE company_id = ?", (status, found[0]))


def upload(browser: webdriver.Chrome, *files: Path, areas: bool = False) -> None:
    if find(browser, "#with-areas").is_selected() != areas:
        find(browser, "#with-areas").click()
    find(browser, "#files").send_keys("\n".join(map(str, files)))


def names(browser: webdriver.Chrome) -> list[str]:
    return browser.execute_script("return [...document.querySelectorAll('#media tbody tr')].map(r => r.dataset.name)")


def choose(browser: webdriver.Chrome, does: str) -> None:
    find(browser, "#media .menu summary").click()
    find(browser, f"#media [data-does={does}]").click()


def test_a_wrong_key_is_refused_with_a_reason_and_a_right_one_opens_the_list(
    browser: webdriver.Chrome, server: RunningServer
):
    sign_in(browser, server, "mdn_aaaaaaaa_wrong")
    wait(browser, "document.getElementById('problem') !== null")
    assert "not valid" in find(browser, "#problem").text
    assert browser.switch_to.active_element.get_attribute("id") == "key"
    find(browser, "#key").send_keys(server.key, Keys.ENTER)
    wait(browser, "document.querySelector('h1')?.textContent === 'acme'")
    assert browser.execute_script("return document.cookie") == ""  # scripts cannot read it
    find(browser, ".masthead form button").click()
    wait(browser, "document.getElementById('key') !== null")


def test_from_an_upload_to_the_score_of_a_drawn_area(page: webdriver.Chrome, server: RunningServer, key: str):
    assert "Nothing here yet" in find(page, "#listing").text
    upload(page, ADS / "serum_square.jpg")
    wait(page, "document.querySelector('#media .mark.done') !== null")
    wait_until(page, "document.querySelector('#media img')?.naturalWidth > 0")
    with server.client(key) as client:
        (medium,) = client.get(f"{API}/media").json()["items"]
        shown = page.execute_script("return [...document.querySelectorAll('#media .score b')].map(b => b.textContent)")
        scores = ("focus", "cognitive_demand", "clarity", "engagement", "design", "memory")
        assert shown == [f"{medium['metrics'][score]:.0f}" for score in scores]

        find(page, "#media th a").click()
        wait_until(page, "!document.getElementById('detail').hidden")
        assert page.execute_script("return document.getElementById('picture-left').naturalWidth > 0")
        assert "Rank 1 of 1" not in find(page, "#detail").text
        home = "return [...document.links].filter((a) => a.offsetParent && a.href === `${location.origin}/`).length"
        assert page.execute_script(home) == 1, "one link leads to all files"
        find(page, "#edit-areas").click()
        press(page, *BOX_KEYS)
        Select(find(page, "#area-type")).select_by_value("product")
        find(page, "#area-label").send_keys("The bottle")
        wait_until(page, "!document.getElementById('area-scores').hidden")
        scored_here = find(page, "#area-scores tbody td b").text
        find(page, "#save-areas").click()
        wait(page, says("Saved and scored"))
        (area,) = client.get(f"{API}/images/{medium['media_id']}/aois").json()["aois"]
    assert (area["aoi_type"], area["label"], area["box"]) == ("product", "The bottle", [0.4, 0.4, 0.6, 0.6])
    row = find(page, "#area-table tbody tr")
    assert "The bottle" in row.text
    assert f"{area['scores']['percentage_seen']['total']['value']:.0f}" in row.text.split()
    assert row.find_element(By.CSS_SELECTOR, "td b").text == scored_here
    assert page.switch_to.active_element.get_attribute("id") == "edit-areas"
    find(page, "#back").click()
    wait_until(page, "document.getElementById('listing') !== null")


def test_areas_that_the_api_refuses_stay_drawn_with_its_reason(page: webdriver.Chrome, server: RunningServer, key: str):
    upload(page, ADS / "cat_food_feed.jpg")
    wait(page, "document.querySelector('#media .mark.done') !== null")
    find(page, "#media th a").click()
    find(page, "#edit-areas").click()
    press(page, *BOX_KEYS)
    run_script(
        page, "state.editor.draft.list = state.editor.draft.list.map((item) => ({ ...item, box: [3, 3, 4, 4] }))"
    )
    find(page, "#save-areas").click()
    wait_until(page, "document.getElementById('editor-says').textContent.startsWith('Not saved: ')")
    with server.client(key) as client:
        (medium,) = client.get(f"{API}/media").json()["items"]
        address = f"{API}/images/{medium['media_id']}/aois"
        refused = client.put(address, json={"aois": [{"aoi_type": "branding", "box": [3, 3, 4, 4]}]})
        assert refused.json()["detail"] in find(page, "#editor-says").text
        assert client.get(address).json()["aois"] == []
    assert run_script(page, "return state.editor.draft.list.length") == 1
    run_script(page, "state.editor.draft.list = state.editor.draft.saved")  # or the browser asks whether to leave
    assert [entry["level"] for entry in page.get_log("browser") if "422" in entry["message"]] == ["SEVERE"]


def test_a_file_that_is_no_picture_says_so_and_leaves_nothing(page: webdriver.Chrome, tmp_path: Path):
    fake, text = tmp_path / "fake.png", tmp_path / "notes.txt"
    fake.write_text("I am no picture")
    text.write_text("neither")
    upload(page, fake, text)
    wait_until(page, "document.querySelectorAll('#queue .failed').length === 2")
    said = {line.text.split("\n")[0].split()[0]: line.text for line in page.find_elements(By.CSS_SELECTOR, "#queue li")}
    assert "no image that can be read" in said["fake.png"]
    assert "file:" not in said["fake.png"]
    assert "Not an image or video" in said["notes.txt"]
    assert names(page) == []
    assert [entry["level"] for entry in page.get_log("browser") if "415" in entry["message"]] == ["SEVERE"]


def test_what_went_wrong_is_over_when_the_server_is_back_and_all_is_tried_again(page: webdriver.Chrome):
    network(page, offline=True)
    upload(page, ADS / "serum_square.jpg", ADS / "cat_food_feed.jpg")
    wait_until(page, "document.querySelectorAll('#queue .failed').length === 2")
    wait_until(page, "document.getElementById('trouble').textContent.includes('cannot be reached')")
    network(page)
    find(page, "#all-again").click()
    wait(page, "document.querySelectorAll('#media .mark.done').length === 2")
    wait_until(page, "document.getElementById('trouble').textContent === ''")
    page.get_log("browser")  # complaints of the broken connection


def test_what_is_cancelled_is_neither_a_failure_nor_tried_again_with_others(
    page: webdriver.Chrome, server: RunningServer, tmp_path: Path, key: str
):
    film = noise(tmp_path / "noise.avi")
    network(page, 1 << 20)
    upload(page, film)
    wait(page, "document.querySelector('#queue progress')?.value > 0")
    page.find_element(By.XPATH, "//ol[@id='queue']//button[text()='Cancel']").click()
    wait_until(page, "document.querySelector('#queue .cancelled .stage')?.textContent === 'Cancelled'")
    network(page)
    assert find(page, "#queue-sum").text == ""
    with server.client(key) as client:
        wait_until(page, "document.getElementById('listing').textContent.includes('Nothing here yet')")
        assert client.get(f"{API}/media").json()["total"] == 0
        page.find_element(By.XPATH, "//ol[@id='queue']//button[text()='Try again']").click()
        wait(page, "document.querySelector('#queue .done') !== null")
        assert client.get(f"{API}/media").json()["total"] == 1


def noise(path: Path, frames: int = 24) -> Path:
    """A film that no codec makes smaller, so that its upload takes several chunks."""
    random = np.random.default_rng(0)
    with av.open(str(path), "w", format="avi") as film:
        stream = film.add_stream("rawvideo", rate=12)
        stream.width, stream.height, stream.pix_fmt = 640, 480, "bgr24"
        for _ in range(frames):
            pixels = random.integers(0, 256, (480, 640, 3), np.uint8)
            film.mux(stream.encode(av.VideoFrame.from_ndarray(pixels, "bgr24")))
        film.mux(stream.encode(None))
    return path


def test_an_upload_whose_connection_breaks_goes_on_where_it_was(
    page: webdriver.Chrome, server: RunningServer, stored: Service, tmp_path: Path, key: str
):
    film = noise(tmp_path / "noise.avi")
    assert film.stat().st_size > 20 << 20
    network(page, 8 << 20)
    upload(page, film)
    wait(page, "document.querySelector('#queue progress')?.value > 0.5")
    network(page, offline=True)
    wait(page, "document.querySelector('#queue .stage').textContent.includes('trying again')")
    network(page)
    wait(page, "document.querySelector('#queue .done') !== null")
    assert names(page) == ["noise.avi"]
    with server.client(key) as client:
        (medium,) = client.get(f"{API}/media").json()["items"]
    (kept,) = (stored.folder.path / "media" / medium["media_id"] / "source").iterdir()
    assert hashlib.sha256(kept.read_bytes()).digest() == hashlib.sha256(film.read_bytes()).digest()
    sent = page.execute_script(
        "return performance.getEntriesByType('resource').filter(e => e.name.includes('/uploads/')).length"
    )
    assert sent >= 4  # three chunks, and the question how much has come
    page.get_log("browser")  # complaints of the broken connection


def test_states_change_without_a_reload(page: webdriver.Chrome, stored: Service, key: str):
    add(stored, key, "still.png", "moving.png", status="started")
    page.refresh()
    wait_until(page, "document.querySelectorAll('#media .mark.started').length === 2")
    page.execute_script(
        "document.querySelector('[data-name=\"still.png\"]').mine = true; window.stays = true; "
        "document.querySelector('[data-name=\"moving.png\"] summary').focus()"
    )
    change = "UPDATE media SET status = 'failed', error = 'It is cut off' WHERE name = 'moving.png'"
    stored.database.connection.execute(change)
    wait_until(page, "document.querySelector('[data-name=\"moving.png\"] .why')?.textContent === 'It is cut off'")
    assert find(page, "#says").get_attribute("textContent") == "moving.png: Failed"
    assert page.execute_script("return [window.stays, document.querySelector('[data-name=\"still.png\"]').mine]") == [
        True,
        True,
    ]
    focused = page.execute_script("return document.activeElement.closest('tr')?.dataset.name")
    assert focused == "moving.png"


def test_delete_asks_first_and_then_does_it(page: webdriver.Chrome, server: RunningServer, stored: Service, key: str):
    add(stored, key, "one.png")
    page.refresh()
    choose(page, "delete")
    assert "one.png" in find(page, "#delete-dialog").text
    press(page, Keys.ESCAPE)
    choose(page, "delete")
    press(page, Keys.ENTER)  # what has the focus is to keep it
    assert names(page) == ["one.png"]
    choose(page, "delete")
    find(page, "#delete-dialog .dangerous").click()
    wait_until(page, "document.getElementById('listing').textContent.includes('Nothing here yet')")
    with server.client(key) as client:
        assert client.get(f"{API}/media").json()["total"] == 0


def test_objectives_are_said_kept_and_shown_again(
    page: webdriver.Chrome, server: RunningServer, stored: Service, key: str
):
    add(stored, key, "launch.png")
    page.refresh()
    choose(page, "objectives")
    wait_until(page, "document.getElementById('objectives-dialog').open")
    fields = "#objectives-form [name='{}']"
    assert not find(page, fields.format("industry.subcategory")).is_enabled()
    for name, value in {"purpose": "conversion", "industry.category": "beverages", "benchmark": "web"}.items():
        Select(find(page, fields.format(name))).select_by_value(value)
    Select(find(page, fields.format("industry.subcategory"))).select_by_value("coffee")
    for name, text in {"country": "de", "brand.name": "Tolma", "brand.aliases": "TOLMA, Tolma Kaffee"}.items():
        find(page, fields.format(name)).send_keys(text)
    find(page, "#objectives-form .primary").click()
    wait_until(page, "document.querySelector('#media .sub').textContent.includes('for Conversion, Coffee')")
    with server.client(key) as client:
        (medium,) = client.get(f"{API}/media").json()["items"]
        said = client.get(f"{API}/media/{medium['media_id']}/objectives").json()
    assert {key: value for key, value in said.items() if value is not None} == {
        "purpose": "conversion",
        "industry": {"category": "beverages", "subcategory": "coffee"},
        "country": "DE",
        "brand": {"name": "Tolma", "aliases": ["TOLMA", "Tolma Kaffee"]},
        "benchmark": "web",
    }
    choose(page, "objectives")
    wait_until(page, "document.getElementById('objectives-dialog').open")
    assert find(page, fields.format("industry.subcategory")).get_attribute("value") == "coffee"
    assert find(page, fields.format("brand.aliases")).get_attribute("value") == "TOLMA, Tolma Kaffee"
    press(page, Keys.ESCAPE)


def test_the_list_is_worked_with_keys_alone(page: webdriver.Chrome, stored: Service, key: str):
    add(stored, key, "one.png", "two.png")
    page.refresh()
    find(page, "[data-name='one.png'] summary").send_keys(Keys.ENTER)
    press(page, Keys.ARROW_UP)
    assert page.switch_to.active_element.text == "Delete …"
    press(page, Keys.ENTER, Keys.TAB, Keys.ENTER)
    wait_until(page, "document.querySelectorAll('#media tbody tr').length === 1")
    assert names(page) == ["two.png"]
    focused = page.execute_script("return document.activeElement.closest('tr')?.dataset.name")
    assert focused == "two.png"
    is_open = "return document.querySelectorAll('details[open]').length"
    press(page, Keys.ENTER)
    press(page, Keys.ESCAPE)
    assert page.execute_script(is_open) == 0
    press(page, Keys.ENTER)
    assert page.execute_script(is_open) == 1
    ActionChains(page).key_down(Keys.SHIFT).send_keys(Keys.TAB).key_up(Keys.SHIFT).perform()
    assert page.execute_script(is_open) == 0


def test_what_was_chosen_of_light_and_dark_holds_for_all_pages(page: webdriver.Chrome):
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = page.execute_script(ground)
    find(page, "#theme").click()
    dark = page.execute_script(ground)
    assert dark != light
    find(page, ".masthead form button").click()
    wait_until(page, "document.getElementById('key') !== null")
    assert page.execute_script(ground) == dark
    page.execute_script("localStorage.clear()")


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[str]:
    """A page of somebody else's, on another port of this machine: to browsers that is the same site."""
    (tmp_path / "index.html").write_text("<title>Elsewhere</title>")
    shutil.copy(ADS / "serum_square.jpg", tmp_path / "ad.jpg")
    site = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path)))
    thread = threading.Thread(target=site.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{site.server_port}"
    site.shutdown()
    thread.join()
    site.server_close()


def test_another_page_in_the_same_browser_gets_and_does_nothing(
    page: webdriver.Chrome, server: RunningServer, stored: Service, elsewhere: str, key: str
):
    add(stored, key, "launch.png")
    with server.client(key) as client:
        (medium,) = client.get(f"{API}/media").json()["items"]
        address = f"{server.url}{API}/media/{medium['media_id']}"
        page.get(elsewhere)
        tries = (
            f"fetch('{address}', {{credentials: 'include'}}).then(r => r.text())",
            f"fetch('{server.url}/', {{credentials: 'include'}}).then(r => r.text())",
            f"fetch('{address}', {{method: 'DELETE', credentials: 'include'}}).then(r => r.text())",
            # a form needs no leave of the server: this one arrives, with the cookie
            "fetch('ad.jpg').then(r => r.blob()).then(b => { const f = new FormData(); f.append('file', b, 'ad.jpg');"
            f"return fetch('{server.url}{API}/images', {{method: 'POST', mode: 'no-cors', credentials: 'include',"
            "body: f}) }).then(r => r.text())",
        )
        for attempt in tries:
            got = page.execute_async_script(f"const done = arguments[0]; ({attempt}).then(done, () => done(null))")
            assert not got, attempt
        page.execute_async_script(
            "const done = arguments[0]; const frame = document.createElement('iframe'); frame.onload = () => done();"
            f"frame.src = '{server.url}/'; document.body.append(frame)"
        )
        page.switch_to.frame(0)
        assert "launch.png" not in page.page_source
        page.switch_to.default_content()
        assert client.get(f"{API}/media").json()["total"] == 1
    page.get_log("browser")
