"""Periods of the calendar, against the calendar itself."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from mediaan.studies.trend.dates import (
    PERIOD_KINDS,
    CalendarPeriod,
    PeriodKind,
    calendar,
    choose_kind,
    coarsest_kind,
    part_of,
    period_of,
)

DAYS = [date(2019, 12, 25) + timedelta(days=i) for i in range(0, 2600)]


@pytest.mark.parametrize("kind", PERIOD_KINDS)
def test_periods_tile_the_calendar(kind: PeriodKind) -> None:
    for day in DAYS:
        period = period_of(day, kind)
        assert period.first <= day <= period.last
        assert period_of(period.middle, kind) == period
        assert period.following.first == period.last + timedelta(days=1)
        assert period_of(period.following.first, kind) == period.following


@pytest.mark.parametrize("kind", PERIOD_KINDS)
@pytest.mark.parametrize("split", [None, date(2021, 1, 1), date(2021, 5, 17), date(2021, 5, 18)])
def test_a_split_leaves_no_gap_and_no_day_twice(kind: PeriodKind, split: date | None) -> None:
    parts = calendar(DAYS[0], DAYS[800], kind, split)
    assert [part for i, part in enumerate(parts) if i and (part.first - parts[i - 1].last).days != 1] == []
    assert len({part.name for part in parts}) == len(parts)
    for day in DAYS[:801]:
        part = part_of(day, kind, split)
        assert part in parts
        assert part.first <= day <= part.last
        assert split is None or (day < split) == (part.last < split)


@pytest.mark.parametrize("kind", PERIOD_KINDS)
def test_names_are_as_many_as_periods_and_sort_like_them(kind: PeriodKind) -> None:
    periods = sorted({period_of(day, kind) for day in DAYS})
    names = [period.name for period in periods]
    assert len(set(names)) == len(names)
    assert names == sorted(names)


def test_weeks_are_those_of_iso_8601() -> None:
    for day in DAYS:
        year, week, _ = day.isocalendar()
        assert period_of(day, "week").name == f"{year}-W{week:02d}"
    assert [period_of(date(2020, 12, 31), "week").name, period_of(date(2021, 1, 3), "week").name] == ["2020-W53"] * 2
    assert period_of(date(2024, 12, 30), "week").name == "2025-W01"


def test_a_week_belongs_to_the_year_of_its_thursday() -> None:
    assert period_of(CalendarPeriod(date(2024, 12, 30), "week").middle, "year").name == "2025"
    assert period_of(CalendarPeriod(date(2020, 12, 28), "week").middle, "month").name == "2020-12"


@pytest.mark.parametrize(
    ("step", "count", "kind"),
    [
        (1, 14, "day"),
        (7, 14, "week"),
        (30.5, 12, "month"),
        (30.5, 36, "quarter"),
        (365.25, 12, "year"),
        (1, 90, "week"),
    ],
)
def test_about_twelve_periods_are_chosen(step: float, count: int, kind: str) -> None:
    dates = [CalendarPeriod(date(2020, 1, 6) + timedelta(days=round(i * step)), "day") for i in range(count)]
    assert choose_kind(dates) == kind


def test_no_period_is_shorter_than_what_is_known_of_a_date() -> None:
    days = [CalendarPeriod(date(2024, 1, day), "day") for day in range(1, 13)]
    assert choose_kind(days) == "day"
    assert choose_kind([*days, CalendarPeriod(date(2024, 1, 1), "quarter")]) == "quarter"
    assert coarsest_kind([CalendarPeriod(date(2024, 1, 1), "week"), days[0]]) == "week"


def test_one_run_a_month_gives_months_not_days() -> None:
    assert choose_kind(CalendarPeriod(date(2024, month, 3), "day") for month in range(1, 9)) == "month"
