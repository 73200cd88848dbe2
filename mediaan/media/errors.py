"""Translate errors of decoders and of the file system into MediumError."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image

from mediaan.errors import MediumError

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


def check_readable_once(name: str, *, closed: bool, begun: bool) -> None:
    """Raise ValueError, as Python's files do, if a source is closed or its chunks were asked for before."""
    if closed:
        raise ValueError(f"{name}: the source is closed; open the medium again")
    if begun:
        raise ValueError(f"{name}: chunks are given only once; open the medium again")
