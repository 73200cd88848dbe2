"""Draw a scanpath on an image: circles in order, as large as their fixations are long, joined by lines."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO

import cv2
import numpy as np
from PIL import Image, ImageDraw

from mediaan.maps.heatmap import Legend, mute_colours, text_font, with_legend
from mediaan.maps.levels import colour_table
from mediaan.types.arguments import check_image, check_items
from mediaan.types.arrays import UInt8
from mediaan.types.scanpath import PathFixation

TITLE = "Order of looks (estimate)"

RADIUS, RADIUS_S = 0.02, 0.25
"""Radius of the circle of a fixation of so many seconds, share of the long side; the area grows with the duration."""

_PALETTE = colour_table("lagoon")
_SHIFT = 4  # fractional bits of cv2's coordinates
_INK, _LIGHT = (24, 26, 32), (250, 250, 248)
_BRIGHT = 140  # luma beyond which numbers are dark
_ANIMATION_SIDE, _ANIMATION_FPS, _LAST_FRAME_S = 640, 10, 1.5


def gaze_plot(rgb: UInt8, path: Sequence[PathFixation], *, legend: bool = True) -> UInt8:
    """Draw a scanpath on an image.

    `rgb` (H, W, 3) uint8: image, sRGB.
    `path`: in order.
    `legend`: whether a strip that explains it is added below.
    Returns (H', W, 3) uint8: H' is H, or H and the legend's height.
    """
    check_image(rgb)
    drawn = _draw(mute_colours(rgb), check_items(path, PathFixation, "path"))
    return with_legend(drawn, gaze_legend()) if legend else drawn


def gaze_legend() -> Legend:
    """Make the legend of a gaze plot: colours from the first to the last fixation."""
    return Legend(
        TITLE, "a simulated viewer; larger circle: longer look", _PALETTE.tobytes(), ((0.0, "first"), (1.0, "last"))
    )


def gaze_animation(rgb: UInt8, path: Sequence[PathFixation], exposure_s: float) -> bytes:
    """Draw a scanpath fixation by fixation, in real time, as an animated WebP of at most 640 px, repeated endlessly.

    `rgb`: (H, W, 3) uint8.
    `exposure_s`: time for which the image is looked at, s.
    """
    scale = min(1.0, _ANIMATION_SIDE / max(rgb.shape[:2]))
    size = max(1, round(rgb.shape[1] * scale)), max(1, round(rgb.shape[0] * scale))
    background = mute_colours(np.asarray(cv2.resize(rgb, size, interpolation=cv2.INTER_AREA), np.uint8))
    frames, seconds = [], []
    for t in np.arange(0, exposure_s + 0.5 / _ANIMATION_FPS, 1 / _ANIMATION_FPS):
        begun = [fixation for fixation in path if fixation.onset_s <= t]
        if begun:  # the present one grows while it lasts
            last = begun[-1]
            begun[-1] = last._replace(duration_s=min(last.duration_s, max(0.03, float(t) - last.onset_s)))
        frames.append(Image.fromarray(_draw(background, begun, of=len(path))))
        seconds.append(1 / _ANIMATION_FPS)
    seconds[-1] = _LAST_FRAME_S
    data = BytesIO()
    durations = [round(1000 * length_s) for length_s in seconds]
    frames[0].save(
        data, "WEBP", save_all=True, append_images=frames[1:], duration=durations, loop=0, quality=70, method=2
    )
    return data.getvalue()


def _draw(background: UInt8, path: Sequence[PathFixation], of: int | None = None) -> UInt8:
    """Draw fixations, coloured by their place among `of`; the first lie on top."""
    height, width = background.shape[:2]
    longest, count = max(height, width), max(2, of or len(path))
    centres = [(fixation.x * width, fixation.y * height) for fixation in path]
    drawn, stroke = background.copy(), max(1, round(longest / 450))
    points = np.array([_subpixels(*centre) for centre in centres], np.int32).reshape(-1, 1, 2)
    for ink, thickness in ((_INK, 3 * stroke), (_LIGHT, stroke)):  # can be seen on any image
        cv2.polylines(drawn, [points], False, ink, thickness, cv2.LINE_AA, _SHIFT)
    for index in reversed(range(len(path))):
        (x, y), colour = centres[index], _PALETTE[round(index / (count - 1) * (len(_PALETTE) - 1))]
        radius = longest * RADIUS * (path[index].duration_s / RADIUS_S) ** 0.5
        bright = float(colour @ np.array([0.299, 0.587, 0.114])) > _BRIGHT
        for size, fill in ((radius + stroke, _INK), (radius, tuple(map(int, colour)))):
            cv2.circle(drawn, _subpixels(x, y), round(size * 2**_SHIFT), fill, -1, cv2.LINE_AA, _SHIFT)
        _write_number(drawn, index + 1, (x, y), radius, _INK if bright else _LIGHT)
    return drawn


def _subpixels(x: float, y: float) -> tuple[int, int]:
    return round(x * 2**_SHIFT), round(y * 2**_SHIFT)


def _write_number(rgb: UInt8, number: int, centre: tuple[float, float], radius: float, ink: tuple[int, ...]) -> None:
    """Write a number in the middle of a circle, in place."""
    half = max(8, round(radius) + 2)
    left, top = (max(0, round(at) - half) for at in centre)
    part = Image.fromarray(rgb[top : top + 2 * half, left : left + 2 * half])
    font = text_font(max(9, round(min(1.1 * radius, 22.0 * max(1.0, max(rgb.shape) / 1024)))))
    place = centre[0] - left, centre[1] - top
    ImageDraw.Draw(part).text(place, str(number), ink, font, anchor="mm")
    rgb[top : top + 2 * half, left : left + 2 * half] = np.asarray(part)
