from __future__ import annotations

import re
from dataclasses import fields, replace

import numpy as np
import pytest
from made_norms import norm
from scipy import stats

from mediaan.aoi.scoring.specs import FIRST_SEEN, LIFT, PERCENTAGE_SEEN
from mediaan.judge.benchmark.norm import PERCENTS, Norm
from mediaan.judge.benchmark.norm_set import NormMatch
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, UnratedReason, measured_target, rate_scores
from mediaan.judge.benchmark.targets import MeasuredTarget, ScoreTarget
from mediaan.metrics import FOCUS, HOTSPOT_COUNT, PACING
from mediaan.types.benchmark import CATEGORIES, BenchmarkRange, Category
from mediaan.types.metrics import MetricSpec, Score

MIDDLE: tuple[Category, ...] = ("medium",)
UPPER: tuple[Category, ...] = ("high", "extreme_high")
LOWER: tuple[Category, ...] = ("extreme_low", "low")
ALL_TARGETS = [CATEGORIES[i : j + 1] for i in range(5) for j in range(i, 5)]


def standard(
    one: Norm, spec: MetricSpec = FOCUS, target: tuple[Category, ...] = MIDDLE, fallback: str | None = None
) -> ReferenceStandard:
    return ReferenceStandard(
        "ads", "Our ads", NormMatch(one, "industry=food", fallback), spec, ScoreTarget(target, "Because.")
    )


def score(value: float | None, lo: float | None = None, hi: float | None = None, **facts: str | None) -> MeasuredScore:
    focus = Score(value, lo, hi, metric="focus", basis="learned", unit="score", reason=facts.get("reason"))
    return MeasuredScore("m", facts.get("aoi_id"), facts.get("aoi_type"), focus)


def test_an_even_population_by_hand() -> None:
    """Of a population that is even between 0 and 100 every score is its own percentile."""
    found = standard(norm(), fallback="industry=food/snacks has 3 images").rate(score(64, 41, 88))
    assert (found.percentile, found.percentile_lo, found.percentile_hi) == (64, 41, 88)
    assert (found.category, found.category_lo, found.category_hi, found.sure) == ("medium", "medium", "high", False)
    assert (found.lower, found.upper, found.target, found.position) == (30, 70, MIDDLE, "within")
    assert (found.norm_set, found.segment, found.n, found.edges) == ("ads", "industry=food", 100, (10, 30, 70, 90))
    assert (found.fallback, found.why, found.reason) == ("industry=food/snacks has 3 images", "Because.", None)
    assert found.score_title == (
        'Focus is 64, within the target range of 30 to 70 (100 images, "Our ads", industry: food).'
    )


@pytest.mark.parametrize(
    ("value", "target", "position"),
    [
        *((30, MIDDLE, "within"), (29.99, MIDDLE, "close_to"), (25, MIDDLE, "close_to"), (24.99, MIDDLE, "below")),
        *((70, MIDDLE, "within"), (70.01, MIDDLE, "close_to"), (75, MIDDLE, "close_to"), (75.01, MIDDLE, "above")),
        *((70, UPPER, "within"), (100, UPPER, "within"), (65, UPPER, "close_to"), (64.9, UPPER, "below")),
        *((0, LOWER, "within"), (30, LOWER, "within"), (35, LOWER, "close_to"), (35.1, LOWER, "above")),
        *((0, CATEGORIES, "within"), (100, CATEGORIES, "within")),
    ],
)
def test_positions_in_an_even_population(value: float, target: tuple[Category, ...], position: str) -> None:
    assert standard(norm(), target=target).rate(score(value)).position == position


@pytest.mark.parametrize(
    ("lower", "upper", "target", "positions"),
    [
        (64.0, None, ("medium", "high", "extreme_high"), {58: "below", 60: "close_to", 64: "within", 100: "within"}),
        (None, 64.0, ("extreme_low", "low", "medium"), {0: "within", 64: "within", 66: "close_to", 70: "above"}),
        (40.0, 64.0, ("medium",), {34: "below", 36: "close_to", 40: "within", 65: "close_to", 90: "above"}),
    ],
)
def test_a_target_in_the_unit_of_the_score(
    lower: float | None, upper: float | None, target: tuple[Category, ...], positions: dict[int, str]
) -> None:
    """A target that the benchmark states itself: categories are those that it reaches into, its ends decide."""
    measured = measured_target(MeasuredTarget(lower, upper, "The best have it."), norm())
    found = replace(standard(norm()), target=measured)
    assert found.ends == (lower or 0, upper or 100)
    for value, position in positions.items():
        rated = found.rate(score(value))
        assert (rated.position, rated.target, rated.why) == (position, target, "The best have it.")


def test_a_known_population() -> None:
    """A normal one: percentiles and ends of ranges are those of its distribution function."""
    people = stats.norm(50, 10)
    one = norm(people.ppf(np.asarray(PERCENTS) / 100))
    for value in (28.0, 37.1, 44.9, 50.0, 61.3, 70.0):
        found = standard(one).rate(score(value))
        assert found.percentile == pytest.approx(100 * people.cdf(value), abs=0.1)
    assert found.lower == pytest.approx(people.ppf(0.3), abs=1e-3)
    assert found.upper == pytest.approx(people.ppf(0.7), abs=1e-3)


