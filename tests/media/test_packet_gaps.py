"""Bytes lost in mid-file: the seconds that went with them are missed, however smoothly the demuxer goes on."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest

from mediaan.errors import MediumError
from mediaan.media import Source, open_medium
from mediaan.types.media import ViewSpec

SECONDS, FPS = 10, 25
VIEW = [ViewSpec("small", long_side=64)]
KINDS = [("libx264", "mkv"), ("libvpx-vp9", "webm"), ("libx264", "ts"), ("libx264", "flv")]


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


def with_hole(path: Path, share: float) -> Path:
    """The middle of the file overwritten with zeros, as where a download lost a piece."""
    data = path.read_bytes()
    first, last = round(len(data) * (0.5 - share / 2)), round(len(data) * (0.5 + share / 2))
    path.write_bytes(data[:first] + bytes(last - first) + data[last:])
    return path


def read(path: Path) -> Source:
    with open_medium(path, VIEW) as source:
        for _ in source.chunks():
            pass
    return source


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_whole_file_has_none(tmp_path: Path, codec: str, suffix: str) -> None:
    source = read(write(tmp_path / f"clip.{suffix}", codec, steady()))
    assert source.share_read == 1.0
    assert source.problems == ()


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_quarter_lost_fails(tmp_path: Path, codec: str, suffix: str) -> None:
    path = with_hole(write(tmp_path / f"clip.{suffix}", codec, steady()), 0.25)
    with pytest.raises(MediumError, match=r"only [678]\.\d of 10\.\d s could be read") as caught:
        read(path)
    assert caught.value.code == "decode_failed"


@pytest.mark.parametrize(("codec", "suffix"), KINDS)
def test_a_little_lost_is_noted(tmp_path: Path, codec: str, suffix: str) -> None:
    source = read(with_hole(write(tmp_path / f"clip.{suffix}", codec, steady()), 0.04))
    assert 0.9 <= source.share_read <= 0.97
    assert "partly_read" in {problem.code for problem in source.problems}


@pytest.mark.parametrize(("codec", "suffix"), [("libx264", "mkv"), ("libvpx-vp9", "webm")])
def test_a_picture_that_is_held_is_no_hole(tmp_path: Path, codec: str, suffix: str) -> None:
    """Moves for 3 s, stands for 4 s, moves again: nothing is missing."""
    times = [t for t in steady() if not 3.0 < t < 7.0]
    source = read(write(tmp_path / f"clip.{suffix}", codec, times))
    assert source.share_read == 1.0
    assert source.medium.duration_s == pytest.approx(SECONDS, abs=0.1)
