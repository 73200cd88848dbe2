"""The fold of placements in a real browser: there only where a file has some, with what is covered outlined."""

from __future__ import annotations

import json

import pytest
from browsing import find, needs_browser, open_fresh, run_script
from PIL import Image
from selenium import webdriver
from selenium.webdriver.common.by import By

import mediaan as mn

pytestmark = needs_browser

AREAS = [
    {"type": "call_to_action", "label": "low", "box": [0.2, 0.82, 0.8, 0.9]},
    {"type": "branding", "label": "middle", "box": [0.3, 0.4, 0.7, 0.5]},
]
OBJECTIVES = """\
media:
  - {match: placed.png, placement: [instagram_story, leaderboard, instagram_feed_1x1]}
"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, str]]:
    folder = tmp_path_factory.mktemp("placed")
    for name, colour in (("placed.png", (200, 60, 60)), ("plain.png", (60, 60, 200))):
        Image.new("RGB", (360, 640), colour).save(folder / name)
    (folder / "areas.json").write_text(json.dumps(dict.fromkeys(("placed.png", "plain.png"), AREAS)))
    (folder / "objectives.yaml").write_text(OBJECTIVES)
    settings = (
        mn.Recipe(aois="none", objectives=folder / "objectives.yaml", drawn_aois=folder / "areas.json"),
        mn.Execution(workers=1),
    )
    run = mn.analyze_folder(folder, folder / "run", *settings)
    ids = run.media.set_index("path")["medium_id"].to_dict()
    return (run.path / "report" / "index.html").as_uri(), ids


@pytest.fixture
def placed(browser: webdriver.Chrome, page: tuple[str, dict[str, str]]) -> webdriver.Chrome:
    address, ids = page
    open_fresh(browser, f"{address}#{ids['placed.png']}")
    run_script(browser, "document.getElementById('placements').open = true")
    return browser


def test_covered_areas_are_outlined_where_they_lie(placed: webdriver.Chrome) -> None:
    assert find(placed, "#placements-line").text == "3 placements, 2 with covered, cropped or small areas"
    cards = placed.find_elements(By.CSS_SELECTOR, "#placement-list figure")
    assert [card.find_element(By.TAG_NAME, "h4").text for card in cards] == [
        "Instagram story", "Leaderboard, 728 x 90", "Instagram feed, 1:1"
    ]  # fmt: skip
    story = cards[0]
    assert "Call to action “low” 100 % covered by reply and button" in story.text
    assert len(story.find_elements(By.CSS_SELECTOR, ".zone")) == 2
    (mark,) = story.find_elements(By.CSS_SELECTOR, ".mark")
    box, slot = mark.rect, story.find_element(By.CSS_SELECTOR, ":scope > svg").rect
    assert (box["y"] - slot["y"]) / slot["height"] == pytest.approx(0.82, abs=0.02)
    assert (box["x"] - slot["x"]) / slot["width"] == pytest.approx(0.2, abs=0.02)
    assert cards[1].find_elements(By.CSS_SELECTOR, ".mark") == []
    assert "No area is covered" in cards[1].text
    assert "100 % cropped" in cards[2].text
    assert cards[2].find_elements(By.CSS_SELECTOR, ".mark") == []  # nothing of it is left


def test_the_picture_lies_in_its_slot_as_the_placement_fits_it(placed: webdriver.Chrome) -> None:
    # of 9:16 in a square, the middle is shown: the image is higher than its slot by 16 / 9
    found = run_script(
        placed,
        "const card = document.querySelectorAll('#placement-list figure')[2];"
        "const slot = card.querySelector('svg').getBoundingClientRect();"
        "const image = card.querySelector('image').getBoundingClientRect();"
        "return [image.height / slot.height, (slot.top - image.top) / slot.height, slot.height / slot.width]",
    )
    assert found == pytest.approx([16 / 9, (16 / 9 - 1) / 2, 1], abs=0.03)
