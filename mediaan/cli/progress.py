"""Progress on stderr: a bar on a terminal, silence elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import NoReturn

from tqdm import tqdm

from mediaan.analysis import Report
from mediaan.types.result import Failed


class ProgressBar:
    """Counts media as they finish, and names those that failed.

    Parameters
    ----------
    quiet : bool
        Say nothing at all.
    """

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._bar: tqdm[NoReturn] | None = None
        self._failed = 0

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def start(self, total: int) -> None:
        """Show the bar for so many files."""
        hidden = self._quiet or not sys.stderr.isatty()
        self._bar = tqdm(total=total, unit="file", dynamic_ncols=True, disable=hidden, file=sys.stderr)

    def step(self, report: Report) -> None:
        """One file is finished."""
        if self._bar is None:
            return
        if isinstance(report.outcome, Failed):
            self._failed += 1
            if not self._quiet:
                tqdm.write(f"failed: {report.outcome.message}", file=sys.stderr)
            self._bar.set_postfix(failed=self._failed, refresh=False)
        self._bar.update()
