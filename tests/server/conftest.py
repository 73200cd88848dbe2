"""Fixtures of the server's tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from asking import Asker
from job_store import WorkedJobStore
from serving import RunningServer

from mediaan.server.service.service import Service
from mediaan.server.settings import ServerSettings

collect_ignore = ["poison"]
"""To look there for doctests would be to import what kills processes."""


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A running server with one worker; a module may name other options in `SERVER_OPTIONS`."""
    options = getattr(request.module, "SERVER_OPTIONS", ("--workers", "1"))
    running = RunningServer(tmp_path_factory.mktemp("server"), *options)
    yield running
    running.kill()  # a graceful end would wait for workers that still load their models


@pytest.fixture(scope="module")
def stored(server: RunningServer) -> Iterator[Service]:
    """The running server's own data, to put media there without a prediction."""
    opened = Service(ServerSettings(server.data))
    yield opened
    opened.database.close()


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WorkedJobStore]:
    """A company's media, and a worker in this process."""
    made = WorkedJobStore(ServerSettings(tmp_path_factory.mktemp("store") / "data", workers=1))
    yield made
    made.close()


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """A service over an empty data folder; no HTTP, no workers."""
    opened = Service(ServerSettings(tmp_path / "data"))
    yield opened
    opened.database.close()


@pytest.fixture
def ask(service: Service) -> Asker:
    """Requests to an application over that service."""
    return Asker(service)
