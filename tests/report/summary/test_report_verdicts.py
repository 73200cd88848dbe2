"""Verdicts: counts of checks and failed rules, by table, and what is said of them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fake_benchmark import add_checks, add_rules
from fake_run import medium_id, name_of, write_fake_run

from mediaan.judge.verdict import CheckCounts
from mediaan.report.counts import RunVerdicts, read_overview, read_verdicts
from mediaan.report.entries import read_contents
from mediaan.report.medium_summary import reasons_of, summarize_medium
from mediaan.report.run_summary import ADS, FILES, Noun, certainty_sentences, headline
from mediaan.run import read_run
from mediaan.run.tables.writing import replace_table
from mediaan.types.checks import CheckResult, RuleResult

Status = Mapping[str, str]


def judge(run: Path, checks: Mapping[int, Status]) -> RunVerdicts:
    """Make rows of checks by medium: name, with an exclamation mark where it is required, to status."""
    add_checks(run, checks)
    return read_verdicts(run, read_overview(run))


def counts_of(run: Path) -> list[CheckCounts]:
    """Return the counts of the media that a page shows, in order."""
    return [entry.check_counts for entry in read_contents(read_run(run)).entries if entry.done]


def verdicts_of(run: Path) -> list[str]:
    return [counts.verdict for counts in counts_of(run)]


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
        {"brand_seen!": "passed", "action_legible": "passed"},
        {"brand_seen!": "failed", "action_legible": "passed"},
    )
    known, close = {"brand_seen!": "unknown", "message_seen!": "passed"}, {"brand_seen!": "close"}
    found = judge(run, {0: passed, 1: failed, 2: known, 3: close, 4: {"brand_seen!": "unknown"}})
    assert verdicts_of(run) == ["works", "attention", "works", "open", "unknown", "unknown"]
    assert counts_of(run)[0] == CheckCounts(required_passed=1, passed=1)
    assert found.counts == {"works": 2, "attention": 1, "open": 1, "unknown": 2}


def test_two_others_may_fail_and_three_may_not(run: Path):
    others = {"action_legible": "failed", "brand_early": "failed", "asks_little": "passed"}
    required = {"brand_seen!": "passed"}
    judge(run, {0: required | others, 1: required | others | {"asks_little": "failed"}})
    assert verdicts_of(run)[:2] == ["works", "attention"]


def test_a_failed_rule_needs_attention_and_a_warning_does_not(run: Path):
    judge(run, {0: {"brand_seen!": "passed"}, 1: {"brand_seen!": "passed"}})
    failed = {"rule": "focus >= 90", "status": "failed", "message": "Focus is 80."}
    add_rules(
        run,
        [
            failed | {"path": f"ads/{name_of(0)}", "medium_id": medium_id(0)},
            failed | {"path": f"ads/{name_of(1)}", "medium_id": medium_id(1), "severity": "warning"},
            failed | {"path": f"ads/{name_of(2)}", "medium_id": medium_id(2)},
            failed | {"path": "copies/spring hero.jpg", "medium_id": medium_id(0)},
        ],
    )
    assert verdicts_of(run)[:4] == ["attention", "works", "attention", "unknown"]
    assert counts_of(run)[0].rules_failed == 1, "copies of a file are one medium"


def test_counts_of_the_run_are_those_of_its_media_together(run: Path):
    found = judge(run, {i: {"brand_seen!": "failed" if i % 2 else "passed"} for i in range(5)})
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
    def check(name: str, status: Any, *, required: bool = False) -> CheckResult:
        return CheckResult(
            value=None, name=name, title=f"{name} is so", status=status, required=required, text=f"{name}."
        )

    rule = RuleResult(
        value=50.0, path="a.jpg", medium_id=None, rule="brand", name="Brand early", severity="error", status="failed",
        limit=40.0, margin=-10.0, sure=True, aoi_id=None, message="Late.",
    )  # fmt: skip
    reasons = reasons_of(
        [check("action_legible", "failed"), check("brand_seen", "failed", required=True),
         check("offer_seen", "unknown"),
         check("message_seen", "passed"), check("brand_early", "close")],
        [rule, replace(rule, severity="warning"), replace(rule, status="passed")],
    )  # fmt: skip
    found = summarize_medium(CheckCounts(), reasons)
    assert [reason.key for reason in found.against] == ["rule Brand early", "brand_seen", "action_legible"]
    assert found.against[1].short == "Too few viewers see the brand"
    assert [reason.key for reason in found.undecided] == ["offer_seen", "brand_early"]
    assert [reason.key for reason in found.in_favour] == ["message_seen"]


# ---- words


def counted(of: Sequence[CheckCounts], unknown: int = 0) -> RunVerdicts:
    counts: dict[Any, int] = {"works": 0, "attention": 0, "open": 0, "unknown": unknown}
    for medium in of:
        counts[medium.verdict] += 1
    names = ("required_passed", "required_failed", "required_close", "required_unknown")
    return RunVerdicts(counts, CheckCounts(**{name: sum(getattr(medium, name) for medium in of) for name in names}))


def headline_of(*of: CheckCounts, unknown: int = 0, noun: Noun = FILES) -> str:
    media = [(f"{index}.jpg", summarize_medium(medium)) for index, medium in enumerate(of)]
    return headline(counted(of, unknown), media, unknown + len(of), noun)


GOOD, BAD = CheckCounts(required_passed=3), CheckCounts(required_passed=2, required_failed=1)
OPEN = CheckCounts(required_passed=1, required_close=2)


def test_headline_counts_every_verdict():
    assert headline_of(GOOD, GOOD, BAD) == "2 of 3 files work, 1 needs attention."
    assert headline_of(GOOD, OPEN) == "1 of 2 files works, 1 is undecided."
    assert headline_of(GOOD, GOOD, noun=ADS) == "All 2 ads work."
    assert headline_of(BAD, OPEN, unknown=1) == (
        "None of 3 files works, 1 needs attention, 1 is undecided, 1 has no verdict."
    )


def test_headline_says_when_there_is_no_verdict():
    assert headline_of() == "No file could be analyzed."
    assert headline_of(unknown=5) == "No verdicts: nothing could be checked."


def test_sureness_is_said_of_each_case():
    lines = list(certainty_sentences(counted([GOOD, BAD, OPEN], unknown=1), FILES, purposes=False))
    assert lines == [
        "Of 9 checks, 6 passed and 1 failed; 2 are too close to call and 0 are unknown.",
        "1 file is undecided: required checks are too close to call.",
        "Nothing that is required is known of 1 file.",
        "No purpose is stated, so your files were checked only for what every ad needs. State it with "
        "mediaan init FOLDER.",
    ]
    assert list(certainty_sentences(counted([], unknown=3), FILES, purposes=True)) == []
