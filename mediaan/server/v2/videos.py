"""Videos and mixed media: created, uploaded to `resumable_url`, predicted, searched for areas of interest."""

from __future__ import annotations

from collections.abc import Iterable

from mediaan.server.service.uploads import MIXED_MEDIA, VIDEOS, ContentType
from mediaan.server.v2 import aois, uploaded
from mediaan.server.v2.operations import Operation


def _operations(
    path: str, name: str, medium: str, upload: str, accepted: Iterable[ContentType], predict: str
) -> tuple[Operation, ...]:
    """List the operations on media of one kind, which sentences call `medium`."""
    return (
        Operation(
            "POST",
            f"/{path}",
            f"create{name}",
            upload,
            uploaded.create,
            uploaded.create_answers(accepted),
            body=uploaded.NEW_MEDIUM,
            description=uploaded.CREATE_DESCRIPTION,
        ),
        Operation(
            "PUT",
            f"/{path}/{{media_id}}/predict",
            f"predict{name}",
            predict,
            uploaded.predict,
            uploaded.PREDICT_ANSWERS,
            description=uploaded.PREDICT_DESCRIPTION,
        ),
        Operation(
            "POST",
            f"/{path}/{{media_id}}/aois/detect",
            f"detect{name}Aois",
            f"Look for AOIs of {medium}.",
            aois.start_detection,
            {202: "The search has started, now or before."},
            description="Poll its status until it is `done` or `failed`. AOIs that were drawn stay.",
        ),
        Operation(
            "GET",
            f"/{path}/{{media_id}}/aois/status",
            f"get{name}AoisStatus",
            f"How far the search for AOIs of {medium} is.",
            aois.get_status,
            {200: (aois.AoiStatusObject, "Its status.")},
        ),
        Operation(
            "PUT",
            f"/{path}/{{media_id}}/aois",
            f"put{name}Aois",
            f"Replace the AOIs of {medium} and score them.",
            aois.put_aois,
            aois.PUT_ANSWERS,
            body=aois.UPDATE,
            description=aois.PUT_DESCRIPTION,
        ),
        Operation(
            "GET",
            f"/{path}/{{media_id}}/aois",
            f"get{name}Aois",
            f"Fetch the AOIs of {medium} with their scores.",
            aois.get_aois,
            aois.GET_ANSWERS,
        ),
    )


OPERATIONS = _operations(
    "videos",
    "Video",
    "a video",
    "Create a video for upload.",
    VIDEOS,
    "Predict a video after its upload, or again.",
)
MIXED_MEDIA_OPERATIONS = _operations(
    "mixed-media",
    "MixedMedia",
    "mixed media",
    "Create a mixed medium for upload: a video or a GIF.",
    MIXED_MEDIA,
    "Predict mixed media after their upload, or again.",
)
