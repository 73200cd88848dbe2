"""Endpoints of a medium's report, and of what it shows."""

from __future__ import annotations

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response

from mediaan.server.pages.guard import (
    FILE_HEADERS,
    FOR_EVER,
    REPORT_HEADERS,
    medium_of,
    page,
    page_company,
    services_of,
)
from mediaan.server.pages.listing import Row
from mediaan.server.pages.report import CONTENT_TYPES, report_page, run_file
from mediaan.server.pages.session import root_path
from mediaan.server.pages.sign_in import sign_in_page
from mediaan.server.request_error import RequestError
from mediaan.server.storage.media import StoredMedium

_GONE = "There is no such picture of this medium any more"


def show_report(request: Request) -> Response:
    """A medium's report."""
    company = page_company(request)
    if company is None:
        return sign_in_page(request, request.url.path)
    medium, services = medium_of(request), services_of(request)
    text = medium and report_page(services.folder, medium, company[1], root_path(services))
    if text is None:
        return page(request, "missing.html.j2", HTTPStatus.NOT_FOUND, one=medium and Row(medium))
    return HTMLResponse(text, headers=REPORT_HEADERS)


def show_map(request: Request) -> Response:
    """A picture or film that a report shows; browsers ask whether it is still the same."""
    medium = medium_of(request)
    if medium is None or medium.run is None:
        raise RequestError(404, _GONE)
    return _file(request, medium, medium.run, f"maps/{request.path_params['path']}", "private, no-cache")


def show_thumbnail(request: Request) -> Response:
    """A medium's small picture; the run is in its address, which therefore always shows the same."""
    medium = medium_of(request)
    if medium is None or medium.run is None or medium.run != request.path_params["run"]:
        raise RequestError(404, _GONE)
    return _file(request, medium, medium.run, medium.results.get("thumbnail", ""), FOR_EVER)


def _file(request: Request, medium: StoredMedium, run: str, path: str, cache: str) -> Response:
    file = run_file(services_of(request).folder, medium, run, path)
    if file is None:
        raise RequestError(404, _GONE)
    kind = CONTENT_TYPES[file.suffix.lower()]
    found = FileResponse(
        file, headers=FILE_HEADERS | {"Cache-Control": cache}, media_type=kind, stat_result=file.stat()
    )
    if request.headers.get("if-none-match") == found.headers["etag"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": found.headers["etag"]})
    return found
