"""Requests to the application without a server, and media as jobs would leave them."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
from serving import API
from starlette.applications import Starlette

from mediaan.server.serve import OPERATIONS, create_app
from mediaan.server.service.jobs import Job, Outcome
from mediaan.server.service.media import Kind
from mediaan.server.service.service import Service
from mediaan.server.v2.openapi import document

DOCUMENT = document(OPERATIONS)


ANYWHERE = {405, 408, 414, 431}
"""What the document says of all operations together."""


def check_declared(answer: httpx.Response) -> None:
    """Hold an answer of an operation against the OpenAPI document: clients know its status."""
    request = answer.request
    for operation in OPERATIONS:
        path = re.sub(r"{\w+}", "[^/]+", API + operation.path)
        if operation.method == request.method and re.fullmatch(path, request.url.path):
            declared = DOCUMENT["paths"][API + operation.path][request.method.lower()]["responses"]
            assert answer.status_code in {*map(int, declared), *ANYWHERE}, f"{request.method} {operation.path}"


class Asker:
    """Asks an application in this process, with a key of `acme`; errors inside become answers, as for a real client."""

    def __init__(self, service: Service, app: Starlette | None = None) -> None:
        self.service = service
        self.app = app or create_app(service)
        self.key = service.keys.create("acme")

    def __call__(self, method: str, path: str, **parts: Any) -> httpx.Response:
        """Send a request, with the company's key unless another, or None, is given."""
        return asyncio.run(self.send(method, path, **parts))

    async def send(self, method: str, path: str, *, key: str | None = "", **parts: Any) -> httpx.Response:
        """Send a request as part of a conversation."""
        headers = httpx.Headers(parts.pop("headers", {}))
        if key is not None:
            headers["X-API-Key"] = key or self.key
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
            answer = await client.request(method, path, headers=headers, **parts)
        check_declared(answer)
        return answer

    @asynccontextmanager
    async def working(self, end: Callable[[Job], object]) -> AsyncIterator[None]:
        """Have a worker take short jobs meanwhile, which ends them with `end`."""

        async def worker() -> None:
            while True:
                if (job := self.service.jobs.take("w", ["short"])) is not None:
                    await asyncio.sleep(0.01)
                    end(job)
                await asyncio.sleep(0.002)

        task = asyncio.create_task(worker())
        yield
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    def at_work(
        self, end: Callable[[Job], object], method: str, path: str, *, count: int = 1, **parts: Any
    ) -> list[httpx.Response]:
        """Send a request, or several at once, while a worker ends short jobs with `end`."""

        async def both() -> list[httpx.Response]:
            async with self.working(end):
                return await asyncio.gather(*(self.send(method, path, **parts) for _ in range(count)))

        return asyncio.run(both())

    def upload(self, end: Callable[[Job], object], content: bytes, name: str = "ad.jpg", **headers: str) -> Any:
        """Send an image while a worker ends its prediction with `end`."""
        files = {"file": (name, content)}
        (answer,) = self.at_work(end, "POST", f"{API}/images", files=files, headers=headers)
        return answer

    def succeed(self, job: Job) -> None:
        """End a job as a prediction that went well."""
        self.service.jobs.finish(job, Outcome(run="one", metrics={"focus": 50.5}, results={}))

    def limit(self, **settings: Any) -> None:
        """Change limits of the same server."""
        for name, value in settings.items():
            object.__setattr__(self.service.settings, name, value)

    def add(self, kind: Kind = "image", name: str = "ad.png", company: str = "acme") -> UUID:
        """A medium as it is after its creation."""
        (company_id,) = self.service.database.connection.execute(
            "SELECT company_id FROM companies WHERE name = ?", (company,)
        ).fetchone()
        return self.service.media.add(company_id, kind, name, "image/png", 10).media_id

    def change(self, media_id: UUID, **columns: Any) -> None:
        """Write some of a medium's columns; mappings as JSON."""
        values = [json.dumps(value) if isinstance(value, dict) else value for value in columns.values()]
        assignments = ", ".join(f"{name} = ?" for name in columns)
        with self.service.database.transaction() as connection:
            connection.execute(f"UPDATE media SET {assignments} WHERE media_id = ?", [*values, str(media_id)])


def files_kept(service: Service) -> list[Path]:
    """Files of media and of uploads under way."""
    folders = (service.folder.incoming, service.folder.path / "media")
    return [path for folder in folders for path in folder.rglob("*") if path.is_file()]
