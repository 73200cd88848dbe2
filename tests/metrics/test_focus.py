"""Focus: worked out by hand, and moving the way it says."""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import cv2
import numpy as np
import pytest

from mediaan.errors import SetupError
from mediaan.metrics.scales import built_in_focus_scales, fit_focus_scale, fit_spread, load_focus_scales
from mediaan.metrics.scores.concentration import concentration, hotspot_concentration
from mediaan.metrics.scores.focus import focus, focus_total
from mediaan.types.densities import Densities

ROOT = Path(__file__).parents[2]
SCALES = built_in_focus_scales()
PLACES = [(0.15, 0.15), (0.5, 0.5), (0.85, 0.85), (0.15, 0.85), (0.85, 0.15), (0.5, 0.15), (0.15, 0.5), (0.85, 0.5),
          (0.5, 0.85), (0.32, 0.32)]  # fmt: skip
LN = np.log(96**2)


def points(shares, shape=(96, 96)):
    density = np.zeros(shape, np.float32)
    for (x, y), share in zip(PLACES, shares, strict=False):
        density[round(y * shape[0]), round(x * shape[1])] = share
    return density / density.sum()


def spots(number, sd=0.04, places=None, shape=(72, 96), shares=None):
    """Gaussian spots; sd as a share of the long side."""
    y, x = np.mgrid[: shape[0], : shape[1]] + 0.5
    total = np.zeros(shape)
    for i, (px, py) in enumerate((places or PLACES)[:number]):
        spot = np.exp(-((x - px * shape[1]) ** 2 + (y - py * shape[0]) ** 2) / (2 * (sd * max(shape)) ** 2))
        total += (shares[i] if shares else 1) * spot / spot.sum()
    return (total / total.sum()).astype(np.float32)


def mixed(density, even):
    return (1 - even) * density + np.float32(even / density.size)


def blurred(density, sd):
    wide = cv2.GaussianBlur(density, (0, 0), sd, borderType=cv2.BORDER_REFLECT) if sd else density
    return wide / wide.sum()


def like_a_prediction(seed):
    rng = np.random.default_rng(seed)
    number = int(rng.integers(1, 9))
    places = rng.uniform(0.1, 0.9, (number, 2)).tolist()
    density = spots(number, float(rng.uniform(0.03, 0.08)), places, shares=rng.uniform(0.1, 1, number).tolist())
    return mixed(density, float(rng.uniform(0.05, 0.5)))


# ---- by hand -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shares", [[1], [1, 1], [1, 1, 1], [0.7, 0.3], [0.6, 0.3, 0.1]])
def test_up_to_three_points_are_fully_concentrated(shares):
    assert concentration(points(shares)) == pytest.approx(1)


@pytest.mark.parametrize("number", [4, 5, 6, 9])
def test_further_points_count(number):
    # three laid on each other hold 3/n in one cell, the others 1/n each
    squares = (3 / number) ** 2 + (number - 3) / number**2
    assert concentration(points([1] * number)) == pytest.approx(np.log(96**2 * squares) / LN)


def test_points_and_the_even_rest_by_hand():
    # three cells with .2 each; .4 over all 9216: overlay .6 and thrice the share of every other cell under a window
    density = mixed(points([1, 1, 1]), 0.4)
    weights = np.array([[0.5 + 0.5 * np.cos(np.pi * np.clip(2 * np.hypot(x, y) / 14.4 - 1, 0, 1))
                         for x in range(-15, 16)] for y in range(-15, 16)])  # fmt: skip
    ground = 0.4 / 96**2
    overlay = 3 * ground * weights
    overlay[15, 15] += 0.6
    rest = 96**2 * ground**2 - 3 * (ground**2 * (1 - (1 - weights) ** 2)).sum()
    expected = np.log(96**2 * ((overlay**2).sum() + rest)) / LN
    assert concentration(density) == pytest.approx(expected, abs=1e-6)


