"""Areas of interest in a real browser: where shapes are drawn, what the table says, how they point at each other."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from browsing import find, needs_browser, open_folds, open_fresh, run_script, unfold, wait_until
from fake_areas import BOTTLE, CARD, FACE, HEADLINE, LOGO, MOVING, NOBODY, RUNNER, STILLS, add_areas
from fake_run import medium_id, name_of, write_fake_run
from fake_video import FPS, FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By

from mediaan.report import write_report
from mediaan.report.formatting import digits
from mediaan.run import read_run
from mediaan.run.tables.schema import TABLES
from mediaan.types.metrics import repeatability

ORDER = [HEADLINE, BOTTLE, LOGO, FACE]  # as the page numbers them
PICTURE, VIDEO = f"#{medium_id(0)}", f"#{medium_id(100)}"

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("areas") / "run", 4), [FakeVideo(100)])
    return write_report(read_run(add_areas(run, (*STILLS, *MOVING))), layout="folder").as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    browser.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": 2, "y": 2})
    open_fresh(browser, page + PICTURE)
    unfold(browser)
    return browser


def drawn_box(browser: webdriver.Chrome, area: int, host: str, frame: str) -> list[float]:
    """Corners of a drawn shape as shares of the picture's box on the screen."""
    return run_script(
        browser,
        "const shape = document.querySelector(`#${arguments[1]} .area[data-area='${arguments[0]}'] .line`);"
        "if (!shape) return null;"
        "const p = shape.getBoundingClientRect(), f = document.querySelector(arguments[2]).getBoundingClientRect();"
        "return [p.left - f.left, p.top - f.top, p.right - f.left, p.bottom - f.top]"
        ".map((v, i) => v / (i % 2 ? f.height : f.width))",
        area, host, frame,
    )  # fmt: skip


def names(browser: webdriver.Chrome) -> list[str]:
    return [row.text for row in browser.find_elements(By.CSS_SELECTOR, "#area-table .area-go")]


def column(browser: webdriver.Chrome, i: int) -> list[str]:
    return [c.text.replace("\n", " ") for c in browser.find_elements(By.CSS_SELECTOR, f"#area-table td:nth-child({i})")]


def lit(browser: webdriver.Chrome) -> list[str]:
    return run_script(
        browser,
        "return [...document.querySelectorAll('#detail .lit')].map(e => `${e.tagName} ${e.dataset.area}`).sort()",
    )


@pytest.mark.parametrize("width", [1280, 390])
def test_shapes_lie_where_the_boxes_are_to_a_pixel(opened: webdriver.Chrome, page: str, width: int):
    size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    opened.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    frame = find(opened, "#compare").size
    for i, area in enumerate(ORDER):
        found = drawn_box(opened, i, "areas-on-picture", "#compare")
        for side, (a, b) in enumerate(zip(found, area.box, strict=True)):
            assert a * frame["height" if side % 2 else "width"] == pytest.approx(
                b * frame["height" if side % 2 else "width"], abs=1
            )
    assert run_script(opened, "return document.documentElement.scrollWidth <= innerWidth")


def test_a_polygon_has_its_corners(opened: webdriver.Chrome):
    points = find(opened, "#areas-on-picture .type-product .line").get_attribute("points")
    assert points == " ".join(f"{x:g},{y:g}" for x, y in BOTTLE.polygon or ())


def test_shapes_stay_over_every_map_but_the_sheet_of_scenes(opened: webdriver.Chrome):
    for name in ("fog", "clarity_heat"):
        find(opened, f"#strip [data-map={name}]").click()
        assert find(opened, "#areas-on-picture").is_displayed()


def test_the_legend_switches_types(opened: webdriver.Chrome):
    def shown() -> list[str]:
        return run_script(
            opened, "return [...document.querySelectorAll('#areas-on-picture .area')].map(e => e.dataset.area).sort()"
        )

    assert shown() == ["0", "1", "2", "3"]
    find(opened, "#area-types [data-type=product]").click()
    assert shown() == ["0", "2", "3"]
    assert find(opened, "#area-types [data-type=product]").get_attribute("aria-pressed") == "false"
    assert len(names(opened)) == 4
    find(opened, "#area-types [data-type=product]").click()
    assert shown() == ["0", "1", "2", "3"]


def test_rows_and_shapes_light_each_other(opened: webdriver.Chrome):
    row = find(opened, "#area-table tr[data-area='2']")
    ActionChains(opened).move_to_element(row).perform()
    assert lit(opened) == ["SPAN 2", "TR 2", "g 2"]
    run_script(opened, "scrollTo(0, 0)")
    box = find(opened, "#compare")
    dx, dy = ((0.35 - 0.5) * box.size["width"], (0.66 - 0.5) * box.size["height"])
    ActionChains(opened).move_to_element_with_offset(box, round(dx), round(dy)).perform()
    assert lit(opened) == ["SPAN 3", "TR 3", "g 3"]  # the face in front of the bottle, which is larger
    go = find(opened, "#area-table tr[data-area='0'] .area-go")
    run_script(opened, "arguments[0].focus({preventScroll: true})", go)
    assert lit(opened) == ["SPAN 0", "TR 0", "g 0"]


def test_a_click_on_a_shape_marks_its_row_and_leaves_the_divider(opened: webdriver.Chrome):
    find(opened, "#divide").click()
    box = find(opened, "#compare")
    at = (round((0.83 - 0.5) * box.size["width"]), round((0.86 - 0.5) * box.size["height"]))
    ActionChains(opened).move_to_element_with_offset(box, *at).click().perform()
    assert find(opened, "#divider").get_attribute("value") == "50"
    find(opened, "#areas-of-title").click()
    assert run_script(opened, "return [state.pointedArea, state.chosenArea]")[1] == 2
    ActionChains(opened).move_to_element_with_offset(box, *at).click_and_hold().move_by_offset(
        -60, 0
    ).release().perform()
    assert find(opened, "#divider").get_attribute("value") != "50"


