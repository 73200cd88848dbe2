"""Media whose files are uploaded afterwards: videos and mixed media."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, Field, StringConstraints
from starlette.concurrency import run_in_threadpool

from mediaan.server.api.operations import Call, Operation
from mediaan.server.api.schemas import Body, Detail
from mediaan.server.request_error import RequestError
from mediaan.server.routes.uploads import PATH
from mediaan.server.services import Services
from mediaan.server.storage.media import Kind, StoredMedium
from mediaan.server.uploads.content_types import MIXED_MEDIA, VIDEOS, ContentType, find_content_type


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


async def create_video(call: Call) -> CreatedMedium:
    """Take in a new video."""
    return await _create(call, "video", VIDEOS)


async def create_mixed_media(call: Call) -> CreatedMedium:
    """Take in a new mixed medium."""
    return await _create(call, "mixed", MIXED_MEDIA)


async def _create(call: Call, kind: Kind, allowed: Iterable[ContentType]) -> CreatedMedium:
    body: NewMedium = call.body
    content_type = find_content_type(body.content_type, allowed)
    if content_type is None:
        raise RequestError(415, f"content_type: {body.content_type!r} is not taken here; these are: {_names(allowed)}")
    most = call.services.settings.max_video_bytes
    if body.total_bytes > most:
        raise RequestError(412, f"Max file bytes size: {most}")
    name = _printable(body.name or "") or f"{kind}{content_type.suffixes[0]}"
    company_id = call.company.company_id
    medium, token = await run_in_threadpool(
        _announce, call.services, company_id, kind, name, content_type, body.total_bytes
    )
    url = f"{call.services.links.base_url(call.request)}{PATH}/{token}"
    return CreatedMedium(resumable_url=url, media_id=medium.media_id)


def _announce(
    services: Services, company_id: int, kind: Kind, name: str, content_type: ContentType, total_bytes: int
) -> tuple[StoredMedium, str]:
    medium = services.media.add(company_id, kind, name, content_type.name, total_bytes)
    return medium, services.uploads.create(medium.media_id, content_type.name, total_bytes)


def _printable(name: str) -> str:
    """A name without signs that a list or a log could trip over.

    Examples
    --------
    >>> _printable("Spot\\r\\n2026\\x00.mp4")
    'Spot 2026 .mp4'
    """
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())


def _names(allowed: Iterable[ContentType]) -> str:
    return ", ".join(one.name for one in allowed)


def _answers(allowed: Iterable[ContentType]) -> Mapping[int, tuple[type[BaseModel], str]]:
    return {
        201: (CreatedMedium, "Created; send the file to resumable_url next."),
        412: (Detail, "total_bytes exceeds the maximum file size."),
        415: (Detail, f"content_type is none of {_names(allowed)}. Or the body is said to be no JSON."),
    }


_DESCRIPTION = (
    "resumable_url takes the whole file in one PUT, or parts of it with Content-Range; it answers 308 with the header"
    " Range, which says how much has come, until the file is complete, and 200 then. A PUT without a body and with"
    " 'Content-Range: bytes */TOTAL' asks how far it is. After that, predict."
)

OPERATIONS = (
    Operation(
        "POST",
        "/videos",
        "createVideo",
        "Create a video for upload.",
        create_video,
        _answers(VIDEOS),
        "videos",
        body=NewMedium,
        description=_DESCRIPTION,
    ),
    Operation(
        "POST",
        "/mixed-media",
        "createMixedMedia",
        "Create a mixed medium for upload: a video or a GIF.",
        create_mixed_media,
        _answers(MIXED_MEDIA),
        "mixed-media",
        body=NewMedium,
        description=_DESCRIPTION,
    ),
)
