"""Log which media are under way and which took their worker with them, so that the next session tries these alone."""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from mediaan.analysis import MediumTask
from mediaan.errors import UsageError
from mediaan.run.directory import ATTEMPTS_FILE, take_lock
from mediaan.run.files import disk_errors, parse_json, part_key

DIED, LEFT, CLEARED = "died", "left", "cleared"


class CrashLog:
    """Deaths by key of a part. Lines are only added; one that was cut off is passed over."""

    def __init__(self, run_dir: Path) -> None:
        self._file = run_dir / ATTEMPTS_FILE
        self._died: Counter[str] = Counter()
        self._left: set[str] = set()
        for text in self._file.read_bytes().splitlines() if self._file.is_file() else ():
            try:
                line = parse_json(text)
            except ValueError:  # cut off by a full disk or the loss of power
                continue
            if isinstance(line, dict):
                self._take(line.get("event"), line.get("key"))

    def deaths(self, key: str) -> int:
        """Return how many workers died on a medium.

        Where a whole run died while the medium was looked at, however often, that is one: nobody saw which of those
        under way it was, or whether it was any.
        """
        return self._died[key] + (key in self._left)

    def died(self, key: str, path: str, reason: str) -> None:
        """Note that a worker died over a medium; someone saw it, and what it was at."""
        self._add(DIED, key, path=path, reason=reason)

    def left(self, key: str) -> None:
        """Note that a medium was under way when everything died."""
        if key not in self._left:
            self._add(LEFT, key)

    def clear(self, key: str) -> None:
        """Forget what is known of a medium."""
        if self.deaths(key):
            self._add(CLEARED, key)

    def _add(self, event: str, key: str, **more: str) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        line = json.dumps({"event": event, "key": key, **more, "at": at}) + "\n"
        with disk_errors(self._file), self._file.open("a+b") as file:
            before = self._file.read_bytes()
            if before and not before.endswith(b"\n"):  # cut off
                line = f"\n{line}"
            file.write(line.encode())
        self._take(event, key)

    def _take(self, event: object, key: object) -> None:
        if not isinstance(key, str):
            return
        if event == DIED:
            self._died[key] += 1
        elif event == LEFT:
            self._left.add(key)
        elif event == CLEARED:
            self._left.discard(key)
            del self._died[key]


_PATIENCE_S = 15.0
"""Workers that lost their parent end within two seconds; one that hangs in native code after ten."""
_LOOK_EVERY_S = 0.05

_held: set[Path] = set()
"""Claims of this process."""

WhenOrphaned = Callable[[Callable[[], None]], None]
"""Picklable; has something done in this process when its parent has gone."""


@dataclass(frozen=True, slots=True)
class Claims:
    """The claims on media of a run; picklable.

    `folder`: where they lie.
    `when_orphaned`: how a worker learns that its parent was killed: then it is no witness against its medium.
    """

    folder: Path
    recipe_id: str
    when_orphaned: WhenOrphaned | None = None

    @contextmanager
    def __call__(self, task: MediumTask) -> Iterator[None]:
        """Claim a medium while it is looked at.

        Raises SetupError: the disk is full or may not be written to.
        """
        if self.when_orphaned is not None:
            _register(self.when_orphaned)
        path = self.folder / f"{_boot_id()}.{self.key(task)}"
        with disk_errors(path):
            self.folder.mkdir(parents=True, exist_ok=True)
            descriptor = take_lock(path)
        _held.add(path)
        try:
            yield
        finally:
            _held.discard(path)
            _end(path, descriptor)

    def key(self, task: MediumTask) -> str:
        """Return the key of a medium in the log: that of its part, as far as its content is known before it is read."""
        identity = f"path {task.file.display_path}" if task.medium_id is None else str(task.medium_id)
        return part_key(self.recipe_id, identity, task.options_id)

    def left_over(self) -> list[str]:
        """Return the keys of media that were under way when the run died as a whole.

        Those of before the machine was started last do not count: whatever stopped it, no file did. Workers that lost
        their parent a moment ago are waited for.

        Raises UsageError: ``run_locked``: workers of an earlier run are still at work.
        """
        until = time.monotonic() + _PATIENCE_S
        keys = []
        for path in sorted(self.folder.glob("*.*")) if self.folder.is_dir() else ():
            try:
                while (descriptor := take_lock(path, make=False)) is None:
                    if time.monotonic() > until:
                        raise UsageError(
                            f"{self.folder.parent.parent}: workers of an earlier run are still at work there; wait "
                            "until they have ended, or end them",
                            code="run_locked",
                        )
                    time.sleep(_LOOK_EVERY_S)
            except FileNotFoundError:  # its worker ended it
                continue
            is_there = os.fstat(descriptor).st_nlink > 0
            os.close(descriptor)
            if is_there and path.stem == _boot_id():
                keys.append(path.suffix[1:])
        return keys


def _end(path: Path, descriptor: int | None) -> None:
    """Remove a claim while it is held: one that is free and still there would be left over from a death."""
    with contextlib.suppress(PermissionError):  # Windows removes no file that is open
        path.unlink(missing_ok=True)
    if descriptor is not None:
        os.close(descriptor)
    path.unlink(missing_ok=True)


@cache
def _register(when_orphaned: WhenOrphaned) -> None:
    """Have the claims of this process withdrawn when its parent has gone; once in a process."""

    def withdraw() -> None:
        for path in tuple(_held):
            path.unlink(missing_ok=True)

    when_orphaned(withdraw)


@cache
def _boot_id() -> str:
    """Return an id that changes when the machine starts."""
    with contextlib.suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    import psutil

    return f"{round(psutil.boot_time() / 60)}"
