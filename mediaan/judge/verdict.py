"""Derive the verdict on a medium from its checks and the user's rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Self

from mediaan.types.checks import CheckResult, RuleResult, Verdict

MAX_FAILED = 2
"""Failed checks that a working medium may have, of those that its purpose does not require."""


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """Number of checks of one medium by outcome."""

    rules_failed: int = 0
    """Failed rules of the user, without warnings."""
    required_passed: int = 0
    required_failed: int = 0
    required_close: int = 0
    required_unknown: int = 0
    """required_passed, required_failed, required_close, required_unknown: Checks that the medium's purpose requires."""
    passed: int = 0
    failed: int = 0
    close: int = 0
    unknown: int = 0
    """passed, failed, close, unknown: All other checks."""

    @classmethod
    def of(cls, checks: Iterable[CheckResult], rules: Iterable[RuleResult] = ()) -> Self:
        """Count checks by outcome, and the user's rules that failed, each once."""
        failed = {(rule.rule, rule.name) for rule in rules if (rule.status, rule.severity) == ("failed", "error")}
        counts = {"rules_failed": len(failed)}
        for check in checks:
            name = f"required_{check.status}" if check.required else check.status
            counts[name] = counts.get(name, 0) + 1
        return cls(**counts)

    @property
    def verdict(self) -> Verdict:
        """Verdict on the medium, over what is known of it; what is unknown is a question, and decides nothing.

        attention: a rule fails, a required check fails, or more than `MAX_FAILED` others do. unknown: no required check
        is known. works: at least as many required ones pass as are too close to call. open: all else.

        >>> CheckCounts(required_passed=1, required_close=1).verdict, CheckCounts(required_passed=2, failed=3).verdict
        ('works', 'attention')
        >>> CheckCounts(required_passed=2, required_unknown=1).verdict, CheckCounts(required_close=1).verdict
        ('works', 'open')
        >>> CheckCounts(required_unknown=1, passed=2).verdict
        'unknown'
        """
        if self.rules_failed or self.required_failed or self.failed > MAX_FAILED:
            return "attention"
        if not (self.required_passed or self.required_close):
            return "unknown"
        return "works" if self.required_passed >= self.required_close else "open"

    @property
    def best_first(self) -> tuple[int, ...]:
        """Sort key of media that work, the best first."""
        return self.required_close, self.failed, self.close + self.unknown, -self.passed

    @property
    def worst_first(self) -> tuple[int, ...]:
        """Sort key of media that need attention, the worst first."""
        return -self.rules_failed, -self.required_failed, -self.failed, -self.required_unknown, self.required_passed


COUNT_NAMES: tuple[str, ...] = tuple(field.name for field in fields(CheckCounts))


def verdict_of(checks: Iterable[CheckResult], rules: Iterable[RuleResult] = ()) -> Verdict:
    """Return the verdict on a medium by its checks and the user's rules; see `CheckCounts.verdict`."""
    return CheckCounts.of(checks, rules).verdict
