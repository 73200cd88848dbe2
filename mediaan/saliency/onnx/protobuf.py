"""Protobuf messages as ONNX files hold them: read field by field, and put together again.

Only the fields that someone names are looked into, all others travel as they are (onnx/onnx.proto; encoding:
protobuf.dev/programming-guides/encoding).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5  # wire types


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a message: its number, its content where that is bytes, its value where that is a number, and all of
    it as it stands in the file.
    """

    number: int
    content: memoryview
    value: int
    whole: memoryview


def fields(content: memoryview) -> Iterator[Field]:
    """The fields of a message, in order.

    Raises
    ------
    IndexError
        It breaks off, or is no such message.
    """
    at, end = 0, len(content)
    while at < end:
        key, start = _varint(content, at)
        wire = key & 7
        length = value = 0
        if wire == _BYTES:
            length, start = _varint(content, start)
            after = start + length
        elif wire == _VARINT:
            value, after = _varint(content, start)
        elif wire in (_FIXED64, _FIXED32):
            after = start + (8 if wire == _FIXED64 else 4)
        else:
            raise IndexError(f"unknown wire type {wire} at byte {at}")
        if after > end:
            raise IndexError(f"a field ends at byte {after} of {end}")
        yield Field(key >> 3, content[start : start + length], value, content[at:after])
        at = after


def _varint(message: memoryview, at: int) -> tuple[int, int]:
    """A number in groups of seven bits, lowest first, and where it ends."""
    value = shift = 0
    while True:
        byte = message[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def message(number: int, content: bytes) -> bytes:
    """A field of bytes: a string, or a message within."""
    return _encoded(number << 3 | _BYTES) + _encoded(len(content)) + content


def number(field: int, value: int) -> bytes:
    """A field of a number that is not negative."""
    return _encoded(field << 3 | _VARINT) + _encoded(value)


def _encoded(value: int) -> bytes:
    groups = bytearray()
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*groups, value])
