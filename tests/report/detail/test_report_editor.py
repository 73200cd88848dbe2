"""The editor of areas in a real browser: what is drawn is in the file that is saved, and the file is read back."""

import json
import time
from pathlib import Path
from uuid import UUID

import pytest
from browsing import (
    BOX_KEYS,
    drag,
    edit_areas,
    find,
    needs_browser,
    on_phone,
    open_fresh,
    press,
    run_script,
    touch,
    wait_until,
)
from fake_areas import BOTTLE, CARD, FACE, HEADLINE, LOGO, MOVING, RUNNER, STILLS, add_areas
from fake_run import medium_id, name_of, write_fake_run
from fake_video import FPS, FakeVideo, add_videos
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.config.aoi_formats.reading import load_aois
from mediaan.report import write_report
from mediaan.report.timeline import TOLERANCE
from mediaan.run import read_run
from mediaan.types.aoi import Drawing

ORDER = [HEADLINE, BOTTLE, LOGO, FACE]  # as the page numbers them
PICTURE, OTHER, EMPTY, VIDEO = (f"#{medium_id(i)}" for i in (0, 1, 2, 100))
PATH, VIDEO_PATH = f"ads/{name_of(0)}", "spots/spot 100.mp4"

pytestmark = needs_browser


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("editor") / "run", 3), [FakeVideo(100)])
    return write_report(read_run(add_areas(run, (*STILLS, *MOVING)))).as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    edit_areas(browser, page + EMPTY, fresh=True)
    return browser


def saved(browser: webdriver.Chrome, tmp_path: Path) -> dict[str, tuple[Drawing, ...]]:
    """Read what the file would hold as the program does."""
    file = tmp_path / "areas.json"
    file.write_text(run_script(browser, "return areasFile([state.editor.draft])"), encoding="utf-8")
    return dict(load_aois(file).entries)


def only(browser: webdriver.Chrome, tmp_path: Path) -> Drawing:
    ((found,),) = saved(browser, tmp_path).values()
    return found


def px(browser: webdriver.Chrome) -> tuple[float, float]:
    """Return a pixel and a half of the picture, as shares of its sides."""
    size = find(browser, "#canvas").size
    return 1.5 / size["width"], 1.5 / size["height"]


def corners(drawing: Drawing) -> list[float]:
    return [side for point in drawing.points for side in point]


def items(browser: webdriver.Chrome) -> int:
    return run_script(browser, "return state.editor.draft.list.length")


def undo(browser: webdriver.Chrome) -> None:
    ActionChains(browser).key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()


def click(browser: webdriver.Chrome, x: float, y: float) -> None:
    canvas = find(browser, "#canvas")
    at = round((x - 0.5) * canvas.size["width"]), round((y - 0.5) * canvas.size["height"])
    ActionChains(browser, duration=0).move_to_element_with_offset(canvas, *at).click().perform()


def test_a_box_drawn_with_the_mouse_is_downloaded_and_read_back(opened: webdriver.Chrome, tmp_path: Path):
    opened.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    drag(opened, (0.2, 0.3), (0.6, 0.8)).release().perform()
    Select(find(opened, "#area-type")).select_by_value("call_to_action")
    find(opened, "#area-label").send_keys('</script>"Buy" \\ now')
    find(opened, "#save-areas").click()
    file = tmp_path / "areas.json"
    until = time.monotonic() + 20
    while not file.exists() and time.monotonic() < until:
        time.sleep(0.05)
    ((path, (found,)),) = load_aois(file).entries.items()
    assert path == f"ads/{name_of(2)}"
    assert (found.type, found.label, found.aoi_id) == ("call_to_action", '</script>"Buy" \\ now', None)
    assert corners(found) == pytest.approx([0.2, 0.3, 0.6, 0.8], abs=max(px(opened)))
    assert find(opened, "#apply-command").text.endswith("/run ~/Downloads/areas.json")
    assert find(opened, "#apply-command").text.startswith("mediaan aois apply /")


