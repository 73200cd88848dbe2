import numpy as np
import pytest
from scipy.ndimage import gaussian_filter
from scipy.stats import truncnorm

from mediaan.errors import AnalysisError, UsageError
from mediaan.saliency.density import (
    blur,
    centre_prior,
    fixation_cells,
    fixation_counts,
    fixation_density,
    normalise,
    resize_density,
)


def random_fixations(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.random(n), rng.random(n)


def random_density(shape: tuple[int, int], seed: int = 0) -> np.ndarray:
    return normalise(np.random.default_rng(seed).random(shape))


def test_cells_are_half_open_and_row_major() -> None:
    cells = fixation_cells([0.0, 0.25, 0.2499, 0.9999], [0.0, 0.0, 0.5, 0.9999], (2, 4))
    assert cells.tolist() == [0, 1, 4, 7]


@pytest.mark.parametrize(("x", "y"), [(1.0, 0.5), (-0.01, 0.5), (0.5, 1.0), (float("nan"), 0.5)])
def test_fixations_beyond_the_edge_are_refused(x: float, y: float) -> None:
    with pytest.raises(UsageError, match="1 of 2 fixations lie outside"):
        fixation_cells([0.5, x], [0.5, y], (10, 10))


def test_counts_agree_with_a_two_dimensional_histogram() -> None:
    x, y = random_fixations(500)
    expected = np.histogram2d(y, x, bins=(7, 11), range=((0, 1), (0, 1)))[0]
    np.testing.assert_array_equal(fixation_counts(x, y, (7, 11)), expected)


@pytest.mark.parametrize("shape", [(60, 80), (80, 60), (120, 23), (1, 50)])
def test_blur_agrees_with_scipy(shape: tuple[int, int]) -> None:
    counts = fixation_counts(*random_fixations(30), shape)
    expected = gaussian_filter(counts.astype(float), 0.025 * max(shape), mode="reflect", truncate=4.0)
    np.testing.assert_allclose(blur(counts), expected, atol=2e-6)


def test_a_fixation_weighs_the_same_in_the_corner_as_in_the_middle() -> None:
    corner, middle = (blur(fixation_counts([at], [at], (90, 120))).sum(dtype=np.float64) for at in (0.0, 0.5))
    assert corner == pytest.approx(middle, rel=1e-5)


def test_sigma_is_a_share_of_the_long_side() -> None:
    density = fixation_density([0.5], [0.5], (201, 401), sigma=0.05).astype(np.float64)
    columns = np.arange(401) - 200
    assert np.sqrt((density.sum(axis=0) * columns**2).sum()) == pytest.approx(0.05 * 401, rel=0.01)


def test_a_density_of_fixations_sums_to_one_and_is_float32() -> None:
    density = fixation_density(*random_fixations(200), (240, 320))
    assert density.dtype == np.float32
    assert density.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)
    assert density.min() >= 0


def test_no_fixation_makes_no_density() -> None:
    with pytest.raises(UsageError, match="no fixation"):
        fixation_density([], [], (10, 10))


@pytest.mark.parametrize("values", [[[0, 0]], [[1, -1e-6]], [[1, np.nan]], [[1, np.inf]]])
def test_what_cannot_be_a_density_is_refused(values: list[list[float]]) -> None:
    with pytest.raises(AnalysisError, match="finite, non-negative"):
        normalise(np.array(values))


def test_integer_values_do_not_overflow() -> None:
    assert normalise(np.full((100, 100), 65535, np.uint16)).sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)


def test_shrinking_adds_up_whole_blocks() -> None:
    density = random_density((12, 20))
    blocks = density.reshape(4, 3, 5, 4).sum(axis=(1, 3))
    np.testing.assert_allclose(resize_density(density, (4, 5)), blocks, rtol=1e-5)


def test_shrinking_by_a_fraction_keeps_the_centre_of_mass() -> None:
    density = centre_prior((90, 160)) * (1 + np.linspace(0, 1, 160, dtype=np.float32))
    density = normalise(density)
    for shape in [(37, 61), (200, 61), (37, 333), (211, 333)]:
        resized = resize_density(density, shape)
        assert centre_of_mass(resized) == pytest.approx(centre_of_mass(density), abs=2e-3)
        assert resized.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)


def centre_of_mass(density: np.ndarray) -> tuple[float, float]:
    rows, columns = density.shape
    wide = density.astype(np.float64)
    return (
        float((wide.sum(axis=1) * (np.arange(rows) + 0.5)).sum() / rows),
        float((wide.sum(axis=0) * (np.arange(columns) + 0.5)).sum() / columns),
    )


@pytest.mark.parametrize("shape", [(240, 320), (320, 240), (1, 1), (3, 500)])
def test_the_prior_is_a_positive_symmetric_density(shape: tuple[int, int]) -> None:
    prior = centre_prior(shape)
    assert prior.sum(dtype=np.float64) == pytest.approx(1, abs=1e-6)
    assert prior.min() > 0
    np.testing.assert_allclose(prior, prior[:, ::-1], rtol=1e-5)


def test_the_prior_has_the_stated_moments() -> None:
    wide = centre_prior((400, 400)).astype(np.float64)
    at = (np.arange(400) + 0.5) / 400
    across, down = wide.sum(axis=0), wide.sum(axis=1)
    expected = truncnorm(-0.5 / 0.246, 0.5 / 0.246, loc=0.5, scale=0.246)
    assert np.sqrt((across * (at - 0.5) ** 2).sum()) == pytest.approx(expected.std(), abs=2e-4)
    expected = truncnorm(-0.474 / 0.185, 0.526 / 0.185, loc=0.474, scale=0.185)
    assert (down * at).sum() == pytest.approx(expected.mean(), abs=2e-4)
