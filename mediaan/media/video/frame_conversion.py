"""Convert decoded video frames to views: scaled, upright, on white, in sRGB."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import av
import cv2
import numpy as np
import numpy.typing as npt
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc, Interpolation, VideoReformatter
from PIL import Image

from mediaan.media.colour import Gamut, Transfer, to_srgb
from mediaan.media.video.shots import THUMBNAIL_WIDTH
from mediaan.media.views import HiddenOnWhite, Size, on_white, resize_all, view_size
from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem, ViewSpec

_SCALING = Interpolation.AREA | Interpolation.FULL_CHR_H_INT
"""Against conversion at full size and Pillow's Hamming window, 1080p to 576 px: RMSE 0.40 in 2.5 ms. Without full
chroma 2.3 and everything darker by 2 of 255; bicubic 0.57 in 4.1 ms."""

_WIDE = "gbrp16le"
"""16 bits. With full chroma, libswscale gets rgb48le and rgba64le of 4:2:0 wrong, green as blue, where it
does not scale the rows."""

_MAX_PIXEL_ASPECT = 8
_HD_LINES = 720
_CLOSE_ENOUGH = 1.25
"""A view that is smaller than another by less than this factor is made from it, bicubic: 0.2 ms, not 2.1, RMSE 0.7."""

# AVCOL_SPC_* of libavutil to SWS_CS_* of libswscale; for others the number of lines decides.
_MATRICES = {
    1: Colorspace.ITU709,
    4: Colorspace.FCC,
    5: Colorspace.ITU601,
    6: Colorspace.ITU601,
    7: Colorspace.SMPTE240M,
    9: Colorspace.BT2020,
    10: Colorspace.BT2020,
}
_MATRICES_UNKNOWN = {8: "YCgCo", 11: "Y'D'zD'x", 12: "derived from primaries", 13: "derived from primaries"} | {
    14: "ICtCp",
    15: "IPT-C2",
    16: "YCgCo-Re",
    17: "YCgCo-Ro",
}
"""Of AVCOL_SPC_*: libswscale has no matrix for them."""

_TRANSFERS: Mapping[int, Transfer] = {ColorTrc.SMPTE2084: "pq", ColorTrc.ARIB_STD_B67: "hlg"}
_GAMUTS: Mapping[int, Gamut] = {ColorPrimaries.BT2020: "bt2020", ColorPrimaries.SMPTE432: "p3"}

_SDR: tuple[Transfer, Gamut] = ("sdr", "bt709")

_TURNS = {1: (True, True, False), 2: (False, True, True), 3: (True, False, True)}
"""Fields of `Orientation` by counter-clockwise quarter turns."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """The way from stored rows and columns to displayed ones: transposed first, then each maybe reversed."""

    transposed: bool = False
    rows_reversed: bool = False
    columns_reversed: bool = False

    @classmethod
    def of(cls, frame: av.VideoFrame) -> Orientation:
        """Read the display matrix; its angle is taken as the nearest multiple of 90 degrees."""
        try:
            data: Any = frame.side_data.get("DISPLAYMATRIX")
        except ValueError:  # PyAV does not know a kind of data beside it; a mirror would be lost, a turn is not
            return cls(*_TURNS.get(round(frame.rotation / 90) % 4, ()))
        if data is None:
            return cls()
        a, b, _, c, d = np.frombuffer(bytes(data), "=i4")[:5].tolist()
        # (a b; c d) takes stored (x, y) to displayed (ax + cy, bx + dy), y downwards.
        if abs(a) + abs(d) >= abs(b) + abs(c):
            return cls(False, d < 0, a < 0)
        return cls(True, b < 0, c < 0)

    def size(self, size: Size) -> Size:
        """Transform a width and height, either way."""
        return (size[1], size[0]) if self.transposed else size

    def __call__(self, pixels: UInt8) -> UInt8:
        """Transform (h, w, ...) pixels, without a copy."""
        if self.transposed:
            pixels = pixels.swapaxes(0, 1)
        return pixels[:: -1 if self.rows_reversed else 1, :: -1 if self.columns_reversed else 1]


class FrameConverter:
    """Converts frames to views, in the sizes that suit the first frame.

    `first`: determines size, orientation and colours of the medium.
    `pixel_aspect`: width of a pixel over its height.
    `width`, `height`: as displayed, px.
    """

    def __init__(self, first: av.VideoFrame, pixel_aspect: Fraction | None, views: Sequence[ViewSpec]) -> None:
        self._problems: list[Problem] = []
        self._hidden = HiddenOnWhite()
        self._aspect = pixel_aspect or Fraction(1)
        if not Fraction(1, _MAX_PIXEL_ASPECT) <= self._aspect <= _MAX_PIXEL_ASPECT:
            message = f"the stated pixel aspect of {self._aspect} cannot be; pixels were taken as square"
            self._note("pixel_aspect_ignored", message)
            self._aspect = Fraction(1)
        self._stored = (first.width, first.height)
        self._orientation = Orientation.of(first)
        self.width, self.height = self._displayed(self._stored)
        self._sizes = {spec.name: view_size(self.width, self.height, spec) for spec in views}
        self._scalers: dict[Size, VideoReformatter] = {}
        scale = min(1.0, THUMBNAIL_WIDTH / max(self._stored))
        self._thumbnail_size = (max(1, round(first.width * scale)), max(1, round(first.height * scale)))
        if transfer := _TRANSFERS.get(first.color_trc):
            self._note("tone_mapped", f"the video is HDR ({transfer.upper()}); it was tone-mapped to SDR")
        if (matrix := _MATRICES_UNKNOWN.get(first.colorspace)) and not first.format.is_rgb:
            message = f"colours in {matrix} are not converted, so they are wrong; export the video as Rec. 709"
            self._note("colours_not_converted", message)
        if first.interlaced_frame:
            self._note("interlaced", "the video is interlaced; frames were taken with both fields as they are")

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Problems of the frames so far, each once."""
        hidden = self._hidden.problem
        return (*self._problems, hidden) if hidden else tuple(self._problems)

    def views(self, frame: av.VideoFrame) -> Mapping[str, UInt8]:
        """Return the views of a frame: (h, w, 3) uint8 sRGB, RGB order."""
        sizes = set(self._sizes.values())
        as_first = (frame.width, frame.height) == self._stored
        made = self._scaled(frame, sizes) if as_first else self._fitted(frame, sizes)
        return {name: made[size] for name, size in self._sizes.items()}

    def thumbnail(self, frame: av.VideoFrame) -> UInt8:
        """Return a frame for shot detection: stored orientation, BGR; exact colours do not matter."""
        width, height = self._thumbnail_size
        # Two nearest-neighbour taps a pixel in each direction, then their mean: a third of the time of all pixels.
        pixel_format = "rgba" if _has_alpha(frame) else "bgr24"
        doubled = self._reformat(frame, (2 * width, 2 * height), pixel_format, Interpolation.FAST_BILINEAR)
        if doubled.shape[2] == 4:
            doubled = np.asarray(on_white(Image.fromarray(doubled).convert("RGBa")))[..., ::-1]
        return np.asarray(cv2.resize(doubled, (width, height), interpolation=cv2.INTER_AREA))

    def _scaled(self, frame: av.VideoFrame, sizes: set[Size]) -> dict[Size, UInt8]:
        stored = {self._orientation.size(size) for size in sizes}
        scaled = self._scaled_on_white(frame, stored) if _has_alpha(frame) else self._scaled_opaque(frame, stored)
        return {self._orientation.size(size): self._orientation(pixels) for size, pixels in scaled.items()}

    def _scaled_opaque(self, frame: av.VideoFrame, sizes: set[Size]) -> dict[Size, UInt8]:
        """Scale during the conversion, or from a larger view where that is as good and cheaper."""
        made: dict[Size, UInt8] = {}
        for size in sorted(sizes, key=math.prod, reverse=True):
            near = [k for k in made if max(k[0] / size[0], k[1] / size[1]) <= _CLOSE_ENOUGH and k[1] >= size[1]]
            double = (2 * size[0], 2 * size[1])
            if double in made:
                made[size] = np.asarray(cv2.resize(made[double], size, interpolation=cv2.INTER_AREA))
            elif near:
                made[size] = np.asarray(cv2.resize(made[near[-1]], size, interpolation=cv2.INTER_CUBIC))
            elif _colours(frame) == _SDR:
                # at one and the same size libswscale leaves the last columns of planes unwritten
                made[size] = self._reformat(frame, size, "rgb24" if size == (frame.width, frame.height) else "gbrp")
            else:
                made[size] = to_srgb(self._reformat(frame, size, _WIDE), *_colours(frame))
        return made

    def _scaled_on_white(self, frame: av.VideoFrame, sizes: set[Size]) -> dict[Size, UInt8]:
        """Multiply colours by opacity before they are averaged, or hidden ones would show."""
        size = (frame.width, frame.height)
        rgba = self._reformat(frame, size, "rgba")
        if _colours(frame) != _SDR:
            rgba = np.dstack([to_srgb(self._reformat(frame, size, _WIDE), *_colours(frame)), rgba[..., 3]])
        multiplied = Image.fromarray(rgba, "RGBA").convert("RGBa")
        self._hidden.add(multiplied)
        scaled = resize_all(multiplied, sizes, (0, 0, *multiplied.size))
        return {size: on_white(image) for size, image in scaled.items()}

    def _fitted(self, frame: av.VideoFrame, sizes: set[Size]) -> dict[Size, UInt8]:
        """Show a frame of another size whole within the views, as players do, with black beside it."""
        self._note(
            "size_changes", "the frame size changes in mid-stream; later frames were fitted into the first one's"
        )
        width, height = self._displayed((frame.width, frame.height))
        fitted: dict[Size, UInt8] = {}
        for size in sizes:
            scale = min(size[0] / width, size[1] / height)
            inner = (max(1, min(size[0], round(width * scale))), max(1, min(size[1], round(height * scale))))
            left, top = (size[0] - inner[0]) // 2, (size[1] - inner[1]) // 2
            fitted[size] = np.zeros((size[1], size[0], 3), np.uint8)
            fitted[size][top : top + inner[1], left : left + inner[0]] = self._scaled(frame, {inner})[inner]
        return fitted

    def _reformat(
        self, frame: av.VideoFrame, size: Size, pixel_format: str, scaling: Interpolation = _SCALING
    ) -> npt.NDArray[Any]:
        """Scale and convert; planes (gbrp), which libswscale writes in a third of the time of rgb24, become RGB."""
        scaler = self._scalers.setdefault(size, VideoReformatter())
        is_full_range = frame.format.is_rgb or frame.format.name.startswith("yuvj")
        # BT.709 came with high definition
        usual_matrix = Colorspace.ITU709 if frame.height >= _HD_LINES else Colorspace.ITU601
        scaled = scaler.reformat(
            frame,
            *size,
            pixel_format,
            src_colorspace=_MATRICES.get(frame.colorspace) or usual_matrix,
            src_color_range=frame.color_range or (ColorRange.JPEG if is_full_range else ColorRange.MPEG),
            dst_color_range=ColorRange.JPEG,
            interpolation=scaling,
            threads=1,
        )
        if pixel_format in {"gbrp", _WIDE}:
            kind: np.dtype[np.uint8 | np.uint16] = np.dtype(np.uint8 if pixel_format == "gbrp" else np.uint16)
            green, blue, red = (
                np.frombuffer(memoryview(plane), kind).reshape(plane.height, -1)[:, : size[0]]
                for plane in scaled.planes
            )
            pixels = np.asarray(cv2.merge([red, green, blue]))
        else:
            pixels = scaled.to_ndarray()
        is_grey = len(frame.format.components) == 1 and frame.format.components[0].bits >= 8
        if is_grey and not frame.format.has_palette and frame.color_range == ColorRange.MPEG:
            # libswscale takes grey for full range whatever is stated
            levels = np.arange(256) if pixels.dtype == np.uint8 else np.arange(65536) / 257
            stretched = np.clip((levels - 16) * (255 / 219), 0, 255) * (1 if pixels.dtype == np.uint8 else 257)
            pixels = np.rint(stretched).astype(pixels.dtype)[pixels]
        return pixels

    def _displayed(self, stored: Size) -> Size:
        return self._orientation.size((max(1, round(stored[0] * self._aspect)), stored[1]))

    def _note(self, code: str, message: str) -> None:
        problem = Problem(code, message)
        if problem not in self._problems:
            self._problems.append(problem)


def _has_alpha(frame: av.VideoFrame) -> bool:
    return frame.format.has_palette or any(component.is_alpha for component in frame.format.components)


def _colours(frame: av.VideoFrame) -> tuple[Transfer, Gamut]:
    """Return the transfer curve and the gamut of a frame; HDR without stated primaries has those of BT.2020."""
    transfer = _TRANSFERS.get(frame.color_trc, "sdr")
    return transfer, _GAMUTS.get(frame.color_primaries, "bt709" if transfer == "sdr" else "bt2020")
