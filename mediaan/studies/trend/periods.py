"""Divide the calendar into days, weeks, months, quarters and years."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import NamedTuple

from mediaan.studies.trend.result import PERIOD_KINDS, PeriodKind

TARGET_PERIODS = 12
"""Periods that are aimed at: enough to see a course, few enough that each holds several media."""

_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, order=True)
class CalendarPeriod:
    """A period of the calendar; a date that is known no better than to the month is one too.

    >>> week = CalendarPeriod(date(2024, 12, 30), "week")
    >>> week.name, str(week.last), str(week.middle)
    ('2025-W01', '2025-01-05', '2025-01-02')
    """

    first: date
    """Its first day."""
    kind: PeriodKind

    @property
    def last(self) -> date:
        """Last day."""
        return self.following.first - _DAY

    @property
    def middle(self) -> date:
        """Day in the middle; of a week its Thursday, whose year ISO 8601 gives to the week."""
        return self.first + (self.last - self.first) // 2

    @property
    def following(self) -> CalendarPeriod:
        """Next period of the kind."""
        longest = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[self.kind]
        return period_of(self.first + longest * _DAY, self.kind)

    @property
    def name(self) -> str:
        """Name as ISO 8601 writes it; quarters as 2024-Q3."""
        if self.kind == "week":
            year, week, _ = self.first.isocalendar()
            return f"{year}-W{week:02d}"
        if self.kind == "quarter":
            return f"{self.first.year}-Q{(self.first.month + 2) // 3}"
        return self.first.isoformat()[: {"day": 10, "month": 7, "year": 4}[self.kind]]


def period_of(day: date, kind: PeriodKind) -> CalendarPeriod:
    """Return the period of a kind that a day lies in; weeks begin on Monday.

    >>> [period_of(date(2024, 5, 17), kind).name for kind in PERIOD_KINDS]
    ['2024-05-17', '2024-W20', '2024-05', '2024-Q2', '2024']
    """
    starts = {
        "day": lambda: day,
        "week": lambda: day - day.weekday() * _DAY,
        "month": lambda: day.replace(day=1),
        "quarter": lambda: date(day.year, 3 * ((day.month - 1) // 3) + 1, 1),
        "year": lambda: date(day.year, 1, 1),
    }
    return CalendarPeriod(starts[kind](), kind)


class PeriodPart(NamedTuple):
    """A period, or what lies of it before or after a date."""

    first: date
    last: date
    name: str


def part_of(day: date, kind: PeriodKind, split: date | None = None) -> PeriodPart:
    """Return the period of a kind that a day lies in, cut in two where it holds the date of a split.

    >>> part_of(date(2024, 5, 16), "month", split=date(2024, 5, 17)).name
    '2024-05 before'
    >>> part_of(date(2024, 6, 16), "month", split=date(2024, 5, 17)).name
    '2024-06'
    """
    period = period_of(day, kind)
    if split is None or not period.first < split <= period.last:
        return PeriodPart(period.first, period.last, period.name)
    if day < split:
        return PeriodPart(period.first, split - _DAY, f"{period.name} before")
    return PeriodPart(split, period.last, f"{period.name} after")


def calendar(first: date, last: date, kind: PeriodKind, split: date | None = None) -> list[PeriodPart]:
    """List all periods from one day to another, without gaps."""
    parts = [part_of(first, kind, split)]
    while parts[-1].last < last:
        parts.append(part_of(parts[-1].last + _DAY, kind, split))
    return parts


def coarsest_kind(dates: Iterable[CalendarPeriod]) -> PeriodKind:
    """Return the kind of the longest ones: no period can be shorter."""
    return max((period.kind for period in dates), key=PERIOD_KINDS.index)


def choose_kind(dates: Iterable[CalendarPeriod]) -> PeriodKind:
    """Choose the kind of which the dates fill about `TARGET_PERIODS`; of two that are as near, the longer one.

    >>> choose_kind(CalendarPeriod(date(2024, month, 15), "day") for month in range(1, 13))
    'month'
    """
    distinct = set(dates)
    kinds = PERIOD_KINDS[PERIOD_KINDS.index(coarsest_kind(distinct)) :]
    filled = {kind: len({period_of(period.middle, kind) for period in distinct}) for kind in kinds}
    if filled[kinds[0]] == 1:
        return kinds[0]
    return min(reversed(kinds), key=lambda kind: abs(math.log(filled[kind] / TARGET_PERIODS)))
