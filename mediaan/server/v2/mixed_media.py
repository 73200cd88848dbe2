"""Mixed media: videos and animated GIFs. They are created, uploaded to `resumable_url`, predicted, then searched."""

from __future__ import annotations

from mediaan.server.service.uploads import MIXED_MEDIA
from mediaan.server.v2 import aois, uploaded
from mediaan.server.v2.operations import Operation

OPERATIONS = (
    Operation(
        "POST",
        "/mixed-media",
        "createMixedMedia",
        "Create a mixed medium for upload: a video or a GIF.",
        uploaded.create,
        uploaded.create_answers(MIXED_MEDIA),
        body=uploaded.NEW_MEDIUM,
        description=uploaded.CREATE_DESCRIPTION,
    ),
    Operation(
        "PUT",
        "/mixed-media/{media_id}/predict",
        "predictMixedMedia",
        "Predict mixed media after their upload, or again.",
        uploaded.predict,
        uploaded.PREDICT_ANSWERS,
        description=uploaded.PREDICT_DESCRIPTION,
    ),
    Operation(
        "POST",
        "/mixed-media/{media_id}/aois/detect",
        "detectMixedMediaAois",
        "Look for AOIs of mixed media.",
        aois.start_detection,
        {202: "The search has started, now or before."},
        description="Poll its status until it is `done` or `failed`. AOIs that were drawn stay.",
    ),
    Operation(
        "GET",
        "/mixed-media/{media_id}/aois/status",
        "getMixedMediaAoisStatus",
        "How far the search for AOIs of mixed media is.",
        aois.get_status,
        {200: (aois.AoiStatusObject, "Its status.")},
    ),
    Operation(
        "PUT",
        "/mixed-media/{media_id}/aois",
        "putMixedMediaAois",
        "Replace the AOIs of mixed media and score them.",
        aois.put_aois,
        aois.PUT_ANSWERS,
        body=aois.UPDATE,
        description=aois.PUT_DESCRIPTION,
    ),
    Operation(
        "GET",
        "/mixed-media/{media_id}/aois",
        "getMixedMediaAois",
        "Fetch the AOIs of mixed media with their scores.",
        aois.get_aois,
        aois.GET_ANSWERS,
    ),
)
