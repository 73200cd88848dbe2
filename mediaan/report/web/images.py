"""Embed images, previews and densities in a page: whether, in what size, and a block for each medium."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Any, Literal, get_args
from zipfile import BadZipFile

import cv2
import numpy as np
import numpy.typing as npt
from markupsafe import Markup
from PIL import Image

from mediaan.analysis.plan import Plan
from mediaan.aoi.scoring.aoi_scores import HARDLY_ANYBODY, NO_AREA, window_missing
from mediaan.aoi.scoring.fixation_hazard import (
    LARGEST_SHARE,
    MIN_SHARE_SEEN,
    TRAINED_EXPOSURE_S,
    WINDOW_S,
)
from mediaan.maps.catalogue import MAPS
from mediaan.report.entries import MediumEntry, RunContents
from mediaan.run.metadata import RunMetadata
from mediaan.saliency.density import PRIOR_CENTRE
from mediaan.saliency.density_storage import read_densities
from mediaan.storage import Storage
from mediaan.types.densities import WINDOWS, Densities

Layout = Literal["auto", "file", "folder"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

MAIL_BYTES = 18_000_000
"""A report that is one file is no larger unless that was asked for: mail carries up to 25 MB, and its encoding makes
four bytes of three."""
SMALL_SIDE = 512
"""Long side of maps that are made smaller to travel, px."""

_FIRST = ("original", *(name for name, spec in MAPS.items() if spec.looked_at_first))
"""Maps that are looked at first; what else there is may be smaller, or left out."""
_SHEETS = [name for name, spec in MAPS.items() if spec.kind == "sheet"]
"""Sheets of one small frame of each scene."""
_SMALLER = 0.4  # bytes of a map at SMALL_SIDE to those of the whole: 0.40 over the maps of 100 ads
_BASE64 = 4 / 3
_PAGE_BYTES, _MEDIUM_BYTES = 500_000, 30_000  # of a page of 100 ads without maps, and of each of them on it
_VIDEO_SHARE = 0.5  # of the page, for previews
DENSITY_SHARE = 0.4
"""Largest share of the page for densities; where they would take more, none are embedded."""
_META = b'<meta name="mediaan-layout" content="file">'

Sizes = Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ImageFit:
    """How maps are embedded: in full size, at `SMALL_SIDE`, or not at all."""

    first: Literal["whole", "small"]  # maps that are looked at first
    rest: Literal["whole", "small", "none"]  # all other maps
    densities: bool = True  # densities travel, on which the page scores areas that are drawn in it

    def of(self, name: str) -> str:
        """Return how a map is embedded."""
        return "whole" if name in _SHEETS else self.first if name in _FIRST else self.rest

    def expected(self, sizes: Sizes) -> float:
        """Estimate the bytes that the maps of a medium take, from their bytes as they are."""
        share = {"whole": 1.0, "small": _SMALLER, "none": 0.0}
        return sum(share[self.of(name)] * size for name, size in sizes.items())


IMAGE_FITS = (
    ImageFit("whole", "whole"),
    ImageFit("whole", "small"),
    ImageFit("small", "small"),
    ImageFit("small", "none"),
    ImageFit("small", "none", densities=False),
)
"""The best first. Maps as they are cost no time; to make one smaller takes 2 ms."""


def likely_fits(
    media: int, maps: Sequence[Sizes], videos: int, max_bytes: int, densities: int = 0
) -> Iterator[ImageFit]:
    """Yield the fits with which a page is likely to stay within `max_bytes`, the best first.

    `densities`: bytes of the packed densities, as text.

    >>> ad = {"original": 90_000, "heat": 80_000, "fog": 50_000, "clarity_heat": 80_000}
    >>> [next(likely_fits(n, [ad] * n, 0, MAIL_BYTES), None) for n in (10, 600)]
    [ImageFit(first='whole', rest='whole', densities=True), None]
    """
    page = _PAGE_BYTES + _MEDIUM_BYTES * media
    for fit in IMAGE_FITS:
        fixed = page + densities * fit.densities
        if fixed + _BASE64 * (videos + sum(map(fit.expected, maps))) <= max_bytes:
            yield fit


def videos_that_fit(sizes: Mapping[str, int], max_bytes: int) -> frozenset[str]:
    """Choose the media whose previews are embedded, the smallest first, until their share of the page is full.

    >>> sorted(videos_that_fit({"spot": 300_000, "film": 40_000_000, "loop": 60_000}, MAIL_BYTES))
    ['loop', 'spot']
    """
    left, chosen = _VIDEO_SHARE * max_bytes / _BASE64, set()
    for medium, size in sorted(sizes.items(), key=lambda item: item[1]):
        left -= size
        if left < 0:
            break
        chosen.add(medium)
    return frozenset(chosen)


def is_one_file(page: Path) -> bool:
    """Return True for a report that holds its images itself."""
    with page.open("rb") as file:
        return _META in file.read(2000)


DENSITY_BYTES = 57_000
"""Mean size of an image's packed densities as text; half of all ads have 54,000 to 61,000."""

