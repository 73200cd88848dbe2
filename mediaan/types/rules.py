"""What a medium has to reach, and whether it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Status = Literal["passed", "failed", "skipped"]
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
    status: Status
    value: float | None
    lo: float | None
    hi: float | None
    limit: float | None
    margin: float | None
    sure: bool | None
    aoi_id: str | None
    message: str
