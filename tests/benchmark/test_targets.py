from __future__ import annotations

from typing import get_args

import pytest

from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.judge.benchmark.targets import (
    ANY,
    are_adjoining,
    target_keys,
    target_of,
    targets,
    widen_target,
)
from mediaan.metrics import METRICS
from mediaan.metrics.guide import good_direction
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES
from mediaan.types.media import Purpose

PURPOSES = (None, *get_args(Purpose))
SCORES = [(name, None) for name in METRICS]
SCORES += [(spec.name, aoi_type) for spec in AOI_METRICS for aoi_type in AOI_TYPES]


@pytest.mark.parametrize(("metric", "aoi_type"), SCORES)
@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_score_has_a_target_that_points_where_the_guide_points(
    metric: str, aoi_type: str | None, purpose: Purpose | None
) -> None:
    target = target_of(metric, aoi_type, purpose)
    assert target.why.endswith((".", "?"))
    assert "nothing is recommended" not in target.why.lower()
    if not target.categories:
        assert aoi_type is not None, "every score of a medium has a target"
        return
    outer = CATEGORIES[0] in target.categories, CATEGORIES[-1] in target.categories
    expected = {"lower": (True, False), "higher": (False, True), "middle": (False, False)}
    assert outer == expected[good_direction(metric, purpose)]
    if good_direction(metric, purpose) == "middle":
        assert target.categories == ("medium",)


def test_a_target_can_be_met_by_more_than_one_in_ten() -> None:
    """A single outermost category is missed by nine of ten media by definition."""
    for target in targets().values():
        assert not target.categories or are_adjoining(target.categories)
        assert target.categories not in ((CATEGORIES[0],), (CATEGORIES[-1],))


def test_areas_of_which_more_is_not_better_have_none() -> None:
    for aoi_type in ("body_text", "face", "person", "other"):
        for spec in AOI_METRICS:
            assert target_of(spec.name, aoi_type).categories == ()


def test_a_purpose_goes_before_any() -> None:
    assert target_of("cognitive_demand").categories == ("medium",)
    assert target_of("cognitive_demand", purpose="conversion").categories == ("extreme_low", "low")
    assert target_of("cognitive_demand", purpose="brand_building") == target_of("cognitive_demand")
    assert target_of("attention", "call_to_action", "brand_building").categories == ()


def test_targets_of_one_s_own_go_before_all() -> None:
    own = {"cognitive_demand": ("low", "medium"), "face.attention": ("high",), "memory": ()}
    for purpose in PURPOSES:
        assert target_of("cognitive_demand", None, purpose, own).categories == ("low", "medium")
    assert target_of("attention", "face", categories=own).categories == ("high",)
    assert target_of("attention", "person", categories=own).categories == ()
    assert target_of("memory", categories=own).categories == ()
    assert target_of("clarity", categories=own) == target_of("clarity")


def test_keys_are_those_of_all_scores() -> None:
    assert set(target_keys()) == {f"{aoi_type}.{metric}" if aoi_type else metric for metric, aoi_type in SCORES}
    assert all(purpose in (ANY, *get_args(Purpose)) for _, purpose in targets())


def test_of_few_media_the_next_category_counts_too() -> None:
    few = widen_target(target_of("clarity"), 27)
    assert few.categories == ("medium", "high", "extreme_high")
    assert few.why.startswith(target_of("clarity").why)
    assert "only 27 media" in few.why
    own = target_of("clarity", categories={"clarity": ["high"]})
    assert widen_target(own, 27) == own
    assert widen_target(target_of("attention", "face"), 27).categories == ()
