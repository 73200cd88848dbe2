"""Areas that are edited in the page have the scores that Python gives them, and say that these are not saved."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np
import pytest
from browsing import BOX_KEYS, drag, edit_areas, find, needs_browser, open_fresh, run_script, wait_until
from fake_areas import BOTTLE, HEADLINE, MOVING, STILLS, add_areas, scores_of
from fake_densities import add_densities, made_up_densities
from fake_run import medium_id, write_fake_run
from fake_video import FakeVideo, add_videos
from scripts import call_module, needs_node
from selenium import webdriver
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from mediaan.aoi.medium_coordinates import aois_from_drawings
from mediaan.aoi.scoring.aoi_scores import score_still
from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.config.aoi_formats.reading import load_aois
from mediaan.report import write_report
from mediaan.report.web.images import pack_densities, scoring_data
from mediaan.run import read_run
from mediaan.run.metadata import RunMetadata
from mediaan.types.aoi import Aoi, Box
from mediaan.types.densities import Densities
from mediaan.types.eye_tracking import Pace
from mediaan.types.media import Medium
from mediaan.types.metrics import Score, repeatability

TIMES = ("total", "start", "end")
SHOWN = ("percentage_seen", "attention", "time_spent", "first_seen_s", "lift")
EXPOSURE_S = 5.0
WITH_AREAS, EMPTY, WITHOUT_DENSITIES, VIDEO = (f"#{medium_id(i)}" for i in (0, 2, 1, 100))
DENSITIES = {0: made_up_densities(0), 2: made_up_densities(2, domain="photo")}

Area = tuple[list[float], list[list[float]] | None]
"""Box and polygon."""

pytestmark = needs_browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = add_videos(write_fake_run(tmp_path_factory.mktemp("scoring") / "run", 3), [FakeVideo(100)])
    return add_densities(add_areas(run, (*STILLS, *MOVING)), DENSITIES)


@pytest.fixture(scope="module")
def page(run: Path) -> str:
    return write_report(read_run(run)).as_uri()


def edit(browser: webdriver.Chrome, address: str) -> None:
    edit_areas(browser, address, fresh=True)
    if run_script(browser, "return openMedium().scoring") == "here":
        run_script(browser, "loadScorer(openMedium())")
        wait_until(browser, "document.getElementById('area-scores-note').textContent !== ''")


def random_areas(seed: int, count: int) -> Iterator[Area]:
    """Yield boxes and polygons of all sizes, within the image, at its edges and beyond; some cross themselves."""
    rng = np.random.default_rng(seed)
    yield [0.0, 0.0, 1.0, 1.0], None
    yield [0.0, 0.0, 1.0, 1.0], [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    yield [0.25, 0.5, 0.75, 1.0], None  # on lines of the grid
    yield [0.2, 0.2, 0.6, 0.6], [[0.2, 0.2], [0.4, 0.4], [0.6, 0.6]]  # of no area
    for i in range(count - 4):
        sides, middle = np.exp(rng.uniform(np.log(0.005), 0.2, 2)), rng.uniform(0, 1, 2)
        low, high = middle - sides / 2, middle + sides / 2
        if i % 3:
            low, high = np.clip(low, 0, 1), np.clip(high, 0, 1)
        if i % 2:
            yield np.round([*low, *high], 5).tolist(), None
            continue
        corners = np.round(rng.uniform(low, high, (rng.integers(3, 9), 2)), 5)
        yield [*corners.min(axis=0).tolist(), *corners.max(axis=0).tolist()], corners.tolist()


def aois_of(areas: Sequence[Area]) -> list[Aoi]:
    return [
        Aoi(UUID(int=i), "other", "", Box(*box), None, "drawn", tuple(map(tuple, polygon)) if polygon else None)  # type: ignore[arg-type]
        for i, (box, polygon) in enumerate(areas)
    ]


def numbers(score: Score | None) -> list[float] | str | None:
    """Return a score as the page has it of areas that it scores."""
    if score is None:
        return None
    if score.value is None:
        return score.reason
    return [score.value]


def digits(value: float, unit: str) -> str:
    """Return a number of an area as the page writes it."""
    value = round(value, 3)
    few = {"s": (10, 2, 1), "%": (9.95, 1, 0), "ratio": (9.995, 2, 1)}[unit]
    step = Decimal(1).scaleb(-(few[1] if value < few[0] else few[2]))
    return str(Decimal(value).quantize(step, ROUND_HALF_UP))


def page_scores(packed: Any, scoring: Any, areas: Sequence[Area]) -> Any:
    """Score areas with the page's functions; densities are packed, or as they are where `packed` has none."""
    body = """
    const asTheyAre = ({ shape: [n, rows, columns], values }) =>
      values.map((map) => ({ rows, columns, values: Float32Array.from(map) }));
    const [packed, scoring, times, areas] = args;
    const densities = packed.maps.data ? await unpackDensities(packed) : {
      windows: Object.fromEntries(packed.windows.map((name, i) => [name, asTheyAre(packed.maps)[i]])),
      exposure: packed.exposure_s,
    };
    const score = areaScorer(densities, scoring, times);
    return areas.map(([box, polygon]) => score(box, polygon));
    """
    return call_module("areas/scoring.js", "areaScorer, unpackDensities", body, packed, scoring, TIMES, list(areas))


