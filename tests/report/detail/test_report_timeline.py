from dataclasses import replace

import numpy as np
import pytest
from fake_video import FPS, FakeVideo, result_of

from mediaan.report.formatting import digits
from mediaan.report.medium_summary import window_note, window_scores
from mediaan.report.timeline import CURVES, MAX_POINTS, MIN_POINTS, most_points, pool, score_timeline
from mediaan.types.metrics import MetricSpec, Score


@pytest.mark.parametrize("size", [1, 2, 7, 40, 100])
def test_pooled_values_agree_with_numpys_average_of_the_defined_ones(size: int):
    rng = np.random.default_rng(size)
    values, weight = rng.uniform(0, 100, 40), rng.uniform(0.1, 2, 40)
    values[rng.random(40) < 0.3] = np.nan
    values[:2] = np.nan
    for i, pooled in enumerate(pool(values, weight, size)):
        part, parts_weight = values[i * size : (i + 1) * size], weight[i * size : (i + 1) * size]
        known = ~np.isnan(part)
        if known.any():
            assert pooled == pytest.approx(np.average(part[known], weights=parts_weight[known]), rel=1e-12)
        else:
            assert np.isnan(pooled)


def test_pooling_keeps_the_weighted_mean_of_the_whole():
    rng = np.random.default_rng(1)
    values, weight = rng.uniform(0, 100, 103), rng.uniform(0.1, 2, 103)
    pooled = pool(values, weight, 10)
    weights = np.add.reduceat(weight, np.arange(0, 103, 10))
    assert np.average(pooled, weights=weights) == pytest.approx(np.average(values, weights=weight), rel=1e-12)


def test_data_are_the_scores_of_the_frames_to_a_tenth():
    video = FakeVideo(1, n=12, cuts=(5,))
    timeline = score_timeline(result_of(video))
    data = timeline.data()
    assert data["t"] == [round(k / FPS, 3) for k in range(12)]
    for name in CURVES:
        for value, expected in zip(data["series"][name], [video.score(name, k) for k in range(12)], strict=True):
            assert value == (None if expected is None else pytest.approx(expected, abs=0.1))
            assert value is None or digits(value, 0) == digits(expected, 0)
    assert data["scenes"]["start"] == [0.0, 1.0]
    assert data["scenes"]["begins"] == ["start", "cut"]
    assert data["end"] == pytest.approx(12 / FPS)
    assert data["pooled"] == 1


def test_a_scene_is_entered_at_its_first_sample_or_without_one_where_it_begins():
    """The first cut lies between two samples, so that the new scene is shown at 1.0 s for the first time."""
    video = FakeVideo(1, n=10, cuts=(5,))
    first, second = result_of(video).scenes
    scenes = [replace(first, end_s=0.93), replace(second, start_s=0.93), replace(second, scene_id=2, start_s=1.97)]
    timeline = score_timeline(result_of(video, scenes))
    assert timeline.scenes_at_s == [0.0, 1.0, 1.97]


@pytest.mark.parametrize("n", [1, MAX_POINTS, MAX_POINTS + 1, 36_000])
def test_points_stay_few_and_cover_the_whole(n: int):
    timeline = score_timeline(result_of(FakeVideo(1, n=n, cuts=())))
    assert len(timeline.t_s) <= MAX_POINTS
    assert timeline.pooled == (1 if n <= MAX_POINTS else -(-n // MAX_POINTS))
    assert timeline.t_s[0] == 0
    assert timeline.end_s == pytest.approx(n / 5)


@pytest.mark.parametrize(("media", "points"), [(2000, 200), (4000, MIN_POINTS)])
def test_very_many_media_share_the_room_of_the_page(media: int, points: int):
    timeline = score_timeline(result_of(FakeVideo(1, n=2 * points, cuts=())), most_points(media))
    assert len(timeline.t_s) == points


def score_of(metric: str, time: str, value: float) -> Score:
    return Score(value, metric=metric, time=time, basis="learned", unit="score")


def test_windows_come_from_the_metric_or_from_the_one_named_after_the_window():
    names = ("focus", "focus_first_two", "clarity", "pacing")
    specs = [MetricSpec(name, name, "score", 0, 100, "higher", "learned", "", "") for name in names]
    scores = [
        score_of("focus", "total", 1),
        score_of("focus_first_two", "start", 2),
        *(score_of("clarity", time, i) for i, time in enumerate(("total", "start", "end"))),
        score_of("pacing", "total", 9),
    ]
    found = window_scores(scores, specs)
    assert {name: {time: s.value for time, s in times.items()} for name, times in found.items()} == {
        "focus": {"total": 1, "start": 2},
        "clarity": {"total": 0, "start": 1, "end": 2},
    }


def test_only_short_media_have_a_note_on_their_windows():
    assert window_note(4.0) is None
    assert "overlap" in (window_note(2.1) or "")
    assert "all of it" in (window_note(2.0) or "")
