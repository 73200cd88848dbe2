"""Run a server: the ASGI application, its socket, its workers, and a graceful end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shlex
import socket
import sqlite3
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from functools import partial
from ipaddress import ip_address
from types import FrameType
from typing import cast

import uvicorn
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp

import mediaan
from mediaan.config.brand import load_kits
from mediaan.errors import SetupError, UsageError
from mediaan.server.http.errors import EXCEPTION_HANDLERS, RequestError, refusal
from mediaan.server.http.files import serve_file
from mediaan.server.http.limits import Envelope, RequestLimits
from mediaan.server.http.uploads import put_upload
from mediaan.server.log import start_log
from mediaan.server.pages.review import REVIEW_PAGES
from mediaan.server.pages.views import PAGES
from mediaan.server.service.database import database_errors
from mediaan.server.service.errors import DiskFullError
from mediaan.server.service.folder import DataFolder
from mediaan.server.service.service import Service
from mediaan.server.service.supervisor import Supervisor
from mediaan.server.service.sweep import sweep
from mediaan.server.service.worker import work
from mediaan.server.settings import ServerSettings
from mediaan.server.v2 import aois, benchmark_ranges, images, media, videos
from mediaan.server.v2.openapi import document_route
from mediaan.server.v2.operations import PREFIX, Operation, resources

OPERATIONS: tuple[Operation, ...] = (
    *videos.OPERATIONS,
    *media.OPERATIONS,
    *benchmark_ranges.OPERATIONS,
    *images.OPERATIONS,
    *aois.OPERATIONS,
)
"""The API: described in the OpenAPI document, only for those who have a key."""

_BACKLOG = 1024
_FILES_BESIDES_CONNECTIONS = 512
_MOST_HEAD_BYTES = 32 << 10
"""Of incomplete request heads; `RequestLimits` checks complete ones, and allows less."""


def create_app(service: Service, trouble: Callable[[], str | None] | None = None) -> Starlette:
    """Return the application over a service.

    `service`: endpoints find it by `mediaan.server.http.identity.service_of`.
    `trouble`: says, for /healthz, why no work can be done at the moment; None: all is well. Workers are started and
        looked after elsewhere (`mediaan.server.service.supervisor`).
    """
    routes: list[BaseRoute] = [
        Route("/healthz", healthz),
        Route("/uploads/{token}", put_upload, methods=["PUT"]),
        Route("/files/{token}", serve_file),
        *PAGES,
        *REVIEW_PAGES,
        document_route(OPERATIONS),
        *resources(OPERATIONS),
    ]
    middleware = [Middleware(Envelope), Middleware(RequestLimits, service.settings)]
    app = Starlette(routes=routes, exception_handlers=EXCEPTION_HANDLERS, middleware=middleware)
    app.router.redirect_slashes = False
    app.state.service = service
    app.state.api_path = PREFIX
    app.state.trouble = trouble or (lambda: None)
    return app


async def healthz(request: Request) -> Response:
    """Answer 200 where the database answers and workers are there, else 503 with the reason; no key is needed.

    With too little room on the disk for further files the status is `degraded`, and `detail` says why: all else works.
    """
    service: Service = request.app.state.service
    try:
        service.database.connection.execute("SELECT 1 FROM media LIMIT 1").fetchone()
        trouble = request.app.state.trouble()
    except sqlite3.Error as error:
        trouble = f"The database does not answer: {error}"
    if trouble is not None:
        return refusal(RequestError(503, trouble))
    try:
        service.check_room(0)
    except DiskFullError as error:
        return JSONResponse({"status": "degraded", "version": mediaan.__version__, "detail": error.message})
    return JSONResponse({"status": "ok", "version": mediaan.__version__})


def serve(settings: ServerSettings, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or Ctrl-C; a second signal ends it at once.

    `say`: gets the lines for the person who started it, when a picture would be predicted at once. Requests are
        answered before that.
    Raises UsageError: others could reach it and there is no key yet, the data folder cannot be made, or a brand kit is
        wrong.
    Raises SetupError: another server uses the data folder or the port; this machine has no such device.
    """
    if settings.device not in ("auto", "cpu"):  # these can always be had; others are tried in a process of their own,
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:  # so that the server's stays light
            pool.submit(_load_model, settings.device).result()
    if settings.brand_kits is not None:
        load_kits(settings.brand_kits)  # a kit that is wrong is better known now than when a job needs it
    os.umask(0o077)  # what it and its workers make is for this user alone
    folder = DataFolder(settings.data)
    folder.make()
    with closing(folder.hold()), database_errors(folder.database):
        service = Service(settings)
        with closing(service.database), closing(listen(settings)) as listener:
            loopback = ip_address(listener.getsockname()[0].partition("%")[0]).is_loopback
            if not loopback and not service.keys.any():
                message = f"--host {settings.host}: others could reach it, and there is no key yet; make one first: "
                raise UsageError(message + _create_key(settings), code="no_key")
            start_log(requests=settings.access_log)
            _allow_files(settings.max_connections + _FILES_BESIDES_CONNECTIONS)
            sweep(service)
            tempfile.tempdir = str(folder.incoming)  # of forms, which Starlette writes to disk: /tmp may be memory
            supervisor = Supervisor(settings, service, work)
            supervisor.start()
            app = create_app(service, supervisor.trouble)
            ready = partial(_greet, service, listener, app.state.api_path, say)
            server = _Server(uvicorn_config(app, settings), service, supervisor, ready)
            try:
                server.run([listener])
            finally:
                supervisor.stop(max(1.0, server.ends_at - time.monotonic()))


