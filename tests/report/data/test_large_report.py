"""The report of a run that has too many media for one page: some are shown, all are counted."""

import re
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from browsing import find, needs_browser, open_fresh, run_script
from fake_areas import STILLS, add_areas
from fake_benchmark import add_benchmark, add_checks, add_rules, some_checks
from fake_run import METRICS, UNLIKE, data_of, medium_id, name_of, score_of, write_fake_run
from selenium import webdriver

from mediaan.report import write_report
from mediaan.run import read_run
from mediaan.run.tables.writing import replace_table

MEDIA, SHOWN = 90, 48
RULES = {"focus >= 30": "focus", "memory >= 40": "memory"}


def without_script(text: str) -> str:
    """Markup of the page but for what says of the media on it."""
    return re.sub(r"<script.*?</script>|<tbody>.*?</tbody>", "", text, flags=re.DOTALL)


def failing(metric: str, least: float) -> list[int]:
    """Media under a score, the worst first."""
    found = {i: score for i in range(MEDIA) if (score := score_of(i, metric, MEDIA)) is not None and score < least}
    return sorted(found, key=found.__getitem__)


def ruled(run: Path) -> Path:
    rows = []
    for i in range(MEDIA):
        for rule, metric in RULES.items():
            margin = score_of(i, metric, MEDIA) - float(rule.rpartition(" ")[2])
            status = "failed" if margin < 0 else "passed"
            said = {"rule": rule, "status": status, "margin": margin, "message": f"{rule}: {margin:.1f}"}
            rows.append({"path": f"ads/{name_of(i)}", "medium_id": medium_id(i)} | said)
    return add_rules(run, rows)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("large") / "run", MEDIA, maps=("original",))
    add_checks(run, some_checks(MEDIA))
    return ruled(add_benchmark(add_areas(run, STILLS), areas=True))


@pytest.fixture(scope="module")
def whole(run: Path) -> str:
    return write_report(read_run(run)).read_text("utf-8")


@pytest.fixture(scope="module")
def part(run: Path, whole: str) -> str:
    return write_report(read_run(run), limit=SHOWN).read_text("utf-8")


@pytest.fixture(scope="module")
def shown(part: str) -> set[str]:
    return {medium["name"] for medium in data_of(part)["media"]}


def test_a_run_that_fits_says_nothing_of_parts(run: Path, whole: str):
    assert len(data_of(whole)["media"]) == MEDIA + 1
    assert "part-note" not in whole.split("<script>")[0]
    assert write_report(read_run(run), limit=MEDIA + 1).read_text("utf-8") == whole
    assert "part-note" in write_report(read_run(run), limit=MEDIA).read_text("utf-8")


def test_the_page_says_at_its_top_how_many_of_how_many_and_where_the_others_are(part: str, shown: set[str]):
    note = re.search(r'id="part-note">(.*?)</p>', part)[1]
    assert f"shows {SHOWN} of {MEDIA + 1} files" in note
    assert '<a href="../tables/">' in note
    assert 'pandas.read_parquet("tables/metrics.parquet")' in note
    assert len(data_of(part)["media"]) == len(shown) == SHOWN


@pytest.mark.parametrize("metric", [name for name, *_ in METRICS])
def test_both_ends_of_each_score_are_shown_as_far_as_the_page_says(part: str, shown: set[str], metric: str):
    each = int(re.search(r"at least (\d+) of each", part)[1])
    assert each >= 2
    scored = [i for i in range(MEDIA) if score_of(i, metric, MEDIA) is not None]
    ranked = sorted(scored, key=lambda i: score_of(i, metric, MEDIA))
    assert {name_of(i) for i in (*ranked[:each], *ranked[-each:])} <= shown


def test_what_fails_a_rule_by_most_is_unlike_or_failed_is_shown(shown: set[str]):
    for rule, metric in RULES.items():
        assert {name_of(i) for i in failing(metric, float(rule.rpartition(" ")[2]))[:2]} <= shown
    assert {name_of(UNLIKE), "broken <b>.jpg"} <= shown


def test_a_medium_that_is_shown_is_shown_as_on_a_page_of_all(whole: str, part: str):
    """Ranks, intervals of ranks, remarks, ranges, rules: all of them among all media."""
    everything = {medium["name"]: medium for medium in data_of(whole)["media"]}
    packed = ("ranges", "areas", "urgency")  # places in what the media of a page have in common
    for medium in data_of(part)["media"]:
        before = everything[medium["name"]]
        assert {k: v for k, v in medium.items() if k not in packed} == {
            k: v for k, v in before.items() if k not in packed
        }
        assert [len(areas) for areas in (medium["areas"], medium["ranges"])] == [
            len(areas) for areas in (before["areas"], before["ranges"])
        ]


