"""The medium that a request is about, in the state that the request needs."""

from __future__ import annotations

from collections.abc import Mapping
from uuid import UUID

from mediaan.server.api.operations import Call
from mediaan.server.api.schemas import Detail
from mediaan.server.request_error import RequestError, no_such_medium
from mediaan.server.storage.media import Kind, StoredMedium

NO_SUCH_MEDIUM = (Detail, "No medium with this media_id exists for the caller's company.")
NOT_UPLOADED = (Detail, "The medium's file is not uploaded yet.")
NOT_PREDICTED = (Detail, "The medium was never predicted.")
_OTHER_KIND: Mapping[Kind, str] = {
    "image": "Media is not an image",
    "video": "Media is not a video",
    "mixed": "Media is not mixed media",
}


def owned(call: Call, media_id: UUID | None = None) -> StoredMedium:
    """The medium in the path, or another.

    Raises
    ------
    RequestError
        404: the caller's company has none with this id.
    """
    medium = call.services.media.find(call.company.company_id, media_id or call.media_id)
    if medium is None:
        raise no_such_medium()
    return medium


def of_kind(call: Call, kind: Kind) -> StoredMedium:
    """The medium in the path, which must have come as `kind`.

    Raises
    ------
    RequestError
        404: there is none; 400: it is of another kind.
    """
    medium = owned(call)
    if medium.kind != kind:
        raise RequestError(400, _OTHER_KIND[kind])
    return medium


def require_file(medium: StoredMedium) -> None:
    """Refuse with 412 where the file has not come whole yet."""
    if medium.file is None:
        raise RequestError(412, "Media is not uploaded")


def require_prediction(medium: StoredMedium) -> str:
    """Name of the run that holds the medium's results; 412 where it was never predicted.

    While a later prediction runs, and if it fails, those of the one before it count.
    """
    if medium.run is None:
        raise RequestError(412, "Media is not predicted")
    return medium.run
