"""What the service refuses, and why. `mediaan.server.http.errors` has the HTTP status of each."""

from __future__ import annotations

from mediaan.errors import MediaanError


class ServiceError(MediaanError):
    """Base of all refusals; the message is one sentence for the client."""

    default_code = "service"


class NotFoundError(ServiceError):
    """There is no such medium, upload or file, or it was deleted."""


class NotPredictedError(ServiceError):
    """The medium is not so far: never uploaded, never predicted, or not rated for its latest objectives."""


class RefusedError(ServiceError):
    """The medium, or what is to be done to it, is at fault."""


class ConflictError(ServiceError):
    """Another request is doing the same, or has sent something else."""


class ExpiredError(ServiceError):
    """The upload was not completed in time."""


class WrongFormatError(ServiceError):
    """The file is not of the format that it should have."""


class CompanyFullError(ServiceError):
    """The company's files would take more room than they may."""


class QueueFullError(ServiceError):
    """Too many changes wait already."""


class DiskFullError(ServiceError):
    """The disk has no room for the file."""


class WorkFailedError(ServiceError):
    """The program failed on a good medium."""


class UnavailableError(ServiceError):
    """The server lacks something, such as a model, or is being stopped."""


def no_such_medium() -> NotFoundError:
    """Return the error for a medium that the caller's company does not have."""
    return NotFoundError("No medium with this media_id exists for your company")
