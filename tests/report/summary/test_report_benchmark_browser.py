"""Populations and rules in a real browser: strips, filters, badges."""

import csv
from io import StringIO
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from browsing import (
    find,
    needs_browser,
    open_filters,
    open_folds,
    open_fresh,
    open_medium,
    run_script,
    show_table,
    shown_rows,
    wait_until,
)
from fake_areas import HEADLINE, LOGO, STILLS, add_areas
from fake_benchmark import (
    AREA_EDGES,
    EDGES_OF,
    TARGETS,
    TITLE,
    UPWARDS,
    USUAL,
    add_benchmark,
    add_some_rules,
    category,
    percentile,
    position,
)
from fake_run import medium_id, name_of, score_of, write_fake_run
from scripts import call_module, needs_node
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import Select

from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.types.benchmark import CATEGORIES
from mediaan.types.metrics import repeatability

MEDIA = 12
pytestmark = needs_browser


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("norms") / "run", MEDIA)
    return add_some_rules(add_benchmark(add_areas(run, STILLS), areas=True), MEDIA)


@pytest.fixture(scope="module")
def page_file(run: Path) -> Path:
    return write_report(read_run(run))


@pytest.fixture(scope="module")
def page(page_file: Path) -> str:
    return page_file.as_uri()


@pytest.fixture
def opened(browser: webdriver.Chrome, page: str) -> webdriver.Chrome:
    show_table(browser, page)
    open_filters(browser)
    open_folds(browser)
    return browser


def edges_of(metric: str) -> tuple[float, ...]:
    return EDGES_OF.get(metric, USUAL)


def known(metric: str) -> dict[int, float]:
    return {i: value for i in range(MEDIA) if (value := score_of(i, metric, MEDIA)) is not None}


def names_where(metric: str, holds) -> set[str]:
    return {name_of(i) for i, value in known(metric).items() if holds(value)}


def shares(strip: WebElement, selector: str) -> list[tuple[float, float]]:
    """Left and right ends of parts of a strip, as shares of its width, from the pixels."""
    outer = strip.find_element(By.CSS_SELECTOR, ".bands").rect
    found = [part.rect for part in strip.find_elements(By.CSS_SELECTOR, selector)]
    lefts = [(r["x"] - outer["x"]) / outer["width"] for r in found]
    return [(left, left + r["width"] / outer["width"]) for left, r in zip(lefts, found, strict=True)]


@pytest.mark.parametrize("metric", ["focus", "memory", "cognitive_demand"])
def test_bands_of_a_strip_lie_between_the_edges(opened: webdriver.Chrome, page: str, metric: str):
    open_medium(opened, page, medium_id(3))
    strip = find(opened, f".score-row[data-metric={metric}] .norm-strip")
    bounds = [0.0, *(edge / 100 for edge in edges_of(metric)), 1.0]
    pixel = 1 / strip.size["width"]
    for (left, right), low, high in zip(shares(strip, ".band"), bounds[:-1], bounds[1:], strict=True):
        assert (left, right) == (pytest.approx(low, abs=pixel), pytest.approx(high, abs=pixel))


def test_needle_whisker_and_bracket_lie_where_the_numbers_are(opened: webdriver.Chrome, page: str):
    open_medium(opened, page, medium_id(3))
    strip = find(opened, ".score-row[data-metric=focus] .norm-strip")
    pixel = 1 / strip.size["width"]
    [(left, right)] = shares(strip, ".needle")
    assert (left + right) / 2 == pytest.approx(0.725, abs=pixel)  # 95 - 90 · 3/12
    moves = repeatability("focus", 72.5) / 100
    assert shares(strip, ".whisker") == [
        (pytest.approx(0.725 - moves, abs=pixel), pytest.approx(0.725 + moves, abs=pixel))
    ]
    assert shares(strip, ".bracket") == [(pytest.approx(0.60, abs=pixel), pytest.approx(1.0, abs=pixel))]
    targets = [band.get_attribute("title") for band in strip.find_elements(By.CSS_SELECTOR, ".band.target")]
    assert targets == ["High", "Extreme high"]


