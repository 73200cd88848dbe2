"""One client's connection: how long it may take, how many there may be, and how it is told."""

from __future__ import annotations

import asyncio
import socket
import sys
from typing import Any, Literal

import h11
from uvicorn.config import Config
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from mediaan.server.api.schemas import Detail
from mediaan.server.http.access_log import log_refusal
from mediaan.server.settings import ServerSettings

_LEAST_READ_BYTES = 16384
"""A client that takes less of its answer than this within `body_timeout_s` is not reading it."""

_LINGER_S = 2.0
_LINGERING = 256
"""So many connections more than allowed may be told so in peace."""

_Wait = Literal["request", "rest", "end"]


class Connection(H11Protocol):
    """HTTP/1.1 for clients that may be slow, broken or hostile.

    A connection that is open costs a file handle and some memory, so none is for ever: a client has
    `header_timeout_s` for the whole head of a request, `keep_alive_s` between two, and must read what it asked for.
    A body that nobody wants is read and dropped for `body_timeout_s`, because a client that still sends would not see
    the answer. Where there are more than `max_connections`, the one that has been idle longest goes.

    Parameters
    ----------
    settings : ServerSettings
    """

    def __init__(
        self,
        settings: ServerSettings,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._settings = settings
        self._patience: dict[_Wait, float] = {
            "request": settings.header_timeout_s,
            "rest": settings.body_timeout_s,
            "end": _LINGER_S,
        }
        self._refused = False
        self._waits: _Wait | None = None
        self._read_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._idle_since = self.loop.time()

    @property
    def idle(self) -> bool:
        """Whether the server has nothing to do for it: whatever comes is still coming."""
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a client in, if need be in another's place."""
        super().connection_made(transport)
        # the head and the body of an answer are two writes: with Nagle's algorithm the second waits for the first one's
        # acknowledgement, which clients delay by 40 ms (asyncio sees to it only for sockets that it made itself)
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if len(self.connections) > self._settings.max_connections and not self._make_room():
            self.refuse(503, "The server has too many connections; try again soon", {"Retry-After": "1"})
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read on."""
        if not self._refused:
            super().data_received(data)
            self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, or for the end of a body that nobody read."""
        self._idle_since = self.loop.time()
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let go of everything."""
        super().connection_lost(exc)
        self._unset_keepalive_if_required()
        for timer in (self._read_timer, self._write_timer):
            if timer is not None:
                timer.cancel()

    def pause_writing(self) -> None:
        """The client reads more slowly than we write."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """It has caught up."""
        super().resume_writing()
        if self._write_timer is not None and not self.transport.is_closing():
            self._write_timer.cancel()
            self._write_timer = None

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        problem = sys.exc_info()[1]
        status = problem.error_status_hint if isinstance(problem, h11.RemoteProtocolError) else 400
        what = str(problem or msg).partition(":")[0]  # what follows is the line itself, which may hold a key
        self.refuse(status, f"The request is not valid HTTP: {what}")

    def refuse(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        """Answer instead of the application, if nothing was answered yet, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = Detail(detail=detail).model_dump_json().encode()
            kept = {
                "Content-Type": "application/json",
                "Content-Length": str(len(body)),
                "Connection": "close",
                **(headers or {}),
            }
            response = h11.Response(status_code=status, headers=list(kept.items()), reason=STATUS_PHRASES[status])
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
            log_refusal(self.client, status, detail)
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        self._hang_up()

    def timeout_keep_alive_handler(self) -> None:
        """No further request came."""
        super().timeout_keep_alive_handler()
        self._watch_reader()

    def shutdown(self) -> None:
        """The server ends."""
        if self._refused:
            self._close()
        else:
            super().shutdown()

    def _unsupported_upgrade_warning(self) -> None:
        """Clients may offer HTTP/2 or WebSockets; they are answered in HTTP/1.1, which is no news."""

    def _watch(self) -> None:
        """Bound the time of what the client has to do next."""
        if self.transport.is_closing():
            self._watch_reader()
        waits = self._waits_for()
        if waits == self._waits:
            return
        if self._read_timer is not None:
            self._read_timer.cancel()
        if waits == "request":
            self._unset_keepalive_if_required()
        self._waits = waits
        self._read_timer = self.loop.call_later(self._patience[waits], self._too_slow) if waits else None

    def _waits_for(self) -> _Wait | None:
        if self.transport.is_closing():
            return None
        if self._refused:
            return "end"
        if not self.idle:
            return None
        if self.conn.their_state is h11.SEND_BODY:
            return "rest"
        begun = self.cycle is None or self.conn.trailing_data[0]
        return "request" if begun else None  # keep_alive_s runs

    def _too_slow(self) -> None:
        if self._waits == "request" and self.conn.trailing_data[0]:
            self.refuse(408, f"The head of the request did not come within {self._settings.header_timeout_s:g} s")
        else:
            self._close()

    def _make_room(self) -> bool:
        others = [one for one in self.connections if isinstance(one, Connection) and one is not self]
        idle = [one for one in others if one.idle and not one.transport.is_closing()]
        if not idle:
            return False
        oldest = min(idle, key=lambda one: one._idle_since)
        if oldest.transport.get_write_buffer_size():
            oldest.transport.abort()
        else:
            oldest._close()
        return True

    def _hang_up(self) -> None:
        """Say no more, but listen a little: of a connection that is closed on unread bytes the answer may be lost."""
        self._refused = True
        if len(self.connections) > self._settings.max_connections + _LINGERING:
            self.transport.close()
        else:
            self.transport.write_eof()
        self._watch()

    def _close(self) -> None:
        self.transport.close()
        self._watch()

    def _watch_reader(self) -> None:
        if self._write_timer is None:
            left = self.transport.get_write_buffer_size()
            self._write_timer = self.loop.call_later(self._settings.body_timeout_s, self._check_reader, left)

    def _check_reader(self, before: int) -> None:
        self._write_timer = None
        left = self.transport.get_write_buffer_size()
        if left and left > before - _LEAST_READ_BYTES:
            self.transport.abort()
        elif left:
            self._watch_reader()