_STEPS = 2**18 - 1
"""Levels up to the peak. Over 120,000 scores of random areas of ads two differed from those of the densities as they
are in the last digit that the page shows; with 16 bits ten did."""


def pack_densities(densities: Densities, exposure_s: float) -> dict[str, Any]:
    """Return the densities of an image for the page's script; keys are read in `views/areas/scoring.js`."""
    windows = [window for window in reversed(WINDOWS) if window in densities.maps]  # total first: others resemble it
    return {
        "exposure_s": exposure_s,
        "windows": windows,
        "maps": _pack(np.stack([densities[window] for window in windows])),
    }


def scoring_data(metadata: RunMetadata) -> dict[str, Any]:
    """Return the hazard model of a run for the page's script."""
    model = Plan(calibration=metadata.recipe.calibration).seen
    return {
        "model": {
            **{name: value for name in model.__slots__ if isinstance(value := getattr(model, name), (int, float))},
            "centre": PRIOR_CENTRE,
            "window_s": WINDOW_S,
            "trained_exposure_s": TRAINED_EXPOSURE_S,
            "min_share_seen": MIN_SHARE_SEEN,
            "largest_share": LARGEST_SHARE,
        },
        "reasons": {
            "hardly_anybody": HARDLY_ANYBODY,
            "no_area": NO_AREA,
            **{window: window_missing(window) for window in WINDOWS},
        },
    }


