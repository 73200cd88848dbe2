"""Images: uploaded and predicted in one call, predicted again, searched for areas of interest."""

from __future__ import annotations

import hashlib

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile

from mediaan.server.http.bodies import sent_file, sent_name
from mediaan.server.service.folder import full_disk_refused
from mediaan.server.service.media import IdempotencyKey
from mediaan.server.service.service import require_prediction
from mediaan.server.v2.aois import DETECTION_STARTED, Aois, get_aois
from mediaan.server.v2.media import MediaObject, media_object
from mediaan.server.v2.operations import (
    IMAGE,
    IN_PROGRESS,
    MADE_BEFORE,
    NOT_PREDICTED,
    NOT_UPLOADED,
    PREDICTION_STARTED,
    UNDER_WAY,
    Answer,
    Call,
    Operations,
)

OPERATIONS = Operations()


@OPERATIONS.add(
    "POST",
    "/{collection}",
    {
        201: (MediaObject, "The medium, predicted."),
        202: (MediaObject, "The medium; its prediction takes longer than usual. Poll it."),
        400: "Idempotency-Key is none. Or the form cannot be parsed.",
        404: f"The medium was deleted while it was predicted. Or: {MADE_BEFORE}",
        409: UNDER_WAY,
        413: "The file is larger than the server takes, or than your company's room.",
        415: "The body is no multipart/form-data, or its file no image that can be read.",
        422: "The field `file` is missing or empty, or its image is broken or too large.",
        503: "A model is missing on the server.",
        507: "The server's disk has no room for it.",
    },
    collections=(IMAGE,),
    upload=True,
)
async def upload(call: Call) -> MediaObject | Answer:
    """Upload an image and predict it in one call."""
    service, request = call.service, call.request
    service.check_room(int(request.headers.get("content-length", 0)))
    with full_disk_refused("nothing of it is kept"):
        async with sent_file(request, service.settings.max_image_bytes) as file:
            idempotency = await run_in_threadpool(_idempotency_key, call, file)
            medium, done = await service.predict_new_image(
                call.company.company_id, file.file, sent_name(file), idempotency
            )
    return media_object(medium, call) if done else Answer(202, media_object(medium, call))


def _idempotency_key(call: Call, file: UploadFile) -> IdempotencyKey | None:
    if "idempotency-key" not in call.request.headers:
        return None
    digest = hashlib.file_digest(file.file, "sha256")  # type: ignore[arg-type]  # temporary files can be read into
    return call.idempotency_key(digest.digest())


@OPERATIONS.add(
    "PUT",
    "/{collection}/{media_id}/predict",
    {
        200: (MediaObject, "The medium, predicted."),
        202: IN_PROGRESS,
        412: NOT_UPLOADED,
        503: "A model is missing on the server.",
    },
    collections=(IMAGE,),
)
async def predict(call: Call) -> MediaObject | Answer:
    """Predict an image again."""
    if not await call.service.do(call.uploaded(), "predict"):
        return PREDICTION_STARTED
    return media_object(call.medium(), call)


@OPERATIONS.add(
    "POST",
    "/{collection}/{media_id}/aois/detect",
    {
        200: (Aois, "What was found, and what was drawn before."),
        202: "A search is in progress already, or takes longer than usual; fetch the AOIs later.",
        412: NOT_PREDICTED,
        503: "A model is missing on the server.",
    },
    collections=(IMAGE,),
)
async def detect_aois(call: Call) -> Answer:
    """Look for AOIs of an image.

    AOIs that were drawn stay.
    """
    medium = call.medium()
    require_prediction(medium)
    if not await call.service.do(medium, "detect"):
        return DETECTION_STARTED
    return await get_aois(call)
