"""Serve the page of a review on this machine alone, with the standard library: no extra has to be installed.

The address holds a token. Requests under another host name (DNS rebinding), without the token, from another site's
page, or with a body that is no small JSON are refused.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from PIL import Image
from pydantic import ValidationError

from mediaan.errors import MediaanError, UsageError
from mediaan.review.session import Review
from mediaan.types.review import AnswerBody

_HOST = "127.0.0.1"
_MOST_BYTES = 1_000_000
"""Of the body of a request."""
_IDLE_S = 30.0
"""Time after which a connection on which nothing is said is closed."""
_LONGEST_SIDE = 1600
"""Of a picture, px."""

_PAGE_TYPES = {".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css"}
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; img-src 'self' data: blob:; script-src 'self'; "
    "style-src 'self' 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class ReviewServer(ThreadingHTTPServer):
    """HTTP server of one review.

    `port`: 0 takes a free one.
    Raises UsageError: ``port_taken``.
    """

    daemon_threads = True

    def __init__(self, review: Review, port: int = 0) -> None:
        try:
            super().__init__((_HOST, port), _Handler)
        except OSError as error:
            raise UsageError(
                f"--port {port}: cannot be listened on ({error.strerror}); leave it out for a free one",
                code="port_taken",
            ) from error
        self.review, self.lock = review, Lock()
        self.token = secrets.token_urlsafe(24)
        self.names = frozenset(f"{name}:{self.server_port}" for name in (_HOST, "localhost"))
        self.cookie = f"mediaan_review_{self.server_port}"

    @property
    def address(self) -> str:
        """Address of the page, with the token."""
        return f"http://{_HOST}:{self.server_port}/?token={self.token}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of connections that broke off."""


class _RefusedError(MediaanError):
    def __init__(self, status: HTTPStatus, code: str, message: str) -> None:
        super().__init__(message, code=code)
        self.status = status


def _status_of(error: MediaanError) -> HTTPStatus:
    if isinstance(error, _RefusedError):
        return error.status
    if not isinstance(error, UsageError):
        return HTTPStatus.INTERNAL_SERVER_ERROR
    return HTTPStatus.NOT_FOUND if error.code.startswith("unknown_") else HTTPStatus.BAD_REQUEST


class _Handler(BaseHTTPRequestHandler):
    server: ReviewServer
    timeout = _IDLE_S
    server_version, sys_version = "mediaan", ""

    def do_GET(self) -> None:
        self._respond(self._get)

    def do_POST(self) -> None:
        self._respond(self._post)

    def _respond(self, respond: Callable[[], tuple[bytes, str]]) -> None:
        status, more = HTTPStatus.OK, {}
        try:
            self._check()
            content, kind = respond()
            if kind == "image/jpeg":  # so that the next picture can be fetched ahead
                more = {"Cache-Control": "private, max-age=3600"}
            if urlsplit(self.path).path == "/":
                more = {"Set-Cookie": f"{self.server.cookie}={self.server.token}; HttpOnly; SameSite=Strict; Path=/"}
        except MediaanError as error:
            status = _status_of(error)
            content, kind = _json({"error": {"code": error.code, "message": error.message}})
        self.send_response(status)
        for name, value in {**_HEADERS, **more, "Content-Type": kind, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def _check(self) -> None:
        """Refuse what does not come from the page itself."""
        if self.headers.get_all("Host") not in [[name] for name in self.server.names]:
            raise _RefusedError(
                HTTPStatus.MISDIRECTED_REQUEST, "wrong_host", "open the address that mediaan review printed"
            )
        origin = self.headers.get("Origin")
        if origin is not None and origin.removeprefix("http://") not in self.server.names:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong_origin", "other sites may not ask here")
        given = [*parse_qs(urlsplit(self.path).query).get("token", ()), *self._cookies()]
        if not any(hmac.compare_digest(token.encode(), self.server.token.encode()) for token in given):
            message = "the token is missing or of another review: open the address that mediaan review printed"
            raise _RefusedError(HTTPStatus.FORBIDDEN, "wrong_token", message)

    def _cookies(self) -> list[str]:
        try:
            cookies = SimpleCookie(self.headers.get("Cookie", ""))
        except CookieError:
            return []
        return [cookies[self.server.cookie].value] if self.server.cookie in cookies else []

    def _get(self) -> tuple[bytes, str]:
        path = urlsplit(self.path).path
        if path == "/api/review":
            with self.server.lock:
                return _json(self.server.review.to_dict())
        if path.startswith("/picture/"):
            with self.server.lock:
                file = self.server.review.picture(path.removeprefix("/picture/"))
            if file is None:
                raise _RefusedError(HTTPStatus.NOT_FOUND, "no_picture", "the run kept no picture of this file")
            return _picture(file)
        return _page(path.removeprefix("/") or "review.html")

    def _post(self) -> tuple[bytes, str]:
        body, path, review = self._body(), urlsplit(self.path).path, self.server.review
        if path == "/api/review/undo":
            with self.server.lock:
                return _json(review.answered_dict(review.undo()))
        if path != "/api/review/answers":
            raise _not_found()
        try:
            given = AnswerBody.model_validate(body)
        except ValidationError as error:
            complaints = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "bad_answer", complaints) from error
        with self.server.lock:
            answered = review.answer(
                *(given.question, given.answer, given.numbers, given.boxes),
                shown=given.shown,
                type=given.type,
                brand=given.brand or "",
            )
            return _json(review.answered_dict(answered))

    def _body(self) -> Any:
        """Read a body of JSON; an empty one is an empty object."""
        length = self.headers.get("Content-Length", "")
        if not length.isascii() or not length.isdecimal() or "Transfer-Encoding" in self.headers:
            self.close_connection = True
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "no_length", "a body needs a Content-Length")
        if int(length) > _MOST_BYTES:
            self.close_connection = True
            message = f"a body has at most {_MOST_BYTES:,} bytes"
            raise _RefusedError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "too_large", message)
        data = self.rfile.read(int(length))
        if self.headers.get_content_type() != "application/json":  # no form of another site can send this
            raise _RefusedError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "no_json", "send application/json")
        try:
            return json.loads(data or b"{}")
        except (ValueError, RecursionError) as error:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "no_json", "the body is no JSON") from error

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write no log: the address holds the token."""


def _page(name: str) -> tuple[bytes, str]:
    """Return a file of the page."""
    for file in files("mediaan.review").joinpath("page").iterdir():
        if file.name == name and Path(name).suffix in _PAGE_TYPES:
            return file.read_bytes(), _PAGE_TYPES[Path(name).suffix]
    raise _not_found()


def _picture(file: Path) -> tuple[bytes, str]:
    """Return a picture, smaller if it is larger than a page needs."""
    try:
        with Image.open(file) as picture:
            if picture.format == "JPEG" and max(picture.size) <= _LONGEST_SIDE:
                return file.read_bytes(), "image/jpeg"
            picture.thumbnail((_LONGEST_SIDE, _LONGEST_SIDE))
            out = BytesIO()
            picture.convert("RGB").save(out, "jpeg", quality=90)
    except OSError as error:
        raise _RefusedError(HTTPStatus.NOT_FOUND, "no_picture", f"{file.name} cannot be read: {error}") from error
    return out.getvalue(), "image/jpeg"


def _json(content: Mapping[str, Any]) -> tuple[bytes, str]:
    return json.dumps(content, ensure_ascii=False).encode(), "application/json"


def _not_found() -> _RefusedError:
    return _RefusedError(HTTPStatus.NOT_FOUND, "not_found", "there is nothing at this address")
