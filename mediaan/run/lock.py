"""Lock a run, so that only one process writes it; a lock ends with its process."""

from __future__ import annotations

import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from mediaan.errors import SetupError, UsageError
from mediaan.run.files import disk_errors, make_folder, read_json

LOCK_FILE = "run.lock"
"""Stays when the run is over: a lock on a file that is removed holds off nobody."""

_held: ContextVar[frozenset[Path]] = ContextVar("runs that are held here", default=frozenset())


@contextmanager
def hold_run(run_dir: Path) -> Iterator[None]:
    """Lock a run for writing; whoever holds it already may hold it again.

    `run_dir`: made if absent.
    Raises UsageError: ``run_locked``: someone else holds it, who is named. ``bad_out``: the folder cannot be made.
    Raises SetupError: ``cannot_write``: the lock cannot be written. ``no_locks``: the file system knows no locks.
    """
    folder = run_dir.resolve()
    if folder in _held.get():
        yield
        return
    make_folder(run_dir)
    with disk_errors(run_dir / LOCK_FILE):
        descriptor = take_lock(run_dir / LOCK_FILE)
    if descriptor is None:
        holder = latest_holder(run_dir) or "another process"
        raise UsageError(
            f"{run_dir}: {holder} is writing it; wait until that has ended, or give another folder", code="run_locked"
        )
    token = _held.set(_held.get() | {folder})
    try:
        with disk_errors(run_dir / LOCK_FILE):
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, 0, os.SEEK_SET)
            owner = {"pid": os.getpid(), "host": socket.gethostname()}  # for whoever is refused
            os.write(descriptor, (json.dumps(owner) + "\n").encode())
        yield
    finally:
        _held.reset(token)
        os.close(descriptor)


def take_lock(path: Path, *, make: bool = True) -> int | None:
    """Lock a file; the descriptor holds the lock until it is closed, or its process ends.

    `make`: whether the file is made if absent.
    Returns: None where someone else holds it.
    Raises OSError: the file cannot be opened.
    Raises SetupError: ``no_locks``: the file system knows no locks.
    """
    flags = os.O_RDWR | (os.O_CREAT if make else 0)
    descriptor = os.open(path, flags | getattr(os, "O_NOFOLLOW", 0), 0o666)
    try:
        if _is_locked(descriptor):
            return descriptor
    except OSError as error:
        os.close(descriptor)
        message = f"{path.parent}: its file system has no locks ({error.strerror}); use an --out on another disk"
        raise SetupError(message, code="no_locks") from error
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # what is locked cannot be read by others there, and the content must stay readable

    def _is_locked(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _is_locked(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except (BlockingIOError, PermissionError):
            return False
        return True


def latest_holder(run_dir: Path) -> str | None:
    """Return who holds a run, or did last; None where that is not known."""
    try:
        holder = read_json(run_dir / LOCK_FILE)
        return f"process {holder['pid']} on {holder['host']}"
    except (OSError, ValueError, LookupError, TypeError):
        return None
