"""Run directories that a newer one has replaced: kept until those who were reading them are done."""

from __future__ import annotations

import shutil
import time
from collections import deque
from pathlib import Path

from mediaan.server.storage.folder import DataFolder
from mediaan.server.storage.media import StoredMedium

KEEP_S = 120.0
"""A request that looked up the run just before it was replaced opens its files within this time."""
_MARK = ".replaced"
"""Lies in a run directory since it was replaced."""


class OldRuns:
    """Removes run directories in time.

    Parameters
    ----------
    folder : DataFolder
    keep_s : float
        How long one stays after it was replaced, s.
    """

    def __init__(self, folder: DataFolder, keep_s: float = KEEP_S) -> None:
        self._folder, self._keep_s = folder, keep_s
        self._waiting: deque[tuple[float, Path]] = deque()

    def replaced(self, medium: StoredMedium) -> None:
        """The run that a medium had has been replaced."""
        if medium.run is None:
            return
        run = self._folder.run(medium.media_id, medium.run)
        if run.is_dir():
            (run / _MARK).touch()
            self._waiting.append((time.monotonic() + self._keep_s, run))

    def remove_expired(self) -> None:
        """Remove those that this worker saw replaced long enough ago."""
        while self._waiting and self._waiting[0][0] <= time.monotonic():
            self.remove(self._waiting.popleft()[1])

    def clear(self, medium: StoredMedium) -> None:
        """Remove what is in the way of a medium's next run: what dead workers left, and what is old enough."""
        runs = self._folder.run(medium.media_id, "x").parent
        for run in runs.iterdir() if runs.is_dir() else ():
            if run.name != medium.run and not self._lasts(run):
                self.remove(run)

    def remove(self, run: Path) -> None:
        """Remove a run directory, as far as it is there."""
        shutil.rmtree(run, ignore_errors=True)

    def _lasts(self, run: Path) -> bool:
        try:
            return time.time() - (run / _MARK).stat().st_mtime < self._keep_s
        except FileNotFoundError:
            return False
