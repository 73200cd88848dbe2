"""Thousands of damaged and lying files: each is read or refused with a reason, in bounded time and memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import av
import pytest
from budget import budget
from trial import trial
from whole_files import frame

from mediaan.media.video.frame_conversion import Orientation

COUNT = budget(600, 2400)


def test_no_mutation_escapes_the_taxonomy() -> None:
    """No crash, no hang, no leak, no noise, no made-up numbers."""
    results = list(trial(COUNT))
    flaws = [f"{name}: {outcome}: {flaw}" for name, outcome, found in results for flaw in found]
    assert not flaws, "\n".join(flaws[:20])
    outcomes = Counter(outcome for _, outcome, _ in results)
    assert outcomes.total() == COUNT
    assert outcomes["read"] > COUNT / 10  # damage that can be read past is among them ...
    assert outcomes["decode_failed"] + outcomes["truncated"] > COUNT / 4  # ... and damage that cannot


class WithUnknownData:
    """A frame beside which lies data of a kind that PyAV has no name for, as FFmpeg's newer ones are."""

    def __init__(self, frame: av.VideoFrame) -> None:
        self.rotation = frame.rotation

    @property
    def side_data(self) -> object:
        raise ValueError("31 is not a valid Type")


@pytest.mark.parametrize("degrees", [0, 90, 180, 270])
def test_frames_are_upright_whatever_lies_beside_them(degrees: int, tmp_path: Path) -> None:
    with av.open(str(tmp_path / "clip.mp4"), "w") as container:
        stream: Any = container.add_stream("mpeg4", rate=25)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        stream.set_display_rotation(degrees)
        container.mux(stream.encode(av.VideoFrame.from_ndarray(frame(), format="rgb24")))
        container.mux(stream.encode(None))
    with av.open(str(tmp_path / "clip.mp4")) as container:
        shown = next(container.decode(video=0))
    assert (Orientation.of(shown) == Orientation()) == (degrees == 0)
    assert Orientation.of(WithUnknownData(shown)) == Orientation.of(shown)
