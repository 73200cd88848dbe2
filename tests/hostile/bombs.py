"""Small files that ask for enormous work: what they state is thousands of times what they hold."""

from __future__ import annotations

import io
import os
import struct
import zlib
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from PIL import Image
from whole_files import clip, frame, whole_files

_PNG = b"\x89PNG\r\n\x1a\n"
_WEEKS_S = 2_000_000.0


def chunk(kind: bytes, data: bytes) -> bytes:
    """A chunk of a PNG."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width: int, height: int, *before: bytes, bits: int = 8, colour: int = 2, pixels: bytes | None = None) -> bytes:
    """A PNG that states a size, with chunks before its pixels."""
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, 0))
    data = zlib.compress(bytes(1 << 16), 9) if pixels is None else pixels
    return _PNG + header + b"".join(before) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def deflated_zeros(length: int) -> bytes:
    """So many zeros, up to 1 MiB more, in a thousandth of that: one block, again and again."""
    blocks = -(-length >> 20)
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = ((blocks << 20) % 65521 << 16) + 1
    return b"\x78\xda" + block * blocks + b"\x03\x00" + struct.pack(">I", checksum)


def _black_png(side: int, bits: int, colour: int) -> bytes:
    channels = {0: 1, 2: 3, 6: 4}[colour]
    return png(
        side,
        side,
        bits=bits,
        colour=colour,
        pixels=deflated_zeros((side * channels * bits // 8 + 1) * side + (1 << 20)),
    )


def _apng_of_many_frames(frames: int, side: int) -> bytes:
    sequence, parts = 0, [chunk(b"acTL", struct.pack(">II", frames, 0))]
    one = zlib.compress(b"\0\0\0\0")
    for number in range(frames):
        parts.append(chunk(b"fcTL", struct.pack(">IIIIIHHBB", sequence, 1, 1, 0, 0, 1, 1000, 0, 0)))
        sequence += 1
        parts.append(chunk(b"IDAT", one) if not number else chunk(b"fdAT", struct.pack(">I", sequence) + one))
        sequence += bool(number)
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
    return _PNG + header + b"".join(parts) + chunk(b"IEND", b"")


def _apng_that_lasts() -> bytes:
    data = whole_files()["apng"]
    out, at = bytearray(data[:8]), 8
    while at < len(data):
        (length,) = struct.unpack_from(">I", data, at)
        kind, body = data[at + 4 : at + 8], bytearray(data[at + 8 : at + 8 + length])
        if kind == b"fcTL":
            body[20:24] = struct.pack(">HH", 65535, 1)
        out += chunk(kind, bytes(body))
        at += 12 + length
    return bytes(out)


def _gif_of_many_frames(frames: int, side: int) -> bytes:
    """Frames of one pixel that are shown for nothing, on a large screen."""
    one = b"!\xf9\x04\0\0\0\0\0" + b",\0\0\0\0\1\0\1\0\0" + b"\x02\x02D\x01\0"
    return b"GIF89a" + struct.pack("<HH", side, side) + b"\x80\0\0" + b"\0\0\0\xff\xff\xff" + one * frames + b";"


def _progressive_scans(side: int, scans: int) -> bytes:
    """A progressive JPEG, each scan of which goes over all blocks and changes none."""
    buffer = io.BytesIO()
    Image.new("L", (side, side), 128).save(buffer, "JPEG", progressive=True, quality=50)
    data = buffer.getvalue()
    last = data.rindex(b"\xff\xda")
    table = data.rindex(b"\xff\xc4", 0, last)
    return data[:last] + data[table:-2] * scans + b"\xff\xd9" if scans else data


def _one_slow_frame(scans: int) -> bytes:
    """A video of one picture, which a decoder does not leave for a minute."""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"slow-{os.getpid()}.avi"
    try:
        with av.open(str(path), "w") as container:
            stream: Any = container.add_stream("mjpeg", rate=25)
            stream.width, stream.height, stream.pix_fmt = 5800, 5800, "yuvj420p"
            packet = av.Packet(_progressive_scans(5800, scans))
            packet.stream, packet.pts, packet.dts, packet.time_base = stream, 0, 0, Fraction(1, 25)
            packet.is_keyframe = True
            container.mux(packet)
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def _jpeg_with(segment: bytes, times: int = 1) -> bytes:
    data = whole_files()["jpg-progressive"]
    return data[:2] + segment * times + data[2:]


def _app(number: int, body: bytes) -> bytes:
    return b"\xff" + bytes([0xE0 + number]) + struct.pack(">H", len(body) + 2) + body


def _exif(entries: bytes, count: int) -> bytes:
    return _app(1, b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", count) + entries + bytes(4))


def _tiff(*entries: tuple[int, int, int, int], data: bytes = b"", more: int = 0) -> bytes:
    body = b"".join(struct.pack("<HHII", *entry) for entry in sorted(entries))
    return b"II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + body + struct.pack("<I", more) + data


def _plain_tiff(width: int, height: int, *more: tuple[int, int, int, int], next_page: int = 0) -> bytes:
    usual = {256: (4, 1, width), 257: (4, 1, height), 258: (3, 1, 8), 259: (3, 1, 1), 262: (3, 1, 1)}
    usual |= {273: (4, 1, 200), 277: (3, 1, 1), 278: (4, 1, height), 279: (4, 1, width * height & 0xFFFFFFFF)}
    usual |= {tag: rest for tag, *rest in more}  # type: ignore[misc]
    entries = [(tag, *rest) for tag, rest in usual.items()]
    return _tiff(*entries, data=bytes(1 << 16), more=next_page)  # type: ignore[arg-type]


def _many_pages(pages: int) -> bytes:
    page = _plain_tiff(8, 8)[8:]
    page = page[: 2 + 9 * 12]
    step = len(page) + 4
    pages_in_a_row = (page + struct.pack("<I", 8 + (number + 1) * step) for number in range(pages - 1))
    return b"II*\0\x08\0\0\0" + b"".join(pages_in_a_row) + page + bytes(4) + bytes(512)


def box(kind: bytes, body: bytes) -> bytes:
    """A box of an ISO file."""
    return struct.pack(">I", 8 + len(body)) + kind + body


def _nested(depth: int, kind: bytes = b"moov") -> bytes:
    """Boxes in boxes, each of which ends where the innermost does."""
    total = 8 * depth
    return b"".join(struct.pack(">I", total - 8 * level) + kind for level in range(depth))


def _patched(data: bytes, kind: bytes, offset: int, value: bytes, which: int = 0) -> bytes:
    """Overwrite bytes of a box's body."""
    at = -1
    for _ in range(which + 1):
        at = data.index(kind, at + 1)
    at += 4 + offset
    return data[:at] + value + data[at + len(value) :]


