"""Look at a JPEG 2000 file before it is decoded (ISO/IEC 15444-1): its profile, and what would keep a decoder busy."""

from __future__ import annotations

import struct

from mediaan.media.stills.iso_boxes import boxes

_CODESTREAM, _END = b"\xff\x4f\xff\x51", b"\xff\xd9"
_SIZ = struct.Struct(">4sHHIIIIIIIIH")
_MAX_TILES = 10_000
"""A decoder makes room for all at once, some 6 KB each; 100 megapixels in tiles of 128 px have 6,100."""

_MAX_CHANNELS = 5
_RESTRICTED_PROFILE = 2


def codestream(data: bytes) -> bytes:
    """Return the codestream of a file: all of it, or what its box holds; empty if there is none."""
    if data.startswith(_CODESTREAM):
        return data
    return next((content for kind, content in boxes(data) if kind == b"jp2c"), b"")


def is_cut_off(data: bytes) -> bool:
    """Return True if a file has no codestream, or one that does not end with its mark."""
    stream = codestream(data)
    return not stream.rstrip(b"\0").endswith(_END)


def states_too_much(data: bytes, size: tuple[int, int]) -> bool:
    """Return True if the codestream has another size than the file states, px, or an enormous number of tiles."""
    stream = codestream(data)
    if len(stream) < _SIZ.size:
        return True
    mark, _, _, right, bottom, left, top, tile_width, tile_height, tile_left, tile_top, channels = _SIZ.unpack_from(
        stream
    )
    if mark != _CODESTREAM or (right - left, bottom - top) != size or not tile_width or not tile_height:
        return True
    tiles = -(-(right - tile_left) // tile_width) * -(-(bottom - tile_top) // tile_height)
    return bool(tiles > _MAX_TILES or channels > _MAX_CHANNELS)


def depths(data: bytes) -> list[int]:
    """Return the bits of each channel of the codestream; nothing for one whose header is damaged."""
    stream = codestream(data)
    if len(stream) < _SIZ.size:
        return []
    channels = _SIZ.unpack_from(stream)[-1]
    depth = stream[_SIZ.size : _SIZ.size + 3 * channels : 3]
    return [(bits & 127) + 1 for bits in depth] if len(depth) == channels <= _MAX_CHANNELS else []


def icc_profile(data: bytes) -> bytes | None:
    """Return the ICC profile of a file, if it has one."""
    header = next((content for kind, content in boxes(data) if kind == b"jp2h"), b"")
    colours = (content for kind, content in boxes(header) if kind == b"colr")
    return next((content[3:] for content in colours if content[:1] == bytes([_RESTRICTED_PROFILE])), None)
