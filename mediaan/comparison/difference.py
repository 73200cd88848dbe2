"""The difference of two scores: its 90 % interval, and how probable it is that the first is truly the higher one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import hypot

from mediaan.metrics.interval_probability import probability_above

WIDENED = {"percentage_seen": 1.13}
"""Factors of intervals of differences: with it nine in ten hold; those of all other scores that people could be asked
about do so as they are (`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

NO_INTERVAL = "No interval is known."


@dataclass(frozen=True, slots=True)
class Estimate:
    """A score with its 90 % interval.

    Attributes
    ----------
    value : float or None
        None where it is undefined; `reason` then says why.
    lo, hi : float or None
        None where no interval is known.
    reason : str or None
    n : int
        Media that it rests on.
    """

    value: float | None
    lo: float | None = None
    hi: float | None = None
    reason: str | None = None
    n: int = 1

    @property
    def arms(self) -> tuple[float, float] | None:
        """From the value down and up to the ends of the interval, both at least 0; None without one."""
        if self.value is None or self.lo is None or self.hi is None:
            return None
        return max(0.0, self.value - self.lo), max(0.0, self.hi - self.value)

    def expected(self) -> Estimate:
        """The same with the middle of its interval as its value, which is where the truth is expected.

        What people say of a picture with an extreme score is less extreme on average (regression to the mean), and the
        interval of a score says so: it reaches further towards the middle of the scale than away from it.
        """
        return self if self.lo is None or self.hi is None else replace(self, value=(self.lo + self.hi) / 2)


@dataclass(frozen=True, slots=True)
class Difference:
    """First less second.

    Attributes
    ----------
    value : float or None
    lo, hi : float or None
        90 % interval.
    probability : float or None
        That the first one's true score is the higher one, 0-1; the interval leaves out 0 where it is above .95 or
        below .05.
    p : float or None
        Two-sided: how often chance alone makes a difference so large where there is none, 0-1.
    reason : str or None
        Why some of it is not known.
    """

    value: float | None
    lo: float | None = None
    hi: float | None = None
    probability: float | None = None
    p: float | None = None
    reason: str | None = None


def subtract(a: Estimate, b: Estimate, factor: float = 1.0, *, from_middles: bool = False) -> Difference:
    """Subtract two scores whose errors have nothing to do with each other.

    The interval is recovered from those of the scores (MOVER: Zou & Donner 2008, Stat. Med. 27, 1693-1702): what could
    make the difference smaller is A being lower and B being higher than stated, so that those two arms add in
    quadrature below, and the other two above. An end of a scale is the end of an arm: beyond 100 there is nothing.

    Parameters
    ----------
    a, b : Estimate
    factor : float
        By which the arms of the interval are multiplied, see `WIDENED`.
    from_middles : bool
        Whether truths are expected in the middle of intervals and not at the values, see `Estimate.expected`: so of
        scores, but not of shares, which lie where half of the truths are lower. The interval is then that around the
        difference of the middles, extended to the difference of the values. Where these two disagree about the side,
        neither side is more probable.

    Returns
    -------
    Difference

    Examples
    --------
    >>> d = subtract(Estimate(60.0, 50.0, 64.0), Estimate(40.0, 35.0, 55.0))  # below: 10 and 15, above: 4 and 5
    >>> [round(end, 2) for end in (d.value, d.lo, d.hi)], round(d.probability, 3)
    ([20.0, 1.97, 26.4], 0.966)
    """
    said = " ".join(dict.fromkeys(one.reason for one in (a, b) if one.reason)) or None
    if a.value is None or b.value is None:
        return Difference(None, reason=said or "It is undefined.")
    value = a.value - b.value
    if a.arms is None or b.arms is None:
        return Difference(value, reason=said or NO_INTERVAL)
    centre = value
    if from_middles:
        a, b = a.expected(), b.expected()
        assert a.value is not None
        assert b.value is not None
        centre = a.value - b.value
    assert a.arms is not None
    assert b.arms is not None
    below, above = factor * hypot(a.arms[0], b.arms[1]), factor * hypot(a.arms[1], b.arms[0])
    probability = probability_above(centre, below, above) if centre * value > 0 else 0.5
    ends = min(value, centre - below), max(value, centre + above)
    return Difference(value, *ends, probability, two_sided(probability), said)


def two_sided(probability: float) -> float:
    """The two-sided probability of chance that belongs to a probability of being higher.

    Examples
    --------
    >>> round(two_sided(0.95), 3), two_sided(0.5)
    (0.1, 1.0)
    """
    return min(1.0, 2 * min(probability, 1 - probability))