def as_they_are(densities: Densities, exposure_s: float) -> dict[str, Any]:
    def listed(maps: np.ndarray) -> dict[str, Any]:
        return {"shape": list(maps.shape), "values": maps.reshape(len(maps), -1).astype(float).tolist()}

    packed = pack_densities(densities, exposure_s)
    packed["maps"] = listed(np.stack([densities[window] for window in packed["windows"]]))
    return json.loads(json.dumps(packed))


def scores_in_python(areas: Sequence[Area], densities: Densities, exposure_s: float, **options: Any) -> dict[Any, Any]:
    scored = score_still(aois_of(areas), densities, exposure_s, **options)
    return {(aoi.aoi_id.int, score.metric, score.time): score for aoi in scored for score in aoi.scores}


@needs_node
@pytest.mark.parametrize(
    ("exposure_s", "domain", "windows", "pace"),
    [
        (5.0, None, TIMES, Pace()),
        (12.5, "page", TIMES, Pace()),
        (2.0, "design", TIMES, Pace()),
        (0.2, "ad", TIMES, Pace()),  # before gaze goes anywhere
        (3.1, "ad", ("total",), Pace()),
        (6.0, "photo", ("total", "end"), Pace()),
        (5.0, None, TIMES, Pace(rate=1.3, agreement=0.8, gaze=0.6)),  # viewers of one's own
    ],
)
def test_the_arithmetic_is_that_of_python(exposure_s: float, domain: str | None, windows: Sequence[str], pace: Pace):
    made = made_up_densities(7, domain)
    densities = replace(made, maps={window: made.maps[window] for window in windows})  # type: ignore[index]
    areas = list(random_areas(round(10 * exposure_s), 60))
    model = built_in_hazard_model().paced(pace)
    scoring = scoring_data(RunMetadata())
    scoring["model"] |= {name: getattr(model, name) for name in ("rate", "sharpness", "gaze")}
    found = page_scores(as_they_are(densities, exposure_s), scoring, areas)
    expected = scores_in_python(areas, densities, exposure_s, model=model)
    for i in range(len(areas)):
        for spec in AOI_METRICS:
            for window in TIMES:
                wanted, got = numbers(expected.get((i, spec.name, window))), found[i][spec.name].get(window)
                if isinstance(wanted, list):  # sharpened densities are float32
                    assert got == pytest.approx(wanted, rel=1e-5, abs=1e-6), (areas[i], spec.name, window)
                else:
                    assert got == wanted, (areas[i], spec.name, window)


@needs_node
def test_packed_densities_change_next_to_no_digit_that_is_shown():
    areas = list(random_areas(5, 250))
    packed = json.loads(json.dumps(pack_densities(DENSITIES[0], EXPOSURE_S)))
    found = page_scores(packed, scoring_data(RunMetadata()), areas)
    shown = differ = 0
    for (i, metric, window), score in scores_in_python(areas, DENSITIES[0], EXPOSURE_S).items():
        wanted, got = numbers(score), found[i][metric][window]
        if not isinstance(wanted, list) or not isinstance(got, list):
            assert wanted == got
            continue
        assert got == pytest.approx(wanted, rel=2e-4, abs=2e-3)  # a fiftieth of a digit
        shown += len(wanted)
        differ += sum(digits(a, score.unit) != digits(b, score.unit) for a, b in zip(got, wanted, strict=True))
    assert shown > 3000
    assert differ <= shown / 2000


def drawn_scores(browser: webdriver.Chrome, densities: Densities, tmp_path: Path) -> dict[tuple[int, str, str], Any]:
    """Score what the editor would save as `mediaan aois apply` does, by place in the list, metric and time."""
    file = tmp_path / "areas.json"
    file.write_text(run_script(browser, "return areasFile([state.editor.draft])"), encoding="utf-8")
    ((_, drawings),) = load_aois(file).entries.items()
    aois, problems = aois_from_drawings(drawings, Medium(UUID(int=1), "ad", "image", 1200, 900, "jpeg"))
    assert not problems
    scored = score_still(aois, densities, EXPOSURE_S)
    return {(i, one.metric, one.time): one for i, aoi in enumerate(scored) for one in aoi.scores}


