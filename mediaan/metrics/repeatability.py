"""How well a difference between two pictures repeats under changes of both that should not matter."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np

_T_90 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
"""95 % quantiles of Student's t with 1, 2 ... degrees of freedom: 90 % lie within plus and minus that."""


def repeatability(differences: Sequence[float], difference: float) -> tuple[float, float]:
    """90 % interval of a difference, from paired differences over views of the same two pictures.

    Parameters
    ----------
    differences : sequence of float
        One of each view, at least two.
    difference : float
        Of the pictures as they are; the interval holds it.

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> [round(end, 2) for end in repeatability([1.0, 2.0, 3.0], 2.0)]  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    [-1.37, 5.37]
    >>> repeatability([4.0, 4.0], 4.0)
    (4.0, 4.0)
    """
    count = len(differences)
    mean = float(np.mean(differences))
    spread = float(np.std(differences, ddof=1))
    reach = _T_90[min(count - 1, len(_T_90)) - 1] * spread * sqrt(1 + 1 / count)
    return min(mean - reach, difference), max(mean + reach, difference)
