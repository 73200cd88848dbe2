"""Progress of an analysis: a bar on a terminal or in a notebook, silence elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, NoReturn, Self, TextIO

from tqdm import tqdm

from mediaan.analysis import AnalysisProgress, TaskResult
from mediaan.media import MediaFile
from mediaan.types.result import Failed

_KNOWN_AT_ONCE = 100
# Bytes predict time better than files: a second of 1080p and an image of the same size take about as long.
_FORMAT = "{percentage:3.0f}%|{bar}| {desc}[{elapsed}<{remaining}{postfix}]"


class ProgressBar:
    """Counts media as they finish, shows how far videos are, and names those that failed.

    `quiet`: say nothing at all.
    `file` (text stream): where the bar is shown, whatever that is; by default stderr, where that is a terminal.
    """

    def __init__(self, *, quiet: bool = False, file: TextIO | None = None) -> None:
        self._quiet = quiet
        self._file = file or sys.stderr
        self.shows = not quiet and (file is not None or sys.stderr.isatty())
        """Whether there is anything to show a bar on."""
        self._bar: tqdm[NoReturn] | None = None
        self._sizes: dict[str, int] = {}
        self._finished = self._failed = self._finished_bytes = self._total_bytes = 0
        self._under_way: dict[str, AnalysisProgress] = {}
        self._reasons: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._draw()
            self._bar.close()

    @property
    def callables(self) -> Mapping[str, Any]:
        """What `analyze_folder` is to call, by the names of its arguments."""
        return {
            "on_start": lambda listing: self.start(listing.files),
            "on_progress": self.advance,
            "on_report": self.step,
            "on_known": self.know,
        }

    def start(self, files: Sequence[MediaFile]) -> None:
        """Show the bar for these files."""
        self._sizes = {file.display_path: max(1, file.size_bytes) for file in files}
        self._total_bytes = sum(self._sizes.values())
        self._bar = tqdm(
            total=self._total_bytes, bar_format=_FORMAT, dynamic_ncols=True, disable=not self.shows, file=self._file
        )
        self._draw()

    def advance(self, progress: AnalysisProgress) -> None:
        """Show how far a video has come."""
        self._under_way[progress.path] = progress
        self._draw()

    def step(self, report: TaskResult) -> None:
        """Count a file that is finished."""
        self._under_way.pop(report.outcome.path, None)
        self._finished += 1
        self._finished_bytes += self._sizes.get(report.outcome.path, 0)
        if isinstance(report.outcome, Failed):
            self._failed += 1
            reason = report.outcome.message
            if not self._quiet and reason not in self._reasons:  # a page fails alike on each screen
                tqdm.write(f"failed: {reason}", file=self._file)
            self._reasons.add(reason)
        self._draw()

    def know(self, path: str) -> None:
        """Count a file that needs no analysis."""
        self._finished += 1
        self._finished_bytes += self._sizes.get(path, 0)
        if self._finished % _KNOWN_AT_ONCE == 0:
            self._draw()

    def _draw(self) -> None:
        if self._bar is None:
            return
        parts = sum(share_done(p) * self._sizes.get(p.path, 0) for p in self._under_way.values())
        self._bar.n = min(self._total_bytes, self._finished_bytes + parts)
        self._bar.set_description_str(f"{self._finished}/{len(self._sizes)} files ", refresh=False)
        notes = [f"{self._failed} failed"] if self._failed else []
        self._bar.set_postfix_str(", ".join([*notes, *map(place, self._under_way.values())]), refresh=False)
        self._bar.refresh()


def in_notebook() -> bool:
    """Return whether a notebook runs this program, of which IPython holds the kernel."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def share_done(progress: AnalysisProgress) -> float:
    """Return the share of a medium that is done, 0-1; 0 where its length is not known."""
    return min(1.0, progress.done_s / progress.duration_s) if progress.duration_s else 0.0


def place(progress: AnalysisProgress) -> str:
    """Say how far a video is, for people.

    >>> place(AnalysisProgress("ads/spot.mp4", 83.2, 600.0))
    'spot.mp4 1:23 of 10:00'
    """
    of = f" of {_clock(progress.duration_s)}" if progress.duration_s else ""
    return f"{progress.path.rsplit('/', 1)[-1]} {_clock(progress.done_s)}{of}"


def _clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02d}"
