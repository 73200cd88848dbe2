"""Embed images and previews in a page, a block for each medium."""

from __future__ import annotations

import base64
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Literal

from markupsafe import Markup
from PIL import Image

from mediaan.report.data.contents import RunContents
from mediaan.report.data.entries import MediumEntry
from mediaan.report.web.layout import IMAGE_FITS, SMALL_SIDE, ImageFit, Sizes, likely_fits, videos_that_fit
from mediaan.storage import Storage

LONG_SIDE = 320  # px; sharp at the 160 px of a card on a dense screen
_QUALITY = 70
_EFFORT = 2  # of 6: a third of the default's time for 6 % more bytes


def thumbnail_uri(picture: Path | BytesIO) -> str | None:
    """Return a picture as a WebP data URI of at most `LONG_SIDE` px; None when the file is gone or unreadable."""
    data = thumbnail(picture)
    return None if data is None else "data:image/webp;base64," + base64.b64encode(data).decode("ascii")


def thumbnail(source: Path | BytesIO) -> bytes | None:
    """The same as the contents of a WebP file."""
    try:
        with Image.open(source) as picture:
            picture.draft("RGB", (LONG_SIDE, LONG_SIDE))
            small = picture.convert("RGB")
    except OSError:
        return None
    small.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.HAMMING)
    data = BytesIO()
    small.save(data, "WEBP", quality=_QUALITY, method=_EFFORT)
    return data.getvalue()


_JPEG_QUALITY = 75
_THREADS = 2  # the codec lets go of the interpreter; more gain little beside the page's own work
_BLOCK = Markup('<script type="{}" id="{}-{}">{}</script>\n')

Found = Mapping[str, Mapping[str, str]]
"""By medium, name of a map or preview to its path, or to its contents as text."""


@dataclass(frozen=True, slots=True)
class EmbeddedMedia:
    """Where a page has its pictures from.

    Attributes
    ----------
    layout : {'file', 'folder'}
    why : str
        A sentence: what that means for who forwards the page.
    pictures, videos : mapping of str to tuple of str
        By medium, names of the maps and previews that are inside.
    blocks : Markup
        Elements with them.
    """

    layout: Literal["file", "folder"]
    why: str
    pictures: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    videos: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    blocks: Markup = field(default_factory=Markup)

    def maps_of(self, entry: MediumEntry) -> Mapping[str, str | bool]:
        """Map name to its address relative to the page, or True where it is inside."""
        return entry.pictures if self.layout == "folder" else self._inside(self.pictures, entry)

    def videos_of(self, entry: MediumEntry) -> Mapping[str, str | bool]:
        """The same of previews and films."""
        return entry.videos if self.layout == "folder" else self._inside(self.videos, entry)

    def left_out(self, entry: MediumEntry) -> list[str]:
        """Names of what the run's folder has of a medium, and the page has not."""
        here = {**self.maps_of(entry), **self.videos_of(entry)}
        return [name for name in (*entry.pictures, *entry.videos) if name not in here]

    @staticmethod
    def _inside(found: Mapping[str, tuple[str, ...]], entry: MediumEntry) -> dict[str, str | bool]:
        return dict.fromkeys(found.get(entry.medium_id or "", ()), True)


