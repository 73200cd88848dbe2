"""Scores: ranges, intervals, and that they move the way they say."""

from __future__ import annotations

import json
from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.errors import SetupError
from mediaan.metrics import (
    BUILT_INS,
    built_in_scales,
    clarity_map,
    cognitive_demand_map,
    concentration,
    engagement_map,
    fit_focus_scale,
    focus,
    load_scales,
    measure_drivers,
    score_all,
    too_simple,
)
from mediaan.metrics.scales import percentile
from mediaan.types.maps import WINDOWS, Densities

SIZE = (256, 320)


def gaussian_density(sigma, size=(48, 60)):
    y, x = np.mgrid[: size[0], : size[1]]
    p = np.exp(-((x / size[1] - 0.5) ** 2 * (size[1] / size[0]) ** 2 + (y / size[0] - 0.5) ** 2) / (2 * sigma**2))
    return (p / p.sum()).astype(np.float32)


def densities(sigma=0.2):
    return Densities(dict.fromkeys(WINDOWS, gaussian_density(sigma)))


def discs(number):
    rng = np.random.default_rng(5)
    rgb = np.full((*SIZE, 3), 245, np.uint8)
    for _ in range(number):
        centre = tuple(int(v) for v in rng.integers(10, (SIZE[1] - 10, SIZE[0] - 10)))
        cv2.circle(rgb, centre, int(rng.integers(5, 16)), tuple(int(v) for v in rng.integers(0, 255, 3)), -1)
    return rgb


def scored(rgb, sigma=0.2):
    return {score.metric: score for score in score_all(measure_drivers(rgb), densities(sigma))}


@pytest.mark.parametrize("rgb", [discs(25), np.random.default_rng(6).integers(0, 256, (70, 90, 3)).astype(np.uint8)])
def test_scores_lie_in_their_intervals(rgb):
    scores = score_all(measure_drivers(rgb), densities())
    assert [score.metric for score in scores] == [metric.spec.name for metric in BUILT_INS]
    for score, metric in zip(scores, BUILT_INS, strict=True):
        assert 0 <= score.lo <= score.value <= score.hi <= 100
        assert score.hi > score.lo
        assert (score.basis, score.unit) == (metric.spec.basis, metric.spec.unit)
    assert [score.time for score in scores][:3] == ["total", "start", "end"]


def test_clutter_raises_cognitive_demand():
    values = [scored(discs(number))["cognitive_demand"].value for number in (0, 4, 15, 60)]
    assert values == sorted(values)
    assert values[-1] > values[0] + 30


def test_clutter_lowers_clarity():
    busy = np.random.default_rng(7).integers(0, 256, (*SIZE, 3)).astype(np.uint8)
    assert scored(discs(4))["clarity"].value > scored(busy)["clarity"].value + 20


def test_faint_message_is_unclear_however_empty_its_ground():
    faint, strong = (np.full((*SIZE, 3), 235, np.uint8) for _ in range(2))
    cv2.putText(faint, "Two days", (70, 130), cv2.FONT_HERSHEY_DUPLEX, 1.2, (218, 218, 218), 2, cv2.LINE_AA)
    cv2.putText(strong, "Two days", (70, 130), cv2.FONT_HERSHEY_DUPLEX, 1.2, (20, 20, 20), 2, cv2.LINE_AA)
    assert scored(strong)["clarity"].value > scored(faint)["clarity"].value + 40


def test_window_that_the_model_lacks_is_null_with_a_reason():
    only_total = Densities({"total": gaussian_density(0.2)})
    scores = {score.metric: score for score in score_all(measure_drivers(discs(20)), only_total)}
    for metric in ("focus_first_two", "focus_last_two", "engagement"):
        assert scores[metric].value is None
        assert "window" in scores[metric].reason
    assert scores["focus"].value is not None


