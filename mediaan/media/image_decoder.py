"""Decode one image file with Pillow: header first, pixels once its size has been checked."""

from __future__ import annotations

import io
import os
import struct
import threading
import warnings
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from typing import Any

import numpy as np
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    ImageFile,
    ImagePalette,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    PpmImagePlugin,
    QoiImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from mediaan.errors import MediumError
from mediaan.media.colour import CodedColours, ToSrgb, encode_srgb, narrowed, of_heif, of_png, scalable
from mediaan.media.image_checks import depths, icc_profile, states_too_much
from mediaan.media.limits import HEIF_EXTRA
from mediaan.media.views import HiddenOnWhite, Size, resize_all
from mediaan.types.arrays import UInt8
from mediaan.types.media import Problem

_HEADER = struct.Struct(">4sH6xHIIHH")
_BITMAP, _GREY, _INDEXED, _RGB, _CMYK, _DUOTONE = 0, 1, 2, 3, 4, 8
_MODES = {_BITMAP: "1", _GREY: "L", _INDEXED: "P", _RGB: "RGB", _CMYK: "RGBA", _DUOTONE: "L"}
"""Pillow's mode for Photoshop's; a duotone is stored as grey, and of ink the complement."""

_MODES_REFUSED = {7: "multichannel", 9: "Lab"}
_DEPTHS = {_BITMAP: (1,), _INDEXED: (8,)}
_RAW_MODES = {1: ";I", 8: "", 16: ";16B"}
"""What Pillow calls samples of so many bits; of a bitmap 1 is black."""

_ICC_PROFILE, _VERSION_INFO = 1039, 1057
_CODECS = {0: "raw", 1: "packbits"}


