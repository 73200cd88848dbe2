"""Web pages of every kind, good and bad, served on this machine."""

from __future__ import annotations

import io
import socket
import ssl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread

import pytest
from browsing import CHROMIUM
from PIL import Image

needs_web = pytest.mark.skipif(
    not CHROMIUM.exists() or find_spec("playwright") is None, reason="needs chromium and playwright"
)

HTML = "text/html; charset=utf-8"
SHOP_COLOURS = [(200, 30 + 8 * i, 60) for i in range(20)]
"""Of the pictures of `SHOP`, from its top to its bottom."""

SHOP = """<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Tonkrug</title><style>html { scroll-behavior: smooth } body { margin: 0; font: 16px sans-serif }
header { position: sticky; top: 0; height: 60px; background: rgb(0, 0, 250) }
.bar { position: fixed; bottom: 0; left: 0; right: 0; height: 40px; background: rgb(0, 250, 0) }
img { display: block; width: 300px; height: 300px; margin: 20px auto }</style>
<header>Tonkrug: vases and bowls</header><main>"""
SHOP += "".join(
    f'<img alt="" loading="lazy" src="/colour/{i}">' if i % 2 else f'<img alt="" data-src="/colour/{i}" src="/blank">'
    for i in range(20)
)
SHOP += """</main><div class="bar">Free delivery</div><script>
const observer = new IntersectionObserver((entries) => entries.forEach((entry) => {
  if (entry.isIntersecting) entry.target.src = entry.target.dataset.src
}))
document.querySelectorAll('[data-src]').forEach((image) => observer.observe(image))</script></html>"""

LAYER = """<div id="{name}" style="position: fixed; left: 0; right: 0; bottom: 0; height: 300px; background: red">
<p>We and our 412 partners use cookies to measure what you do here.</p>
<button onclick="this.parentNode.remove()">Accept all</button> <button>Settings</button></div>"""


def _page(body: str, style: str = "") -> str:
    return f"<!doctype html><title>A page</title><style>body {{ margin: 0 }} {style}</style><h1>A page</h1>{body}"


PAGES = {
    "/shop": SHOP,
    "/plain": _page("<p>Nothing more.</p>"),
    "/cookies": _page("<p>Text</p>" + LAYER.format(name="notice")),
    "/cookies-in-frame": _page(
        '<iframe src="/frame" title="Cookie consent" style="position: fixed; top: 200px; left: 0; border: 0; '
        'width: 100%; height: 400px"></iframe>'
    ),
    "/frame": '<body style="background: red"><button onclick="document.body.style.background=\'lime\'">Reject</button>',
    "/cookies-in-shadow": _page(
        '<div id="host"></div><script>document.getElementById("host").attachShadow({mode: "open"}).innerHTML = '
        f"`{LAYER.format(name='inner')}`</script>"
    ),
    "/newsletter": _page(
        '<div style="position: fixed; inset: 100px; background: gold">Ten percent off your first order</div>'
    ),
    "/background": _page(
        '<div style="position: fixed; inset: 0; background: gold; z-index: -1"></div>'
        '<main style="position: relative; background: white; height: 900px">Text</main>'
    ),
    "/app": (
        '<!doctype html><body style="margin: 0"><div style="height: 100vh; overflow: auto">'
        + "<p>One line of many</p>" * 200
        + "</div>"
    ),
    "/long": _page('<div style="height: 90000px; background: linear-gradient(red, blue)"></div>'),
    "/endless": _page(
        "<main></main><script>const more = () => { for (let i = 0; i < 40; i++) "
        "document.querySelector('main').append(Object.assign(document.createElement('p'), {textContent: 'More'})) };"
        "more(); addEventListener('scroll', more)</script>"
    ),
    "/empty": "<!doctype html><title>Empty</title>",
    "/alert": _page("<script>alert('Sign up now'); confirm('Really?'); prompt('Your name')</script>"),
    "/stays": _page("<script>addEventListener('beforeunload', (event) => event.preventDefault())</script>"),
    "/hangs": _page("<script>setTimeout(() => { for (;;); }, 50)</script>"),
    "/reloads": _page("<script>setTimeout(() => { location.href = '/reloads?' + Math.random() }, 300)</script>"),
    "/goes-on": _page("<script>setTimeout(() => { location.href = '/plain' }, 300)</script>"),
    "/pop-up": _page("<script>open('/plain')</script>"),
    "/unfinished": _page('<img alt="" src="/never"><img alt="" src="/missing">'),
    "/missing-picture": _page('<img alt="" src="/missing">'),
    "/wide-table": '<!doctype html><body style="margin: 0"><div style="height: 60px; background: red"></div>',
}
ANSWERS: dict[str, tuple[int, str, bytes]] = {
    "/500": (500, HTML, b"<h1>Internal error</h1>"),
    "/503": (503, HTML, b""),
    "/403": (403, HTML, b"<h1>Robots are not welcome</h1>"),
    "/flyer.pdf": (200, "application/pdf", b"%PDF-1.4\n%%EOF\n"),
    "/data.json": (200, "application/json", b"{}"),
    "/text.txt": (200, "text/plain", b"words"),
    "/nothing": (204, HTML, b""),
    "/empty-answer": (200, HTML, b""),
}


def _picture(colour: tuple[int, int, int]) -> bytes:
    data = io.BytesIO()
    Image.new("RGB", (30, 30), colour).save(data, "PNG")
    return data.getvalue()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/never":
            time.sleep(30)
        elif path == "/closes":
            self.close_connection = True
        elif path == "/resets":
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.connection.close()
        elif path in ("/circle", "/moved"):
            self._answer(302, HTML, b"", Location="/circle" if path == "/circle" else "/plain")
        elif path == "/private":
            if self.headers["Authorization"] == "Basic bWU6cyBlY3JldA==":  # me:s ecret
                self._answer(200, HTML, _page("<p>For me</p>").encode())
            else:
                self._answer(401, HTML, b"No", **{"WWW-Authenticate": 'Basic realm="private"'})
        elif path == "/download":
            disposition = {"Content-Disposition": "attachment; filename=ads.zip"}
            self._answer(200, "application/zip", b"PK\3\4", **disposition)
        elif path.startswith("/colour/"):
            self._answer(200, "image/png", _picture(SHOP_COLOURS[int(path.rpartition("/")[2])]))
        elif path == "/blank":
            self._answer(200, "image/png", _picture((255, 255, 255)))
        elif path in ANSWERS:
            self._answer(*ANSWERS[path])
        elif path in PAGES:
            self._answer(200, HTML, PAGES[path].encode())
        else:
            self._answer(404, HTML, b"<h1>Not found</h1>")

    def _answer(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if status != 204:
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        pass  # a browser that goes away is no error


@contextmanager
def served_pages(wrap: Callable[[socket.socket], socket.socket] | None = None) -> Iterator[str]:
    """Serve the pages; give the address at which, with the scheme http or, over a wrapped socket, https."""
    with _Server(("127.0.0.1", 0), _Handler) as server:
        if wrap is not None:
            server.socket = wrap(server.socket)
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http{'s' if wrap else ''}://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()


def self_signed(folder: Path) -> Callable[[socket.socket], socket.socket]:
    """Return what makes a socket one of TLS, with a certificate that nobody signed."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
    builder = builder.serial_number(1).not_valid_before(now).not_valid_after(now + timedelta(days=1))
    (folder / "certificate.pem").write_bytes(
        builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)
        + key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem")
    return lambda plain: context.wrap_socket(plain, server_side=True)
