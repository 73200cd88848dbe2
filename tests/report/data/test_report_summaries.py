import statistics
from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest

from mediaan.report.medium_summary import remark, window_remark
from mediaan.report.metric_summary import histogram
from mediaan.report.selection import BINS, ScoreRanking, Standing, distribution
from mediaan.types.densities import Densities
from mediaan.types.media import Medium, MediumKind
from mediaan.types.metrics import Direction, MetricSpec, Score
from mediaan.types.result import Result


def spec_of(direction: Direction = "higher", name: str = "clarity") -> MetricSpec:
    return MetricSpec(name, name.title(), "score", 0, 100, direction, "learned", "", "")


def score(value: float | None, half: float | None = None) -> Score:
    bounds = (None, None) if value is None or half is None else (value - half, value + half)
    return Score(value, *bounds, metric="clarity", basis="learned", unit="score")


def standings(scores: Sequence[Score | None], direction: Direction) -> list[Standing | None]:
    known = [one for one in scores if one is not None and one.value is not None]
    values = np.array([one.value for one in known])
    ranking = ScoreRanking(values, np.array([moves_of(one) for one in known]), direction)
    return [None if one is None else ranking.standing(one.value, moves_of(one)) for one in scores]


def moves_of(score: Score) -> float:
    return 0.0 if score.value is None or score.hi is None else score.hi - score.value


def test_quartiles_agree_with_the_standard_library():
    values = np.random.default_rng(3).uniform(0, 100, 37).tolist()
    found = distribution(values, spec_of())
    assert (found.q1, found.median, found.q3) == pytest.approx(statistics.quantiles(values, method="inclusive"))


def test_every_value_falls_into_one_bin_of_the_whole_range():
    found = distribution([0.0, 3.9, 4.0, 99.9, 100.0], spec_of())
    assert found.counts == (2, 1, *[0] * (BINS - 3), 2)


def test_best_is_first_and_ties_share_the_better_rank():
    ranks = [s and s.rank for s in standings([score(50), score(90), None, score(50), score(None), score(10)], "higher")]
    assert ranks == [2, 1, None, 2, None, 4]


def test_lower_is_better_ranks_the_smallest_first():
    assert [s and s.rank for s in standings([score(50), score(90), score(10)], "lower")] == [2, 3, 1]


@pytest.mark.parametrize("direction", ["higher", "lower", "middle"])
def test_bounds_of_a_rank_count_only_what_differs_by_more_than_both_move(direction: Direction):
    rng = np.random.default_rng(5)
    scores = [score(float(v), float(h)) for v, h in zip(rng.uniform(0, 100, 40), rng.uniform(0, 20, 40), strict=True)]
    for mine, standing in zip(scores, standings(scores, direction), strict=True):
        above = sum(other.lo > mine.hi for other in scores)
        below = sum(other.hi < mine.lo for other in scores)
        ahead, behind = (below, above) if direction == "lower" else (above, below)
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
    assert (weak.kind, weak.sentence) == ("weakness", "Clarity is in the lowest quarter of this run.")
    assert strong.kind == "strength"


def test_an_extreme_of_a_middle_metric_is_neither_good_nor_bad():
    found = remark(spec_of("middle", "cognitive_demand"), Standing(rank=1, first=1, last=2, of=12), "middle")
    assert found.kind == "extreme"


@pytest.mark.parametrize(("rank", "kind"), [(1, "weakness"), (12, "strength")])
def test_an_extreme_is_judged_by_what_the_medium_is_for(rank: int, kind: str):
    """Cognitive demand is ranked from the highest; where lower is better, the highest is the weakest."""
    found = remark(spec_of("middle", "cognitive_demand"), Standing(rank, rank, rank, 12), "lower")
    assert found.kind == kind
    assert ("highest" if rank == 1 else "lowest") in found.sentence


@pytest.mark.parametrize(
    "standing",
    [
        Standing(rank=1, first=1, last=9, of=12),  # if all move, it may be in the lower half
        Standing(rank=12, first=2, last=12, of=12),
        Standing(rank=6, first=6, last=6, of=12),  # in the middle
        Standing(rank=1, first=1, last=1, of=7),  # too few media
    ],
)
def test_nothing_is_said_without_grounds(standing: Standing):
    assert remark(spec_of(), standing, "higher") is None


def focus_of_windows(start: float | None, end: float | None, kind: MediumKind) -> Result:
    medium = Medium(UUID(int=0), "ad.png", kind, 100, 100, "png")
    scores = (
        Score(start, metric="focus_first_two", time="start", basis="learned", unit="score"),
        Score(end, metric="focus_last_two", time="end", basis="learned", unit="score"),
    )
    return Result("ad.png", medium, scores, Densities({}))


def test_windows_are_compared_only_beyond_what_they_move():
    assert "falls from 70 to 40" in (window_remark(focus_of_windows(70, 40, "image")) or "")
    assert "rises from 40 to 70" in (window_remark(focus_of_windows(40, 70, "image")) or "")
    assert "no clear change" in (window_remark(focus_of_windows(60, 55, "image")) or "")
    assert "falls from 60 to 55" in (window_remark(focus_of_windows(60, 55, "video")) or "")  # not measured there
    assert window_remark(focus_of_windows(None, 50, "image")) is None


@pytest.mark.parametrize(("direction", "best"), [("higher", [0, 2, 1]), ("lower", [1, 2, 0])])
def test_the_best_come_first_and_the_worst_last(direction: Direction, best: list[int]) -> None:
    values = np.array([9.0, 1.0, 5.0])
    ranking = ScoreRanking(values, np.zeros(3), direction)
    assert (ranking.first(3), ranking.last(3)) == (best, best[::-1])
