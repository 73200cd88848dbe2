"""Verdicts: counts of checks and failed rules, by table, and what is said of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from fake_benchmark import add_checks, add_rules
from fake_run import medium_id, name_of, write_fake_run

from mediaan.judge.checks.verdict import CheckCounts
from mediaan.report.data.overview import read_overview
from mediaan.report.summary.medium import Reasons, reasons_of
from mediaan.report.summary.run import ADS, HeadlineInputs, certainty_sentences, headline
from mediaan.report.summary.verdicts import RunVerdicts, read_verdicts
from mediaan.run.tables.writing import replace_table

Status = Mapping[str, str]


def judge(run: Path, checks: Mapping[int, Status], shown: Sequence[int] = ()) -> RunVerdicts:
    """Make rows of checks by medium: name, with an exclamation mark where it is required, to status."""
    add_checks(run, checks)
    return read(run, shown or list(checks))


def read(run: Path, shown: Sequence[int]) -> RunVerdicts:
    return read_verdicts(run, read_overview(run), [medium_id(i) for i in shown])


def verdict(found: RunVerdicts, i: int) -> str:
    return found.verdict(medium_id(i))


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_fake_run(tmp_path_factory.mktemp("verdicts") / "run", 6, maps=())


@pytest.fixture
def run(written: Path) -> Path:
    replace_table(written, "checks", [])
    replace_table(written, "rule_results", [])
    return written


def test_what_is_required_decides(run: Path):
    passed, failed = (
        {"brand_seen!": "passed", "few_hotspots": "passed"},
        {"brand_seen!": "failed", "few_hotspots": "passed"},
    )
    unknown, close = {"brand_seen!": "unknown", "few_hotspots": "passed"}, {"brand_seen!": "close"}
    found = judge(run, {0: passed, 1: failed, 2: unknown, 3: close, 4: {"brand_seen!": "unknown"}})
    assert [verdict(found, i) for i in range(6)] == ["works", "attention", "open", "open", "unknown", "unknown"]
    assert found.of[medium_id(0)] == CheckCounts(required_passed=1, passed=1)
    assert found.counts == {"works": 1, "attention": 1, "open": 2, "unknown": 2}
    assert found.failed == {"brand_seen": 1}


def test_two_others_may_fail_and_three_may_not(run: Path):
    others = {"few_hotspots": "failed", "brand_early": "failed", "good_design": "passed"}
    required = {"brand_seen!": "passed"}
    found = judge(run, {0: required | others, 1: required | others | {"good_design": "failed"}})
    assert [verdict(found, i) for i in (0, 1)] == ["works", "attention"]


def test_a_failed_rule_needs_attention_and_a_warning_does_not(run: Path):
    judge(run, {0: {"brand_seen!": "passed"}, 1: {"brand_seen!": "passed"}})
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
    assert found.failing == 2


def test_counts_are_of_all_media_and_evidence_of_those_shown(run: Path):
    found = judge(run, {i: {"brand_seen!": "failed" if i % 2 else "passed"} for i in range(5)}, shown=[1])
    assert list(found.of) == [medium_id(1)]
    assert found.counts == {"works": 3, "attention": 2, "unknown": 1}
    assert found.sums == CheckCounts(required_passed=3, required_failed=2)


def test_order_counts_rules_then_required_checks_and_ties_stay_level():
    rule, two, one = (
        CheckCounts(rules_failed=1),
        CheckCounts(required_failed=2),
        CheckCounts(required_failed=1, failed=3),
    )
    assert sorted([one, two, rule], key=lambda counts: counts.worst_first) == [rule, two, one]
    assert CheckCounts(required_passed=3).best_first < CheckCounts(required_passed=2, required_close=1).best_first


def test_reasons_put_rules_and_what_is_required_first():
    def row(name: str, status: str, *, required: bool = False) -> dict[str, Any]:
        facts = {
            "title": f"{name} is so",
            "text": f"{name}.",
            "sure": True,
            "todo": None,
            "settle": None,
            "aoi_id": None,
        }
        return {"name": name, "status": status, "required": required} | facts

    rule = {"name": "Brand early", "status": "failed", "severity": "error", "message": "Late.", "sure": True}
    found = reasons_of(
        [row("few_hotspots", "failed"), row("brand_seen", "failed", required=True), row("offer_seen", "unknown"),
         row("message_seen", "passed"), row("brand_early", "close")],
        [rule, rule | {"severity": "warning"}, rule | {"status": "passed"}],
    )  # fmt: skip
    assert [reason.key for reason in found.against] == ["rule Brand early", "brand_seen", "few_hotspots"]
    assert found.against[1].short == "Too few viewers see the brand"
    assert [reason.key for reason in found.undecided] == ["offer_seen", "brand_early"]
    assert [reason.key for reason in found.in_favour] == ["message_seen"]


# ---- words


def said(of: Mapping[str, CheckCounts], unknown: int = 0, **facts: Any) -> HeadlineInputs:
    counts: dict[Any, int] = {"works": 0, "attention": 0, "open": 0, "unknown": unknown}
    for one in of.values():
        counts[one.verdict] += 1
    names = ("required_passed", "required_failed", "required_close", "required_unknown")
    sums = CheckCounts(**{name: sum(getattr(one, name) for one in of.values()) for name in names})
    usual = {"reasons": {}, "names": {key: f"{key}.jpg" for key in of}, "intervals": True, "purposes": True}
    usual |= {"done": counts["unknown"] + len(of)}
    failed = facts.pop("failed", {})
    return HeadlineInputs(RunVerdicts(of, counts, sums, failed=failed), **(usual | facts))


GOOD, BAD = CheckCounts(required_passed=3), CheckCounts(required_passed=2, required_failed=1)
OPEN = CheckCounts(required_passed=2, required_unknown=1)


def test_headline_counts_every_verdict():
    assert headline(said({"a": GOOD, "b": GOOD, "c": BAD})) == "2 of 3 files work, 1 needs attention."
    assert headline(said({"a": GOOD, "b": OPEN})) == "1 of 2 files works, 1 is undecided."
    assert headline(said({"a": GOOD, "b": GOOD}, noun=ADS)) == "All 2 ads work."
    assert headline(said({"a": BAD, "b": OPEN}, unknown=1)) == (
        "None of 3 files works, 1 needs attention, 1 is undecided, 1 could not be checked."
    )


def test_headline_of_a_single_medium():
    assert headline(said({"a": GOOD}, noun=ADS)) == "This ad works."
    checks = [{"name": "offer_seen", "title": "The product or offer is seen", "status": "unknown", "required": True}]
    facts = {"text": "No product was found.", "sure": False, "todo": None, "settle": "Draw it.", "aoi_id": None}
    reasons = {"a": reasons_of([one | facts for one in checks], [])}
    assert headline(said({"a": OPEN}, reasons=reasons)) == "This file is undecided: No product was found."
    assert headline(said({"a": BAD}, unknown=2, reasons={"a": Reasons()})) == "a.jpg needs attention."


def test_headline_says_when_there_is_no_verdict():
    assert headline(said({})) == "No file could be analyzed."
    assert headline(said({}, unknown=5)) == "No verdicts: nothing could be checked."


def test_sureness_is_said_of_each_case():
    lines = list(certainty_sentences(said({"a": GOOD, "b": BAD, "c": OPEN}, unknown=1, purposes=False)))
    assert lines == [
        "Of 9 checks, 7 passed, 1 failed, 0 are too close to call and 1 are unknown.",
        "1 file is undecided: a required check is unknown or too close to call.",
        "Nothing could be checked in 1 file.",
        "No purpose is stated, so your files were checked only for what every ad needs. State it with "
        "mediaan init FOLDER.",
    ]
    assert "no intervals" in list(certainty_sentences(said({"a": GOOD, "b": BAD}, intervals=False)))[-1]
    assert list(certainty_sentences(said({}, unknown=3))) == []
