"""The review inside a running server: what is asked, what becomes of answers, and what a kill leaves of them."""

from __future__ import annotations

import os
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from browsing import find, needs_browser, on_phone, open_fresh, wait_until
from job_store import children, until
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from serving import API, RunningServer
from short_film import ADS

from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

NAMES = ("serum_square.jpg", "cat_food_feed.jpg")


@pytest.fixture
def media(server: RunningServer, request: pytest.FixtureRequest) -> Iterator[tuple[httpx.Client, dict[str, str]]]:
    """A company of its own, with two ads of a brand that neither shows: each is asked about it.

    Their areas are drawn, which is faster than a search.
    """
    with server.client(server.new_key(request.node.name)) as client:
        ids = {name: add(client, ADS / name) for name in NAMES}
        for media_id in ids.values():
            drawn = {"aois": [{"aoi_type": "face", "box": [0.5, 0.5, 0.7, 0.7]}]}
            assert client.put(f"{API}/images/{media_id}/aois", json=drawn).status_code == 200
        yield client, ids


def add(client: httpx.Client, ad: Path, **objectives: Any) -> str:
    media_id: str = client.post(f"{API}/images", files={"file": (ad.name, ad.read_bytes())}).json()["media_id"]
    asked = {"purpose": "brand_building", **(objectives or {"brand": "Zzyzx"})}
    answer = client.put(f"{API}/media/{media_id}/objectives", json=asked)
    assert answer.status_code == 200, answer.text
    return media_id


def search(client: httpx.Client, media_id: str) -> None:
    client.post(f"{API}/images/{media_id}/aois/detect")
    until(lambda: client.get(f"{API}/media/{media_id}").json()["aoi_status"] == "done")


def review(client: httpx.Client, at: str = "") -> dict[str, Any]:
    answer = client.get(f"{at}/review/api/review")
    assert answer.status_code == 200, answer.text
    content: dict[str, Any] = answer.json()
    return content


def send(client: httpx.Client, question: str, answer: str, status: int = 200, **facts: Any) -> Any:
    reply = client.post("/review/api/review/answers", json={"question": question, "answer": answer} | facts)
    assert reply.status_code == status, reply.text
    return reply.json()


def undo(client: httpx.Client, answer: str | None = None, status: int = 200) -> Any:
    reply = client.post("/review/api/review/undo", json={"answer": answer})
    assert reply.status_code == status, reply.text
    return reply.json()


