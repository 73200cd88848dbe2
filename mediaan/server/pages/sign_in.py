"""Signing in at the web page, and out."""

from __future__ import annotations

import re
from http import HTTPStatus
from urllib.parse import parse_qsl

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from mediaan.server.pages.guard import page, services_of
from mediaan.server.pages.session import begin_session, end_session, is_foreign, is_own_host, root_path
from mediaan.server.request_error import RequestError

_LONGEST_FORM = 4096
_PLACES = re.compile(r"/(\?[\w&=.-]{1,200})?|/media/[0-9a-f-]{36}/report/")
"""Where signing in may lead: nowhere that somebody else could have made up."""

_INVALID = (
    "This key is not valid: it is the last line that mediaan serve keys create printed. Perhaps it was cut off, or "
    "has been revoked."
)
_FOREIGN = "This did not come from this server's own page, so nothing was done. Paste the key here yourself."


def sign_in_page(request: Request, to: str, problem: str | None = None, status: int = HTTPStatus.OK) -> Response:
    """Asks for a key; then it goes on where somebody wanted to go."""
    return page(request, "sign_in.html.j2", status, to=_place(to), problem=problem)


async def sign_in(request: Request) -> Response:
    """Begin a session with the key of a form."""
    services = services_of(request)
    form = await _form(request)
    to = form.get("to", "/")
    if is_foreign(request, services) or not is_own_host(request, services):
        return sign_in_page(request, to, _FOREIGN, HTTPStatus.FORBIDDEN)
    answer = RedirectResponse(root_path(services) + _place(to), HTTPStatus.SEE_OTHER)
    if await run_in_threadpool(begin_session, answer, request, services, form.get("key", "").strip()):
        return answer
    return sign_in_page(request, to, _INVALID, HTTPStatus.UNAUTHORIZED)


def sign_out(request: Request) -> Response:
    """End the session of this browser."""
    services = services_of(request)
    answer = RedirectResponse(f"{root_path(services)}/", HTTPStatus.SEE_OTHER)
    if not is_foreign(request, services):
        end_session(answer, services)
    return answer


def _place(to: str) -> str:
    return to if _PLACES.fullmatch(to) else "/"


async def _form(request: Request) -> dict[str, str]:
    """Fields of a small form.

    Raises
    ------
    RequestError
        413: it is not small.
    """
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_FORM:
            raise RequestError(413, f"A form may have {_LONGEST_FORM} bytes")
    return dict(parse_qsl(body.decode(errors="replace")))