def test_strip_and_histogram_share_their_axis(opened: webdriver.Chrome, page: str):
    open_medium(opened, page, medium_id(3))
    panel = find(opened, ".score-row[data-metric=focus]")
    bands, plot = (panel.find_element(By.CSS_SELECTOR, part).rect for part in (".bands", ".plot"))
    assert (bands["x"], bands["width"]) == (plot["x"], plot["width"])


def listed(page: Path, **filters: object) -> list[str]:
    """Return the media that the list shows with filters and an order of its own."""
    body = """
    const { LIST_DEFAULTS, state } = await load("core/state.js");
    const { report } = await load("core/report.js");
    const { compareMedia } = await load("gallery/sorting.js");
    Object.assign(state.list, LIST_DEFAULTS, args[0]);
    return report.media.map((_, i) => i).filter(fitsFilters).sort(compareMedia).map((i) => report.media[i].name);
    """
    return call_module("filters/filters.js", "fitsFilters", body, filters, page=page)


@needs_node
def test_the_list_can_be_narrowed_to_a_position(page_file: Path):
    target = TARGETS.get("focus", UPWARDS)
    for wanted in ("within", "close_to", "below"):
        expected = names_where("focus", lambda v: position(v, edges_of("focus"), target) == wanted)  # noqa: B023
        assert set(listed(page_file, against=wanted)) == expected


@needs_node
def test_what_was_not_compared_can_be_found(page_file: Path):
    assert listed(page_file, against="unknown", metric="clarity") == [name_of(4)]


@needs_node
def test_the_exported_table_has_percentile_position_and_category(page_file: Path):
    body = """
    const { state } = await load("core/state.js");
    const { report } = await load("core/report.js");
    state.shown = report.media.map((_, i) => i);
    return csvText();
    """
    text = call_module("gallery/export.js", "csvText", body, page=page_file)
    rows = {row["name"]: row for row in csv.DictReader(StringIO(text))}
    row = rows[name_of(0)]
    assert float(row["focus_percentile"]) == pytest.approx(percentile(95, edges_of("focus")), abs=0.1)
    assert (row["focus_position"], row["focus_category"]) == ("within", "extreme_high")
    assert rows["broken <b>.jpg"]["focus_category"] == ""


def test_without_a_recommended_range_there_is_no_bracket(opened: webdriver.Chrome, page: str):
    open_medium(opened, page, medium_id(3))
    panel = find(opened, ".score-row[data-metric=clarity]")
    assert not panel.find_elements(By.CSS_SELECTOR, ".bracket, .band.target")
    assert "Neither end is good." in panel.text


@needs_node
def test_every_range_of_the_table_reaches_the_page(page_file: Path, run: Path):
    table = [row for row in pq.read_table(run / "tables/benchmark_ranges.parquet").to_pylist() if not row["aoi_id"]]
    body = """
    const { report } = await load("core/report.js");
    const ofMedium = ({ id, ranges }) => Object.entries(ranges).flatMap(([metric, times]) =>
      Object.entries(times).map(([time, packed]) => [`${id} ${metric} ${time}`, rangeOf(packed)]));
    return Object.fromEntries(report.media.flatMap(ofMedium));
    """
    found = call_module("scores/ranges.js", "rangeOf", body, page=page_file)
    assert len(found) == len(table)
    for row in table:
        shown = found[f"{row['medium_id']} {row['metric']} {row['metric_time']}"]
        if row["category"] is None:
            assert shown == {"reason": row["reason"]}
            continue
        keys = ["norm_set", "segment", "n", "lower", "upper", "target", "why", "fallback"]
        keys += ["edges"]
        assert {key: shown[key] for key in keys} == {key: row[key] for key in keys}
        assert shown["sentence"] == row["score_title"]
        assert shown["percentile"] == pytest.approx(row["percentile"], abs=0.1)
        assert CATEGORIES[shown["category"]] == row["category"]


