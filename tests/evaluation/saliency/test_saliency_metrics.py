"""Metrics against values worked out by hand, independent implementations, and properties that they must have."""

import numpy as np
import pytest
from scipy.stats import entropy, pearsonr, zscore
from sklearn.metrics import roc_auc_score

from mediaan.errors import UsageError
from mediaan.evaluation.saliency.metrics import auc_judd, cc, information_gain, kld, nss, shuffled_auc, sim
from mediaan.saliency.density import centre_prior, fixation_cells, fixation_density, normalise, uniform_density

NONE = np.empty(0, np.int64)


def density_of(values: list[list[float]]) -> np.ndarray:
    return np.array(values, np.float32)


def case(seed: int, *, levels: int | None = None, fixations: int = 40) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A prediction (with ties, where it has few levels), a truth and its fixated cells."""
    rng = np.random.default_rng(seed)
    values = rng.integers(1, levels + 1, (24, 32)) if levels else rng.random((24, 32))
    x, y = rng.beta(2, 3, fixations), rng.beta(3, 2, fixations)
    return normalise(values), fixation_density(x, y, (24, 32)), fixation_cells(x, y, (24, 32))


def test_nss_by_hand() -> None:
    # Mean .25, standard deviation √((.15² + .05² + .05² + .15²) / 4) = .1118; z of .4 and .3: 1.3416 and .4472.
    assert nss(density_of([[0.1, 0.2], [0.3, 0.4]]), np.array([3, 2])) == pytest.approx(0.8944, abs=1e-4)


def test_sim_by_hand() -> None:
    assert sim(density_of([[0.1, 0.2, 0.7]]), density_of([[0.5, 0.25, 0.25]])) == pytest.approx(0.55, abs=1e-6)


def test_kld_by_hand() -> None:
    # ½ ln(½ / ¼) + ½ ln(½ / ¾)
    value = kld(density_of([[0.25, 0.75]]), density_of([[0.5, 0.5]]))
    assert value == pytest.approx(0.5 * np.log(2) + 0.5 * np.log(2 / 3), abs=1e-6)


def test_kld_punishes_an_impossible_cell_by_the_stated_epsilon() -> None:
    value = kld(density_of([[0.0, 1.0]]), density_of([[0.5, 0.5]]))
    assert value == pytest.approx(0.5 * np.log(0.5 / 2.2204e-16) + 0.5 * np.log(0.5), abs=1e-6)


def test_auc_by_hand() -> None:
    # Fixated: .4 and .2; others: .3 and .1. Won: .4 twice, .2 once, of four pairs.
    assert auc_judd(density_of([[0.1, 0.2], [0.3, 0.4]]), np.array([3, 1])) == pytest.approx(0.75)


def test_shuffled_auc_by_hand() -> None:
    # Fixated .4; elsewhere .4 (a tie), .1, .1: (½ + 1 + 1) / 3.
    prediction = density_of([[0.1, 0.2], [0.3, 0.4]])
    assert shuffled_auc(prediction, np.array([3]), np.array([3, 0, 0])) == pytest.approx(2.5 / 3)


def test_information_gain_by_hand() -> None:
    # Twice, four times and half as likely: (1 + 2 - 1) / 3 bits.
    prediction, baseline = density_of([[0.2, 0.4, 0.1, 0.3]]), density_of([[0.1, 0.1, 0.2, 0.6]])
    assert information_gain(prediction, baseline, np.array([0, 1, 2])) == pytest.approx(2 / 3, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("levels", [None, 2, 6])
@pytest.mark.parametrize("fixations", [5, 40])
def test_rank_statistics_agree_with_scikit_learn(seed: int, levels: int | None, fixations: int) -> None:
    prediction, _, cells = case(seed, levels=levels, fixations=fixations)
    flat = prediction.ravel()
    others = np.setdiff1d(np.arange(flat.size), cells)
    labels = np.repeat([1, 0], [cells.size, others.size])
    expected = roc_auc_score(labels, np.concatenate([flat[cells], flat[others]]))
    assert auc_judd(prediction, cells) == pytest.approx(expected, abs=1e-12)

    elsewhere = np.random.default_rng(seed + 100).integers(flat.size, size=300)
    labels = np.repeat([1, 0], [cells.size, elsewhere.size])
    expected = roc_auc_score(labels, np.concatenate([flat[cells], flat[elsewhere]]))
    assert shuffled_auc(prediction, cells, elsewhere) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_the_others_agree_with_scipy(seed: int) -> None:
    prediction, truth, cells = case(seed)
    p, q = prediction.ravel().astype(np.float64), truth.ravel().astype(np.float64)
    assert nss(prediction, cells) == pytest.approx(zscore(p)[cells].mean(), abs=1e-9)
    assert cc(prediction, truth) == pytest.approx(pearsonr(p, q).statistic, abs=1e-9)
    assert kld(prediction, truth) == pytest.approx(entropy(q, p), abs=1e-6)
    assert sim(prediction, truth) == pytest.approx(1 - 0.5 * np.abs(p - q).sum(), abs=1e-6)


def test_a_perfect_prediction() -> None:
    _, truth, cells = case(1)
    assert cc(truth, truth) == pytest.approx(1, abs=1e-12)
    assert sim(truth, truth) == pytest.approx(1, abs=1e-6)
    assert kld(truth, truth) == pytest.approx(0, abs=1e-9)
    assert information_gain(truth, truth, cells) == 0
    fixated = np.unique(cells)
    indicator = normalise(np.isin(np.arange(truth.size), fixated).reshape(truth.shape))
    assert auc_judd(indicator, cells) == 1


def every_metric(prediction: np.ndarray, truth: np.ndarray, cells: np.ndarray, elsewhere: np.ndarray) -> list[float]:
    baseline = normalise(truth + uniform_density(truth.shape))
    return [
        nss(prediction, cells),
        cc(prediction, truth),
        sim(prediction, truth),
        kld(prediction, truth),
        auc_judd(prediction, cells),
        shuffled_auc(prediction, cells, elsewhere),
        information_gain(prediction, baseline, cells),
    ]


def test_any_permutation_of_the_cells_gives_the_same_scores() -> None:
    prediction, truth, cells = case(4)
    elsewhere = np.arange(0, truth.size, 7)
    order = np.random.default_rng(0).permutation(truth.size)
    place = np.argsort(order)
    moved = [array.ravel()[order].reshape(array.shape) for array in (prediction, truth)]
    expected = every_metric(prediction, truth, cells, elsewhere)
    assert every_metric(*moved, place[cells], place[elsewhere]) == pytest.approx(expected, abs=1e-9)


def test_ranks_do_not_care_for_a_monotone_change_but_likelihood_does() -> None:
    prediction, truth, cells = case(6)
    sharpened = normalise(prediction.astype(np.float64) ** 3)
    assert auc_judd(sharpened, cells) == auc_judd(prediction, cells)
    assert information_gain(sharpened, centre_prior(truth.shape), cells) < information_gain(
        prediction, centre_prior(truth.shape), cells
    )


def test_without_fixations_there_is_no_score() -> None:
    prediction, truth, cells = case(7)
    assert nss(prediction, NONE) is None
    assert auc_judd(prediction, NONE) is None
    assert shuffled_auc(prediction, NONE, cells) is None
    assert shuffled_auc(prediction, cells, NONE) is None
    assert information_gain(prediction, truth, NONE) is None


def test_no_negatives_and_a_constant_truth_leave_a_metric_undefined() -> None:
    prediction, truth, _ = case(8)
    assert auc_judd(prediction, np.arange(prediction.size)) is None
    assert cc(prediction, uniform_density(truth.shape)) is None


@pytest.mark.parametrize("metric", [cc, sim, kld])
def test_maps_of_different_size_are_refused(metric: object) -> None:
    with pytest.raises(UsageError, match="resize one first"):
        metric(uniform_density((3, 4)), uniform_density((4, 3)))  # type: ignore[operator]
