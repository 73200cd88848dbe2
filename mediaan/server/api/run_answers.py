"""What a worker has written down for the server beside a run: ``answers/NAME.json``."""

from __future__ import annotations

import json
from typing import Any

from starlette.concurrency import run_in_threadpool

from mediaan.server.api.lookup import require_prediction
from mediaan.server.api.operations import Call
from mediaan.server.storage.media import StoredMedium


async def read_answer(call: Call, medium: StoredMedium, name: str) -> dict[str, Any]:
    """An answer of the run that holds a medium's results.

    A run that is replaced meanwhile stays for minutes (`mediaan.server.work.old_runs`), so that its files are there.

    Raises
    ------
    RequestError
        412: the medium was never predicted.
    """
    run = call.services.folder.run(medium.media_id, require_prediction(medium))
    content = await run_in_threadpool((run / "answers" / f"{name}.json").read_bytes)
    found: dict[str, Any] = json.loads(content)
    return found
