"""Benchmark ranges: where the scores of a medium stand."""

from __future__ import annotations

from mediaan.server.api.job_request import finished
from mediaan.server.api.lookup import owned, require_prediction
from mediaan.server.api.operations import Call, Operation
from mediaan.server.api.run_answers import read_answer
from mediaan.server.api.schemas import Detail
from mediaan.server.request_error import RequestError
from mediaan.server.routes.range_schemas import RecommendedRanges


async def get_benchmark_ranges(call: Call) -> RecommendedRanges:
    """Benchmark ranges of a medium for its objectives."""
    medium = owned(call)
    require_prediction(medium)
    if medium.objectives is None:
        raise RequestError(412, "Objectives are not set")
    job_id = call.services.jobs.rating(medium.media_id)
    if job_id is not None:  # objectives were set since: ranges of those before would be wrong
        if not await finished(call, job_id):
            raise RequestError(412, "Benchmark ranges are being made again")
        medium = owned(call)
    found = await read_answer(call, medium, "ranges")
    if found["reason"] is not None:
        raise RequestError(422, found["reason"])
    return RecommendedRanges(medium=found["medium"], aois=found["aois"])


OPERATIONS = (
    Operation(
        "GET",
        "/media/{media_id}/benchmark_ranges",
        "getMediumBenchmarkRanges",
        "Benchmark ranges of a medium.",
        get_benchmark_ranges,
        {
            200: (RecommendedRanges, "Ranges of its scores, and of those of its AOIs."),
            400: (Detail, "The request cannot be parsed."),
            404: (Detail, "No medium with this media_id exists for the caller's company."),
            412: (Detail, "The medium was never predicted, or its objectives were never set, or just now."),
            422: (Detail, "media_id is no UUID, or no population fits the medium; the sentence says why."),
        },
        "media",
    ),
)
