"""Bodies of requests and answers: the one source of what is checked, sent and documented."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from mediaan.config.aoi_formats.record import check_aoi_type
from mediaan.server.storage.media import AoiStatus, Status
from mediaan.types.aoi import AOI_TYPES


class Body(BaseModel):
    """Base of all bodies: an unknown key is refused, so that nobody believes that it was heard."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _written(pattern: str, called: str, read: Callable[[str], object]) -> BeforeValidator:
    def check(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"Input should be {called}")
        return read(value)

    return BeforeValidator(check)


IN_DIGITS = _written(r"-?\d{1,18}", "an integer in digits", int)
"""An integer of a query: ``Annotated[int, Field(ge=0), IN_DIGITS]``. What pydantic takes too (1_0, 1.0) is refused."""
AS_DAY = _written(r"\d{4}-\d\d-\d\d", "a date as YYYY-MM-DD", date.fromisoformat)
"""A date of a query: ``Annotated[date, AS_DAY]``. What pydantic takes too (seconds since 1970) is refused."""


AoiTypeName = Annotated[
    str, BeforeValidator(check_aoi_type), WithJsonSchema({"enum": list(AOI_TYPES), "type": "string"})
]
Timestamp = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601, UTC."})]


class Detail(Body):
    """Every error, and the few answers that only say something."""

    detail: str = Field(description="One sentence for people.")


class MediaObject(Body):
    """A medium."""

    media_id: UUID
    name: str
    status: Status = Field(description="Of its prediction.")
    type: Literal["image", "video"] = Field(description="Mixed media are videos here.")
    aoi_status: AoiStatus = Field(description="Of the search for areas of interest.")
    results: dict[str, str] = Field(description="Addresses of result files, good for 5 minutes; empty: not available.")
    metrics: dict[str, float | None] = Field(description="Scores; null: not available.")
    created_at: Timestamp
    updated_at: Timestamp
    deleted_at: Timestamp | None = Field(description="Null while it is not deleted.")
    error: str | None = Field(description="Why its last prediction, or search for AOIs, failed. Not part of v2.")


class MediaList(Body):
    """Media of a company, from the oldest to the most recent."""

    items: list[MediaObject]
    count: int = Field(description="How many are listed here.")
    total: int = Field(description="How many there are that fit the filters.")


class MediaQuery(Body):
    """Filters and paging of the media list."""

    status: Status | None = Field(default=None, description="Only media whose prediction is so far.")
    type: Literal["image", "video"] | None = Field(default=None, description="Only media of this type.")
    aoi_status: AoiStatus | None = Field(default=None, description="Only media whose search for AOIs is so far.")
    limit: Annotated[int, Field(ge=1, le=1000), IN_DIGITS] | None = Field(
        default=None, description="At most so many; all if left out, as in v2."
    )
    offset: Annotated[int, Field(ge=0, le=2**53), IN_DIGITS] = Field(
        default=0, description="Leave out the first so many."
    )


class MediaId(Body):
    """Which medium it is about."""

    media_id: UUID


class NoQuery(Body):
    """Of operations that take no parameters."""