def shown_table(browser: webdriver.Chrome) -> list[list[str]]:
    return [
        [cell.text.replace("\n", " ") for cell in row.find_elements(By.TAG_NAME, "td")]
        for row in browser.find_elements(By.CSS_SELECTOR, "#area-scores tbody tr")
    ]


def values(table: list[list[str]]) -> list[list[str]]:
    """Return the cells of a table without their ±, whose last digit may depend on how densities are rounded."""
    return [[cell.split(" ±")[0] for cell in row] for row in table]


def expected_table(scores: dict[tuple[int, str, str], Any], i: int) -> list[list[str]]:
    def words(score: Score | None) -> str:
        if score is None:
            return "–"
        if score.value is None:
            return "n/a"
        return digits(score.value, score.unit)

    return [[words(scores.get((i, metric, window))) for window in TIMES] for metric in SHOWN]


def test_every_number_in_the_editor_is_what_python_gives_the_saved_areas(
    browser: webdriver.Chrome, page: str, tmp_path: Path
):
    edit(browser, page + EMPTY)
    drag(browser, (0.2, 0.3), (0.6, 0.8)).release().perform()
    drag(browser, (0.5, 0.1), (0.7, 0.5)).release().perform()  # over the first
    drag(browser, (0.8, 0.85), (1.0, 1.0)).release().perform()  # in the corner
    ActionChains(browser).send_keys("p").perform()
    canvas = find(browser, "#canvas")
    for x, y in ((0.05, 0.1), (0.45, 0.15), (0.3, 0.6), (0.1, 0.5)):
        at = round((x - 0.5) * canvas.size["width"]), round((y - 0.5) * canvas.size["height"])
        ActionChains(browser, duration=0).move_to_element_with_offset(canvas, *at).click().perform()
    ActionChains(browser).send_keys(Keys.ENTER).perform()
    boxes = ([0, 0, 1, 1], [0.5, 0.5, 0.505, 0.505])  # all of it, and as small as can be
    run_script(
        browser,
        "recordList(state.editor.draft, [...state.editor.draft.list, ...arguments[0].map((box) => newItem(box))]);"
        "notify('draft')",
        boxes,
    )
    expected = drawn_scores(browser, DENSITIES[2], tmp_path)
    rows = browser.find_elements(By.CSS_SELECTOR, "#draft-list button")
    assert len(rows) == 6
    for i in range(6):
        run_script(browser, "focusItem(state.editor.draft.list[arguments[0]].key)", i)
        assert find(browser, "#area-scores caption").text == f"Area {i + 1}, scored here, not saved"
        assert values(shown_table(browser)) == expected_table(expected, i)
        value = expected[i, "percentage_seen", "total"].value
        seen = digits(value, "%")
        moves = float(shown_table(browser)[0][0].split("± ")[1])
        assert moves == pytest.approx(repeatability("percentage_seen", value), abs=0.6)
        tags = [tag.text for tag in browser.find_elements(By.CSS_SELECTOR, "#canvas-marks .area-tag")]
        assert tags[i] == f"{i + 1} · seen by {seen} % · scored here"
        assert f"seen by {seen} %" in find(browser, f"#draft-list li:nth-child({i + 1})").text


def test_numbers_follow_a_drag_before_it_ends_and_keys_undo_and_delete(
    browser: webdriver.Chrome, page: str, tmp_path: Path
):
    edit(browser, page + EMPTY)
    drag(browser, (0.2, 0.2), (0.5, 0.5)).release().perform()
    before = shown_table(browser)
    drag(browser, (0.35, 0.35), (0.6, 0.45)).perform()
    under_way = shown_table(browser)
    ActionChains(browser).release().perform()
    assert under_way == shown_table(browser) != before
    assert values(under_way) == expected_table(drawn_scores(browser, DENSITIES[2], tmp_path), 0)
    ActionChains(browser).send_keys(Keys.ARROW_RIGHT).perform()
    assert values(shown_table(browser)) == expected_table(drawn_scores(browser, DENSITIES[2], tmp_path), 0)
    control = ActionChains(browser).key_down(Keys.CONTROL)
    control.send_keys("zz").key_up(Keys.CONTROL).perform()
    assert shown_table(browser) == before
    ActionChains(browser).send_keys(Keys.DELETE).perform()
    assert not find(browser, "#area-scores").is_displayed()


