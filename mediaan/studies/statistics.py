"""Student's t distribution, which small groups need and the standard library lacks, and Holm's correction."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, lgamma, log, log1p

_TINY = 1e-300
_CLOSE = 1e-14
_MOST_TERMS = 500


def t_cdf(t: float, df: float) -> float:
    """Return the share of Student's t distribution below a value.

    `df`: degrees of freedom, above 0, not necessarily whole.
    """
    tail = 0.5 * incomplete_beta(df / (df + t * t), df / 2, 0.5)
    return 1 - tail if t > 0 else tail


def t_quantile(share: float, df: float) -> float:
    """Return the value below which a share of the distribution lies; to 1e-10."""
    if share < 0.5:
        return -t_quantile(1 - share, df)
    low, high = 0.0, 1.0
    while t_cdf(high, df) < share:
        high *= 2
    while high - low > 1e-10 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < share else (low, middle)
    return (low + high) / 2


def incomplete_beta(x: float, a: float, b: float) -> float:
    """Compute the regularized incomplete beta function by its continued fraction (Abramowitz & Stegun 1964, 26.5.8).

    >>> round(incomplete_beta(0.5, 2.0, 3.0), 4)
    0.6875
    """
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    # the continued fraction 1 + d1 / (1 + d2 / (1 + ...)) by Lentz' method
    value, c, d = 1.0, 1.0, 0.0
    for term in range(1, _MOST_TERMS):
        m, odd = divmod(term, 2)
        if odd:
            coefficient = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            coefficient = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / _not_zero(1 + coefficient * d)
        c = _not_zero(1 + coefficient / c)
        value *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return front / value


def _not_zero(number: float) -> float:
    return number if abs(number) > _TINY else _TINY


def holm(p: Sequence[float]) -> list[float]:
    """Correct p values for being many (Holm 1979, Scand. J. Statist. 6, 65-70).

    The smallest is multiplied by their number, the next by one less, and so on, none below the one before. It holds
    whatever the comparisons have to do with each other.
    """
    corrected, most = [0.0] * len(p), 0.0
    for done, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        most = max(most, min(1.0, (len(p) - done) * p[i]))
        corrected[i] = most
    return corrected
