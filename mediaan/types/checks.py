"""Results of checks and of the user's rules for one medium."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

CheckStatus = Literal["passed", "failed", "close", "unknown"]
CHECK_STATUSES: tuple[CheckStatus, ...] = get_args(CheckStatus)
"""Close: a number is known and its interval reaches well over both sides of the target. Unknown: there is no number."""

Verdict = Literal["works", "attention", "open", "unknown"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One check of one medium.

    Attributes
    ----------
    name : str
        Stable, such as ``brand_seen``.
    title : str
        What should be true, in words.
    status : {'passed', 'failed', 'close', 'unknown'}
    required : bool
        Whether the medium's purpose needs it: a medium that fails it needs attention.
    text : str
        What was found, in one sentence with its numbers.
    value, lo, hi : float or None
        The number that was looked at and its 90 % interval, in `unit`.
    target : float or None
        What it is held against.
    unit : str
    probability : float or None
        That the target is met, by the interval; None where there is no interval.
    aoi_id : str or None
        The area that it rests on.
    settle : str or None
        Of one that is not known, what would settle it.
    todo : str or None
        Of one that failed, what to change.
    why : str
        Why it is asked for.
    source : str
        Where that is from; empty for an opinion.
    """

    name: str
    title: str
    status: CheckStatus
    required: bool
    text: str
    value: float | None = None
    lo: float | None = None
    hi: float | None = None
    target: float | None = None
    unit: str = ""
    probability: float | None = None
    aoi_id: str | None = None
    settle: str | None = None
    todo: str | None = None
    why: str = ""
    source: str = ""

    @property
    def sure(self) -> bool:
        """Whether it passed or failed at nine in ten or more; a fact without an interval is sure."""
        if self.status not in ("passed", "failed"):
            return False
        return self.probability is None or max(self.probability, 1 - self.probability) >= 0.9

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, ready for JSON."""
        return asdict(self) | {"sure": self.sure}


RuleStatus = Literal["passed", "failed", "skipped"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class RuleResult:
    """What one rule says of one medium.

    Attributes
    ----------
    path : str
        Of the medium, as shown to the user.
    medium_id : str or None
    rule : str
        As it was written, such as ``branding.percentage_seen.start >= 40``.
    name : str
        What people call it; the rule itself where it has no name.
    severity : {'error', 'warning'}
        A failed warning does not fail a check.
    status : {'passed', 'failed', 'skipped'}
    value, lo, hi : float or None
        The score that was looked at, with its 90 % interval.
    limit : float or None
        What it is compared with, in the score's unit.
    margin : float or None
        How far the score is on the right side of the limit, in its unit; negative: by how much it fails.
    sure : bool or None
        Whether the whole interval is on the same side of the limit, of a percentile's whole interval too; None where
        there is no interval.
    aoi_id : str or None
        The AOI that was looked at.
    message : str
        One sentence for people: what was asked, what was found.
    """

    path: str
    medium_id: str | None
    rule: str
    name: str
    severity: Severity
    status: RuleStatus
    value: float | None
    lo: float | None
    hi: float | None
    limit: float | None
    margin: float | None
    sure: bool | None
    aoi_id: str | None
    message: str
