"""A run directory twice, so that one can change while the other is read."""

from __future__ import annotations

import os
import shutil
from collections.abc import Collection
from pathlib import Path

from mediaan.run.attempts import ATTEMPTS_FILE
from mediaan.run.files import disk_errors
from mediaan.run.lock import LOCK_FILE
from mediaan.run.opening import SCRATCH_FOLDER

_LINKED = ("maps", "parts", "edits")
"""Many or large, and never written in place: a change puts a new file there."""
_OF_A_SESSION = (LOCK_FILE, ATTEMPTS_FILE, SCRATCH_FOLDER)
"""Says who is at work, and what died: the copy has no part in that."""


def copy_run(run_dir: Path, target: Path, *, without: Collection[str] = ()) -> None:
    """Copy a run; maps, parts and edits are shared by hard links, as far as the file system can.

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
        return {*_LINKED, *_OF_A_SESSION, *without} if Path(folder) == run_dir else ()

    with disk_errors(target):
        shutil.copytree(run_dir, target, ignore=left_out)
        for name in _LINKED:
            if (run_dir / name).is_dir():
                shutil.copytree(run_dir / name, target / name, copy_function=link_or_copy)


def link_or_copy(source: str | os.PathLike[str], target: str | os.PathLike[str]) -> None:
    """Let a file have a second name; where the file system knows no such thing, a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
