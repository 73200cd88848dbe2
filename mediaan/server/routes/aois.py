"""Areas of interest: looked for, fetched, drawn."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from starlette.concurrency import run_in_threadpool

from mediaan.server.api.job_request import add_job, finished
from mediaan.server.api.lookup import NO_SUCH_MEDIUM, NOT_PREDICTED, of_kind, require_prediction
from mediaan.server.api.operations import Answer, Call, Operation
from mediaan.server.api.run_answers import read_answer
from mediaan.server.api.schemas import Detail
from mediaan.server.request_error import RequestError
from mediaan.server.routes.aoi_schemas import Aois, AoiStatusObject, AoisUpdate
from mediaan.server.storage.media import Kind, StoredMedium

_STARTED = Answer(202, Detail(detail="AOI detection started"))
_DRAWING = Answer(202, Detail(detail="AOI update started"))


async def detect_and_wait(call: Call, kind: Kind) -> Aois | Answer:
    """Look for AOIs, and answer with what was found."""
    medium = of_kind(call, kind)
    require_prediction(medium)
    job_id = await add_job(call, medium, "detect")
    if job_id is None or not await finished(call, job_id):
        return _STARTED
    return await _aois(call, of_kind(call, kind))


async def detect(call: Call, kind: Kind) -> Answer:
    """Start to look for AOIs; the status is polled, and is `failed` of a medium that was never predicted."""
    medium = of_kind(call, kind)
    await add_job(call, medium, "detect")
    return _STARTED


async def get_status(call: Call, kind: Kind) -> AoiStatusObject:
    """How far the search is."""
    medium = of_kind(call, kind)
    return AoiStatusObject(media_id=medium.media_id, aoi_status=medium.aoi_status)


async def get_aois(call: Call, kind: Kind) -> Aois:
    """The AOIs of a medium with their scores."""
    return await _aois(call, of_kind(call, kind))


async def put_aois(call: Call, kind: Kind) -> Aois | Answer:
    """Put other AOIs in the place of those that there are, and score them."""
    medium = of_kind(call, kind)
    require_prediction(medium)
    update: AoisUpdate = call.body
    if update.media_id not in (None, medium.media_id):
        raise RequestError(422, "media_id: is that of another medium; leave it out to draw the same areas here")
    records = await run_in_threadpool(update.records)
    job_id = await add_job(call, medium, "draw", {"aois": records})
    if job_id is None or not await finished(call, job_id):
        return _DRAWING
    return await _aois(call, of_kind(call, kind))


async def _aois(call: Call, medium: StoredMedium) -> Aois:
    found = await read_answer(call, medium, "aois")
    said = {"media_id": medium.media_id, "aoi_status": medium.aoi_status} | found
    return await run_in_threadpool(Aois.model_validate, said)


class _Collection(NamedTuple):
    """A kind of media as paths, operations and sentences call it."""

    kind: Kind
    path: str
    name: str
    one: str
    other: str


_IMAGES = _Collection("image", "images", "Image", "an image", "The medium is not an image.")
_VIDEOS = _Collection("video", "videos", "Video", "a video", "The medium is not a video.")
_MIXED = _Collection("mixed", "mixed-media", "MixedMedia", "mixed media", "The medium is not mixed media.")


def _get(media: _Collection) -> Operation:
    return Operation(
        "GET",
        f"/{media.path}/{{media_id}}/aois",
        f"get{media.name}Aois",
        f"Fetch the AOIs of {media.one} with their scores.",
        partial(get_aois, kind=media.kind),
        {
            200: (Aois, "Its AOIs, none where nobody has looked or drawn."),
            400: (Detail, media.other),
            404: NO_SUCH_MEDIUM,
            412: NOT_PREDICTED,
        },
        media.path,
    )


def _put(media: _Collection) -> Operation:
    return Operation(
        "PUT",
        f"/{media.path}/{{media_id}}/aois",
        f"put{media.name}Aois",
        f"Replace the AOIs of {media.one} and score them.",
        partial(put_aois, kind=media.kind),
        {
            200: (Aois, "Its AOIs from now on."),
            202: (Detail, "It takes longer than usual; fetch the AOIs later."),
            400: (Detail, f"The body cannot be parsed. Or: {media.other}"),
            404: NO_SUCH_MEDIUM,
            412: NOT_PREDICTED,
        },
        media.path,
        body=AoisUpdate,
        description="Those that the list leaves out are gone. One that is sent back unchanged keeps what was detected.",
    )


def _status(media: _Collection) -> Operation:
    return Operation(
        "GET",
        f"/{media.path}/{{media_id}}/aois/status",
        f"get{media.name}AoisStatus",
        f"How far the search for AOIs of {media.one} is.",
        partial(get_status, kind=media.kind),
        {200: (AoiStatusObject, "Its status."), 400: (Detail, media.other), 404: NO_SUCH_MEDIUM},
        media.path,
    )


def _detect(media: _Collection) -> Operation:
    return Operation(
        "POST",
        f"/{media.path}/{{media_id}}/aois/detect",
        f"detect{media.name}Aois",
        f"Look for AOIs of {media.one}.",
        partial(detect, kind=media.kind),
        {
            202: (Detail, "The search has started, now or before."),
            400: (Detail, media.other),
            404: NO_SUCH_MEDIUM,
        },
        media.path,
        description="Poll its status until it is `done` or `failed`. AOIs that were drawn stay.",
    )


_DETECT_IMAGE = Operation(
    "POST",
    "/images/{media_id}/aois/detect",
    "detectImageAois",
    "Look for AOIs of an image.",
    partial(detect_and_wait, kind="image"),
    {
        200: (Aois, "What was found, and what was drawn before."),
        202: (Detail, "A search is in progress already, or takes longer than usual; fetch the AOIs later."),
        400: (Detail, _IMAGES.other),
        404: NO_SUCH_MEDIUM,
        412: NOT_PREDICTED,
        503: (Detail, "A model is missing on the server."),
    },
    "images",
    description="AOIs that were drawn stay.",
)

OPERATIONS = (
    _DETECT_IMAGE,
    *(_detect(media) for media in (_VIDEOS, _MIXED)),
    *(_status(media) for media in (_VIDEOS, _MIXED)),
    *(_get(media) for media in (_IMAGES, _VIDEOS, _MIXED)),
    *(_put(media) for media in (_IMAGES, _VIDEOS, _MIXED)),
)
