import statistics
from collections.abc import Sequence

import numpy as np
import pytest

from mediaan.report.data.rankings import BINS, ScoreRanking, Standing, distribution
from mediaan.report.detail.remarks import remark, window_remark
from mediaan.report.summary.metric import histogram
from mediaan.types.metrics import Direction, MetricSpec, Score


def spec_of(direction: Direction = "higher", name: str = "clarity") -> MetricSpec:
    return MetricSpec(name, name.title(), "score", 0, 100, direction, "learned", "", "")


def score(value: float | None, half: float | None = None) -> Score:
    bounds = (None, None) if value is None or half is None else (value - half, value + half)
    return Score(value, *bounds, metric="clarity", basis="learned", unit="score")


def standings(scores: Sequence[Score | None], direction: Direction) -> list[Standing | None]:
    known = [one for one in scores if one is not None and one.value is not None]
    values = np.array([one.value for one in known])
    lo, hi = (
        np.array([one.value if getattr(one, end) is None else getattr(one, end) for one in known])
        for end in ("lo", "hi")
    )
    ranking = ScoreRanking(values, lo, hi, direction)
    return [ranking.standing(one) for one in scores]


def test_quartiles_agree_with_the_standard_library():
    values = np.random.default_rng(3).uniform(0, 100, 37).tolist()
    found = distribution(values, spec_of())
    assert found is not None
    assert (found.q1, found.median, found.q3) == pytest.approx(statistics.quantiles(values, method="inclusive"))


def test_every_value_falls_into_one_bin_of_the_whole_range():
    found = distribution([0.0, 3.9, 4.0, 99.9, 100.0], spec_of())
    assert found is not None
    assert found.counts == (2, 1, *[0] * (BINS - 3), 2)


def test_best_is_first_and_ties_share_the_better_rank():
    ranks = [s and s.rank for s in standings([score(50), score(90), None, score(50), score(None), score(10)], "higher")]
    assert ranks == [2, 1, None, 2, None, 4]


def test_lower_is_better_ranks_the_smallest_first():
    assert [s and s.rank for s in standings([score(50), score(90), score(10)], "lower")] == [2, 3, 1]


@pytest.mark.parametrize("direction", ["higher", "lower", "middle"])
def test_bounds_of_a_rank_count_only_intervals_that_do_not_overlap(direction: Direction):
    rng = np.random.default_rng(5)
    scores = [score(float(v), float(h)) for v, h in zip(rng.uniform(0, 100, 40), rng.uniform(0, 20, 40), strict=True)]
    for mine, standing in zip(scores, standings(scores, direction), strict=True):
        above = sum(other.lo > mine.hi for other in scores)
        below = sum(other.hi < mine.lo for other in scores)
        ahead, behind = (below, above) if direction == "lower" else (above, below)
        assert standing is not None
        assert (standing.first, standing.last) == (1 + ahead, 40 - behind)
        assert standing.first <= standing.rank <= standing.last


def test_histogram_draws_one_box_per_filled_bin_and_the_median_in_place():
    found = distribution([10, 50, 51, 90], spec_of())
    assert found is not None
    svg = histogram(found, spec_of())
    bins = svg.split('class="bins" d="')[1].split('"')[0]
    assert bins.count("z") == 3
    assert 'class="median" d="M101.0 ' in svg  # 50.5 % of a width of 200


def test_weakness_and_strength_are_told_apart():
    weak = remark(spec_of(), Standing(rank=12, first=10, last=12, of=12), "higher")
    strong = remark(spec_of(), Standing(rank=1, first=1, last=3, of=12), "higher")
    assert weak is not None
    assert (weak.kind, weak.sentence) == ("weakness", "Clarity is in the lowest quarter of this run.")
    assert strong is not None
    assert strong.kind == "strength"


def test_an_extreme_of_a_middle_metric_is_neither_good_nor_bad():
    found = remark(spec_of("middle", "cognitive_demand"), Standing(rank=1, first=1, last=2, of=12), "middle")
    assert found is not None
    assert found.kind == "extreme"


@pytest.mark.parametrize(("rank", "kind"), [(1, "weakness"), (12, "strength")])
def test_an_extreme_is_judged_by_what_the_medium_is_for(rank: int, kind: str):
    """Cognitive demand is ranked from the highest; where lower is better, the highest is the weakest."""
    found = remark(spec_of("middle", "cognitive_demand"), Standing(rank, rank, rank, 12), "lower")
    assert found is not None
    assert found.kind == kind
    assert ("highest" if rank == 1 else "lowest") in found.sentence


@pytest.mark.parametrize(
    "standing",
    [
        Standing(rank=1, first=1, last=9, of=12),  # the intervals leave the lower half open
        Standing(rank=12, first=2, last=12, of=12),
        Standing(rank=6, first=6, last=6, of=12),  # in the middle
        Standing(rank=1, first=1, last=1, of=7),  # too few media
    ],
)
def test_nothing_is_said_without_grounds(standing: Standing):
    assert remark(spec_of(), standing, "higher") is None


def test_windows_are_compared_only_beyond_their_intervals():
    assert "falls from 70 to 50" in (window_remark(score(70, 5), score(50, 5)) or "")
    assert "rises from 50 to 70" in (window_remark(score(50, 5), score(70, 5)) or "")
    assert "not a clear change" in (window_remark(score(60, 5), score(55, 5)) or "")
    assert window_remark(score(None), score(50, 5)) is None
    assert window_remark(None, score(50, 5)) is None


@pytest.mark.parametrize(("direction", "best"), [("higher", [0, 2, 1]), ("lower", [1, 2, 0])])
def test_the_best_come_first_and_the_worst_last(direction: Direction, best: list[int]) -> None:
    values = np.array([9.0, 1.0, 5.0])
    ranking = ScoreRanking(values, values, values, direction)
    assert (ranking.first(3), ranking.last(3)) == (best, best[::-1])
