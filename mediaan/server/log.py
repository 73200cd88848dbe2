"""The log of a server and its workers: a line of JSON on stderr for each request and each trouble."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import Any

REQUESTS = logging.getLogger("mediaan.server.requests")


def start_log(*, requests: bool) -> None:
    """Write the log of this process to stderr.

    `requests`: log every request; otherwise only what goes wrong.
    """
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_JsonLine())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    REQUESTS.setLevel(logging.INFO if requests else logging.WARNING)
    logging.getLogger("uvicorn.error").setLevel(logging.ERROR)  # its warnings are of requests, which have their line


class _JsonLine(logging.Formatter):
    """Write a record as JSON: the mapping in `extra={"facts": mapping}`, or else the message and its traceback."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        facts: dict[str, Any] | None = getattr(record, "facts", None)
        if facts is not None:
            return json.dumps({"time": at, "event": record.getMessage(), **facts})
        line = {"time": at, "event": record.levelname.lower(), "from": record.name, "message": record.getMessage()}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line)
