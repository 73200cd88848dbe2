"""What rules say of media with chosen scores: truth tables by hand."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace
from operator import eq, ge, gt, le, lt
from uuid import UUID

import numpy as np
import pytest

from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.rules.derived import with_derived_scores
from mediaan.judge.rules.evaluate import evaluate
from mediaan.judge.rules.parse import parse_rule
from mediaan.judge.rules.rule import AOI_SCORES, MEDIUM_SCORES, OPERATORS, Expression, IfMissing, Limit, Rule
from mediaan.types.aoi import AOI_TYPES, FOUND_BY, Aoi, AoiType, Box, TextFacts
from mediaan.types.checks import RuleResult, RuleStatus
from mediaan.types.densities import Densities
from mediaan.types.media import Medium
from mediaan.types.metrics import Interval, Score
from mediaan.types.result import Result

HARDLY = "Fewer than 5 % of the viewers are predicted to see it."


_IDS = itertools.count(1)


def area(
    value: float | None,
    label: str = "Acme",
    *,
    lo: float | None = None,
    hi: float | None = None,
    metric: str = "attention",
    type: AoiType = "branding",
    reason: str = "Dark.",
) -> Aoi:
    score = Score.of(AOI_SCORES[metric], value, (lo, hi), reason=None if value is not None else reason)
    return Aoi(UUID(int=next(_IDS)), type, label, Box(0, 0, 1, 1), 0.9, "detector", scores=(score,))


def medium(*areas: Aoi, scores: tuple[Score, ...] = (), looked_for: frozenset[AoiType] = FOUND_BY["all"]) -> Result:
    picture = Medium(UUID(int=0), "a.png", "image", 30, 20, "png")
    return Result("a.png", picture, scores, Densities({}), aois=areas, looked_for=looked_for)


def scored(
    metric: str, value: float | None, lo: float | None = None, hi: float | None = None, reason: str | None = None
) -> Result:
    return medium(scores=(Score.of(MEDIUM_SCORES[metric], value, (lo, hi), reason=reason),))


def result(text: str, of: Result, *, sure: bool = False, missing: IfMissing | None = None) -> RuleResult:
    return evaluate(Rule(parse_rule(text), sure=sure, missing=missing), of)


def status(text: str, of: Result, *, sure: bool = False, missing: IfMissing | None = None) -> RuleStatus:
    return result(text, of, sure=sure, missing=missing).status


def test_status_and_margin_follow_from_the_operator() -> None:
    rng = random.Random(7)
    meanings = (ge, gt, le, lt, eq)
    for (operator, holds), _ in itertools.product(zip(OPERATORS, meanings, strict=True), range(200)):
        value, limit = rng.randint(1, 20), rng.randint(1, 20)
        outcome = result(f"hotspot_count {operator} {limit}", scored("hotspot_count", float(value)))
        assert outcome.margin is not None
        assert abs(outcome.margin) == abs(value - limit)
        assert outcome.status == ("passed" if holds(value, limit) else "failed")
        assert (outcome.margin > 0) <= (outcome.status == "passed")
        assert (outcome.margin < 0) <= (outcome.status == "failed")


@pytest.mark.parametrize(
    ("text", "reading", "plain", "asked", "sure"),
    [
        ("focus >= 40", Interval(50, 41, 60), "passed", "passed", True),
        ("focus >= 40", Interval(50, 40, 60), "passed", "passed", True),
        ("focus > 40", Interval(50, 40, 60), "passed", "failed", False),
        ("focus >= 40", Interval(50, 30, 60), "passed", "failed", False),
        ("focus >= 40", Interval(30, 20, 50), "failed", "failed", False),
        ("focus >= 40", Interval(30, 20, 35), "failed", "failed", True),
        ("focus <= 40", Interval(30, 20, 35), "passed", "passed", True),
        ("focus <= 40", Interval(30, 20, 45), "passed", "failed", False),
        ("focus >= 40", Interval(50), "passed", "skipped", None),
        ("focus >= 40", Interval(30), "failed", "failed", None),
        ("hotspot_count <= 3", Interval(2.0), "passed", "passed", None),
    ],
)
def test_what_is_sure(text: str, reading: Interval, plain: RuleStatus, asked: RuleStatus, sure: bool | None) -> None:
    of = scored(text.split()[0], reading.value, reading.lo, reading.hi)
    assert (result(text, of).status, result(text, of).sure) == (plain, sure)
    assert status(text, of, sure=True) == asked


@pytest.mark.parametrize(
    ("text", "values", "verdict", "decided_by"),
    [
        ("branding.attention >= 2", (3.0, 1.0), "passed", 3.0),
        ("branding.attention >= 4", (3.0, 1.0), "failed", 3.0),
        ("branding.attention <= 2", (3.0, 1.0), "failed", 3.0),
        ("branding.attention <= 2", (1.5, 1.0), "passed", 1.5),
        ("branding.first_seen_s <= 1", (0.5, 3.0), "passed", 0.5),
        ("branding.first_seen_s <= 1", (1.5, 3.0), "failed", 1.5),
        ("branding.first_seen_s >= 1", (0.5, 3.0), "failed", 0.5),
        ("all(branding).attention >= 2", (3.0, 1.0), "failed", 1.0),
        ("all(branding).attention >= 2", (3.0, 2.0), "passed", 2.0),
        ("all(branding).attention <= 2", (3.0, 1.0), "failed", 3.0),
        ("all(branding).first_seen_s <= 1", (0.5, 3.0), "failed", 3.0),
        ("any(branding).attention >= 2", (3.0, 1.0), "passed", 3.0),
        ("any(branding).attention <= 2", (3.0, 1.0), "passed", 1.0),
        ("any(branding).attention <= 0.5 %", (3.0, 1.0), "failed", 1.0),
        ("any(branding).first_seen_s <= 1", (0.5, 3.0), "passed", 0.5),
    ],
)
def test_which_of_several_areas_is_looked_at(
    text: str, values: tuple[float, ...], verdict: RuleStatus, decided_by: float
) -> None:
    metric = parse_rule(text).metric
    for order in itertools.permutations(values):
        areas = {str(aoi.aoi_id): aoi for aoi in (area(value, metric=metric) for value in order)}
        outcome = result(text, medium(*areas.values()))
        assert (outcome.status, outcome.value) == (verdict, decided_by)
        assert areas[str(outcome.aoi_id)].value(metric) == decided_by
        assert "(Acme, 1 of 2)" in outcome.message


def test_all_and_any_agree_with_holding_the_rule_against_each_alone() -> None:
    rng = random.Random(3)
    for operator in (">=", ">", "<=", "<"):
        for _ in range(100):
            values = [float(rng.randint(0, 6)) for _ in range(rng.randint(1, 5))]
            areas = [area(v, lo=max(0.0, v - rng.randint(0, 2)), hi=v + rng.randint(0, 2)) for v in values]
            for sure in (False, True):
                alone = [status(f"branding.attention {operator} 3", medium(a), sure=sure) == "passed" for a in areas]
                together = {
                    which: status(f"{which}(branding).attention {operator} 3", medium(*areas), sure=sure) == "passed"
                    for which in ("all", "any")
                }
                assert together == {"all": all(alone), "any": any(alone)}


@pytest.mark.parametrize(
    ("text", "usually"),
    [
        ("branding.percentage_seen >= 40", "failed"),
        ("all(branding).percentage_seen >= 40", "failed"),
        ("any(branding).percentage_seen > 40", "failed"),
        ("branding.first_seen_s <= 1", "failed"),
        ("branding.first_seen_s < 1", "failed"),
        ("branding.percentage_seen <= 40", "passed"),
        ("branding.attention < 40", "passed"),
        ("branding.first_seen_s >= 1", "passed"),
    ],
)
def test_no_such_area(text: str, usually: RuleStatus) -> None:
    others = medium(area(50.0, type="face"), looked_for=FOUND_BY["all"])
    outcome = result(text, others)
    assert outcome.status == usually
    assert "no branding was found" in outcome.message
    assert (outcome.value, outcome.margin, outcome.sure, outcome.aoi_id) == (None, None, None, None)
    expected: dict[IfMissing, RuleStatus] = {"fail": "failed", "pass": "passed", "skip": "skipped"}
    assert {missing: status(text, others, missing=missing) for missing in expected} == expected


def test_the_number_of_areas_is_never_missing() -> None:
    assert status("branding.count >= 1", medium()) == "failed"
    assert status("branding.count <= 1", medium()) == "passed"
    assert status("branding.count == 0", medium(area(1.0, type="face"))) == "passed"
    two = medium(area(1.0), area(2.0, "Other"), area(2.0, type="face"))
    assert result("branding.count <= 3", two).value == 2.0
    assert result('branding("acme").count == 1', two).status == "passed"


def test_labels_are_compared_as_people_read_them() -> None:
    of = medium(area(5.0, "Größe  GmbH"), area(9.0, "other"))
    assert result('branding("grösse gmbh").attention >= 2', of).value == 5.0
    outcome = result('branding("Acme").attention >= 2', of)
    assert outcome.status == "failed"
    assert 'no branding labelled "Acme" was found (2 with other labels)' in outcome.message


def test_areas_that_nobody_looked_for_are_not_missing() -> None:
    for text in ("product.attention >= 2", "product.attention <= 2", "product.count >= 1", "product.count == 0"):
        outcome = result(text, medium(looked_for=FOUND_BY["text"]))
        assert outcome.status == "skipped"
        assert "were not looked for" in outcome.message


def test_every_type_of_area_is_found_by_some_search_or_drawn() -> None:
    assert FOUND_BY["all"] == FOUND_BY["text"] | FOUND_BY["objects"]
    assert set(AOI_TYPES) - FOUND_BY["all"] == {"other"}


def test_a_score_that_is_undefined_never_passes() -> None:
    outcome = result("clarity >= 1", scored("clarity", None, reason="The picture is black."))
    assert (outcome.status, outcome.message) == ("skipped", "clarity is undefined: the picture is black.")
    assert status("clarity <= 99", scored("clarity", None)) == "skipped"
    assert status("clarity.start <= 99", scored("clarity", 1.0)) == "skipped"
    assert status("branding.attention <= 99", medium(area(None))) == "skipped"


def test_what_hardly_anybody_sees_is_not_seen_in_time() -> None:
    unseen = area(None, metric="first_seen_s", reason=HARDLY)
    outcome = result("branding.first_seen_s <= 1.5 s", medium(unseen))
    assert outcome.status == "failed"
    assert outcome.message == (
        "branding.first_seen_s is undefined: fewer than 5 % of the viewers are predicted to see it; "
        "asked for is at most 1.5 s."
    )
    assert status("branding.first_seen_s >= 1", medium(unseen)) == "skipped"
    seen = area(1.0, metric="first_seen_s")
    assert status("branding.first_seen_s <= 1.5", medium(unseen, seen)) == "passed"
    assert status("all(branding).first_seen_s <= 1.5", medium(unseen, seen)) == "failed"


@pytest.mark.parametrize(
    ("text", "known", "verdict"),
    [
        ("all(branding).attention >= 2", 1.0, "failed"),
        ("all(branding).attention >= 2", 3.0, "skipped"),
        ("any(branding).attention >= 2", 3.0, "passed"),
        ("any(branding).attention >= 2", 1.0, "skipped"),
        ("branding.attention >= 2", 3.0, "passed"),
        ("branding.attention >= 2", 1.0, "failed"),
    ],
)
def test_one_of_the_areas_without_a_score(text: str, known: float, verdict: RuleStatus) -> None:
    for areas in itertools.permutations((area(known), area(None))):
        assert status(text, medium(*areas)) == verdict


def test_percentiles_of_a_known_population() -> None:
    """Scores 0, 1, ..., 100, of which the 70th percentile is 70."""
    quantiles = np.arange(1.0, 100.0)
    norm = Norm("image", "focus", "total", None, "score", (), 101, 101, quantiles, quantiles - 1, quantiles + 1)
    asked = []

    def limit_at(medium_id: str, expression: Expression) -> Limit | str:
        asked.append((medium_id, expression))
        return Limit(norm.value_at(expression.percent or 0), words="70th percentile of Somebody, n = 101")

    rule = Rule(parse_rule("focus <= p70"))
    low, high = (evaluate(rule, scored("focus", value), limit_at) for value in (70.0, 71.5))
    assert asked == [(str(UUID(int=0)), rule.expression)] * 2
    assert (low.status, low.limit, low.margin) == ("passed", 70.0, 0.0)
    assert (high.status, high.limit, high.margin) == ("failed", 70.0, -1.5)
    assert high.message == "focus is 71.5, 1.5 over 70 (70th percentile of Somebody, n = 101)."


@pytest.mark.parametrize(
    ("text", "reading", "sure"),
    [
        ("focus >= p70", (60, 56, 64), True),
        ("focus >= p70", (60, 54, 66), False),
        ("focus >= p70", (44, 42, 44.9), True),
        ("focus >= p70", (44, 42, 45), False),
        ("focus <= p70", (44, 42, 45), True),
        ("focus <= p70", (44, 42, 45.1), False),
    ],
)
def test_a_percentile_is_as_sure_as_its_population(text: str, reading: tuple[float, ...], sure: bool) -> None:
    """The population's percentile is 50, and could be 45 to 55."""
    limit = Limit(50.0, 45.0, 55.0, "70th percentile of Somebody, n = 40")
    outcome = evaluate(Rule(parse_rule(text)), scored("focus", *reading), lambda *_: limit)
    assert outcome.sure is sure
    assert "n = 40, 90 % interval 45 to 55)" in outcome.message
    asked = evaluate(Rule(parse_rule(text), sure=True), scored("focus", *reading), lambda *_: limit)
    assert asked.status == ("passed" if sure and outcome.status == "passed" else "failed")


