"""Define the limits of media and refuse what exceeds them; translate errors of decoders and files to MediumError."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic

from mediaan.errors import MediumError

HEIF_EXTRA = "mediaan[heif]"
"""What reads HEIC; no default, since the wheel of pillow-heif carries libheif and libde265 (LGPL) and x265 (GPL)."""

MAX_SIDE = 300_000
"""Longest side of any frame, px: the most that a design program writes (Photoshop, PSB). A file of 99,000,000 x 1 px
keeps within the megapixels, and no scaler has room for its line."""

MIN_SHARE_READ = 0.9
"""Share of a video or animation that must be readable for its numbers to count."""

_DURATION_PER_LIMIT_S = 600.0
"""The time limit is for so much of a video, s."""

_MIN_BYTES_PER_S = 5000.0
"""40 kbit/s: a video that states to last longer than its size has room for does not get the time for it."""


@dataclass(frozen=True, slots=True)
class MediaLimits:
    """Limits above which a medium is refused, before its pixels are decoded wherever the file states it."""

    max_megapixels: float = 100.0
    """Of an image."""
    max_video_megapixels: float = 36.0
    """Of a frame of a video or an animation."""
    max_side: int | None = None
    """Longest side of any frame, px; None sets no limit below `MAX_SIDE`."""
    time_limit_s: float = 900.0
    """Wall time for one medium, s; a medium that takes longer fails. A video of more than ten minutes gets as much for
    each ten."""
    max_duration_s: float = 86400.0
    """Of a video or an animation, s: a frame may state that it stays for years."""
    mixed: bool = False
    """Take only mixed media of the v2 service: MP4, WebM, MOV, MKV, AVI and GIF."""


class Deadline:
    """The end of the time that a medium may take.

    `limit_s`: wall time from now, s.
    """

    def __init__(self, limit_s: float) -> None:
        self.limit_s = limit_s
        self._ends = monotonic() + limit_s

    def allow_for(self, duration_s: float | None, size_bytes: int) -> None:
        """Give a long video the limit once for every ten minutes that it states and that its size makes credible.

        >>> deadline = Deadline(900)
        >>> deadline.allow_for(7200, 3_000_000_000)
        >>> deadline.limit_s
        10800.0
        >>> deadline = Deadline(900)
        >>> deadline.allow_for(1e9, 50_000)
        >>> deadline.limit_s
        900
        """
        credible_s = min(duration_s or 0.0, size_bytes / _MIN_BYTES_PER_S)
        if credible_s > _DURATION_PER_LIMIT_S:
            more_s = self.limit_s * (credible_s / _DURATION_PER_LIMIT_S - 1)
            self.limit_s, self._ends = self.limit_s + more_s, self._ends + more_s

    def check(self) -> None:
        """Raise MediumError with the code ``time_limit`` when the time is over."""
        if monotonic() > self._ends:
            raise self.error()

    def error(self) -> MediumError:
        """Return the error that says so."""
        message = f"takes longer than {self.limit_s:g} s; raise the limit with --time-limit, or use --fast"
        return MediumError(message, code="time_limit")


def check_duration(seconds: float, limits: MediaLimits) -> None:
    """Raise MediumError with the code ``too_long`` for what lasts too long."""
    if seconds > limits.max_duration_s:
        message = f"lasts more than {limits.max_duration_s / 3600:g} hours, the limit; cut it into parts"
        raise MediumError(message, code="too_long")


def check_frame_size(width: int, height: int, limits: MediaLimits) -> None:
    """Raise MediumError with the code ``too_large`` for frames of a video that are too large."""
    megapixels = width * height / 1e6
    if megapixels > limits.max_video_megapixels:
        limit = f"{limits.max_video_megapixels:g}"
        message = f"has {width} x {height} px ({megapixels:.1f} megapixels), above the limit of {limit}"
    elif max(width, height) > (max_side := min(MAX_SIDE, limits.max_side or MAX_SIDE)):
        message = f"has {width} x {height} px, above the limit of {max_side} px a side"
    else:
        return
    raise MediumError(f"{message}; scale it down or raise the limit", code="too_large")


def check_image_size(size: tuple[int, int], max_megapixels: float, max_side: int | None = None) -> None:
    """Refuse a frame of an image or animation by its stated size.

    Raises MediumError: with the code ``too_large`` or ``decode_failed``.
    """
    if min(size) < 1:
        raise MediumError(f"states a size of {size[0]} x {size[1]} px; export it again", code="decode_failed")
    megapixels = size[0] * size[1] / 1e6
    if megapixels > max_megapixels:
        message = (
            f"has {size[0]} x {size[1]} px ({megapixels:.0f} megapixels), above the limit of {max_megapixels:g}; "
            "scale it down or raise the limit"
        )
        raise MediumError(message, code="too_large")
    if max(size) > (max_side := min(MAX_SIDE, max_side or MAX_SIDE)):
        message = f"has {size[0]} x {size[1]} px, above the limit of {max_side} px for a side; scale it down"
        raise MediumError(message, code="too_large")


DECODER_ERRORS = (
    ArithmeticError,
    AssertionError,
    AttributeError,
    EOFError,
    LookupError,
    OSError,
    RuntimeError,
    SyntaxError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""Known to be raised by Pillow's readers on damaged files."""


@contextmanager
def errors_name_file(name: str) -> Iterator[None]:
    """Put the name of a file before the messages of MediumErrors."""
    try:
        yield
    except MediumError as error:
        raise MediumError(f"{name}: {error.message}", code=error.code) from error


@contextmanager
def translate_memory_errors(name: str) -> Iterator[None]:
    """Translate the failure to get memory for a file into a MediumError with the code ``too_large``."""
    try:
        yield
    except MemoryError as error:
        message = f"{name}: needs more memory than is free; scale it down, or analyze fewer files at a time (--workers)"
        raise MediumError(message, code="too_large") from error


@contextmanager
def translate_decode_errors(name: str) -> Iterator[None]:
    """Translate the errors of Pillow's readers; the messages begin with the name of the file."""
    from PIL import Image  # here, so that who only reads limits need not load it

    try:
        with translate_memory_errors(name), errors_name_file(name):
            yield
    except Image.DecompressionBombError as error:
        raise MediumError(f"{name}: is larger than the decoder accepts ({error})", code="too_large") from error
    except DECODER_ERRORS as error:
        if str(error) == "unknown pixel mode":  # of TIFF: colours in floats, unusual numbers of bits
            message = f"{name}: its kind of pixels is not supported; export it with 8 or 16 bits a channel"
            raise MediumError(message, code="unsupported_format") from error
        if "truncated" in str(error).lower() or "not enough image data" in str(error):
            message = f"{name}: the file ends too early ({error}); fetch or export it again"
            raise MediumError(message, code="truncated") from error
        message = f"{name}: the file is damaged or of an unknown kind ({error}); export it again"
        raise MediumError(message, code="decode_failed") from error


@contextmanager
def translate_read_errors() -> Iterator[None]:
    """Translate the system's errors about a file that cannot be read; to be used inside one of the above."""
    try:
        yield
    except OSError as error:
        message = f"cannot be read ({error.strerror}); check that it is there and that you may read it"
        raise MediumError(message, code="unreadable") from error
