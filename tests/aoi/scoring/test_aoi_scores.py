"""Scores of AOIs: what must hold for any density, and what can be worked out by hand."""

from __future__ import annotations

import weakref
from uuid import UUID

import numpy as np
import pytest

from mediaan.aoi import region
from mediaan.aoi.scoring.aoi_scores import DensitySample, attention_shares, score_moving, score_still, shares_seen
from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model
from mediaan.aoi.scoring.specs import AOI_METRICS
from mediaan.errors import UsageError
from mediaan.types.aoi import Aoi, Box, Sighting
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Pace

CLOSE = 1e-9


def aoi(box, number=1, **facts):
    return Aoi(UUID(int=number), "other", "", Box(*box), None, facts.pop("method", "drawn"), **facts)


def density(rng, shape=(18, 24), peaks=3):
    y, x = np.mgrid[: shape[0], : shape[1]]
    values = np.full(shape, 0.02)
    for _ in range(peaks):
        cy, cx, s = rng.uniform(0, shape[0]), rng.uniform(0, shape[1]), rng.uniform(0.8, 4)
        values += np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * s * s)) / s
    return (values / values.sum()).astype(np.float32)


def densities(rng):
    return Densities({window: density(rng) for window in WINDOWS})


def box(rng):
    (x0, x1), (y0, y1) = np.sort(rng.random((2, 2)), axis=1)
    return Box(float(x0), float(y0), float(x1), float(y1))


def values(scored, number=1):
    return {(s.metric, s.time): s.value for a in scored if a.aoi_id == UUID(int=number) for s in a.scores}


def flat(scored):
    return [score for a in scored for score in a.scores]


def samples(seq, step=0.2):
    return [DensitySample(i * step, step, 0, d) for i, d in enumerate(seq)]


def held(found, exposure, step=0.1):
    """A picture as a clip whose samples show the densities of its windows in turn."""
    for i in range(round(exposure / step)):
        t = i * step
        window = "start" if t < 2 - 1e-9 else "end" if t >= exposure - 2 - 1e-9 else "total"
        yield DensitySample(t, step, 0, found[window])


@pytest.mark.parametrize("seed", range(6))
def test_every_metric_stands_in_every_window_and_in_its_range(seed):
    rng = np.random.default_rng(seed)
    specs = {spec.name: spec for spec in AOI_METRICS}
    still = score_still([aoi(box(rng))], densities(rng), 5.0)
    moving = score_moving([aoi(box(rng))], samples(density(rng) for _ in range(30)), 6.0)
    for scores in (flat(still), flat(moving)):
        expected = {(n, w) for n in specs for w in WINDOWS if n != "first_seen_s"} | {("first_seen_s", "total")}
        assert {(s.metric, s.time) for s in scores} == expected
        assert len(scores) == len(expected)
        for score in scores:
            spec = specs[score.metric]
            assert score.unit == spec.unit
            assert (score.value is None) == (score.reason is not None)
            if score.value is not None:
                assert spec.low <= score.value <= spec.high + CLOSE
                if score.lo is not None:
                    assert spec.low <= score.lo <= score.value + CLOSE
                    assert score.value - CLOSE <= score.hi <= spec.high + CLOSE


@pytest.mark.parametrize("exposure", [0.4, 1.0, 3.0, 5.0, 12.0])
@pytest.mark.parametrize("rate", [1.0, 0.05])  # viewers who hardly move their eyes
def test_time_spent_is_at_most_that_of_those_who_see_it_looking_all_the_time(rate, exposure):
    rng, model = np.random.default_rng(11), built_in_hazard_model().paced(Pace(rate=rate))
    for _ in range(15):
        found = values(score_still([aoi(box(rng))], densities(rng), exposure, model=model))
        for window in WINDOWS:
            seconds = exposure if window == "total" else min(2.0, exposure)
            assert found["time_spent", window] <= found["percentage_seen", window] / 100 * seconds + CLOSE


