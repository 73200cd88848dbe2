"""The server behind nginx with TLS, set up as docs/server.md says."""

from __future__ import annotations

import re
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from budget import budget
from job_store import until
from serving import API, RunningServer, predict
from short_film import ADS

ROOT = Path(__file__).resolve().parents[2]
NGINX = shutil.which("nginx") or "/usr/sbin/nginx"
PICTURE = ADS / "serum_square.jpg"

pytestmark = pytest.mark.skipif(
    not (Path(NGINX).exists() and shutil.which("openssl")), reason="nginx or openssl is not installed"
)


@dataclass(frozen=True)
class Proxied:
    """A server and the proxy in front of it."""

    server: RunningServer
    url: str
    port: int
    tls: ssl.SSLContext

    def client(self) -> httpx.Client:
        return httpx.Client(base_url=self.url, verify=self.tls, headers={"X-API-Key": self.server.key}, timeout=240)

    def send(self, request: bytes) -> bytes:
        """Send bytes over TLS and return what is answered until the connection ends."""
        with (
            socket.create_connection(("localhost", self.port), 20) as plain,
            self.tls.wrap_socket(plain, server_hostname="localhost") as connection,
        ):
            connection.sendall(request)
            answer = b""
            while block := connection.recv(65536):
                answer += block
            return answer


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxied]:
    folder = tmp_path_factory.mktemp("proxied")
    port = free_port()
    url = f"https://localhost:{port}"
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate],
        check=True, capture_output=True,
    )  # fmt: skip
    server = RunningServer(folder, "--workers", "1", "--public-url", url)
    (documented,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "server.md").read_text("utf-8"), flags=re.S)
    site = documented.replace(
        "listen 443 ssl;", f"listen 127.0.0.1:{port} ssl; ssl_certificate {certificate}; ssl_certificate_key {key};"
    ).replace("http://127.0.0.1:8000", server.url)
    temporary = " ".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    (folder / "nginx.conf").write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"events {{}}\nhttp {{ access_log off; {temporary}\n{site}\n}}\n"
    )
    with subprocess.Popen([NGINX, "-p", folder, "-c", folder / "nginx.conf", "-e", folder / "error.log"]) as nginx:

        def listens() -> bool:
            assert nginx.poll() is None, (folder / "error.log").read_text()
            with socket.socket() as trial:
                return trial.connect_ex(("127.0.0.1", port)) == 0

        until(listens, 60.0)
        yield Proxied(server, url, port, ssl.create_default_context(cafile=certificate))
        nginx.terminate()
    server.kill()


def test_addresses_in_answers_lead_through_the_proxy(proxied: Proxied) -> None:
    with proxied.client() as client:
        heat = predict(client, PICTURE)["results"]["heat"]
        assert heat.startswith(f"{proxied.url}/files/")
        assert client.get(heat).headers["content-type"].startswith("image/")


@pytest.mark.parametrize("chunked", budget([True], [False, True]))
def test_an_upload_that_breaks_is_resumed_where_it_broke(proxied: Proxied, chunked: bool) -> None:
    content = b"\0\0\0\x18ftypisom" + bytes(range(256)) * 8192  # 2 MiB, no video
    with proxied.client() as client:
        body = {"content_type": "video/mp4", "total_bytes": len(content)}
        address = client.post(f"{API}/videos", json=body).json()["resumable_url"]
        assert address.startswith(f"{proxied.url}/uploads/")
        path = address.removeprefix(proxied.url)
        size = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {len(content)}"
        head = f"PUT {path} HTTP/1.1\r\nHost: localhost:{proxied.port}\r\n{size}\r\n\r\n".encode()
        half = content[: 3 * len(content) // 4]
        with (
            socket.create_connection(("localhost", proxied.port), 20) as plain,
            proxied.tls.wrap_socket(plain, server_hostname="localhost") as connection,
        ):
            connection.sendall(head + (b"%x\r\n" % len(half) if chunked else b"") + half)
            time.sleep(2)  # what a slow client has sent for a second is written
        asking = {"Content-Range": "bytes */*"}
        until(lambda: "range" in client.put(address, headers=asking).headers)
        asked = client.put(address, headers=asking)
        received = int(asked.headers["range"].partition("-")[2]) + 1
        assert asked.status_code == 308
        assert 0 < received <= len(half)
        rest = {"Content-Range": f"bytes {received}-{len(content) - 1}/{len(content)}"}
        assert client.put(address, content=content[received:], headers=rest).status_code == 200


def test_a_second_request_cannot_be_hidden_in_a_body(proxied: Proxied) -> None:
    hidden = f"GET /healthz HTTP/1.1\r\nHost: localhost:{proxied.port}\r\n\r\n"
    answer = proxied.send(
        f"POST {API}/videos HTTP/1.1\r\nHost: localhost:{proxied.port}\r\nContent-Length: 5\r\n"
        f"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}".encode()
    )
    assert answer.startswith(b"HTTP/1.1 400")
    assert answer.count(b"HTTP/1.1 ") == 1
