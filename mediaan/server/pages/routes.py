"""Addresses of the web page, for people with a browser; programs have the API."""

from __future__ import annotations

import hashlib
from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Route

from mediaan.server.pages.environment import STYLE, assets, environment, version
from mediaan.server.pages.guard import FILE_HEADERS, FOR_EVER, PAGE_HEADERS, page, page_company, services_of
from mediaan.server.pages.listing import Choice, Listing, list_media
from mediaan.server.pages.objectives_form import objectives_form
from mediaan.server.pages.report_routes import show_map, show_report, show_thumbnail
from mediaan.server.pages.sign_in import sign_in, sign_in_page, sign_out
from mediaan.server.request_error import RequestError


def show_library(request: Request) -> Response:
    """The list of media, or, where nobody is signed in, the way in."""
    company = page_company(request)
    if company is None:
        return sign_in_page(request, f"/?{request.url.query}" if request.url.query else "/")
    settings = services_of(request).settings
    return page(
        request,
        "library.html.j2",
        company=company[1],
        listing=_listing(request, company[0]),
        form=objectives_form(),
        limits={"image": settings.max_image_bytes, "video": settings.max_video_bytes, "side": settings.max_side_px},
    )


def show_rows(request: Request) -> Response:
    """The part of the page that changes, for its script; 304 where nothing has."""
    company = page_company(request)
    if company is None:
        raise RequestError(401, "Nobody is signed in here any more")
    text = environment().get_template("listing.html.j2").render(listing=_listing(request, company[0]))
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = PAGE_HEADERS | {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return HTMLResponse(text, headers=headers)


def show_asset(request: Request) -> Response:
    """The style sheet, or a script; its address changes when it does."""
    name = request.path_params["name"]
    text = assets().get(name)
    if text is None or request.path_params["version"] != version():
        raise RequestError(404, "There is no such asset; load the page again")
    kind = "text/css" if name == STYLE else "text/javascript"
    return Response(text, media_type=kind, headers=FILE_HEADERS | {"Cache-Control": FOR_EVER})


def _listing(request: Request, company_id: int) -> Listing:
    return list_media(services_of(request).media, company_id, Choice.read(request.query_params))


PAGES: tuple[BaseRoute, ...] = (
    Route("/", show_library),
    Route("/rows", show_rows),
    Route("/session", sign_in, methods=["POST"]),
    Route("/session/end", sign_out, methods=["POST"]),
    Route("/assets/{version}/{name}", show_asset),
    Route("/media/{media_id}/report/", show_report),
    Route("/media/{media_id}/maps/{path:path}", show_map),
    Route("/media/{media_id}/thumbnail/{run}", show_thumbnail),
)
