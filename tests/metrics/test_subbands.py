"""The pyramid against its defining properties, its entropy against a histogram made another way."""

from __future__ import annotations

import numpy as np
import pytest

from mediaan.metrics.subbands import _band_entropy, steerable_pyramid


@pytest.fixture
def noise():
    return np.random.default_rng(1).normal(size=(96, 120)).astype(np.float32)


def test_sizes(noise):
    shapes = [band.shape for band in steerable_pyramid(noise)]
    assert shapes == [(96, 120)] * 5 + [(48, 60)] * 4 + [(24, 30)] * 4 + [(12, 15)]


def test_odd_sides_round_up():
    shapes = [band.shape for band in steerable_pyramid(np.eye(45, 63, dtype=np.float32))]
    assert shapes[5] == (23, 32)
    assert shapes[-1] == (6, 8)


def test_energy_is_kept(noise):
    # A tight frame: with the angular gain, sum cos^6 over 4 directions = 5/4, and amplitude kept by downsampling.
    bands = steerable_pyramid(noise)
    energies = [float((band.astype(np.float64) ** 2).mean()) for band in bands]
    total = energies[0] + sum(energies[1:-1]) / 1.25 + energies[-1]
    assert total == pytest.approx(float((noise.astype(np.float64) ** 2).mean()), rel=0.02)


@pytest.mark.parametrize(("angle", "expected"), [(0, 0), (45, 1), (90, 2), (135, 3)])
def test_gratings_fall_into_their_orientation(angle, expected):
    y, x = np.mgrid[:64, :64]
    step = np.round(12 * np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle))]))
    grating = np.cos(2 * np.pi * (step[0] * x + step[1] * y) / 64).astype(np.float32)
    octave = steerable_pyramid(grating)[1:5]
    assert int(np.argmax([band.std() for band in octave])) == expected


def test_entropy_by_numpy():
    band = np.random.default_rng(2).normal(size=(40, 50)).astype(np.float32)
    counts = np.histogram(band, bins=44)[0]  # ceil(sqrt(2000)) - 1, then the maximum apart
    counts[-1] -= 1
    share = np.append(counts[counts > 0], 1) / band.size
    assert _band_entropy(band) == pytest.approx(float(-(share * np.log(share)).sum()), abs=0.002)


def test_two_levels_have_the_entropy_of_a_coin():
    band = np.tile(np.float32([0, 1]), (30, 15))
    assert _band_entropy(band) == pytest.approx(np.log(2))
