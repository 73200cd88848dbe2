"""Results of checks and of the user's rules for one medium, and of a rule over many media."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, get_args

from mediaan.types.metrics import Interval

CheckStatus = Literal["passed", "failed", "close", "unknown"]
CHECK_STATUSES: tuple[CheckStatus, ...] = get_args(CheckStatus)
"""Close: small changes of the image, or the error of the value, could turn the result. Unknown: there is no number."""

Verdict = Literal["works", "attention", "open", "unknown"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
VERDICT_WORDS: dict[Verdict, str] = {
    "works": "works",
    "attention": "needs attention",
    "open": "undecided",
    "unknown": "no verdict",
}
VERDICT_COLOURS: dict[Verdict, str] = {
    "works": "#2e9e5b",
    "attention": "#d9622b",
    "open": "#8a8f98",
    "unknown": "#8a8f98",
}
"""Of a mark beside the words, on light and on dark pages."""

RuleStatus = Literal["passed", "failed", "skipped"]
RULE_STATUSES: tuple[RuleStatus, ...] = get_args(RuleStatus)
"""Skipped: it could not be told, and why is said."""

Severity = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement(Interval):
    """One requirement held against one medium: the number that was compared, with its 90 % interval, and the status."""

    name: str
    status: CheckStatus | RuleStatus
    aoi_id: str | None = None
    """Area that it rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult(Judgement):
    """One check of one medium; `name` is stable, such as ``brand_seen``."""

    status: CheckStatus
    title: str
    """Requirement, in words."""
    required: bool
    """Whether the medium's purpose requires it: a medium that fails it needs attention."""
    text: str
    """Finding in one sentence with its numbers."""
    target: float | None = None
    """Number that `value` is compared with, in `unit`."""
    unit: str = ""
    probability: float | None = None
    """Of meeting the target, by the interval, 0-1; None without an interval."""
    settle: str | None = None
    """Action that would settle one that is unknown or close."""
    todo: str | None = None
    """Change that would make a failed one pass."""
    why: str = ""
    """Reason for the requirement."""
    source: str = ""
    """Of the reason; empty for an opinion."""

    @property
    def sure(self) -> bool:
        """True if it passed or failed with a probability of at least 0.9; a fact without an interval is sure."""
        if self.status not in ("passed", "failed"):
            return False
        return self.probability is None or max(self.probability, 1 - self.probability) >= 0.9

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON."""
        return asdict(self) | {"sure": self.sure}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleResult(Judgement):
    """One rule for one medium; `name` is for people: the rule itself where it has no other."""

    status: RuleStatus
    path: str
    """Of the medium, as shown to the user."""
    medium_id: str | None
    rule: str
    """As it was written, such as ``branding.percentage_seen.start >= 40``."""
    severity: Severity
    """A failed warning does not fail a check."""
    limit: float | None
    """Number that `value` is compared with, in the score's unit."""
    margin: float | None
    """Distance of the score from the limit on the right side, in its unit; negative where it fails."""
    sure: bool | None
    """Whether the whole interval lies on one side of the limit (of a percentile, of its whole interval); None without
    an interval."""
    message: str
    """Requirement and finding in one sentence for people."""


@dataclass(frozen=True, slots=True)
class RuleCounts:
    """One rule over the media that it is meant for, by status."""

    rule: str
    """As it was written."""
    name: str
    """What people call it."""
    severity: Severity
    why: str | None
    """Why it is asked for, as its author says."""
    passed: int
    failed: int
    skipped: int

    @property
    def media(self) -> int:
        """Number of media it is meant for."""
        return self.passed + self.failed + self.skipped

    @property
    def shares(self) -> Mapping[str, float]:
        """Of failed, skipped and passed media, %."""
        return {status: 100 * getattr(self, status) / self.media for status in ("failed", "skipped", "passed")}

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; `why` only where the author says it."""
        return {key: value for key, value in asdict(self).items() if value is not None}
