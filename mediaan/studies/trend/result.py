"""Hold scores of media over time."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from datetime import date
from typing import Any, Literal, get_args

from mediaan.types.densities import Window
from mediaan.types.metrics import Interval

PeriodKind = Literal["day", "week", "month", "quarter", "year"]
PERIOD_KINDS: tuple[PeriodKind, ...] = get_args(PeriodKind)
"""From the shortest to the longest."""

TrendVerdict = Literal["rises", "falls", "no_trend", "undefined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PeriodMean(Interval):
    """The mean of one score in one period.

    It has no interval where a single medium without an interval of its own is all that there is.
    """

    value: float

    period: str
    """Such as ``2024-05-17``, ``2024-W20``, ``2024-05``, ``2024-Q2`` or ``2024``."""
    first: date
    last: date
    """first, last: Its first and last day."""
    at: date
    """Mean date of its media."""
    n: int
    """Media with a value."""

    @property
    def mean(self) -> float:
        """The same as `value`, as tables and pages call it."""
        return self.value

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; dates as they are."""
        return {name: getattr(self, name) for name in ("period", "first", "last", "at", "n", "mean", "lo", "hi")}


@dataclass(frozen=True, slots=True)
class Trend:
    """One score of one group of media over time."""

    group: str | None
    """None where media are not grouped."""
    aoi_type: str | None
    """None for a score of the media; otherwise the score is that of each medium's best AOI of that type."""
    metric: str
    title: str
    metric_time: Window
    unit: str
    periods: tuple[PeriodMean, ...]
    """In order; those without media are absent."""
    n: int
    """Media with a value, each once per date."""
    per: PeriodKind
    """What the slope is per."""
    slope: float | None = None
    slope_lo: float | None = None
    slope_hi: float | None = None
    """slope, slope_lo, slope_hi: Of a straight line through the means, with its 90 % interval, in the score's unit;
    None for a step."""
    change: float | None = None
    change_lo: float | None = None
    change_hi: float | None = None
    """change, change_lo, change_hi: The same over the whole time, from the first period to the last one; or the height
    of a step."""
    line: tuple[float, ...] = ()
    """Height of that line, or step, at each period; empty where there is none."""
    p: float | None = None
    p_corrected: float | None = None
    """p, p_corrected: Two-sided probability of such a slope by chance where there is none, and the same corrected for
    the number of trends."""
    n_trends: int = 0
    """How many were looked at together."""
    verdict: TrendVerdict = "undefined"
    """no_trend: none can be told."""
    reason: str | None = None
    """Why it is undefined."""


@dataclass(frozen=True)
class Trends:
    """Scores of runs over time."""

    runs: tuple[str, ...]
    dates: str
    """Where dates come from, in words."""
    period: PeriodKind
    first: date
    last: date
    """first, last: First and last day of all periods."""
    by: str | None
    """What media are grouped by."""
    groups: dict[str, int]
    """Mapping of str to int. Media by group, the largest first; empty where they are not grouped."""
    split: date | None
    """Day from which on a step is looked for; None where slopes are."""
    n: int
    """Media, each once per date."""
    undated: tuple[tuple[str, str], ...]
    """Tuple of (str, str). Path of each medium without a date, and why."""
    notes: tuple[str, ...]
    """What to bear in mind."""
    trends: tuple[Trend, ...] = field(repr=False)
    """By score, then by group."""

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers and strings, ready for JSON; dates as ISO 8601."""
        content: dict[str, Any] = _plain(asdict(self))
        for written, trend in zip(content["trends"], self.trends, strict=True):
            written["periods"] = _plain([period.to_dict() for period in trend.periods])
        return content | {"undated": [{"path": path, "reason": reason} for path, reason in self.undated]}


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value