def _held_clip(suffix: str, times_s: tuple[float, ...]) -> bytes:
    """Frames that stay for weeks."""
    path = Path(os.environ.get("TMPDIR", "/tmp")) / f"held-{os.getpid()}.{suffix}"
    try:
        with av.open(str(path), "w") as container:
            stream: Any = container.add_stream("libx264", rate=25, options={"preset": "ultrafast"})
            stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
            stream.codec_context.time_base = Fraction(1, 1000)
            for number, time_s in enumerate(times_s):
                picture = av.VideoFrame.from_ndarray(frame(number), format="rgb24")
                picture.pts, picture.time_base = round(1000 * time_s), Fraction(1, 1000)
                container.mux(stream.encode(picture))
            container.mux(stream.encode(None))
        return path.read_bytes()
    finally:
        path.unlink(missing_ok=True)


def _compressed_index() -> bytes:
    """A QuickTime file whose index is deflated, and inflates to 1 GB."""
    packed = box(b"dcom", b"zlib") + box(b"cmvd", struct.pack(">I", 1 << 30) + deflated_zeros(1 << 30))
    return box(b"ftyp", b"qt  \0\0\0\0qt  ") + box(b"moov", box(b"cmov", packed)) + box(b"mdat", bytes(64))


BOMBS: dict[str, Callable[[], bytes]] = {
    "stated size.png": lambda: png(2**31 - 1, 2**31 - 1),
    "black 8 bits.png": lambda: _black_png(9900, 8, 2),
    "black 16 bits.png": lambda: _black_png(9900, 16, 6),
    "black 16 bits grey.png": lambda: _black_png(9900, 16, 0),
    "profile.png": lambda: png(64, 48, chunk(b"iCCP", b"p\0\0" + deflated_zeros(1 << 29))),
    "text.png": lambda: png(64, 48, *[chunk(b"zTXt", b"t\0\0" + deflated_zeros(1 << 20))] * 500),
    "many texts.png": lambda: png(64, 48, chunk(b"tEXt", b"a\0b") * 300_000),
    "thousands of frames.png": lambda: _apng_of_many_frames(20_000, 2000),
    "frames for days.png": _apng_that_lasts,
    "stated size.gif": lambda: _gif_of_many_frames(2, 65535),
    "thousands of frames.gif": lambda: _gif_of_many_frames(50_000, 1000),
    "frames on a large screen.gif": lambda: _gif_of_many_frames(20_000, 5900),
    "stated size.jpg": lambda: _patched(whole_files()["jpg-progressive"], b"\xff\xc2", 1, b"\xff\xdc\xff\xdc"),
    "scans.jpg": lambda: _progressive_scans(8000, 4000),
    "a frame that takes minutes.avi": lambda: _one_slow_frame(16_000),
    "exif counts.jpg": lambda: _jpeg_with(_exif(struct.pack("<HHII", 0x112, 3, 0xFFFFFFFF, 8) * 400, 400)),
    "exif without end.jpg": lambda: _jpeg_with(_exif(struct.pack("<HHII", 0x8769, 4, 1, 8) * 5000, 5000)),
    "segments.jpg": lambda: _jpeg_with(_app(2, b"ICC_PROFILE\0\1\1" + bytes(65000)), 300),
    "fill.jpg": lambda: b"\xff\xd8" + b"\xff" * (40 << 20) + whole_files()["jpg-progressive"][2:],
    "comments.jpg": lambda: _jpeg_with(b"\xff\xfe\0\2", 10 << 20),
    "xmp.jpg": lambda: _jpeg_with(_app(1, b"http://ns.adobe.com/xap/1.0/\0" + _LAUGHS)),
    "stated size.webp": lambda: _patched(whole_files()["webp-animated"], b"VP8X", 8, b"\xff" * 6),
    "stated size.tif": lambda: _plain_tiff(100_000, 100_000),
    "stated strips.tif": lambda: _plain_tiff(64, 48, (273, 4, 0x3FFFFFFF, 200), (279, 4, 0x3FFFFFFF, 200)),
    "tiles.tif": lambda: _plain_tiff(64, 48, (322, 4, 1, 2**31), (323, 4, 1, 2**31), (324, 4, 1, 200), (325, 4, 1, 99)),
    "samples.tif": lambda: _plain_tiff(64, 48, (277, 3, 1, 65535), (258, 3, 65535, 200)),
    "circle.tif": lambda: _plain_tiff(64, 48, next_page=8),
    "pages.tif": lambda: _many_pages(100_000),
    "stated size.bmp": lambda: _patched(whole_files()["bmp"], b"BM", 14, struct.pack("<ii", 2**31 - 1, -(2**31) + 1)),
    "stated size.avif": lambda: _patched(whole_files()["avif"], b"ispe", 4, b"\x00\x01\x00\x00" * 2),
    "nested.avif": lambda: box(b"ftyp", b"avif\0\0\0\0avifmif1") + _nested(100_000, b"meta"),
    "stated size.heic": lambda: _patched(
        whole_files().get("heic", b"ispe" + bytes(99)), b"ispe", 4, b"\x00\x01\x00\x00" * 2
    ),
    "nested.mp4": lambda: box(b"ftyp", b"isom\0\0\0\0isom") + _nested(200_000),
    "size 0.mp4": lambda: whole_files()["mp4"].replace(struct.pack(">I", 8), bytes(4)),
    "size 2^63.mp4": lambda: (
        box(b"ftyp", b"isom\0\0\0\0isom") + b"\0\0\0\1moov" + struct.pack(">Q", 1 << 63) + bytes(99)
    ),
    "samples.mp4": lambda: _patched(whole_files()["mp4"], b"stsz", 4, struct.pack(">II", 1, 0x08000000)),
    "samples in chunks.mp4": lambda: _samples_in_chunks(0x08000000),
    "samples in a fragment.mp4": lambda: _samples_in_a_fragment(0x02000000),
    "tracks.mp4": lambda: _tracks(3000),
    "times.mp4": lambda: _patched(whole_files()["mp4"], b"stts", 4, struct.pack(">III", 1, 0x7FFFFFFF, 0x7FFFFFFF)),
    "edits.mp4": lambda: _patched(whole_files()["mp4"], b"elst", 4, struct.pack(">I", 0x7FFFFFFF)),
    "stated size.mp4": lambda: _patched(whole_files()["mp4"], b"avc1", 24, b"\xff\xff\xff\xff"),
    "compressed index.mov": _compressed_index,
    "metadata.mp4": lambda: clip("mp4", metadata={"title": "x" * (20 << 20)}),
    "held.mkv": lambda: _held_clip("mkv", (0.0, 0.04, _WEEKS_S)),
    "held.mp4": lambda: _held_clip("mp4", (0.0, 0.04, _WEEKS_S)),
    "held.avi": lambda: _patched(whole_files()["avi"], b"strh", 24, struct.pack("<II", 65537, 1)),
    "unknown sizes.mkv": lambda: b"\x1aE\xdf\xa3\x01" + b"\xff" * 7 + b"\x18S\x80g\x01" + b"\xff" * 7 * 20_000,
    "nested.mkv": lambda: whole_files()["mkv"][:40] + (b"\x18S\x80g\x01" + b"\xff" * 7) * 50_000,
}
"""How to make each, by the name of its file."""

