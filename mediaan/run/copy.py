"""A run directory twice, so that one can change while the other is read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from mediaan.run.files import disk_errors

_LINKED = "maps"
"""Large, and never written in place: a change puts a new file there."""


def copy_run(run_dir: Path, target: Path, *, without: Collection[str] = ()) -> None:
    """Copy a run; maps and densities are shared by hard links, as far as the file system can.

    Parameters
    ----------
    run_dir : Path
    target : Path
        Must not exist.
    without : collection of str
        What is left out of the top folder, such as what will be made again.

    Raises
    ------
    SetupError
        The disk is full or may not be written to.
    """

    def left_out(folder: str, names: list[str]) -> Collection[str]:
        return {_LINKED, *without} if Path(folder) == run_dir else ()

    with disk_errors(target):
        shutil.copytree(run_dir, target, ignore=left_out)
        if (run_dir / _LINKED).is_dir():
            shutil.copytree(run_dir / _LINKED, target / _LINKED, copy_function=link_or_copy)


def link_or_copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Let a file have a second name; where the file system knows no such thing, a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
