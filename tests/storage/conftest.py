"""One S3 server for all tests of storage; a bucket for each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING
from uuid import uuid4

import pytest

if TYPE_CHECKING:
    from s3_server import S3Server


@pytest.fixture(scope="session")
def s3() -> Iterator[S3Server]:
    from s3_server import start_server

    server = start_server()
    yield server
    server.process.kill()
    server.process.wait()


@pytest.fixture
def bucket(s3: S3Server) -> str:
    name = f"b-{uuid4()}"
    s3.client.create_bucket(Bucket=name)
    return name
