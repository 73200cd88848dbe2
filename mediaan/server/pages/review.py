"""The page of a review in the server: that of `mediaan review`, over the questions of a company's images or of one."""

from __future__ import annotations

from importlib.resources import files

from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from mediaan.server.http.bodies import JsonBody, checked_uuid
from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import identify, require_company, service_of
from mediaan.server.pages.views import PAGE_HEADERS, medium_of, run_file, sign_in_page
from mediaan.server.service.keys import Company
from mediaan.server.service.review import MediaReview
from mediaan.types.review import AnswerBody, UndoBody

_TYPES = {"review.bundle.js": "text/javascript", "review.bundle.css": "text/css"}
_PICTURE_CACHE = "private, max-age=3600"
"""The next pictures are fetched ahead; that of a medium never changes."""
_MOST_VALUES = 10_000
_ANSWER, _UNDO = JsonBody(AnswerBody, _MOST_VALUES), JsonBody(UndoBody, _MOST_VALUES)
_CHECKED_AT_ONCE = CapacityLimiter(1)


def show_page(request: Request) -> Response:
    """Show the page of a review, or the sign-in page."""
    if identify(request) is None:
        return sign_in_page(request, request.url.path)
    return _page_file("review.html", "text/html")


def show_page_file(request: Request) -> Response:
    """Send the script or the style sheet of the page."""
    name = request.path_params["name"]
    if name not in _TYPES:
        raise RequestError(404, "There is no such part of the page")
    return _page_file(name, _TYPES[name])


def _page_file(name: str, kind: str) -> Response:
    # by path, not as a package: to import mediaan.review is to load what computes
    content = (files("mediaan") / "review" / "page" / name).read_bytes()
    return Response(content, media_type=kind, headers=PAGE_HEADERS | {"Cache-Control": "private, no-cache"})


async def show_questions(request: Request) -> Response:
    """Send the open questions and the progress."""
    company = require_company(request)
    review = _review(request, company)
    content = await review.load()
    medium = review.medium
    home = "../" if medium is None else "../../../"
    title = company.name if medium is None else medium.name
    report = None if medium is None else "../report/"
    return JSONResponse({"title": title, "home": home, "report": report, "namesBrands": False} | content)


async def take_answer(request: Request) -> Response:
    """Take an answer; the reply says what it has changed."""
    review = _review(request, require_company(request))
    body, _ = await _ANSWER.read(request, _CHECKED_AT_ONCE)
    assert isinstance(body, AnswerBody)
    return JSONResponse(await review.answer(body))


async def undo_answer(request: Request) -> Response:
    """Take an answer back; the reply says what that has changed."""
    review = _review(request, require_company(request))
    body, _ = await _UNDO.read(request, _CHECKED_AT_ONCE)
    assert isinstance(body, UndoBody)
    return JSONResponse(await review.undo(body.answer))


def show_picture(request: Request) -> Response:
    """Send the picture of a medium as it is displayed."""
    medium = medium_of(request, request.path_params["picture"])
    return run_file(request, medium, medium.results.get("formatted", "") if medium else "", _PICTURE_CACHE)


def _review(request: Request, company: Company) -> MediaReview:
    media_id = request.path_params.get("media_id")
    only = None if media_id is None else checked_uuid("media_id", media_id)
    return MediaReview(service_of(request), company.company_id, only)


def _routes(at: str) -> tuple[BaseRoute, ...]:
    return (
        Route(f"{at}/", show_page),
        Route(f"{at}/{{name}}", show_page_file),
        Route(f"{at}/api/review", show_questions),
        Route(f"{at}/api/review/answers", take_answer, methods=["POST"]),
        Route(f"{at}/api/review/undo", undo_answer, methods=["POST"]),
        Route(f"{at}/picture/{{picture}}", show_picture),
    )


REVIEW_PAGES: tuple[BaseRoute, ...] = (*_routes("/review"), *_routes("/media/{media_id}/review"))