def test_share_and_area_of_the_strongest_places():
    found = hotspot_concentration(points([1] * 5))
    assert found.share == pytest.approx(3 / 5)
    assert found.area == pytest.approx(1 / 96**2)


# ---- the way it moves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sd", [0.025, 0.04])
def test_two_or_three_spots_are_as_focused_as_one(sd):
    one, two, three = (focus(spots(n, sd)).value for n in (1, 2, 3))
    uneven = focus(spots(3, sd, shares=[0.6, 0.3, 0.1])).value
    assert [two, three, uneven] == pytest.approx([one] * 3, abs=1)


def test_three_wide_spots_lose_less_than_a_fourth_adds():
    raw = [concentration(spots(n, 0.06)) for n in (1, 2, 3, 4)]
    assert raw[0] - raw[2] < raw[2] - raw[3]


@pytest.mark.parametrize("sd", [0.025, 0.04, 0.06])
def test_each_further_spot_lowers_focus(sd):
    raw = [concentration(spots(n, sd)) for n in range(3, 10)]
    assert np.diff(raw).max() < -0.01


@pytest.mark.parametrize("seed", range(12))
def test_blur_and_even_mixture_lower_focus(seed):
    density = like_a_prediction(seed)
    wider = [concentration(blurred(density, sd)) for sd in (0, 1, 2, 4, 8, 16)]
    assert np.diff(wider).max() < 1e-9
    evener = [concentration(mixed(density, even)) for even in np.linspace(0, 1, 21)]
    assert np.diff(evener).max() < 1e-9


@pytest.mark.parametrize("seed", range(6))
def test_mirrored_and_turned_densities_are_as_focused(seed):
    density = like_a_prediction(seed)
    for other in (density[:, ::-1], density[::-1], density.T):
        assert concentration(np.ascontiguousarray(other)) == pytest.approx(concentration(density), abs=1e-6)


def test_where_spots_lie_does_not_matter():
    rng = np.random.default_rng(2)
    values = []
    while len(values) < 10:
        places = rng.uniform(0.15, 0.85, (4, 2))
        apart = np.hypot(*(places[:, None] - places[None]).transpose(2, 0, 1) * np.array([1, 0.75])[:, None, None])
        if apart[np.triu_indices(4, 1)].min() > 0.3:
            values.append(concentration(spots(4, 0.03, places.tolist())))
    assert np.ptp(values) < 0.01


def test_nearly_alike_densities_are_nearly_as_focused():
    for seed in range(6):
        density = like_a_prediction(seed)
        noise = cv2.GaussianBlur(np.random.default_rng(seed).normal(size=density.shape), (0, 0), 3)
        moved = density * np.exp(0.02 * noise / noise.std()).astype(np.float32)
        assert concentration(moved / moved.sum()) == pytest.approx(concentration(density), abs=0.01)


@pytest.mark.parametrize("size", [(36, 48), (96, 128), (150, 200), (384, 512)])
def test_resolution_of_the_density_does_not_matter(size):
    expected = concentration(spots(5, 0.05, shape=(150, 200)))
    assert concentration(spots(5, 0.05, shape=size)) == pytest.approx(expected, abs=0.004)


def test_score_reaches_both_ends_and_is_monotone():
    even = np.full((72, 96), 1 / 6912, np.float32)
    scores = [focus(blurred(points([1], (72, 96)), sd)).value for sd in (0, 2, 4, 8, 12, 16, 24, 40)]
    assert scores == sorted(scores, reverse=True)
    assert (focus(even).value, scores[0]) == (0, 100)


# ---- bars --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("rows", "columns"), [(12, 0), (0, 16), (24, 32)])
def test_attention_on_bars_is_left_out(rows, columns):
    density = like_a_prediction(1)
    height, width = density.shape
    framed = np.pad(density, ((rows, rows), (columns, columns)), constant_values=1e-5)
    box = (columns / framed.shape[1], rows / framed.shape[0], 1 - columns / framed.shape[1], 1 - rows / framed.shape[0])
    share = height * width / framed.size
    expected = concentration(density) - 0.3 * np.log(share) / LN
    assert concentration(framed, box) == pytest.approx(expected, abs=1e-6)


