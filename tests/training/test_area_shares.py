"""Attention by kind of area: areas of a kind count once, and the rest of the picture is other."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training"))

from area_shares import KINDS, shares_of

from mediaan.types.aoi import Box


def test_areas_of_a_kind_that_overlap_count_once_and_other_is_what_lies_in_none():
    areas = {"product": [Box(0, 0, 0.5, 1), Box(0.25, 0, 0.75, 1)], "face": [Box(0, 0, 0.25, 0.5)]}
    density = np.full((40, 80), 1 / 3200, np.float32)
    x, y = np.random.default_rng(0).uniform(size=(2, 4000))
    for shares, tolerance in zip(shares_of(areas, density, x, y), (0.03, 1e-6), strict=True):
        told = dict(zip((*KINDS, "other"), shares, strict=True))
        assert told["product"] == pytest.approx(0.75, abs=tolerance)
        assert told["face"] == pytest.approx(0.125, abs=tolerance)
        assert told["other"] == pytest.approx(0.25, abs=tolerance)
        assert not any(told[kind] for kind in set(KINDS) - {"product", "face"})
