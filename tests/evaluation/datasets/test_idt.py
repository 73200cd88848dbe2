import numpy as np
import pytest

from mediaan.evaluation.datasets.idt import DISPERSION, MAX_GAP_S, MIN_DURATION_S, idt_fixations

RATE = 100


def steady(x: float, y: float, seconds: float) -> list[tuple[float, float]]:
    return [(x, y)] * round(seconds * RATE)


def found(places: list[tuple[float, float]], aspect: float = 1.0) -> list[tuple[float, ...]]:
    x, y = np.array(places).T
    return [tuple(round(v, 3) for v in one) for one in idt_fixations(x, y, np.arange(len(x)) / RATE, aspect)]


def test_short_stays_between_fixations_are_no_fixations() -> None:
    places = steady(0.2, 0.3, 0.3) + steady(0.5, 0.5, 0.05) + steady(0.8, 0.6, 0.2)
    assert found(places) == [(0.2, 0.3, 0.0, 0.29), (0.8, 0.6, 0.35, 0.19)]


def test_a_gap_parts_fixations_at_one_place() -> None:
    t = np.concatenate([np.arange(0, 0.3, 0.01), np.arange(0.3 + MAX_GAP_S, 0.7, 0.01)])
    fixations = list(idt_fixations(np.full(t.size, 0.5), np.full(t.size, 0.5), t))
    assert [round(onset, 3) for _, _, onset, _ in fixations] == [0.0, 0.375]


def test_distance_counts_in_shares_of_the_long_side() -> None:
    step = 1.5 * DISPERSION
    places = steady(0.5, 0.5, 0.2) + steady(0.5, 0.5 + step, 0.2)
    assert len(found(places)) == 2
    assert len(found(places, aspect=4.0)) == 1  # a banner: its height is a quarter of its width


def test_no_samples_no_fixations() -> None:
    assert list(idt_fixations(np.empty(0), np.empty(0), np.empty(0))) == []


@pytest.mark.parametrize("seed", range(20))
def test_fixations_are_long_enough_and_do_not_overlap(seed: int) -> None:
    random = np.random.default_rng(seed)
    stays = random.random((30, 2)) * random.choice([0.05, 1.0], size=(30, 1))
    x, y = np.repeat(stays, random.integers(1, 15, 30), axis=0).T
    t = np.arange(x.size) / 60
    ends = -1.0
    for mean_x, mean_y, onset, duration in idt_fixations(x, y, t):
        assert duration >= MIN_DURATION_S
        assert onset > ends
        ends = onset + duration
        own = (t >= onset) & (t <= ends + 1e-9)
        assert np.ptp(x[own]) + np.ptp(y[own]) <= DISPERSION
        assert (mean_x, mean_y) == pytest.approx((x[own].mean(), y[own].mean()))
    assert ends > 0
