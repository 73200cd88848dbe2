"""A server that runs: its socket, its workers, its end."""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import closing

import uvicorn

from mediaan.errors import SetupError
from mediaan.server.app import create_app, open_services
from mediaan.server.folder import DataFolder
from mediaan.server.settings import ServerSettings

_BACKLOG = 1024


def serve(settings: ServerSettings, say: Callable[[str], None]) -> None:
    """Serve until a signal ends it: SIGTERM, or Ctrl-C; a second one ends it at once.

    Parameters
    ----------
    settings : ServerSettings
    say : callable
        Gets the lines for the person who started it, the first when the server can be reached.

    Raises
    ------
    UsageError
        Others could reach it and there is no key yet, or the data folder cannot be made.
    SetupError
        Another server uses the data folder or the port.
    """
    folder = DataFolder(settings.data)
    folder.make()
    with closing(folder.hold()):
        services = open_services(settings)
        with closing(services.database), closing(_listen(settings)) as listener:
            address = _address(settings.host, listener)
            config = uvicorn.Config(create_app(services), http="h11", ws="none", lifespan="off", log_config=None)
            _Server(config, lambda: say(f"listening on {address}")).run([listener])


class _Server(uvicorn.Server):
    """Ends with exit code 0 when it was asked to, rather than of the signal."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._ready()


def _listen(settings: ServerSettings) -> socket.socket:
    host, port = settings.host, settings.port
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family = min((one[0] for one in found), key=lambda one: one != socket.AF_INET)
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except OSError as error:
        message = f"--host {host} --port {port}: cannot listen there ({error.strerror}); name another host or port"
        raise SetupError(message, code="cannot_listen") from error


def _address(host: str, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