def test_cells_hold_a_value_with_its_plus_minus_or_say_why_not(opened: webdriver.Chrome):
    for place, metric, values, decimals in ((2, "percentage_seen", (80, 62.5, 40), 0), (3, "attention", (16,), 0)):
        expected = [f"{digits(v, decimals)} ± {digits(repeatability(metric, v) or 0.0, decimals)}" for v in values]
        assert column(opened, place)[: len(values)] == expected
    assert column(opened, 4)[0] == f"1.00 ± {repeatability('time_spent', 1.0):.2f}"
    assert find(opened, "#area-table tr[data-area='3'] .none").get_attribute("title") == NOBODY
    row = find(opened, "#area-table tr[data-area='0']").text
    assert "Headline · 88 % sure · text 9.1 % of the height · contrast 7.3:1 · legible" in row
    assert find(opened, "#area-table tr[data-area='0'] .sub").get_attribute("title") == "read as text"
    heads = opened.find_elements(By.CSS_SELECTOR, "#area-table thead th")
    assert "compared with people" in find(opened, "#area-table [data-by='1']").get_attribute("title")
    assert heads[1].text.split() == ["Seen", "by", "%"]


def test_tags_say_how_many_see_an_area(opened: webdriver.Chrome):
    tags = opened.find_elements(By.CSS_SELECTOR, "#areas-on-picture .area-tag i")
    assert {tag.text for tag in tags} == {"80 %", "63 %", "40 %"}  # nobody could say it of the face


def test_shapes_follow_the_video_and_hide_where_the_area_is_not_there(opened: webdriver.Chrome, page: str):
    open_fresh(opened, page + VIDEO)
    for k in (1, 2, 5, 8, 9, 11, 12, 14, 15, 20, 21):
        run_script(opened, f"showMoment(state.timeline.t[{k}])")
        found = drawn_box(opened, 0, "areas-on-video", "#video")
        if k in RUNNER.samples:
            assert found == pytest.approx(RUNNER.box_at(k), abs=0.003)
        else:
            assert found is None
        assert (drawn_box(opened, 1, "areas-on-video", "#video") is not None) == (k / FPS >= 4)


def test_lanes_show_when_an_area_is_there_and_lead_to_it(opened: webdriver.Chrome, page: str):
    open_fresh(opened, page + VIDEO)
    blocks = opened.find_elements(By.CSS_SELECTOR, ".lane[data-area='0'] i")
    lane = find(opened, ".lane[data-area='0']").rect
    spans = [((b.rect["x"] - lane["x"]) / lane["width"], b.rect["width"] / lane["width"]) for b in blocks]
    assert spans == [pytest.approx((2 / 30, 7 / 30), abs=0.004), pytest.approx((12 / 30, 9 / 30), abs=0.004)]
    run_script(opened, "arguments[0].scrollIntoView({block: 'center'})", blocks[1])
    ActionChains(opened).move_to_element(blocks[1]).click().perform()
    assert run_script(opened, "return Math.round(state.now * 5)") in (16, 17)
    find(opened, "#area-table tr[data-area='1'] .area-go").click()
    assert run_script(opened, "return Math.round(state.now * 5)") == int((CARD.t0_s or 0) * FPS)


def test_the_run_is_ranked_by_a_type_and_media_without_it_are_named(opened: webdriver.Chrome, page: str):
    open_fresh(opened, page)
    open_folds(opened)
    cards = [card.text.replace("\n", " ") for card in opened.find_elements(By.CSS_SELECTOR, ".type-card")]
    assert cards[0] == "Branding 3 of 5 files"
    rows = [row.text.replace("\n", " ") for row in opened.find_elements(By.CSS_SELECTOR, "#seen tbody tr")]
    assert [row.split("±")[0].split()[-1] for row in rows[:2]] == ["71", "40"]
    assert "30 %" in rows[2]  # of a video it is not known how far it moves
    assert "=Acme" in rows[0]  # the most seen of the two that this medium has
    assert find(opened, "#unseen").text == f"No branding was found in 2 files: {name_of(2)}, {name_of(3)}."
    find(opened, ".type-card[data-type=person]").click()
    assert len(opened.find_elements(By.CSS_SELECTOR, "#seen tbody tr")) == 1
    assert "in 4 files" in find(opened, "#unseen").text
    find(opened, "#seen a").click()
    wait_until(opened, "!document.getElementById('detail').hidden")
    assert find(opened, "#detail-name").text == "spot 100.mp4"


def test_that_the_brand_was_not_found_stands_beside_the_areas(browser: webdriver.Chrome, tmp_path: Path):
    run = add_areas(write_fake_run(tmp_path / "run", 3), [HEADLINE])
    message = "Acme was not found in this ad; if it is there, add an alias or a logo image to its brand"
    row = {"path": f"ads/{name_of(0)}", "medium_id": medium_id(0), "severity": "warning", "code": "brand_not_found"}
    file = run / "tables" / "problems.parquet"
    rows = [row | {"message": message}, *pq.read_table(file).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=TABLES["problems"]), file)
    address = write_report(read_run(run)).as_uri()
    open_fresh(browser, f"{address}#{medium_id(0)}")
    assert find(browser, "#brand-missing").text == f"{message}."
    assert names(browser), "what was found is shown beside it"
    assert "brand_not_found" not in find(browser, "#detail").text, "it is said once"
    open_fresh(browser, f"{address}#{medium_id(1)}")
    assert not find(browser, "#brand-missing").is_displayed()
