"""Compare a score with the limit of a rule: whether it meets it, by how much, and with what probability."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from mediaan.judge.rules.rule import Expression, Limit
from mediaan.metrics.intervals import probability_above
from mediaan.types.aoi import Aoi
from mediaan.types.checks import CheckStatus, RuleStatus
from mediaan.types.metrics import Score


@dataclass(frozen=True, slots=True)
class Evidence:
    """The score that is held against a limit, and whose it is."""

    score: Score | None
    area: Aoi | None = None
    """None for a score of the medium."""
    among: int = 1
    """Areas of which `area` is one."""


@dataclass(frozen=True, slots=True)
class LimitComparison:
    """A score that was compared with a limit."""

    limit: float
    """What the value was compared with."""
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

        `sure`: whether the whole interval has to be on the right side; without one it cannot be told.
        `exact`: whether the score is counted or measured, and needs no interval.
        """
        if not self.met or (sure and self.sure is False):
            return "failed"
        return "skipped" if sure and self.sure is None and not exact else "passed"

    def check_status(self, exact_to: float = 0.0, tolerance: float = 0.0) -> CheckStatus:
        """Return the status of a check, by the value.

        `exact_to`: half-width within which the value moves under changes that should not matter: a limit within it is
            too close to call.
        `tolerance`: error of a measured value downwards: one that misses the limit by no more is too close to call.
        """
        if abs(self.margin) < exact_to:
            return "close"
        if self.met:
            return "passed"
        return "close" if self.margin >= -tolerance and tolerance else "failed"


def compare(score: Score, expression: Expression, limit: Limit) -> LimitComparison:
    """Compare a score with a limit.

    `score`: with a value.
    `expression`: which side of the limit is the right one.
    `limit`: with a value.
    """
    assert score.value is not None
    met, sure = expression.holds(score.value, limit.value), None
    if score.bounds:
        sure = all(expression.holds(end, at) == met for end, at in product(score.bounds, limit.ends))
    probability = probability_met(score, limit.value, minimum=expression.is_minimum)
    return LimitComparison(limit.value, met, expression.margin(score.value, limit.value), sure, probability)


def probability_met(score: Score, limit: float, *, minimum: bool) -> float | None:
    """Return the probability that the true value is on the right side of a limit; None without an interval.

    Where a bound of the scale cuts one arm of the interval short, the other arm stands in for it.

    `minimum`: whether the right side is above.
    """
    if score.value is None or score.lo is None or score.hi is None:
        return None
    below, above = max(score.value - score.lo, 0.0), max(score.hi - score.value, 0.0)
    if score.unit == "%":
        longest = max(below, above)
        below, above = longest if score.lo <= 0 else below, longest if score.hi >= 100 else above
    above_limit = probability_above(score.value - limit, below, above)
    return above_limit if minimum else 1 - above_limit