def test_keys_alone_draw_name_move_resize_delete_and_undo(opened: webdriver.Chrome, tmp_path: Path):
    press(opened, *BOX_KEYS)
    press(opened, *[Keys.ARROW_RIGHT] * 4, *[Keys.ARROW_UP] * 2)
    ActionChains(opened).key_down(Keys.SHIFT).send_keys(*[Keys.ARROW_LEFT] * 2, Keys.ARROW_DOWN).key_up(
        Keys.SHIFT
    ).perform()
    press(opened, Keys.ENTER)
    assert opened.switch_to.active_element.get_attribute("id") == "area-label"
    press(opened, "Acme", Keys.ENTER)
    assert opened.switch_to.active_element.get_attribute("role") == "button"
    expected = [0.42, 0.39, 0.61, 0.595]  # from 0.4-0.6; steps of half a percent
    assert corners(only(opened, tmp_path)) == pytest.approx(expected)
    assert only(opened, tmp_path).label == "Acme"
    press(opened, Keys.DELETE)
    assert saved(opened, tmp_path) == {f"ads/{name_of(2)}": ()}
    undo(opened)
    assert only(opened, tmp_path).label == "Acme"
    for _ in range(11):
        undo(opened)
    assert saved(opened, tmp_path) == {f"ads/{name_of(2)}": ()}
    assert find(opened, "#discard").get_attribute("disabled")  # as the run has it
    ActionChains(opened).key_down(Keys.CONTROL).key_down(Keys.SHIFT).send_keys("z").key_up(Keys.SHIFT).key_up(
        Keys.CONTROL
    ).perform()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.4, 0.4, 0.6, 0.6])


def test_a_polygon_by_clicks_and_one_by_keys(opened: webdriver.Chrome, tmp_path: Path):
    press(opened, "p")
    for corner in ((0.1, 0.1), (0.5, 0.1), (0.3, 0.5)):
        click(opened, *corner)
    press(opened, Keys.ENTER)
    found = only(opened, tmp_path)
    assert corners(found) == pytest.approx([0.1, 0.1, 0.5, 0.1, 0.3, 0.5], abs=max(px(opened)))
    press(opened, "p", " ", *[Keys.ARROW_RIGHT] * 10, " ", *[Keys.ARROW_DOWN] * 20, " ", Keys.ENTER)
    ((_, second),) = saved(opened, tmp_path).values()
    assert corners(second) == pytest.approx([0.5, 0.5, 0.6, 0.5, 0.6, 0.7])
    press(opened, "]", "]", Keys.ARROW_UP)  # the second corner
    ((_, second),) = saved(opened, tmp_path).values()
    assert corners(second) == pytest.approx([0.5, 0.5, 0.6, 0.495, 0.6, 0.7])


def test_moving_and_resizing_with_the_mouse_stays_inside(opened: webdriver.Chrome, tmp_path: Path):
    near = max(px(opened))
    drag(opened, (0.2, 0.2), (0.4, 0.4)).release().perform()
    drag(opened, (0.3, 0.3), (0.4, 0.35)).release().perform()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.3, 0.25, 0.5, 0.45], abs=2 * near)
    drag(opened, (0.5, 0.45), (0.8, 0.7)).release().perform()  # its corner
    assert corners(only(opened, tmp_path)) == pytest.approx([0.3, 0.25, 0.8, 0.7], abs=3 * near)
    drag(opened, (0.5, 0.5), (0.99, 0.99)).release().perform()
    assert corners(only(opened, tmp_path))[2:] == [1, 1]
    before = corners(only(opened, tmp_path))
    drag(opened, (0.7, 0.7), (0.4, 0.4)).perform()
    press(opened, Keys.ESCAPE)  # in mid-drag
    ActionChains(opened).release().perform()
    assert corners(only(opened, tmp_path)) == before


def test_a_click_means_the_smallest_area_and_then_the_next_larger(opened: webdriver.Chrome, page: str):
    edit_areas(opened, page + PICTURE)
    for expected in ("face", "product", "face"):
        click(opened, 0.35, 0.66)
        assert run_script(opened, "return chosenItem().type") == expected
    assert items(opened) == 4
    drag(opened, (0.72, 0.1), (0.9, 0.3)).release().perform()  # on free ground
    assert items(opened) == 5


def test_areas_that_were_not_touched_keep_everything(opened: webdriver.Chrome, page: str, tmp_path: Path):
    edit_areas(opened, page + PICTURE)
    found = saved(opened, tmp_path)[PATH]
    assert [drawing.aoi_id for drawing in found] == [UUID(area.id) for area in ORDER]
    assert [(drawing.type, drawing.label) for drawing in found] == [(area.type, area.label) for area in ORDER]
    assert corners(found[0]) == pytest.approx(HEADLINE.box, abs=1e-5)
    assert found[1].points == BOTTLE.polygon


