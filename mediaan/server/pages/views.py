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

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from mediaan.config.vocabulary import BUILT_IN_VOCABULARY
from mediaan.judge.benchmark.registry import norm_set_names
from mediaan.server import sessions
from mediaan.server.api.operations import PREFIX
from mediaan.server.errors import RequestError
from mediaan.server.files import CONTENT_TYPES
from mediaan.server.pages.listing import (
    PROXIES,
    SCORES,
    STATES,
    TYPES,
    ListedMedium,
    MediaFilter,
    MediaPage,
    list_media,
    plain,
)
from mediaan.server.services import Services
from mediaan.server.storage.keys import Company
from mediaan.server.storage.media import StoredMedium

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
_PAGE_HEADERS = _SHARED | {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; style-src-attr 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
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
_PLACES = re.compile(r"/(\?[\w&=.-]{1,200})?|/media/[0-9a-f-]{36}/report/")
"""Where signing in may lead: nowhere that somebody else could have made up."""
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
    """Show the list of media or, where nobody is signed in, the way in."""
    services, company = _sender(request)
    if company is None:
        return _sign_in_page(request, f"/?{request.url.query}" if request.url.query else "/")
    settings = services.settings
    return _page(
        request,
        "library.html.j2",
        company=company.name,
        listing=_listing(request, company),
        limits={"image": settings.max_image_bytes, "video": settings.max_video_bytes, "side": settings.max_side_px},
    )


def show_rows(request: Request) -> Response:
    """Show the part of the page that changes, for its script; 304 where nothing has."""
    company = _sender(request)[1]
    if company is None:
        raise RequestError(401, "Nobody is signed in here any more")
    text = environment().get_template("listing.html.j2").render(listing=_listing(request, company))
    tag = f'"{hashlib.sha256(text.encode()).hexdigest()[:20]}"'
    headers = _PAGE_HEADERS | {"ETag": tag, "Cache-Control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return HTMLResponse(text, headers=headers)


def _listing(request: Request, company: Company) -> MediaPage:
    services: Services = request.app.state.services
    return list_media(services.media, services.folder, company.company_id, MediaFilter.read(request.query_params))


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
    services, company = _sender(request)
    if company is None:
        return _sign_in_page(request, request.url.path)
    medium = _medium(request)
    one = None if medium is None else ListedMedium(medium)
    status, problem = int(HTTPStatus.NOT_FOUND), None
    while medium is not None and one is not None and medium.run is not None:
        file = services.folder.report(medium.media_id, medium.run)
        if file.is_file():
            return _file(request, file, "text/html; charset=utf-8", _REPORT_HEADERS)
        root, media_id = "../../..", medium.media_id  # seen from the page, whatever is before its own address
        served = {
            "company": company.name,
            "areas": f"{root}{PREFIX}/{one.collection}/{media_id}/aois",
            "medium": f"{root}{PREFIX}/media/{media_id}",
            "home": f"{root}/",
        }
        try:
            job_id = await services.add_job(medium, "report", payload={"served": served})
            assert job_id is not None
            if not await services.finished(job_id):
                status, problem = 503, "the report is still being written; open it again in a moment"
                break
        except RequestError as error:
            status, problem = error.status, error.message
            break
        before, medium = medium.run, _medium(request)
        if medium is not None and medium.run == before and not file.is_file():
            break  # otherwise areas were found meanwhile, and the report is that of the run with them
    return _page(request, "missing.html.j2", status, one=one, problem=problem)


async def show_comparison(request: Request) -> Response:
    """Show how two media compare: a page that a worker writes for this request."""
    services, company = _sender(request)
    if company is None:
        return _sign_in_page(request, "/")
    chosen = request.query_params.getlist("media")
    try:
        found = [services.media.find(company.company_id, UUID(media_id)) for media_id in chosen[:3]]
    except ValueError:
        found = []
    if len(found) != 2 or found[0] == found[1]:
        return _page(
            request, "no_comparison.html.j2", 404, problem="Choose two media of the list, and then Compare two"
        )
    a, b = found
    if a is None or b is None or a.run is None or b.run is None:
        return _page(request, "no_comparison.html.j2", 404, problem="One of the two is not predicted, or was deleted")
    file = services.folder.comparison(a.media_id, a.run, b.media_id, b.run)

    async def made() -> str | None:
        """Return the page, and keep nothing of it: it holds both pictures, of which either may be deleted."""
        if not file.is_file():  # as of a request that did not wait for its end
            payload = {"other": {"media_id": str(b.media_id), "run": b.run, "name": b.name}}
            job_id = await services.add_job(a, "report", payload=payload)
            assert job_id is not None
            if not await services.finished(job_id):
                return None
        text = await run_in_threadpool(file.read_text, "utf-8")
        file.unlink(missing_ok=True)
        return text

    try:
        text = await services.once(file, made)  # of several that ask at once, none takes it from another
    except RequestError as error:
        return _page(request, "no_comparison.html.j2", error.status, problem=error.message)
    except FileNotFoundError:  # the other run of the two was replaced or deleted meanwhile
        problem = "One of the two was changed meanwhile; load this page again"
        return _page(request, "no_comparison.html.j2", 503, problem=problem)
    if text is None:
        problem = "The comparison is still being made; load this page again in a moment"
        return _page(request, "no_comparison.html.j2", 503, problem=problem)
    return HTMLResponse(text, headers=_REPORT_HEADERS)


def show_map(request: Request) -> Response:
    """Send an image or video that a report shows; browsers ask whether it is still the same."""
    return _run_file(request, f"maps/{request.path_params['path']}", "private, no-cache")


def show_thumbnail(request: Request) -> Response:
    """Send a medium's thumbnail; the run is in its address, which therefore always shows the same."""
    medium = _medium(request)
    if medium is None or medium.run != request.path_params["run"]:
        raise RequestError(404, _GONE)
    return _run_file(request, medium.results.get("thumbnail", ""), _FOR_EVER)


def _run_file(request: Request, path: str, cache_control: str) -> Response:
    """Send an image or video of a run, by its path from the run's folder.

    Raises
    ------
    RequestError
        404: there is no such file, it is no image or video, or the path leads elsewhere, also by a symbolic link.
    """
    medium, folder = _medium(request), request.app.state.services.folder
    parts = path.split("/")
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
    found = FileResponse(file, headers=headers, media_type=kind, stat_result=file.stat())
    if request.headers.get("if-none-match") == found.headers["etag"]:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers={"ETag": found.headers["etag"]})
    return found


async def sign_in(request: Request) -> Response:
    """Begin a session with the key of a form.

    Raises
    ------
    RequestError
        413: the form is not small.
    """
    services: Services = request.app.state.services
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > _LONGEST_FORM:
            raise RequestError(413, f"A form may have {_LONGEST_FORM} bytes")
    form = dict(parse_qsl(body.decode(errors="replace")))
    to = _place(form.get("to", "/"))
    if not services.links.is_own_host(request):
        return _sign_in_page(request, to, _OTHER_HOST, HTTPStatus.FORBIDDEN)
    if sessions.is_foreign(request, services):
        return _sign_in_page(request, to, _FOREIGN, HTTPStatus.FORBIDDEN)
    answer = RedirectResponse(sessions.root_path(services) + to, HTTPStatus.SEE_OTHER)
    if await run_in_threadpool(sessions.begin_session, answer, request, services, form.get("key", "").strip()):
        return answer
    return _sign_in_page(request, to, _INVALID, HTTPStatus.UNAUTHORIZED)


def sign_out(request: Request) -> Response:
    """End the session of this browser; its cookie is worth nothing afterwards, whoever has a copy."""
    services: Services = request.app.state.services
    answer = RedirectResponse(f"{sessions.root_path(services)}/", HTTPStatus.SEE_OTHER)
    if not sessions.is_foreign(request, services):
        sessions.end_session(answer, request, services)
    return answer


def _sign_in_page(request: Request, to: str, problem: str | None = None, status: int = HTTPStatus.OK) -> Response:
    """Ask for a key; then it goes on where somebody wanted to go."""
    return _page(request, "sign_in.html.j2", status, to=_place(to), problem=problem)


def _place(to: str) -> str:
    return to if _PLACES.fullmatch(to) else "/"


def _sender(request: Request) -> tuple[Services, Company | None]:
    """Return the services, and the company that looks at a page: by its key in the header, or by its session."""
    services: Services = request.app.state.services
    return services, sessions.identify(request, services)


def _medium(request: Request) -> StoredMedium | None:
    """Return the medium in a page's address; None: there is none of the company that looks."""
    services, company = _sender(request)
    try:
        media_id = UUID(request.path_params["media_id"])
    except ValueError:
        return None
    return None if company is None else services.media.find(company.company_id, media_id)


def _page(request: Request, template: str, status: int = HTTPStatus.OK, **values: Any) -> HTMLResponse:
    root = sessions.root_path(request.app.state.services)
    text = environment().get_template(template).render(root=root, **values)
    return HTMLResponse(text, status, headers=_PAGE_HEADERS)


@cache
def environment() -> Environment:
    """Return templates, escaped, in which nothing may be undefined; the looks are the report's own."""
    # by path, not as packages: to import mediaan.report is to load arrays and decoders
    own, report = PackageLoader("mediaan.server.pages"), PackageLoader("mediaan", "report/web/views")
    made = Environment(
        loader=ChoiceLoader([own, report]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["assets"] = f"assets/{_version()}"
    made.filters.update(mebibytes=mebibytes, file_size=file_size, plain=plain)
    made.globals.update(words=BUILT_IN_VOCABULARY.built_in, norm_sets=norm_set_names())
    made.globals.update(scores=SCORES, proxies=PROXIES, states=STATES, types=TYPES)
    return made


def mebibytes(size: int) -> str:
    """Format a limit.

    Examples
    --------
    >>> mebibytes(64 << 20), mebibytes(2 << 30), mebibytes(100 << 10)
    ('64 MiB', '2 GiB', '0.1 MiB')
    """
    return f"{size / 2**30:.3g} GiB" if size >= 2**30 else f"{round(size / 2**20, 1):g} MiB"


def file_size(size: int) -> str:
    """Format the size of a file as file managers do.

    Examples
    --------
    >>> file_size(443), file_size(75_400), file_size(2_310_000), file_size(1_500_000_000)
    ('1 kB', '75 kB', '2.3 MB', '1.5 GB')
    """
    if size < 1e6:
        return f"{max(1, round(size / 1e3))} kB"
    return f"{size / 1e6:.1f} MB" if size < 1e9 else f"{size / 1e9:.1f} GB"


@cache
def assets() -> dict[str, str]:
    """Return the text of the style sheet and of the scripts, by name."""
    package = files("mediaan")
    own = package / "server" / "pages" / "assets"
    styles = [package / "report" / "web" / "views" / name for name in _REPORT_STYLES] + [own / name for name in _STYLES]
    found = {STYLE: "\n".join(file.read_text("utf-8") for file in styles)}
    return found | {name: (own / name).read_text("utf-8") for name in SCRIPTS}


@cache
def _version() -> str:
    """Return what changes whenever an asset does, so that browsers may keep them for ever."""
    return hashlib.sha256(json.dumps(assets()).encode()).hexdigest()[:12]


PAGES: tuple[BaseRoute, ...] = (
    Route("/", show_library),
    Route("/rows", show_rows),
    Route("/compare", show_comparison),
    Route("/session", sign_in, methods=["POST"]),
    Route("/session/end", sign_out, methods=["POST"]),
    Route("/assets/{version}/{name}", show_asset),
    Route("/media/{media_id}/report/", show_report),
    Route("/media/{media_id}/maps/{path:path}", show_map),
    Route("/media/{media_id}/thumbnail/{run}", show_thumbnail),
)
