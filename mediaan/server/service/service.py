"""The service: takes media in, has them worked on, and returns what came of them."""

from __future__ import annotations

import asyncio
import io
import json
import shutil
import time
from collections.abc import Awaitable, Callable, Hashable
from typing import Any, BinaryIO, TypeVar
from uuid import UUID

from anyio import to_thread

from mediaan.media.probe import HEAD_BYTES, IMAGE_FORMATS, sniff
from mediaan.server.service.database import Database
from mediaan.server.service.errors import (
    ConflictError,
    NotPredictedError,
    RefusedError,
    ServiceError,
    UnavailableError,
    WorkFailedError,
    WrongFormatError,
    no_such_medium,
)
from mediaan.server.service.folder import DataFolder, file_name
from mediaan.server.service.jobs import JobKind, JobResult, Jobs, Lane
from mediaan.server.service.keys import Keys
from mediaan.server.service.media import IdempotencyKey, Kind, Media, StoredMedium
from mediaan.server.service.uploads import ContentType, Uploads
from mediaan.server.settings import ServerSettings

_LOOK_EVERY_S, _LOOK_LATER_S = 0.02, 0.25
"""Reading the state of a job takes 30 µs, predicting an image several hundred ms."""
_MANY_AOIS = 200
"""Scoring more drawn areas than this takes longer than predicting an image."""

Made = TypeVar("Made")


