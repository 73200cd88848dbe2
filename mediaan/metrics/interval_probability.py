"""On which side of a number the truth lies, from the 90 % interval of a score."""

from __future__ import annotations

from statistics import NormalDist

_NORMAL = NormalDist()
Z90 = _NORMAL.inv_cdf(0.95)
"""Standard deviations on either side of a value that make a 90 % interval."""


def probability_above(value: float, below: float, above: float) -> float:
    """Return the probability that the truth lies above 0, from the arms of a 90 % interval.

    The arm that reaches towards 0 counts, as that of a normal distribution.

    Parameters
    ----------
    value : float
    below, above : float
        At least 0.

    Examples
    --------
    >>> round(probability_above(10.0, 10.0, 3.0), 3), probability_above(0.0, 1.0, 9.0), probability_above(1.0, 0.0, 2.0)
    (0.95, 0.5, 1.0)
    """
    arm = below if value > 0 else above
    if value == 0:
        return 0.5
    return float(value > 0) if arm == 0 else _NORMAL.cdf(Z90 * value / arm)
