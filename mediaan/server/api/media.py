"""Media of every kind: listed, fetched, deleted; and how a stored medium is shown."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from mediaan.maps.catalogue import MAPS, image_map_names
from mediaan.metrics import metric_specs
from mediaan.server.api.operations import NO_SUCH_MEDIUM, Answer, Call, Operations
from mediaan.server.api.schemas import MediaList, MediaObject, MediaQuery
from mediaan.server.errors import no_such_medium
from mediaan.server.storage.media import StoredMedium

METRICS = tuple(spec.name for spec in metric_specs() if spec.unit == "score")
IMAGE_RESULTS = (*image_map_names(), "formatted", "metrics")
VIDEO_RESULTS = (
    *(name for name in image_map_names() if MAPS[name].window in (None, "total")),
    *("formatted", "brand_detection", "brand_detection_metrics", "aoi_scores", "metrics"),
)

OPERATIONS = Operations()


def media_object(medium: StoredMedium, call: Call) -> MediaObject:
    """Return the media object of v2: every key of its type is there, what is not available is empty or null."""
    names = IMAGE_RESULTS if medium.type == "image" else VIDEO_RESULTS
    links, deleted = call.services.links, medium.deleted_at is not None
    return MediaObject(
        media_id=medium.media_id,
        name=medium.name,
        status=medium.status,
        type=medium.type,
        aoi_status=medium.aoi_status,
        results={name: "" if deleted else links.file_url(call.request, medium, name) for name in names},
        metrics={name: medium.metrics.get(name) for name in METRICS},
        created_at=medium.created_at,
        updated_at=medium.updated_at,
        deleted_at=medium.deleted_at,
        error=medium.error or medium.aoi_error,
    )


@OPERATIONS.add(
    "GET",
    "/media",
    "listMedia",
    "List media, from the oldest to the most recent.",
    {200: (MediaList, "Media that fit the filters.")},
    query=MediaQuery,
)
async def list_media(call: Call) -> Answer:
    """List a company's media."""

    def listed() -> bytes:
        found, total = call.services.media.page(call.company.company_id, **call.query.model_dump())
        items = [media_object(medium, call) for medium in found]
        return MediaList(items=items, count=len(found), total=total).model_dump_json().encode()

    return Answer(
        200, await run_in_threadpool(listed)
    )  # of thousands it takes a second, and others wait for an answer too


@OPERATIONS.add(
    "GET",
    "/media/{media_id}",
    "getMedium",
    "Fetch one medium, with its metrics and results.",
    {200: (MediaObject, "The medium."), 404: NO_SUCH_MEDIUM},
)
async def get_medium(call: Call) -> MediaObject:
    """Fetch one medium."""
    return media_object(call.medium(), call)


@OPERATIONS.add(
    "DELETE",
    "/media/{media_id}",
    "deleteMedium",
    "Delete a media item with all its files.",
    {200: (MediaObject, "The medium, as it was."), 404: NO_SUCH_MEDIUM},
)
async def delete_medium(call: Call) -> MediaObject:
    """Delete a medium and its files; what works on it stops."""
    medium = await run_in_threadpool(call.services.media.delete, call.company.company_id, call.path["media_id"])
    if medium is None:
        raise no_such_medium()
    await run_in_threadpool(call.services.folder.discard, medium.media_id)
    return media_object(medium, call)
