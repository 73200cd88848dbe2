"""A stored medium in the service's shape."""

from __future__ import annotations

from uuid import UUID

from mediaan.server.api.operations import Call
from mediaan.server.api.schemas import MediaObject
from mediaan.server.storage.media import StoredMedium

METRICS = (
    "cognitive_demand",
    "focus",
    "focus_first_two",
    "focus_last_two",
    "clarity",
    "engagement",
    "memory",
    "design",
)
_RESULTS = ("heat", "clarity_heat", "engagement_heat", "cognitive_demand_heat", "fog", "formatted")
IMAGE_RESULTS = (*_RESULTS, "first_two_heat", "first_two_fog", "last_two_heat", "last_two_fog", "metrics")
VIDEO_RESULTS = (*_RESULTS, "brand_detection", "brand_detection_metrics", "aoi_scores", "metrics")


def media_object(medium: StoredMedium, call: Call) -> MediaObject:
    """The media object of v2: every key of its type is there, what is not available is empty or null."""
    names = IMAGE_RESULTS if medium.type == "image" else VIDEO_RESULTS
    links, gone = call.services.links, medium.deleted_at is not None
    return MediaObject(
        media_id=medium.media_id,
        name=medium.name,
        status=medium.status,
        type=medium.type,
        aoi_status=medium.aoi_status,
        results={name: "" if gone else links.file_url(call.request, medium, name) for name in names},
        metrics={name: medium.metrics.get(name) for name in METRICS},
        created_at=medium.created_at,
        updated_at=medium.updated_at,
        deleted_at=medium.deleted_at,
        error=medium.error or medium.aoi_error,
    )


class Renderings:
    """Media objects as JSON, kept until the medium or its addresses change: clients poll, and signing costs most.

    Parameters
    ----------
    most : int
        So many are kept, of about 2 KiB each; the oldest go first.
    """

    def __init__(self, most: int = 5000) -> None:
        self._most = most
        self._kept: dict[tuple[UUID, str], tuple[tuple[object, ...], bytes]] = {}

    def json(self, medium: StoredMedium, call: Call) -> bytes:
        """A medium's object, as `media_object` gives it."""
        links = call.services.links
        key = (medium.media_id, links.base_url(call.request))
        state = (medium.updated_at, medium.status, medium.aoi_status, medium.run, medium.deleted_at, links.expiry_ms())
        found = self._kept.pop(key, None)
        if found is None or found[0] != state:
            found = (state, media_object(medium, call).model_dump_json().encode())
        self._kept[key] = found
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return found[1]


def list_json(items: list[bytes], total: int) -> bytes:
    """A `MediaList` of rendered media objects."""
    return b'{"items":[%b],"count":%d,"total":%d}' % (b",".join(items), len(items), total)