def populations() -> list[Norm]:
    rng = np.random.default_rng(5)
    samples = [rng.uniform(0, 100, 400), rng.normal(50, 12, 300).clip(0, 100), rng.poisson(3, 200), np.full(50, 100.0)]
    samples += [np.r_[np.zeros(150), rng.uniform(0, 100, 100)], rng.integers(1, 4, 90), rng.gamma(0.3, 20, 200)]
    return [norm(np.quantile(sample, np.asarray(PERCENTS) / 100, method="weibull")) for sample in samples]


@pytest.mark.parametrize("target", ALL_TARGETS)
@pytest.mark.parametrize("place", range(len(populations())))
def test_position_sentence_and_range_say_the_same(place: int, target: tuple[Category, ...]) -> None:
    """Whatever the population, with ties or without: what is rated is total, in order, and free of contradictions."""
    held = standard(populations()[place], replace(FOCUS, high=500), target)
    rng = np.random.default_rng(place)
    values = np.sort(np.r_[rng.uniform(0, 110, 60), held.match.norm.quantiles[::7], held.match.norm.edges, 0, 500])
    found = [held.rate(score(float(value))) for value in values]
    order = {"below": 0, "close_to": 1, "within": 2, "above": 4}
    sides: list[int] = []
    for one in found:
        assert one.lower is not None
        assert one.upper is not None
        assert one.value is not None
        assert one.lower <= one.upper
        assert one.position is not None
        if one.lower <= one.value <= one.upper or one.category in target:
            assert one.position == "within"
        else:
            assert one.position != "within"
        if one.position in ("above", "below"):
            assert (one.position == "above") == (one.value > one.upper)
        assert re.findall("within|close to|above|below", one.score_title or "") == [one.position.replace("_", " ")]
        sides.append(3 if one.position == "close_to" and one.value > one.upper else order[one.position])
    assert sides == sorted(sides)
    places = [CATEGORIES.index(one.category) for one in found if one.category]
    assert places == sorted(places)
    assert len(places) == len(found)


def test_ends_of_the_metric_end_the_range() -> None:
    assert (standard(norm(), HOTSPOT_COUNT, LOWER).ends or (None,))[0] == 1
    assert (standard(norm(), FOCUS, UPPER).ends or (None,))[-1] == 100
    assert not standard(norm(), FOCUS, UPPER).open_ended


@pytest.mark.parametrize("spec", [LIFT, FIRST_SEEN, PACING, HOTSPOT_COUNT])
def test_what_has_no_highest_value_ends_at_the_last_percentile_and_says_so(spec: MetricSpec) -> None:
    held = standard(norm(), spec, UPPER)
    assert (held.ends, held.open_ended) == ((70, 99), True)
    beyond = held.rate(score(400))
    assert (beyond.position, beyond.category) == ("within", "extreme_high")
    assert "70" in (beyond.score_title or "")
    assert " or more (100" in (beyond.score_title or "")
    assert standard(norm(), spec, MIDDLE).open_ended is False


def test_nothing_recommended() -> None:
    found = standard(norm(), target=()).rate(score(64, 60, 66))
    assert (found.percentile, found.category, found.sure, found.why) == (64, "medium", True, "Because.")
    assert (found.lower, found.upper, found.position, found.score_title, found.target) == (None, None, None, None, ())


def test_scores_without_population_or_value_say_why() -> None:
    held = {
        "a": standard(norm(aoi_type="face"), PERCENTAGE_SEEN),
        "b": UnratedReason("ads", "No population of it."),
        "c": None,
    }
    scores = [
        score(None, aoi_id="a", aoi_type="face", reason="Nobody looks there."),
        score(30, 20, 40, aoi_id="b", aoi_type="face"),
        score(30, aoi_id="c", aoi_type="face"),
    ]
    found = list(rate_scores(scores, lambda one: held[str(one.aoi_id)]))
    assert [one.aoi_id for one in found] == ["a", "b"], "what shall not be compared is not spoken of"
    assert found[0].reason == "The score is undefined: Nobody looks there."
    assert found[1].reason == "No population of it."
    known = {"medium_id", "aoi_id", "aoi_type", "metric", "metric_time", "value", "lo", "hi", "norm_set", "segment"}
    for one in found:
        assert one.norm_set == "ads"
        rest = {field.name: getattr(one, field.name) for field in fields(BenchmarkRange)} | {"reason": None}
        assert all(value in (None, ()) for name, value in rest.items() if name not in known)
    assert (found[1].value, found[1].lo, found[1].hi) == (30, 20, 40)


def test_one_without_an_interval_is_neither_sure_nor_unsure() -> None:
    assert standard(norm()).rate(score(64)).sure is None
