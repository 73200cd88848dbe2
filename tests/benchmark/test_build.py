from __future__ import annotations

import numpy as np
import pytest
from made_norms import about, rows
from scipy import stats

from mediaan.errors import UsageError
from mediaan.judge.benchmark.file import norm_set_problems
from mediaan.judge.benchmark.norm_set import NormMatch, NormSet, build_norm_set


def numbered(values: np.ndarray) -> dict[str, float | None]:
    return {f"m{i}": float(value) for i, value in enumerate(values)}


def the_whole(made: NormSet, aoi_type: str | None = None, metric: str = "focus") -> NormMatch:
    found = made.find("image", metric, "total", aoi_type, {})
    assert isinstance(found, NormMatch)
    return found


@pytest.mark.parametrize("draw", [stats.uniform(0, 100), stats.norm(50, 12)])
def test_edges_of_a_known_population(draw: stats.rv_continuous) -> None:
    made = build_norm_set(rows(numbered(draw.rvs(600, random_state=1))), {}, about())
    one = the_whole(made).norm
    for edge, lo, hi, percent in zip(one.edges, one.edges_lo, one.edges_hi, (10, 30, 70, 90), strict=True):
        truth = draw.ppf(percent / 100)
        assert lo <= edge <= hi
        assert lo - 1 <= truth <= hi + 1
        assert draw.cdf(edge) == pytest.approx(percent / 100, abs=0.04)
    assert (one.n, one.n_media) == (600, 600)


def test_a_hand_worked_set() -> None:
    """Of 1 to 19 the k-th stands at k / 20: the edges are 2, 6, 14 and 18."""
    made = build_norm_set(rows(numbered(np.arange(19.0, 0, -1))), {}, about())
    assert made.norms[0].edges == (2, 6, 14, 18)
    assert made.counts == {"media": 19, "undefined": 0}
    assert made.sizes == {(): 19}


def test_undefined_values_are_left_out_and_counted() -> None:
    values = numbered(np.arange(20.0)) | {"x": None, "y": None}
    made = build_norm_set(rows(values), {}, about())
    assert made.norms[0].n == 20
    assert made.counts == {"media": 22, "undefined": 2}


def test_parts() -> None:
    """Every combination of keys, and the parents of finer words; below eight media nothing is kept but the number."""
    said: dict[str, dict[str, str | None]] = {}
    for i in range(40):
        industry = "food/snacks" if i < 10 else "food/fruit" if i < 17 else "cars" if i < 30 else None
        said[f"m{i}"] = {"industry": industry, "platform": "print" if i % 2 else "tv"}
    made = build_norm_set(rows(numbered(np.arange(40.0))), said, about(keys=("industry", "platform")))
    found = {norm.segment: norm for norm in made.norms}
    assert {segment: made.sizes[segment] for segment in found} == {segment: one.n for segment, one in found.items()}
    assert found[("industry", "food"),].n == 17
    assert found[("industry", "food/snacks"),].n == 10
    assert (("industry", "food/fruit"),) not in found
    assert made.sizes[("industry", "food/fruit"),] == 7
    assert found[("industry", "food"), ("platform", "tv")].n == 9
    assert found[("platform", "tv"),].n == 20
    assert found[("industry", "cars"),].edges == pytest.approx((17.4, 20.2, 25.8, 28.6))
    assert norm_set_problems(made) == ()


def test_aois_of_few_media_are_no_population() -> None:
    """Seventy faces in seven pictures are not kept; seventy in fourteen are, and are counted both ways."""
    facts = {"metric": "percentage_seen", "unit": "%"}
    focus = rows(numbered(np.arange(14.0)))
    faces = [row for i in range(14) for row in rows(dict.fromkeys([f"m{i}"], 5.0 * i), aoi_type="face", **facts) * 5]
    people = [row for i in range(7) for row in rows(dict.fromkeys([f"m{i}"], 5.0 * i), aoi_type="person", **facts) * 10]
    made = build_norm_set([*focus, *faces, *people], {}, about())
    one = the_whole(made, "face", "percentage_seen").norm
    assert (one.n, one.n_media) == (70, 14)
    assert made.find("image", "percentage_seen", "total", "person", {}) == (
        "Own media: no benchmark of percentage_seen (total) of person"
    )
    lone = build_norm_set([*focus, *rows({f"m{i}": 5.0 * i for i in range(14)}, aoi_type="face", **facts)], {}, about())
    assert one.edges_hi[1] - one.edges_lo[1] == pytest.approx(
        the_whole(lone, "face", "percentage_seen").norm.edges_hi[1]
        - the_whole(lone, "face", "percentage_seen").norm.edges_lo[1],
        rel=0.35,
    ), "five times the same AOI is no more evidence than one"


def test_kinds_of_media_and_times_are_apart() -> None:
    found = build_norm_set(
        [
            *rows(numbered(np.arange(10.0))),
            *rows({f"v{i}": 50.0 + i for i in range(10)}, type="video"),
            *rows(numbered(np.arange(10.0) + 20), metric="focus_first_two", metric_time="start"),
        ],
        {},
        about(),
    )
    medians = {(norm.type, norm.metric): norm.value_at(50) for norm in found.norms}
    assert medians == {("image", "focus"): 4.5, ("video", "focus"): 54.5, ("image", "focus_first_two"): 24.5}


def test_the_same_scores_make_the_same_set_in_whatever_order() -> None:
    values = rows(numbered(np.random.default_rng(1).normal(50, 9, 50)))
    first, again, backwards = (build_norm_set(some, {}, about()) for some in (values, values, values[::-1]))
    assert np.array_equal(first.norms[0].lo, again.norms[0].lo)
    assert np.array_equal(first.norms[0].lo, backwards.norms[0].lo)


def test_too_few_media_and_too_many_keys() -> None:
    with pytest.raises(UsageError, match=r"needs 10 different media at least, .* there are 9"):
        build_norm_set(rows(numbered(np.arange(9.0))), {}, about())
    with pytest.raises(UsageError, match="at most 4 keys"):
        build_norm_set(rows(numbered(np.arange(9.0))), {}, about(keys=tuple("abcde")))
