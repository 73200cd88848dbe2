"""Results of checks and of the user's rules for one medium."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from mediaan.types.interval import Interval

CheckStatus = Literal["passed", "failed", "close", "unknown"]
CHECK_STATUSES: tuple[CheckStatus, ...] = get_args(CheckStatus)
"""Close: the interval reaches well over both sides of the target. Unknown: there is no number."""

Verdict = Literal["works", "attention", "open", "unknown"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
VERDICT_WORDS: dict[Verdict, str] = {
    "works": "works",
    "attention": "needs attention",
    "open": "undecided",
    "unknown": "no verdict",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult(Interval):
    """One check of one medium.

    Attributes
    ----------
    name : str
        Stable, such as ``brand_seen``.
    title : str
        The requirement, in words.
    status : {'passed', 'failed', 'close', 'unknown'}
    required : bool
        Whether the medium's purpose requires it: a medium that fails it needs attention.
    text : str
        Finding in one sentence with its numbers.
    value, lo, hi : float or None
        Checked number, in `unit`.
    target : float or None
        Number that it is compared with.
    unit : str
    probability : float or None
        Of meeting the target, by the interval; None without an interval.
    aoi_id : str or None
        Area that it rests on.
    settle : str or None
        Action that would settle one that is unknown or close.
    todo : str or None
        Change that would make a failed one pass.
    why : str
        Reason for the requirement.
    source : str
        Of the reason; empty for an opinion.
    """

    name: str
    title: str
    status: CheckStatus
    required: bool
    text: str
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
        """True if it passed or failed with a probability of at least 0.9; a fact without an interval is sure."""
        if self.status not in ("passed", "failed"):
            return False
        return self.probability is None or max(self.probability, 1 - self.probability) >= 0.9

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return asdict(self) | {"sure": self.sure}


RuleStatus = Literal["passed", "failed", "skipped"]
Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult(Interval):
    """Result of one rule for one medium.

    Attributes
    ----------
    path : str
        Of the medium, as shown to the user.
    medium_id : str or None
    rule : str
        As it was written, such as ``branding.percentage_seen.start >= 40``.
    name : str
        For people; the rule itself where it has no name.
    severity : {'error', 'warning'}
        A failed warning does not fail a check.
    status : {'passed', 'failed', 'skipped'}
    value, lo, hi : float or None
        Checked score with its 90 % interval.
    limit : float or None
        Number that it is compared with, in the score's unit.
    margin : float or None
        Distance of the score from the limit on the right side, in its unit; negative where it fails.
    sure : bool or None
        Whether the whole interval lies on one side of the limit (of a percentile, of its whole interval); None without
        an interval.
    aoi_id : str or None
        Checked AOI.
    message : str
        Requirement and finding in one sentence for people.
    """

    path: str
    medium_id: str | None
    rule: str
    name: str
    severity: Severity
    status: RuleStatus
    limit: float | None
    margin: float | None
    sure: bool | None
    aoi_id: str | None
    message: str
