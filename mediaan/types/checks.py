"""What was checked of a medium, and what came of it."""

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
