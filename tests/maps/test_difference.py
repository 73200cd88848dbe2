"""Difference maps: which colour stands where, on which scale, for whom."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.maps.difference import GAIN, LOSS, difference_map
from mediaan.maps.heatmap import mute_colours

RGB = np.full((120, 160, 3), 140, np.uint8)


def spot(row: int, column: int) -> np.ndarray:
    """A spot of some four times the average on an even rest."""
    density = np.ones((12, 16), np.float32)
    density[row : row + 3, column : column + 3] = 5
    return (density / density.sum()).astype(np.float32)


def test_orange_gains_blue_loses_and_the_rest_stays() -> None:
    drawn = difference_map(RGB, spot(2, 2), spot(7, 11), legend=False)
    lost, gained, rest = drawn[35, 35].astype(int), drawn[85, 125].astype(int), drawn[110, 20]
    assert lost[2] > lost[0] + 40
    assert gained[0] > gained[2] + 40
    assert (rest == mute_colours(RGB)[110, 20]).all()


def test_the_scale_is_not_the_picture_s_own() -> None:
    """Half the change is drawn fainter, whatever else there is."""
    full, half = spot(2, 2), (spot(2, 2) + spot(7, 11)) / 2
    weak, strong = (difference_map(RGB, after, spot(7, 11), legend=False)[85, 125] for after in (half, full))
    plain = mute_colours(RGB)[85, 125].astype(int)
    assert 0 < np.abs(weak - plain).sum() < np.abs(strong - plain).sum()


def test_swapping_the_pictures_swaps_the_colours() -> None:
    one, other = spot(2, 2), spot(7, 11)
    there, back = difference_map(RGB, one, other, legend=False), difference_map(RGB, other, one, legend=False)
    assert there[35, 35, 2] > there[35, 35, 0]
    assert back[35, 35, 0] > back[35, 35, 2]


@pytest.mark.parametrize(
    "seen",
    [
        # Viénot, Brettel & Mollon (1999), linear RGB: protanopia, deuteranopia
        [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    ],
    ids=["protanopia", "deuteranopia"],
)
def test_people_with_colour_blindness_tell_them_apart(seen: list[list[float]]) -> None:
    lost, gained = (np.array(seen) @ (np.array(colour) / 255) ** 2.2 for colour in (LOSS, GAIN))
    assert lost[2] > 2 * lost[0], "blue"
    assert gained[0] > 10 * gained[2], "yellow"


def test_densities_of_different_shape() -> None:
    with pytest.raises(UsageError, match="one shape"):
        difference_map(RGB, spot(1, 1), np.full((3, 4), 1 / 12, np.float32))