def areas(client: httpx.Client, media_id: str, *types: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.get(f"{API}/images/{media_id}/aois").json()["aois"]
    return [area for area in found if not types or area["aoi_type"] in types]


BOX = [0.1, 0.1, 0.3, 0.2]


def test_an_answer_is_in_the_api_and_judged_and_can_be_taken_back(media: tuple[httpx.Client, dict[str, str]]) -> None:
    client, ids = media
    first = ids[NAMES[0]]
    before = review(client)
    asked = {question["id"] for question in before["questions"]}
    assert {f"{media_id}.branding" for media_id in ids.values()} <= asked
    assert {question["medium_id"] for question in before["questions"]} == set(ids.values())
    assert before["progress"]["left"] == len(asked)
    assert not client.get(f"{API}/images/{first}/aois").json()["brand_found"]

    drawn = send(client, f"{first}.branding", "draw", boxes=[BOX], brand="Zzyzx")
    assert f"{first}.branding" in drawn["questions"]
    (area,) = areas(client, first, "branding")
    assert (area["source"], area["label"], area["confidence"]) == ("confirmed", "Zzyzx", None)
    assert area["box"] == pytest.approx([0.1, 0.1, 0.4, 0.3])
    assert area["scores"]["attention"]["total"]["value"] > 0
    assert client.get(f"{API}/images/{first}/aois").json()["brand_found"]
    checks = client.get(f"{API}/media/{first}/checks").json()
    assert checks["verdict"] == drawn["medium"]["verdict"]["status"]
    now = review(client)
    assert now["progress"] == drawn["progress"]
    assert now["progress"]["answered"] == before["progress"]["answered"] + 1
    assert f"{first}.branding" not in {question["id"] for question in now["questions"]}
    assert {question["medium_id"] for question in review(client, f"/media/{first}")["questions"]} <= {first}

    sent_back = client.get(f"{API}/images/{first}/aois").json()
    assert client.put(f"{API}/images/{first}/aois", json={"aois": sent_back["aois"]}).status_code == 200
    assert areas(client, first, "branding")[0]["source"] == "confirmed"

    assert client.put(f"{API}/images/{first}/predict").status_code == 200
    until(lambda: client.get(f"{API}/media/{first}").json()["status"] == "done")
    assert areas(client, first, "branding")[0]["source"] == "confirmed"
    send(client, f"{first}.branding", "none")
    assert areas(client, first, "branding") == []
    undo(client)
    assert areas(client, first, "branding")[0]["source"] == "confirmed"


def test_two_people_each_take_back_their_own_answer_and_that_only_once(
    media: tuple[httpx.Client, dict[str, str]],
) -> None:
    client, ids = media
    one, other = (f"{ids[name]}.branding" for name in NAMES)
    of_one = send(client, one, "draw", boxes=[BOX])["answer"]
    of_other = send(client, other, "none")["answer"]
    undo(client, of_one)
    undo(client, of_one)  # as after a reply that was lost
    open_now = {question["id"] for question in review(client)["questions"]}
    assert (one in open_now, other in open_now) == (True, False)
    send(client, other, "draw", boxes=[BOX])
    assert "since" in undo(client, of_other, 422)["detail"]
    undo(client)
    undo(client)
    assert "no answer" in undo(client, status=409)["detail"]


def test_picks_mean_what_was_shown_although_the_numbers_are_others_now(
    media: tuple[httpx.Client, dict[str, str]],
) -> None:
    client, ids = media
    first = ids[NAMES[0]]
    search(client, first)
    # what could be a headline are the texts of the ad; picked twice, as after a reply that was lost
    question = f"{first}.headline_text"
    texts = [area for area in areas(client, first) if area["text"]]
    send(client, question, "draw", boxes=[BOX])
    undo(client)
    shown = [as_sides(area["box"]) for area in texts[:4]]
    wanted = next(number for number, box in enumerate(shown, 1) if number > 1 and box)
    for _ in range(2):
        reply = client.post(
            "/review/api/review/answers",
            json={"question": question, "answer": "pick", "numbers": [wanted], "shown": shown},
        )
        assert reply.status_code == 200, reply.text
        (headline,) = areas(client, first, "headline_text")
        assert headline["uuid"] == texts[wanted - 1]["uuid"]


def as_sides(box: list[float]) -> list[float]:
    x0, y0, x1, y1 = box
    return [round(side, 5) for side in (x0, y0, x1 - x0, y1 - y0)]


def test_no_answer_is_lost_if_the_server_is_killed_between_and_amid_answers(
    media: tuple[httpx.Client, dict[str, str]], server: RunningServer
) -> None:
    client, ids = media
    first, second = (ids[name] for name in NAMES)
    send(client, f"{first}.branding", "draw", boxes=[BOX])
    server.kill()
    server.start()
    assert areas(client, first, "branding")[0]["source"] == "confirmed"

    def answer() -> None:
        try:
            send(client, f"{second}.branding", "draw", boxes=[BOX])
        except httpx.TransportError:
            broke.append(True)

    broke: list[bool] = []
    service = Service(ServerSettings(server.data))
    workers = children(server.process.pid)
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)  # so that the server cannot reply before it is killed
    asking = threading.Thread(target=answer)
    asking.start()
    query = "SELECT count(*) FROM jobs WHERE kind = 'draw' AND state IN ('waiting', 'running') AND media_id = ?"
    until(lambda: service.database.connection.execute(query, (second,)).fetchone()[0])
    server.kill()
    for pid in workers:
        os.kill(pid, signal.SIGKILL)
    asking.join()
    service.database.close()
    assert broke
    server.start()
    until(lambda: any(area["source"] == "confirmed" for area in areas(client, second, "branding")))
    assert f"{second}.branding" not in {question["id"] for question in review(client)["questions"]}
    undo(client)
    assert f"{second}.branding" in {question["id"] for question in review(client)["questions"]}


def test_what_an_earlier_version_analyzed_is_asked_about_too(
    media: tuple[httpx.Client, dict[str, str]], server: RunningServer
) -> None:
    client, ids = media
    expected = review(client)
    for file in server.data.glob(f"media/{ids[NAMES[0]]}/runs/*/answers/questions.json"):
        file.unlink()
    server.restart()
    assert review(client) == expected


