"""Benchmark ranges, as v2 has them."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from mediaan.server.api.schemas import Body
from mediaan.types.aoi import AoiType

MetricTime = Literal["start", "end", "total"]


class MediumRecommendedRange(Body):
    """Where a score of the medium should lie, and where it does."""

    upper: float = Field(description="Upper bound of the recommended range.")
    lower: float = Field(description="Lower bound of it.")
    metric_name: str
    metric_time: MetricTime
    score_categorization: Literal["extreme_low", "low", "medium", "high", "extreme_high"] = Field(
        description="Where the score stands in its population."
    )
    score_title: str = Field(description="One sentence with the score, and whether it lies within the range.")


class AOIRecommendedRange(Body):
    """Where a score of areas of one type should lie."""

    upper: float = Field(description="Upper bound of the recommended range.")
    lower: float = Field(description="Lower bound of it.")
    metric_name: str
    metric_time: MetricTime
    aoi_type: AoiType
    uuids: list[UUID] = Field(description="The areas that the range applies to.")


class RecommendedRanges(Body):
    """Benchmark ranges of a medium."""

    medium: list[MediumRecommendedRange]
    aois: list[AOIRecommendedRange]
