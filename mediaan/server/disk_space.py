"""What clients hear when the server's disk is full."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from mediaan.server.request_error import RequestError

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


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
        if error.errno not in _FULL:
            raise
        message = f"The server has no room for the file ({error.strerror}); {kept}, try again later"
        raise RequestError(507, message) from error
