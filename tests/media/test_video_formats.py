"""MXF, Ogg with Theora, and H.264 and HEVC without a container: opened by content, whatever the file is called."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest
from make_media import numbers_in, write_audio, write_clip

from mediaan.errors import MediumError
from mediaan.media import Sampling, find_files, open_medium
from mediaan.media.probe import HEAD_BYTES, sniff
from mediaan.media.source import Source
from mediaan.types.media import ViewSpec

VIEW = ViewSpec("view", long_side=96)


def opened(path: Path) -> tuple[Source, list[int]]:
    with open_medium(path, [VIEW], sampling=Sampling(threads=1)) as source:
        return source, [number for chunk in source.chunks() for number in numbers_in(chunk.views["view"])]


@pytest.mark.parametrize(
    ("suffix", "encoder", "container", "codec"),
    [
        (".mxf", "prores_ks", "mxf", "prores"),
        (".mxf", "mpeg2video", "mxf", "mpeg2video"),
        (".h264", "libx264", "h264", "h264"),
        (".hevc", "libx265", "hevc", "hevc"),
    ],
)
def test_frames_are_those_that_were_written(
    suffix: str, encoder: str, container: str, codec: str, tmp_path: Path
) -> None:
    path = write_clip(tmp_path / f"clip{suffix}", codec=encoder).rename(tmp_path / "clip.dat")
    assert sniff(path.read_bytes()[:HEAD_BYTES]) == container
    assert [file.display_path for file in find_files([tmp_path]).files] == ["clip.dat"]
    source, numbers = opened(path)
    assert numbers == list(range(0, 50, 5))
    assert source.medium.codec == codec
    assert source.medium.duration_s == pytest.approx(2.0)
    assert source.share_read == 1.0
    # a bare stream states no times, and its reader should know
    assert [problem.code for problem in source.problems] == ["times_missing"] * (container == codec)


H264_SEI, H264_AUD, H264_SPS, H264_PPS = 6, 9, 7, 8
HEVC_VPS, HEVC_SPS, HEVC_PPS, HEVC_AUD, HEVC_FILLER, HEVC_SEI = 32, 33, 34, 35, 38, 39
FIRST_UNITS = {
    "information": ("h264", [H264_SEI, H264_SPS, H264_PPS]),
    "delimiter, information": ("h264", [H264_AUD, H264_SEI, H264_SPS, H264_PPS]),
    "other parameters": ("h264", [H264_PPS, H264_SPS, H264_PPS]),
    "parameters twice": ("h264", [H264_SPS, H264_PPS, H264_SPS, H264_PPS]),
    "HEVC: information": ("hevc", [HEVC_SEI, HEVC_VPS, HEVC_SPS, HEVC_PPS]),
    "HEVC: delimiter, information": ("hevc", [HEVC_AUD, HEVC_SEI, HEVC_VPS, HEVC_SPS, HEVC_PPS]),
    "HEVC: filler": ("hevc", [HEVC_FILLER, HEVC_VPS, HEVC_SPS, HEVC_PPS]),
}


@pytest.fixture(scope="module")
def streams(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Bare streams with delimiters and information."""
    folder = tmp_path_factory.mktemp("streams")
    h264, hevc = {"x264-params": "aud=1"}, {"x265-params": "log-level=none:aud=1:info=1:bframes=0"}
    return {
        "h264": write_clip(folder / "clip.h264", codec="libx264", options=h264),
        "hevc": write_clip(folder / "clip.hevc", codec="libx265", options=hevc),
    }


@pytest.mark.parametrize("kind", FIRST_UNITS)
def test_streams_that_begin_with_other_units(kind: str, streams: dict[str, Path], tmp_path: Path) -> None:
    """ITU-T H.264 7.4.1.2 and H.265 7.4.2.4 let delimiters, information and filler stand before the parameters."""
    codec, order = FIRST_UNITS[kind]
    data = streams[codec].read_bytes()
    units = [unit for unit in re.split(rb"\x00?\x00\x00\x01", data) if unit]

    def kind_of(unit: bytes) -> int:
        return unit[0] & 31 if codec == "h264" else unit[0] >> 1

    first = {kind_of(unit): unit for unit in reversed(units)} | {HEVC_FILLER: b"\x4c\x01" + b"\xff" * 60 + b"\x80"}
    if H264_SEI in order or HEVC_SEI in order:
        assert len(first[H264_SEI if codec == "h264" else HEVC_SEI]) > 500
    begin = next(place for place, unit in enumerate(units) if kind_of(unit) in ({5} if codec == "h264" else {19, 20}))
    stream = [*(first[unit] for unit in order), *units[begin:]]
    path = tmp_path / "clip.dat"
    for zeros in (0, 5):
        path.write_bytes(bytes(zeros) + b"".join(b"\0\0\0\1" + unit for unit in stream))
        assert [file.display_path for file in find_files([tmp_path]).files] == ["clip.dat"]
        source, numbers = opened(path)
        assert numbers == list(range(0, 50, 5))
        assert source.medium.codec == codec