def _pack(maps: npt.NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Round maps, (n, h, w), to levels up to their peak, and compress the differences between neighbours.

    The first map is taken off the others, then each cell's left and upper neighbour off the cell; differences of either
    sign become whole numbers from 0, whose bytes lie lowest first, all first bytes together, then all second ones.
    """
    values = maps.astype(np.float64)
    step = float(values.max()) / _STEPS
    codes = np.rint(values / step).astype(np.int64)
    codes[1:] -= codes[0]
    codes = np.diff(np.diff(codes, axis=2, prepend=0), axis=1, prepend=0)
    unsigned = np.where(codes < 0, -2 * codes - 1, 2 * codes).astype("<u4")
    planes = unsigned.view(np.uint8).reshape(-1, 4).T
    text = base64.b64encode(zlib.compress(planes.tobytes())).decode("ascii")
    return {"shape": maps.shape, "step": step, "data": text}


LONG_SIDE = 320  # px; sharp at the 160 px of a card on a dense screen
_THUMBNAIL_QUALITY = 70
_THUMBNAIL_EFFORT = 2  # of 6: a third of the default's time for 6 % more bytes
_JPEG_QUALITY = 75
THREADS = 2  # the codec lets go of the interpreter; more gain little beside the page's own work
_BLOCK = Markup('<script type="{}" id="{}-{}">{}</script>\n')


def thumbnail_uri(source: Path | BytesIO) -> str | None:
    """Return an image as a WebP data URI of at most `LONG_SIDE` px; None when the file is gone or unreadable."""
    data = thumbnail(source)
    return None if data is None else f"data:image/webp;base64,{_base64(data)}"


def thumbnail(source: Path | BytesIO) -> bytes | None:
    """Return an image as a WebP file of at most `LONG_SIDE` px; None when the file is gone or unreadable."""
    try:
        with Image.open(source) as image:
            image.draft("RGB", (LONG_SIDE, LONG_SIDE))
            small = image.convert("RGB")
    except OSError:
        return None
    small.thumbnail((LONG_SIDE, LONG_SIDE), Image.Resampling.HAMMING)
    encoded = BytesIO()
    small.save(encoded, "WEBP", quality=_THUMBNAIL_QUALITY, method=_THUMBNAIL_EFFORT)
    return encoded.getvalue()


def shrink_jpeg(data: bytes, side: int = SMALL_SIDE) -> bytes:
    """Return a JPEG with a long side of at most `side` px; what is no image, or small already, stays as it is."""
    pixels = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    if pixels is None or max(pixels.shape[:2]) <= side:
        return data
    share = side / max(pixels.shape[:2])
    size = (max(1, round(pixels.shape[1] * share)), max(1, round(pixels.shape[0] * share)))
    method = cv2.INTER_LINEAR if share >= 0.5 else cv2.INTER_AREA  # so far two px on each side leave none out
    small = cv2.resize(pixels, size, interpolation=method)
    return cv2.imencode(".jpg", small, [cv2.IMWRITE_JPEG_QUALITY, _JPEG_QUALITY])[1].tobytes()


@dataclass(frozen=True, slots=True)
class EmbeddedMedia:
    """Images and previews of a page: inside it, or in the folder of the run.

    `densities` names the media whose densities are inside, in either layout, since scripts may not read other files;
    None where there was no room for them.
    """

    layout: Literal["file", "folder"]
    why: str  # a sentence: what that means for who forwards the page
    images: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by medium, names of maps that are inside
    videos: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # the same of previews
    densities: frozenset[str] | None = frozenset()
    scoring: Mapping[str, Any] | None = None  # what areas are scored with on these densities
    blocks: Markup = field(default_factory=Markup)  # elements with all that is inside

    def maps_of(self, entry: MediumEntry) -> Mapping[str, str | bool]:
        """Map each map's name to its address relative to the page, or to True where it is inside."""
        return entry.images if self.layout == "folder" else self._inside(self.images, entry)

    def videos_of(self, entry: MediumEntry) -> Mapping[str, str | bool]:
        """Map each preview's and rendered video's name to its address, or to True where it is inside."""
        return entry.videos if self.layout == "folder" else self._inside(self.videos, entry)

    def left_out(self, entry: MediumEntry) -> list[str]:
        """List the maps and videos of a medium that are in the run's folder but not in the page."""
        here = {**self.maps_of(entry), **self.videos_of(entry)}
        return [name for name in (*entry.images, *entry.videos) if name not in here]

    def scoring_of(self, entry: MediumEntry) -> Literal["here", "moves", "folded", "no_densities", "left_out"]:
        """Return whether the page can score areas of a medium, or why not."""
        if entry.moves:
            return "moves"
        if entry.result and entry.result.folds:
            return "folded"
        if self.densities is None:
            return "left_out" if "density" in entry.maps else "no_densities"
        return "here" if entry.medium_id in self.densities else "no_densities"

    @staticmethod
    def _inside(names: Mapping[str, tuple[str, ...]], entry: MediumEntry) -> dict[str, str | bool]:
        return dict.fromkeys(names.get(entry.medium_id or "", ()), True)


class MediaEmbedder:
    """Read the images, previews and densities of a run to embed them in a page."""

    def __init__(self, contents: RunContents, storage: Storage, max_bytes: int) -> None:
        self._storage, self._max_bytes, self._media = storage, max_bytes, len(contents.entries)
        self._maps, self._previews = self._paths(contents, ".jpg"), self._paths(contents, ".mp4")
        preview_bytes = {medium: sum(self._sizes(names).values()) for medium, names in self._previews.items()}
        self._embedded_previews = videos_that_fit(preview_bytes, max_bytes)
        self._video_bytes = sum(preview_bytes[medium] for medium in self._embedded_previews)
        self._metadata = contents.run.metadata
        stills = [
            (entry.medium_id, entry.paths[0], entry.maps["density"])
            for entry in contents.entries
            if entry.medium_id and not entry.moves and "density" in entry.maps
        ]
        self._stills = stills if len(stills) * DENSITY_BYTES <= DENSITY_SHARE * max_bytes else None

    @staticmethod
    def _paths(contents: RunContents, suffix: str) -> dict[str, dict[str, str]]:
        """Return paths of maps by medium and name, without thumbnails and rendered videos."""
        paths = {
            entry.medium_id or "": {
                name: path
                for name, path in entry.maps.items()
                if PurePosixPath(path).suffix == suffix and name != "thumb" and not name.endswith("_video")
            }
            for entry in contents.entries
        }
        return {medium_id: of_medium for medium_id, of_medium in paths.items() if of_medium}

    def fits(self) -> list[ImageFit]:
        """List the fits with which the page is likely to have at most `max_bytes`, the best first."""
        densities = DENSITY_BYTES * len(self._stills or ())
        likely = partial(
            likely_fits, self._media, videos=self._video_bytes, max_bytes=self._max_bytes, densities=densities
        )
        if not any(likely(maps=[])):
            return []  # before thousands of files are looked at
        return list(likely(maps=[self._sizes(names) for names in self._maps.values()]))

    def _sizes(self, paths: Mapping[str, str]) -> Sizes:
        return {name: self._storage.size(path) or 0 for name, path in paths.items()}

    def refer(self, why: str) -> EmbeddedMedia:
        """Refer to images and previews in the folder of the run."""
        if self._stills is None:
            return EmbeddedMedia("folder", why, densities=None)
        blocks, scoring = self._packed_densities
        inside = Markup("").join(blocks.values())
        return EmbeddedMedia("folder", why, densities=frozenset(blocks), scoring=scoring, blocks=inside)

    def embed(self, fit: ImageFit) -> EmbeddedMedia:
        """Embed the maps of all media; missing files are left out."""

        def embedded_maps(paths: Mapping[str, str]) -> dict[str, str]:
            files = self._read({name: path for name, path in paths.items() if fit.of(name) != "none"})
            return {
                name: _base64(shrink_jpeg(data) if fit.of(name) == "small" else data) for name, data in files.items()
            }

        with ThreadPoolExecutor(THREADS) as threads:
            images = dict(zip(self._maps, threads.map(embedded_maps, self._maps.values()), strict=True))
        previews = {
            medium: {name: _base64(data) for name, data in self._read(paths).items()}
            for medium, paths in self._previews.items()
            if medium in self._embedded_previews
        }
        blocks = []
        for medium, maps in images.items():
            addresses = {name: f"data:image/jpeg;base64,{text}" for name, text in maps.items()}
            blocks.append(_BLOCK.format("application/json", "pictures", medium, _json(addresses)))
        for medium, texts in previews.items():
            blocks += [_BLOCK.format("text/plain", name, medium, video) for name, video in texts.items()]
        with_densities = fit.densities and self._stills is not None
        densities, scoring = self._packed_densities if with_densities else ({}, None)
        return EmbeddedMedia(
            "file",
            _one_file_words(fit, len(self._previews) - len(previews)),
            {medium: tuple(maps) for medium, maps in images.items()},
            {medium: tuple(texts) for medium, texts in previews.items()},
            frozenset(densities) if with_densities else None,
            scoring,
            Markup("").join([*blocks, *densities.values()]),
        )

    @cached_property
    def _packed_densities(self) -> tuple[Mapping[str, Markup], Mapping[str, Any] | None]:
        """Elements with the densities of images by medium, and the data of the hazard model."""
        if not self._stills:
            return {}, None
        metadata = self._metadata

        def packed(still: tuple[str, str, str]) -> Mapping[str, Any] | None:
            _, path, file = still
            try:
                densities, _ = read_densities(BytesIO(self._storage.read(file)))
            except (OSError, ValueError, EOFError, BadZipFile):  # gone or damaged: then they are not inside
                return None
            if densities.screen is not None:  # a tall page: its script has no arithmetic of folds
                return None
            return pack_densities(densities, metadata.exposure_s(path))

        with ThreadPoolExecutor(THREADS) as threads:
            contents = zip(self._stills, threads.map(packed, self._stills), strict=True)
            inside = {medium: content for (medium, _, _), content in contents if content is not None}
        blocks = {
            medium: _BLOCK.format("application/json", "densities", medium, _json(content))
            for medium, content in inside.items()
        }
        return blocks, scoring_data(metadata) if inside else None

    def _read(self, paths: Mapping[str, str]) -> dict[str, bytes]:
        files = {}
        for name, path in paths.items():
            with suppress(FileNotFoundError):
                files[name] = self._storage.read(path)
        return files


def _json(content: Mapping[str, Any]) -> Markup:
    return Markup(json.dumps(content).replace("<", "\\u003c"))  # names of maps and domains may be anything


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _one_file_words(fit: ImageFit, videos_left_out: int) -> str:
    """Say which images a page of one file holds, and in what size."""
    words = ["This report is one file, with its images inside: it can be forwarded as it is."]
    if fit == IMAGE_FITS[1]:
        words.append(f"Maps of single scores are inside at {SMALL_SIDE} px.")
    elif fit.first == "small":
        words.append(f"To keep it small, images are inside at {SMALL_SIDE} px; the run’s folder has them larger.")
    if fit.rest == "none":
        words.append("Fog of the two windows and maps of single scores are in the run’s folder only.")
    if videos_left_out:
        words.append(
            f"Previews that are too long to travel are in the run’s folder only: of {videos_left_out} of the files."
        )
    if not fit.densities:
        words.append("Areas that you draw in it are scored after saving.")
    return " ".join(words)