class PsdImageFile(ImageFile.ImageFile):
    """The flattened picture of a PSD or PSB, which Photoshop writes behind the layers unless it is told not to.

    It is stored on white already, so channels of opacity are left out. Pillow's own reader takes any fourth channel for
    opacity, and knows neither 16 bits nor PSB; its decoders are used here.
    """

    format = "PSD"
    format_description = "Adobe Photoshop"

    def _open(self) -> None:
        assert self.fp is not None
        _, version, channels, height, width, depth, self._kind = _HEADER.unpack(self.fp.read(_HEADER.size))
        if version not in {1, 2} or self._kind not in {*_MODES, *_MODES_REFUSED}:
            raise SyntaxError("the header of a PSD is damaged")
        if self._kind in _MODES_REFUSED:
            message = f"is a PSD in {_MODES_REFUSED[self._kind]} colours; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        if depth not in _DEPTHS.get(self._kind, (8, 16)):
            message = f"is a PSD with {depth} bits in a channel; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        self._size, self._mode = (width, height), _MODES[self._kind]
        if channels < len(self.getbands()):
            raise SyntaxError(f"{channels} channels are too few")
        palette = self._section()
        if self._kind == _INDEXED:
            if len(palette) != 768:
                raise SyntaxError("its palette is damaged")
            self.palette = ImagePalette.raw("RGB;L", palette)
        for number, resource in _resources(self._section()):
            if number == _ICC_PROFILE:
                self.info["icc_profile"] = resource
            elif number == _VERSION_INFO and resource[4:5] == b"\0":
                message = "is a PSD of layers without a flattened picture; save it with Maximize Compatibility"
                raise MediumError(f"{message}, or export it as PNG or JPEG", code="unsupported_format")
        is_psb = version == 2
        self._begin = int.from_bytes(self._read(8 if is_psb else 4), "big") + self.fp.tell()  # behind the layers
        if self._begin + 2 > self.fp.seek(0, os.SEEK_END):
            raise _too_short()
        self._channels, self._depth, self._count_type = channels, depth, np.dtype(">u4" if is_psb else ">u2")

    def load(self) -> Any:
        """Decode the pixels."""
        if self._im is not None:
            return super().load()
        self.tile = self._tiles()
        pixels = super().load()
        if self._kind == _CMYK:
            self.im = Image.fromarray(~np.asarray(self), "CMYK").im
            self._mode = "CMYK"
            pixels = super().load()
        return pixels

    def _tiles(self) -> list[ImageFile._Tile]:
        """Say where each channel that carries colours lies, which follow one after the other, and what decodes it."""
        assert self.fp is not None
        self.fp.seek(self._begin)
        codec = _CODECS.get(int.from_bytes(self._read(2), "big"))
        if codec is None:
            message = "is a PSD whose flattened picture is packed in a rare way; export it as PNG or JPEG"
            raise MediumError(message, code="unsupported_format")
        if codec == "raw":
            channel_bytes = [-(-self.width * self._depth // 8) * self.height] * self._channels
        else:
            rows = self._channels * self.height
            row_bytes = np.frombuffer(self._read(rows * self._count_type.itemsize), self._count_type)
            channel_bytes = row_bytes.reshape(self._channels, self.height).sum(axis=1, dtype=np.int64).tolist()
        offsets = accumulate(channel_bytes, initial=self.fp.tell())
        raw_mode = _RAW_MODES[self._depth]
        return [
            ImageFile._Tile(codec, (0, 0, *self.size), offset, band + raw_mode)
            for band, offset in zip(self.getbands(), offsets, strict=False)
        ]

    def _section(self) -> bytes:
        return self._read(int.from_bytes(self._read(4), "big"))

    def _read(self, length: int) -> bytes:
        assert self.fp is not None
        data = self.fp.read(length)
        if len(data) < length:
            raise _too_short()
        return data


def _resources(section: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield number and content of each image resource; damage ends them."""
    at = 0
    while at + 12 <= len(section):
        number = int.from_bytes(section[at + 4 : at + 6], "big")
        name_bytes = 1 + section[at + 6]
        at += 6 + name_bytes + name_bytes % 2
        length = int.from_bytes(section[at : at + 4], "big")
        yield number, section[at + 4 : at + 4 + length]
        at += 4 + length + length % 2


def _too_short() -> MediumError:
    return MediumError("the file ends too early; fetch or export it again", code="truncated")


_READERS: Mapping[str, type[ImageFile.ImageFile]] = {
    "jpeg": JpegImagePlugin.JpegImageFile,
    "png": PngImagePlugin.PngImageFile,
    "webp": WebPImagePlugin.WebPImageFile,
    "tiff": TiffImagePlugin.TiffImageFile,
    "bmp": BmpImagePlugin.BmpImageFile,
    "avif": AvifImagePlugin.AvifImageFile,
    "gif": GifImagePlugin.GifImageFile,
    "jpeg-2000": Jpeg2KImagePlugin.Jpeg2KImageFile,
    "psd": PsdImageFile,
    "pnm": PpmImagePlugin.PpmImageFile,
    "qoi": QoiImagePlugin.QoiImageFile,
}
"""Used directly rather than through Image.open, whose size limit is one global for the whole process."""

_EXIF_ORIENTATION = 0x0112
_UPRIGHT = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_SIDEWAYS = frozenset({5, 6, 7, 8})

_TIFF_SUBFILE_TYPE, _TIFF_BITS, _TIFF_PHOTOMETRIC, _TIFF_SAMPLE_FORMAT, _TIFF_DNG_VERSION = 254, 258, 262, 339, 50706
_REDUCED_RESOLUTION, _WHITE_IS_ZERO, _SIGNED = 1, 0, 2

_warnings_lock = threading.Lock()


def _has_unread_opacity(data: bytes) -> bool:
    """Tell whether a BMP has 16 bits a pixel, one of them opacity, which Pillow leaves out.

    The header's size, the bits of a pixel and the mask of opacity stand at bytes 14, 28 and 66 (BITMAPV3INFOHEADER).
    """
    header, bits, mask = (int.from_bytes(data[at : at + size], "little") for at, size in ((14, 4), (28, 2), (66, 4)))
    return header >= 56 and bits == 16 and mask > 0


class ImageDecoder:
    """An image whose header has been read and whose pixels have not.

    Pillow's exceptions pass through; the caller knows the file's name.

    `data`: the whole file.
    `codec`: a member of `probe.IMAGE_FORMATS`.
    `size` (int, int): width and height as stored (before rotation), px.
    `problems`: grows while the image is read.
    """

    def __init__(self, data: bytes, codec: str) -> None:
        self.codec = codec
        self.problems: list[Problem] = []
        reader = _READERS.get(codec)
        if reader is None:  # heic
            try:
                from pillow_heif import HeifImageFile
            except ImportError as error:
                message = f"HEIC needs an extra package: pip install '{HEIF_EXTRA}', or export it as JPEG"
                raise MediumError(message, code="unsupported_format") from error
            reader = HeifImageFile
        with self._warnings_as_problems():
            self._image = reader(io.BytesIO(data))
            tags = getattr(self._image, "tag_v2", {})
            # DNG, NEF, ARW and the like are TIFF by content; their first page is but a preview
            if tags.get(_TIFF_SUBFILE_TYPE, 0) & _REDUCED_RESOLUTION or _TIFF_DNG_VERSION in tags:
                raise MediumError("is a camera's raw file; export it as JPEG or TIFF", code="unsupported_format")
        self.size: Size = self._image.size
        if codec == "bmp" and _has_unread_opacity(data):
            message = "the opacity of a BMP with 16 bits a pixel is not read: hidden pixels are visible; save it as PNG"
            self.problems.append(Problem("opacity_ignored", message))
        if codec == "jpeg-2000":
            if max(depths(data), default=0) > 8 and self._image.mode != "I;16":  # Pillow rounds white up to black
                message = "is a JPEG 2000 with more than 8 bits a channel; export it with 8"
                raise MediumError(message, code="unsupported_format")
            self._image.info["icc_profile"] = icc_profile(data)
            self._states_too_much = states_too_much(data, self.size)
        self._coded = self._coded_colours(data)
        # linear light, by which no profile for stored colours is meant
        self._is_float = self._image.mode == "F"
        if self._is_float:
            message = (
                "samples are floats: taken as linear light, 0 as black and 1 as white; what lies beyond was clipped"
            )
            self.problems.append(Problem("float_samples", message))
        # Pillow's name for the stored samples, which it forgets once it has decoded them
        arguments = self._image.tile[0][3] if self._image.tile else ""
        self._rawmode = str(arguments[0]) if isinstance(arguments, tuple) else str(arguments)
        self._orientation = 1

    def _coded_colours(self, data: bytes) -> CodedColours | None:
        """Read the colours that the file states by numbers, where these count and not a profile."""
        try:
            if self.codec == "png":
                coded = of_png(data)
                return None if coded == "profile" else coded
            if self.codec in {"avif", "heic"} and not self._image.info.get("icc_profile"):
                return of_heif(data)
        except ValueError as error:
            message = f"the stated colours could not be used ({error}); they were taken as sRGB"
            self.problems.append(Problem("colours_not_converted", message))
        return None

    def displayed_size(self) -> Size:
        """Return width and height as displayed; of PNG this decodes the pixels, which its metadata may follow."""
        if self.codec == "png":
            self._image.load()  # reading the metadata would, but in the lock on warnings
        if self.codec != "tiff":  # Pillow turns TIFF by itself, and states the turned size
            try:
                with self._warnings_as_problems():
                    value = self._image.getexif().get(_EXIF_ORIENTATION, 1)
            except (SyntaxError, ValueError, TypeError, LookupError, OSError, struct.error) as error:
                message = f"the EXIF data could not be read ({error}); the image was taken as upright"
                self.problems.append(Problem("exif_ignored", message))
            else:
                self._orientation = value if value in _UPRIGHT else 1
        return self._turned(self.size)

    @property
    def colours(self) -> bytes | CodedColours | None:
        """The ICC profile of the file, or what it states instead."""
        return None if self._is_float else self._coded or self._image.info.get("icc_profile")

    def pixels(self) -> Image.Image:
        """Decode at full size, as stored; in a mode that `scalable` returns, colours as they are."""
        self._load(())
        return self._scalable()

    def views(self, sizes: Collection[Size]) -> dict[Size, UInt8]:
        """Decode, scale and convert.

        `sizes` (collection of (int, int)): wanted widths and heights, as displayed.
        Returns dict of (int, int) to (1, h, w, 3) uint8: sRGB on white, upright, read-only.
        """
        stored = {self._turned(size): size for size in sizes}
        box = self._load(stored)
        pixels = self._scalable()
        to_srgb = ToSrgb(pixels.mode, self.colours)
        hidden = HiddenOnWhite()
        hidden.add(pixels)
        self.problems += [problem for problem in (to_srgb.problem, hidden.problem) if problem]
        turn = _UPRIGHT.get(self._orientation)
        views = {}
        for size, scaled in resize_all(pixels, stored, box).items():
            image = to_srgb(scaled)
            views[stored[size]] = np.asarray(image if turn is None else image.transpose(turn))[None]
        return views

    def _load(self, sizes: Collection[Size]) -> tuple[float, float, float, float]:
        """Decode, JPEG at the smallest scale that covers all sizes; return the area of the image in its pixels."""
        image = self._image
        if self.codec == "jpeg":
            covering = (max((w for w, _ in sizes), default=1), max((h for _, h in sizes), default=1))
            drafted = image.draft(None, covering)
            image.load()
            if drafted:
                return drafted[1]
        elif self.codec == "jpeg-2000" and self._states_too_much:
            message = "its header and its pixels state different sizes, or it has too many tiles; export it again"
            raise MediumError(message, code="decode_failed")
        elif self.codec == "tiff":
            with self._warnings_as_problems():  # the tags are read again, and size warned of that was accepted
                image.load()
        else:
            image.load()
        if getattr(image, "is_animated", False):
            if self.codec in {"tiff", "heic"}:
                message = "the file holds several images; only its main one was analyzed"
                self.problems.append(Problem("first_page_only", message))
            else:
                message = "the image is animated; only its first frame was analyzed"
                self.problems.append(Problem("first_frame_only", message))
        return (0, 0, *image.size)

    def _scalable(self) -> Image.Image:
        """Return the decoded pixels in a mode whose pixels may be averaged; wide samples become 8 bits."""
        image: Image.Image = self._image
        if self.codec == "bmp" and image.mode == "RGBA" and not image.getchannel("A").getbbox():
            image = image.convert("RGB")  # opacity that is never filled in was not meant, as browsers know
        if not image.mode.startswith(("I", "F")):
            return scalable(image, self._rawmode)
        samples = np.asarray(image)
        tags = getattr(image, "tag_v2", {})
        bits = tags.get(_TIFF_BITS, (16,))[0]
        signed = tags.get(_TIFF_SAMPLE_FORMAT, (1,))[0] == _SIGNED
        if samples.dtype.kind == "f":
            samples, white = encode_srgb(samples), 255.0
        else:
            white = float(2 ** (bits - signed) - 1)
        if samples.dtype == np.int32 and not signed:
            samples = samples.view(np.uint32)
        inverted = tags.get(_TIFF_PHOTOMETRIC) == _WHITE_IS_ZERO
        grey = narrowed(samples, white, inverted=inverted, key=image.info.get("transparency"))
        return scalable(grey, self._rawmode)

    def _turned(self, size: Size) -> Size:
        return (size[1], size[0]) if self._orientation in _SIDEWAYS else size

    @contextmanager
    def _warnings_as_problems(self) -> Iterator[None]:
        """Turn warnings into problems; Python keeps one list of filters per process, hence the lock."""
        with _warnings_lock, warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            yield
        texts = (str(warning.message) for warning in caught if warning.category is not Image.DecompressionBombWarning)
        self.problems += [Problem("damaged_metadata", f"while reading the metadata: {text}") for text in texts]