def test_a_bar_shows_its_media_and_again_all(opened: webdriver.Chrome):
    counts = [category(value, edges_of("memory")) for value in known("memory").values()]
    wanted = max(set(counts), key=counts.count)
    bar = find(opened, f".category-chart[data-metric=memory] [data-category='{CATEGORIES.index(wanted)}']")
    assert bar.find_element(By.CSS_SELECTOR, "b").text == str(counts.count(wanted))
    run_script(opened, "arguments[0].scrollIntoView({block: 'center'})", bar)
    bar.click()
    assert set(shown_rows(opened)) == names_where("memory", lambda value: category(value, edges_of("memory")) == wanted)
    assert bar.get_attribute("aria-pressed") == "true"
    assert Select(find(opened, "#sort")).first_selected_option.text == "Memory"
    run_script(opened, "arguments[0].scrollIntoView({block: 'center'})", bar)
    bar.click()
    assert len(shown_rows(opened)) == MEDIA + 1


def test_bars_are_as_tall_as_their_shares(opened: webdriver.Chrome):
    found = [category(value, edges_of("focus")) for value in known("focus").values()]
    bars = opened.find_elements(By.CSS_SELECTOR, ".category-chart[data-metric=focus] .column i")
    heights = [bar.size["height"] for bar in bars]
    tallest = max(found.count(name) for name in CATEGORIES)
    for name, height in zip(CATEGORIES, heights, strict=True):
        assert height / max(heights) == pytest.approx(found.count(name) / tallest, abs=0.03)


def test_cells_of_the_table_say_where_a_score_stands_to_its_target(opened: webdriver.Chrome):
    for i, value in known("focus").items():
        mark = find(opened, f"#media tr[data-i='{i}'] td[data-metric=focus] .target-mark")
        where = str(position(value, edges_of("focus"), UPWARDS))
        sign = {"within": "✓", "close_to": "≈", "below": "↓", "above": "↑"}[where]
        assert mark.get_attribute("textContent") == f"{sign}{where.replace('_', ' ')} the target range"


def test_areas_have_chips_and_the_chosen_one_its_sentences(opened: webdriver.Chrome, page: str):
    open_medium(opened, page, medium_id(0))
    place = {HEADLINE.id: 0, LOGO.id: 2}  # the most seen first
    row = find(opened, f"#area-table tr[data-area='{place[LOGO.id]}']")
    chip = row.find_element(By.CSS_SELECTOR, "td .stand")
    assert chip.get_attribute("title").startswith("Percentage seen is 40, below 60.0 to 100.0 of 198 ads.")
    assert f"c{CATEGORIES.index(category(40.0, AREA_EDGES))}" in chip.get_attribute("class").split()
    assert not row.find_element(By.CSS_SELECTOR, ".area-standing").is_displayed()
    row.find_element(By.CSS_SELECTOR, ".area-go").send_keys(Keys.ENTER)
    row = find(opened, f"#area-table tr[data-area='{place[LOGO.id]}']")
    assert "below 60.0 to 100.0 of 198 ads" in row.find_element(By.CSS_SELECTOR, ".area-standing").text
    assert f"Compared with branding areas of {TITLE} (n = 538)." in row.text


def test_a_row_opens_by_keyboard_and_stays_open_from_medium_to_medium(opened: webdriver.Chrome, page: str):
    open_fresh(opened, f"{page}#{medium_id(3)}")
    find(opened, "#scores-and-why > summary").send_keys(Keys.ENTER)
    find(opened, ".score-row[data-metric=memory] > summary").send_keys(Keys.ENTER)
    assert find(opened, ".score-row[data-metric=memory] .norm-strip").is_displayed()
    assert not find(opened, ".score-row[data-metric=focus] .norm-strip").is_displayed()
    run_script(opened, f"location.hash = '{medium_id(1)}'")
    wait_until(opened, f"document.getElementById('detail-name').textContent === {name_of(1)!r}")
    assert find(opened, ".score-row[data-metric=memory] .norm-strip").is_displayed()
