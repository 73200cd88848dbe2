"""Addresses of the web page, for people with a browser; programs have the API."""

from __future__ import annotations

import hashlib
import json
import re
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from mediaan.server.http.errors import RequestError, status_of
from mediaan.server.http.files import CONTENT_TYPES
from mediaan.server.http.identity import (
    begin_session,
    end_session,
    identify,
    is_foreign,
    is_own_host,
    require_company,
    root_path,
    service_of,
)
from mediaan.server.pages.listing import COLLECTIONS, MediaFilter, MediaPage, environment, list_media
from mediaan.server.service.errors import ServiceError
from mediaan.server.service.keys import Company
from mediaan.server.service.media import StoredMedium

SCRIPTS = ("page.js", "api.js", "library.js", "actions.js", "objectives.js", "queue.js", "transfer.js", "theme.js")
STYLE = "page.css"

_REPORT_STYLES = ("core/page.css", "overview/overview.css")
_STYLES = ("library.css", "uploads.css", "dialogs.css", "library_print.css")
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
    )
}
_REPORT_HEADERS = _SHARED | {
    # a report brings its own policy; this is what a page cannot say of itself
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cache-Control": "private, no-cache",
}
_FILE_HEADERS = _SHARED | {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
_FOR_EVER = "private, max-age=31536000, immutable"
_SHOWN = {suffix: kind for suffix, kind in CONTENT_TYPES.items() if kind.startswith(("image/", "video/"))}
"""What reports show; nothing else of a run is handed out here."""
_PART = re.compile(r"[^./\\\0][^/\\\0]*")
_GONE = "There is no such image of this medium any more"
_LONGEST_FORM = 4096
_PLACES = re.compile(r"/(\?[\w&=.-]{1,200})?|(/media/[0-9a-f-]{36})?/review/|/media/[0-9a-f-]{36}/report/")
"""Addresses that signing in may lead to; others could be made up by an attacker."""
_INVALID = (
    "This key is not valid: it is the last line that mediaan serve keys create printed. Perhaps it was cut off, or "
    "has been revoked."
)
_OTHER_HOST = (
    "The server does not know itself by the name in this address, so nothing was done. Open it by its own name or"
    " number, or start it with --public-url."
)
_FOREIGN = "This did not come from this server's own page, so nothing was done. Paste the key here yourself."


def show_library(request: Request) -> Response:
    """Show the list of media, or the sign-in page."""
    company = identify(request)
    if company is None:
        return sign_in_page(request, f"/?{request.url.query}" if request.url.query else "/")
    settings = service_of(request).settings
    return _page(
        request,
        "library.html.j2",
        company=company.name,
        listing=_listing(request, company),
        kits=settings.kit_names(),
        limits={"image": settings.max_image_bytes, "video": settings.max_video_bytes, "side": settings.max_side_px},
    )


def show_rows(request: Request) -> Response:
    """Send the list alone, for the page's script; 304 if nothing has changed."""
    company = identify(request)
    if company is None:
        raise RequestError(401, "Nobody is signed in here any more")
    text = _render(request, "listing.html.j2", listing=_listing(request, company))
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = PAGE_HEADERS | {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return HTMLResponse(text, headers=headers)


def _listing(request: Request, company: Company) -> MediaPage:
    service = service_of(request)
    return list_media(service.media, service.folder, company.company_id, MediaFilter.read(request.query_params))


def show_asset(request: Request) -> Response:
    """Send the style sheet, or a script; its address changes when it does."""
    name = request.path_params["name"]
    text = assets().get(name)
    if text is None or request.path_params["version"] != _version():
        raise RequestError(404, "There is no such asset; load the page again")
    kind = "text/css" if name == STYLE else "text/javascript"
    return Response(text, media_type=kind, headers=_FILE_HEADERS | {"Cache-Control": _FOR_EVER})


async def show_report(request: Request) -> Response:
    """Show a medium's report, which a worker writes when it is first opened."""
    service, company = service_of(request), identify(request)
    if company is None:
        return sign_in_page(request, request.url.path)
    medium = medium_of(request, request.path_params["media_id"])
    shown = medium
    status, problem = int(HTTPStatus.NOT_FOUND), None
    while medium is not None and medium.run is not None:
        file = service.folder.report(medium.media_id, medium.run)
        if file.is_file():
            return _file(request, file, "text/html; charset=utf-8", _REPORT_HEADERS)
        home = "../../../"  # seen from the page, whatever is before its own address
        api = f"{home}{request.app.state.api_path.lstrip('/')}"
        served = {
            "company": company.name,
            "areas": f"{api}/{COLLECTIONS[medium.kind]}/{medium.media_id}/aois",
            "medium": f"{api}/media/{medium.media_id}",
            "home": home,
            "review": "../review/",
        }
        try:
            if not await service.do(medium, "report", payload={"served": served}):
                status, problem = 503, "the report is still being written; open it again in a moment"
                break
        except ServiceError as error:
            status, problem = status_of(error) or 500, error.message
            break
        before, medium = medium.run, medium_of(request, request.path_params["media_id"])
        if medium is not None and medium.run == before and not file.is_file():
            break  # otherwise areas were found meanwhile, and the report is that of the run with them
    return _page(request, "missing.html.j2", status, medium=shown, problem=problem)


async def send_sheets(request: Request) -> Response:
    """Send a medium's report as a PDF or as slides, which a worker writes when they are first asked for."""
    service, company = service_of(request), require_company(request)
    file_format = request.path_params["format"]
    medium = medium_of(request, request.path_params["media_id"])
    if medium is None or medium.run is None or file_format not in ("pdf", "pptx"):
        raise RequestError(404, "There is no such report")
    file = service.folder.report(medium.media_id, medium.run, file_format)
    if not file.is_file():
        payload = {"sheets": file_format, "client": company.name}
        await service.do(medium, "report", payload=payload)
    if not file.is_file():
        raise RequestError(503, "The report is still being written; ask again in a moment")
    name = f"{Path(medium.name).stem}.{file_format}"
    return FileResponse(file, filename=name, headers=_FILE_HEADERS | {"Cache-Control": "private, no-cache"})


async def show_comparison(request: Request) -> Response:
    """Show how two media compare: a page that a worker writes for this request."""
    service, company = service_of(request), identify(request)
    if company is None:
        return sign_in_page(request, "/")

    def refused(problem: str, status: int = HTTPStatus.NOT_FOUND) -> Response:
        return _page(request, "no_comparison.html.j2", status, problem=problem)

    chosen = request.query_params.getlist("media")
    try:
        media = [service.media.find(company.company_id, UUID(media_id)) for media_id in chosen[:3]]
    except ValueError:
        media = []
    if len(media) != 2 or media[0] == media[1]:
        return refused("Choose two media of the list, and then Compare two")
    a, b = media
    if a is None or b is None or a.run is None or b.run is None:
        return refused("One of the two is not predicted, or was deleted")
    file = service.folder.comparison(a.media_id, a.run, b.media_id, b.run)

    async def compare() -> str | None:
        """Return the page, and keep nothing of it: it holds both pictures, of which either may be deleted."""
        other = {"media_id": str(b.media_id), "run": b.run, "name": b.name}
        # it may be there as of a request that did not wait for its end
        if not file.is_file() and not await service.do(a, "report", payload={"other": other}):
            return None
        text = await run_in_threadpool(file.read_text, "utf-8")
        file.unlink(missing_ok=True)
        return text

    try:
        text = await service.once(file, compare)  # of several that ask at once, none takes it from another
    except ServiceError as error:
        return refused(error.message, status_of(error) or 500)
    except FileNotFoundError:  # the other run of the two was replaced or deleted meanwhile
        return refused("One of the two was changed meanwhile; load this page again", 503)
    if text is None:
        return refused("The comparison is still being made; load this page again in a moment", 503)
    return HTMLResponse(text, headers=_REPORT_HEADERS)


def show_map(request: Request) -> Response:
    """Send an image or video that a report shows; browsers ask whether it is still the same."""
    medium = medium_of(request, request.path_params["media_id"])
    return run_file(request, medium, f"maps/{request.path_params['path']}", "private, no-cache")


def show_thumbnail(request: Request) -> Response:
    """Send a medium's thumbnail; the run is in its address, which therefore always shows the same."""
    medium = medium_of(request, request.path_params["media_id"])
    if medium is None or medium.run != request.path_params["run"]:
        raise RequestError(404, _GONE)
    return run_file(request, medium, medium.results.get("thumbnail", ""), _FOR_EVER)


def run_file(request: Request, medium: StoredMedium | None, path: str, cache_control: str) -> Response:
    """Send an image or video of a run, by its path from the run's folder.

    404 where there is no such file, it is no image or video, or the path leads elsewhere, also by a symbolic link.
    """
    folder, parts = service_of(request).folder, path.split("/")
    named = Path(path).suffix.lower() in _SHOWN and all(map(_PART.fullmatch, parts))
    if medium is None or medium.run is None or not named:
        raise RequestError(404, _GONE)
    root = folder.run(medium.media_id, medium.run).resolve()
    try:
        file = root.joinpath(*parts).resolve(strict=True)
    except (OSError, ValueError) as error:  # it is not there, or no file can have such a name
        raise RequestError(404, _GONE) from error
    if not (file.is_relative_to(root) and file.is_file()):
        raise RequestError(404, _GONE)
    return _file(request, file, _SHOWN[file.suffix.lower()], _FILE_HEADERS | {"Cache-Control": cache_control})


def _file(request: Request, file: Path, kind: str, headers: dict[str, str]) -> Response:
    response = FileResponse(file, headers=headers, media_type=kind, stat_result=file.stat())
    if request.headers.get("if-none-match") == response.headers["etag"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": response.headers["etag"]})
    return response


async def sign_in(request: Request) -> Response:
    """Begin a session with the key of a form, which is small; else 413."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_FORM:
            raise RequestError(413, f"A form may have {_LONGEST_FORM} bytes")
    form = dict(parse_qsl(body.decode(errors="replace")))
    to = _place(form.get("to", "/"))
    if not is_own_host(request):
        return sign_in_page(request, to, _OTHER_HOST, HTTPStatus.FORBIDDEN)
    if is_foreign(request):
        return sign_in_page(request, to, _FOREIGN, HTTPStatus.FORBIDDEN)
    answer = RedirectResponse(root_path(request) + to, HTTPStatus.SEE_OTHER)
    if await run_in_threadpool(begin_session, answer, request, form.get("key", "").strip()):
        return answer
    return sign_in_page(request, to, _INVALID, HTTPStatus.UNAUTHORIZED)


def sign_out(request: Request) -> Response:
    """End the session of this browser; its cookie is worth nothing afterwards, whoever has a copy."""
    answer = RedirectResponse(f"{root_path(request)}/", HTTPStatus.SEE_OTHER)
    if not is_foreign(request):
        end_session(answer, request)
    return answer


def sign_in_page(request: Request, to: str, problem: str | None = None, status: int = HTTPStatus.OK) -> Response:
    """Show the sign-in page, which leads on to the address that was asked for."""
    return _page(request, "sign_in.html.j2", status, to=_place(to), problem=problem)


def _place(to: str) -> str:
    return to if _PLACES.fullmatch(to) else "/"


def medium_of(request: Request, media_id: str) -> StoredMedium | None:
    """Return the medium with an id of a page's address; None: there is none of the company that looks."""
    company = identify(request)
    try:
        of_address = UUID(media_id)
    except ValueError:
        return None
    return None if company is None else service_of(request).media.find(company.company_id, of_address)


def _page(request: Request, template: str, status: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    return HTMLResponse(_render(request, template, **values), status, headers=PAGE_HEADERS)


def _render(request: Request, template: str, **values: Any) -> str:
    root = root_path(request)
    addresses = {"root": root, "api": root + request.app.state.api_path, "assets": f"assets/{_version()}"}
    return environment().get_template(template).render(addresses, **values)


@cache
def assets() -> dict[str, str]:
    """Return the text of the style sheet and of the scripts, by name."""
    package = files("mediaan")
    folder, report = package / "server" / "pages" / "assets", package / "report" / "web" / "views"
    styles = [report / name for name in _REPORT_STYLES] + [folder / name for name in _STYLES]
    style = "\n".join(file.read_text("utf-8") for file in styles)
    return {STYLE: style} | {name: (folder / name).read_text("utf-8") for name in SCRIPTS}


@cache
def _version() -> str:
    """Return a hash of all assets for their addresses, so that browsers may cache them for ever."""
    return hashlib.sha256(json.dumps(assets()).encode()).hexdigest()[:12]


PAGES: tuple[BaseRoute, ...] = (
    Route("/", show_library),
    Route("/rows", show_rows),
    Route("/compare", show_comparison),
    Route("/session", sign_in, methods=["POST"]),
    Route("/session/end", sign_out, methods=["POST"]),
    Route("/assets/{version}/{name}", show_asset),
    Route("/media/{media_id}/report/", show_report),
    Route("/media/{media_id}/report/report.{format}", send_sheets),
    Route("/media/{media_id}/maps/{path:path}", show_map),
    Route("/media/{media_id}/thumbnail/{run}", show_thumbnail),
)