def test_tracks_that_were_not_touched_have_all_their_moments(opened: webdriver.Chrome, page: str, tmp_path: Path):
    edit_areas(opened, page + VIDEO)
    runner, card = saved(opened, tmp_path)[VIDEO_PATH]
    assert (runner.t0_s, runner.t1_s) == (RUNNER.t0_s, RUNNER.t1_s)
    assert [s.t_s for s in runner.track] == pytest.approx([k / FPS for k in RUNNER.samples], abs=1e-4)
    for sighting, k in zip(runner.track, RUNNER.samples, strict=True):
        assert sighting.box == pytest.approx(RUNNER.box_at(k), abs=TOLERANCE + 1e-4)
    assert (card.t0_s, card.t1_s, card.track) == (CARD.t0_s, None, ())


def test_an_area_of_a_video_that_was_moved_keeps_its_name_and_times(
    opened: webdriver.Chrome, page: str, tmp_path: Path
):
    edit_areas(opened, page + VIDEO)
    run_script(opened, "showMoment(state.timeline.t[5])")
    run_script(opened, "goToItem(state.editor.draft.list[0])")
    assert find(opened, "#area-from").get_attribute("disabled")
    press(opened, Keys.ARROW_DOWN)
    runner = saved(opened, tmp_path)[VIDEO_PATH][0]
    assert (runner.aoi_id, runner.track, runner.t0_s, runner.t1_s) == (UUID(RUNNER.id), (), RUNNER.t0_s, RUNNER.t1_s)
    x0, y0, x1, y1 = RUNNER.box_at(5)
    assert corners(runner) == pytest.approx([x0, y0 + 0.005, x1, y1 + 0.005], abs=0.003)
    field = find(opened, "#area-until")
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "2.5", Keys.TAB)
    assert saved(opened, tmp_path)[VIDEO_PATH][0].t1_s == 2.5
    field.send_keys(Keys.CONTROL, "a", Keys.NULL, "0.1", Keys.TAB)  # before it begins
    assert saved(opened, tmp_path)[VIDEO_PATH][0].t1_s == 2.5
    assert "Not taken" in find(opened, "#editor-says").text


def test_a_box_drawn_on_a_paused_video_is_there_for_its_scene(opened: webdriver.Chrome, page: str, tmp_path: Path):
    edit_areas(opened, page + VIDEO)
    run_script(opened, "showMoment(state.timeline.t[12])")
    press(opened, *BOX_KEYS)
    drawn = saved(opened, tmp_path)[VIDEO_PATH][-1]
    assert (drawn.t0_s, drawn.t1_s) == (10 / FPS, 15 / FPS)
    run_script(opened, "showMoment(state.timeline.t[16])")
    assert run_script(opened, "return visibleItems().includes(state.editor.draft.list.at(-1))") is False


def test_edits_outlive_a_reload_and_can_be_discarded(opened: webdriver.Chrome, page: str, tmp_path: Path):
    def warns() -> bool:
        return run_script(
            opened,
            "const e = new Event('beforeunload', {cancelable: true}); dispatchEvent(e); return e.defaultPrevented",
        )

    assert not warns()
    press(opened, *BOX_KEYS)
    assert warns()
    open_fresh(opened, page + OTHER)
    open_fresh(opened, page + EMPTY)
    assert find(opened, "#edit-areas").text == "Continue editing"
    find(opened, "#edit-areas").click()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.4, 0.4, 0.6, 0.6])
    find(opened, "#discard").click()
    assert saved(opened, tmp_path) == {f"ads/{name_of(2)}": ()}
    assert not warns()


def test_all_edited_media_are_saved_together(opened: webdriver.Chrome, page: str):
    press(opened, *BOX_KEYS)
    run_script(opened, f"location.hash = '{OTHER}'")
    find(opened, "#edit-areas").click()
    press(opened, *BOX_KEYS)
    assert find(opened, "#save-all").text == "Save all 2 edited files"
    text = run_script(opened, "return areasFile([...drafts.values()].filter(d => d.list !== d.start))")
    assert {path: len(areas) for path, areas in json.loads(text).items()} == {
        f"ads/{name_of(1)}": 3,
        f"ads/{name_of(2)}": 1,
    }
    run_script(opened, "for (const draft of drafts.values()) discardDraft(draft)")


