"""The page of a review in the server: that of `mediaan review`, over the questions of a company's images or of one.

Workers leave the questions about a medium beside its results; here they are put together. Each answer is a job of its
medium: it is in the database before anything else happens, so no crash loses it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any
from uuid import UUID

from anyio import CapacityLimiter, to_thread
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from mediaan.server.http.bodies import JsonBody, checked_uuid
from mediaan.server.http.errors import RequestError
from mediaan.server.http.identity import identify, require_company, service_of
from mediaan.server.pages.listing import stored_questions
from mediaan.server.pages.views import PAGE_HEADERS, medium_of, run_file, sign_in_page
from mediaan.server.service.errors import ConflictError, NotFoundError, RefusedError, UnavailableError
from mediaan.server.service.keys import Company
from mediaan.server.service.media import StoredMedium
from mediaan.server.service.service import Service
from mediaan.types.review import AnswerBody, UndoBody, by_value

_TYPES = {"review.bundle.js": "text/javascript", "review.bundle.css": "text/css"}
_PICTURE_CACHE = "private, max-age=3600"
"""The next pictures are fetched ahead; that of a medium never changes."""
_MOST_VALUES = 10_000
_ANSWER, _UNDO = JsonBody(AnswerBody, _MOST_VALUES), JsonBody(UndoBody, _MOST_VALUES)
_CHECKED_AT_ONCE = CapacityLimiter(1)
_ASKED = ("id", "text", "why", "proposals")
"""What makes a question another one."""


class MediaReview:
    """The review of a company's images, or of the one medium with `media_id`."""

    def __init__(self, service: Service, company_id: int, media_id: UUID | None = None) -> None:
        self._service, self._company_id, self.media_id = service, company_id, media_id

    async def load(self) -> dict[str, Any]:
        """Return the questions, the most valuable first, and the progress.

        Raises UnavailableError: the questions of media that an earlier version analyzed are still being made.
        """
        media = await to_thread.run_sync(self._media)
        missing = [medium for medium in media if _has_areas(medium) and self._stored(medium) is None]
        if missing:
            jobs = [await self._service.add_job(medium, "rate") for medium in missing]
            waits = (self._service.finished(job_id) for job_id in jobs if job_id is not None)
            done = await asyncio.gather(*waits, return_exceptions=True)  # of what fails the worker says why in the log
            if False in done:
                raise UnavailableError("The questions are being made; load this page again in a minute")
            media = await to_thread.run_sync(self._media)
        return await to_thread.run_sync(self._together, media)

    async def answer(self, body: AnswerBody) -> dict[str, Any]:
        """Take an answer, score and judge its medium again, and return what has changed."""
        if body.answer == "brand_for_folder":
            raise RefusedError("Files have no folders here: name the brand in the objectives of the file")
        media_id, _, aoi_type = body.question.rpartition(".")
        medium = self._medium(media_id) if aoi_type else None
        if medium is None:
            raise NotFoundError("There is no such question any more; load the page again")
        return await self._change(medium, {"answer": body.model_dump(mode="json")})

    async def undo(self, answer: str | None) -> dict[str, Any]:
        """Take back an answer, the last one if none is given, and return what `answer` does."""
        media = {str(medium.media_id): medium for medium in await to_thread.run_sync(self._media)}
        if answer is None:
            stored = {media_id: self._stored(medium) for media_id, medium in media.items()}
            last = [(facts["last_answer"], key) for key, facts in stored.items() if facts and facts["last_answer"]]
            if not last:
                raise ConflictError("There is no answer to undo")
            latest, media_id = max(last, key=lambda entry: (entry[0]["at"], entry[0]["id"]))
            answer_id = latest["id"]
        else:
            media_id, _, answer_id = answer.partition(".")
        if media_id not in media:
            raise ConflictError("The file of this answer was deleted")
        return await self._change(media[media_id], {"undo": answer_id})

    async def _change(self, medium: StoredMedium, payload: Mapping[str, Any]) -> dict[str, Any]:
        before = self._stored(medium)
        if before is None:
            raise NotFoundError("Nothing is asked about this file")
        if not await self._service.do(medium, "draw", payload=payload):
            raise UnavailableError("The answer is kept and waits for other work; load this page again later")
        after = self._stored(self._service.medium(self._company_id, medium.media_id))
        assert after is not None  # the job wrote it
        old, new = (
            {question["id"]: [question[name] for name in _ASKED] for question in stored["questions"]}
            for stored in (before, after)
        )
        progress = (await to_thread.run_sync(lambda: self._together(self._media())))["progress"]
        last = after["last_answer"]
        return {
            "medium": after["medium"],
            "questions": [name for name in {**old, **new} if old.get(name) != new.get(name)],
            "about": [*after["questions"], *after.get("others", ())],
            "progress": progress,
            "answer": last and f"{medium.media_id}.{last['id']}",
        }

    def _together(self, media: Sequence[StoredMedium]) -> dict[str, Any]:
        stored = [session for medium in media if (session := self._stored(medium)) is not None]
        questions = by_value(
            (question for session in stored for question in session["questions"]),
            lambda question: str(question["medium_id"]),
            lambda question: (question["rank"][0], question["rank"][1]),
        )
        counts = ("answered", "left", "undecided")
        progress = {name: sum(session["progress"][name] for session in stored) for name in counts}
        others = [question for session in stored for question in session.get("others", ())]
        return {"progress": progress, "questions": questions, "others": others}

    def _media(self) -> list[StoredMedium]:
        if self.media_id is not None:
            return [self._service.medium(self._company_id, self.media_id)]
        return self._service.media.page(self._company_id, type="image", newest_first=True)[0]

    def _medium(self, media_id: str) -> StoredMedium | None:
        try:
            of_question = UUID(media_id)
        except ValueError:
            return None
        if self.media_id not in (None, of_question):
            return None
        return self._service.media.find(self._company_id, of_question)

    def _stored(self, medium: StoredMedium) -> Mapping[str, Any] | None:
        return stored_questions(self._service.folder.run(medium.media_id, medium.run)) if medium.run else None


def _has_areas(medium: StoredMedium) -> bool:
    return medium.type == "image" and medium.run is not None and "aoi_scores" in medium.results


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
    about: dict[str, Any] = {"title": company.name, "home": "../", "report": None}
    if review.media_id is not None:
        name = service_of(request).medium(company.company_id, review.media_id).name
        about = {"title": name, "home": "../../../", "report": "../report/"}
    return JSONResponse(about | {"namesBrands": False} | content)


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
