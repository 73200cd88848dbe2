"""Confine an assistant to the folders that its user named."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from mediaan.errors import UsageError, shorten
from mediaan.media import find_files


class SharedFolders:
    """Folders whose files may be read; what a link inside leads to outside of them is no part of them.

    Raises UsageError: ``bad_path``: none is given, or one is no folder.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"{folder}: is no folder; name folders whose files may be read", code="bad_path")
        if not folders:
            raise UsageError("name at least one folder whose files may be read", code="bad_path")
        self._folders = list(dict.fromkeys(folder.resolve() for folder in folders))

    def __str__(self) -> str:
        return ", ".join(map(str, self._folders))

    def file(self, path: str) -> Path:
        """Return the file that a path means: below one of the folders, or a whole path into one.

        Raises UsageError: ``not_shared``: there is no such file inside; whether there is one outside is not told.
        """
        for folder in self._folders:
            try:
                file = (folder / path).resolve()
                if file.is_file() and any(file.is_relative_to(shared) for shared in self._folders):
                    return file
            except (OSError, ValueError, RuntimeError):  # no name of a file, or a circle of links
                continue
        message = f"{shorten(path)}: there is no such file in {self}; the tool `files` lists what there is"
        raise UsageError(message, code="not_shared")

    def name(self, file: Path) -> str:
        """Return what a file is called: its path below its folder, which `file` understands, where it is that file."""
        folder = next(folder for folder in self._folders if file.is_relative_to(folder))
        short = file.relative_to(folder).as_posix()
        return short if self.file(short) == file else str(file)

    def media(self) -> list[str]:
        """List the names of all images and videos."""
        listing = find_files(self._folders)
        return [self.name(file) for entry in listing.files if (file := entry.path.resolve()).is_file()]
