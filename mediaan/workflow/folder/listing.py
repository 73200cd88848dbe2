"""List the media to analyze, and take the pictures of web pages among them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from functools import cache
from pathlib import Path

from mediaan.analysis import MediumOptions
from mediaan.errors import MediumError, UsageError
from mediaan.media import MediaFile, MediaListing, SkippedFile, find_files
from mediaan.media.listing import SkipReason
from mediaan.media.names import displayable
from mediaan.media.pages.addresses import PageAddress, PagePicture, page_pictures, screens_of
from mediaan.media.pages.browser import Origin, PageCamera, check_browser, read_origin
from mediaan.media.probe import DOCUMENTS
from mediaan.run import is_run
from mediaan.run.directory import PAGES_FOLDER, is_remote_run
from mediaan.run.files import disk_errors, write_atomic
from mediaan.saliency.folds import WHOLE
from mediaan.storage import is_url, open_storage
from mediaan.types.placement import PAGE_DOMAIN

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


class RunPages(AbstractContextManager["RunPages"]):
    """The pictures of the pages of a run. What the run has already is not taken again, unless other clicks are asked.

    `out`: of the run.
    `viewport`: option of the recipe: the screens on which each page is looked at.
    `clicks`: what is clicked before a picture is taken; without any, a picture may have been taken with some.
    `force_new`: whether the pictures that lie there will be gone.
    Raises UsageError: ``bad_out``: the run lies in an object store.
    Raises SetupError: ``no_web_extra``: a picture is needed and cannot be taken.
    """

    def __init__(
        self,
        addresses: Sequence[PageAddress],
        out: str | Path,
        *,
        viewport: str = "auto",
        clicks: Sequence[str] = (),
        force_new: bool = False,
    ) -> None:
        folder = open_storage(out).folder
        if addresses and folder is None:
            message = "pictures of web pages are kept in the run: give an --out on this machine"
            raise UsageError(message, code="bad_out")
        self._folder = (folder or Path()) / PAGES_FOLDER
        self._clicks, self._viewport = tuple(clicks), viewport
        pictures = page_pictures(addresses, screens_of(viewport))
        self._pictures = {picture.name: picture for picture in pictures}
        self._camera = PageCamera(clicks)
        if any(force_new or self._kept(picture) is None for picture in pictures):
            check_browser()

    def __exit__(self, *error: object) -> None:
        self._camera.__exit__(None, None, None)

    def options(self, domains: Collection[str]) -> dict[str, MediumOptions]:
        """Return what makes a model take the pictures for pages, by path: their domain, else their viewport."""
        if PAGE_DOMAIN in domains:
            return dict.fromkeys(self._pictures, MediumOptions(domain=PAGE_DOMAIN))
        if self._viewport == WHOLE:
            return {}
        return {name: MediumOptions(viewport=str(p.screen.viewport)) for name, p in self._pictures.items()}

    def among(self, listing: MediaListing, limit: int | None = None) -> MediaListing:
        """Return a listing with the pictures, in their place among the files.

        Raises UsageError: ``bad_path``: a file has the name of a picture.
        """
        if both := sorted(self._pictures.keys() & {file.display_path for file in listing.files}):
            message = f"{both[0]}: is the name of a file and of a web page; analyze them in two runs"
            raise UsageError(message, code="bad_path")
        files = [MediaFile(str(self._folder / name), name, 0) for name in self._pictures]
        ordered = sorted([*listing.files, *files], key=lambda file: file.display_path)
        return MediaListing(tuple(ordered[:limit]), listing.skipped)

    def taken(self, file: MediaFile) -> MediaFile:
        """Return a file with its picture on disk, or why there is none; any other file as it is."""
        picture = self._pictures.get(file.display_path)
        if picture is None:
            return file
        origin = self._kept(picture)
        problems = origin.problems if origin else ()
        if origin is None:
            try:
                shot = self._camera.take(picture)
            except MediumError as error:
                return replace(file, failure=error)
            with disk_errors(file.path):
                file.path.parent.mkdir(parents=True, exist_ok=True)
            write_atomic(file.path, shot.png)
            problems = shot.problems
        return replace(file, size_bytes=file.path.stat().st_size, problems=problems)

    def _kept(self, picture: PagePicture) -> Origin | None:
        """Return what a kept picture says of itself; None where it has to be taken."""
        try:
            with (self._folder / picture.name).open("rb") as data:
                origin = read_origin(data)
        except OSError:
            return None
        if origin is None or (origin.address, origin.screen) != (picture.page.url, picture.screen.name):
            return None
        return origin if not self._clicks or origin.clicks == self._clicks else None
