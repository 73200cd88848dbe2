"""Videos: created, uploaded to `resumable_url`, predicted, searched for areas of interest."""

from __future__ import annotations

from mediaan.server.service.uploads import VIDEOS
from mediaan.server.v2 import aois, uploaded
from mediaan.server.v2.operations import Operation

OPERATIONS = (
    Operation(
        "POST",
        "/videos",
        "createVideo",
        "Create a video for upload.",
        uploaded.create,
        uploaded.create_answers(VIDEOS),
        body=uploaded.NEW_MEDIUM,
        description=uploaded.CREATE_DESCRIPTION,
    ),
    Operation(
        "PUT",
        "/videos/{media_id}/predict",
        "predictVideo",
        "Predict a video after its upload, or again.",
        uploaded.predict,
        uploaded.PREDICT_ANSWERS,
        description=uploaded.PREDICT_DESCRIPTION,
    ),
    Operation(
        "POST",
        "/videos/{media_id}/aois/detect",
        "detectVideoAois",
        "Look for AOIs of a video.",
        aois.start_detection,
        {202: "The search has started, now or before."},
        description="Poll its status until it is `done` or `failed`. AOIs that were drawn stay.",
    ),
    Operation(
        "GET",
        "/videos/{media_id}/aois/status",
        "getVideoAoisStatus",
        "How far the search for AOIs of a video is.",
        aois.get_status,
        {200: (aois.AoiStatusObject, "Its status.")},
    ),
    Operation(
        "PUT",
        "/videos/{media_id}/aois",
        "putVideoAois",
        "Replace the AOIs of a video and score them.",
        aois.put_aois,
        aois.PUT_ANSWERS,
        body=aois.UPDATE,
        description=aois.PUT_DESCRIPTION,
    ),
    Operation(
        "GET",
        "/videos/{media_id}/aois",
        "getVideoAois",
        "Fetch the AOIs of a video with their scores.",
        aois.get_aois,
        aois.GET_ANSWERS,
    ),
)