def test_colour_raises_engagement_and_memory():
    colourful = discs(20)
    grey = cv2.cvtColor(cv2.cvtColor(colourful, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    for metric in ("engagement", "memory"):
        assert scored(colourful)[metric].value > scored(grey)[metric].value


def test_gathered_attention_raises_focus_memory_and_engagement():
    wide, narrow = scored(discs(20), 0.4), scored(discs(20), 0.05)
    for metric in ("focus", "focus_first_two", "focus_last_two", "memory", "engagement"):
        assert narrow[metric].value > wide[metric].value


def test_mirrored_picture_scores_alike():
    rgb = discs(30)
    one, two = scored(rgb), scored(np.ascontiguousarray(rgb[:, ::-1]))
    for metric, score in one.items():
        assert two[metric].value == pytest.approx(score.value, abs=4)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_constant_picture_is_defined_but_for_clarity(level):
    rgb = np.full((*SIZE, 3), level, np.uint8)
    scores = scored(rgb)
    assert scores["clarity"].value is None
    assert "no contours" in scores["clarity"].reason
    assert scores["clarity"].lo is None
    assert scores["cognitive_demand"].value < 3
    assert too_simple(measure_drivers(rgb), built_in_scales())
    assert not too_simple(measure_drivers(discs(60)), built_in_scales())


@pytest.mark.parametrize("shape", [(1, 1), (3, 500), (33, 31)])
def test_tiny_and_thin_pictures_have_defined_scores(shape):
    rgb = np.random.default_rng(8).integers(0, 256, (*shape, 3)).astype(np.uint8)
    drivers = measure_drivers(rgb)
    assert all(value is None or np.isfinite(value) for value in drivers.scalars().values())
    for score in score_all(drivers, densities()):
        assert score.value is None or 0 <= score.value <= 100


def test_concentration_by_hand():
    quarter = np.zeros((96, 96), np.float32)
    quarter[:48, :48] = 1 / 48**2
    assert concentration(quarter) == pytest.approx(np.log(4) / np.log(96**2))
    point = np.zeros((96, 96), np.float32)
    point[3, 5] = 1
    assert concentration(point) == pytest.approx(1)


@pytest.mark.parametrize("size", [(24, 30), (48, 60), (160, 200), (384, 480)])
def test_concentration_does_not_depend_on_the_grid(size):
    expected = concentration(gaussian_density(0.12, (96, 120)))
    assert concentration(gaussian_density(0.12, size)) == pytest.approx(expected, abs=0.003)


def test_focus_is_monotone_and_reaches_both_ends():
    values = [focus(gaussian_density(sigma)).value for sigma in (3, 0.4, 0.2, 0.1, 0.05, 0.01)]
    assert values == sorted(values)
    assert (values[0], values[-1]) == (0, 100)


def test_focus_interval_covers_the_truth_nine_times_in_ten():
    rng = np.random.default_rng(9)
    human = rng.normal(0.3, 0.05, 2000)
    predicted = human + rng.normal(0, 0.03, 2000)
    scale = fit_focus_scale(predicted[:1000], predicted[:1000], human[:1000])
    truth = [percentile(h, fit_focus_scale(human[:1000], human[:1000], human[:1000]).knots) for h in human[1000:]]
    bounds = [scale.spread.bounds(scale.score(p)) for p in predicted[1000:]]
    covered = np.mean([low <= t <= high for t, (low, high) in zip(truth, bounds, strict=True)])
    assert covered == pytest.approx(0.9, abs=0.04)


def test_local_maps_are_absolute():
    blank, busy = measure_drivers(np.full((*SIZE, 3), 200, np.uint8)), measure_drivers(discs(60))
    assert cognitive_demand_map(blank).max() < 1e-3
    assert clarity_map(blank).max() == 0
    for values in (cognitive_demand_map(busy), clarity_map(busy), engagement_map(busy, densities())):
        assert values.shape == SIZE
        assert values.dtype == np.float32
        assert values.min() >= 0
        assert values.max() > 0.2
    assert clarity_map(busy).max() <= 1


def test_engagement_map_follows_attention():
    drivers = measure_drivers(discs(60))
    centre = engagement_map(drivers, densities(0.05))
    assert centre[118:138, 150:170].mean() > 20 * centre[:20, :20].mean()
    even = Densities(dict.fromkeys(WINDOWS, np.full((10, 10), 0.01, np.float32)))
    np.testing.assert_allclose(engagement_map(drivers, even), drivers.arousal_map / 8, rtol=1e-5)


def test_unreadable_scales_are_a_setup_error(tmp_path: Path):
    broken = tmp_path / "scales.json"
    broken.write_text(json.dumps({"drivers": {}}))
    with pytest.raises(SetupError, match=r"scales\.json"):
        load_scales(broken)
