"""Checks of a medium: what it needs for its purpose, and what came of each; an addition to v2."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from mediaan.server.api.job_request import finished
from mediaan.server.api.lookup import owned, require_prediction
from mediaan.server.api.operations import Call, Operation
from mediaan.server.api.run_answers import read_answer
from mediaan.server.api.schemas import Body, Detail
from mediaan.server.request_error import RequestError


class MediumCheck(Body):
    """One check."""

    name: str = Field(description="Stable name, such as brand_seen.")
    title: str = Field(description="What should be true, in words.")
    status: Literal["passed", "failed", "close", "unknown"] = Field(description="close: too close to call.")
    required: bool = Field(description="Whether the purpose of the medium requires it.")
    sure: bool = Field(description="Whether it passed or failed at nine in ten or more.")
    probability: float | None = Field(description="That the target is met, by the interval, 0-1.")
    value: float | None = Field(description="The number that was looked at.")
    lo: float | None = Field(description="Lower end of its 90 % interval.")
    hi: float | None = Field(description="Upper end of it.")
    target: float | None = Field(description="What it is held against.")
    unit: str | None = Field(description="Of value, lo, hi and target.")
    aoi_id: UUID | None = Field(description="The area that it rests on.")
    text: str = Field(description="What was found, in one sentence.")
    settle: str | None = Field(description="What would settle it, where it is not known.")
    todo: str | None = Field(description="What to change, where it failed.")
    why: str = Field(description="Why it is asked for.")
    source: str = Field(description="Where that was shown; empty for an opinion.")


class Checks(Body):
    """Checks of a medium, and what they come to."""

    verdict: Literal["works", "attention", "open", "unknown"]
    checks: list[MediumCheck]


async def get_checks(call: Call) -> Checks:
    """Checks of a medium for its objectives, or for what every ad needs where none were set."""
    medium = owned(call)
    require_prediction(medium)
    job_id = call.services.jobs.rating(medium.media_id)
    if job_id is not None:  # objectives were set since: checks for those before would be wrong
        if not await finished(call, job_id):
            raise RequestError(412, "Checks are being made again")
        medium = owned(call)
    return Checks.model_validate(await read_answer(call, medium, "checks"))


OPERATIONS = (
    Operation(
        "GET",
        "/media/{media_id}/checks",
        "getMediumChecks",
        "Checks of a medium, and what they come to.",
        get_checks,
        {
            200: (Checks, "What was checked, and the verdict."),
            400: (Detail, "The request cannot be parsed."),
            404: (Detail, "No medium with this media_id exists for the caller's company."),
            412: (Detail, "The medium was never predicted, or its objectives were set just now."),
            422: (Detail, "media_id is no UUID."),
        },
        "media",
    ),
)