@needs_browser
def test_a_person_comes_from_the_list_or_the_report_and_answers_by_keys(
    browser: webdriver.Chrome, server: RunningServer
) -> None:
    key = server.new_key("person")
    with server.client(key) as client:
        media_id = add(client, ADS / NAMES[0])
        client.put(f"{API}/images/{media_id}/aois", json={"aois": [{"aoi_type": "face", "box": [0.5, 0.5, 0.7, 0.7]}]})
        count = len(review(client)["questions"])
        browser.delete_all_cookies()
        open_fresh(browser, f"{server.url}/media/{media_id}/review/")
        find(browser, "#key").send_keys(key, Keys.ENTER)  # leads on to what was asked for
        wait_until(browser, "document.querySelector('.review-columns h2') !== null")
        assert browser.title == NAMES[0]
        find(browser, "#kicker a").click()
        wait_until(browser, "document.querySelector('#media .asks') !== null")
        assert find(browser, "#media .asks").text.splitlines()[0] == f"{count} questions"
        find(browser, "#media th a").click()
        wait_until(browser, "document.getElementById('answer-questions')?.hidden === false")
        find(browser, "#answer-questions").click()
        wait_until(browser, "document.querySelector('.review-columns h2') !== null")
        wait_until(
            browser, "document.querySelector('.review img, .review svg image')?.getBoundingClientRect().width > 50"
        )
        assert "Brand" not in [button.text.split("\n")[0] for button in browser.find_elements("css selector", "button")]
        asked = find(browser, "h2").text
        assert "Zzyzx" in asked
        ActionChains(browser).send_keys("n").perform()
        until(lambda: len(review(client)["questions"]) == count - 1)
        ActionChains(browser).send_keys("u").perform()
        until(lambda: len(review(client)["questions"]) == count)
        wait_until(browser, f"document.querySelector('.review-columns h2').textContent === {asked!r}")
        with on_phone(browser):
            for page in ("review/", ""):
                browser.get(f"{server.url}/{page}")
                wait_until(browser, "document.querySelector('h2') !== null")
                assert browser.execute_script("return document.documentElement.scrollWidth") <= 390


@pytest.fixture(scope="module")
def kits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Kits of two brands, of which one has a mark that is in an ad."""
    folder = tmp_path_factory.mktemp("kits")
    for name in ("murrli", "other"):
        (folder / name / "logos").mkdir(parents=True)
        (folder / name / "brand.yaml").write_text(f"name: {name.title()}\n")
    with Image.open(ADS / "serum_square.jpg") as ad:
        width, height = ad.size
        ad.crop((width // 4, height // 8, 3 * width // 4, 3 * height // 8)).save(
            folder / "other" / "logos" / "mark.png"
        )
    return folder


def test_objectives_name_a_kit_and_its_brand_is_found(kits: Path, tmp_path: Path) -> None:
    folder = tmp_path / "kits"
    shutil.copytree(kits, folder)
    server = RunningServer(tmp_path, "--workers", "1", "--brand-kits", str(folder))
    try:
        with server.client() as client:
            media_id = add(client, ADS / "serum_square.jpg", brand_kit="other")
            search(client, media_id)
            address = f"{API}/media/{media_id}/objectives"
            assert client.get(address).json()["brand_kit"] == "other"
            assert client.get(f"{API}/images/{media_id}/aois").json()["brand_found"]
            assert areas(client, media_id, "branding")[0]["method"] == "logo_picture"
            page = client.get("/").text
            assert page.count("<option>murrli</option>") == 2
            assert "brand kit: other" in page

            unknown = client.put(address, json={"brand_kit": "../kits/other"})
            assert unknown.status_code == 422
            assert "murrli, other" in unknown.json()["detail"]
            both = client.put(address, json={"brand_kit": "murrli", "brand": "Acme"})
            assert (both.status_code, str(tmp_path) in both.text) == (422, False)
            (folder / "murrli" / "brand.yaml").write_text("nam: Murrli\n")
            broken = client.put(address, json={"brand_kit": "murrli"})
            assert (broken.status_code, str(tmp_path) in broken.text) == (422, False)
            assert client.get(address).json()["brand_kit"] == "other", "what was refused is not kept"
            shutil.rmtree(folder / "other")
            client.post(f"{API}/images/{media_id}/aois/detect")
            until(lambda: client.get(f"{API}/media/{media_id}").json()["aoi_status"] == "failed")
            assert "no brand kit is called 'other'" in client.get(f"{API}/media/{media_id}").json()["error"]
    finally:
        server.kill()
