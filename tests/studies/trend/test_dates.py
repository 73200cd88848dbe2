"""Dates that people write, and periods of the calendar."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from mediaan.errors import UsageError
from mediaan.studies.trend.dates import (
    PERIOD_KINDS,
    CalendarPeriod,
    PeriodKind,
    calendar,
    choose_kind,
    coarsest_kind,
    date_in_path,
    part_of,
    period_of,
    read_dates,
)


def names(*cells: str) -> list[str]:
    return [period.name for period in read_dates(cells, "column 'date'").values()]


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("2024-05-17", "2024-05-17"),
        ("2024/05/17", "2024-05-17"),
        ("2024-5-7", "2024-05-07"),
        ("20240517", "2024-05-17"),
        ("2024-05-17T23:59:00Z", "2024-05-17"),
        ("2024-05-17 08:30", "2024-05-17"),
        ("2024-02-29", "2024-02-29"),
        ("2024-05", "2024-05"),
        ("2024_05", "2024-05"),
        ("2024-W05", "2024-W05"),
        ("2020W53", "2020-W53"),
        ("2024-Q3", "2024-Q3"),
        ("2024 q3", "2024-Q3"),
        ("2024", "2024"),
        ("17.05.2024", "2024-05-17"),
        ("05/17/2024", "2024-05-17"),
        ("17/5/2024", "2024-05-17"),
        ("05.05.2024", "2024-05-05"),
        (" 2024-05-17 ", "2024-05-17"),
    ],
)
def test_a_cell_with_one_reading(cell: str, name: str) -> None:
    assert names(cell) == [name]


@pytest.mark.parametrize(
    "cell",
    ["soon", "2023-02-29", "2024-13-01", "2024-00", "31.04.2024", "17.05.24", "45429", "2021-W53", "2024-Q5",
     "24-05-17", "2024-05-17abc", "1.2.3.2024", "٢٠٢٤-05-17"],
)  # fmt: skip
def test_a_cell_that_is_no_date_is_refused(cell: str) -> None:
    with pytest.raises(UsageError, match="is not a date; write it as 2024-05-17") as caught:
        names("2024-05-17", cell)
    assert caught.value.code == "dates_invalid"
    assert repr(cell) in caught.value.message


def test_the_column_as_a_whole_tells_what_comes_first() -> None:
    assert names("03/04/2024", "17/04/2024") == ["2024-04-03", "2024-04-17"]
    assert names("03/04/2024", "04/17/2024") == ["2024-03-04", "2024-04-17"]
    assert names("03.04.2024", "17.04.2024") == ["2024-04-03", "2024-04-17"]


@pytest.mark.parametrize("cells", [("03/04/2024",), ("01.05.2024", "01.06.2024"), ("05/05/2024", "3/4/2024")])
def test_what_nothing_tells_is_refused_with_both_readings(cells: tuple[str, ...]) -> None:
    with pytest.raises(
        UsageError, match=r"may be 2024-\d\d-\d\d or 2024-\d\d-\d\d, and no other date there shows which; write"
    ):
        names(*cells)


def test_a_zero_is_no_day_and_no_month() -> None:
    for cells in (("00/05/2024",), ("00/00/2024",), ("00/05/2024", "17/05/2024")):
        with pytest.raises(UsageError, match="00/0"):
            names(*cells)


def test_a_column_that_contradicts_itself_is_refused() -> None:
    with pytest.raises(UsageError, match=r"in '17/04/2024' the day comes first, in '04/17/2024' the month"):
        names("17/04/2024", "04/17/2024")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("ads/2024-05-17_hero.png", "2024-05-17"),
        ("ads/hero_20240517_1080x1080.jpg", "2024-05-17"),
        ("IMG_20240517T103000.mp4", "2024-05-17"),
        ("2024_05_17.webp", "2024-05-17"),
        ("2024-05/hero.png", "2024-05"),
        ("2024_05/a/b.png", "2024-05"),
        ("2024-Q3/hero.png", "2024-Q3"),
        ("2024Q3-hero.png", "2024-Q3"),
        ("brand/2024-W05/a.png", "2024-W05"),
        ("2024/05/17/a.png", "2024-05-17"),
        ("2024/05/a.png", "2024-05"),
        ("2024/Q2/a.png", "2024-Q2"),
        ("2024/a.png", "2024"),
        ("2024/2024-05/a_2024-05-17.png", "2024-05-17"),
        ("2024-Q2/2024-05/a.png", "2024-05"),
        ("2024-05-17/a_2024-05-17.png", "2024-05-17"),
        ("2024-05-32.png", "2024-05"),
        ("2024_05_banner.png", "2024-05"),
    ],
)
def test_a_date_in_a_path(path: str, name: str) -> None:
    found = date_in_path(path)
    assert not isinstance(found, str), found
    assert found.name == name


@pytest.mark.parametrize(
    "path",
    [
        "hero.png",
        "hero_1920x1080.png",
        "hero_2024.png",
        "order_1202405170.png",
        "id20241340.png",
        "05-17/a.png",
        "hero_240517.png",
        "a/2048-10/b.png",
    ],
)
def test_what_only_looks_like_a_date_is_none(path: str) -> None:
    assert date_in_path(path) == "it has no date"


def test_a_number_of_a_banner_is_no_month() -> None:
    found = date_in_path("2024/05_banner/a.png")
    assert not isinstance(found, str)
    assert found.name == "2024"


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("2024-05-01_2024-05-31/a.png", "it has several dates: 2024-05-01, 2024-05-31"),
        ("2024-05/a_2024-06-02.png", "it has several dates: 2024-05, 2024-06-02"),
        ("17-05-2024/a.png", "17-05-2024 can be read in two ways; write the year first"),
        ("a_03.04.2024_01.png", "03.04.2024 can be read in two ways; write the year first"),
    ],
)
def test_an_ambiguous_path_says_why(path: str, reason: str) -> None:
    assert date_in_path(path) == reason


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
