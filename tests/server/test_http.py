"""Clients that are slow, broken or hostile: they are told what is wrong, or let go.

Heads that drip, idle connections and readers that take a little are the proxy's business: docs/server.md.
"""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from job_store import until
from listening import answered, connected, heard, listening
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from mediaan.server.http.errors import RequestError, refusal
from mediaan.server.http.limits import Envelope, RequestLimits
from mediaan.server.serve import listen
from mediaan.server.settings import ServerSettings

SETTINGS = ServerSettings(
    Path("unused"),
    body_timeout_s=0.6,
    keep_alive_s=0.4,
    stop_within_s=1.0,
    max_connections=40,
    max_body_bytes=1000,
    max_image_bytes=5000,
)
STREAM_BYTES = 32 << 20
UNDER_WAY: list[Request] = []
LET_GO, STREAMED = threading.Event(), threading.Event()


async def hello(request: Request) -> Response:
    return PlainTextResponse("hello")


async def echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def large(request: Request) -> Response:
    async def pieces() -> AsyncIterator[bytes]:
        try:
            for _ in range(STREAM_BYTES >> 16):
                yield bytes(1 << 16)
        finally:
            STREAMED.set()

    return StreamingResponse(pieces())


async def slow(request: Request) -> Response:
    """Answer after `s` seconds, or when the test lets it."""
    UNDER_WAY.append(request)
    ends_at = time.monotonic() + float(request.query_params["s"])
    while time.monotonic() < ends_at and not LET_GO.is_set():
        await asyncio.sleep(0.01)
    return PlainTextResponse("at last")


async def refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestError)
    return refusal(error)


def app(settings: ServerSettings = SETTINGS) -> Starlette:
    routes = [Route("/", hello), Route("/echo", echo, methods=["POST"]), Route("/large", large), Route("/slow", slow)]
    routes.append(Route("/uploads/{token}", echo, methods=["PUT"]))
    middleware = [Middleware(Envelope), Middleware(RequestLimits, settings)]
    return Starlette(routes=routes, middleware=middleware, exception_handlers={RequestError: refused})


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with listening(app(), SETTINGS) as found:
        yield found


def status_and_detail(answer: bytes) -> tuple[int, str]:
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"application/json" in head.lower()
    assert f"content-length: {len(body)}".encode() in head.lower(), "the body is there to its end"
    assert set(json.loads(body)) == {"detail"}
    return int(head.split()[1]), json.loads(body)["detail"]


GET = b"GET / HTTP/1.1\r\nHost: here\r\n"
POST = b"POST /echo HTTP/1.1\r\nHost: here\r\n"


def test_a_connection_serves_many_requests_and_is_closed_when_no_more_come(port: int) -> None:
    with connected(port) as client:
        for _ in range(3):
            client.sendall(GET + b"\r\n")
            assert answered(client).endswith(b"hello")
        assert heard(client) == b""


def test_answers_do_not_wait_for_acknowledgements_of_their_heads() -> None:
    with listen(replace(SETTINGS, port=0)) as listener, connected(listener.getsockname()[1]):
        accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


@pytest.mark.parametrize(
    "said", [b"nonsense\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", GET + b"no colon\r\n\r\n", b"\x16\x03\x01\x02\x00\x01\r\n"]
)
def test_what_is_no_http_is_told_so_and_let_go(port: int, said: bytes) -> None:
    with connected(port, said + GET + b"\r\n") as client:
        answer = heard(client)
    assert answer.startswith(b"HTTP/1.1 400 ")
    assert answer.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("order", [1, -1])
def test_a_body_of_two_lengths_is_refused_and_what_follows_is_no_request(port: int, order: int) -> None:
    lengths = (b"Content-Length: 4\r\n", b"Transfer-Encoding: chunked\r\n")[::order]
    with connected(port, POST + b"".join(lengths) + b"\r\n0\r\n\r\n" + GET + b"\r\n") as client:
        answer = heard(client)
    assert status_and_detail(answer)[0] == 400
    assert b"connection: close" in answer.lower()
    assert b"hello" not in answer


