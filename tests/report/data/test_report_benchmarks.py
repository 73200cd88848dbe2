"""Ranges and rules as the page's data and markup hold them."""

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from fake_areas import STILLS, add_areas
from fake_benchmark import EDGES_OF, TITLE, USUAL, N, add_benchmark, category
from fake_run import METRICS, add_facts, data_of, score_of, write_fake_run

from mediaan.report import write_report
from mediaan.report.benchmarks import CategoryCounts, RangeEncoder, count_categories
from mediaan.report.counts import scan
from mediaan.run import read_run
from mediaan.run.tables.rows import RANGE_COLUMNS, range_of
from mediaan.run.tables.schema import BENCHMARK_RANGES
from mediaan.types.benchmark import CATEGORIES, BenchmarkRange

MEDIA = 40


def row(**known: Any) -> dict[str, Any]:
    usual = {"category": "medium", "position": "within", "target": ["medium"], "percentile": 50.0, "n": N}
    edges = {key: [10.0, 30.0, 70.0, 90.0] for key in ("edges", "edges_lo", "edges_hi")}
    return (
        dict.fromkeys(BENCHMARK_RANGES.names)
        | {"medium_id": "m", "metric": "focus", "metric_time": "total"}
        | usual
        | edges
        | {"norm_set": "ads", "segment": "all"}
        | known
    )


def stored(**facts: Any) -> BenchmarkRange:
    cells = row(**facts)
    return range_of({name: cells[name] for name in RANGE_COLUMNS})


def counts_of(rows: list[dict]) -> CategoryCounts | None:
    return count_categories([pa.Table.from_pylist(rows, BENCHMARK_RANGES)], {"focus": "total"}).get("focus")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = write_fake_run(tmp_path_factory.mktemp("norms") / "run", MEDIA, maps=())
    return add_benchmark(add_areas(run, STILLS), areas=True)


def values(metric: str) -> list[float]:
    return [value for i in range(MEDIA) if (value := score_of(i, metric, MEDIA)) is not None]


@pytest.mark.parametrize("metric", [name for name, *_ in METRICS])
def test_media_are_counted_in_the_category_of_their_score(run: Path, metric: str):
    times = {name: time for name, _, time, *_ in METRICS}
    counted = count_categories(scan(run, "benchmark_ranges"), times).get(metric)
    found = [category(value, EDGES_OF.get(metric, USUAL)) for value in values(metric)]
    assert counted.counts == tuple(found.count(name) for name in CATEGORIES)
    assert counted.total == len(values(metric))


def test_bars_say_the_share_of_the_run_and_of_the_population():
    rows = [row(category=name) for name in ("extreme_low", "medium", "medium", "high")]
    counted = counts_of(rows)
    assert [bar.share for bar in counted.bars] == [25, 0, 50, 25, 0]
    assert [bar.expected for bar in counted.bars] == [10, 20, 40, 20, 10]
    assert [bar.height / bar.expected_height for bar in counted.bars] == pytest.approx([2.5, 0, 1.25, 1.25, 0])
    assert max(max(bar.height, bar.expected_height) for bar in counted.bars) <= 1


def test_a_figure_is_that_of_the_population_of_most_media():
    food = row(edges=[1.0, 2.0, 3.0, 4.0], n=37)
    counted = counts_of([food, row(), food])
    assert counted.population == ((1.0, 2.0, 3.0, 4.0), 37)


@pytest.mark.parametrize(
    "sentence",
    [
        "Focus in the first 2 s is 64.5, within the recommended 30 to 70 of 51 ads.",
        "Time is 1,204.5 s: a tab\there is kept.",
        "What is this? It is $& and $1, close to 4.",
        "No number at all.",
        None,
    ],
)
def test_a_sentence_comes_back_as_it_was(sentence: str | None):
    encoder = RangeEncoder()
    encoded = encoder.encode(stored(score_title=sentence))
    assert isinstance(encoded, list)
    _, _, place, number, *_ = encoded
    found = None if place < 0 else "".join(encoder.data()["sentences"][place].replace("\t", number, 1 if number else 0))
    assert found == sentence


def test_sentences_that_differ_by_their_score_alone_are_kept_once():
    encoder = RangeEncoder()
    for k in range(100):
        encoder.encode(stored(score_title=f"Focus in the first 2 s is {k}, within the recommended 30 to 70 of 51 ads."))
    assert len(encoder.data()["sentences"]) == len(encoder.data()["norms"]) == len(encoder.data()["populations"]) == 1


def test_a_percentile_never_reaches_the_next_category():
    encoder = RangeEncoder()
    _, code, _, _, percentile = encoder.encode(stored(category="extreme_low", percentile=9.99))
    assert (code, percentile) == (11, 9.9)


def test_the_page_names_the_population_its_size_and_the_media(run: Path):
    text = write_report(read_run(run)).read_text("utf-8")
    assert f"Compared with <strong>{TITLE}</strong> ({N} files)" in text
    assert "20 ads with a part of it only, such as industry: food." in text  # every second medium has its own part


def test_a_run_that_was_not_compared_says_how_to_in_one_line(tmp_path: Path):
    page = write_report(read_run(write_fake_run(tmp_path, 3, maps=())))
    text = page.read_text("utf-8")
    assert text.count("mediaan benchmark apply") == 1
    assert text.count("mediaan check") == 1
    assert not re.search(r'class="(category-chart|stand|population-line)[ "]', text.split('id="how-to-read"')[0])
    assert data_of(page)["benchmarks"] is None


def test_why_nothing_could_be_compared_stands_in_the_page(tmp_path: Path):
    run = write_fake_run(tmp_path, 3, maps=())
    refused = {"norm_set": "ads", "what": "media", "media": 3, "reason": "made with another model <b>"}
    of_areas = {"norm_set": "ads", "what": "aois", "media": 1, "reason": "exposure 2 s, not 5 s."}
    add_facts(run, benchmark={"norm_sets": [], "refused": [refused, of_areas]})
    text = write_report(read_run(run)).read_text("utf-8")
    assert (
        "<strong>3 files were not compared</strong> with the benchmark ads: made with another model &lt;b&gt;." in text
    )
    assert "<strong>1 file was not compared</strong> with the benchmark ads in the numbers of their areas" in text
    assert "mediaan benchmark apply" not in text


def test_ranges_of_scores_weigh_little(tmp_path: Path):
    n = 200
    run = write_fake_run(tmp_path, n, maps=())
    bare = write_report(read_run(run)).stat().st_size
    rated = write_report(read_run(add_benchmark(run))).stat().st_size
    assert (rated - bare) / n < 1800  # seven scores, their cells in the table included


def test_ranges_of_areas_weigh_little(run: Path):
    media = data_of(write_report(read_run(run)))["media"]
    sizes = [len(json.dumps(area["ranges"], separators=(",", ":"))) for m in media for area in m["areas"]]
    assert max(sizes) < 600
