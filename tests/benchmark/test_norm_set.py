"""Which part of a population is used, and what is said where it is not the one that was asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_norms import KEY, about, norm, norm_set

from mediaan.judge.benchmark.file import norm_set_problems
from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormMatch, NormSet, segment_text, segments_of
from mediaan.judge.benchmark.targets import MeasuredTarget

KEYS = ("industry", "platform")
SIZES = {
    "all": 200,
    "industry=food": 60,
    "industry=food/snacks": 31,
    "industry=cars": 12,
    "industry=toys": 5,
    "platform=print": 90,
    "industry=food, platform=print": 30,
    "industry=food/snacks, platform=print": 29,
    "industry=cars, platform=print": 9,
}


def find(values: dict[str, str | None], min_n: int | None = None, sizes: dict[str, int] = SIZES) -> NormMatch:
    found = norm_set(sizes, KEYS).find("image", "focus", "total", None, values, min_n)
    assert isinstance(found, NormMatch), found
    return found


def test_order_of_segments() -> None:
    values = {"industry": "food/snacks", "platform": "print", "brand": "Acme"}
    assert [segment_text(one) for one in segments_of(KEYS, values)] == [
        "industry=food/snacks, platform=print",
        "industry=food, platform=print",
        "industry=food/snacks",
        "industry=food",
        "platform=print",
        "all",
    ]
    assert [segment_text(one) for one in segments_of(KEYS, {"industry": None, "platform": "print"})] == [
        "platform=print",
        "all",
    ]


@pytest.mark.parametrize(
    ("values", "min_n", "used", "fallback"),
    [
        ({}, None, "all", None),
        ({"brand": "Acme"}, None, "all", None),
        ({"industry": None, "platform": None}, None, "all", None),
        ({"industry": "food"}, None, "industry=food", None),
        ({"industry": "food", "platform": "print"}, None, "industry=food, platform=print", None),
        (
            {"industry": "food/snacks", "platform": "print"},
            None,
            "industry=food, platform=print",
            "industry=food/snacks, platform=print was asked for, but has 29 images; 30 are needed",
        ),
        ({"industry": "food/snacks", "platform": "print"}, 29, "industry=food/snacks, platform=print", None),
        (
            {"industry": "food/fruit"},
            None,
            "industry=food",
            "industry=food/fruit was asked for, but has no image; 30 are needed",
        ),
        (
            {"industry": "cars", "platform": "print"},
            None,
            "platform=print",
            "industry=cars, platform=print was asked for, but has 9 images; 30 are needed",
        ),
        ({"industry": "cars", "platform": "print"}, 9, "industry=cars, platform=print", None),
        ({"industry": "toys"}, None, "all", "industry=toys was asked for, but has 5 images; 30 are needed"),
        ({"industry": "toys"}, 1, "all", "industry=toys was asked for, but has 5 images; 1 are needed"),
        ({"industry": "ships"}, None, "all", "industry=ships was asked for, but has no image; 30 are needed"),
    ],
)
def test_fallback(values: dict[str, str | None], min_n: int | None, used: str, fallback: str | None) -> None:
    found = find(values, min_n)
    assert (found.segment, found.fallback) == (used, fallback)
    assert segment_text(found.norm.segment) == used
    assert found.norm.n == SIZES[used]


def test_a_small_whole_is_used_and_said_to_be_small() -> None:
    found = find({"industry": "food"}, sizes={"all": 12, "industry=food": 9})
    assert found.segment == "all"
    assert found.fallback == (
        "industry=food was asked for, but has 9 images; 30 are needed, and the whole benchmark has only 12 images, "
        "fewer than 30"
    )


def test_a_tiny_whole_is_not_used() -> None:
    found = norm_set({"all": 9}, ()).find("image", "focus", "total", None, {})
    assert found == "Own media: 9 images in all, 10 are needed"


def test_the_sets_own_minimum_counts_unless_another_is_given() -> None:
    lax = norm_set(SIZES, KEYS, min_n=10)
    used = [lax.find("image", "focus", "total", None, {"industry": "cars"}, min_n) for min_n in (None, 12, 13)]
    assert [one.segment for one in used if isinstance(one, NormMatch)] == ["industry=cars", "industry=cars", "all"]


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (("video", "focus", "total", None), "Own media: a population of images, not of videos"),
        (("mixed", "focus", "total", None), "Own media: a population of images, not of mixed media"),
        (("image", "beauty", "total", None), "Own media: no benchmark of beauty (total)"),
        (("image", "focus", "start", None), "Own media: no benchmark of focus (start)"),
        (("image", "focus", "total", "face"), "Own media: no benchmark of focus (total) of face"),
    ],
)
def test_what_the_set_does_not_hold(asked: tuple[str, str, str, str | None], reason: str) -> None:
    assert norm_set(SIZES, KEYS).find(*asked, {}) == reason


def test_aois_are_counted_in_media() -> None:
    """Ninety AOIs of nine pictures say little of pictures; parts that are too small to be kept are said to be so."""
    food, cars = (("industry", "food"),), (("industry", "cars"),)
    norms = [
        norm(aoi_type="branding", n=400, n_media=150),
        norm(aoi_type="branding", n=90, n_media=9, segment=food),
        norm(aoi_type="branding", n=50, n_media=45, segment=(("industry", "drinks"),)),
    ]
    sizes = {(): 200, food: 60, cars: 40}
    made = NormSet.of(about(keys=("industry",), sizes=sizes), norms)

    def found(word: str) -> NormMatch:
        match = made.find("image", "percentage_seen", "total", "branding", {"industry": word})
        assert isinstance(match, NormMatch)
        return match

    assert found("food").fallback == "industry=food was asked for, but has 9 images with branding; 30 are needed"
    assert found("cars").fallback == (
        "industry=cars was asked for, but has fewer than 8 images with branding; 30 are needed"
    )
    assert found("ships").fallback == "industry=ships was asked for, but has no image with branding; 30 are needed"
    assert (found("drinks").segment, found("drinks").norm.n, found("drinks").fallback) == ("industry=drinks", 50, None)


FOOD = (("industry", "food"),)
STEPS = np.arange(1.0, 100.0)


def made(*norms: Norm, **facts: Any) -> NormSet:
    known = {"keys": ("industry",), "sizes": {(): 100, FOOD: 40}} | facts
    return NormSet.of(about(**known), norms or (norm(),))


def test_a_whole_set_has_no_problems() -> None:
    assert norm_set_problems(made(norm(), norm(segment=FOOD, n=40), norm(aoi_type="face", n=50, n_media=20))) == ()


@pytest.mark.parametrize(
    ("broken", "problem"),
    [
        (made(name=" "), "it does not state its name"),
        (made(intervals=""), "it does not state its intervals"),
        (made(created="2026-02-30"), "created is no date: '2026-02-30'"),
        (made(targets={"focus": MeasuredTarget(None, None, "")}), "the target of focus has the ends None and None"),
        (made(targets={"focus": MeasuredTarget(9.0, 2.0, "")}), "the target of focus has the ends 9.0 and 2.0"),
        (made(targets={"x": MeasuredTarget(np.nan, None, "")}), "the target of x has the ends nan and None"),
        (made(min_n=0), "min_n must be at least 1; found 0"),
        (made(comparability_key=replace(KEY, scores_id=None)), "it does not say which scores it holds (scores_id)"),
        (made(keys=("industry", "industry")), "its keys must be at most 4 different ones; found industry, industry"),
        (NormSet.of(about(), ()), "it holds no norms"),
        (made(norm(), norm()), "focus (total), images, all: is there 2 times"),
        (made(norm(segment=FOOD, n=40)), "focus (total), images, industry=food: the whole benchmark is missing"),
        (
            made(norm(), norm(segment=(("brand", "Acme"),)), sizes={(): 100, (("brand", "Acme"),): 100}),
            "focus (total), images, brand=Acme: the set is divided by industry",
        ),
        (made(norm(n=101)), "focus (total), images, all: 101 media of 100"),
        (made(norm(metric="beauty")), "beauty (total), images, all: no metric of media is called so"),
        (made(norm(metric="attention")), "attention (total), images, all: no metric of media is called so"),
        (made(norm(aoi_type="face", metric="focus")), "focus (total) of face, images, all: no metric of AOIs"),
        (made(norm(unit="%")), "focus (total), images, all: is in '%'; the metric is in 'score'"),
        (made(norm(type="sound")), "focus (total), sounds, all: sound or total is unknown"),
        (made(norm(metric_time="middle")), "focus (middle), images, all: image or middle is unknown"),
        (made(norm(aoi_type="hat")), "percentage_seen (total) of hat, images, all: no AOI is of type 'hat'"),
        (made(norm(n=7)), "focus (total), images, all: 7 values of 7 media cannot be"),
        (made(norm(n=20, n_media=30)), "focus (total), images, all: 20 values of 30 media cannot be"),
        (made(norm(n=30, n_media=20)), "focus (total), images, all: 30 values of 20 media cannot be"),
        (made(norm(STEPS[:98])), "focus (total), images, all: quantiles must be 99 numbers"),
        (made(norm(lo=np.full(99, np.nan))), "focus (total), images, all: lo must be 99 numbers"),
        (made(norm(hi=STEPS[::-1] + 99)), "focus (total), images, all: hi fall after 1 %"),
        (made(norm(lo=STEPS + 0.5)), "focus (total), images, all: an interval does not lie around its quantile"),
        (made(norm(hi=STEPS * 1.02)), "focus (total), images, all: lies outside the metric's range, 0 to 100"),
        (made(norm(STEPS - 1.5)), "focus (total), images, all: lies outside the metric's range, 0 to 100"),
    ],
)
def test_what_is_wrong_is_named(broken: NormSet, problem: str) -> None:
    found = norm_set_problems(broken)
    assert any(text.startswith(problem) for text in found), found
