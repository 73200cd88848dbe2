"""Read pictures, and put an ad into a screenshot of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import cv2
import numpy as np
from PIL import Image

from mediaan.errors import MediumError, UsageError
from mediaan.media import find_files, is_moving, open_image, resize
from mediaan.run import is_run, read_run
from mediaan.types.aoi import Box
from mediaan.types.arrays import UInt8
from mediaan.types.media import Medium, Problem, ViewSpec

MOST_OTHERS = 40
"""Other pictures that are read at most."""

FEWEST_OTHERS = 4
"""Other pictures that are needed for an interval."""

_RING = 6
"""Width of the border around a place from which its background is taken, px."""

_LEAST_SIDE = 8
"""Least width and height of a place, px."""


@dataclass(frozen=True, slots=True)
class ContextPicture:
    """A still picture."""

    medium: Medium
    rgb: UInt8
    """(H, W, 3) uint8. On white."""
    problems: tuple[Problem, ...] = ()

    @property
    def aspect(self) -> float:
        """Width over height."""
        return float(self.rgb.shape[1] / self.rgb.shape[0])


@dataclass(frozen=True, slots=True)
class ComposedPicture:
    """A page, (H, W, 3) uint8, and the box of the ad in it."""

    rgb: UInt8
    box: Box


def read_picture(path: str | Path, long_side: int) -> ContextPicture:
    """Read a still picture, scaled so that its long side has at most so many pixels.

    Raises UsageError: the file moves.
    Raises MediumError: the file is bad.
    """
    path = Path(path)
    if is_moving(path):
        message = f"{path.name}: is a video or an animation; only still images can be shown in context: export a frame"
        raise UsageError(message, code="moving_medium")
    view = ViewSpec("context", long_side=long_side)
    opened = open_image(path, [view])
    return ContextPicture(opened.medium, opened.chunks[0].views[view.name][0], opened.problems)


def read_others(source: str | Path, ad: UUID, seed: int, long_side: int) -> tuple[list[ContextPicture], list[Problem]]:
    """Read up to 40 still pictures of a folder or run, in random order.

    `source`: a folder, searched recursively, or the directory of a run.
    Returns (list of ContextPicture, list of Problem): no picture twice; a problem for each file that could not be read.
    Raises UsageError: ``too_few_others``: fewer than four pictures are left.
    """
    source = Path(source)
    if not source.is_dir():
        raise UsageError(f"{source}: is no folder; give a folder or run with other images", code="bad_others")
    paths = sorted(_run_images(source, ad) if is_run(source) else (file.path for file in find_files([source]).files))
    others: dict[UUID, ContextPicture] = {}
    problems = []
    for i in np.random.default_rng(seed).permutation(len(paths)):
        if len(others) == MOST_OTHERS:
            break
        try:
            if is_moving(paths[i]):
                continue
            picture = read_picture(paths[i], long_side)
        except MediumError as error:
            problems.append(Problem("other_left_out", f"{paths[i].name}: was left out: {error.message}"))
            continue
        if picture.medium.medium_id != ad:
            others.setdefault(picture.medium.medium_id, picture)
    if len(others) < FEWEST_OTHERS:
        message = f"{source}: holds {len(others)} other still images; at least {FEWEST_OTHERS} are needed"
        raise UsageError(message, code="too_few_others")
    return list(others.values()), problems


def _run_images(folder: Path, ad: UUID) -> Iterator[Path]:
    """Yield the images of a run but the ad: as the run kept them, otherwise where it found them."""
    run = read_run(folder)
    kept = {row["medium_id"]: run.path / row["path"] for row in run.maps.to_dict("records") if row["map"] == "original"}
    for row in run.media.to_dict("records"):
        path = kept.get(row["medium_id"], Path(row["path"]))
        if row["type"] == "image" and row["medium_id"] != str(ad) and path.is_file():
            yield path


def parse_place(text: str, width: int, height: int) -> Box:
    """Read a place in a screenshot.

    `text`: ``x,y,w,h``: left, top, width and height, each in pixels of the file or, with ``%``, of its width or height.
    Raises UsageError: it is not written so, or does not lie in the screenshot.

    >>> parse_place("100,50%,300,250", 1000, 1000)
    Box(x0=0.1, y0=0.5, x1=0.4, y1=0.75)
    """
    parts = [part.strip() for part in text.split(",")]
    try:
        if len(parts) != 4:
            raise ValueError
        sides = (width, height, width, height)
        x, y, w, h = (
            float(part[:-1]) / 100 if part.endswith("%") else float(part) / side
            for part, side in zip(parts, sides, strict=True)
        )
    except ValueError as error:
        message = f"--at {text}: is not X,Y,WIDTH,HEIGHT in pixels or %, such as 100,50,300,250 or 10%,5%,30%,25%"
        raise UsageError(message, code="bad_place") from error
    box = Box(x, y, x + w, y + h)
    inside = -1e-9 <= box.x0 < box.x1 <= 1 + 1e-9 and -1e-9 <= box.y0 < box.y1 <= 1 + 1e-9
    if not inside or w * width < _LEAST_SIDE or h * height < _LEAST_SIDE:
        message = (
            f"--at {text}: does not lie in the screenshot of {width} x {height} px, or is smaller than "
            f"{_LEAST_SIDE} px; give left, top, width and height"
        )
        raise UsageError(message, code="bad_place")
    return box.clipped()


def paste_ad(screenshot: UInt8, ad: UInt8, place: Box) -> ComposedPicture:
    """Put an ad into a place: as large as it fits, in its own shape, in the middle.

    What the ad leaves free of the place gets the most frequent colour of the border around it, so that nothing remains
    of what was there before.
    """
    height, width = screenshot.shape[:2]
    x0, y0 = round(place.x0 * width), round(place.y0 * height)
    x1, y1 = max(x0 + 1, round(place.x1 * width)), max(y0 + 1, round(place.y1 * height))
    canvas = screenshot.copy()
    inner = np.zeros((height, width), np.bool_)
    inner[y0:y1, x0:x1] = True
    ring = np.zeros_like(inner)
    ring[max(0, y0 - _RING) : y1 + _RING, max(0, x0 - _RING) : x1 + _RING] = True
    ring &= ~inner
    if ring.any():
        colours, counts = np.unique(screenshot[ring] // 8, axis=0, return_counts=True)
        usual = colours[counts.argmax()]
        canvas[y0:y1, x0:x1] = np.median(screenshot[ring & (screenshot // 8 == usual).all(axis=2)], axis=0)
    scale = min((x1 - x0) / ad.shape[1], (y1 - y0) / ad.shape[0])
    size = max(1, round(ad.shape[1] * scale)), max(1, round(ad.shape[0] * scale))
    scaled = np.asarray(resize(Image.fromarray(ad), size), np.uint8)
    left, top = x0 + (x1 - x0 - size[0]) // 2, y0 + (y1 - y0 - size[1]) // 2
    right, bottom = min(width, left + size[0]), min(height, top + size[1])
    canvas[top:bottom, left:right] = scaled[: bottom - top, : right - left]
    return ComposedPicture(canvas, Box(left / width, top / height, right / width, bottom / height))


def crop_to_aspect(rgb: UInt8, aspect: float) -> UInt8:
    """Cut equal parts off two opposite sides, so that width over height is `aspect`."""
    height, width = rgb.shape[:2]
    if width / height > aspect:
        kept = max(1, round(height * aspect))
        left = (width - kept) // 2
        return rgb[:, left : left + kept]
    kept = max(1, round(width / aspect))
    top = (height - kept) // 2
    return rgb[top : top + kept]


def crop_loss(aspect: float, target: float) -> float:
    """Return the share of a picture that `crop_to_aspect` cuts off, 0-1.

    >>> crop_loss(2.0, 1.0), crop_loss(1.0, 1.0)
    (0.5, 0.0)
    """
    return 1 - min(aspect, target) / max(aspect, target)


def outline(rgb: UInt8, box: Box, colour: tuple[int, int, int] = (67, 56, 202)) -> UInt8:
    """Return a copy of a picture with a frame around a box, (H, W, 3) uint8."""
    drawn, thick = rgb.copy(), max(2, max(rgb.shape[:2]) // 350)
    height, width = rgb.shape[:2]
    start = round(box.x0 * width), round(box.y0 * height)
    end = round(box.x1 * width) - 1, round(box.y1 * height) - 1
    cv2.rectangle(drawn, start, end, (255, 255, 255), 3 * thick)
    cv2.rectangle(drawn, start, end, colour, thick)
    return drawn
