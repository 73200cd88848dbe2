"""What clients hear when the server's disk is full, whoever notices it first."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from mediaan.server.request_error import RequestError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_full_disk(error: BaseException | None) -> bool:
    """Whether an error comes of a full disk, a used-up quota or a limit on file sizes, at once or at last.

    Examples
    --------
    >>> is_full_disk(OSError(errno.ENOSPC, "No space left on device")), is_full_disk(OSError(errno.EACCES, "no"))
    (True, False)
    """
    if error is None:
        return False
    database = getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_FULL
    copy = isinstance(error, shutil.Error) and any(os.strerror(code) in str(error) for code in _FULL)
    file = isinstance(error, OSError) and error.errno in _FULL
    return database or copy or file or is_full_disk(error.__cause__)


@contextmanager
def full_disk_refused(kept: str = "what has come so far is kept") -> Iterator[None]:
    """Turn errors of a full disk, a used-up quota or a limit on file sizes into a refusal.

    Parameters
    ----------
    kept : str
        What becomes of the bytes that have come.

    Raises
    ------
    RequestError
        507.
    """
    try:
        yield
    except OSError as error:
        if not is_full_disk(error):
            raise
        message = f"The server has no room for the file ({error.strerror}); {kept}, try again later"
        raise RequestError(507, message) from error
