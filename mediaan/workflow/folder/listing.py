"""List the media to analyze."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.media import MediaFile, MediaListing, SkippedFile, find_files
from mediaan.media.listing import SkipReason
from mediaan.media.names import displayable
from mediaan.media.probe import DOCUMENTS
from mediaan.run import is_run
from mediaan.run.directory import is_remote_run
from mediaan.storage import is_url, open_storage

_MOST_NAMES = 3


def media_listing(paths: Sequence[str | Path], *, limit: int | None = None, follow_links: bool = False) -> MediaListing:
    """List the files to analyze; maps and reports of runs inside the given folders are left out.

    Raises UsageError: there is nothing, or a path does not exist.
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


_REASONS: Mapping[SkipReason, tuple[str, str]] = {
    "link_outside": ("a link that leads out of the folder", "--follow-links follows it"),
    "broken_link": ("a link that leads nowhere", "remove it, or put back what it leads to"),
    "unreadable_folder": ("a folder that cannot be read", "check its permissions"),
    "unreadable_file": ("a file that cannot be read", "check its permissions"),
    "unusable_key": ("an object with an empty part, . or .. in its name", "rename it"),
    "document": ("", ""),
    "not_media": ("neither an image nor a video", ""),
}
"""What each reason is called, and what can be done; in the order in which they are told."""


def describe_left_out(skipped: Sequence[SkippedFile]) -> list[str]:
    """Write a line for each kind of thing that was left out: how many, which, and what to do to have them.

    >>> describe_left_out([SkippedFile("ads/flyer.pdf", "document", document="PDF")])
    ['PDF (1): ads/flyer.pdf; export its pages as PNG']
    """
    groups: dict[tuple[SkipReason, str | None], list[str]] = {}
    for entry in skipped:
        name = f"{entry.storage.display_name}/{entry.file}" if entry.storage else displayable(entry.file)
        groups.setdefault((entry.reason, entry.document), []).append(name)
    order = list(_REASONS)
    lines = []
    for reason, document in sorted(groups, key=lambda group: (order.index(group[0]), group[1] or "")):
        names, (what, advice) = groups[reason, document], _REASONS[reason]
        if document:
            what, advice = document, DOCUMENTS[document]
        more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
        line = f"{what} ({len(names):,}): {', '.join(names[:_MOST_NAMES])}{more}"
        lines.append(f"{line}; {advice}" if advice else line)
    return lines


def _instead(skipped: Sequence[SkippedFile]) -> str:
    """Describe what is there where there are no media."""
    if not skipped:
        return "it holds no files; give another folder"
    if {entry.reason for entry in skipped} == {"not_media"}:
        count = len(skipped)
        return f"{'its file is' if count == 1 else f'its {count:,} files are'} neither, by content; give another folder"
    lines = describe_left_out(skipped)
    return "there is " + lines[0] if len(lines) == 1 else "\n  ".join(["there is", *lines])
