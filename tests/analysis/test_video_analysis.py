"""When drivers are measured again: what changes a frame as a whole is seen at once, what does not is not looked for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediaan.analysis import Plan, analyze_file, load_models
from mediaan.analysis.video import FrameStats
from mediaan.media.overlay.video_writer import VideoWriter


def plain(level: int) -> np.ndarray:
    return np.full((96, 160, 3), level, np.uint8)


def lettered(level: int) -> np.ndarray:
    """Fine dark strokes over a fifth of the frame: a headline."""
    rgb = plain(level)
    rgb[20:40, 20:140:4] = 30
    return rgb


def test_a_fade_and_a_title_differ_and_noise_does_not() -> None:
    noise = np.random.default_rng(0).integers(-2, 3, (96, 160, 3))
    assert FrameStats.of(plain(60)).differs(FrameStats.of(plain(40)))
    assert FrameStats.of(lettered(200)).differs(FrameStats.of(plain(200)))
    assert not FrameStats.of((lettered(200) + noise).astype(np.uint8)).differs(FrameStats.of(lettered(200)))
    assert not FrameStats.of(np.roll(lettered(200), 24, axis=1)).differs(FrameStats.of(lettered(200)))


def test_statistics_of_the_smallest_frame() -> None:
    assert FrameStats.of(np.full((1, 1, 3), 9, np.uint8)) == FrameStats(9.0, 0.0)


def test_a_title_that_comes_up_is_measured_when_it_does(tmp_path: Path) -> None:
    with VideoWriter(tmp_path / "title.mp4", (160, 96), 10, crf=10) as film:
        for i in range(30):
            film.add(lettered(200) if i >= 12 else plain(200), i / 10, 0.1)
    result = analyze_file(tmp_path / "title.mp4", Plan(model="centre-prior"), load_models("centre-prior"))
    demand = {round(frame.t_s, 1): frame.scores["cognitive_demand"] for frame in result.frames}
    assert demand[1.0] == demand[0.0]
    assert demand[1.2] > demand[1.0]
    assert demand[2.8] == pytest.approx(demand[1.2], abs=3)
