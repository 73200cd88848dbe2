"""A real server for tests: `mediaan serve` in a process of its own, with a data folder and a key."""

from __future__ import annotations

import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
from job_store import until

from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

API = "/predict/v2"
MEDIAAN = Path(sys.executable).with_name("mediaan")
_STOP_S = 60.0


class RunningServer:
    """A server that listens on a free port of this machine, and on the same one after `restart`.

    `said` are the lines that it wrote on stdout before it could be reached, and the one that says where.
    """

    def __init__(self, folder: Path, *options: str, company: str = "acme") -> None:
        self.data = folder / "data"
        self.log = folder / "server.log"
        self.options = options
        self.key = self.new_key(company)
        self.port = 0
        self.start()

    def start(self) -> None:
        """Start it, and return when it can be reached."""
        command = [MEDIAAN, "serve", "--data", self.data, "--port", str(self.port), *self.options]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.said: list[str] = []
        assert self.process.stdout
        for line in self.process.stdout:
            self.said.append(line.strip())
            if "listening on http://" in line:
                self.url = line.split("listening on ")[1].split()[0]
                self.port = int(self.url.rpartition(":")[2])
                return
        raise AssertionError(f"the server ended with {self.process.wait()}:\n{self.log.read_text()[-2000:]}")

    def stop(self, how: signal.Signals = signal.SIGTERM) -> int:
        """Ask it to end; returns its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        code = self.process.wait(_STOP_S)
        if self.process.stdout:
            self.process.stdout.close()
        return code

    def kill(self) -> None:
        """SIGKILL of the server process alone; its workers have to notice."""
        self.stop(signal.SIGKILL)

    def restart(self) -> None:
        """End it if it still runs, and start it again, on the same port and data."""
        self.stop()
        self.start()

    def new_key(self, company: str) -> str:
        """A key of a company."""
        service = Service(ServerSettings(self.data))
        with closing(service.database):
            return service.keys.create(company)

    def client(self, key: str | None = None, **options: Any) -> httpx.Client:
        """A client with a key, the server's own unless another is given; close it, or use it in `with`."""
        settings = {"base_url": self.url, "timeout": 240.0, "trust_env": False} | options
        return httpx.Client(headers={"X-API-Key": key or self.key}, **settings)


def predict(client: httpx.Client, picture: Path) -> dict[str, Any]:
    """Upload a picture; return the medium once it is predicted, however long a busy machine takes."""
    answer = client.post(f"{API}/images", files={"file": (picture.name, picture.read_bytes())})
    assert answer.status_code in (201, 202), answer.text
    path = f"{API}/media/{answer.json()['media_id']}"
    until(lambda: client.get(path).json()["status"] == "done")
    medium: dict[str, Any] = client.get(path).json()
    return medium
