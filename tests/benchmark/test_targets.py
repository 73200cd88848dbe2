"""Targets, and the v2 service's RecommendedRanges, against a model of it that was written by hand from its document."""

from __future__ import annotations

from typing import Literal, get_args
from uuid import UUID, uuid5

import pytest
from made_norms import norm
from pydantic import BaseModel, ConfigDict, Field

from mediaan.aoi.scoring.specs import AOI_METRICS, ATTENTION, PERCENTAGE_SEEN
from mediaan.judge.benchmark.norm_set import NormMatch
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard, recommended_ranges
from mediaan.judge.benchmark.targets import ANY, are_adjoining, target_keys, target_of, targets, widen_target
from mediaan.metrics import METRICS, metrics_of
from mediaan.metrics.guide import good_direction
from mediaan.types.aoi import AOI_TYPES
from mediaan.types.benchmark import CATEGORIES, BenchmarkRange
from mediaan.types.densities import Window
from mediaan.types.media import Purpose
from mediaan.types.metrics import MetricSpec, Score

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
    assert "only 27 files" in few.why
    own = target_of("clarity", categories={"clarity": ["high"]})
    assert widen_target(own, 27) == own
    assert widen_target(target_of("attention", "face"), 27).categories == ()


SPACE = UUID("12345678-1234-4234-8234-123456789abc")


class Spec(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False)


class MediumRecommendedRange(Spec):
    upper: float
    lower: float
    metric_name: str
    metric_time: Literal["start", "end", "total"]
    score_categorization: Literal["extreme_low", "low", "medium", "high", "extreme_high"]
    score_title: str


class AOIRecommendedRange(Spec):
    upper: float
    lower: float
    metric_name: str
    metric_time: Literal["start", "end", "total"]
    aoi_type: str
    uuids: list[str] = Field(min_length=1)


class RecommendedRanges(Spec):
    medium: list[MediumRecommendedRange]
    aois: list[AOIRecommendedRange]


def of_medium(name: str, time: Window = "total") -> BenchmarkRange:
    spec = METRICS[name].spec
    held = ReferenceStandard("ads", "Ads", NormMatch(norm(metric=name, metric_time=time), "all"), spec, target_of(name))
    return held.rate(MeasuredScore("m", None, None, Score.of(spec, 64.0, (60.0, 70.0), time=time)))


def of_aoi(number: int, aoi_type: str, spec: MetricSpec = PERCENTAGE_SEEN, time: Window = "total") -> BenchmarkRange:
    match = NormMatch(norm(aoi_type=aoi_type, metric=spec.name, metric_time=time), "all")
    held = ReferenceStandard("ads", "Ads", match, spec, target_of(spec.name, aoi_type))
    aoi_id = str(uuid5(SPACE, str(number)))
    return held.rate(MeasuredScore("m", aoi_id, aoi_type, Score.of(spec, 10.0 * number, time=time)))


@pytest.fixture
def found() -> RecommendedRanges:
    scores = [of_medium(metric.spec.name) for metric in metrics_of("image") if metric.part_of is None]
    scores += [of_medium("focus_first_two", "start"), of_medium("focus_last_two", "end")]
    scores += [of_aoi(1, "branding"), of_aoi(2, "product"), of_aoi(3, "branding"), of_aoi(4, "face")]
    scores += [of_aoi(1, "branding", ATTENTION, time) for time in ("total", "start", "end")]
    return RecommendedRanges.model_validate(recommended_ranges(scores))


def test_names_and_times_of_the_service(found: RecommendedRanges) -> None:
    names = [(one.metric_name, one.metric_time) for one in found.medium]
    assert len(names) == len(set(names)) == 9
    assert {("focus", "total"), ("focus", "start"), ("focus", "end")} <= set(names)
    assert {("cognitive_demand", "total"), ("memory", "total"), ("engagement_frt", "total")} <= set(names)
    assert not any(name in ("engagement", "focus_first_two", "focus_last_two") for name, _ in names)


def test_titles_hold_the_score(found: RecommendedRanges) -> None:
    assert all(" is 64, " in one.score_title for one in found.medium)
    assert all(one.lower <= one.upper for one in found.medium)


def test_areas_of_one_type_share_an_entry(found: RecommendedRanges) -> None:
    entries = {(one.aoi_type, one.metric_name, one.metric_time): one.uuids for one in found.aois}
    assert len(entries) == len(found.aois)
    first, second, third = (str(uuid5(SPACE, str(number))) for number in (1, 2, 3))
    assert entries["branding", "percentage_seen", "total"] == [first, third]
    assert entries["product", "percentage_seen", "total"] == [second]
    assert [time for aoi_type, name, time in entries if name == "attention"] == ["total", "start", "end"]


def test_what_has_no_range_is_left_out(found: RecommendedRanges) -> None:
    assert all(one.aoi_type != "face" for one in found.aois), "nothing is recommended of faces"
    nothing = BenchmarkRange(
        3.0, medium_id="m", aoi_id=None, aoi_type=None, metric="focus", metric_time="total", norm_set="ads",
        reason="No such population.",
    )  # fmt: skip
    assert recommended_ranges([nothing]) == {"medium": [], "aois": []}
