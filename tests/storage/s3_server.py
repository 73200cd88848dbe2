"""A real S3 server on loopback: moto's, in a process of its own, with a door that can be shut."""

from __future__ import annotations

import http.client
import os
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

ACCESS_KEY, SECRET_KEY = "AKIAPLANTEDACCESSKEY", "planted/secret+key"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@dataclass(frozen=True)
class S3Server:
    """What tests need of a running server."""

    port: int
    process: subprocess.Popen[bytes]

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @cached_property
    def client(self) -> Any:
        import boto3

        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            region_name="us-east-1",
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
        )

    def url(self, path: str, *, port: int | None = None, secret: str = SECRET_KEY) -> str:
        """Address of a bucket or prefix, with credentials and endpoint in it."""
        given = f"{ACCESS_KEY}:{quote(secret, safe='')}@{path}"
        return f"s3://{given}?endpoint_override=http://127.0.0.1:{port or self.port}&region=us-east-1"

    def keys(self, bucket: str, prefix: str = "") -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def plant(self, bucket: str, key: str, data: bytes) -> None:
        """Put an object whose key ordinary clients would mend before they send it."""
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        asking.request("PUT", f"/{bucket}/{key}", data)
        answer = asking.getresponse()
        answer.read()
        asking.close()
        assert answer.status == 200, answer.status

    def pause(self) -> None:
        """No more answers, as when a network swallows everything."""
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self.process.send_signal(signal.SIGCONT)


def start_server() -> S3Server:
    port = free_port()
    silent: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "stdin": subprocess.DEVNULL}
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    server = S3Server(
        port, subprocess.Popen(command, env=os.environ | {"MOTO_ALLOW_NONEXISTENT_REGION": "1"}, **silent)
    )
    for _ in range(600):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return server
    raise AssertionError("the S3 server did not start")
