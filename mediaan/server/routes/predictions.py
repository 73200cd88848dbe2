"""Predictions: run, and run again."""

from __future__ import annotations

from functools import partial

from mediaan.server.api.job_request import add_job, finished
from mediaan.server.api.lookup import NO_SUCH_MEDIUM, NOT_UPLOADED, of_kind, owned, require_file
from mediaan.server.api.operations import Answer, Call, Operation
from mediaan.server.api.presentation import media_object
from mediaan.server.api.schemas import Detail, MediaId, MediaObject
from mediaan.server.storage.media import Kind

_STARTED = Answer(202, Detail(detail="Prediction already started"))


async def predict_image(call: Call) -> MediaObject | Answer:
    """Predict an image again."""
    medium = of_kind(call, "image")
    require_file(medium)
    job_id = await add_job(call, medium, "predict")
    if job_id is None or not await finished(call, job_id):
        return _STARTED
    return media_object(owned(call), call)


async def start_prediction(call: Call, kind: Kind) -> MediaId | Answer:
    """Start the prediction of a medium that moves; it is polled."""
    medium = of_kind(call, kind)
    require_file(medium)
    job_id = await add_job(call, medium, "predict")
    return _STARTED if job_id is None else MediaId(media_id=medium.media_id)


_IN_PROGRESS = (Detail, "A prediction is in progress already; no other is started.")
_POLLED = "It runs asynchronously: poll `GET /media/{media_id}` until `status` is `done` or `failed`. " + (
    "A medium that was predicted before is predicted again; until that is done, its earlier results stay."
)

OPERATIONS = (
    Operation(
        "PUT",
        "/images/{media_id}/predict",
        "predictImage",
        "Predict an image again.",
        predict_image,
        {
            200: (MediaObject, "The medium, predicted."),
            202: _IN_PROGRESS,
            400: (Detail, "The medium is not an image."),
            404: NO_SUCH_MEDIUM,
            412: NOT_UPLOADED,
            503: (Detail, "A model is missing on the server."),
        },
        "images",
    ),
    Operation(
        "PUT",
        "/videos/{media_id}/predict",
        "predictVideo",
        "Predict a video after its upload, or again.",
        partial(start_prediction, kind="video"),
        {
            200: (MediaId, "The prediction has started."),
            202: _IN_PROGRESS,
            400: (Detail, "The medium is not a video."),
            404: NO_SUCH_MEDIUM,
            412: NOT_UPLOADED,
        },
        "videos",
        description=_POLLED,
    ),
    Operation(
        "PUT",
        "/mixed-media/{media_id}/predict",
        "predictMixedMedia",
        "Predict mixed media after their upload, or again.",
        partial(start_prediction, kind="mixed"),
        {
            200: (MediaId, "The prediction has started."),
            202: _IN_PROGRESS,
            400: (Detail, "The medium is not mixed media."),
            404: NO_SUCH_MEDIUM,
            412: NOT_UPLOADED,
        },
        "mixed-media",
        description=_POLLED,
    ),
)