class Service:
    """Storage, jobs and secrets of a running server; opening makes what is missing in its data folder.

    Raises UsageError, SetupError: the data folder cannot be made, or holds something else.
    """

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.folder = DataFolder(settings.data)
        self.folder.make()
        self.folder.secret()  # a damaged one is told before anything is served
        self.database = Database(self.folder.database)
        self.keys = Keys(self.database)
        self.media = Media(self.database, settings)
        self.jobs = Jobs(self.database, settings)
        self.uploads = Uploads(self.database, self.folder, self.media, settings)
        self.wake: Callable[[], None] = lambda: None
        """Tells idle workers, from any thread, that there is work."""
        self.stopping = False
        """Nobody waits for jobs any more; the next server goes on with them."""
        self._in_progress: dict[Hashable, asyncio.Future[Any]] = {}

    def medium(self, company_id: int, media_id: UUID) -> StoredMedium:
        """Return a company's medium; `NotFoundError` where there is none, it is deleted, or another company's."""
        medium = self.media.find(company_id, media_id)
        if medium is None:
            raise no_such_medium()
        return medium

    def check_room(self, size_bytes: int) -> None:
        """Refuse bytes that would leave too little of the disk: `DiskFullError`."""
        self.folder.refuse_without_room(size_bytes, self.settings.min_free_bytes)

    async def once(self, key: Hashable, make: Callable[[], Awaitable[Made]]) -> Made:
        """Call `make`, or wait for a call under the same key that is in progress: all callers get its result or error.

        The result is not kept for later calls.
        """
        if (other := self._in_progress.get(key)) is not None:
            made: Made = await asyncio.shield(other)
            return made
        future = self._in_progress[key] = asyncio.get_running_loop().create_future()
        try:
            made = await make()
            future.set_result(made)
            return made
        except BaseException as error:
            future.set_exception(
                error if isinstance(error, Exception) else UnavailableError("The server is being stopped")
            )
            future.exception()  # looked at, in case that nobody waits
            raise
        finally:
            del self._in_progress[key]

    async def predict_new_image(
        self, company_id: int, file: BinaryIO, name: str, idempotency: IdempotencyKey | None
    ) -> tuple[StoredMedium, bool]:
        """Take in an image and predict it; one that cannot be predicted leaves nothing behind.

        Requests with the same idempotency key, at once or later, get the same medium. With it comes whether it is
        done: if not, its prediction takes longer than requests wait, and goes on.
        """

        async def predicted() -> tuple[StoredMedium, bool]:
            medium = await to_thread.run_sync(self._store_image, company_id, file, name, idempotency)
            if medium.status == "done":  # an earlier request with the same idempotency key
                return medium, True
            job_id = await self.add_job(medium, "predict") if medium.status == "init" else None
            if job_id is None:  # likewise; its job waits, runs, or has just ended
                job_id = await to_thread.run_sync(self.jobs.prediction, medium.media_id)
            try:
                done = await self.finished(job_id)
            except ServiceError as error:
                # what is wrong with the file is the answer to all that send it with the same key; else it may be tried
                # again
                refusal = error if isinstance(error, RefusedError) else None
                await to_thread.run_sync(self._withdraw, medium.media_id, refusal)
                raise
            return self.medium(company_id, medium.media_id), done

        return await (predicted() if idempotency is None else self.once((company_id, idempotency), predicted))

    def _store_image(
        self, company_id: int, file: BinaryIO, name: str, idempotency: IdempotencyKey | None
    ) -> StoredMedium:
        """Make a medium of an image, or return the one that an earlier request with the same key made of it."""
        file.seek(0)
        format = sniff(file.read(HEAD_BYTES))
        if format not in IMAGE_FORMATS:
            what = f"is {format}" if format else "is of no known format"
            formats = ", ".join(sorted(IMAGE_FORMATS))
            raise WrongFormatError(f"file: {what}, and no image that can be read; send one of {formats}")
        if idempotency and (repeated := self.media.repeated(company_id, idempotency)):
            if repeated.file is None:
                raise ConflictError("A request with this Idempotency-Key is under way; try again")
            return repeated
        name, size_bytes = file_name(name, f"image.{format}"), file.seek(0, io.SEEK_END)
        medium = self.media.add(company_id, "image", name, f"image/{format}", size_bytes, idempotency)
        try:
            source = self.folder.make_source(medium.media_id, name)
            file.seek(0)
            with source.open("xb") as stored:
                shutil.copyfileobj(file, stored)
        except OSError:
            self._withdraw(medium.media_id)
            raise
        if not self.media.has_file(medium.media_id, name):
            self.folder.discard(medium.media_id)
            raise no_such_medium()
        return medium

    def _withdraw(self, media_id: UUID, refusal: RefusedError | None = None) -> None:
        self.media.withdraw(media_id, refusal)
        self.folder.discard(media_id)

    async def create_upload(
        self,
        company_id: int,
        kind: Kind,
        name: str | None,
        content_type: ContentType,
        total_bytes: int,
        idempotency: IdempotencyKey | None,
    ) -> tuple[UUID, str]:
        """Create a medium whose file is uploaded later; returns its id and the token for the upload."""

        def add() -> StoredMedium:
            if idempotency and (repeated := self.media.repeated(company_id, idempotency)):
                return repeated
            self.check_room(total_bytes)
            # without signs that a list or a log could trip over
            printable = "".join(sign if sign.isprintable() else " " for sign in name or "")
            title = " ".join(printable.split()) or f"{kind}{content_type.suffixes[0]}"
            return self.media.add(company_id, kind, title, content_type.name, total_bytes, idempotency)

        async def added() -> StoredMedium:
            return await to_thread.run_sync(add)

        medium = await (added() if idempotency is None else self.once((company_id, idempotency), added))
        token = await to_thread.run_sync(self.uploads.create, medium.media_id, content_type.name, total_bytes)
        return medium.media_id, token

    async def delete(self, company_id: int, media_id: UUID) -> StoredMedium:
        """Delete a medium and its files; what works on it stops. Returns it as it was, but for `deleted_at`."""
        medium = await to_thread.run_sync(self.media.delete, company_id, media_id)
        if medium is None:
            raise no_such_medium()
        await to_thread.run_sync(self.folder.discard, media_id)
        return medium

    async def add_job(self, medium: StoredMedium, kind: JobKind, **parts: Any) -> int | None:
        """Add a job as `Jobs.add` does, and wake a worker for it; None: the medium has one of this kind already."""
        # to decode a video, to run a model over it, or to score hundreds of areas takes long; all else is done in a
        # moment, and of several workers one is kept free for it
        films = medium.kind != "image" and kind in ("predict", "detect")
        lane: Lane = "long" if films or len(parts.get("payload", {}).get("aois", ())) > _MANY_AOIS else "short"
        job_id = await to_thread.run_sync(lambda: self.jobs.add(medium.media_id, kind, lane, **parts))
        if job_id is not None:
            self.wake()
        return job_id

    async def finished(self, job_id: int) -> bool:
        """Wait for a job; False: it takes longer than requests wait, and goes on.

        Raises RefusedError, WorkFailedError, UnavailableError: what the job failed of.
        Raises NotFoundError: its medium was deleted.
        """
        began = time.monotonic()
        while (result := self.jobs.result(job_id)).state in ("waiting", "running"):
            waited_s = time.monotonic() - began
            if self.stopping or waited_s > self.settings.answer_within_s:
                return False
            await asyncio.sleep(min(_LOOK_LATER_S, max(_LOOK_EVERY_S, waited_s / 20)))
        if result.state == "failed":
            raise _failure(result)
        if result.state == "cancelled":
            raise no_such_medium()
        return True

    async def do(self, medium: StoredMedium, kind: JobKind, **parts: Any) -> bool:
        """Add a job and wait for it; False: it goes on, or the medium has one of this kind already."""
        job_id = await self.add_job(medium, kind, **parts)
        return job_id is not None and await self.finished(job_id)

    async def rated(self, medium: StoredMedium, what: str) -> StoredMedium:
        """Wait until a medium is rated for its latest objectives, and return it.

        Raises NotPredictedError: its rating takes longer than requests wait.
        """
        job_id = self.jobs.rating(medium.media_id)
        if job_id is None:
            return medium
        if not await self.finished(job_id):
            raise NotPredictedError(f"{what} are being made again")
        return self.medium(medium.company_id, medium.media_id)

    async def answer(self, medium: StoredMedium, name: str) -> dict[str, Any]:
        """Read an answer file that a worker wrote into the medium's current run.

        A run that is replaced meanwhile stays for minutes (`mediaan.server.service.sweep`): its files are there.
        """
        file = self.folder.run(medium.media_id, require_prediction(medium)) / "answers" / f"{name}.json"
        content: dict[str, Any] = json.loads(await to_thread.run_sync(file.read_bytes))
        return content


def require_prediction(medium: StoredMedium) -> str:
    """Return the run that holds the medium's results, also while a later prediction runs, or if it failed.

    Raises NotPredictedError: the medium was never predicted.
    """
    if medium.run is None:
        raise NotPredictedError("Media is not predicted")
    return medium.run


def _failure(result: JobResult) -> ServiceError:
    """Return the error of a failed job: something is missing here, the program failed, or the medium is at fault."""
    message = result.error or "The analysis failed; the server's log has the cause"
    if result.error_code == "setup":
        return UnavailableError(message)
    if result.error_code in ("internal", "analysis", "worker_died", None):
        return WorkFailedError(message)
    return RefusedError(message)
