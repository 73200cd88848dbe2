"""The model of who sees a region: against simulated viewers, and real ones."""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model, hazard_model_from_dict, window_span
from mediaan.errors import UsageError
from mediaan.saliency import load_predictor
from mediaan.types.densities import WINDOWS, Densities
from mediaan.types.eye_tracking import Pace

SHARED = Path(__file__).parents[3].parent / "shared"
MODEL = built_in_hazard_model()


class Period(NamedTuple):
    t0_s: float
    t1_s: float
    density: np.ndarray


def periods_of(densities: Densities, exposure_s: float) -> list[Period]:
    spans, maps = MODEL.period_spans(exposure_s), MODEL.period_densities(densities)
    return [Period(*span, density) for span, density in zip(spans, maps, strict=False)]


def uniform(shape=(12, 16)):
    return np.full(shape, 1 / (shape[0] * shape[1]), np.float32)


def test_share_seen_is_that_of_simulated_viewers():
    # each viewer has a frailty of mean 1 and fixates as a Poisson process; any event is a first fixation
    rng = np.random.default_rng(0)
    for hazard in (0.05, 0.4, 1.5, 6.0):
        frailty = rng.gamma(1 / MODEL.frailty, MODEL.frailty, 200_000)
        seen = (rng.poisson(frailty * hazard) > 0).mean()
        assert float(MODEL.share_seen(hazard)) == pytest.approx(seen, abs=0.005)


def test_median_of_first_fixations_is_that_of_simulated_viewers():
    # nothing for a second, then one hazard for two seconds, then thrice as much for one
    rng = np.random.default_rng(1)
    frailty = rng.gamma(1 / MODEL.frailty, MODEL.frailty, 400_000)
    needed = rng.exponential(size=frailty.size) / frailty
    times, hazards = [1.0, 3.0, 4.0], [0.0, 0.4, 1.0]
    seen = needed < hazards[-1]
    first = np.interp(needed[seen], hazards, times)
    assert MODEL.first_seen_s(times, hazards) == pytest.approx(np.median(first), abs=0.01)


def test_median_is_before_a_pause_in_which_nothing_happens():
    half = float(MODEL.hazard_of(float(MODEL.share_seen(2.0)) / 2))
    assert MODEL.first_seen_s([0.0, 1.0, 9.0, 10.0], [0.0, half, half, 2.0]) == pytest.approx(1.0)
    assert MODEL.first_seen_s([0.0, 1.0, 9.0, 10.0], [0.0, 0.99 * half, 0.99 * half, 2.0]) > 9.0


def test_median_is_unknown_where_hardly_anybody_looks():
    hazard = float(MODEL.hazard_of(0.05))
    assert MODEL.first_seen_s([0.0, 5.0], [0.0, hazard * 0.999]) is None
    assert MODEL.first_seen_s([0.0, 5.0], [0.0, hazard * 1.001]) is not None
    assert MODEL.first_seen_s([], []) is None


def test_hazards_of_periods_add_up():
    parts = [MODEL.hazard(0.2, t, t + 0.1) for t in np.arange(0, 3, 0.1)]
    assert float(sum(parts)) == pytest.approx(float(MODEL.hazard(0.2, 0.0, 3.0)))


def test_more_share_or_more_time_is_never_less_seen():
    share, until = np.linspace(0, 1, 101), np.linspace(0, 60, 241)
    seen = MODEL.share_seen(MODEL.hazard(share[:, None], 0.0, until))
    assert (np.diff(seen, axis=0) >= 0).all()
    assert (np.diff(seen, axis=1) >= 0).all()
    assert seen.min() == 0.0
    assert seen.max() <= 1.0
    assert seen[-1, 4] > 0.99  # the whole picture is seen by all within a second


@pytest.mark.parametrize("exposure", [0.1, 0.5, 1.7, 2.0, 3.0, 4.5, 5.0, 8.0, 600.0])
def test_periods_tile_the_exposure(exposure):
    densities = Densities(dict.fromkeys(WINDOWS, uniform()))
    periods = periods_of(densities, exposure)
    assert periods[0].t0_s == 0.0
    assert periods[-1].t1_s == exposure
    assert all(a.t1_s == b.t0_s for a, b in pairwise(periods))
    assert all(p.density.sum(dtype=np.float64) == pytest.approx(1, abs=1e-5) for p in periods)


