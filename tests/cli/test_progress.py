"""The progress bar in a terminal of its own, and silence where there is none."""

from __future__ import annotations

import os
import re
import struct
import sys
from pathlib import Path

import pytest

from mediaan.analysis import AnalysisProgress
from mediaan.cli.progress import share_done

MEDIAAN = str(Path(sys.executable).with_name("mediaan"))
VIDEOS = Path(__file__).resolve().parents[1] / "sample_ads" / "videos"


def in_a_terminal(*arguments: str) -> str:
    """What a command writes into a terminal of 120 columns."""
    fcntl, pty, termios = (pytest.importorskip(name) for name in ("fcntl", "pty", "termios"))
    child, terminal = pty.fork()
    if child == 0:
        os.execv(MEDIAAN, [MEDIAAN, *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    written = b""
    while True:
        try:
            block = os.read(terminal, 4096)
        except OSError:  # the other end is closed
            break
        if not block:
            break
        written += block
    os.close(terminal)
    os.waitpid(child, 0)
    return written.decode()


def repeated(tmp_path: Path, times: int) -> Path:
    """The film joined to itself: long enough to be seen under way."""
    import av

    source = VIDEOS / "coffee_spot.mp4"
    with av.open(str(tmp_path / "long.mp4"), "w") as target:
        out = None
        for turn in range(times):
            with av.open(str(source)) as container:
                stream = container.streams.video[0]
                out = out or target.add_stream_from_template(stream)
                assert stream.time_base is not None
                shift = int(turn * 10 / stream.time_base)
                for packet in container.demux(stream):
                    if packet.dts is not None and packet.pts is not None:
                        packet.pts, packet.dts, packet.stream = packet.pts + shift, packet.dts + shift, out
                        target.mux(packet)
    return tmp_path / "long.mp4"


@pytest.mark.parametrize("workers", ["1", pytest.param("2", marks=pytest.mark.full)])
def test_seconds_inside_a_video_are_shown(tmp_path: Path, workers: str) -> None:
    clip = repeated(tmp_path, 3)
    options = ["--out", str(tmp_path / "run"), "--aois", "none", "--intervals", "none", "--maps", "none", "--fps", "2"]
    options += ["--workers", workers]
    shown = in_a_terminal("analyze", str(clip), str(VIDEOS / "sofa_banner.gif"), *options)
    seconds = [int(found) for found in re.findall(r"long\.mp4 0:(\d\d) of 0:30", shown)]
    assert seconds, shown
    assert seconds == sorted(seconds)
    percents = [int(found) for found in re.findall(r"(\d+)%\|", shown)]
    assert percents == sorted(percents)
    assert percents[-1] == 100
    assert "2/2 files" in shown


def test_the_share_of_a_medium() -> None:
    assert share_done(AnalysisProgress("a.mp4", 30.0, 120.0)) == 0.25
    assert share_done(AnalysisProgress("a.mp4", 130.0, 120.0)) == 1.0
    assert share_done(AnalysisProgress("a.mp4", 30.0, None)) == 0.0
