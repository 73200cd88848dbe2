"""Bytes lost in mid-file: the seconds that went with them are missed, however smoothly the demuxer goes on."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
import numpy as np
import pytest
from make_media import write_clip

from mediaan.errors import MediumError
from mediaan.media import Source, open_medium
from mediaan.types.media import ViewSpec

SECONDS, FPS = 10, 25
VIEW = [ViewSpec("small", long_side=64)]
KINDS = [("libx264", "mkv"), ("libvpx-vp9", "webm"), ("libx264", "ts"), ("libx264", "flv")]


@cache
def steady_clip(codec: str, suffix: str) -> bytes:
    with TemporaryDirectory() as folder:
        return write(Path(folder) / f"clip.{suffix}", codec, steady()).read_bytes()


def with_hole(path: Path, codec: str, share: float) -> Path:
    """The middle of the file overwritten with zeros, as where a download lost a piece."""
    data = steady_clip(codec, path.suffix[1:])
    first, last = round(len(data) * (0.5 - share / 2)), round(len(data) * (0.5 + share / 2))
    path.write_bytes(data[:first] + bytes(last - first) + data[last:])
    return path


def write(path: Path, codec: str, times_s: list[float]) -> Path:
    """Noise that moves, so that bytes are spread evenly over time."""
    base = np.random.default_rng(0).integers(0, 255, (24, 40, 3)).astype(np.uint8)
    with av.open(str(path), "w") as container:
        quick = {"deadline": "realtime", "cpu-used": "8"} if codec == "libvpx-vp9" else {}
        stream = container.add_stream(codec, rate=FPS, options=quick)
        stream.width, stream.height, stream.pix_fmt = 320, 192, "yuv420p"
        stream.gop_size, stream.bit_rate = FPS // 2, 800_000
        for i, t in enumerate(times_s):
            rgb = np.kron(np.roll(base, i // 2, 1), np.ones((8, 8, 1), np.uint8))
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(rgb), "rgb24")
            frame.pts, frame.time_base = round(t * FPS), Fraction(1, FPS)
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def steady() -> list[float]:
    return [i / FPS for i in range(SECONDS * FPS)]


def read(path: Path) -> Source:
    with open_medium(path, VIEW) as source:
        for _ in source.chunks():
            pass
    return source


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_whole_file_has_none(tmp_path: Path, codec: str, suffix: str) -> None:
    source = read(with_hole(tmp_path / f"clip.{suffix}", codec, 0.0))
    assert source.share_read == 1.0
    assert source.problems == ()


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_quarter_lost_fails(tmp_path: Path, codec: str, suffix: str) -> None:
    path = with_hole(tmp_path / f"clip.{suffix}", codec, 0.25)
    with pytest.raises(MediumError, match=r"only [678]\.\d of 10\.\d s could be read") as caught:
        read(path)
    assert caught.value.code == "decode_failed"


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_little_lost_is_noted(tmp_path: Path, codec: str, suffix: str) -> None:
    source = read(with_hole(tmp_path / f"clip.{suffix}", codec, 0.04))
    assert 0.9 <= source.share_read <= 0.97
    assert "partly_read" in {problem.code for problem in source.problems}


@pytest.mark.parametrize(("codec", "suffix"), [("libx264", "mkv"), ("libvpx-vp9", "webm")])
def test_a_picture_that_is_held_is_no_hole(tmp_path: Path, codec: str, suffix: str) -> None:
    """Moves for 3 s, stands for 4 s, moves again: nothing is missing."""
    times = [t for t in steady() if not 3.0 < t < 7.0]
    source = read(write(tmp_path / f"clip.{suffix}", codec, times))
    assert source.share_read == 1.0
    assert source.medium.duration_s == pytest.approx(SECONDS, abs=0.1)


@pytest.mark.parametrize("times_s", [[i / 25 for i in range(100)], [0.0, 0.04, 1.5, 1.54, 1.58, 3.0, 3.04]])
def test_a_recorder_that_states_a_thousand_frames_a_second(tmp_path: Path, times_s: list[float]) -> None:
    """Browsers and screen recorders write 1 ms as the duration of every frame."""
    path = write_clip(tmp_path / "clip.mkv", range(len(times_s)), rate=1000, times_s=times_s, audio=True)
    source = read(path)
    assert source.share_read == 1.0
    assert source.medium.frame_rate is None or source.medium.frame_rate < 100
    assert source.medium.duration_s == pytest.approx(times_s[-1] + 0.04, abs=0.05)


def laced(path: Path) -> Path:
    """Write a Matroska file again with eight frames of sound, 420 bytes each, to a block (RFC 9559, section 10.3).

    What the sound is does not matter, for it is not decoded.
    """
    data = path.read_bytes()
    tracks_at = data.rindex(b"\x16\x54\xae\x6b", 0, data.index(b"\x1f\x43\xb6\x75"))
    blocks: list[tuple[int, bytes]] = []
    with av.open(str(path)) as container:
        sound: list[av.Packet] = []
        for packet in container.demux():
            if packet.stream.type == "audio" and packet.size:
                sound.append(packet)
            if len(sound) == 8 or (sound and not packet.size):
                content = b"\x02" + bytes([len(sound) - 1]) + b"\xff\xa5" * (len(sound) - 1) + bytes(420 * len(sound))
                blocks.append((max(0, round(1000 * sound[0].pts * sound[0].time_base)), b"\x82%s" + content))
                sound = []
            if packet.stream.type == "video" and packet.size:
                flags = b"\x80" if packet.is_keyframe else b"\0"
                blocks.append((round(1000 * packet.pts * packet.time_base), b"\x81%s" + flags + bytes(packet)))
    clusters = b""
    for time_ms, block in blocks:
        content = element(b"\xe7", time_ms.to_bytes(4)) + element(b"\xa3", block.replace(b"%s", b"\0\0", 1))
        clusters += element(b"\x1f\x43\xb6\x75", content)
    size_bytes = 9 - data[tracks_at + 4].bit_length()
    content_at = tracks_at + 4 + size_bytes
    tracks_bytes = int.from_bytes(data[tracks_at + 4 : content_at]) & (1 << 7 * size_bytes) - 1
    header, tracks = data[: data.index(b"\x18\x53\x80\x67")], data[tracks_at : content_at + tracks_bytes]
    target = path.with_stem("laced")
    target.write_bytes(header + b"\x18\x53\x80\x67\x01" + b"\xff" * 7 + tracks + clusters)
    return target


def element(identity: bytes, content: bytes) -> bytes:
    return identity + (len(content) | 1 << 56).to_bytes(8) + content


@pytest.mark.parametrize("times_s", [[i / 25 for i in range(100)], [0.0, 0.04, 1.5, 1.54, 1.58, 3.0, 3.04]])
def test_several_frames_of_sound_to_a_block(tmp_path: Path, times_s: list[float]) -> None:
    path = write_clip(tmp_path / "clip.mkv", range(len(times_s)), times_s=times_s, audio=True, options={"bf": "0"})
    source = read(laced(path))
    assert source.share_read == 1.0
    assert source.medium.has_audio
