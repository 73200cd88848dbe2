"""Take the pictures of web pages that a run analyzes, and keep them in the run."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path
from types import TracebackType

from mediaan.analysis import MediumOptions
from mediaan.errors import MediumError, UsageError
from mediaan.media import MediaFile, MediaListing
from mediaan.media.pages.addresses import PageAddress, PagePicture, page_pictures, screens_of
from mediaan.media.pages.browser import Origin, PageCamera, check_browser, read_origin
from mediaan.run.directory import PAGES_FOLDER
from mediaan.run.files import disk_errors, write_atomic
from mediaan.saliency.folds import WHOLE
from mediaan.storage import open_storage
from mediaan.types.placement import PAGE_DOMAIN


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

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._camera.__exit__(kind, error, trace)

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
