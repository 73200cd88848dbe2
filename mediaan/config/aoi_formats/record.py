"""Validate one AOI as files of AOIs hold it."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Any, Self
from uuid import UUID

from pydantic import BeforeValidator, Field, ValidationError, model_validator

from mediaan.config.validation import StrictModel
from mediaan.errors import did_you_mean
from mediaan.types.aoi import AOI_TYPES, AoiType, Box, Drawing, Point, Sighting
from mediaan.types.area_types import type_of_other_name

LONGEST_LABEL = 200
"""Characters of an area's label."""

_FARTHEST = 1.5
"""Unit coordinates reach from 0 to 1; a little beyond is a slip of the hand, more is px."""


def check_aoi_type(value: Any) -> Any:
    """Refuse a type that is none of `AOI_TYPES`, naming the nearest."""
    if isinstance(value, str) and value not in AOI_TYPES:
        meant = type_of_other_name(value.lower())
        near = f"; did you mean {meant!r}?" if meant else did_you_mean(value, AOI_TYPES)
        raise ValueError(f"no AOI type is called {value!r}{near or '; there are ' + ', '.join(AOI_TYPES)}")
    return value


def parse_aoi_type(label: str) -> AoiType:
    """Return the type that a label of another tool means; ``other`` if none.

    >>> parse_aoi_type("Logo"), parse_aoi_type("headline_text"), parse_aoi_type("dog")
    ('branding', 'headline_text', 'other')
    """
    word = label.strip().lower().replace(" ", "_").replace("-", "_")
    return word if word in AOI_TYPES else type_of_other_name(word) or "other"


class AoiRecord(StrictModel):
    """One AOI of a file of AOIs."""

    type: Annotated[AoiType, BeforeValidator(check_aoi_type)]
    label: str = Field(default="", max_length=LONGEST_LABEL)
    box: tuple[float, float, float, float] | None = None
    polygon: tuple[tuple[float, float], ...] | None = Field(default=None, min_length=3, max_length=1000)
    """Exactly one of `box` and `polygon` must be there; where both are, as in what mediaan writes, the polygon counts.
    """
    unit: Annotated[str, Field(pattern="^(unit|px)$")] = "unit"
    """One of ``unit``, ``px``."""
    t0_s: float | None = None
    t1_s: float | None = None
    track: tuple[tuple[float, float, float, float, float, float], ...] = ()
    aoi_id: UUID | None = None
    source: Any = None
    """``confirmed``: a person confirmed it in a review; anything else is for the reader and not read back."""
    none: bool = False
    """Whether a person said that there is no area of this type; then it needs no place."""
    method: Any = None
    confidence: Any = None
    text: Any = None
    """`method`, `confidence`, `text`: What mediaan writes beside it for the reader; not read back."""

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        if self.none:
            return self
        if self.box is None and self.polygon is None:
            raise ValueError("needs a box [x0, y0, x1, y1] or a polygon [[x, y], ...]")
        if self.box is not None and not (self.box[0] < self.box[2] and self.box[1] < self.box[3]):
            raise ValueError(f"box {list(self.box)} must be [x0, y0, x1, y1] with x0 < x1 and y0 < y1")
        if self.t0_s is not None and self.t1_s is not None and not self.t0_s < self.t1_s:
            raise ValueError(f"t0_s {self.t0_s} must be before t1_s {self.t1_s}")
        times = [sighting[0] for sighting in self.track]
        if any(b <= a for a, b in pairwise(times)):
            raise ValueError("the times of a track must rise")
        if self.unit == "unit" and any(not -0.5 <= side <= _FARTHEST for point in self._points() for side in point):
            raise ValueError('has coordinates beyond the image; if they are pixels, add "unit": "px"')
        return self

    def _points(self) -> tuple[Point, ...]:
        if self.polygon is not None:
            return self.polygon
        assert self.box is not None
        return (self.box[0], self.box[1]), (self.box[2], self.box[3])

    def drawing(self) -> Drawing:
        """Convert to the type that the rest of the program uses."""
        if self.none:
            return Drawing(type=self.type, label="", points=(), absent=True)
        return Drawing(
            type=self.type,
            label=self.label,
            points=self._points(),
            unit="px" if self.unit == "px" else "unit",
            t0_s=self.t0_s,
            t1_s=self.t1_s,
            track=tuple(Sighting(t, Box(*sides), confidence) for t, *sides, confidence in self.track),
            aoi_id=self.aoi_id,
            confirmed=self.source == "confirmed",
        )


def describe_record_error(error: ValidationError) -> str:
    """Describe in a sentence what is wrong with a record."""
    parts = []
    for detail in error.errors(include_url=False):
        key = ".".join(map(str, detail["loc"]))
        if detail["type"] == "extra_forbidden":
            text = f"unknown key {key!r}{did_you_mean(key, list(AoiRecord.model_fields))}"
        else:
            text = f"{key}: {detail['msg']}" if key else detail["msg"]
        parts.append(text.replace("Value error, ", ""))
    return "; ".join(parts)
