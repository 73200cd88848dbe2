"""Thousands of damaged and lying files: each is read or refused with a reason, in bounded time and memory."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
from budget import budget
from mutations import mutations
from trial import trial
from whole_files import frame, whole_files

from mediaan.media.video.frame_conversion import Orientation
from mediaan.metrics import content_box

COUNT = budget(600, 4800)


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


def test_tiny_pictures_are_measured() -> None:
    """Bars of one pixel, content thinner than a block: edges are found, or there are none."""
    rng = np.random.default_rng(8)
    for _ in range(3000):
        height, width = rng.integers(1, 48, 2)
        picture = np.full((height, width, 3), rng.integers(0, 256), np.uint8)
        top, left = rng.integers(0, height), rng.integers(0, width)
        picture[top : top + rng.integers(1, 40), left : left + rng.integers(1, 40)] = rng.integers(0, 256, 3)
        box = content_box(picture)
        assert 0 <= box.x0 < box.x1 <= 1
        assert 0 <= box.y0 < box.y1 <= 1


def test_mutations_are_the_same_every_time_and_differ_from_each_other() -> None:
    wholes = whole_files()
    first, second = (list(mutations(wholes, 300, seed=3)) for _ in range(2))
    assert first == second
    assert len({mutation.data for mutation in first} - set(wholes.values())) > 280
    assert {mutation.data for mutation in mutations(wholes, 300, seed=4)} != {mutation.data for mutation in first}
