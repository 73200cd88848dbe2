"""Media of every kind: listed, fetched, deleted."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from mediaan.server.api.lookup import NO_SUCH_MEDIUM, owned
from mediaan.server.api.operations import Answer, Call, Operation
from mediaan.server.api.presentation import Renderings, list_json, media_object
from mediaan.server.api.schemas import MediaList, MediaObject, MediaQuery
from mediaan.server.request_error import no_such_medium
from mediaan.server.storage.media import StoredMedium


async def list_media(call: Call) -> Answer:
    """List a company's media."""
    query: MediaQuery = call.query
    found, total = call.services.media.page(call.company.company_id, **query.model_dump())
    return Answer(200, list_json([_rendered(medium, call) for medium in found], total))


async def get_medium(call: Call) -> Answer:
    """Fetch one medium."""
    return Answer(200, _rendered(owned(call), call))


async def delete_medium(call: Call) -> MediaObject:
    """Delete a medium and its files; what works on it stops."""
    medium = await run_in_threadpool(call.services.media.delete, call.company.company_id, call.media_id)
    if medium is None:
        raise no_such_medium()
    await run_in_threadpool(call.services.folder.discard, medium.media_id)
    return media_object(medium, call)


def _rendered(medium: StoredMedium, call: Call) -> bytes:
    renderings: Renderings = call.request.app.state.renderings
    return renderings.json(medium, call)


OPERATIONS = (
    Operation(
        "GET",
        "/media",
        "listMedia",
        "List media, from the oldest to the most recent.",
        list_media,
        {200: (MediaList, "Media that fit the filters.")},
        "media",
        query=MediaQuery,
    ),
    Operation(
        "GET",
        "/media/{media_id}",
        "getMedium",
        "Fetch one medium, with its metrics and results.",
        get_medium,
        {200: (MediaObject, "The medium."), 404: NO_SUCH_MEDIUM},
        "media",
    ),
    Operation(
        "DELETE",
        "/media/{media_id}",
        "deleteMedium",
        "Delete a medium with all its files.",
        delete_medium,
        {200: (MediaObject, "The medium, as it was."), 404: NO_SUCH_MEDIUM},
        "media",
    ),
)
