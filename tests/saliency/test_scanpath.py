"""The scanpath model: a distribution at every step, by the density over all viewers, the same every time."""

import math
from dataclasses import replace

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.saliency.density import blur, centre_prior, fixation_density, normalise
from mediaan.saliency.scanpath import (
    Grid,
    Histories,
    SaccadeKernel,
    align,
    balance,
    built_in_scanpath_model,
    draw,
    medoid,
    next_fixation_odds,
    scanmatch,
    simulate_scanpaths,
    step_densities,
)
from mediaan.types.arrays import Float32
from mediaan.types.densities import Densities

SHAPE = (60, 80)


def spots(*places: tuple[float, float, float]) -> Densities:
    """Blobs at x, y with so much of the attention each."""
    counts = np.zeros(SHAPE)
    for x, y, mass in places:
        counts[int(y * SHAPE[0]), int(x * SHAPE[1])] = mass
    return Densities({"total": normalise(blur(counts))})


def test_two_spots_are_looked_at_first_by_their_attention() -> None:
    model = replace(built_in_scanpath_model(), sharpness=(1.0,))  # at the same distance from the middle
    paths = simulate_scanpaths(spots((0.25, 0.474, 3.0), (0.74, 0.474, 1.0)), n_viewers=400, model=model).paths
    assert (paths.x[:, 0] < 0.5).mean() == pytest.approx(0.75, abs=0.02)


def test_sharper_first_fixations_agree_more() -> None:
    """By the power that was fitted, more than by the attention itself."""
    paths = simulate_scanpaths(spots((0.25, 0.474, 3.0), (0.74, 0.474, 1.0)), n_viewers=400).paths
    assert (paths.x[:, 0] < 0.5).mean() > 0.78


def test_fixations_follow_the_window_in_which_they_are_made() -> None:
    model, grid = built_in_scanpath_model(), Grid.over(SHAPE)
    times = model.latency_s + model.pace_s * np.arange(16)
    places = {"start": 0.2, "total": 0.5, "end": 0.8}
    windows = Densities({window: spots((x, 0.474, 1.0))["total"] for window, x in places.items()})
    columns = step_densities(windows, 16, model, grid).reshape(16, *grid.shape).sum(axis=1).argmax(axis=1)
    expected = [places["start" if time < 2 else "total" if time < 3 else "end"] for time in times]
    assert (columns + 0.5) / grid.shape[1] == pytest.approx(expected, abs=1 / grid.shape[1])


def test_fixations_of_all_viewers_together_are_the_density() -> None:
    density = normalise(spots((0.2, 0.3, 2.0), (0.7, 0.6, 1.0), (0.8, 0.1, 0.5))["total"] + 0.3 * centre_prior(SHAPE))
    simulation = simulate_scanpaths(Densities({"total": density}), n_viewers=1000, seed=3)
    later = simulation.paths.x[:, 3:], simulation.paths.y[:, 3:]  # the first ones are sharper and nearer to the middle
    made = np.isfinite(later[0])
    grid = simulation.grid
    reached = np.bincount(grid.cells(later[0][made], later[1][made]), minlength=math.prod(grid.shape)) / made.sum()
    wanted = simulation.targets[-1]
    assert np.abs(reached - wanted).sum() / 2 < 0.05
    everything = np.isfinite(simulation.paths.x)
    fixated = fixation_density(simulation.paths.x[everything], simulation.paths.y[everything], SHAPE)
    assert np.corrcoef(fixated.ravel(), density.ravel())[0, 1] > 0.95


def test_balance_meets_the_target_whatever_the_odds() -> None:
    rng = np.random.default_rng(0)
    odds, target = np.exp(rng.standard_normal((50, 12))), np.full(12, 1 / 12)
    gains = np.ones(12)
    for _ in range(5):
        gains = balance(odds, target, gains)
    drawn = odds * gains
    assert (drawn / drawn.sum(1, keepdims=True)).mean(0) == pytest.approx(target, abs=1e-6)


def test_next_fixation_is_a_distribution_over_cells() -> None:
    model = built_in_scanpath_model()
    simulation = simulate_scanpaths(spots((0.2, 0.3, 2.0), (0.7, 0.6, 1.0)), seed=1)
    size = math.prod(simulation.grid.shape)
    before = np.array([5, 40, 100])
    odds = [next_fixation_odds(simulation, model, np.append(before, cell))[-1] for cell in range(size)]
    assert sum(odds) == pytest.approx(1.0)
    assert min(odds) >= 0


def test_draws_follow_the_odds() -> None:
    odds = np.array([[1.0, 0.0, 2.0, 1.0]])
    chances = (np.arange(1000) + 0.5) / 1000
    cells = draw(np.repeat(odds, 1000, 0), (2, 2), chances)
    assert np.bincount(cells, minlength=4).tolist() == [250, 0, 500, 250]


def test_short_and_sideways_saccades_are_likelier() -> None:
    grid = Grid((48, 48), (24, 24))
    histories = Histories(SaccadeKernel(built_in_scanpath_model(), grid), 1)
    middle = 12 * 24 + 12
    histories.move(np.array([middle]))
    odds = histories.odds()[0].reshape(24, 24)
    assert odds[12, 15] > odds[12, 20] > odds[12, 23]
    assert odds[12, 18] > odds[18, 12]
    assert odds[12, 6] == pytest.approx(odds[12, 18])


