"""A client of the standard library alone, which writes down what was said."""

from __future__ import annotations

import json
import re
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

from serving import API

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")


class Said(NamedTuple):
    """An answer."""

    status: int
    body: Any
    headers: Any


class PlainClient:
    """Sends requests, and keeps a transcript in which everything that differs from run to run is only a type."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self.key = url, key
        self.transcript: list[dict[str, Any]] = []

    def ask(self, method: str, path: str, body: Any = None, *, heard: bool = True) -> Said:
        """A request of the API with a JSON body; `heard`: it belongs into the transcript."""
        data = None if body is None else json.dumps(body).encode()
        headers = {"X-API-Key": self.key} | ({} if body is None else {"Content-Type": "application/json"})
        said = _send(method, f"{self.url}{API}/{path}", data, headers)
        if heard:
            self._note(method, f"{API}/{path}", body, said)
        return said

    def upload_picture(self, file: Path) -> Said:
        """A form with the field ``file``, written by hand."""
        mark = uuid4().hex
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{file.name}"\r\n\r\n'
        data = head.encode() + file.read_bytes() + f"\r\n--{mark}--\r\n".encode()
        headers = {"X-API-Key": self.key, "Content-Type": f"multipart/form-data; boundary={mark}"}
        said = _send("POST", f"{self.url}{API}/images", data, headers)
        self._note("POST", f"{API}/images", f"form with file={file.name}", said)
        return said

    def put_bytes(self, url: str, data: bytes, **headers: str) -> Said:
        """A request of the upload protocol, without a key."""
        said = _send("PUT", url, data, {name.replace("_", "-"): value for name, value in headers.items()})
        self._note("PUT", "<resumable_url>", {**headers, "bytes": len(data)}, said)
        return said

    def poll(self, path: str, key: str, within_s: float = 240.0) -> Said:
        """Ask until the status that `key` names is done or failed."""
        until = time.monotonic() + within_s
        while (said := self.ask("GET", path, heard=False)).body[key] not in ("done", "failed"):
            assert said.body[key] == "started"
            assert time.monotonic() < until
            time.sleep(0.1)
        self._note("GET", f"{API}/{path}", "until done or failed", said)
        return said

    def _note(self, method: str, path: str, body: Any, said: Said) -> None:
        note = {"request": f"{method} {_UUID.sub('<uuid>', path)}", "body": shape(body), "status": said.status}
        if said.status == 308:
            note["range"] = said.headers.get("Range")
        self.transcript.append({key: value for key, value in note.items() if value is not None})
        self.transcript[-1]["answer"] = shape(said.body)


def _send(method: str, url: str, data: bytes | None, headers: dict[str, str]) -> Said:
    request = urllib.request.Request(url, data, headers, method=method)
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(request, timeout=120) as answer:
            return Said(answer.status, _json(answer.read()), answer.headers)
    except urllib.error.HTTPError as error:
        with error:
            return Said(error.code, _json(error.read()), error.headers)


def _json(content: bytes) -> Any:
    return json.loads(content) if content else None


def shape(value: Any, key: str = "") -> Any:
    """A value without what differs from run to run, or with another processor: of numbers, identifiers, times and
    addresses only that they are there.

    Items of a list that are alike then stand there once.
    """
    if isinstance(value, float):
        return "<number>"
    if isinstance(value, str):
        return _text(value, key)
    if key == "scores":
        return {metric: sorted(times) for metric, times in value.items()}
    if isinstance(value, dict):
        return {name: shape(one, name) for name, one in value.items()}
    if isinstance(value, list):
        found: list[Any] = []
        for one in (shape(one, key) for one in value):
            found += [] if one in found else [one]
        return found
    return value


def _text(value: str, key: str) -> str:
    if value.startswith("http://"):
        return "<url>"
    if key in ("text", "label"):
        return "<text>"
    if key == "score_title":
        return _NUMBER.sub("<number>", value)
    return _TIME.sub("<time>", _UUID.sub("<uuid>", value))
