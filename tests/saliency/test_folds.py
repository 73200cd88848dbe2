"""Folds of a page: published viewing times, densities put together without seams, places kept."""

from __future__ import annotations

import io
from itertools import pairwise

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.saliency.density import uniform_density
from mediaan.saliency.density_storage import encode_densities, read_densities
from mediaan.saliency.folds import (
    Viewport,
    blend_windows,
    fold_edges,
    fold_shares,
    page_densities,
    share_reaching,
    time_below,
    window_tops,
)
from mediaan.types.densities import Densities

ROWS, COLUMNS = 80, 128


def windows_of(screens: float) -> list[np.ndarray]:
    """Windows in each of which attention is even."""
    return [uniform_density((ROWS, COLUMNS)) for _ in window_tops(screens, ROWS)]


def test_viewing_time_by_screen_is_the_published_one() -> None:
    """57, 17, 7, 5, 3 and 2 %: Fessenden 2018."""
    shares = -100 * np.diff(time_below(np.arange(7)))
    np.testing.assert_allclose(shares, [57, 17, 7, 5, 3, 2], atol=0.8)


def test_as_many_viewers_reach_a_depth_as_published() -> None:
    """Half of the readers see what lies 1,000 px (home pages) to 1,500 px (articles) down, with a fold at 700 px."""
    assert share_reaching(1000 / 700) > 0.5 > share_reaching(1500 / 700)
    depths = np.linspace(0, 30, 100)
    assert (np.diff(share_reaching(depths)) <= 0).all()
    assert share_reaching(1.0) == 1


@pytest.mark.parametrize("screens", [1.76, 2.0, 2.3, 5.55, 14.0])
def test_a_density_that_sums_to_1_and_falls_with_depth_without_a_seam(screens: float) -> None:
    density = blend_windows(windows_of(screens), screens)
    assert density.shape == (round(screens * ROWS), COLUMNS)
    assert density.sum(dtype=float) == pytest.approx(1)
    rows = density.sum(axis=1, dtype=float)
    assert (rows > 0).all()
    assert np.abs(np.diff(np.log(rows))).max() < 0.25  # the blend takes several rows
    shares = fold_shares(density, screens)
    assert sum(shares) == pytest.approx(1)
    assert all(upper > lower for upper, lower in pairwise(shares[:-1]))


def test_the_shares_of_two_folds() -> None:
    above, below = fold_shares(blend_windows(windows_of(2.0), 2.0), 2.0)
    expected = (1 - time_below(1)) / (1 - time_below(2))
    assert above == pytest.approx(expected, abs=0.035)
    assert below == pytest.approx(1 - above)


def test_the_first_screen_keeps_its_density() -> None:
    screens = 3.4
    windows = windows_of(screens)
    windows[0] = np.random.default_rng(0).random((ROWS, COLUMNS)).astype(np.float32)
    windows[0] /= windows[0].sum()
    top = blend_windows(windows, screens)[:ROWS]
    np.testing.assert_allclose(top / top.sum(), windows[0], rtol=1e-3)


@pytest.mark.parametrize("depth", [0.4, 1.02, 2.5, 3.39])
def test_a_place_stays_where_it_is(depth: float) -> None:
    """What one sees in every window that holds it peaks at the same row of the page, also at the handing over."""
    screens = 3.4
    row = round(depth * ROWS)
    windows = []
    for top in window_tops(screens, ROWS):
        window = np.full((ROWS, COLUMNS), 1e-7, np.float32)
        if 0 <= row - top < ROWS:
            window[row - top, 40] = 1
        windows.append(window / window.sum())
    density = blend_windows(windows, screens)
    part = density[max(0, row - 20) : row + 20]
    found = np.unravel_index(part.argmax(), part.shape)
    assert (found[0] + max(0, row - 20), found[1]) == (row, 40)


def test_two_seconds_on_the_first_screen_then_the_rest() -> None:
    screens = 4.0
    one = Densities({window: uniform_density((ROWS, COLUMNS)) for window in ("total", "start", "end")})
    page = page_densities([one] * len(window_tops(screens, ROWS)), screens)
    assert page.screen == pytest.approx(1 / screens)
    assert page["start"][:ROWS].sum() == pytest.approx(1)
    assert not page["start"][ROWS:].any()
    total, end = (fold_shares(page[window], screens)[0] for window in ("total", "end"))
    assert end == pytest.approx((5 * total - 2) / 3, abs=0.035)


def test_densities_keep_the_height_of_a_screen() -> None:
    densities = Densities({"total": uniform_density((20, 10))}, screen=0.25)
    stored, _ = read_densities(io.BytesIO(encode_densities(densities, {})))
    assert stored.screen == 0.25


def test_folds_tile_the_page() -> None:
    for screens in (1.8, 2.0, 2.2, 13.3):
        edges = fold_edges(screens)
        assert edges[0][0] == 0
        assert edges[-1][1] == screens
        assert all(upper[1] == lower[0] for upper, lower in pairwise(edges))
        assert 0.25 <= edges[-1][1] - edges[-1][0] <= 1.25


@pytest.mark.parametrize("text", ["1440", "1440x", "x900", "12x9", "1440x90000", "tall", "1440×900"])
def test_what_is_no_viewport(text: str) -> None:
    with pytest.raises(UsageError, match="1440x900"):
        Viewport.parse(text)