def test_what_was_not_moved_keeps_the_scores_of_the_run_and_another_type_changes_none(
    browser: webdriver.Chrome, page: str, tmp_path: Path
):
    edit(browser, page + WITH_AREAS)
    run_script(browser, "focusItem(state.editor.draft.list[1].key)")
    assert find(browser, "#area-scores caption").text == "Area 2, as in the run"
    seen = scores_of(BOTTLE, "total")["percentage_seen"]
    assert shown_table(browser)[0][0].split()[0] == digits(seen or 0.0, "%")
    Select(find(browser, "#area-type")).select_by_value("face")
    assert find(browser, "#area-scores caption").text == "Area 2, as in the run"
    run_script(browser, "focusItem(state.editor.draft.list[1].key)")
    ActionChains(browser).send_keys(Keys.ARROW_LEFT).perform()
    assert find(browser, "#area-scores caption").text == "Area 2, scored here, not saved"
    assert values(shown_table(browser)) == expected_table(drawn_scores(browser, DENSITIES[0], tmp_path), 1)


def test_after_the_editor_the_medium_shows_what_was_scored_here_and_says_so(browser: webdriver.Chrome, page: str):
    edit(browser, page + WITH_AREAS)
    ActionChains(browser).send_keys(*BOX_KEYS).perform()
    seen = find(browser, "#draft-list li:last-child").text.split("seen by ")[1]
    find(browser, "#close-editor").click()
    assert "scored here" in find(browser, "#areas-note").text
    row = find(browser, '#area-table tr[data-area="4"]')
    assert "drawn by you, scored here" in row.text
    assert f"{row.find_element(By.CSS_SELECTOR, 'td b').text} %" == seen
    tag = run_script(
        browser, "return document.querySelector('#areas-on-picture .area-tag[data-area=\"4\"]').textContent"
    )
    assert tag.endswith("scored here")
    assert "scored here" not in find(browser, '#area-table tr[data-area="0"]').text
    # what leaves the page, and what media are compared by, stays the run's
    assert run_script(browser, "return JSON.parse(jsonText()).media[0].areas.length") == 4
    assert run_script(browser, "return mainArea(openMedium(), 'branding').id") == STILLS[0].id
    # it is there again after a reload, and goes when the edits go
    open_fresh(browser, page + WITH_AREAS)
    wait_until(browser, "openMedium().areas.length === 5")
    assert "scored here" in find(browser, "#area-table").text
    find(browser, "#edit-areas").click()
    find(browser, "#discard").click()
    find(browser, "#close-editor").click()
    assert run_script(browser, "return openMedium().areas.map((area) => area.id)")[0] == HEADLINE.id
    assert "scored here" not in find(browser, "#areas").text


def test_new_numbers_are_told_once_they_rest(browser: webdriver.Chrome, page: str):
    edit(browser, page + EMPTY)
    told = find(browser, "#area-scores-say")
    assert told.get_attribute("role") == "status"
    ActionChains(browser).send_keys(*BOX_KEYS, *[Keys.ARROW_UP] * 3).perform()
    assert told.get_attribute("textContent") == ""
    wait_until(browser, "document.getElementById('area-scores-say').textContent !== ''")
    seen, attention = (shown_table(browser)[row][0] for row in (0, 1))
    assert told.get_attribute("textContent") == (
        f"Area 1, Branding, scored here: seen by {seen} %, attention {attention} %."
    )
    before = told.get_attribute("textContent")
    ActionChains(browser).send_keys(Keys.ARROW_UP, Keys.DELETE).perform()
    time.sleep(1)
    assert told.get_attribute("textContent") == before  # and not of an area that is gone


def test_where_nothing_can_be_scored_the_editor_says_why_and_what_to_do(
    browser: webdriver.Chrome, page: str, run: Path
):
    for medium, words in (
        (WITHOUT_DENSITIES, "This run kept no densities, so areas cannot be scored."),
        (
            VIDEO,
            "Areas of a video or an animation are not scored in this page. Save them, and apply the file to the run",
        ),
    ):
        edit(browser, page + medium)
        ActionChains(browser).send_keys(*BOX_KEYS).perform()
        assert find(browser, "#area-scores-note").text.startswith(words)
        assert not find(browser, "#area-scores").is_displayed()
        assert "seen by" not in find(browser, "#draft-list li:last-child").text
        find(browser, "#close-editor").click()
        assert "The areas shown are those of the run." in find(browser, "#areas-note").text
    small = write_report(read_run(run), out=run.parent / "small.html", max_bytes=100_000)
    edit(browser, small.as_uri() + EMPTY)
    assert "To keep this report small, areas cannot be scored in it." in find(browser, "#area-scores-note").text
