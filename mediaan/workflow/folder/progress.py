"""Tell people at a terminal or notebook how far an analysis is, and take their interrupts."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Any, NoReturn, Self, TextIO

from tqdm import tqdm

from mediaan.analysis import AnalysisProgress, TaskResult
from mediaan.media import MediaFile
from mediaan.types.glossary import media_count
from mediaan.types.result import Failed

_DEFAULTS = (signal.SIG_DFL, signal.default_int_handler)


class Interrupted(KeyboardInterrupt):
    """A run was stopped; what was done is kept, and the same call goes on.

    `message`: for people.
    `kept`: media that are done and kept; None where it stopped at once, and did not count.
    """

    def __init__(self, message: str, kept: int | None = None) -> None:
        super().__init__(message)
        self.message, self.kept = message, kept

    @classmethod
    def after(cls, kept: int) -> Interrupted:
        """Return the interrupt for a run that kept so many media."""
        media = f"{media_count(kept)} {'is' if kept == 1 else 'are'}"
        return cls(f"{media} done and kept; run the same command to continue", kept)


class Interrupts:
    """Within it, SIGINT and SIGTERM raise `Interrupted`, but for where the first of them is held back.

    Handlers of others are left alone, and threads other than the main one, which get no signals, see none of this.

    `asked`: whether a signal came that was held back.
    """

    def __init__(self) -> None:
        self.asked = False
        self._holds_back = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            names = [name for name in ("SIGINT", "SIGTERM", "SIGBREAK") if hasattr(signal, name)]
            for number in (getattr(signal, name) for name in names):
                if signal.getsignal(number) in _DEFAULTS:
                    self._before[number] = signal.signal(number, self._receive)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    @property
    def stop(self) -> Callable[[], bool]:
        """Callable that returns whether to begin nothing new."""
        return lambda: self.asked

    @contextmanager
    def held_back(self) -> Iterator[None]:
        """Let the first signal only be noted, while work is under way that is to be finished."""
        self._holds_back = True
        try:
            yield
        finally:
            self._holds_back = False

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._holds_back and not self.asked:
            self.asked = True
            return
        raise Interrupted("what was done is kept; run the same command to continue")


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

    def __exit__(self, *error: object) -> None:
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
