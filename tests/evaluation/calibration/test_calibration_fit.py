from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from eye_lab import Brightness, look, make_pictures
from scipy.ndimage import gaussian_filter

from mediaan.evaluation import calibration
from mediaan.evaluation.calibration import (
    CENTRE,
    KERNEL,
    METRICS,
    NO_CHANGE,
    SHARPNESS,
    SPREAD,
    TILES,
    AdjustmentLikelihoods,
    GridPoint,
    _share_seen,
    adjustment_likelihoods,
    estimated_exposure,
    fit_calibration,
    gaze_share,
)
from mediaan.evaluation.datasets.image_set import read_fixations, read_gaze_set
from mediaan.evaluation.saliency.scores import evaluate_predictor
from mediaan.saliency.density import fixation_density, normalise
from mediaan.saliency.predictor import CalibratedPredictor, adjust_density
from mediaan.types.eye_tracking import Adjustment, Calibration

PICTURES = 16


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    make_pictures(folder, PICTURES)
    return folder


def fit(folder: Path, **how: object) -> Calibration:
    return fit_calibration(Brightness(("total", "start")), read_fixations(folder), folder, **how)  # type: ignore[arg-type]


def drawn_as(adjustment: Adjustment) -> Adjustment:
    """What fixations must be drawn from to be found so: each counts as a Gaussian, which spreads them too."""
    spread = float(np.sqrt(max(0.0, adjustment.spread**2 - KERNEL**2)))
    return Adjustment(adjustment.sharpness, None, spread, None, adjustment.centre)


@pytest.mark.parametrize(
    "truth",
    [
        pytest.param(Adjustment(0.7, None, 0.05, None, 0.0), marks=pytest.mark.full),
        Adjustment(1.5, None, 0.06, None, 0.2),
        pytest.param(Adjustment(1.0, None, 0.03, None, 0.4), marks=pytest.mark.full),
    ],
)
def test_a_known_lab_is_recovered(lab: Path, truth: Adjustment) -> None:
    look(lab, drawn_as(truth))
    found = fit(lab)
    assert found.total.sharpness == pytest.approx(truth.sharpness, rel=0.15)
    assert found.total.spread == pytest.approx(truth.spread, abs=0.012)
    assert found.total.centre == pytest.approx(truth.centre, abs=0.06)
    gains = {e.metric: e for e in found.evidence}
    assert gains["information_gain"].lo > 0
    assert gains["kld"].hi < 0
    assert (found.pictures, found.viewers, found.fixations) == (PICTURES, 20, 20 * 10 * PICTURES)


def test_before_is_what_evaluate_says_and_after_is_near_what_it_says_of_the_calibrated_model(lab: Path) -> None:
    look(lab, Adjustment(0.6, None, 0.05, None, 0.3))
    found = fit(lab)
    before = evaluate_predictor(Brightness(), read_gaze_set(lab))
    after = evaluate_predictor(CalibratedPredictor(Brightness(), found), read_gaze_set(lab))
    assert {e.metric for e in found.evidence} == set(METRICS) - {"seen"}
    for e in found.evidence:
        assert e.before == pytest.approx(before[e.metric].model, abs=1e-4)
        assert e.after == pytest.approx(after[e.metric].model, abs=0.02)
        assert e.gain == pytest.approx(e.after - e.before, abs=2e-4)
        assert e.lo <= e.gain <= e.hi


class Blurred(Brightness):
    """The model, if fixations were the Gaussians as which they count."""

    name = "blurred"

    def _density(self, frame):  # type: ignore[no-untyped-def]
        return adjust_density(super()._density(frame), Adjustment(spread=KERNEL))


def test_next_to_no_fixations_change_nothing(lab: Path) -> None:
    for seed in range(2):
        look(lab, Adjustment(), viewers=1, fixations=2, seed=seed)
        found = fit_calibration(Blurred(), read_fixations(lab), lab)
        assert found.total.changes_nothing
        gain = next(e for e in found.evidence if e.metric == "information_gain")
        assert gain.lo < gain.hi  # what was tried is shown