def ogg_page(packet: bytes, number: int, granule: int, flags: int) -> bytes:
    """A page of an Ogg file that holds one packet (RFC 3533)."""
    lacing = bytes([255] * (len(packet) // 255) + [len(packet) % 255])
    head = struct.pack("<4sBBqIII", b"OggS", 0, flags, granule, 77, number, 0) + bytes([len(lacing)]) + lacing
    checksum = 0
    for byte in head + packet:
        checksum ^= byte << 24
        for _ in range(8):
            checksum = (checksum << 1 ^ (0x04C11DB7 if checksum >> 31 else 0)) & 0xFFFFFFFF
    return head[:22] + struct.pack("<I", checksum) + head[26:] + packet


def theora(frames: int = 10) -> bytes:
    """An Ogg file of grey key frames of 32 x 32 px, 10 a second (Theora specification, 6 and 7)."""

    def packed(*fields: tuple[int, int]) -> bytes:
        bits = "".join(f"{value:0{length}b}" for value, length in fields if length)
        return int(bits.ljust(-(-len(bits) // 8) * 8, "0"), 2).to_bytes(-(-len(bits) // 8), "big")

    shift = 6
    identification = packed(
        *((0x80, 8), (int.from_bytes(b"theora", "big"), 48), (0x030201, 24)),
        *((2, 16), (2, 16), (32, 24), (32, 24), (0, 8), (0, 8)),  # in blocks of 16 px, in px, the corner
        *((10, 32), (1, 32), (1, 24), (1, 24)),  # rate, pixel aspect
        *((0, 8), (0, 24), (32, 6), (shift, 5), (0, 2), (0, 3)),
    )
    one_range = ((0, 1), (62, 6), (0, 1))
    setup = b"\x82theora" + packed(
        (0, 3),  # no loop filter
        *((0, 4), *((1, 1),) * 64) * 2,  # scales of AC and DC, one bit each
        *((1, 9), *((16, 8),) * 128),  # two base matrices
        *one_range,
        *((0, 1),) * 2,  # as for luma
        *((0, 1), (1, 1)) * 3,  # as for intra
        *((0, 1), (1, 1), (0, 5), (1, 1), (1, 5)) * 80,  # of two tokens: the end of one block, or of two
    )
    grey = packed((0, 2), (32, 6), (0, 4), (0, 8), (0, 24), (0, 8))
    pages = [(identification, 0, 2), (b"\x81theora" + bytes(8), 0, 0), (setup, 0, 0)]
    pages += [(grey, (number + 1) << shift, 4 * (number == frames - 1)) for number in range(frames)]
    return b"".join(ogg_page(packet, number, granule, flags) for number, (packet, granule, flags) in enumerate(pages))


def test_theora(tmp_path: Path) -> None:
    path = tmp_path / "clip.ogg"
    path.write_bytes(theora())
    assert len(find_files([tmp_path]).files) == 1
    with open_medium(path, [VIEW], sampling=Sampling(threads=1)) as source:
        views = np.concatenate([chunk.views["view"] for chunk in source.chunks()])
    assert views.shape == (5, 32, 32, 3)
    assert np.ptp(views) == 0
    assert source.medium.codec == "theora"
    assert source.medium.duration_s == pytest.approx(1.0)
    assert (source.share_read, source.problems) == (1.0, ())


def test_ogg_with_sound_alone_is_no_video(tmp_path: Path) -> None:
    path = write_audio(tmp_path / "sound.ogg")
    assert find_files([tmp_path]).files == ()
    with pytest.raises(MediumError) as caught:
        opened(path)
    assert caught.value.code == "no_video"


@pytest.mark.parametrize(
    "head",
    [
        b"\0\0\1\0\1\0\x10\x10\0\0\1\0\x20\0",  # an icon
        b"\0\0\0\1" + bytes(60),
        b"\0\0\0\1\x67No profile",
        b"\0\0\1\x09\x10 and then nothing",
        b"\0\0\0\1Bug: 42\n",
        b"\0\0\0\1\x06\x05information alone",
        b"\0\0\0\1\x65a picture before\0\0\0\1\x67\x64\0\x1eparameters",
        b"\0\0\0\1\x46\x01\x10and nothing else\0\0\0\1\x26\x01a picture",
        b"\x06\x0e\x2b\x34 but no MXF",
        b"OggS\0\2" + bytes(22) + b"\1\x1e\1vorbis",
    ],
)
def test_other_files_are_no_video(head: bytes) -> None:
    assert sniff(head) is None