def test_of_several_areas_a_rule_that_asks_to_be_sure_looks_at_the_hard_end_of_a_percentile() -> None:
    limit = Limit(10.0, 5.0, 15.0, "70th percentile of Somebody, n = 40")
    both = medium(area(14.0, lo=13.0, hi=15.0), area(20.0, lo=16.0, hi=24.0))
    for which, status in (("all", "failed"), ("any", "passed")):
        rule = Rule(parse_rule(f"{which}(branding).attention >= p70"), sure=True)
        assert evaluate(rule, both, lambda *_: limit).status == status


def test_without_a_population_nothing_is_said() -> None:
    rule = Rule(parse_rule("focus <= p70"))
    outcome = evaluate(rule, scored("focus", 1.0), lambda *_: "too few media")
    assert (outcome.status, outcome.limit, outcome.message) == ("skipped", None, "focus has no limit: too few media.")


@pytest.mark.parametrize(
    ("text", "reading", "message"),
    [
        ("focus >= 40", Interval(31, 22, 41), "focus is 31, 9 short of 40; 90 % interval 22 to 41: not sure."),
        ("focus <= 40", Interval(52, 45, 60), "focus is 52, 12 over 40; 90 % interval 45 to 60: sure."),
        ("focus >= 40", Interval(17.5, 0, 39.97), "focus is 17.5, 22.5 short of 40; 90 % interval 0 to 39.97: sure."),
        ("focus >= 40", Interval(52), "focus is 52, 12 above 40."),
        ("focus <= 40", Interval(28.04), "focus is 28, 12 below 40."),
        ("focus > 40", Interval(40), "focus is 40, not more than 40."),
        ("focus >= 40", Interval(40), "focus is 40, exactly 40."),
        ("focus < 40", Interval(40), "focus is 40, not less than 40."),
        ("focus >= 40", Interval(39.9996), "focus is 39.9996, 0.0004 short of 40."),
        ("hotspot_count == 3", Interval(3), "hotspot_count is 3, as asked for."),
        ("hotspot_count == 3", Interval(5), "hotspot_count is 5, not 3."),
        ("pacing <= 20", Interval(30), "pacing is 30 a minute, 10 over 20."),
    ],
)
def test_sentences(text: str, reading: Interval, message: str) -> None:
    assert result(text, scored(text.split()[0], reading.value, reading.lo, reading.hi)).message == message


