"""How much memory a worker may take: this machine's, or its container's, shared among the workers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_SHARE = 0.8
"""The rest is for the parent, the system and what a worker takes between two looks at it."""
_AT_LEAST = 3 * 2**29
"""1.5 GiB: models and a large picture need about half of it."""


def default_memory_limit(workers: int) -> int:
    """Resident memory that each of several workers may take, bytes.

    Parameters
    ----------
    workers : int
        On this machine, at least 1.

    Returns
    -------
    int
        Four fifths of the memory of this machine, or of the control group (container) that this process belongs to,
        over the workers; at least 1.5 GiB.
    """
    import psutil

    available: int = psutil.virtual_memory().total
    return max(_AT_LEAST, int(_SHARE * min([available, *control_group_limits()]) / workers))


def control_group_limits(
    groups: Path = Path("/proc/self/cgroup"), root: Path = Path("/sys/fs/cgroup")
) -> Iterator[int]:
    """Memory limits of the control groups of this process, bytes; none outside Linux, huge ones stand for no limit.

    Parameters
    ----------
    groups : Path
        Lines of ``number:controllers:path``, as the kernel gives them.
    root : Path
        Where the groups are mounted; in a container its own group is the root, whatever `groups` says.
    """
    try:
        lines = groups.read_text(encoding="utf-8").splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        base, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):  # the limit of a group holds for those in it
            limit = _number(base / group.relative_to("/") / name)
            if limit is not None:
                yield limit


def _number(file: Path) -> int | None:
    try:
        return int(file.read_text(encoding="ascii"))
    except (OSError, ValueError):  # not there, or "max"
        return None
