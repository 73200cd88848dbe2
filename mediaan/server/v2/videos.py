"""Videos and mixed media: created, uploaded to `resumable_url`, then predicted while the client polls."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints

from mediaan.errors import shorten
from mediaan.server.http.bodies import JsonBody
from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import base_url
from mediaan.server.service.media import Kind
from mediaan.server.service.uploads import MIXED_MEDIA, VIDEOS, ContentType, find_content_type
from mediaan.server.v2.operations import (
    IN_PROGRESS,
    MADE_BEFORE,
    MIXED,
    NOT_UPLOADED,
    PREDICTION_STARTED,
    UNDER_WAY,
    VIDEO,
    Answer,
    Answers,
    Body,
    Call,
    MediaId,
    Operations,
)

OPERATIONS = Operations()


class NewMedium(Body):
    """What is going to be uploaded."""

    content_type: str = Field(
        max_length=255, description="MIME type of the file, in upper or lower case.", examples=["video/mp4"]
    )
    total_bytes: int = Field(gt=0, description="Size of the file, bytes.", examples=[1048576])
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = Field(
        default=None, description="What to call the medium, such as its file's name. Not part of v2."
    )


class CreatedMedium(Body):
    """A medium that waits for its file."""

    resumable_url: str = Field(description="Where to PUT the file, at once or in parts; good without an API key.")
    media_id: UUID = Field(description="For later calls.")


def _names(allowed: Iterable[ContentType]) -> str:
    return ", ".join(content_type.name for content_type in allowed)


def _answers(allowed: Iterable[ContentType]) -> Answers:
    """Return the answers to the creation of a medium in one of the allowed formats."""
    return {
        201: (CreatedMedium, "Created; send the file to resumable_url next."),
        404: MADE_BEFORE,
        409: UNDER_WAY,
        412: "total_bytes exceeds the maximum file size.",
        413: "The body, or the company's files with this one, would be too large.",
        415: f"content_type is none of {_names(allowed)}. Or the body is said to be no JSON.",
        507: "The server's disk has no room for it.",
    }


_NEXT_STEPS = (
    "resumable_url takes the whole file in one PUT, or parts of it with Content-Range; it answers 308 with the header"
    " Range, which says how much has come, until the file is complete, and 200 then. A PUT without a body and with"
    " 'Content-Range: bytes */TOTAL' asks how far it is. After that, predict."
)


@OPERATIONS.add("POST", "/videos", _answers(VIDEOS), body=JsonBody(NewMedium), description=_NEXT_STEPS)
async def create_video(call: Call) -> CreatedMedium:
    """Create a video for upload."""
    return await _create(call, "video", VIDEOS)


@OPERATIONS.add("POST", "/mixed-media", _answers(MIXED_MEDIA), body=JsonBody(NewMedium), description=_NEXT_STEPS)
async def create_mixed_media(call: Call) -> CreatedMedium:
    """Create a mixed medium for upload: a video or a GIF."""
    return await _create(call, "mixed", MIXED_MEDIA)


async def _create(call: Call, kind: Kind, allowed: Iterable[ContentType]) -> CreatedMedium:
    """Create a medium, and say where its file is to be sent."""
    body: NewMedium = call.body
    content_type = find_content_type(body.content_type, allowed)
    if content_type is None:
        name = shorten(body.content_type)
        raise RequestError(415, f"content_type: {name!r} is not taken here; these are: {_names(allowed)}")
    max_bytes = call.service.settings.max_video_bytes
    if body.total_bytes > max_bytes:
        raise RequestError(412, f"Max file bytes size: {max_bytes}")
    media_id, token = await call.service.create_upload(
        call.company.company_id,
        kind,
        body.name,
        content_type,
        body.total_bytes,
        call.idempotency_key(body.model_dump_json().encode()),
    )
    return CreatedMedium(resumable_url=f"{base_url(call.request)}/uploads/{token}", media_id=media_id)


@OPERATIONS.add(
    "PUT",
    "/{collection}/{media_id}/predict",
    {200: (MediaId, "The prediction has started."), 202: IN_PROGRESS, 412: NOT_UPLOADED},
    collections=(VIDEO, MIXED),
)
async def predict(call: Call) -> MediaId | Answer:
    """Predict {medium} after {its} upload, or again.

    It runs asynchronously: poll `GET /media/{media_id}` until `status` is `done` or `failed`. A file that was predicted
    before is predicted again; until then its earlier results stay.
    """
    medium = call.uploaded()
    job_id = await call.service.add_job(medium, "predict")
    return PREDICTION_STARTED if job_id is None else MediaId(media_id=medium.media_id)