def uvicorn_config(app: ASGIApp, settings: ServerSettings) -> uvicorn.Config:
    """Return the uvicorn configuration for sockets that `listen` has opened."""
    return uvicorn.Config(
        app,
        http="h11",  # bounds the size of heads, which the other parser does not
        h11_max_incomplete_event_size=_MOST_HEAD_BYTES,
        limit_concurrency=settings.max_connections,
        timeout_keep_alive=cast(int, settings.keep_alive_s),
        timeout_graceful_shutdown=cast(int, settings.stop_within_s / 2),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=settings.public_url is not None,  # only then is there a proxy that says who the client is
    )


def listen(settings: ServerSettings) -> socket.socket:
    """Open the socket of a server.

    On Linux the connections that it accepts inherit its options: answers do not wait for acknowledgements of their
    heads, and a client that takes nothing of its answer for `body_timeout_s` is let go.

    Raises SetupError: there is no such address here, or another program has it.
    """
    host, port = settings.host, settings.port
    try:
        addresses = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family = min((address[0] for address in addresses), key=lambda family: family != socket.AF_INET)
        listener = socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, UnicodeError) as error:  # a name that is none cannot be encoded
        # Python adds the address again, as a tuple
        reason = str(getattr(error, "strerror", "not a name")).partition(" (")[0]
        message = f"--host {host} --port {port}: cannot listen there ({reason}); name another host or port"
        raise SetupError(message, code="cannot_listen") from error
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(1000 * settings.body_timeout_s))
    return listener


class _Server(uvicorn.Server):
    """A uvicorn server that tells when it is ready, and exits with code 0 after a signal."""

    def __init__(
        self, config: uvicorn.Config, service: Service, supervisor: Supervisor, ready: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self.ends_at = 0.0
        self._service, self._supervisor, self._ready = service, supervisor, ready
        self._greeted = False

    async def on_tick(self, counter: int) -> bool:
        if not self._greeted and self._supervisor.ready:
            self._greeted = True
            self._ready()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        def give_up() -> None:
            self._service.stopping = True

        patience_s = self._service.settings.stop_within_s / 3  # a picture takes less; who waits longer is told: 202
        asyncio.get_running_loop().call_later(patience_s, give_up)
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + sig)  # workers end with their parent; the next start takes their jobs up again
        self.ends_at = time.monotonic() + self._service.settings.stop_within_s
        self.should_exit = True


def _greet(service: Service, listener: socket.socket, api_path: str, say: Callable[[str], None]) -> None:
    settings, port = service.settings, listener.getsockname()[1]
    address = f"http://[{settings.host}]:{port}" if ":" in settings.host else f"http://{settings.host}:{port}"
    say(f"data in {settings.data.resolve()}")
    if not service.keys.any():
        say(f"there is no key yet; make one: {_create_key(settings)}")
    say(f"web page {settings.public_url or address}/, API {settings.public_url or address}{api_path}")
    say(f"listening on {address} (Ctrl-C ends it)")


def _create_key(settings: ServerSettings) -> str:
    return f"mediaan serve keys create --company NAME --data {shlex.quote(str(settings.data.resolve()))}"


def _allow_files(count: int) -> None:
    """Raise this process's limit of open files, which is often 1024, as far as allowed."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = count if hard == resource.RLIM_INFINITY else min(count, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def _load_model(device: str) -> None:
    from mediaan.saliency import load_predictor

    load_predictor(device=device, threads=1)