def test_a_bigger_box_never_scores_less():
    rng = np.random.default_rng(12)
    for _ in range(40):
        outer, found, exposure = box(rng), densities(rng), float(rng.choice([0.5, 2.0, 5.0, 9.0]))
        x, y = np.sort(rng.uniform(outer.x0, outer.x1, 2)), np.sort(rng.uniform(outer.y0, outer.y1, 2))
        inner = Box(x[0], y[0], x[1], y[1])
        both = [aoi(inner, 1), aoi(outer, 2)]
        moving = score_moving(both, samples([found[w] for w in WINDOWS] * 8), 4.8)
        for scores in (score_still(both, found, exposure), moving):
            small, large = values(scores, 1), values(scores, 2)
            for metric in ("attention", "percentage_seen", "time_spent", "relative_attention"):
                for window in WINDOWS:
                    assert small[metric, window] <= large[metric, window] + CLOSE


def test_attention_of_disjoint_aois_adds_up_to_no_more_than_all():
    rng = np.random.default_rng(13)
    x, y = rng.random(2)
    parts = [(0, 0, x, y), (x, 0, 1, y), (0, y, x, 1), (x, y, 1, 1)]
    aois = [aoi(part, i) for i, part in enumerate(parts)]
    still = score_still(aois, densities(rng), 5.0)
    moving = score_moving(aois, samples(density(rng) for _ in range(20)), 4.0)
    for scores in (flat(still), flat(moving)):
        for window in WINDOWS:
            total = sum(s.value for s in scores if s.metric == "attention" and s.time == window)
            assert total == pytest.approx(100, abs=1e-4)


def test_attention_is_relative_attention_times_availability():
    rng = np.random.default_rng(14)
    for _ in range(10):
        t0, t1 = np.sort(rng.uniform(0, 6, 2))
        moving = score_moving([aoi(box(rng), t0_s=t0, t1_s=t1)], samples(density(rng) for _ in range(30)), 6.0)
        for scores in (moving, score_still([aoi(box(rng))], densities(rng), 5.0)):
            found = values(scores)
            for window in WINDOWS:
                relative = found["relative_attention", window] or 0.0
                product = relative * found["availability", window] / 100
                assert found["attention", window] == pytest.approx(product, abs=1e-9)


def test_a_still_is_available_throughout():
    found = values(score_still([aoi((0.1, 0.1, 0.3, 0.2))], densities(np.random.default_rng(1)), 5.0))
    assert [found["availability", window] for window in WINDOWS] == [100.0] * 3


def test_mirrored_pictures_score_the_same():
    rng = np.random.default_rng(15)
    found, place = densities(rng), box(rng)
    turned = Densities({w: np.ascontiguousarray(found[w][:, ::-1]) for w in WINDOWS})
    a = values(score_still([aoi(place)], found, 5.0))
    b = values(score_still([aoi((1 - place.x1, place.y0, 1 - place.x0, place.y1))], turned, 5.0))
    assert all(b[key] == pytest.approx(value, rel=1e-5) for key, value in a.items() if value is not None)


def test_longer_exposure_is_never_less_seen():
    rng = np.random.default_rng(16)
    for _ in range(10):
        found, place = densities(rng), aoi(box(rng))
        by_time = [values(score_still([place], found, t)) for t in (0.3, 0.5, 1, 2, 2.5, 3, 4, 5, 6, 10, 30)]
        for metric in ("percentage_seen", "time_spent"):
            series = [one[metric, "total"] for one in by_time]
            assert (np.diff(series) >= -CLOSE).all()


def test_a_still_held_as_a_clip_scores_nearly_the_same():
    rng = np.random.default_rng(17)
    model = built_in_hazard_model()
    for _ in range(20):
        found, place = densities(rng), aoi(box(rng))
        still = values(score_still([place], found, 5.0))
        clip = values(score_moving([place], held(found, 5.0), 5.0))
        # what differs: a clip's densities bring their own sharpness and their own return to the middle
        assert (
            abs(still["percentage_seen", "end"] - clip["percentage_seen", "end"])
            < 60 * abs(model.sharpness - model.sharpness_moving) + 1e-3
        )
        assert abs(still["percentage_seen", "total"] - clip["percentage_seen", "total"]) < 12
        assert abs(still["time_spent", "total"] - clip["time_spent", "total"]) < 0.35
        for window in ("start", "end"):
            assert clip["attention", window] == pytest.approx(still["attention", window], abs=1e-5)
            assert clip["lift", window] == pytest.approx(still["lift", window], rel=1e-5)


