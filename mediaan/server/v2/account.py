"""A company's account, and what it has used."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from mediaan.server.v2.operations import AS_DAY, Body, Call, Operations, Timestamp

OPERATIONS = Operations()


class Limits(Body):
    """What this server takes."""

    max_image_bytes: int = Field(description="Largest image, bytes.")
    max_video_bytes: int = Field(description="Largest video or mixed medium, bytes.")
    max_side_px: int = Field(description="Longest side of videos and mixed media, px.")


class Account(Body):
    """Who the key belongs to. Nobody sells plans here: there is one, and it does not end."""

    company_name: str
    plan: str = Field(description="Always `local`.")
    plan_expires_at: Timestamp | None = Field(description="Always null.")
    created_at: Timestamp = Field(description="When the company got its first key, ISO 8601, UTC.")
    limits: Limits


class UsageQuery(Body):
    """Days that are summed up, UTC."""

    start_date: Annotated[date, AS_DAY] | None = Field(
        default=None, description="First day, as in 2026-01-31; if absent, from the beginning."
    )
    end_date: Annotated[date, AS_DAY] | None = Field(
        default=None, description="Last day, which counts too; if absent, to this moment."
    )

    @field_validator("end_date")
    @classmethod
    def _in_order(cls, end: date | None, info: ValidationInfo) -> date | None:
        start = info.data.get("start_date")
        if start and end and end < start:
            raise ValueError("lies before start_date; exchange them")
        return end


class UsageReport(Body):
    """What a company has used between two days, and what it stores now."""

    start_date: date | None
    end_date: date | None
    images_predicted: int = Field(description="Predictions of images that were made; each re-run counts.")
    videos_predicted: int = Field(description="The same of videos and mixed media.")
    video_seconds_predicted: float = Field(description="Duration of what those looked at, s.")
    aoi_detections: int = Field(description="Searches for AOIs that were made.")
    uploads: int = Field(description="Files that came in whole.")
    uploaded_bytes: int = Field(description="Their sizes together.")
    media_deleted: int
    media_stored: int = Field(description="Media with a file, now, whatever the dates.")
    stored_bytes: int = Field(description="Sizes of their files together, now; without results.")


@OPERATIONS.add("GET", "/account", {200: (Account, "The account that the key belongs to.")})
async def get_account(call: Call) -> Account:
    """Return company name, plan and its expiry date."""
    settings = call.service.settings
    limits = Limits(
        max_image_bytes=settings.max_image_bytes,
        max_video_bytes=settings.max_video_bytes,
        max_side_px=settings.max_side_px,
    )
    return Account(
        company_name=call.company.name,
        plan="local",
        plan_expires_at=None,
        created_at=call.service.keys.since(call.company.company_id),
        limits=limits,
    )


@OPERATIONS.add(
    "GET",
    "/account/usage",
    {200: (UsageReport, "Sums."), 422: "A date is none, or the last lies before the first."},
    query=UsageQuery,
)
async def get_account_usage(call: Call) -> UsageReport:
    """Return the usage between two days."""
    query: UsageQuery = call.query
    usage, company_id = call.service.usage, call.company.company_id
    media, stored_bytes = usage.storage(company_id)
    facts: dict[str, Any] = {"media_stored": media, "stored_bytes": stored_bytes}
    facts |= query.model_dump() | usage.between(company_id, query.start_date, query.end_date)
    return UsageReport(**facts)
