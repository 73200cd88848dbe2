"""Objectives: what a medium is for."""

from __future__ import annotations

import json

from mediaan.server.api.job_request import add_job, finished
from mediaan.server.api.lookup import NO_SUCH_MEDIUM, owned
from mediaan.server.api.operations import Answer, Call, Operation
from mediaan.server.routes.objective_schemas import Objectives


async def get_objectives(call: Call) -> Answer:
    """What a medium is for, as it was set: words that were valid then may have gone since."""
    stored = owned(call).objectives or {}
    return Answer(200, json.dumps({**dict.fromkeys(Objectives.model_fields), **stored}).encode())


async def put_objectives(call: Call) -> Objectives | Answer:
    """Set what a medium is for, and rate it anew if it is predicted."""
    medium = owned(call)
    wanted: Objectives = call.body
    said = {name: value for name, value in wanted.model_dump(mode="json").items() if value is not None}
    job_id = await add_job(call, medium, "rate", objectives=said)
    # without a run there is nothing to wait for: the job sees to it that a prediction under way does not miss them
    if medium.run is not None and job_id is not None and not await finished(call, job_id):
        return Answer(202, wanted)
    return wanted


OPERATIONS = (
    Operation(
        "GET",
        "/media/{media_id}/objectives",
        "getMediumObjectives",
        "What a medium is for.",
        get_objectives,
        {200: (Objectives, "As they were set; null is what nobody has."), 404: NO_SUCH_MEDIUM},
        "media",
    ),
    Operation(
        "PUT",
        "/media/{media_id}/objectives",
        "putMediumObjectives",
        "Set what a medium is for.",
        put_objectives,
        {
            200: (Objectives, "As they are set; benchmark ranges follow them."),
            202: (Objectives, "As they are set; benchmark ranges follow later."),
            404: NO_SUCH_MEDIUM,
        },
        "media",
        body=Objectives,
        description="Settings that are left out are unset. They decide with what its scores are compared, whose marks "
        "the search for AOIs looks for, and how long a picture is looked at; a domain counts from the next prediction "
        "on.",
    ),
)
