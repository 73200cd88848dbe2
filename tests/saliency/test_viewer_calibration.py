import numpy as np
import pytest
from scipy.ndimage import gaussian_filter

from mediaan.errors import UsageError
from mediaan.saliency import TemporalAttention
from mediaan.saliency.density import centre_prior, normalise
from mediaan.saliency.predictor import CalibratedPredictor, CentrePrior, adjust_density
from mediaan.types.arrays import Float32
from mediaan.types.densities import WINDOWS
from mediaan.types.eye_tracking import Adjustment, Calibration

FLAT_TO_PEAKED = [0.5, 1.0, 1.5, 2.0]


@pytest.fixture
def density() -> Float32:
    return normalise(gaussian_filter(np.random.default_rng(1).random((30, 40)) ** 8, 1.5))


def calibration(**facts: object) -> Calibration:
    known: dict[str, object] = {
        "model": "centre-prior",
        "model_sha256": "",
        "source": "lab",
        "made_at": "2026-01-01T00:00:00+00:00",
        "mediaan": "0",
        "pictures": 50,
        "viewers": 20,
        "fixations": 9000,
        "total": Adjustment(sharpness=0.7, centre=0.2),
    }
    return Calibration(**(known | facts))  # type: ignore[arg-type]


def test_each_step_is_that_of_another_implementation(density: Float32) -> None:
    sharp = density.astype(np.float64) ** 1.4
    sharp /= sharp.sum()
    spread = gaussian_filter(sharp, 0.05 * 40, mode="reflect", truncate=4.0)
    mixed = 0.9 * spread + 0.1 * centre_prior((30, 40)).astype(np.float64)
    np.testing.assert_allclose(adjust_density(density, Adjustment(sharpness=1.4)), sharp, atol=1e-8)
    np.testing.assert_allclose(adjust_density(density, Adjustment(sharpness=1.4, spread=0.05)), spread, rtol=2e-3)
    np.testing.assert_allclose(adjust_density(density, Adjustment(1.4, None, 0.05, None, 0.1)), mixed, rtol=2e-3)


@pytest.mark.parametrize("sharpness", FLAT_TO_PEAKED)
@pytest.mark.parametrize("spread", [0.0, 0.03, 0.3])
def test_densities_stay_densities(density: Float32, sharpness: float, spread: float) -> None:
    made = adjust_density(density, Adjustment(sharpness, None, spread, None, 0.1))
    assert made.dtype == np.float32
    assert made.shape == density.shape
    assert made.min() > 0
    assert made.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)


def test_attention_gathers_with_sharpness_and_scatters_with_spread(density: Float32) -> None:
    def used(adjustment: Adjustment) -> float:
        return 1 / float(np.square(adjust_density(density, adjustment).astype(np.float64)).sum())

    areas = [used(Adjustment(sharpness=s)) for s in FLAT_TO_PEAKED]
    assert areas == sorted(areas, reverse=True)
    areas = [used(Adjustment(spread=s)) for s in (0.0, 0.02, 0.05, 0.1)]
    assert areas == sorted(areas)


@pytest.mark.parametrize("facts", [{"sharpness": 0.0}, {"sharpness": 11.0}, {"spread": 0.6}, {"centre": -0.1}])
def test_numbers_that_cannot_be_are_refused(facts: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=rf"{next(iter(facts))} must be a number from"):
        Adjustment(**facts)


def test_windows_have_their_own_adjustment_or_that_of_the_whole() -> None:
    frames = np.zeros((1, 96, 128, 3), np.uint8)
    own = calibration(start=Adjustment(sharpness=2.0))
    (plain,), (made,) = CentrePrior().predict(frames), CalibratedPredictor(CentrePrior(), own).predict(frames)
    for window in WINDOWS:
        wanted = adjust_density(plain[window], own.start if window == "start" and own.start else own.total)
        np.testing.assert_array_equal(made[window], wanted)


def test_a_calibrated_model_is_the_model_to_everybody_else() -> None:
    plain, made = CentrePrior(), CalibratedPredictor(CentrePrior(), calibration())
    assert (made.name, made.sha256, made.device, made.view) == (plain.name, plain.sha256, plain.device, plain.view)


def test_another_model_is_refused_unless_a_reason_is_given() -> None:
    other = calibration(model="attention", model_sha256="ab" * 32)
    with pytest.raises(UsageError, match=r"fitted to the model attention \(abababababab\), not to centre-prior"):
        CalibratedPredictor(CentrePrior(), other)
    with pytest.raises(UsageError, match="calibration-despite"):
        TemporalAttention(CentrePrior(), calibration=other)
    CalibratedPredictor(CentrePrior(), calibration(model_sha256="ab" * 32, despite="same network, other file"))


def test_over_time_what_is_said_is_adjusted_and_what_is_remembered_is_not() -> None:
    frames = np.random.default_rng(3).integers(0, 255, (3, 96, 128, 3), dtype=np.uint8)
    t, weight = np.arange(3) * 0.2, np.full(3, 0.2)
    shot, fresh = np.zeros(3, np.int32), np.ones(3, bool)
    plain, made = TemporalAttention(CentrePrior()), TemporalAttention(CentrePrior(), calibration=calibration())
    before, state = plain.advance(plain.start(), frames, t, weight, shot, fresh)
    after, own = made.advance(made.start(), frames, t, weight, shot, fresh)
    for one, other in zip(before, after, strict=True):
        np.testing.assert_array_equal(other, adjust_density(one, calibration().total))
    np.testing.assert_array_equal(own.filter_state.target, state.filter_state.target)
