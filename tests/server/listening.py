"""An application that listens in a thread of the test, with limits that a test can wait for."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
from starlette.types import ASGIApp

from mediaan.server.serve import listen, uvicorn_config
from mediaan.server.settings import ServerSettings


@contextmanager
def listening(app: ASGIApp, settings: ServerSettings) -> Iterator[int]:
    """Serve while the context lasts; gives the port."""
    with listen(replace(settings, port=0)) as listener:
        server = uvicorn.Server(uvicorn_config(app, settings))
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            while not server.started:
                time.sleep(0.005)
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(30)


@contextmanager
def connected(port: int, said: bytes = b"") -> Iterator[socket.socket]:
    """A client that has said something; it waits 20 s for an answer at most."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(said)
        yield client


def answered(client: socket.socket) -> bytes:
    """One answer to its end; it has a Content-Length."""
    got = b""
    while b"\r\n\r\n" not in got:
        got += _some(client)
    head, _, body = got.partition(b"\r\n\r\n")
    length = int(head.lower().split(b"content-length:")[1].split()[0])
    while len(body) < length:
        body += _some(client)
    return head + b"\r\n\r\n" + body


def _some(client: socket.socket) -> bytes:
    piece = client.recv(65536)
    assert piece, "the connection was closed in the middle of an answer"
    return piece


def heard(client: socket.socket) -> bytes:
    """All that comes until the server closes."""
    pieces = []
    try:
        while piece := client.recv(65536):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)
