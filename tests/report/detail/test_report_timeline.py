import numpy as np
import pyarrow as pa
import pytest
from fake_run import medium_id
from fake_video import FPS, FakeVideo, frame_rows, scene_rows

from mediaan.report.detail.remarks import window_note, window_scores
from mediaan.report.detail.timeline import MAX_POINTS, MIN_POINTS, SERIES, gather_timelines, pool
from mediaan.report.formatting import digits
from mediaan.run.tables.schema import TABLES
from mediaan.types.metrics import MetricSpec, Score


def frames_of(*videos: FakeVideo, seed: int | None = None) -> pa.Table:
    rows = [row for video in videos for row in frame_rows(video)]
    if seed is not None:
        np.random.default_rng(seed).shuffle(rows)
    return pa.Table.from_pylist(rows, schema=TABLES["frames"])


def scenes_of(*videos: FakeVideo) -> list[dict]:
    return [row for video in videos for row in scene_rows(video)]


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


def test_rows_are_told_apart_and_put_in_order_whatever_their_order():
    one, two = FakeVideo(1, n=12, cuts=(5,)), FakeVideo(2, n=7, cuts=())
    found = gather_timelines(frames_of(one, two, seed=3), scenes_of(two, one)[::-1])
    assert set(found) == {medium_id(1), medium_id(2)}
    data = found[medium_id(1)].data()
    assert data["t"] == [round(k / FPS, 3) for k in range(12)]
    for name in SERIES:
        for value, expected in zip(data["series"][name], [one.score(name, k) for k in range(12)], strict=True):
            assert value == (None if expected is None else pytest.approx(expected, abs=0.1))
            assert value is None or digits(value, 0) == digits(expected, 0)
    assert data["scenes"]["start"] == [0.0, 1.0]
    assert data["scenes"]["begins"] == ["start", "cut"]
    assert data["end"] == pytest.approx(12 / FPS)
    assert data["pooled"] == 1


def test_a_scene_is_entered_at_its_first_sample_though_it_begins_between_two():
    video = FakeVideo(1, n=10, cuts=(5,))
    scenes = scenes_of(video)
    scenes[0]["end_s"] = scenes[1]["start_s"] = 0.93  # shown at the instant 1.0 for the first time
    assert gather_timelines(frames_of(video), scenes)[medium_id(1)].scenes_at_s == [0.0, 1.0]


def test_a_scene_without_a_sample_is_entered_where_it_begins():
    video = FakeVideo(1, n=10, cuts=(5,))
    scenes = [*scenes_of(video), scenes_of(video)[1] | {"scene_id": 2, "start_s": 1.97}]
    assert gather_timelines(frames_of(video), scenes)[medium_id(1)].scenes_at_s == [0.0, 1.0, 1.97]


@pytest.mark.parametrize("n", [1, MAX_POINTS, MAX_POINTS + 1, 36_000])
def test_points_stay_few_and_cover_the_whole(n: int):
    columns = {"t_s": np.arange(n) / 5, "weight_s": np.full(n, 0.2), "scene_id": np.zeros(n, np.int32)}
    scores = {name: np.linspace(0, 100, n) for name in SERIES.values()}
    zeros = {"x": np.zeros(n), "y": np.zeros(n)}
    table = pa.table({"medium_id": ["m"] * n} | columns | scores | zeros)
    timeline = gather_timelines(table, [])["m"]
    assert len(timeline.t_s) <= MAX_POINTS
    assert timeline.pooled == (1 if n <= MAX_POINTS else -(-n // MAX_POINTS))
    assert timeline.t_s[0] == 0
    assert timeline.end_s == pytest.approx(n / 5)


@pytest.mark.parametrize(("media", "points"), [(2000, 200), (4000, MIN_POINTS)])
def test_very_many_media_share_the_room_of_the_page(media: int, points: int):
    n = 2 * points
    columns = {name: np.zeros(n * media) for name in ("weight_s", "scene_id", *SERIES.values())}
    names = np.repeat(np.arange(media).astype(str), n)
    found = gather_timelines(pa.table({"medium_id": names, "t_s": np.tile(np.arange(n), media)} | columns), [])
    assert {len(timeline.t_s) for timeline in found.values()} == {points}


def test_no_frames_have_no_timelines():
    assert gather_timelines(TABLES["frames"].empty_table(), []) == {}


def score_of(metric: str, time: str, value: float) -> Score:
    return Score(value, metric=metric, time=time, basis="learned", unit="score")


def test_windows_come_from_the_metric_or_from_the_one_named_after_the_window():
    names = ("focus", "focus_first_two", "clarity", "pacing")
    specs = [MetricSpec(name, name, "score", 0, 100, "higher", "learned", "", "") for name in names]
    by_time = {
        "focus": {"total": score_of("focus", "total", 1)},
        "focus_first_two": {"start": score_of("focus_first_two", "start", 2)},
        "clarity": {time: score_of("clarity", time, i) for i, time in enumerate(("total", "start", "end"))},
        "pacing": {"total": score_of("pacing", "total", 9)},
    }
    found = window_scores(by_time, specs)
    assert {name: {time: s.value for time, s in times.items()} for name, times in found.items()} == {
        "focus": {"total": 1, "start": 2},
        "clarity": {"total": 0, "start": 1, "end": 2},
    }


def test_only_short_media_have_a_note_on_their_windows():
    assert window_note(4.0) is None
    assert "overlap" in (window_note(2.1) or "")
    assert "all of it" in (window_note(2.0) or "")
