"""Shifts, ranks, intervals and categories against hand-worked values and scipy; areas told by type and place."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.studies.drift.statistics import (
    CategoryFlip,
    MetricDrift,
    density_drifts,
    mean_interval,
    metric_drifts,
    pair_area_scores,
    pair_areas,
    pair_scores,
    rank_correlation,
)
from mediaan.types.benchmark import CATEGORIES
from mediaan.types.densities import Densities

NAN = float("nan")


def metrics(values: list[float], half: float | None = None, metric: str = "focus", unit: str = "score") -> pd.DataFrame:
    """A table ``metrics`` of one metric; the media are called a, b, c ..."""
    value = np.array(values, np.float64)
    bound = NAN if half is None else half
    names = [chr(ord("a") + i) for i in range(len(values))]
    same = {"metric": metric, "metric_time": "total", "unit": unit}
    return pd.DataFrame({"medium_id": names, **same, "value": value, "lo": value - bound, "hi": value + bound})


def drift(old: pd.DataFrame, new: pd.DataFrame) -> MetricDrift:
    (one,) = metric_drifts(pair_scores(old, new))
    return one


def test_a_summary_worked_out_by_hand() -> None:
    one = drift(metrics([10, 20, 30, 40], 3), metrics([12, 20, 25, 60], 50))
    assert (one.subject, one.metric, one.time, one.unit, one.n) == ("medium", "focus", "total", "score", 4)
    assert one.mean_shift == pytest.approx((2 + 0 - 5 + 20) / 4)
    assert one.median_size == pytest.approx(3.5)
    assert one.p95_size == pytest.approx(5 + 0.85 * 15)
    assert (one.largest, one.largest_medium) == (20, "d")
    assert one.rank_correlation == pytest.approx(1.0)
    assert one.outside == pytest.approx(0.5), "two of four leave the old interval, whatever the new one is"
    assert (one.width_old, one.width_new) == (pytest.approx(6), pytest.approx(100))
    assert one.bounds == pytest.approx(60 + 50 - (40 + 3)), "of the last one, upwards"
    assert one.flips == (CategoryFlip("medium", "low", 1),)
    assert one.flipped == pytest.approx(0.25)


def test_the_largest_shift_keeps_its_sign() -> None:
    one = drift(metrics([50, 50]), metrics([53, 41]))
    assert (one.largest, one.largest_medium) == (-9, "b")


def test_the_other_way_round_everything_turns() -> None:
    generator = np.random.default_rng(3)
    old, new = (list(generator.uniform(0, 100, 20)) for _ in range(2))
    there, back = drift(metrics(old), metrics(new)), drift(metrics(new), metrics(old))
    assert there.mean_shift == pytest.approx(-(back.mean_shift or 0))
    assert there.p95_size == pytest.approx(back.p95_size)
    assert there.rank_correlation == pytest.approx(back.rank_correlation)
    assert there.flips is not None
    assert back.flips is not None
    turned = {(flip.after, flip.before): flip.n for flip in back.flips}
    assert {(flip.before, flip.after): flip.n for flip in there.flips} == turned


def test_what_is_undefined_is_counted_and_left_out() -> None:
    one = drift(metrics([10, NAN, 30, NAN, 50], 1), metrics([NAN, 20, 31, NAN, NAN]))
    assert (one.n, one.n_lost, one.n_gained) == (1, 2, 1)
    assert one.mean_shift == pytest.approx(1.0)
    assert (one.lo, one.hi, one.rank_correlation) == (None, None, None), "one medium tells nothing about its like"


def test_without_intervals_nothing_is_outside_of_them() -> None:
    assert drift(metrics([10, 20]), metrics([90, 20])).outside is None


def test_other_units_have_no_categories() -> None:
    assert drift(metrics([10], unit="%"), metrics([90], unit="%")).flips is None


def test_a_metric_whose_unit_changed_is_another() -> None:
    assert pair_scores(metrics([1.0], unit="s"), metrics([1000.0], unit="ms")).empty


def test_metrics_and_times_are_kept_apart() -> None:
    old = pd.concat([metrics([10, 20]), metrics([1, 2], metric="clarity")])
    new = pd.concat([metrics([2, 4], metric="clarity"), metrics([10, 20])])
    found = {one.metric: one.mean_shift for one in metric_drifts(pair_scores(old, new))}
    assert found == {"focus": 0, "clarity": 1.5}


@pytest.mark.parametrize("seed", range(20))
def test_rank_correlation_is_scipy_s(seed: int) -> None:
    generator = np.random.default_rng(seed)
    old, new = generator.integers(0, 8, (2, 25)).astype(np.float64)  # with many ties
    assert rank_correlation(old, new) == pytest.approx(stats.spearmanr(old, new).statistic)


def test_flips_agree_with_the_categories_of_each_value() -> None:
    scores = np.linspace(0, 100, 101)
    one = drift(metrics(list(scores[:-1])), metrics(list(scores[1:])))
    assert one.flips == tuple(CategoryFlip(a, b, 1) for a, b in pairwise(CATEGORIES)), "each edge is crossed once"


def test_the_interval_of_single_values_is_that_of_a_mean() -> None:
    values = np.random.default_rng(5).normal(3, 2, 40)
    ours = mean_interval(values, np.arange(40).astype(str))
    theirs = bootstrap_interval(values)
    assert ours is not None
    assert ours == pytest.approx(theirs, abs=0.05)


def area(
    aoi_id: str, box: tuple[float, ...], kind: str = "face", medium: str = "a", **when: float
) -> dict[str, object]:
    sides = dict(zip(("x0", "y0", "x1", "y1"), box, strict=True))
    return {"medium_id": medium, "aoi_id": aoi_id, "type": kind, **sides, "t0_s": NAN, "t1_s": NAN} | when


LEFT, RIGHT = (0, 0, 0.5, 1), (0.5, 0, 1, 1)


def joined(old: list[dict[str, object]], new: list[dict[str, object]]) -> set[tuple[str, str]]:
    found = pair_areas(pd.DataFrame(old), pd.DataFrame(new)).pairs
    return set(zip(found.aoi_id_old, found.aoi_id_new, strict=True))


def test_areas_are_told_by_place_though_their_ids_were_swapped() -> None:
    assert joined([area("1", LEFT), area("2", RIGHT)], [area("1", RIGHT), area("2", LEFT)]) == {("1", "2"), ("2", "1")}


def test_the_closest_pair_goes_first() -> None:
    near, nearer = (0, 0, 0.6, 1), (0, 0, 0.52, 1)
    assert joined([area("1", near), area("2", LEFT)], [area("3", nearer)]) == {("2", "3")}


@pytest.mark.parametrize(
    "other", [area("1", LEFT, "person"), area("1", LEFT, medium="b"), area("1", (0, 0, 0.24, 1)), area("1", RIGHT)]
)
def test_another_type_medium_or_place_is_another_area(other: dict[str, object]) -> None:
    assert joined([area("1", LEFT)], [other]) == set()


def test_one_place_at_two_times_is_two_areas() -> None:
    early, late = {"t0_s": 0.0, "t1_s": 2.0}, {"t0_s": 5.0, "t1_s": 8.0}
    old = [area("1", LEFT, **early), area("2", LEFT, **late)]
    assert joined(old, [area("1", LEFT, **late)]) == {("2", "1")}
    instant = {"t0_s": 1.0, "t1_s": 1.0}
    assert joined([area("1", LEFT, **instant)], [area("2", LEFT, **instant)]) == {("1", "2")}


def test_scores_of_areas_follow_their_areas() -> None:
    def scores(values: dict[str, float]) -> pd.DataFrame:
        same = {"metric": "attention", "metric_time": "total", "unit": "%", "lo": NAN, "hi": NAN}
        return pd.DataFrame([{"medium_id": "a", "aoi_id": key, "value": value} | same for key, value in values.items()])

    areas = pair_areas(
        pd.DataFrame([area("1", LEFT), area("2", RIGHT)]), pd.DataFrame([area("1", RIGHT), area("7", (0, 0, 0.1, 0.1))])
    )
    rows = pair_area_scores(scores({"1": 10, "2": 20}), scores({"1": 23, "7": 5}), areas)
    assert (areas.n_old, areas.n_new, areas.alone) == (2, 2, 2)
    (one,) = metric_drifts(rows)
    assert (one.subject, one.n, one.mean_shift) == ("face", 1, 3.0)
    assert rows.aoi_id.tolist() == ["2"], "the old run's id"


def test_densities_are_compared_with_the_old_one_as_truth() -> None:
    old = Densities({"total": np.array([[0.0, 1.0]], np.float32)})
    new = Densities({"total": np.array([[0.5, 0.5]], np.float32)})
    (there,) = density_drifts([("a", old, old), ("b", old, new)])
    assert (there.window, there.n, there.largest_medium) == ("total", 2, "b")
    assert there.largest_kld == pytest.approx(np.log(2))
    assert there.kld == pytest.approx(np.log(2) / 2)
    assert there.cc == pytest.approx(0.5), "1 with itself, 0 with what is even"
    (back,) = density_drifts([("b", new, old)])
    assert back.kld > 10, "what was thought possible is ruled out"


def test_densities_on_another_grid_are_compared_on_the_old_one() -> None:
    fine = np.repeat(np.repeat(np.array([[0.1, 0.2], [0.3, 0.4]], np.float32), 3, 0), 3, 1) / 9
    coarse = np.array([[0.1, 0.2], [0.3, 0.4]], np.float32)
    (one,) = density_drifts([("a", Densities({"total": coarse}), Densities({"total": fine}))])
    assert one.kld == pytest.approx(0, abs=1e-6)
    assert one.cc == pytest.approx(1)


def test_windows_that_one_run_lacks_are_left_out() -> None:
    density = np.full((2, 2), 0.25, np.float32)
    found = density_drifts([("a", Densities({"start": density, "total": density}), Densities({"total": density}))])
    assert [one.window for one in found] == ["total"]
    assert found[0].cc is None, "a constant density correlates with nothing"