_LAUGHS = (
    b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "'
    + b"&a;" * 99
    + b'"><!ENTITY c "'
    + b"&b;" * 99
    + b'"><!ENTITY d SYSTEM "file:///etc/hostname">]>'
    + b'<x:xmpmeta xmlns:x="adobe:ns:meta/">&c;&d;</x:xmpmeta>'
)


def _samples_in_chunks(samples: int) -> bytes:
    """An index of some hundred bytes that tells of millions of samples, all of which lie at one place."""
    data = _patched(whole_files()["mp4"], b"stsz", 4, struct.pack(">II", 1, samples))
    data = _patched(data, b"stsc", 4, struct.pack(">IIII", 1, 1, samples, 1))
    return _patched(data, b"stts", 4, struct.pack(">III", 1, samples, 1))


def _samples_in_a_fragment(samples: int) -> bytes:
    """A box that states to be endless has room for any number of samples, about each of which it says nothing."""
    data = whole_files()["mp4-fragments"]
    at = data.rindex(b"trun") - 4
    stated = struct.pack(">I4sQII", 1, b"trun", 1 << 63, 0, samples)
    return data[:at] + stated + data[at + len(stated) :]


def _tracks(count: int) -> bytes:
    """The track of a file, again and again."""
    data = whole_files()["mp4"]
    at, track = (data.index(kind) - 4 for kind in (b"moov", b"trak"))
    sizes = [int.from_bytes(data[start : start + 4], "big") for start in (at, track)]
    index = data[at + 8 : at + sizes[0]] + data[track : track + sizes[1]] * count
    return data[:at] + box(b"moov", index) + data[at + sizes[0] :]
