"""Files that commands write, looked at before the work whose results they shall hold."""

from __future__ import annotations

from pathlib import Path

from mediaan.errors import UsageError


def check_output(option: str, target: Path | None, *suffixes: str) -> None:
    """Refuse a file that could not be kept, or that does not say what it is; None is no file.

    Parameters
    ----------
    option : str
        That named it, such as ``--out``.
    target : Path or None
    suffixes : str
        What its name may end in, such as ``.csv``; none: anything.

    Raises
    ------
    UsageError
        With code ``bad_out``.
    """
    if target is None:
        return
    if suffixes and target.suffix.lower() not in suffixes:
        raise UsageError(f"{option} {target}: end its name in {' or '.join(suffixes)}", code="bad_out")
    if not target.absolute().parent.is_dir():
        raise UsageError(
            f"{option} {target} cannot be written: the folder {target.parent} does not exist; make it first",
            code="bad_out",
        )
