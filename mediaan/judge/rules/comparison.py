"""Compare a score with the limit of a rule: whether it meets it, by how much, and with what probability."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from mediaan.judge.rules.rule import Expression, Limit
from mediaan.metrics.intervals import probability_above
from mediaan.types.aoi import Aoi
from mediaan.types.checks import CheckStatus, RuleStatus
from mediaan.types.metrics import Score

DECISION_PROBABILITY = 2 / 3
"""Least probability of a check that passes, or fails: two to one. In between it is too close to call."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """The score that is held against a limit, and whose it is."""

    score: Score | None
    area: Aoi | None = None
    """None for a score of the medium."""
    among: int = 1
    """Areas of which `area` is one."""
    other: Aoi | None = None
    """Area that `area` was compared with."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """A score that was compared with a limit."""

    met: bool
    """Whether the value is on the right side."""
    margin: float
    """Distance on the right side, in the score's unit; negative: on the wrong one."""
    sure: bool | None
    """Whether the whole interval is on that side, of a percentile's whole interval too; None without an interval."""
    probability: float | None
    """Of the true value to be on the right side; None without an interval."""

    def rule_status(self, *, sure: bool, exact: bool) -> RuleStatus:
        """Return the status of a rule, by the value.

        Parameters
        ----------
        sure : bool
            Whether the whole interval has to be on the right side; without one it cannot be told.
        exact : bool
            Whether the score is counted or measured, and needs no interval.
        """
        if not self.met or (sure and self.sure is False):
            return "failed"
        return "skipped" if sure and self.sure is None and not exact else "passed"

    def check_status(self, tolerance: float = 0.0) -> CheckStatus:
        """Return the status of a check, by the odds: at least two to one, otherwise it is too close to call.

        Parameters
        ----------
        tolerance : float
            Error of a measured value without an interval: one that misses the limit by no more is too close to call.
        """
        if self.probability is None:
            if self.met:
                return "passed"
            return "close" if -tolerance <= self.margin < 0 else "failed"
        if self.probability >= DECISION_PROBABILITY:
            return "passed"
        return "failed" if 1 - self.probability >= DECISION_PROBABILITY else "close"


def compare(score: Score, expression: Expression, limit: Limit, *, from_middle: bool = False) -> Comparison:
    """Compare a score with a limit.

    Parameters
    ----------
    score : Score
        With a value.
    expression : Expression
        Which side of the limit is the right one.
    limit : Limit
        With a value.
    from_middle : bool
        As of `probability_met`.
    """
    assert score.value is not None
    met, sure = expression.holds(score.value, limit.value), None
    if score.bounds:
        sure = all(expression.holds(end, at) == met for end, at in product(score.bounds, limit.ends))
    probability = probability_met(score, limit.value, minimum=expression.is_minimum, from_middle=from_middle)
    return Comparison(met, expression.margin(score.value, limit.value), sure, probability)


def probability_met(score: Score, limit: float, *, minimum: bool, from_middle: bool = False) -> float | None:
    """Return the probability that the true value is on the right side of a limit; None without an interval.

    Where a bound of the scale cuts one arm of the interval short, the other arm stands in for it.

    Parameters
    ----------
    score : Score
    limit : float
    minimum : bool
        Whether the right side is above.
    from_middle : bool
        Whether the true value is expected in the middle of the interval and not at the value, as in comparisons of
        scores (regression to the mean). Where the two disagree about the side, neither side is more probable.
    """
    if score.value is None or score.lo is None or score.hi is None:
        return None
    centre = (score.lo + score.hi) / 2 if from_middle else score.value
    if (centre - limit) * (score.value - limit) < 0:
        return 0.5
    below, above = max(centre - score.lo, 0.0), max(score.hi - centre, 0.0)
    if score.unit == "%":
        longest = max(below, above)
        below, above = longest if score.lo <= 0 else below, longest if score.hi >= 100 else above
    above_limit = probability_above(centre - limit, below, above)
    return above_limit if minimum else 1 - above_limit