def test_by_hand_an_aoi_that_is_there_for_a_quarter_of_a_clip():
    # half of an even density, from 3 s to 5 s of 8 s
    even = np.full((10, 10), 0.01, np.float32)
    found = values(score_moving([aoi((0, 0, 0.5, 1), t0_s=3.0, t1_s=5.0)], samples([even] * 40), 8.0))
    assert found["availability", "total"] == pytest.approx(25)
    assert found["attention", "total"] == pytest.approx(12.5)
    assert found["relative_attention", "total"] == pytest.approx(50)
    assert found["lift", "total"] == pytest.approx(1.0)
    model = built_in_hazard_model()
    hazard = model.rate * model.late_pace * 2.0 * 1.0  # two late seconds at even odds
    assert found["percentage_seen", "total"] == pytest.approx(
        100 * (1 - (1 + model.frailty * hazard) ** (-1 / model.frailty))
    )
    assert found["time_spent", "total"] == pytest.approx(model.gaze * 2.0 * 0.5)
    assert 3.0 < found["first_seen_s", "total"] < 3.6
    for metric in ("attention", "percentage_seen", "time_spent", "availability"):
        assert found[metric, "start"] == found[metric, "end"] == 0.0
    assert found["relative_attention", "start"] is None


def test_gaze_explores_anew_after_a_cut():
    even, place = np.full((10, 10), 0.01, np.float32), aoi((0, 0, 0.2, 0.2), t0_s=4.0, t1_s=5.0)
    one = [DensitySample(i * 0.2, 0.2, 0, even) for i in range(40)]
    two = [DensitySample(i * 0.2, 0.2, int(i >= 20), even) for i in range(40)]
    uncut, cut = (values(score_moving([place], clip, 8.0)) for clip in (one, two))
    model, odds = built_in_hazard_model(), 0.04 / 0.96
    assert cut["percentage_seen", "total"] == pytest.approx(100 * float(model.share_seen(model.rate * odds)), rel=1e-5)
    expected = 100 * float(model.share_seen(model.rate * model.late_pace * odds))
    assert uncut["percentage_seen", "total"] == pytest.approx(expected, rel=1e-5)


def test_a_sample_that_an_aoi_shares_with_its_absence_counts_in_part():
    even = np.full((10, 10), 0.01, np.float32)
    found = values(
        score_moving(
            [aoi((0, 0, 1, 1), t0_s=0.5, t1_s=1.25)], [DensitySample(0, 1, 0, even), DensitySample(1, 1, 0, even)], 2
        )
    )
    assert found["availability", "total"] == pytest.approx(37.5)


def test_a_track_is_where_its_sightings_are():
    rng = np.random.default_rng(18)
    clip = samples(density(rng) for _ in range(30))
    place = box(rng)
    sightings = tuple(Sighting(s.t_s, place, 0.9) for s in clip[5:20])
    tracked = aoi(place, method="detector", t0_s=1.0, t1_s=4.0, track=sightings)
    drawn = aoi(place, t0_s=1.0, t1_s=4.0)
    a, b = values(score_moving([tracked], clip, 6.0)), values(score_moving([drawn], clip, 6.0))
    assert all(a[key] == pytest.approx(b[key], abs=1e-9) if b[key] is not None else a[key] is None for key in b)


def test_a_track_with_a_pause_is_not_visible_in_it():
    even = np.full((10, 10), 0.01, np.float32)
    clip = samples([even] * 20, 0.5)
    moving = [Sighting(s.t_s, Box(0.1 * (i % 3), 0, 0.1 * (i % 3) + 0.2, 1), 1.0) for i, s in enumerate(clip)]
    one = aoi((0, 0, 0.2, 1), method="text", track=tuple(moving[2:6] + moving[12:14]))
    found = values(score_moving([one], clip, 10.0))
    assert found["availability", "total"] == pytest.approx(30)
    assert found["relative_attention", "total"] == pytest.approx(20)
    assert found["attention", "total"] == pytest.approx(6)


def test_samples_are_streamed():
    kept = []

    def clip():
        for i in range(50):
            frame = np.full((10, 10), 0.01, np.float32)
            kept.append(weakref.ref(frame))
            yield DensitySample(i * 0.2, 0.2, 0, frame)
            del frame
            assert sum(ref() is not None for ref in kept) <= 2  # the one in hand, and the one before

    assert values(score_moving([aoi((0, 0, 0.1, 0.1))], clip(), 10.0))["attention", "total"] == pytest.approx(1.0)


