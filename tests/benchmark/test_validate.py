"""Every way in which a norm set may fail to hold together is found, and named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from made_norms import KEY, about, norm

from mediaan.judge.benchmark.norm import Norm
from mediaan.judge.benchmark.norm_set import NormSet
from mediaan.judge.benchmark.targets import MeasuredTarget
from mediaan.judge.benchmark.validate import norm_set_problems

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
