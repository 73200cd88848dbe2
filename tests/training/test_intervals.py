"""Intervals of scores that were learned from ratings hold what they say, of pictures that they were not fitted to."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "training"))

from errors import Errors, coverage, finished, halves_trials, spread_of

from mediaan.metrics.scales import quantiles


def rated(count: int, seed: int) -> Errors:
    """Pictures whose truth is known without noise, on a line through the predictions."""
    rng = np.random.default_rng(seed)
    predicted = rng.normal(size=count)
    return Errors(predicted, 0.5 * predicted + rng.normal(size=count), np.zeros(count), np.full(count, 1 / count))


def test_nine_in_ten_truths_lie_within_the_interval() -> None:
    errors, knots = rated(180, seed=1), quantiles(rated(2000, seed=2).predicted)
    line = errors.line()[1]
    spread = finished("a score", spread_of(errors, knots, line), halves_trials("a score", errors, knots, line),
                      {"a score": errors}, knots)  # fmt: skip
    assert coverage(spread, rated(2000, seed=3), knots) == pytest.approx(0.9, abs=0.03)