def test_the_sentence_of_a_rule_that_asks_to_be_sure() -> None:
    outcome = result("focus >= 40", scored("focus", 45, 35, 55), sure=True)
    assert outcome.message == (
        "focus is 45, 5 above 40, but its 90 % interval 35 to 55 reaches beyond the limit, "
        "and the rule asks to be sure."
    )


def test_the_lead_of_the_message_and_contrast_are_scores_of_rules() -> None:
    """Shares of 20 ± 3 and 30 ± 4: a lead of -10 ± 5."""
    headline = area(20.0, lo=17.0, hi=23.0, type="headline_text")
    terms = replace(area(30.0, lo=26.0, hi=34.0, type="body_text"), text=TextFacts("Terms", 5.0, 2.5, True))
    derived = with_derived_scores(medium(headline, terms), None, [parse_rule("attention_lead >= -7")])
    lead = result("attention_lead >= -7", derived)
    assert (lead.status, lead.value, lead.lo, lead.hi, lead.sure) == ("failed", -10.0, -15.0, -5.0, False)
    assert result("all(body_text).contrast >= 3", derived).message == "all(body_text).contrast is 2.5, 0.5 short of 3."
    assert status("headline_text.contrast >= 3", derived) == "skipped"


def test_long_labels_are_shortened_in_sentences() -> None:
    of = medium(area(5.0, "x" * 500), area(1.0))
    assert len(result("branding.attention >= 2", of).message) < 120