def test_escape_leaves_the_area_then_the_editor_and_not_the_medium(opened: webdriver.Chrome):
    press(opened, *BOX_KEYS, Keys.ESCAPE)
    assert run_script(opened, "return state.editor.chosen") is None
    press(opened, Keys.ARROW_RIGHT)
    assert find(opened, "#detail-name").text == name_of(2)
    press(opened, Keys.ESCAPE)
    assert find(opened, "#areas").is_displayed()
    assert not find(opened, "#editor").is_displayed()
    assert find(opened, "#detail").is_displayed()


@pytest.mark.parametrize("begin", ["button", "key"])
def test_a_box_is_there_when_it_is_drawn_and_not_before(opened: webdriver.Chrome, tmp_path: Path, begin: str):
    if begin == "button":
        find(opened, "#new-box").click()
    else:
        press(opened, "n")
    assert items(opened) == 0
    assert find(opened, "#new-box").get_attribute("aria-pressed") == "true"
    assert "drag on the image" in find(opened, "#editor-says").text
    click(opened, 0.5, 0.5)  # without a drag nothing is drawn
    assert items(opened) == 0
    assert find(opened, "#new-box").get_attribute("aria-pressed") == "true"
    drag(opened, (0.2, 0.3), (0.6, 0.8)).release().perform()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.2, 0.3, 0.6, 0.8], abs=2 * max(px(opened)))
    assert find(opened, "#new-box").get_attribute("aria-pressed") == "false"


def test_a_box_is_drawn_over_an_area_and_does_not_move_it(opened: webdriver.Chrome, tmp_path: Path):
    drag(opened, (0.2, 0.2), (0.8, 0.8)).release().perform()
    find(opened, "#new-box").click()
    drag(opened, (0.3, 0.3), (0.5, 0.5)).release().perform()
    ((outer, inner),) = saved(opened, tmp_path).values()
    near = 2 * max(px(opened))
    assert corners(outer) == pytest.approx([0.2, 0.2, 0.8, 0.8], abs=near)
    assert corners(inner) == pytest.approx([0.3, 0.3, 0.5, 0.5], abs=near)


def test_escape_leaves_the_zoom_first(opened: webdriver.Chrome, page: str):
    zoomed = "return document.getElementById('stage').classList.contains('zoomed')"
    press(opened, Keys.ESCAPE, "z")
    find(opened, "#edit-areas").click()
    assert run_script(opened, zoomed)
    press(opened, *BOX_KEYS)
    for expected in (True, False):  # the area, the zoom
        press(opened, Keys.ESCAPE)
        assert find(opened, "#editor").is_displayed()
        assert run_script(opened, zoomed) is expected
    press(opened, Keys.ESCAPE)
    assert not find(opened, "#editor").is_displayed()
    for begin in ("key", "button"):
        if begin == "key":
            press(opened, "z")
        else:
            find(opened, "#zoom").click()
        assert run_script(opened, zoomed)
        press(opened, Keys.ESCAPE)
        assert not run_script(opened, zoomed)
        assert find(opened, "#zoom").get_attribute("aria-pressed") == "false"
        assert find(opened, "#detail").is_displayed(), "the medium is still open"
    press(opened, Keys.ESCAPE)
    assert not find(opened, "#detail").is_displayed()


def labels(browser: webdriver.Chrome) -> list[str]:
    return run_script(browser, "return state.editor.draft.list.map((item) => item.label)")


def assert_no_complaints(browser: webdriver.Chrome) -> None:
    assert not [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


@pytest.mark.parametrize("key", ["n", "p", Keys.DELETE, Keys.ARROW_LEFT, "z"])
def test_keys_pressed_in_mid_drag_change_nothing(opened: webdriver.Chrome, tmp_path: Path, key: str):
    drag(opened, (0.1, 0.1), (0.3, 0.3)).release().perform()
    opened.get_log("browser")
    drag(opened, (0.2, 0.2), (0.5, 0.5)).perform()
    if key == "z":
        undo(opened)
    else:
        press(opened, key)
    ActionChains(opened).release().perform()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.4, 0.4, 0.6, 0.6], abs=3 * max(px(opened)))
    undo(opened)
    assert corners(only(opened, tmp_path)) == pytest.approx([0.1, 0.1, 0.3, 0.3], abs=2 * max(px(opened)))
    assert_no_complaints(opened)


def test_a_label_that_is_being_typed_is_undone_in_its_turn(opened: webdriver.Chrome):
    drag(opened, (0.1, 0.1), (0.3, 0.3)).release().perform()
    find(opened, "#area-label").send_keys("Acme")
    drag(opened, (0.5, 0.5), (0.7, 0.7)).release().perform()
    assert labels(opened) == ["Acme", ""]
    for expected in (["Acme"], [""], []):
        undo(opened)
        assert labels(opened) == expected