def test_headers_without_end_are_not_read_to_it(port: int) -> None:
    sent = 0
    with connected(port, GET) as client, suppress(ConnectionResetError, BrokenPipeError):
        while sent < 100_000:
            client.sendall(b"X-More: " + b"x" * 1000 + b"\r\n")
            sent += 1
    assert sent < 100_000


def test_a_body_that_nobody_reads_is_not_waited_for_for_ever(port: int) -> None:
    with connected(port, b"POST /nowhere HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\n") as client:
        assert b"HTTP/1.1 4" in answered(client)
        assert heard(client) == b""


def test_a_body_that_stops_ends_in_408(port: int) -> None:
    began = time.monotonic()
    with connected(port, POST + b"Content-Length: 100\r\n\r\nabc") as client:
        status, detail = status_and_detail(heard(client))
    assert (status, "3 bytes" in detail) == (408, True)
    assert time.monotonic() - began > SETTINGS.body_timeout_s


def test_a_body_that_comes_steadily_may_take_longer_than_that(port: int) -> None:
    with connected(port, b"PUT /uploads/t HTTP/1.1\r\nHost: here\r\nContent-Length: 200000\r\n\r\n") as client:
        for _ in range(20):
            client.sendall(bytes(10_000))
            time.sleep(0.06)
        assert answered(client).endswith(b"200000")


@pytest.mark.parametrize(("content_type", "most"), [("application/json", 1000), ("multipart/form-data", 5000 + 65536)])
@pytest.mark.parametrize("chunked", [False, True])
def test_bodies_that_are_too_large(port: int, content_type: str, most: int, chunked: bool) -> None:
    for size, status in ((most, 200), (most + 1, 413)):
        pieces = (bytes(size) for _ in range(1)) if chunked else bytes(size)
        answer = httpx.post(f"http://127.0.0.1:{port}/echo", content=pieces, headers={"Content-Type": content_type})
        assert answer.status_code == status
    assert str(most) in answer.json()["detail"]


def test_who_does_not_read_is_let_go(port: int) -> None:
    STREAMED.clear()
    with connected(port, b"GET /large HTTP/1.1\r\nHost: here\r\n\r\n") as client:
        assert STREAMED.wait(20)
        assert len(heard(client)) < STREAM_BYTES


def test_who_reads_slowly_gets_all(port: int) -> None:
    with connected(port, b"GET /large HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n") as client:
        got, began = 0, time.monotonic()
        while piece := client.recv(1 << 18):
            got += len(piece)
            time.sleep(0.02)
    assert got > STREAM_BYTES
    assert time.monotonic() - began > 2 * SETTINGS.body_timeout_s, "slow enough to be taken for one who does not read"


def test_beyond_the_most_connections_a_request_is_told_to_come_again() -> None:
    busy = b"GET /slow?s=60 HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n"
    UNDER_WAY.clear()
    with listening(app(), SETTINGS) as port, ExitStack() as stack:
        clients = [stack.enter_context(connected(port, busy)) for _ in range(SETTINGS.max_connections - 1)]
        until(lambda: len(UNDER_WAY) == len(clients), 20.0)
        with connected(port, GET + b"\r\n") as late:
            assert heard(late).startswith(b"HTTP/1.1 503 ")
        LET_GO.set()
        assert all(heard(client).endswith(b"at last") for client in clients)
        with connected(port, GET + b"\r\n") as later:
            assert answered(later).endswith(b"hello")


def test_when_the_server_ends_requests_under_way_may_end_and_others_are_told() -> None:
    said = b"GET /slow?s=%s HTTP/1.1\r\nHost: here\r\n\r\n"
    UNDER_WAY.clear()
    LET_GO.clear()
    with ExitStack() as stack:
        with listening(app(), SETTINGS) as port:
            soon, never = (stack.enter_context(connected(port, said % s)) for s in (b"0.2", b"60"))
            idle = stack.enter_context(connected(port, GET + b"\r\n"))
            assert answered(idle).endswith(b"hello")
            until(lambda: len(UNDER_WAY) == 2, 20.0)
            began = time.monotonic()
        assert time.monotonic() - began < 20
        assert heard(soon).endswith(b"at last")
        assert status_and_detail(heard(never))[0] == 503
        assert heard(idle) == b""
