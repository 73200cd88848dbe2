"""List the media to analyze."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media import MediaFile, MediaListing, SkippedFile, find_files
from mediaan.run import is_run
from mediaan.run.directory import is_remote_run
from mediaan.storage import is_url, open_storage


def media_listing(paths: Sequence[str | Path], *, limit: int | None = None, follow_links: bool = False) -> MediaListing:
    """List the files to analyze; maps and reports of runs inside the given folders are left out.

    Raises
    ------
    UsageError
        There is nothing, or a path does not exist.
    """
    everything = find_files(paths, follow_links=follow_links)
    folders = [Path(path) for path in paths if not is_url(str(path))]
    known_run, known_remote_run = cache(is_run), cache(is_remote_run)

    @cache
    def belongs_to_run(folder: str) -> bool:
        around = (Path(folder), *Path(folder).parents)
        return any(given in path.parents and known_run(path) for given in folders for path in around)

    def of_a_run(entry: MediaFile | SkippedFile) -> bool:
        if entry.storage is None:
            return belongs_to_run(os.path.dirname(entry.file))  # noqa: PTH120 (a Path for each of a million files)
        inside = (folder.as_posix() for folder in entry.path.parents if folder.name)
        return any(known_remote_run(entry.storage, folder) for folder in inside)

    files = [file for file in everything.files if not of_a_run(file)]
    skipped = [entry for entry in everything.skipped if not of_a_run(entry)]
    if not files:
        shown = ", ".join(open_storage(path).display_name for path in paths)
        raise UsageError(f"found no images or videos in {shown}: {_instead(skipped)}", code="nothing_found")
    return MediaListing(tuple(files[:limit]), tuple(skipped))


def _instead(skipped: Sequence[SkippedFile]) -> str:
    """Describe what is there where there are no media."""
    reasons = Counter(entry.reason for entry in skipped)
    if reasons["unreadable_folder"]:
        folder = next(entry for entry in skipped if entry.reason == "unreadable_folder")
        return f"the folder {folder.path} cannot be read; check its permissions, or give another"
    if reasons["link_outside"]:
        return f"there are links that lead out of it ({reasons['link_outside']}); --follow-links follows them"
    if reasons["not_media"]:
        count = reasons["not_media"]
        return f"{'its file is' if count == 1 else f'its {count:,} files are'} neither, by content; give another folder"
    return "it holds no files; give another folder"
