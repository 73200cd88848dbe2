"""A stored medium in the service's shape."""

from __future__ import annotations

from mediaan.server.media import StoredMedium
from mediaan.server.operations import Call
from mediaan.server.schemas import MediaObject

METRICS = (
    "cognitive_demand",
    "focus",
    "focus_first_two",
    "focus_last_two",
    "clarity",
    "engagement",
    "memory",
)
_RESULTS = ("heat", "clarity_heat", "engagement_heat", "cognitive_demand_heat", "fog", "formatted")
IMAGE_RESULTS = (*_RESULTS, "first_two_heat", "first_two_fog", "last_two_heat", "last_two_fog", "metrics")
VIDEO_RESULTS = (*_RESULTS, "brand_detection", "brand_detection_metrics", "aoi_scores", "metrics")


def media_object(medium: StoredMedium, call: Call) -> MediaObject:
    """The media object of v2: every key of its type is there, what is not available is empty or null."""
    names = IMAGE_RESULTS if medium.type == "image" else VIDEO_RESULTS
    links = call.services.links
    return MediaObject(
        media_id=medium.media_id,
        name=medium.name,
        status=medium.status,
        type=medium.type,
        aoi_status=medium.aoi_status,
        results={name: links.file_url(call.request, medium, name) for name in names},
        metrics={name: medium.metrics.get(name) for name in METRICS},
        created_at=medium.created_at,
        updated_at=medium.updated_at,
        deleted_at=medium.deleted_at,
        error=medium.error or medium.aoi_error,
    )
