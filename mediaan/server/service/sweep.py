"""Remove files that nobody needs any more: replaced runs, and what crashes, deletions and broken uploads left."""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from mediaan.server.service.folder import DataFolder
from mediaan.server.service.media import StoredMedium
from mediaan.server.settings import LONGEST_LINK_S

if TYPE_CHECKING:
    from mediaan.server.service.service import Service  # a worker loads none of it

KEEP_S = LONGEST_LINK_S + 60.0
"""Links to a run that were handed out just before it was replaced are valid for this long, plus a margin."""
MOST_KEPT = 8
"""Replaced runs kept for one medium; the oldest of a medium that is edited very often go early."""
REPLACED = ".replaced"
"""Marks a run directory that a newer one has replaced."""
QUIET_S = 3600.0
"""An incomplete file without a write for this long is abandoned; bodies of requests may pause much shorter."""


def sweep(service: Service) -> None:
    """Remove what is left over when a server starts.

    That is: uploads that nobody can resume, whole ones included; pictures that no client knows of, since the request
    that brought them never came to its prediction; folders of media that were deleted, or that the database does not
    know; and run directories that are not the current one of their medium, unless a worker that has outlived its server
    by a moment may still be writing one.
    """
    sweep_uploads(service, quiet_s=0.0)
    for media_id in service.media.unanswered():
        service.media.withdraw(media_id)
    awaited = service.media.awaited(service.settings.upload_lifetime_s)
    for folder in _entries(service.folder.path / "media"):
        if folder.is_dir() and folder.stat().st_mode & 0o077:  # as earlier versions made them
            folder.chmod(0o700)
        runs = list(_entries(folder / "runs"))
        # asked after looking: a run that lay there and is neither current nor being written from here on is nobody's
        busy = service.jobs.busy()
        try:
            medium = service.media.get(UUID(folder.name))
        except ValueError:  # it is no id
            medium = None
        if medium is None:
            _remove(folder)
        elif medium.file is None and medium.media_id not in awaited:
            _remove(folder / "source")  # came whole just before a kill, and its upload has taken too long since
        elif medium.media_id not in busy:
            for run in runs:
                if run.name != medium.run:
                    _remove(run)


def sweep_runs(service: Service, keep_s: float = KEEP_S) -> None:
    """Remove run directories that were replaced longer ago, in case that their workers died."""
    before = time.time() - keep_s
    for folder in _entries(service.folder.path / "media"):
        for run in _entries(folder / "runs"):
            mark = run / REPLACED
            if mark.exists() and _written(mark) < before:
                _remove(run)


def sweep_uploads(service: Service, quiet_s: float = QUIET_S) -> None:
    """Remove files under way whose upload has taken too long, has ended, or was called off.

    The medium of an upload that took too long stays, with the status `init`, until it is deleted.

    `quiet_s`: files that were written to within so many seconds stay; 0 only where nobody can be writing.
    """
    before = time.time() - quiet_s
    # listed before the database is asked: what is announced from here on is not among them
    quiet = [file for file in _entries(service.folder.incoming) if _written(file) < before]
    awaited = service.media.awaited(service.settings.upload_lifetime_s)
    resumable = {service.folder.upload(media_id) for media_id in awaited}
    for file in quiet:
        if file not in resumable:
            _remove(file)


class ReplacedRuns:
    """Run directories that a newer one has replaced, each kept for `KEEP_S`: somebody may be reading it."""

    def __init__(self, folder: DataFolder) -> None:
        self._folder = folder
        self._waiting: deque[tuple[float, Path]] = deque()

    def add(self, medium: StoredMedium) -> None:
        """Note that the run which a medium had was replaced."""
        if medium.run is None:
            return
        run = self._folder.run(medium.media_id, medium.run)
        if run.is_dir():
            (run / REPLACED).touch()
            self._waiting.append((time.monotonic() + KEEP_S, run))

    def remove_expired(self) -> None:
        """Remove those that this worker saw replaced long enough ago."""
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            shutil.rmtree(self._waiting.popleft()[1], ignore_errors=True)

    def clear(self, medium: StoredMedium) -> None:
        """Remove runs of a medium that dead workers left, that are old enough, or too many."""
        kept: list[tuple[float, Path]] = []
        for run in _entries(self._folder.run(medium.media_id, "x").parent):
            mark = run / REPLACED
            if run.name == medium.run:
                continue
            if mark.exists() and time.time() - _written(mark) < KEEP_S:
                kept.append((_written(mark), run))
            else:
                _remove(run)
        for _, run in sorted(kept, reverse=True)[MOST_KEPT - 1 :]:  # the current one comes to them soon
            _remove(run)


def _entries(folder: Path) -> Iterator[Path]:
    yield from sorted(folder.iterdir()) if folder.is_dir() else ()


def _written(file: Path) -> float:
    """Return the time of the last write, s; now if the file has just been removed."""
    try:
        return file.stat().st_mtime
    except FileNotFoundError:
        return time.time()


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