def test_density_with_nothing_in_the_content_is_taken_as_a_whole():
    density = np.zeros((96, 96), np.float32)
    density[0, 0] = 1
    assert concentration(density, (0.25, 0.25, 0.75, 0.75)) == 1


# ---- scales ------------------------------------------------------------------------------------------------------


def test_scales_were_made_with_the_model_that_ships():
    manifest = tomllib.loads((ROOT / "models/manifest.toml").read_text(encoding="utf-8"))
    content = json.loads(files("mediaan.metrics").joinpath("focus.json").read_text(encoding="utf-8"))
    made_with = content["provenance"]["model_sha256"]
    assert made_with == manifest["attention"]["sha256"], "run models/training/focus.py"


@pytest.mark.parametrize("scale", [SCALES.still, SCALES.moving])
def test_knots_rise(scale):
    assert np.diff(scale.knots).min() > 0
    assert scale.score(scale.knots[0]) == 0
    assert scale.score(scale.knots[37]) == pytest.approx(37)
    assert scale.score(1) == 100
    assert 0 < scale.typical_area < scale.typical_share < 1


def test_people_who_differ_from_the_model_in_blur_alone_make_no_spread():
    rng = np.random.default_rng(5)
    predicted = rng.uniform(0.1, 0.4, 400)
    scale = fit_focus_scale(predicted, (0.5, 0.01), predicted, 0.2 + 0.5 * predicted)
    assert max(np.abs([*scale.spread.below, *scale.spread.above])) < 1.5


@pytest.mark.parametrize("number", [30, 75, 150])
def test_interval_covers_nine_of_ten_that_come_next(number):
    inside = []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        scores, residuals = rng.uniform(0, 100, number + 100), rng.normal(0, 12, number + 100)
        spread = fit_spread(scores[:number], residuals[:number])
        bounds = [spread.around(score) for score in scores[number:]]
        inside += [low <= r <= high for r, (low, high) in zip(residuals[number:], bounds, strict=True)]
    assert np.mean(inside) == pytest.approx(0.9, abs=0.02)


def test_unreadable_scales_are_a_setup_error(tmp_path):
    broken = tmp_path / "focus.json"
    broken.write_text(json.dumps({"still": {}}))
    with pytest.raises(SetupError, match=r"focus\.json"):
        load_focus_scales(broken)


# ---- drivers -----------------------------------------------------------------------------------------------------


def drivers_of(density, scale=SCALES.still):
    """Drivers of the focus of a picture without bars."""
    picture = SimpleNamespace(content=(0, 0, 1, 1))
    score = focus_total(picture, Densities({"total": density}), SimpleNamespace(focus=scale))
    assert score.value == focus(density, scale).value
    return {one.driver: one for one in score.drivers}


def test_drivers_say_what_moved_focus():
    scattered, wide = drivers_of(mixed(spots(9, 0.03), 0.3)), drivers_of(spots(1, 0.16))
    assert scattered["gathered_share"].points < -10
    assert "9 competing hotspots: the three strongest places hold" in scattered["gathered_share"].text
    assert wide["gathered_area"].points < -2 < 0 < wide["gathered_share"].points
    assert "attention spots are wide" in wide["gathered_area"].text


def test_driver_of_the_median_moves_nothing():
    density = mixed(spots(4, 0.05), 0.3)
    found = hotspot_concentration(density)
    scale = replace(SCALES.still, typical_share=found.share, typical_area=found.area)
    assert [one.points for one in drivers_of(density, scale).values()] == pytest.approx([0, 0], abs=1e-9)


def test_fewer_places_and_narrower_ones_raise_focus():
    found = hotspot_concentration(mixed(spots(4, 0.05), 0.3))
    assert found.with_share(found.share / 2).concentration < found.concentration
    assert found.with_area(found.area / 2).concentration > found.concentration
    assert found.with_area(found.area / 2).area == pytest.approx(found.area / 2)
