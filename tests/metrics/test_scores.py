"""Scores: ranges, intervals, and that they move the way they say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from mediaan.errors import SetupError
from mediaan.maps import clarity_map, cognitive_demand_map, engagement_map
from mediaan.metrics import built_in_scales, load_scales, metrics_of, score_all, too_simple, with_intervals
from mediaan.metrics import measure_drivers as measure
from mediaan.metrics.scales import Spread
from mediaan.metrics.scores.ratings import opinion_models
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.metrics import repeatability
from mediaan.vision.appearance import load_appearance_reader

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


def measure_drivers(rgb):
    return measure(rgb, load_appearance_reader("cpu", 1).read(rgb))


def scored(rgb, sigma=0.2):
    return {score.metric: score for score in score_all(measure_drivers(rgb), densities(sigma))}


@pytest.mark.parametrize("rgb", [discs(25), np.random.default_rng(6).integers(0, 256, (70, 90, 3)).astype(np.uint8)])
def test_scores_lie_in_their_intervals(rgb):
    scores = with_intervals(score_all(measure_drivers(rgb), densities()))
    assert [score.metric for score in scores] == [metric.spec.name for metric in metrics_of("image")]
    for score, metric in zip(scores, metrics_of("image"), strict=True):
        assert (score.basis, score.unit) == (metric.spec.basis, metric.spec.unit)
        if score.unit == "score":
            assert 0 <= score.lo <= score.value <= score.hi <= 100
            assert score.hi > score.lo
    assert [score.time for score in scores][:3] == ["total", "start", "end"]


def test_an_interval_may_be_wider_on_one_side_and_ends_with_the_scale():
    lopsided = Spread((-5.0,) * 5, (2.0,) * 5)
    assert lopsided.bounds(50.0) == (45, 52)
    assert lopsided.bounds(99.0) == (94, 100)


def test_contributions_say_what_the_score_would_be_without():
    """Points of a driver: the score less that of the same picture with this one driver at the population's median."""
    rgb, scales = discs(25), built_in_scales()
    drivers = measure_drivers(rgb)
    (found,) = [score for score in score_all(drivers, densities()) if score.metric == "memory"]
    first = next(one for one in found.drivers if one.driver in drivers.scalars())
    typical = replace(drivers, **{first.driver: float(np.median(scales.drivers[first.driver]))})
    (without,) = [score for score in score_all(typical, densities()) if score.metric == "memory"]
    assert first.value == getattr(drivers, first.driver)
    assert first.points == pytest.approx(found.value - without.value, abs=0.2)
    for score in score_all(drivers, densities()):
        sizes = [abs(one.points) for one in score.drivers]
        assert sizes == sorted(sizes, reverse=True)
        assert len(sizes) <= 5


def test_clutter_raises_cognitive_demand():
    values = [scored(discs(number))["cognitive_demand"].value for number in (0, 4, 15, 60)]
    assert values == sorted(values)
    assert values[-1] > values[0] + 15


def test_window_that_the_model_lacks_is_null_with_a_reason():
    only_total = Densities({"total": gaussian_density(0.2)})
    scores = {score.metric: score for score in score_all(measure_drivers(discs(20)), only_total)}
    for metric in ("focus_first_two", "focus_last_two"):
        assert scores[metric].value is None
        assert "window" in scores[metric].reason
    assert scores["focus"].value is not None


def test_colour_raises_memory():
    colourful = discs(20)
    grey = cv2.cvtColor(cv2.cvtColor(colourful, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    assert scored(colourful)["memory"].value > scored(grey)["memory"].value


def test_gathered_attention_raises_focus_and_memory_and_changes_no_opinion():
    wide, narrow = scored(discs(20), 0.4), scored(discs(20), 0.05)
    for metric in ("focus", "focus_first_two", "focus_last_two", "memory"):
        assert narrow[metric].value > wide[metric].value
    for metric in ("clarity", "engagement", "design"):
        assert narrow[metric] == wide[metric]


def test_mirrored_picture_scores_alike():
    rgb = discs(30)
    one, two = scored(rgb), scored(np.ascontiguousarray(rgb[:, ::-1]))
    for metric, score in one.items():
        near = repeatability(metric, score.value) if metric in opinion_models() else 4
        assert two[metric].value == pytest.approx(score.value, abs=near)


@pytest.mark.parametrize("level", [0, 128, 255])
def test_constant_picture_is_defined_but_for_opinions(level):
    rgb = np.full((*SIZE, 3), level, np.uint8)
    scores = scored(rgb)
    for metric in ("clarity", "engagement", "design"):
        assert scores[metric].value is None
        assert "no contours" in scores[metric].reason
        assert scores[metric].lo is None
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


def test_local_maps_are_absolute():
    blank, busy = measure_drivers(np.full((*SIZE, 3), 200, np.uint8)), measure_drivers(discs(60))
    even = densities()
    assert cognitive_demand_map(blank, even).max() < 1e-3
    assert clarity_map(blank, even).max() == 0
    for values in (cognitive_demand_map(busy, even), clarity_map(busy, even), engagement_map(busy, even)):
        assert values.shape == SIZE
        assert values.dtype == np.float32
        assert values.min() >= 0
        assert values.max() > 0.2
    assert clarity_map(busy, even).max() <= 1


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
