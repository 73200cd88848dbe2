"""A network that fails when it is told to."""

from __future__ import annotations

import socket
import threading


class Pipe:
    """A way to the server that is cut after so many bytes to it."""

    def __init__(self, port: int) -> None:
        self.limit: int | None = None
        self.carried = 0
        self._target = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.limit == 0:
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._target))
            threading.Thread(target=self._carry, args=(client, server, True), daemon=True).start()
            threading.Thread(target=self._carry, args=(server, client, False), daemon=True).start()

    def _carry(self, source: socket.socket, target: socket.socket, counted: bool) -> None:
        try:
            while data := source.recv(65536):
                self.carried += len(data) if counted else 0
                if self.limit is not None and self.carried > self.limit:
                    self.limit = 0
                    break
                target.sendall(data)
        except OSError:
            pass
        for end in (source, target):
            end.close()

    def close(self) -> None:
        self._listener.close()
