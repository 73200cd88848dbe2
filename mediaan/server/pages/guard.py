"""Who looks at a page, and the headers that keep pages to themselves."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.requests import Request
from starlette.responses import HTMLResponse

from mediaan.server.api.identity import KEY_HEADER
from mediaan.server.pages.environment import environment
from mediaan.server.pages.session import root_path, session_company
from mediaan.server.services import Services
from mediaan.server.storage.media import StoredMedium

_SHARED = {
    # without the origin a browser would not say that a form came from here
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}
PAGE_HEADERS = _SHARED | {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
}
REPORT_HEADERS = _SHARED | {
    # a report brings its own policy; this is what a page cannot say of itself
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cache-Control": "private, no-cache",
}
FOR_EVER = "private, max-age=31536000, immutable"
FILE_HEADERS = _SHARED | {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}


def services_of(request: Request) -> Services:
    """Storage, jobs and secrets of the server that a request came to."""
    services: Services = request.app.state.services
    return services


def page_company(request: Request) -> tuple[int, str] | None:
    """Id and name of the company that looks at a page: by its key in the header, or by its session."""
    services = services_of(request)
    key = request.headers.get(KEY_HEADER)
    found = session_company(request, services) if key is None else services.keys.company(key)
    if found is not None:
        request.state.company = found[1]  # for the access log
    return found


def medium_of(request: Request) -> StoredMedium | None:
    """The medium in a page's address; None: there is none of the company that looks."""
    company = page_company(request)
    try:
        media_id = UUID(request.path_params["media_id"])
    except ValueError:
        return None
    return None if company is None else services_of(request).media.find(company[0], media_id)


def page(request: Request, template: str, status: int = 200, **values: Any) -> HTMLResponse:
    """A page made of a template."""
    text = environment().get_template(template).render(root=root_path(services_of(request)), **values)
    return HTMLResponse(text, status, headers=PAGE_HEADERS)
