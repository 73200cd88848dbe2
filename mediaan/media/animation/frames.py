"""Define what a frame of an animation changes, and compose frames on a canvas."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol

from PIL import Image

from mediaan.media.stills.colour import separate
from mediaan.media.views import Size

Box = tuple[int, int, int, int]
Disposal = Literal["keep", "clear", "restore"]

DEFAULT_DELAY_S = 0.1
"""Browsers show frames of 10 ms or less for 100 ms: many old GIFs state 0 and were drawn for slow machines.
Firefox (image/FrameTimeout.h) and Chromium do so for GIF, WebP and PNG alike."""

_SHORTEST_DELAY_S = 0.010


@dataclass(frozen=True, slots=True)
class FramePatch:
    """The change that one frame of an animation makes."""

    box: Box
    """Left, top, right, bottom on the canvas, px; may exceed it."""
    delay_s: float
    """Stated duration of the frame, s."""
    disposal: Disposal
    """Treatment of the box before the next frame draws: kept, made transparent, or put back as it was."""
    blends: bool
    """True if pixels below show through where the patch is transparent; else they are replaced."""
    size_bytes: int
    """Bytes that it takes in the file."""
    still: Callable[[], bytes]
    """Returns the patch alone as a still image file in the animation's format; reads it when called."""

    @property
    def shown_s(self) -> float:
        """Duration for which a browser shows the frame, s."""
        return self.delay_s if self.delay_s > _SHORTEST_DELAY_S else DEFAULT_DELAY_S


class AnimationFile(Protocol):
    """The file of an animation, read a frame at a time."""

    @property
    def size(self) -> Size:
        """Width and height of the canvas, px."""
        ...

    @property
    def is_grey(self) -> bool:
        """True if its pixels have no colour, so that a grey profile applies."""
        ...

    @property
    def share_held(self) -> float:
        """Share of the animation that the file holds, 0-1; known once the patches are exhausted."""
        ...

    @property
    def is_animated(self) -> bool:
        """True if there are several frames, as far as can be told without reading further."""
        ...

    def patches(self) -> Iterator[FramePatch]:
        """Yield all complete frames, from the first; no pixels are decoded.

        Raises MediumError: the file ends too early to tell how much is missing.
        """
        ...


class AnimationCanvas:
    """Pixels on which the frames of an animation are drawn one after the other; transparent at first.

    `size` (int, int): width and height, px.
    `image`: the pixels on display, in mode RGBA.
    """

    def __init__(self, size: Size) -> None:
        self.image = Image.new("RGBA", size)
        self._pending: tuple[Image.Image, Box] | None = None

    def draw(self, pixels: Image.Image | None, patch: FramePatch) -> None:
        """Draw a patch, once the one before has been disposed of.

        `pixels`: the decoded patch, in a mode that `scalable` returns; None where the patch lies outside.
        """
        if self._pending:
            self.image.paste(*self._pending)
            self._pending = None
        if pixels is None:
            return
        left, top, right, bottom = patch.box
        box = (left, top, min(right, self.image.width), min(bottom, self.image.height))
        below = self.image.crop(box)
        if patch.disposal != "keep":
            self._pending = (below if patch.disposal == "restore" else Image.new("RGBA", below.size), box)
        # Opaque patches, which most are, need no blending: a third of the time of a frame.
        blends = patch.blends and pixels.has_transparency_data
        drawn = separate(pixels).convert("RGBA").crop((0, 0, *below.size))
        self.image.paste(Image.alpha_composite(below, drawn) if blends else drawn, box)

    def shows(self, patch: FramePatch) -> bool:
        """Return True if any of a patch lies on the canvas."""
        left, top, right, bottom = patch.box
        return left < min(right, self.image.width) and top < min(bottom, self.image.height)