class MediaEmbedder:
    """The pictures and previews of a run, to be put into a page.

    Parameters
    ----------
    contents : RunContents
        Of the media on the page.
    storage : Storage
        Where the maps lie.
    room : int
        Bytes that the page may have.
    """

    def __init__(self, contents: RunContents, storage: Storage, room: int) -> None:
        self._storage, self._room, self._media = storage, room, len(contents.media)
        found: dict[str, dict[str, dict[str, str]]] = {"jpg": defaultdict(dict), "mp4": defaultdict(dict)}
        for row in contents.maps:
            kind = PurePosixPath(row["path"]).suffix[1:]
            if kind in found and row["map"] != "thumb" and not row["map"].endswith("_video"):
                found[kind][row["medium_id"]][row["map"]] = row["path"]
        self._maps, self._previews = found["jpg"], found["mp4"]
        previews = {medium: sum(self._sizes(names).values()) for medium, names in self._previews.items()}
        self._fitting = videos_that_fit(previews, room)
        self._video_bytes = sum(previews[medium] for medium in self._fitting)

    def fits(self) -> list[ImageFit]:
        """How the pictures may travel so that the page is likely to have the room, the best first."""
        likely = partial(likely_fits, self._media, videos=self._video_bytes, room=self._room)
        if not any(likely(maps=[])):
            return []  # before thousands of files are looked at
        return list(likely(maps=[self._sizes(names) for names in self._maps.values()]))

    def _sizes(self, names: Mapping[str, str]) -> Sizes:
        return {name: self._storage.size(path) or 0 for name, path in names.items()}

    def pack(self, fit: ImageFit, *, videos: bool = True) -> EmbeddedMedia:
        """Put them into a bundle; files that are gone are left out."""
        with ThreadPoolExecutor(_THREADS) as threads:
            pictures = dict(
                zip(self._maps, threads.map(partial(self._pictures, fit), self._maps.values()), strict=True)
            )
        chosen = {medium: names for medium, names in self._previews.items() if videos and medium in self._fitting}
        previews = {medium: self._encoded(names) for medium, names in chosen.items()}
        blocks = [_pictures_block(medium, found) for medium, found in pictures.items()]
        blocks += [_BLOCK.format("text/plain", *of, text) for of, text in _by_name(previews)]
        return EmbeddedMedia(
            "file",
            _one_file(fit, len(self._previews) - len(previews)),
            {medium: tuple(found) for medium, found in pictures.items()},
            {medium: tuple(found) for medium, found in previews.items()},
            Markup("").join(blocks),
        )

    def _pictures(self, fit: ImageFit, names: Mapping[str, str]) -> dict[str, str]:
        wanted = {name: path for name, path in names.items() if fit.of(name) != "none"}
        found = {name: data for name, path in wanted.items() if (data := self._read(path)) is not None}
        return {name: _base64(shrink_jpeg(data) if fit.of(name) == "small" else data) for name, data in found.items()}

    def _encoded(self, names: Mapping[str, str]) -> dict[str, str]:
        return {name: _base64(data) for name, path in names.items() if (data := self._read(path)) is not None}

    def _read(self, path: str) -> bytes | None:
        try:
            return self._storage.read(path)
        except FileNotFoundError:
            return None


def shrink_jpeg(data: bytes, side: int = SMALL_SIDE) -> bytes:
    """A JPEG with a long side of at most `side` px; what is no picture, or small already, stays as it is."""
    try:
        with Image.open(BytesIO(data)) as picture:
            if max(picture.size) <= side:
                return data
            picture.draft("RGB", (side, side))
            small = picture.convert("RGB")
    except OSError:
        return data
    small.thumbnail((side, side), Image.Resampling.HAMMING)
    made = BytesIO()
    small.save(made, "JPEG", quality=_JPEG_QUALITY)
    return made.getvalue()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _by_name(found: Found) -> Iterator[tuple[tuple[str, str], str]]:
    return (((name, medium), text) for medium, texts in found.items() for name, text in texts.items())


def _pictures_block(medium: str, found: Mapping[str, str]) -> Markup:
    """Base64 has nothing that would have to be escaped."""
    addresses = {name: f"data:image/jpeg;base64,{text}" for name, text in found.items()}
    return _BLOCK.format("application/json", "pictures", medium, Markup(json.dumps(addresses).replace("<", "\\u003c")))


def _one_file(fit: ImageFit, films: int) -> str:
    """What is to be known of a page that holds its pictures itself."""
    said = ["This report is one file, with its pictures inside: it can be forwarded as it is."]
    if fit == IMAGE_FITS[1]:
        said.append(f"Maps of single scores are inside at {SMALL_SIDE} px.")
    elif fit.first == "small":
        said.append(f"To keep it small, pictures are inside at {SMALL_SIDE} px; the run’s folder has them larger.")
    if fit.rest == "none":
        said.append("Fog of the two windows and maps of single scores are in the run’s folder only.")
    if films:
        said.append(f"Previews that are too long to travel are in the run’s folder only: of {films} of the media.")
    return " ".join(said)
