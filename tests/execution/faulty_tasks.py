"""Tasks for workers in the tests: square numbers, and everything that can go wrong with a file."""

from __future__ import annotations

import ctypes
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mediaan.errors import SetupError

MIB = 1 << 20
_SEND: list[Callable[[object], None]] = []


class ProcessLocal:
    """Cannot be pickled, as a lock cannot."""

    def __reduce__(self) -> tuple[object, ...]:
        raise ValueError("this belongs to one process")


class FussyError(Exception):
    """Can be pickled, but not unpickled: its arguments are not those of its class."""

    def __init__(self, one: str, other: str) -> None:
        super().__init__(f"{one} and {other}")


def remember_sender(send: Callable[[object], None]) -> None:
    _SEND.append(send)


def square(n: int) -> int:
    return n * n


def slowly(n: int) -> int:
    time.sleep(0.05)
    return n * n


def own_id(n: int) -> int:
    return os.getpid()


def do(task: Any) -> Any:
    """A number is squared; a word, or a pair of a word and something, says what goes wrong."""
    if isinstance(task, int):
        return task * task
    word, *rest = (task,) if isinstance(task, str) else task
    return FAULTS[word](*rest)


def _signal_self(number: int) -> None:
    os.kill(os.getpid(), number)
    time.sleep(60)


def _segfault() -> None:
    ctypes.string_at(0)


def _hog(mib: int) -> str:
    """Take memory, 32 MiB at a time."""
    held = [os.urandom(MIB) * 32 for _ in range(mib // 32)]
    return f"held {len(held) * 32} MiB"


def _gulp(mib: int) -> str:
    """Take memory at once."""
    return f"held {len(b'x' * (mib * MIB))}"


def _spin() -> None:
    """Never end, and let no other thread of this process run: as a decoder that hangs and holds the interpreter."""
    sum(itertools.repeat(1))


def _refuse() -> None:
    raise SetupError("no model on seventh", code="model_missing")


def _raise_fussy() -> None:
    raise FussyError("this", "that")


def _nap(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def _mutter(seconds: float) -> float:
    """Work long and say so."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        say(("alive", os.getpid()))
        time.sleep(0.1)
    return seconds


def _storm(count: int) -> int:
    for n in range(count):
        say(("storm", n))
    return count


def say(update: object) -> None:
    for send in _SEND:
        send(update)


def _log(path: str, n: int, seconds: float) -> int:
    """Write down when it begins and ends."""
    _append(path, f"begin {n} {time.time()} {os.getpid()}")
    time.sleep(seconds)
    _append(path, f"end {n} {time.time()} {os.getpid()}")
    return n * n


def _meet(path: str, n: int, word: str, count: int) -> int:
    """Begin, and end when so many have begun, or ended."""
    _append(path, f"begin {n} {time.time()} {os.getpid()}")
    until = time.monotonic() + 20
    while Path(path).read_text().count(word) < count and time.monotonic() < until:
        time.sleep(0.01)
    _append(path, f"end {n} {time.time()} {os.getpid()}")
    return n * n


def _append(path: str, line: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(descriptor, f"{line}\n".encode())
    os.close(descriptor)


def _die_at_first(path: str, times: int) -> str:
    """Kill the worker so many times, then succeed: memory that was short for a while."""
    _append(path, "tried")
    if len(Path(path).read_text().splitlines()) <= times:
        os.kill(os.getpid(), signal.SIGKILL)
    return "done"


_GROWN: list[bytes] = []


def _grow(mib: int) -> tuple[int, int]:
    """Keep memory after the item is done, as caches do."""
    _GROWN.append(os.urandom(MIB) * mib)
    return os.getpid(), len(_GROWN)


def _orphan(path: str, stuck: bool) -> None:
    """Leave a word when the parent has gone."""
    from mediaan.execution.child_process import on_orphaned

    on_orphaned(lambda: _append(path, f"orphaned {os.getpid()}"))
    _append(path, f"begin {os.getpid()}")
    if stuck:
        threading.Event().wait(0.5)
        _spin()
    time.sleep(60)


FAULTS: dict[str, Callable[..., Any]] = {
    "kill": lambda *_: _signal_self(signal.SIGKILL),
    "segfault": _segfault,
    "abort": os.abort,
    "stop": lambda: _signal_self(signal.SIGSTOP),
    "exit": os._exit,
    "leave": sys.exit,
    "hog": _hog,
    "gulp": _gulp,
    "hang": lambda: _nap(60),
    "spin": _spin,
    "refuse": _refuse,
    "fuss": _raise_fussy,
    "lock": ProcessLocal,
    "nap": _nap,
    "meet": _meet,
    "mutter": _mutter,
    "storm": _storm,
    "log": _log,
    "die at first": _die_at_first,
    "grow": _grow,
    "orphan": _orphan,
    "pid": os.getpid,
    "echo": lambda value: value,
}
