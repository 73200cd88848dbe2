"""Folding over time: hand-worked windows and means; when drivers are measured again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mediaan.analysis import Plan, analyze_file, load_models
from mediaan.analysis.timeline import ScoreSeries, TimelineAccumulator
from mediaan.analysis.video import FrameStats
from mediaan.analysis.video_maps import MAX_SCENES, KeyFrameSelector
from mediaan.media.overlay_video import VideoWriter
from mediaan.metrics import FOCUS, metrics_of
from mediaan.types.media import Shot
from mediaan.types.metrics import Score

LEFT = np.array([[1.0, 0.0]], np.float32)
RIGHT = np.array([[0.0, 1.0]], np.float32)


def score(metric: str, value: float | None, margin: float = 10.0) -> Score:
    if value is None:
        return Score(None, metric=metric, basis="proxy", unit="score", reason="nothing there")
    return Score(value, value - margin, value + margin, metric=metric, basis="proxy", unit="score")


def scores(value: float | None) -> dict[str, Score]:
    return {metric.spec.name: score(metric.spec.name, value) for metric in metrics_of("frame")}


def folded(samples: list[tuple[float, float, int, np.ndarray, float | None]]) -> TimelineAccumulator:
    timeline = TimelineAccumulator()
    for t, weight, shot, density, value in samples:
        timeline.add(t, weight, shot, density, scores(value))
    return timeline


def value_of(found: tuple[Score, ...], metric: str, time: str) -> float | None:
    (one,) = (s for s in found if s.metric == metric and s.time == time)
    return one.value


def test_windows_of_a_long_clip() -> None:
    """Ten seconds: left for 3 s, right for 7 s; samples of uneven weight that straddle the windows' edges."""
    timeline = folded([(0, 1.5, 0, LEFT, 0), (1.5, 1.5, 0, LEFT, 40), (3, 4, 1, RIGHT, 80), (7, 3, 1, RIGHT, 100)])
    densities = timeline.densities()
    assert densities["total"].ravel() == pytest.approx([0.3, 0.7])
    assert densities["start"].ravel() == pytest.approx([1, 0])
    assert densities["end"].ravel() == pytest.approx([0, 1])
    found = timeline.scores([Shot(0, 3, "start"), Shot(3, 10, "cut")])
    assert value_of(found, "clarity", "total") == pytest.approx((0 * 1.5 + 40 * 1.5 + 80 * 4 + 100 * 3) / 10)
    assert value_of(found, "clarity", "start") == pytest.approx((0 * 1.5 + 40 * 0.5) / 2)
    assert value_of(found, "clarity", "end") == pytest.approx(100)
    assert value_of(found, "focus_first_two", "start") == pytest.approx(10)
    assert value_of(found, "pacing", "total") == pytest.approx(6)


def test_windows_of_a_clip_under_two_seconds_are_all_of_it() -> None:
    timeline = folded([(0, 0.6, 0, LEFT, 20), (0.6, 0.4, 0, RIGHT, 70)])
    densities = timeline.densities()
    for window in ("start", "end", "total"):
        assert densities[window].ravel() == pytest.approx([0.6, 0.4])
    found = timeline.scores([Shot(0, 1, "start")])
    assert [value_of(found, "memory", time) for time in ("start", "end", "total")] == pytest.approx([40, 40, 40])


def test_however_the_samples_fall_the_windows_stay() -> None:
    """One sample of 5 s and fifty of 0.1 s say the same of a picture that does not change."""
    coarse = folded([(0, 5, 0, LEFT, 50)])
    fine = folded([(i / 10, 0.1, 0, LEFT, 50) for i in range(50)])
    for window in ("start", "end", "total"):
        assert coarse.densities()[window] == pytest.approx(fine.densities()[window])


def test_only_the_last_two_seconds_of_densities_are_kept() -> None:
    timeline = folded([(i / 5, 0.2, 0, LEFT, 50) for i in range(5000)])
    assert len(timeline._recent) <= 11
    assert timeline.duration_s == pytest.approx(1000)


def test_scenes_are_means_of_their_own_samples() -> None:
    timeline = folded([(0, 1, 0, LEFT, 10), (1, 3, 0, LEFT, 50), (4, 2, 1, RIGHT, 90)])
    first, second = timeline.scenes([Shot(0, 4, "start"), Shot(4, 6, "fade")])
    assert (first.start_s, first.end_s, first.cut_type) == (0, 4, "start")
    assert first.scores["clarity"] == pytest.approx(40)
    assert (second.scene_id, second.cut_type, second.scores["focus"]) == (1, "fade", pytest.approx(90))


def test_undefined_samples_do_not_count_and_their_reason_is_kept() -> None:
    timeline = folded([(0, 1, 0, LEFT, None), (1, 1, 0, LEFT, 60)])
    assert value_of(timeline.scores([]), "clarity", "total") == pytest.approx(60)
    none = folded([(0, 1, 0, LEFT, None)]).scores([])
    (clarity,) = (s for s in none if s.metric == "clarity" and s.time == "total")
    assert (clarity.value, clarity.reason) == (None, "nothing there")


def test_intervals_do_not_shrink_with_the_number_of_samples() -> None:
    series = ScoreSeries()
    for value in (40.0, 60.0) * 50:
        series.add(score("focus", value), 0.2)
    found = series.mean(FOCUS, "total", np.full(100, 0.2))
    assert (found.value, found.lo, found.hi) == (pytest.approx(50), pytest.approx(40), pytest.approx(60))


def test_the_peak_is_the_centre_of_the_densest_cell() -> None:
    density = np.zeros((4, 8), np.float32)
    density[3, 6] = 1
    (frame,) = folded([(0, 1, 0, density, 5)]).frames()
    assert (frame.x, frame.y) == (6.5 / 8, 3.5 / 4)


def picture(number: int) -> np.ndarray:
    return np.full((6, 8, 3), number % 256, np.uint8)


def test_a_scene_is_shown_by_a_frame_of_its_second_half() -> None:
    key_frames = KeyFrameSelector()
    for i in range(50):  # two scenes of 3 s and 7 s
        key_frames.add(picture(i), i / 5, 0.2, int(i >= 15), LEFT)
    times = [scene.frame.t_s for scene in key_frames.scenes()]
    assert times == [pytest.approx(2.0), pytest.approx(7.0)]
    assert key_frames.frame("total").t_s == pytest.approx(7.0)
    assert key_frames.frame("start").t_s == pytest.approx(1.0)
    assert key_frames.frame("end").t_s == pytest.approx(8.8)
    assert int(key_frames.frame("end").rgb[0, 0, 0]) == 44


def test_one_frame_stands_for_everything() -> None:
    key_frames = KeyFrameSelector()
    key_frames.add(picture(7), 0.0, 0.04, 0, LEFT)
    assert {key_frames.frame(window).t_s for window in ("start", "end", "total")} == {0.0}


def test_a_thousand_scenes_are_thinned_evenly() -> None:
    key_frames = KeyFrameSelector()
    for i in range(1000):
        key_frames.add(picture(i), i * 0.4, 0.4, i, LEFT)
    ids = np.array([scene.scene_id for scene in key_frames.scenes()])
    assert MAX_SCENES / 2 < len(ids) <= MAX_SCENES
    assert ids.tolist() == list(range(0, 1000, 32))


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