def test_an_area_of_a_page_has_the_screen_around_it():
    everywhere = np.full((80, 10), 1 / 800, np.float32)
    page = Densities({"total": everywhere}, screen=0.25)
    places = (0.2, 0.0, 0.8, 0.02), (0.2, 0.48, 0.8, 0.52), (0.2, 0.98, 0.8, 1.0)
    found = attention_shares([aoi(place) for place in places], page, built_in_hazard_model())
    assert [shares.screens[2] for shares in found] == pytest.approx([0.25] * 3)


def test_windows_that_a_model_does_not_predict_are_undefined_with_a_reason():
    only = Densities({"total": density(np.random.default_rng(19))})
    scores = score_still([aoi((0.2, 0.2, 0.6, 0.7))], only, 5.0)
    for score in flat(scores):
        assert (score.value is None) == (score.time != "total")
        assert score.time == "total" or "no" in score.reason


def test_short_media_have_clipped_windows():
    even = np.full((10, 10), 0.01, np.float32)
    found = values(score_moving([aoi((0, 0, 0.5, 0.5))], samples([even] * 4, 0.25), 1.0))
    for metric in ("attention", "percentage_seen", "time_spent", "availability"):
        assert found[metric, "start"] == found[metric, "end"] == found[metric, "total"]


def test_what_nobody_sees_has_no_time_at_which_it_is_seen():
    scores = score_still(
        [aoi((0.0, 0.0, 0.001, 0.001)), aoi((0.5, 0.5, 0.5, 0.5), 2)], densities(np.random.default_rng(2)), 5
    )
    for number in (1, 2):
        first = scores[number - 1].score("first_seen_s")
        assert first.value is None
        assert "5 %" in first.reason
    assert values(scores, 2)["lift", "total"] is None
    assert values(scores, 2)["percentage_seen", "total"] == 0.0


def test_an_aoi_that_is_never_there_scores_nothing():
    even = np.full((10, 10), 0.01, np.float32)
    scores = score_moving([aoi((0, 0, 1, 1), t0_s=50.0, t1_s=60.0)], samples([even] * 10), 2.0)
    found = values(scores)
    assert found["availability", "total"] == found["percentage_seen", "total"] == found["time_spent", "total"] == 0.0
    assert found["relative_attention", "total"] is None


def test_nonsense_is_refused():
    rng = np.random.default_rng(20)
    with pytest.raises(UsageError, match="exposure"):
        score_still([aoi(box(rng))], densities(rng), 0.0)
    with pytest.raises(UsageError, match="duration"):
        score_moving([aoi(box(rng))], [], 0.0)
    clip = samples([density(rng)] * 2)
    with pytest.raises(UsageError, match="order of time"):
        score_moving([aoi(box(rng))], clip[::-1], 1.0)
    undefined = score_moving([aoi(box(rng))], [], 3.0)
    assert all(score.value is None and score.reason for score in flat(undefined))


@pytest.mark.parametrize("screen", [None, 0.4])
@pytest.mark.parametrize("exposure_s", [1.0, 5.0, 20.0])
def test_what_edits_are_judged_by_is_the_score(screen: float | None, exposure_s: float) -> None:
    rng = np.random.default_rng(11)
    found = Densities({window: density(rng) for window in WINDOWS}, screen=screen)
    areas = [aoi(box(rng), number) for number in range(1, 9)]
    scores = score_still(areas, found, exposure_s)
    whole = {a.aoi_id: a.value("percentage_seen") for a in scores}
    assert shares_seen(areas, found, exposure_s) == pytest.approx(whole, abs=CLOSE)


def test_a_polygon_of_a_film_is_cut_once_and_scores_as_the_box_that_it_is(monkeypatch):
    rng, cut, cuts = np.random.default_rng(5), [], region._cuts
    monkeypatch.setattr(region, "_cuts", lambda start, way, shape: cut.append(shape) or cuts(start, way, shape))
    seq = [density(rng) for _ in range(40)]
    place = Box(0.21, 0.13, 0.77, 0.58)
    corners = ((0.21, 0.13), (0.77, 0.13), (0.77, 0.58), (0.21, 0.58))
    boxed = values(score_moving([aoi(place)], samples(seq), 8.0))
    drawn = values(score_moving([aoi(place, polygon=corners)], samples(seq), 8.0))
    assert drawn == pytest.approx(boxed, rel=1e-9)
    assert sorted(cut) == [(1, 1), (18, 24)]
