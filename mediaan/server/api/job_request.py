"""A job that a request adds, and perhaps waits for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from starlette.concurrency import run_in_threadpool

from mediaan.server.api.operations import Call
from mediaan.server.request_error import RequestError, no_such_medium
from mediaan.server.storage.jobs import JobKind, JobResult, Lane
from mediaan.server.storage.media import StoredMedium

_OUR_FAULT = {"internal": 500, "analysis": 500, "worker_died": 500, "setup": 503}
"""Status by the code of a failed job; all others say what is wrong with the medium, or with what was asked for."""


async def add_job(
    call: Call,
    medium: StoredMedium,
    kind: JobKind,
    payload: Mapping[str, Any] | None = None,
    objectives: Mapping[str, Any] | None = None,
) -> int | None:
    """Add a job, and wake a worker for it; None: the medium has one of this kind already.

    Raises
    ------
    RequestError
        404: the medium was deleted meanwhile.
    """
    jobs = call.services.jobs
    job_id = await run_in_threadpool(jobs.add, medium.media_id, kind, _lane(medium, kind), payload, objectives)
    if job_id is not None:
        call.services.waiting.wake()
    return job_id


async def finished(call: Call, job_id: int) -> bool:
    """Wait for a job; False: it takes longer than requests wait, and goes on.

    Raises
    ------
    RequestError
        What the job failed of; 404: its medium was deleted.
    """
    result = await call.services.waiting.result(job_id, call.services.settings.answer_within_s)
    if result.state == "failed":
        raise _failure(result)
    if result.state == "cancelled":
        raise no_such_medium()
    return result.state == "done"


def _failure(result: JobResult) -> RequestError:
    status = _OUR_FAULT.get(result.error_code or "internal", 422)
    return RequestError(status, result.error or "The analysis failed; the server's log has the cause")


def _lane(medium: StoredMedium, kind: JobKind) -> Lane:
    """What decodes a film, or runs a model over it, takes long; all else is done in a moment."""
    return "long" if medium.kind != "image" and kind in ("predict", "detect") else "short"
