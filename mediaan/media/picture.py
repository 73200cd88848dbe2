"""Open a picture file: checked, decoded from memory, upright, in sRGB on white, in the sizes that were asked for."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image

from mediaan.errors import MediumError
from mediaan.media.decoder import Decoder
from mediaan.media.folder import displayable
from mediaan.media.identify import HEAD_BYTES, PICTURE_FORMATS, VIDEO_FORMATS, ends_early, medium_id, sniff
from mediaan.media.view import Size, view_size
from mediaan.types.media import Chunk, Medium, ViewSpec
from mediaan.types.outcome import Problem

_BYTES_PER_PIXEL_AT_MOST = 16
"""Four channels of 32 bits, uncompressed."""

_DECODER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What Pillow's readers are known to raise on damaged files."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A medium with its pixels.

    Attributes
    ----------
    medium : Medium
    chunks : tuple of Chunk
        For a picture one chunk of one frame at t = 0 that stands for the whole exposure.
    size_bytes : int
        Size of the file.
    problems : tuple of Problem
        What did not hinder the decoding but is worth knowing.
    """

    medium: Medium
    chunks: tuple[Chunk, ...]
    size_bytes: int
    problems: tuple[Problem, ...] = ()


def open_picture(
    path: Path, views: Sequence[ViewSpec], *, max_megapixels: float = 100.0, exposure_s: float = 5.0
) -> Opened:
    """Read a picture and give it in the sizes that are wanted.

    The file is read once. JPEG is decoded at the smallest of the scales 1, 1/2, 1/4, 1/8 that covers all views.
    Of animations and of files with several pages the first picture is taken, which is noted as a problem.

    Parameters
    ----------
    path : Path
        A JPEG, PNG, WebP, TIFF, BMP, AVIF, GIF or (with the extra ``mediaan[heif]``) HEIC file, told by its content.
    views : sequence of ViewSpec
        Wanted sizes; their names become the keys of `Chunk.views`.
    max_megapixels : float
        Larger pictures are refused before their pixels are decoded. Above 178 MP, Pillow refuses WebP and TIFF itself.
    exposure_s : float
        How long viewers are supposed to look, s.

    Returns
    -------
    Opened
        With views of shape (1, H, W, 3), uint8, sRGB, read-only; the medium's size is the full size as displayed.

    Raises
    ------
    MediumError
        With the code ``unreadable``, ``empty_file``, ``not_a_picture``, ``unsupported_format``, ``too_large``,
        ``truncated`` or ``decode_failed``.
    """
    name = displayable(path.name)
    with _errors_about(name):
        data, codec = _read(path, max_megapixels)
        decoder = Decoder(data, codec)
        _check_size(decoder.size, max_megapixels)
        width, height = decoder.displayed_size()
        sizes = {spec.name: view_size(width, height, spec) for spec in views}
        frames = decoder.views(set(sizes.values()))
    medium = Medium(medium_id(data), name, "image", width, height, codec)
    chunk = Chunk(
        t=np.array([0.0]),
        weight_s=np.array([exposure_s]),
        views={view: frames[size] for view, size in sizes.items()},
        shot=np.array([0], np.int32),
        fresh=np.array([True]),
    )
    return Opened(medium, (chunk,), len(data), tuple(dict.fromkeys(decoder.problems)))


@contextmanager
def _errors_about(name: str) -> Iterator[None]:
    """Say which file an error is about, and translate those of the decoder."""
    try:
        yield
    except MediumError as error:
        raise MediumError(f"{name}: {error.message}", code=error.code) from error
    except Image.DecompressionBombError as error:
        raise MediumError(f"{name}: is larger than the decoder accepts ({error})", code="too_large") from error
    except _DECODER_ERRORS as error:
        if "truncated" in str(error).lower():
            message = f"{name}: the file ends too early ({error}); fetch or export it again"
            raise MediumError(message, code="truncated") from error
        message = f"{name}: the file is damaged or of an unknown kind ({error}); export it again"
        raise MediumError(message, code="decode_failed") from error


def _read(path: Path, max_megapixels: float) -> tuple[bytes, str]:
    """Read a file whole, once its first bytes have shown that it can be decoded."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise MediumError("is not a regular file", code="unreadable")
        with path.open("rb") as file:
            codec = _supported_format(file.read(HEAD_BYTES))
            if status.st_size > max_megapixels * 1e6 * _BYTES_PER_PIXEL_AT_MOST:
                message = f"{status.st_size / 1e6:.0f} MB are more than {max_megapixels:g} megapixels can take"
                raise MediumError(message, code="too_large")
            file.seek(0)
            data = file.read()
    except OSError as error:
        message = f"cannot be read ({error.strerror}); check that it is there and that you may read it"
        raise MediumError(message, code="unreadable") from error
    if ends_early(data, codec):
        raise MediumError("the file ends too early; fetch or export it again", code="truncated")
    return data, codec


def _supported_format(head: bytes) -> str:
    if not head:
        raise MediumError("the file is empty; fetch or export it again", code="empty_file")
    codec = sniff(head)
    if codec is None:
        raise MediumError("by its content this is no picture, whatever its name says", code="not_a_picture")
    if codec in VIDEO_FORMATS:
        raise MediumError(f"is a video ({codec}); videos are not supported yet", code="unsupported_format")
    if codec not in PICTURE_FORMATS:
        raise MediumError(f"{codec} is not supported; export it as PNG or JPEG", code="unsupported_format")
    return codec


def _check_size(size: Size, max_megapixels: float) -> None:
    megapixels = size[0] * size[1] / 1e6
    if megapixels > max_megapixels:
        message = (
            f"has {size[0]} x {size[1]} px ({megapixels:.0f} megapixels), above the limit of {max_megapixels:g}; "
            "scale it down or raise the limit"
        )
        raise MediumError(message, code="too_large")
