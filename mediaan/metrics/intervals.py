"""Compute 90 % intervals of differences, and probabilities from intervals."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from statistics import NormalDist

import numpy as np

from mediaan.types.metrics import Z90

_NORMAL = NormalDist()

ALPHA = 0.10
"""Most probability that among comparisons made together one is told apart by chance; intervals of 90 % go with it."""

LEAN = 0.55
"""Least probability with which a score leans to a side, or a side leads: below it, it is a coin toss."""

WIDENED = {"percentage_seen": 1.13}
"""Factors of intervals of differences: with it nine in ten hold; those of all other scores that people could be asked
about do so as they are (`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_T_90 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
"""95 % quantiles of Student's t with 1, 2 ... degrees of freedom: 90 % lie within plus and minus that."""


def probability_above(value: float, below: float, above: float) -> float:
    """Return the probability that the truth lies above 0, from the half-widths of a 90 % interval.

    The half-width towards 0 counts, as that of a normal distribution.

    `below`, `above`: at least 0.

    >>> round(probability_above(10.0, 10.0, 3.0), 3), probability_above(0.0, 1.0, 9.0), probability_above(1.0, 0.0, 2.0)
    (0.95, 0.5, 1.0)
    """
    half_width = below if value > 0 else above
    if value == 0:
        return 0.5
    return float(value > 0) if half_width == 0 else _NORMAL.cdf(Z90 * value / half_width)


def repeatability_interval(differences: Sequence[float], difference: float) -> tuple[float, float]:
    """Return the 90 % interval of a difference, from paired differences over views of the same two images.

    `differences`: one of each view, at least two.
    `difference`: of the images as they are; the interval holds it.

    >>> [round(end, 2) for end in repeatability_interval([1.0, 2.0, 3.0], 2.0)]  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    [-1.37, 5.37]
    >>> repeatability_interval([4.0, 4.0], 4.0)
    (4.0, 4.0)
    """
    count = len(differences)
    mean = float(np.mean(differences))
    spread = float(np.std(differences, ddof=1))
    reach = _T_90[min(count - 1, len(_T_90)) - 1] * spread * sqrt(1 + 1 / count)
    return min(mean - reach, difference), max(mean + reach, difference)
