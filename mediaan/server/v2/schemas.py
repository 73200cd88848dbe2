"""What bodies of requests and answers are made of: the one source of what is checked, sent and documented."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from mediaan.config.aoi_formats.record import check_aoi_type
from mediaan.types.aoi import AOI_TYPES


class Body(BaseModel):
    """Base of all bodies: an unknown key is refused, so that nobody believes that it was heard."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


AoiTypeName = Annotated[
    str, BeforeValidator(check_aoi_type), WithJsonSchema({"enum": list(AOI_TYPES), "type": "string"})
]


def _text(pattern: str, expected: str, read: Callable[[str], object]) -> BeforeValidator:
    def check(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not re.fullmatch(pattern, value, re.ASCII):
            raise ValueError(f"Input should be {expected}")
        return read(value)

    return BeforeValidator(check)


IN_DIGITS = _text(r"-?\d{1,18}", "an integer in digits", int)
"""An integer of a query: ``Annotated[int, Field(ge=0), IN_DIGITS]``. What pydantic takes too (1_0, 1.0) is refused."""
AS_DAY = _text(r"\d{4}-\d\d-\d\d", "a date as YYYY-MM-DD", date.fromisoformat)
"""A date of a query: ``Annotated[date, AS_DAY]``. What pydantic takes too (seconds since 1970) is refused."""


Timestamp = Annotated[str, WithJsonSchema({"type": "string", "format": "date-time", "description": "ISO 8601, UTC."})]


class Detail(Body):
    """Every error, and the few answers that only say something."""

    detail: str = Field(description="One sentence for people.")


class MediaId(Body):
    """Which medium it is about."""

    media_id: UUID


class NoQuery(Body):
    """Of operations that take no parameters."""
