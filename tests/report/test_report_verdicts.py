"""Verdicts: counts of ranges surely met and missed, by table and by rank, and what is said of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from fake_benchmark import EDGES_OF, TARGETS, UPWARDS, USUAL, add_benchmark, add_rules, position, recommended
from fake_run import METRICS, medium_id, name_of, score_of, write_fake_run

from mediaan.report.contents import read_description
from mediaan.report.headline import Findings, headline, sureness
from mediaan.report.overview import read_overview
from mediaan.report.summaries import Standing
from mediaan.report.verdicts import Evidence, Verdicts, read_verdicts, verdicts_within
from mediaan.run.derived import replace_table
from mediaan.types.metrics import MetricSpec

SET = {"norm_set": "ads", "segment": "all", "n": 100, "category": "medium"}
RANGE = {"lower": 60.0, "upper": 100.0, "target": ["high", "extreme_high"]}
WITHIN = {"value": 80.0, "lo": 70.0, "hi": 90.0, "position": "within"}
PERHAPS = {"value": 70.0, "lo": 50.0, "hi": 90.0, "position": "within"}
CLOSE = {"value": 58.0, "lo": 40.0, "hi": 70.0, "position": "close_to"}
BELOW = {"value": 30.0, "lo": 10.0, "hi": 50.0, "position": "below"}
PERHAPS_BELOW = {"value": 40.0, "lo": 20.0, "hi": 61.0, "position": "below"}


def judge(run: Path, ranges: Mapping[int, Mapping[str, Mapping[str, Any]]], shown: Sequence[int] = ()) -> Verdicts:
    times = {name: time for name, _, time, *_ in METRICS}
    rows = [
        {"medium_id": medium_id(i), "metric": metric, "metric_time": times[metric]} | SET | RANGE | dict(found)
        for i, by_metric in ranges.items()
        for metric, found in by_metric.items()
    ]
    replace_table(run, "benchmark_ranges", rows)
    return read(run, shown or list(ranges))


def read(run: Path, shown: Sequence[int]) -> Verdicts:
    return read_verdicts(run, read_description(run).specs, read_overview(run), [medium_id(i) for i in shown])


def verdict(found: Verdicts, i: int) -> str:
    return found.verdict(medium_id(i))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fake_run(tmp_path_factory.mktemp("verdicts") / "run", 6, maps=())


@pytest.fixture
def run(written: Path) -> Path:
    replace_table(written, "benchmark_ranges", [])
    replace_table(written, "rule_results", [])
    return written


def test_a_score_misses_only_with_its_whole_interval(run: Path):
    found = judge(run, {0: {"focus": BELOW}, 1: {"focus": PERHAPS_BELOW}, 2: {"focus": CLOSE}, 3: {"focus": PERHAPS}})
    assert [verdict(found, i) for i in range(4)] == ["attention", "open", "open", "works"]
    assert found.of[medium_id(0)] == Evidence(scores=1, missed=1)
    assert found.of[medium_id(3)] == Evidence(scores=1, met=1)


def test_one_that_surely_misses_outweighs_two_that_are_met(run: Path):
    found = judge(run, {0: {"focus": WITHIN, "clarity": WITHIN, "cognitive_demand": BELOW}})
    assert found.of[medium_id(0)] == Evidence(scores=3, met=2, met_surely=2, missed=1)
    assert verdict(found, 0) == "attention"


def test_half_of_the_scores_are_not_most_of_them(run: Path):
    found = judge(run, {0: {"focus": WITHIN, "clarity": CLOSE}, 1: {"focus": WITHIN, "clarity": PERHAPS}})
    assert [verdict(found, i) for i in (0, 1)] == ["open", "works"]


def test_proxies_and_windows_decide_nothing(run: Path):
    windows = {"focus_first_two": BELOW, "focus_last_two": BELOW}
    proxies = {"memory": BELOW, "engagement": BELOW}
    found = judge(run, {0: {"focus": PERHAPS} | windows | proxies, 1: proxies})
    assert found.of[medium_id(0)] == Evidence(scores=1, met=1, proxies=2, proxies_missed=2)
    assert [verdict(found, i) for i in (0, 1)] == ["works", "unknown"]


def test_a_failed_rule_needs_attention_and_a_warning_does_not(run: Path):
    judge(run, {0: {"focus": WITHIN}, 1: {"focus": WITHIN}})
    failed = {"rule": "focus >= 90", "status": "failed", "message": "Focus is 80."}
    add_rules(
        run,
        [
            failed | {"path": f"ads/{name_of(0)}", "medium_id": medium_id(0)},
            failed | {"path": "copies/spring hero.jpg", "medium_id": medium_id(0)},
            failed | {"path": f"ads/{name_of(1)}", "medium_id": medium_id(1), "severity": "warning"},
            failed | {"path": f"ads/{name_of(2)}", "medium_id": medium_id(2)},
            failed | {"path": "ads/broken <b>.jpg", "medium_id": None},
        ],
    )
    found = read(run, range(6))
    assert [verdict(found, i) for i in range(4)] == ["attention", "works", "attention", "unknown"]
    assert found.of[medium_id(0)].rules_failed == 1, "copies of a file are one medium"
    assert found.counts == {"attention": 2, "works": 1, "unknown": 3}
    assert found.failing == 2


def test_counts_are_of_all_media_and_evidence_of_those_shown(run: Path):
    found = judge(run, {i: {"focus": BELOW if i % 2 else WITHIN} for i in range(5)}, shown=[1])
    assert list(found.of) == [medium_id(1)]
    assert found.counts == {"works": 3, "attention": 2, "unknown": 1}
    assert found.known == 5
    assert found.sums == Evidence(scores=5, met=3, met_surely=3, missed=2)


def test_without_intervals_values_decide(tmp_path: Path):
    run = write_fake_run(tmp_path, 3, maps=())
    bare = {"lo": None, "hi": None}
    rows = {0: {"focus": BELOW | bare}, 1: {"focus": CLOSE | bare}, 2: {"focus": WITHIN | bare}}
    with_intervals = judge(run, rows)
    assert [verdict(with_intervals, i) for i in range(3)] == ["open", "open", "works"], "the run has some elsewhere"
    table = run / "tables" / "metrics.parquet"
    scores = [row | bare for row in pq.read_table(table).to_pylist()]
    pq.write_table(pa.Table.from_pylist(scores, schema=pq.read_schema(table)), table)
    assert [verdict(read(run, range(3)), i) for i in range(3)] == ["attention", "open", "works"]


def test_tables_and_single_rows_agree(tmp_path: Path):
    """The counts of the table, worked out again from the invented scores and their population."""
    run = add_benchmark(write_fake_run(tmp_path, 12, maps=()))
    found = read(run, range(12))
    for i in range(12):
        met = missed = scores = 0
        for metric in ("focus", "cognitive_demand", "clarity"):
            value, target = score_of(i, metric, 12), TARGETS.get(metric, UPWARDS)
            edges = EDGES_OF.get(metric, USUAL)
            lower, upper = recommended(edges, target)
            if value is None or lower is None or upper is None:
                continue
            scores, half = scores + 1, 4.0 + i % 3
            met += position(value, edges, target) == "within"
            top = 1e9 if "extreme_high" in target else upper
            missed += min(value + half, 100) < lower or max(value - half, 0) > top
        evidence = found.of[medium_id(i)]
        assert (evidence.scores, evidence.met, evidence.missed) == (scores, met, missed)


def test_order_counts_rules_then_sure_misses_and_ties_stay_level():
    rule, two, one = (
        Evidence(rules_failed=1, scores=3, met=3),
        Evidence(scores=3, missed=2),
        Evidence(scores=3, missed=1),
    )
    assert sorted([one, two, rule], key=lambda e: e.worst_first) == [rule, two, one]
    assert Evidence(scores=3, met=2).best_first == Evidence(scores=5, met=2).best_first
    assert Evidence(scores=3, met=2, met_surely=1).best_first < Evidence(scores=3, met=3).best_first


# ---- ranks within the run


def spec(name: str, basis: str = "learned", direction: str = "higher") -> MetricSpec:
    return MetricSpec(name, name, "score", 0, 100, direction, basis, "", "")  # type: ignore[arg-type]


def test_ranks_say_something_only_where_intervals_leave_one_half():
    first, last, middle = Standing(1, 1, 4, 10), Standing(9, 7, 10, 10), Standing(5, 3, 8, 10)
    found = verdicts_within(
        {"a": [(spec("focus"), first)], "b": [(spec("focus"), last)], "c": [(spec("focus"), middle)],
         "d": [(spec("focus"), first), (spec("memory", "proxy"), last)]},
        {"a": 1},
    )  # fmt: skip
    assert [found.verdict(key) for key in "abcde"] == ["attention", "attention", "open", "works", "unknown"]
    assert found.within_run


# ---- words


def said(evidence: Mapping[str, Evidence], unknown: int = 0, **facts: Any) -> Findings:
    counts: dict[Any, int] = {"works": 0, "attention": 0, "open": 0, "unknown": unknown}
    for one in evidence.values():
        counts[one.verdict] += 1
    names = ("scores", "met", "met_surely", "missed", "proxies")
    sums = Evidence(**{name: sum(getattr(one, name) for one in evidence.values()) for name in names})
    usual = {"against": {}, "missed": {}, "names": {key: f"{key}.jpg" for key in evidence}, "intervals": True}
    usual |= {"done": counts["unknown"] + len(evidence), "selected": False, "level": None}
    return Findings(Verdicts(evidence, counts, sums), **(usual | facts))


GOOD, BAD, OPEN = Evidence(scores=3, met=2), Evidence(scores=3, missed=1), Evidence(scores=3, met=1)


def test_headline_counts():
    assert headline(said({"a": GOOD, "b": GOOD, "c": BAD})) == (
        "2 of 3 media do what is recommended on most scores. 1 needs attention."
    )
    assert headline(said({"a": GOOD, "b": OPEN})) == (
        "1 of 2 media does what is recommended on most scores. None surely misses anything."
    )
    assert headline(said({"a": GOOD, "b": GOOD})).startswith("All 2 media do what")
    assert headline(said({"a": BAD, "b": OPEN})).startswith("None of 2 media does what")


def test_headline_says_what_is_missed_most_often():
    missed = {"Focus": 1, "Clarity": 2}
    assert headline(said({"a": BAD, "b": BAD}, missed=missed)).endswith("2 need attention: 2 surely miss Clarity.")
    assert headline(said({"a": BAD, "b": BAD}, missed=missed, intervals=False)).endswith("2 miss Clarity.")


def test_headline_where_all_fail_a_rule_and_nothing_was_compared():
    failing = Evidence(rules_failed=2)
    assert headline(said({"a": failing, "b": failing})) == "All 2 media fail a rule. Nothing else was compared."


def test_headline_of_a_single_medium():
    assert headline(said({"a": GOOD})) == "This medium does what is recommended of it on most scores."
    assert headline(said({"a": BAD})) == "This medium needs attention."
    assert "surely misses nothing" in headline(said({"a": OPEN}))
    assert headline(said({"a": GOOD}, unknown=2)).startswith("a.jpg does what")


def test_headline_says_when_nothing_can_be_told():
    assert headline(said({})) == "No medium could be analysed."
    assert "cannot be told" in headline(said({}, unknown=1))
    assert "cannot be told" in headline(said({}, unknown=5))


def test_sureness_is_said_of_each_case():
    lines = list(sureness(said({"a": GOOD, "b": BAD, "c": OPEN}, unknown=1, level=("Focus", 2))))
    assert lines == [
        "Of 9 scores with a recommended range, 1 surely misses it with the whole 90 % interval, 0 surely meet it.",
        "1 medium is left open: nothing is surely missed, nor most of it met.",
        "1 medium has no population to be compared with, and so no verdict.",
        "In Focus 2 media are level with the first one: their intervals overlap.",
    ]
    assert "no intervals" in next(sureness(said({"a": GOOD, "b": BAD}, intervals=False)))
    assert list(sureness(said({}, unknown=3))) == []