def test_first_two_seconds_go_by_start_and_last_two_by_end():
    spots = {}
    for i, window in enumerate(WINDOWS):
        spots[window] = np.zeros((4, 4), np.float32)
        spots[window][1, i] = 1.0
    column = {"start": 0, "end": 1, "total": 2}
    for exposure in (5.0, 9.0):
        for period in periods_of(Densities(spots), exposure):
            middle = (period.t0_s + period.t1_s) / 2
            window = "start" if middle < 2 else "end" if middle > exposure - 2 else "total"
            assert period.density[1, column[window]] == pytest.approx(1.0)


def test_gaze_is_near_the_middle_at_first():
    first = periods_of(Densities({"total": uniform((40, 40))}), 5.0)[0].density
    assert first[10:30, 10:30].sum() > 0.5  # of a quarter of the area
    assert np.allclose(first, first[:, ::-1])


def test_viewers_who_agree_more_look_more_at_the_strongest_place():
    halves = np.repeat([[3.0, 1.0]], 12, axis=0).repeat(8, axis=1)
    halves = (halves / halves.sum()).astype(np.float32)
    agreeing = MODEL.paced(Pace(agreement=1.5))
    for usual, sharp in (
        (MODEL.sharpen(halves), agreeing.sharpen(halves)),
        (
            MODEL.period_densities(Densities({"total": halves}))[2],
            agreeing.period_densities(Densities({"total": halves}))[2],
        ),
    ):
        odds = [left / (1 - left) for left in (usual[:, :8].sum(), sharp[:, :8].sum())]
        assert np.log(odds[1]) == pytest.approx(1.5 * np.log(odds[0]), rel=1e-3)


@pytest.mark.parametrize("exposure", [0.0, -1.0, float("inf"), float("nan")])
def test_an_exposure_that_is_no_time_is_refused(exposure):
    with pytest.raises(UsageError, match="exposure"):
        periods_of(Densities({"total": uniform()}), exposure)


def test_windows_are_clipped_where_a_medium_is_short():
    assert [window_span(w, 1.0) for w in WINDOWS] == [(0.0, 1.0)] * 3
    assert [window_span(w, 3.0) for w in WINDOWS] == [(0.0, 2.0), (1.0, 3.0), (0.0, 3.0)]


def test_bands_hold_their_predictions_and_stay_in_range():
    for band in (MODEL.attention, MODEL.seen, MODEL.spent, MODEL.first):
        for value in np.linspace(0, 1, 201):
            low, high = band.bounds(float(value))
            assert 0 <= low <= value <= high <= 1


def test_the_file_says_where_it_comes_from():
    content = json.loads(files("mediaan.aoi.scoring").joinpath("fixation_hazard.json").read_text(encoding="utf-8"))
    assert content["provenance"]["model_sha256"] == load_predictor("attention", "cpu").sha256, (
        "the attention model has changed: run models/training/fixation_hazard.py again"
    )
    assert content["provenance"]["pictures"] == 150
    assert hazard_model_from_dict(content) == MODEL


def test_a_damaged_file_is_no_model():
    with pytest.raises(TypeError):
        hazard_model_from_dict({"constants": {"rate": 1.0}, "bands": {}})


@pytest.mark.skipif(not (SHARED / "data/gaze/osie").is_dir(), reason="needs the shared eye tracking")
def test_people_see_what_is_foretold():
    # a few held-out pictures, quadrants and ninths, counted here from the raw table
    import pandas as pd

    from mediaan.aoi.region import attention_share
    from mediaan.media import open_image
    from mediaan.types.aoi import Box

    names = (Path(__file__).parents[3] / "models/training/split/held_out/osie.txt").read_text().split()[::10]
    table = pd.read_parquet(SHARED / "data/gaze/osie/fixations.parquet")
    predictor = load_predictor("attention", "cpu", threads=1)
    boxes = [Box(i / n, j / n, (i + 1) / n, (j + 1) / n) for n in (2, 3) for i in range(n) for j in range(n)]
    predicted, truth = [], []
    for name in names:
        opened = open_image(SHARED / f"data/gaze/osie/images/{name}.jpg", [predictor.view])
        periods = periods_of(predictor.predict(opened.chunks[0].views[predictor.view.name])[0], 3.0)
        own = table[table.image == name]
        for box in boxes:
            hazard = sum(float(MODEL.hazard(attention_share(p.density, box), p.t0_s, p.t1_s)) for p in periods)
            predicted.append(float(MODEL.share_seen(hazard)))
            hits = own[own.x.between(box.x0, box.x1) & own.y.between(box.y0, box.y1)]
            truth.append(hits.viewer.nunique() / own.viewer.nunique())
    predicted, truth = np.array(predicted), np.array(truth)
    assert np.abs(predicted - truth).mean() < 0.14
    assert abs((predicted - truth).mean()) < 0.06
    assert np.corrcoef(predicted, truth)[0, 1] > 0.85
