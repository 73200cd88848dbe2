"""The v2 service's RecommendedRanges, against a model of it that was written by hand from its document."""

from __future__ import annotations

from typing import Literal
from uuid import UUID, uuid5

import pytest
from made_norms import norm
from pydantic import BaseModel, ConfigDict, Field

from mediaan.aoi.scoring.specs import ATTENTION, PERCENTAGE_SEEN
from mediaan.judge.benchmark.norm_set import NormMatch
from mediaan.judge.benchmark.ranges import MeasuredScore, ReferenceStandard
from mediaan.judge.benchmark.recommended import recommended_ranges
from mediaan.judge.benchmark.targets import target_of
from mediaan.metrics import METRICS, metrics_of
from mediaan.types.benchmark import BenchmarkRange
from mediaan.types.densities import Window
from mediaan.types.metrics import MetricSpec, Score

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
