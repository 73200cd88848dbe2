"""Media of every kind: listed, fetched, deleted; how a stored medium is shown; the account that media belong to."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, ValidationInfo, field_validator
from starlette.concurrency import run_in_threadpool

from mediaan.server.http.files import file_url
from mediaan.server.service.media import AoiStatus, Status, StoredMedium
from mediaan.server.v2.operations import AS_DAY, IN_DIGITS, Answer, Body, Call, Operations, Timestamp

# Written out, although the registries know them: the server's process loads nothing that computes.
METRICS = (
    *("focus", "focus_first_two", "focus_last_two", "cognitive_demand"),
    *("clarity", "engagement", "design", "memory"),
)
_RESULTS = ("heat", "fog", "clarity_heat", "engagement_heat", "cognitive_demand_heat", "formatted", "metrics")
IMAGE_RESULTS = (*_RESULTS, "first_two_heat", "first_two_fog", "last_two_heat", "last_two_fog")
VIDEO_RESULTS = (*_RESULTS, "brand_detection", "brand_detection_metrics", "aoi_scores")

OPERATIONS = Operations()


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


def media_object(medium: StoredMedium, call: Call) -> MediaObject:
    """Return a medium as v2 has it, with every result and metric of its type; unavailable ones are empty or null."""
    names = IMAGE_RESULTS if medium.type == "image" else VIDEO_RESULTS
    deleted = medium.deleted_at is not None
    return MediaObject(
        media_id=medium.media_id,
        name=medium.name,
        status=medium.status,
        type=medium.type,
        aoi_status=medium.aoi_status,
        results={name: "" if deleted else file_url(call.request, medium, name) for name in names},
        metrics={name: medium.metrics.get(name) for name in METRICS},
        created_at=medium.created_at,
        updated_at=medium.updated_at,
        deleted_at=medium.deleted_at,
        error=medium.error or medium.aoi_error,
    )


@OPERATIONS.add("GET", "/media", {200: (MediaList, "Media that fit the filters.")}, query=MediaQuery)
async def list_media(call: Call) -> Answer:
    """List media, from the oldest to the most recent."""

    def listed() -> bytes:
        media, total = call.service.media.page(call.company.company_id, **call.query.model_dump())
        items = [media_object(medium, call) for medium in media]
        return MediaList(items=items, count=len(items), total=total).model_dump_json().encode()

    # of thousands it takes a second, and others wait for an answer too
    return Answer(200, await run_in_threadpool(listed))


@OPERATIONS.add("GET", "/media/{media_id}", {200: (MediaObject, "The medium.")})
async def get_medium(call: Call) -> MediaObject:
    """Fetch one medium, with its metrics and results."""
    return media_object(call.medium(), call)


@OPERATIONS.add("DELETE", "/media/{media_id}", {200: (MediaObject, "The medium, as it was.")})
async def delete_medium(call: Call) -> MediaObject:
    """Delete a media item with all its files."""
    medium = await call.service.delete(call.company.company_id, call.path["media_id"])
    return media_object(medium, call)


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
    media, company_id = call.service.media, call.company.company_id
    media_stored, stored_bytes = media.stored(company_id)
    facts: dict[str, Any] = {"media_stored": media_stored, "stored_bytes": stored_bytes}
    facts |= query.model_dump() | media.usage(company_id, query.start_date, query.end_date)
    return UsageReport(**facts)
