"""The ledger of attempts: which media took a worker with them, or may have, over all sessions of a run."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from mediaan.run.files import disk_errors

ATTEMPTS_FILE = "attempts.jsonl"

DIED, LEFT, CLEARED = "died", "left", "cleared"


class AttemptLog:
    """Deaths by key of a part. Lines are only added; one that was cut off is passed over.

    Parameters
    ----------
    run_dir : Path
    """

    def __init__(self, run_dir: Path) -> None:
        self._file = run_dir / ATTEMPTS_FILE
        self._died: Counter[str] = Counter()
        self._left: set[str] = set()
        for text in self._file.read_bytes().splitlines() if self._file.is_file() else ():
            try:
                line = json.loads(text)
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
