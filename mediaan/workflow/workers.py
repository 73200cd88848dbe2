"""How many processes a piece of work is worth."""

from __future__ import annotations

import os

SERIAL_BELOW = 6
"""Files: starting processes costs more than they save."""


def worker_count(wanted: int | None, files: int) -> int:
    """Number of processes; 0 means this one.

    Parameters
    ----------
    wanted : int or None
        As the user said; 1 is this process, None is one per core, and none at all for a handful of files.
    files : int
    """
    if wanted is not None:
        return 0 if wanted == 1 else min(wanted, files)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return 0 if files < SERIAL_BELOW else min(cores, files)
