"""Media and jobs put into a server's store, without HTTP."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

import pandas as pd

from mediaan.run import Run, read_run
from mediaan.server.service.jobs import JobKind, JobResult, Lane
from mediaan.server.service.media import Kind, StoredMedium
from mediaan.server.service.service import Service
from mediaan.server.service.worker import JobWorker
from mediaan.server.settings import ServerSettings

_TYPES = {".png": "image/png", ".jpg": "image/jpeg", ".mp4": "video/mp4", ".gif": "image/gif", ".webp": "image/webp"}
_OF_THE_MOMENT = {"media": ["created_at", "seconds"]}


class JobStore:
    """One company's media."""

    def __init__(self, settings: ServerSettings) -> None:
        self.settings = settings
        self.service: Service = Service(settings)
        company = self.service.keys.company(self.service.keys.create("store"))
        self.company_id = company.company_id

    def bring(self, kind: Kind, path: Path) -> UUID:
        """A medium whose file has been uploaded."""
        medium = self.service.media.add(self.company_id, kind, path.name, _TYPES[path.suffix], path.stat().st_size)
        source = self.service.folder.source(medium.media_id, path.name)
        source.parent.mkdir(parents=True)
        shutil.copy(path, source)
        self.service.media.has_file(medium.media_id, path.name)
        return medium.media_id

    def ask(
        self,
        media_id: UUID,
        kind: JobKind,
        payload: Mapping[str, Any] | None = None,
        objectives: Mapping[str, Any] | None = None,
    ) -> int | None:
        """Add a job, and tell the workers."""
        moves = self.medium(media_id).type == "video" and kind in ("predict", "detect")
        lane: Lane = "long" if moves else "short"
        job_id = self.service.jobs.add(media_id, kind, lane, payload, objectives)
        self.service.wake()
        return job_id

    def wait(self, job_id: int | None, timeout_s: float = 240.0) -> JobResult:
        """How a job ended."""
        assert job_id is not None
        until = time.monotonic() + timeout_s
        while time.monotonic() < until:
            result = self.service.jobs.result(job_id)
            if result.state not in ("waiting", "running"):
                return result
            time.sleep(0.02)
        raise AssertionError(f"job {job_id} is still {result.state} after {timeout_s} s")

    def medium(self, media_id: UUID) -> StoredMedium:
        """A medium as it is now."""
        found = self.service.media.get(media_id)
        assert found
        return found

    def run(self, media_id: UUID) -> Run:
        """The run that holds a medium's results."""
        medium = self.medium(media_id)
        assert medium.run
        return read_run(self.service.folder.run(media_id, medium.run))

    def answer(self, media_id: UUID, name: str) -> Any:
        """What workers left for the server."""
        return json.loads((self.run(media_id).path / "answers" / f"{name}.json").read_bytes())

    def job(self, job_id: int | None) -> dict[str, Any]:
        """A row of the table of jobs."""
        query = "SELECT * FROM jobs WHERE job_id = ?"
        return dict(self.service.database.connection.execute(query, (job_id,)).fetchone())

    def close(self) -> None:
        """Close the database."""
        self.service.database.close()


class WorkedJobStore(JobStore):
    """A store with a worker in this very process."""

    def __init__(self, settings: ServerSettings) -> None:
        super().__init__(settings)
        self.worker = JobWorker("here", ("short", "long"), settings, self.service.database)

    def do(
        self,
        media_id: UUID,
        kind: JobKind,
        payload: Mapping[str, Any] | None = None,
        objectives: Mapping[str, Any] | None = None,
    ) -> JobResult:
        """Add a job and do it."""
        job_id = self.ask(media_id, kind, payload, objectives)
        assert self.worker.work_once()
        assert not self.worker.work_once()
        return self.wait(job_id, 0.1)

    def predicted(self, path: Path) -> UUID:
        """A picture that has been predicted."""
        media_id = self.bring("image", path)
        assert self.do(media_id, "predict").state == "done"
        return media_id

    def runs(self, media_id: UUID) -> set[str]:
        """Names of all run directories of a medium."""
        folder = self.service.folder.run(media_id, "x").parent
        return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def assert_same_run(one: Run, other: Run) -> None:
    """All tables, but for when and how fast they were made."""
    for name in ("media", "metrics", "drivers", "frames", "scenes", "aois", "aoi_scores", "benchmark_ranges", "maps"):
        left, right = (run.table(name).drop(columns=_OF_THE_MOMENT.get(name, [])) for run in (one, other))
        pd.testing.assert_frame_equal(left, right, obj=name)


def until(true: Callable[[], object], timeout_s: float = 240.0) -> None:
    """Wait until something is true."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() < began + timeout_s, "waited in vain"
        time.sleep(0.02)


def children(pid: int) -> list[int]:
    """Processes that a process has started, and those that they have."""
    files = Path(f"/proc/{pid}/task").glob("*/children")
    started = [int(child) for file in files for child in file.read_text().split()]
    return [*started, *(grandchild for child in started for grandchild in children(child))]


def lives(pid: int) -> bool:
    """Whether a process is there and is no zombie."""
    try:
        os.kill(pid, 0)
        return "(zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False
