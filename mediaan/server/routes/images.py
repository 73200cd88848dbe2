"""Pictures: uploaded and predicted in one call."""

from __future__ import annotations

from starlette.concurrency import run_in_threadpool

from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, sniff
from mediaan.server.api.job_request import add_job, finished
from mediaan.server.api.lookup import owned
from mediaan.server.api.operations import Answer, Call, Operation
from mediaan.server.api.presentation import media_object
from mediaan.server.api.schemas import Detail, MediaObject
from mediaan.server.request_error import RequestError, no_such_medium
from mediaan.server.storage.folder import file_name
from mediaan.server.storage.media import StoredMedium
from mediaan.server.uploads.receiving import ReceivedFile, receive_picture


async def upload_image(call: Call) -> MediaObject | Answer:
    """Take in a picture and predict it; one that cannot be predicted leaves nothing behind."""
    services = call.services
    received = await receive_picture(call.request, services.folder, services.settings.max_image_bytes)
    medium = await run_in_threadpool(_take_in, call, received)
    job_id = await add_job(call, medium, "predict")
    try:
        done = job_id is not None and await finished(call, job_id)
    except RequestError:
        await run_in_threadpool(_withdraw, call, medium)
        raise
    found = media_object(owned(call, medium.media_id), call)
    return found if done else Answer(202, found)


def _take_in(call: Call, received: ReceivedFile) -> StoredMedium:
    """Make a medium of a file that came, if it is a picture."""
    services = call.services
    try:
        format = _picture_format(received)
        name = file_name(received.name, f"image.{format}")
        medium = services.media.add(call.company.company_id, "image", name, f"image/{format}", received.size_bytes)
        place = services.folder.source(medium.media_id, name)
        place.parent.mkdir(parents=True)
        received.path.replace(place)
    finally:
        received.path.unlink(missing_ok=True)
    if not services.media.has_file(medium.media_id, name):
        services.folder.discard(medium.media_id)
        raise no_such_medium()
    return medium


def _picture_format(received: ReceivedFile) -> str:
    with received.path.open("rb") as file:
        format = sniff(file.read(HEAD_BYTES))
    if format not in IMAGE_FORMATS:
        what = f"is {format}" if format else "is of no known format"
        taken = ", ".join(sorted(IMAGE_FORMATS))
        raise RequestError(415, f"file: {what}, and no picture that can be read; send one of {taken}")
    return format


def _withdraw(call: Call, medium: StoredMedium) -> None:
    call.services.media.withdraw(medium.media_id)
    call.services.folder.discard(medium.media_id)


OPERATIONS = (
    Operation(
        "POST",
        "/images",
        "uploadImage",
        "Upload an image and predict it in one call.",
        upload_image,
        {
            201: (MediaObject, "The medium, predicted."),
            202: (MediaObject, "The medium; its prediction takes longer than usual. Poll it."),
            404: (Detail, "The medium was deleted while it was predicted."),
            413: (Detail, "The file is larger than the server takes."),
            415: (Detail, "The body is no multipart/form-data, or its file no picture that can be read."),
            422: (Detail, "The field `file` is missing or empty, or its picture is broken or too large."),
            503: (Detail, "A model is missing on the server."),
            507: (Detail, "The server's disk is full."),
        },
        "images",
        upload=True,
    ),
)