def test_the_likelihood_is_that_of_fixations_as_gaussians() -> None:
    """Against a density of the fixations blurred by another implementation, and the cross entropy with it."""
    random = np.random.default_rng(5)
    density = normalise(gaussian_filter(random.random((40, 60)) ** 6, 3))
    x, y = 0.2 + 0.6 * random.random(400), 0.2 + 0.6 * random.random(400)
    looked = fixation_density(x, y, (400, 600), KERNEL).reshape(40, 10, 60, 10).sum(axis=(1, 3))
    bits = adjustment_likelihoods(density, x, y)
    for point in (NO_CHANGE, GridPoint(5, 0, 0), GridPoint(30, 4, 3), GridPoint(18, 0, 10)):
        wanted = float((looked * np.log2(adjust_density(density, point.adjustment))).sum())
        assert bits[point] == pytest.approx(wanted, abs=0.02)


def test_fixations_at_the_edge_and_more_than_opencv_takes_count(monkeypatch: pytest.MonkeyPatch) -> None:
    assert calibration._MAX_PLACES < 2**15 - 1
    monkeypatch.setattr(calibration, "_MAX_PLACES", 7)
    places = np.r_[np.zeros(20), 0.999]
    bits = adjustment_likelihoods(normalise(np.ones((20, 30))), places, places)
    assert bits[NO_CHANGE] == pytest.approx(-np.log2(600), abs=1e-4)


def test_few_pictures_are_drawn_to_no_change() -> None:
    """The same gain per picture moves many pictures farther than few."""
    gain = -0.02 * np.square(np.log2(SHARPNESS / 2.0))[:, None, None] + np.zeros((1, len(SPREAD), len(CENTRE)))
    sharp = [
        float(SHARPNESS[AdjustmentLikelihoods(np.stack([gain] * n)).best(np.arange(n)).sharpness])
        for n in (2, 10, 1000)
    ]
    assert 1 < sharp[0] < sharp[1] < sharp[2]
    assert sharp[2] == pytest.approx(2.0, rel=0.04)


def test_intervals_hold_the_estimate_and_shrink_with_pictures() -> None:
    random = np.random.default_rng(2)
    best = random.normal(0.3, 0.4, 60)
    bits = -np.square(np.log2(SHARPNESS) - best[:, None])[:, :, None, None] * np.ones((1, 1, len(SPREAD), len(CENTRE)))
    widths = []
    for n in (10, 60):
        found = AdjustmentLikelihoods(bits[:n]).estimate()
        assert found.sharpness_interval is not None
        low, high = found.sharpness_interval
        assert low <= found.sharpness <= high
        widths.append(high - low)
    assert widths[1] < widths[0]


# ---- times -----------------------------------------------------------------------------------------------------------


def test_busier_viewers_have_a_higher_rate_and_their_own_share_of_gaze(lab: Path) -> None:
    rates = {}
    for fixations in (5, 15):
        look(lab, Adjustment(), fixations=fixations, exposure_s=3.0)
        found = fit(lab, exposure_s=3.0)
        rates[fixations] = found.pace.rate
        assert found.pace.gaze is not None
        assert found.pace.gaze == pytest.approx(0.8, abs=0.05)
    assert rates[15] > 1.8 * rates[5]


def test_without_times_nothing_is_said_of_the_pace(lab: Path) -> None:
    look(lab, Adjustment(sharpness=0.7))
    found = fit(lab)
    assert found.pace.rate == 1
    assert found.pace.gaze is None
    assert found.start is None


def test_seen_is_counted_by_viewer_and_tile() -> None:
    table = pd.DataFrame(
        {
            "viewer": [1, 1, 1, 2, 3],
            "x": [0.1, 0.2, 0.9, 0.1, 0.6],
            "y": [0.1, 0.2, 0.9, 0.1, 0.1],
            "onset_s": [0.1, 0.5, 5.0, 0.1, 0.4],
        }
    )
    seen = _share_seen(table, 3.0)
    assert seen.size == sum(n * n for n in TILES)
    np.testing.assert_allclose(seen[:4], [2 / 3, 1 / 3, 0, 0])


def test_exposure_and_share_of_gaze_by_hand() -> None:
    table = pd.DataFrame({"image": "a", "viewer": [1, 1, 2], "onset_s": [0.1, 1.0, 0.2], "duration_s": [0.5, 2.0, 1.0]})
    assert estimated_exposure(table) == pytest.approx(np.quantile([3.0, 1.2], 0.95).round(1))
    # from 0.2 s to 2.2 s: viewer 1 spends 0.4 + 1.2 s, viewer 2 1.0 s, of 2 s each
    assert gaze_share(table, 2.2, 0.2) == (pytest.approx(2.6 / 4), None)
    assert gaze_share(table.drop(columns="duration_s"), 2.2, 0.2) is None
