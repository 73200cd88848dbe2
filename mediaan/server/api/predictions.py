"""Media come in and are predicted: images in one call, videos and mixed media after their upload."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from email.message import Message
from http import HTTPStatus
from typing import Annotated
from uuid import UUID

from pydantic import Field, StringConstraints
from python_multipart.multipart import parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request

from mediaan.errors import shorten
from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, sniff
from mediaan.server.api.media import media_object
from mediaan.server.api.operations import NO_SUCH_MEDIUM, NOT_UPLOADED, Answer, Call, Operations, detail
from mediaan.server.api.schemas import Body, MediaId, MediaObject
from mediaan.server.errors import RequestError, no_such_medium
from mediaan.server.storage.folder import file_name, full_disk_refused
from mediaan.server.storage.media import IdempotencyKey, Kind, StoredMedium
from mediaan.server.uploads import MIXED_MEDIA, VIDEOS, ContentType, find_content_type

OPERATIONS = Operations()

_GONE = "An earlier request with the same Idempotency-Key made a file that was deleted since."
_UNDER_WAY = "A request with the same Idempotency-Key is under way."
_STARTED = detail(202, "Prediction already started")


@OPERATIONS.add(
    "POST",
    "/images",
    "uploadImage",
    "Upload an image and predict it in one call.",
    {
        201: (MediaObject, "The medium, predicted."),
        202: (MediaObject, "The medium; its prediction takes longer than usual. Poll it."),
        400: "Idempotency-Key is none. Or the form cannot be parsed.",
        404: f"The medium was deleted while it was predicted. Or: {_GONE}",
        409: _UNDER_WAY,
        413: "The file is larger than the server takes, or than your company's room.",
        415: "The body is no multipart/form-data, or its file no image that can be read.",
        422: "The field `file` is missing or empty, or its image is broken or too large.",
        503: "A model is missing on the server.",
        507: "The server's disk has no room for it.",
    },
    upload=True,
)
async def upload_image(call: Call) -> MediaObject | Answer:
    """Take in an image and predict it; one that cannot be predicted leaves nothing behind."""
    services = call.services
    content_type = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if content_type != "multipart/form-data":
        raise RequestError(
            415, f"The body must be multipart/form-data with the field file, not {shorten(content_type) or 'nothing'}"
        )
    size_bytes = int(call.request.headers.get("content-length", 0))
    services.folder.refuse_without_room(size_bytes, services.settings.min_free_bytes)
    with full_disk_refused("nothing of it is kept"):
        async with UploadForm.of(call.request) as form:
            picture = await run_in_threadpool(_uploaded_image, call, form.multi_items())
            if picture.idempotency is None:
                return await _predicted(call, picture)
            key = (call.company.company_id, picture.idempotency)
            return await services.once(key, lambda: _predicted(call, picture))


async def _predicted(call: Call, picture: UploadedImage) -> MediaObject | Answer:
    """Take in a picture, or find it, and answer with its prediction."""
    services = call.services
    medium = await run_in_threadpool(_take_in, call, picture)
    if medium.status == "done":  # an earlier request with the same idempotency key
        return media_object(medium, call)
    job_id = await services.add_job(medium, "predict")
    if job_id is None:  # likewise, and it still waits
        job_id = await run_in_threadpool(services.jobs.prediction, medium.media_id)
    try:
        done = await services.finished(job_id)
    except RequestError as error:
        # what is wrong with the file is the answer to all that send it with the same key; else it may be tried again
        refusal = error if error.status == HTTPStatus.UNPROCESSABLE_ENTITY else None
        await run_in_threadpool(services.media.withdraw, medium.media_id, refusal)
        await run_in_threadpool(services.folder.discard, medium.media_id)
        raise
    found = media_object(call.medium(media_id=medium.media_id), call)
    return found if done else Answer(202, found)


class UploadForm(MultiPartParser):
    """A form with a file, whose name may be written as RFC 8187 has it."""

    def on_headers_finished(self) -> None:
        """Take a part with ``filename*`` alone for a file, too."""
        self._current_part.content_disposition = with_plain_name(self._current_part.content_disposition or b"")
        super().on_headers_finished()

    @classmethod
    @asynccontextmanager
    async def of(cls, request: Request) -> AsyncIterator[FormData]:
        """Read the form of a request, and close its files in the end.

        Raises
        ------
        RequestError
            400: it cannot be parsed.
        """
        try:
            form = await cls(request.headers, request.stream(), max_files=2, max_fields=1).parse()
        except MultiPartException as error:
            raise RequestError(400, error.message) from error
        try:
            yield form
        finally:
            await form.close()


def with_plain_name(disposition: bytes) -> bytes:
    """Write the name of a file plainly in a header Content-Disposition that has only ``filename*`` (RFC 8187).

    Forms should not use it (RFC 7578, 4.2), and some clients do; where both are there, the plain name counts.

    Examples
    --------
    >>> with_plain_name(b"form-data; name=file; filename*=UTF-8''n%C3%A4h.png").partition(b"png; ")[2].decode()
    'filename="näh.png"'
    >>> with_plain_name(b'form-data; name="file"; filename="a.png"')
    b'form-data; name="file"; filename="a.png"'
    """
    message = Message()
    message["Content-Disposition"] = disposition.decode("latin-1")
    names = [name.lower() for name, _ in message.get_params([], "content-disposition", unquote=False) or []]
    if b"filename" in parse_options_header(disposition)[1] or "filename" not in names:
        return disposition
    name = (message.get_filename() or "").replace("\\", "\\\\").replace('"', '\\"')
    return disposition + f'; filename="{name}"'.encode(errors="replace")


@dataclass(frozen=True, slots=True)
class UploadedImage:
    """The one file of a form, which is an image."""

    file: UploadFile
    size: int  # bytes
    format: str
    name: str
    idempotency: IdempotencyKey | None


def _uploaded_image(call: Call, parts: list[tuple[str, UploadFile | str]]) -> UploadedImage:
    """Return the image of a form."""
    most_bytes = call.services.settings.max_image_bytes
    if unknown := [field for field, _ in parts if field != "file"]:
        raise RequestError(422, f"{shorten(unknown[0])}: is not known; the one field is file")
    if len(parts) != 1:
        what = "comes more than once; send one image at a time" if parts else "is missing; send the image in it"
        raise RequestError(422, f"file: {what}")
    file = parts[0][1]
    if isinstance(file, str) or not file.size:
        raise RequestError(422, "file: is empty, or no file; send the image with its name")
    if file.size > most_bytes:
        raise RequestError(413, f"Max file bytes size: {most_bytes}")
    format = sniff(file.file.read(HEAD_BYTES))
    if format not in IMAGE_FORMATS:
        what = f"is {format}" if format else "is of no known format"
        taken = ", ".join(sorted(IMAGE_FORMATS))
        raise RequestError(415, f"file: {what}, and no image that can be read; send one of {taken}")
    called = file.filename or ""
    for escaped, sign in (("%22", '"'), ("%0D", "\r"), ("%0A", "\n")):  # as browsers write them in forms
        called = called.replace(escaped, sign)
    idempotency = None
    if "idempotency-key" in call.request.headers:
        file.file.seek(0)
        content = hashlib.sha256()
        while block := file.file.read(1 << 20):
            content.update(block)
        idempotency = call.idempotency_key(content.digest())
    return UploadedImage(file, file.size, format, file_name(called, f"image.{format}"), idempotency)


def _take_in(call: Call, picture: UploadedImage) -> StoredMedium:
    """Make a medium of an image, or return the one that an earlier request with the same key made of it."""
    services, company_id = call.services, call.company.company_id
    if picture.idempotency and (repeated := services.media.repeated(company_id, picture.idempotency)):
        if repeated.file is None:
            raise RequestError(409, "A request with this Idempotency-Key is under way; try again")
        return repeated
    medium = services.media.add(
        company_id,
        "image",
        picture.name,
        f"image/{picture.format}",
        picture.size,
        max_company_bytes=services.settings.max_company_bytes,
        idempotency=picture.idempotency,
    )
    try:
        source = services.folder.make_source(medium.media_id, picture.name)
        picture.file.file.seek(0)
        with source.open("xb") as stored:
            shutil.copyfileobj(picture.file.file, stored)
    except OSError:
        services.media.withdraw(medium.media_id)
        services.folder.discard(medium.media_id)
        raise
    if not services.media.has_file(medium.media_id, picture.name):
        services.folder.discard(medium.media_id)
        raise no_such_medium()
    return medium


class NewMedium(Body):
    """What is going to be uploaded."""

    content_type: str = Field(
        max_length=255, description="MIME type of the file, in upper or lower case.", examples=["video/mp4"]
    )
    total_bytes: int = Field(gt=0, description="Size of the file, bytes.", examples=[1048576])
    name: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = Field(
        default=None, description="What to call the medium, such as its file's name. Not part of v2."
    )


class CreatedMedium(Body):
    """A medium that waits for its file."""

    resumable_url: str = Field(description="Where to PUT the file, at once or in parts; good without an API key.")
    media_id: UUID = Field(description="For later calls.")


_IN_PROGRESS = "A prediction is in progress already; no other is started."


@OPERATIONS.add(
    "PUT",
    "/images/{media_id}/predict",
    "predictImage",
    "Predict an image again.",
    {
        200: (MediaObject, "The medium, predicted."),
        202: _IN_PROGRESS,
        400: "The medium is not an image.",
        404: NO_SUCH_MEDIUM,
        412: NOT_UPLOADED,
        503: "A model is missing on the server.",
    },
)
async def predict_image(call: Call) -> MediaObject | Answer:
    """Predict an image again."""
    job_id = await call.services.add_job(_uploaded(call, "image"), "predict")
    if job_id is None or not await call.services.finished(job_id):
        return _STARTED
    return media_object(call.medium(), call)


_HOW_TO_UPLOAD = (
    "resumable_url takes the whole file in one PUT, or parts of it with Content-Range; it answers 308 with the header"
    " Range, which says how much has come, until the file is complete, and 200 then. A PUT without a body and with"
    " 'Content-Range: bytes */TOTAL' asks how far it is. After that, predict."
)
_POLLED = (
    "It runs asynchronously: poll `GET /media/{media_id}` until `status` is `done` or `failed`. A file that was"
    " predicted before is predicted again; until then its earlier results stay."
)


def _add_uploaded(
    kind: Kind, path: str, name: str, one: str, allowed: Iterable[ContentType], summaries: tuple[str, str]
) -> None:
    """Declare how media whose files are uploaded afterwards are created, and predicted."""
    names = ", ".join(content_type.name for content_type in allowed)

    @OPERATIONS.add(
        "POST",
        f"/{path}",
        f"create{name}",
        summaries[0],
        {
            201: (CreatedMedium, "Created; send the file to resumable_url next."),
            404: _GONE,
            409: _UNDER_WAY,
            412: "total_bytes exceeds the maximum file size.",
            413: "The body, or the company's files with this one, would be too large.",
            415: f"content_type is none of {names}. Or the body is said to be no JSON.",
            507: "The server's disk has no room for it.",
        },
        body=NewMedium,
        description=_HOW_TO_UPLOAD,
    )
    async def create(call: Call) -> CreatedMedium:
        body: NewMedium = call.body
        services, total_bytes = call.services, body.total_bytes
        content_type = find_content_type(body.content_type, allowed)
        if content_type is None:
            raise RequestError(
                415, f"content_type: {shorten(body.content_type)!r} is not taken here; these are: {names}"
            )
        most = services.settings.max_video_bytes
        if total_bytes > most:
            raise RequestError(412, f"Max file bytes size: {most}")
        # without signs that a list or a log could trip over
        printable = "".join(sign if sign.isprintable() else " " for sign in body.name or "")
        title = " ".join(printable.split()) or f"{kind}{content_type.suffixes[0]}"
        company_id = call.company.company_id
        idempotency = call.idempotency_key(body.model_dump_json().encode())

        def added() -> StoredMedium:
            if idempotency and (repeated := services.media.repeated(company_id, idempotency)):
                return repeated
            services.folder.refuse_without_room(total_bytes, services.settings.min_free_bytes)
            most_bytes = services.settings.max_company_bytes
            facts = (company_id, kind, title, content_type.name, total_bytes)
            return services.media.add(*facts, max_company_bytes=most_bytes, idempotency=idempotency)

        if idempotency is None:
            medium = await run_in_threadpool(added)
        else:
            medium = await services.once((company_id, idempotency), lambda: run_in_threadpool(added))
        token = await run_in_threadpool(services.uploads.create, medium.media_id, content_type.name, total_bytes)
        url = f"{services.links.base_url(call.request)}/uploads/{token}"
        return CreatedMedium(resumable_url=url, media_id=medium.media_id)

    @OPERATIONS.add(
        "PUT",
        f"/{path}/{{media_id}}/predict",
        f"predict{name}",
        summaries[1],
        {
            200: (MediaId, "The prediction has started."),
            202: _IN_PROGRESS,
            400: f"The medium is not {one}.",
            404: NO_SUCH_MEDIUM,
            412: NOT_UPLOADED,
        },
        description=_POLLED,
    )
    async def predict(call: Call) -> MediaId | Answer:
        medium = _uploaded(call, kind)
        job_id = await call.services.add_job(medium, "predict")
        return _STARTED if job_id is None else MediaId(media_id=medium.media_id)


def _uploaded(call: Call, kind: Kind) -> StoredMedium:
    medium = call.medium(kind)
    if medium.file is None:
        raise RequestError(412, "Media is not uploaded")
    return medium


_add_uploaded(
    *("video", "videos", "Video", "a video", VIDEOS),
    ("Create a video for upload.", "Predict a video after its upload, or again."),
)
_add_uploaded(
    *("mixed", "mixed-media", "MixedMedia", "mixed media", MIXED_MEDIA),
    ("Create a mixed medium for upload: a video or a GIF.", "Predict mixed media after their upload, or again."),
)
