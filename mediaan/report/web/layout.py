"""Decide whether the images of a run are embedded in its report, and in what size."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from mediaan.maps.catalogue import MAPS

Layout = Literal["auto", "file", "folder"]
LAYOUTS: tuple[Layout, ...] = get_args(Layout)

MAIL_BYTES = 18_000_000
"""A report that is one file is no larger unless that was asked for: mail carries up to 25 MB, and its encoding makes
four bytes of three."""
SMALL_SIDE = 512
"""Long side of maps that are made smaller to travel, px: half of what most have, to which JPEGs decode at once."""

_FIRST = ("original", *(name for name, spec in MAPS.items() if spec.looked_at_first))
"""Maps that are looked at first; what else there is may be smaller, or left out."""
_SHEETS = [name for name, spec in MAPS.items() if spec.kind == "sheet"]
"""Sheets of one small frame of each scene."""
_SMALLER = 0.3  # bytes of a map at SMALL_SIDE to those of the whole: measured, 0.29 over 142 maps of ads
_BASE64 = 4 / 3
_PAGE_BYTES, _MEDIUM_BYTES = 300_000, 20_000  # of a page without images, and of each medium on it: the least there is
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
"""The best first. Maps as they are cost no time; to make one smaller takes 4 ms."""


def likely_fits(
    media: int, maps: Sequence[Sizes], videos: int, max_bytes: int, densities: int = 0
) -> Iterator[ImageFit]:
    """Yield the fits with which a page is likely to stay within `max_bytes`, the best first.

    `media`: on the page.
    `maps`: bytes of each map of each medium.
    `videos`: bytes of all previews that travel.
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
