"""Colour tables against published colour science; difference maps: which colour stands where."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.errors import UsageError
from mediaan.maps.heatmap import GAIN, LOSS, difference_map, mute_colours
from mediaan.maps.levels import PALETTES, colour_table

# Ottosson 2020: linear sRGB to LMS and LMS' to OKLab, the direction that the program does not use.
LMS = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)
# Machado, Oliveira & Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}


def linear(rgb: np.ndarray) -> np.ndarray:
    x = rgb / 255.0
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


def oklab(rgb: np.ndarray) -> np.ndarray:
    return np.cbrt(linear(rgb) @ LMS.T) @ LAB.T


def cie_lightness(linear_rgb: np.ndarray) -> np.ndarray:
    y = np.clip(linear_rgb @ [0.2126, 0.7152, 0.0722], 0, 1)
    return np.where(y > 216 / 24389, 116 * np.cbrt(y) - 16, y * 24389 / 27)


@pytest.mark.parametrize("palette", PALETTES)
@pytest.mark.parametrize("blindness", BLINDNESS)
def test_brighter_is_more_for_every_kind_of_colour_vision(palette: str, blindness: str) -> None:
    seen = linear(colour_table(palette)[::8].astype(float)) @ np.asarray(BLINDNESS[blindness]).T
    assert (np.diff(cie_lightness(np.clip(seen, 0, 1))) > 0.5).all()


@pytest.mark.parametrize("palette", PALETTES)
def test_cie_lightness_never_falls_and_spans_most_of_the_range(palette: str) -> None:
    lightness = cie_lightness(linear(colour_table(palette).astype(float)))
    assert (np.diff(lightness) > -0.15).all(), "a step back larger than rounding to 8 bits explains"
    assert lightness[-1] - lightness[0] > 60


@pytest.mark.parametrize("palette", PALETTES)
def test_equal_steps_look_equal(palette: str) -> None:
    steps = np.linalg.norm(np.diff(oklab(colour_table(palette)[::51].astype(float)), axis=0), axis=1)
    assert steps.max() / steps.min() < 1.06


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