def test_place_left_is_returned_to_and_its_surroundings_are_not() -> None:
    grid = Grid((48, 48), (24, 24))
    kernel = SaccadeKernel(built_in_scanpath_model(), grid)
    histories = Histories(kernel, 1)
    for cell in (4 * 24 + 4, 20 * 24 + 20, 20 * 24 + 4):
        histories.move(np.array([cell]))
    plain = kernel.around(
        "saccade", np.array([20 * 24 + 4]), kernel.sectors(np.array([20 * 24 + 20]), np.array([20 * 24 + 4]))
    )
    history = (histories.odds() / plain).reshape(24, 24)
    assert history[4, 4] > 1 > history[4, 8]


def test_the_place_before_is_avoided_at_once() -> None:
    grid, (before, now) = Grid((48, 48), (24, 24)), (np.array([4 * 24 + 4]), np.array([20 * 24 + 20]))
    kernel = SaccadeKernel(built_in_scanpath_model(), grid)
    histories = Histories(kernel, 1)
    histories.move(before)
    histories.move(now)
    history = (histories.odds() / kernel.around("saccade", now, kernel.sectors(before, now))).reshape(24, 24)
    assert history[4, 4] < 0.9 < 0.99 < history[12, 12]


def test_same_seed_same_paths_and_another_seed_others() -> None:
    density = spots((0.2, 0.3, 2.0), (0.7, 0.6, 1.0))
    one, same, other = (simulate_scanpaths(density, seed=seed).paths for seed in (7, 7, 8))
    assert np.array_equal(one.x, same.x, equal_nan=True)
    assert one.typical == same.typical
    assert not np.array_equal(one.x[:, 0], other.x[:, 0])


@pytest.mark.parametrize("exposure_s", [0.1, 1.0, 5.0, 20.0])
def test_fixations_fill_the_exposure_in_order(exposure_s: float) -> None:
    paths = simulate_scanpaths(spots((0.5, 0.5, 1.0)), exposure_s, n_viewers=50).paths
    for viewer in range(50):
        path = paths.path(viewer)
        assert path
        ends = [one.onset_s + one.duration_s for one in path]
        assert all(a <= b.onset_s for a, b in zip(ends, path[1:], strict=False))
        assert ends[-1] <= exposure_s + 1e-9
        assert exposure_s - path[-1].onset_s < 3


@pytest.mark.parametrize("shape", [(1, 1), (3, 90), (64, 2), (96, 128)])
def test_densities_of_any_shape(shape: tuple[int, int]) -> None:
    flat = np.full(shape, 1 / math.prod(shape), np.float32)
    paths = simulate_scanpaths(Densities({"total": flat}), n_viewers=20).paths
    made = np.isfinite(paths.x)
    assert ((paths.x[made] >= 0) & (paths.x[made] < 1) & (paths.y[made] >= 0) & (paths.y[made] < 1)).all()


def test_nothing_falls_where_there_is_no_attention() -> None:
    density: Float32 = np.zeros(SHAPE, np.float32)
    density[:30, :40] = 1 / 1200
    paths = simulate_scanpaths(Densities({"total": density}), n_viewers=50).paths
    made = np.isfinite(paths.x)
    assert (paths.x[made] < 0.5).all()
    assert (paths.y[made] < 0.5).all()


@pytest.mark.parametrize(("exposure_s", "viewers"), [(0.0, 10), (float("nan"), 10), (float("inf"), 10), (5.0, 0)])
def test_impossible_requests_are_refused(exposure_s: float, viewers: int) -> None:
    with pytest.raises(UsageError, match="exposure above 0 s"):
        simulate_scanpaths(spots((0.5, 0.5, 1.0)), exposure_s, n_viewers=viewers)


def test_grid_keeps_all_mass_in_whole_blocks() -> None:
    grid = Grid.over((37, 101))
    density = np.random.default_rng(0).random((37, 101)).astype(np.float32)
    assert grid.sums(density).sum() == pytest.approx(float(density.sum(dtype=np.float64)))
    x, y = (np.arange(101) + 0.5) / 101, np.full(101, 0.999)
    columns = grid.cells(x, y) % grid.shape[1]
    assert np.array_equal(np.bincount(columns), np.diff(grid.edges(1)))


def test_scanmatch_by_hand() -> None:
    """Equal paths count 1; one fixation of two in another place, at half the threshold, half of that one."""
    threshold = 3.5 * 2**0.5 / 12
    x = np.array([[0.1, 0.5], [0.1, 0.5 + threshold / 2], [0.1, np.nan]])
    y = np.full((3, 2), 0.5)
    y[2, 1] = np.nan
    assert scanmatch(x, y, (1.0, 1.0), [0, 0, 0], [0, 1, 2]) == pytest.approx([1.0, 0.75, 0.5])


def test_alignment_of_needleman_and_wunsch() -> None:
    """GATTACA with GCATGCU, match 1, mismatch -1, gap -1: the textbook example's score is 0."""
    one, other = (np.array([ord(c) for c in word]) for word in ("GATTACA", "GCATGCU"))
    same = np.where(one[:, None] == other[None], 1.0, -1.0)
    assert align(same[None], np.array([7]), np.array([7]), gap=-1.0).tolist() == [0.0]


def test_medoid_is_the_path_in_the_middle() -> None:
    x = np.array([[0.1, 0.9], [0.15, 0.85], [0.9, 0.1], [0.2, 0.8]])
    assert medoid(x, np.full((4, 2), 0.5), (1.0, 1.0)) == 1
