"""What is done to a sound file to make it hostile: drawn by a seed, the same on every machine."""

from __future__ import annotations

import random
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

_NUMBERS = (
    0,
    1,
    2,
    7,
    8,
    0x7F,
    0xFF,
    0x7FFF,
    0x8000,
    0xFFFF,
    0x7FFFFFFF,
    0x80000000,
    0xFFFFFFFF,
    1 << 62,
    (1 << 64) - 1,
)
"""Sizes, counts, offsets, times and dimensions that programs get wrong."""

_ISO = {"mp4", "m4v", "mov", "3gp", "avif", "heic"}
_EBML = {"webm", "mkv"}
_HEAD_BYTES = 256
_EBML_SIZES = (b"\xff", b"\x80", b"\x01" + b"\xff" * 7, b"\x01" + b"\x7f" + b"\xff" * 6, b"\x10\xff\xff\xff", b"\x00")
"""Unknown, empty, unknown in eight bytes, enormous, large, and none at all."""

Change = Callable[[bytearray, random.Random], None]


@dataclass(frozen=True, slots=True)
class Mutation:
    """One hostile file; `name` says how it came about, `suffix` what it is called."""

    name: str
    suffix: str
    data: bytes


def mutations(wholes: Mapping[str, bytes], count: int, seed: int = 0) -> Iterator[Mutation]:
    """Draw so many mutations, the same number of each file, of one to three changes each."""
    names = sorted(wholes)
    for number in range(count):
        name = names[number % len(names)]
        suffix = "png" if name == "apng" else name.split("-")[0]
        rng = random.Random(f"{seed} {number} {name}")
        data, done = bytearray(wholes[name]), []
        changes = _changes(suffix, [wholes[other] for other in names if other.split("-")[0] == name.split("-")[0]])
        for change in rng.choices(changes, k=rng.choice((1, 1, 1, 2, 3))):
            if data:
                change(data, rng)
                done.append(change.__name__.strip("_"))
        if suffix == "png" and rng.random() < 0.8:
            mend_checksums(data)
        yield Mutation(f"{number} {name} {'+'.join(done)}", suffix, bytes(data))


def mend_checksums(data: bytearray) -> None:
    """Make the checksums of a PNG right again, so that its lies are read."""
    at = 8
    while at + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, at)
        if at + 12 + length > len(data):
            return
        struct.pack_into(">I", data, at + 8 + length, zlib.crc32(data[at + 4 : at + 8 + length]))
        at += 12 + length


def _changes(suffix: str, kin: Sequence[bytes]) -> list[Change]:
    def _splice(data: bytearray, rng: random.Random) -> None:
        other = rng.choice(kin)
        data[_place(data, rng) :] = other[rng.randrange(len(other)) :]

    general: list[Change] = [_flip_bits, _flip_head, _run, _cut, _cut, _number, _number, _number, _repeat, _leave_out]
    special: list[Change] = [_box_size, _box_size, _box_field, _box_field] if suffix in _ISO else []
    if suffix in _EBML:
        special = [_element_size, _element_size, _element_size]
    return [*general, *special, _splice]


def _place(data: bytearray, rng: random.Random) -> int:
    """Half of all places lie in the first bytes, where headers are."""
    return rng.randrange(min(len(data), _HEAD_BYTES) if rng.random() < 0.5 else len(data))


def _flip_bits(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 3, 10, 40))):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _flip_head(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((1, 2, 4))):
        data[rng.randrange(min(len(data), _HEAD_BYTES))] ^= 1 << rng.randrange(8)


def _run(data: bytearray, rng: random.Random) -> None:
    at, length = _place(data, rng), rng.choice((4, 16, 64, 512))
    kept = len(data)
    fill = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    data[at : at + length] = fill
    del data[kept:]


def _cut(data: bytearray, rng: random.Random) -> None:
    del data[_place(data, rng) :]


def _number(data: bytearray, rng: random.Random) -> None:
    width = rng.choice((1, 2, 4, 4, 4, 8))
    at = _place(data, rng)
    number = rng.choice(_NUMBERS) & ((1 << 8 * width) - 1)
    data[at : at + width] = number.to_bytes(width, rng.choice(("big", "little")))


def _repeat(data: bytearray, rng: random.Random) -> None:
    at, length = _place(data, rng), rng.choice((8, 64, 1024))
    data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))


def _leave_out(data: bytearray, rng: random.Random) -> None:
    at = _place(data, rng)
    del data[at : at + rng.choice((1, 4, 32, 400))]


def boxes(data: bytes) -> list[int]:
    """Find where the boxes of an ISO file seem to begin, by their names of four letters."""
    return [at for at in range(len(data) - 8) if data[at + 4 : at + 8].isalnum() and data[at] == 0]


def _box_size(data: bytearray, rng: random.Random) -> None:
    at = rng.choice(boxes(data) or [0])
    size = rng.choice((0, 1, 7, 8, 0x7FFFFFFF, 0xFFFFFFFF, len(data), rng.randrange(8, 4096)))
    data[at : at + 4] = size.to_bytes(4, "big")
    if size == 1:
        data[at + 8 : at + 16] = rng.choice((0, 16, 1 << 31, 1 << 63, (1 << 64) - 1)).to_bytes(8, "big")


def _box_field(data: bytearray, rng: random.Random) -> None:
    at = rng.choice(boxes(data) or [0]) + 8 + 4 * rng.randrange(6)
    data[at : at + 4] = (rng.choice(_NUMBERS) & 0xFFFFFFFF).to_bytes(4, "big")


def _element_size(data: bytearray, rng: random.Random) -> None:
    marks = [
        at for at in range(len(data) - 5) if data[at] in {0x1A, 0x15, 0x16, 0x18, 0x1C, 0x1F} and data[at + 1] > 0x20
    ]
    at = rng.choice(marks or [0]) + 4 if rng.random() < 0.6 else _place(data, rng)
    size = rng.choice(_EBML_SIZES)
    data[at : at + len(size)] = size
