"""Handle Ctrl-C and the signal of `docker stop`: the first stops in an orderly way, the second at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

from mediaan.types.glossary import media_count

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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