def test_areas_of_one_file_never_get_into_another(opened: webdriver.Chrome, page: str):
    press(opened, *BOX_KEYS)
    find(opened, "#area-label").send_keys("Acme")
    run_script(opened, f"location.hash = '{OTHER}'")
    wait_until(opened, "document.getElementById('editor').hidden")
    find(opened, "#edit-areas").click()
    before = labels(opened)
    run_script(opened, "focusItem(state.editor.draft.list[0].key)")
    find(opened, "#area-label").send_keys("B", Keys.TAB)
    assert labels(opened) == [f"{before[0]}B", *before[1:]]
    find(opened, "#undo").click()
    assert labels(opened) == before
    run_script(opened, f"location.hash = '{EMPTY}'")
    wait_until(opened, "document.getElementById('editor').hidden")
    find(opened, "#edit-areas").click()
    assert labels(opened) == ["Acme"]


def test_undo_takes_back_a_corner_while_a_shape_is_drawn(opened: webdriver.Chrome):
    press(opened, *BOX_KEYS, "p", " ", *[Keys.ARROW_LEFT] * 5, " ")
    for corners_left in (1, 0):
        undo(opened)
        assert run_script(opened, "return state.editor.path.length") == corners_left
    undo(opened)
    assert run_script(opened, "return [state.editor.path, state.editor.draft.list.length]") == [None, 1]


@pytest.mark.parametrize("shape", ["n", "p"])
def test_discarding_leaves_what_is_being_drawn(opened: webdriver.Chrome, tmp_path: Path, shape: str):
    press(opened, *BOX_KEYS, shape)
    opened.get_log("browser")
    find(opened, "#discard").click()
    assert not opened.find_elements("css selector", "#editor [aria-pressed=true]")
    drag(opened, (0.4, 0.4), (0.6, 0.6)).release().perform()
    assert corners(only(opened, tmp_path)) == pytest.approx([0.4, 0.4, 0.6, 0.6], abs=2 * max(px(opened)))
    assert_no_complaints(opened)


def test_the_type_of_the_next_area_is_chosen_before_it_is_drawn(opened: webdriver.Chrome, tmp_path: Path):
    Select(find(opened, "#area-type")).select_by_value("product")
    drag(opened, (0.2, 0.2), (0.4, 0.4)).release().perform()
    assert only(opened, tmp_path).type == "product"
    Select(find(opened, "#area-type")).select_by_value("face")
    assert only(opened, tmp_path).type == "face"


def test_a_finger_draws_moves_resizes_and_deletes(opened: webdriver.Chrome, tmp_path: Path):
    def boxes() -> list[list[float]]:
        return [corners(drawing) for drawing in saved(opened, tmp_path)[f"ads/{name_of(2)}"]]

    def move(start: tuple[float, float], end: tuple[float, float]) -> None:
        half = ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)
        touch(opened, "#canvas", [start], [half], [end], [])

    with on_phone(opened):
        width = find(opened, "#canvas").size["width"]
        touch(opened, "#canvas", [(0.5, 0.5)], [(0.5 + 10 / width, 0.5)], [])  # a finger rolls
        assert boxes() == []
        touch(opened, "#canvas", [(0.3, 0.3)], [(0.4, 0.4)], [(0.4, 0.4), (0.8, 0.8)], [(0.3, 0.3), (0.9, 0.9)], [])
        assert boxes() == []  # two fingers zoom
        move((0.4, 0.4), (0.5, 0.48))
        assert boxes() == [pytest.approx([0.4, 0.4, 0.5, 0.48], abs=0.01)]
        move((0.45, 0.44), (0.65, 0.64))
        assert boxes() == [pytest.approx([0.6, 0.6, 0.7, 0.68], abs=0.02)]
        move((0.72, 0.7), (0.82, 0.8))  # beside its corner
        assert boxes() == [pytest.approx([0.6, 0.6, 0.8, 0.78], abs=0.02)]
        find(opened, "#new-polygon").click()
        for corner in ((0.1, 0.1), (0.5, 0.1), (0.3, 0.4), (0.1 + 14 / width, 0.1)):
            touch(opened, "#canvas", [corner], [])
        assert len(boxes()) == 2
        assert opened.execute_script("return document.documentElement.scrollWidth") == 390
        find(opened, "#remove-area").click()
        assert len(boxes()) == 1
