"""Whether the server can do its work."""

from __future__ import annotations

import sqlite3
from typing import Literal

from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

import mediaan
from mediaan.server.api.operations import refusal, reply
from mediaan.server.api.schemas import Body
from mediaan.server.request_error import RequestError
from mediaan.server.services import Services


class Health(Body):
    """All is well."""

    status: Literal["ok"] = "ok"
    version: str = Field(description="Of mediaan.")


async def healthz(request: Request) -> Response:
    """200 where the database answers and workers are there; 503 with the reason otherwise. Needs no key."""
    trouble = _trouble(request)
    if trouble is not None:
        return refusal(RequestError(503, trouble))
    return reply(200, Health(version=mediaan.__version__))


def _trouble(request: Request) -> str | None:
    services: Services = request.app.state.services
    try:
        services.database.connection.execute("SELECT 1 FROM media LIMIT 1").fetchone()
    except sqlite3.Error as error:
        return f"The database does not answer: {error}"
    trouble = request.app.state.trouble
    return None if trouble is None else trouble()