def without_summary(text: str) -> str:
    """Its problems are of the media on the page, and it says so."""
    text = re.sub(r'<section id="summary".*?</section>', "", text, flags=re.DOTALL)
    return re.sub(r'<select id="reason-filter">.*?</select>', "", text)


def test_the_summary_counts_all_media_and_says_what_it_counts_on_the_page(whole: str, part: str):
    headlines = [re.search(r'id="summary-title"[^>]*>(.*?)</h2>', text)[1] for text in (whole, part)]
    assert headlines[0] == headlines[1]
    assert len(re.findall(r"\d+", headlines[0])) >= 3
    tiles = [re.findall(r'data-verdict="(\w+)".*?<b>(\d+)</b>', text) for text in (whole, part)]
    assert tiles[0] == tiles[1]
    assert f"of the {SHOWN} ads on this page" in part


def test_counts_cards_and_figures_are_those_of_all_media(whole: str, part: str):
    same = without_summary(without_script(part))
    same = re.sub(r'  <p class="notice" id="part-note">.*?</p>\n', "", same)
    same = same.replace("On this page", "All ads")
    same = re.sub(r"<pre>.*?</pre>", "", same, flags=re.DOTALL)
    before = re.sub(r"<pre>.*?</pre>", "", without_summary(without_script(whole)), flags=re.DOTALL)
    later = re.compile(r'    <noscript id="later-rows">.*?</noscript>\n', re.DOTALL)
    assert later.sub("", same).split() == later.sub("", before).split()
    assert data_of(part)["metrics"] == data_of(whole)["metrics"]
    assert data_of(part)["rules"] == data_of(whole)["rules"]


def test_many_failures_are_counted_and_the_first_are_listed(tmp_path: Path):
    run = write_fake_run(tmp_path / "run", 20, maps=())
    add_failures(run, 10)
    text = write_report(read_run(run), limit=8).read_text("utf-8")
    listed = re.search(r'<ul class="failures">.*?</ul>', text, re.DOTALL)[0].count("<li>")
    assert 0 < listed < 11
    assert f"{listed} of 11 are listed here" in text
    assert "11 files could not be analyzed" in text


def add_failures(run: Path, count: int) -> None:
    """Add files that could not be read, as the one that a fake run has."""
    media = pq.read_table(run / "tables" / "media.parquet").to_pylist()
    replace_table(run, "media", [*media, *(media[-1] | {"path": f"ads/cut {i}.jpg"} for i in range(count))])


def test_the_page_does_not_grow_with_the_run(tmp_path: Path):
    sizes = []
    for n in (80, 160):
        page = write_report(read_run(write_fake_run(tmp_path / f"{n}", n, maps=())), limit=40)
        sizes.append(page.stat().st_size)
    assert sizes[1] == pytest.approx(sizes[0], rel=0.01)


@needs_browser
def test_filters_look_through_what_is_shown_and_say_so(browser: webdriver.Chrome, run: Path, part: str):
    page = write_report(read_run(run), limit=SHOWN)
    open_fresh(browser, page.as_uri())
    assert find(browser, "#shown").text == f"{SHOWN} of the {SHOWN} on this page, of {MEDIA + 1} in the run"
    run_script(browser, "sortBy('focus')")
    ranks = "return [...document.querySelectorAll('.gallery-card .rank')].map((one) => parseInt(one.lastChild.data))"
    found = run_script(browser, ranks)
    assert found[0] == 1
    assert found[-1] == MEDIA  # focus falls with the index: the last of all media is on the page
    find(browser, "#text").send_keys("broken")
    assert find(browser, "#shown").text == f"1 of the {SHOWN} on this page, of {MEDIA + 1} in the run"
    assert find(browser, "#seen-note").get_attribute("textContent").startswith("Of those on this page.")


def test_media_outermost_in_their_population_are_shown(run: Path, part: str, shown: set[str]):
    each = int(re.search(r"at least (\d+) of each", part)[1])
    ranges = pq.read_table(run / "tables" / "benchmark_ranges.parquet").to_pylist()
    for category, sign in (("extreme_low", 1), ("extreme_high", -1)):
        for metric, *_ in METRICS:
            own = [
                row for row in ranges if (row["metric"], row["category"]) == (metric, category) and not row["aoi_id"]
            ]
            own.sort(key=lambda row: sign * row["percentile"])
            assert {name_of(int(row["medium_id"][-12:])) for row in own[:each]} <= shown
