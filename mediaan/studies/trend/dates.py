"""Date the media of runs, and divide the calendar into periods.

Dates come from a column of a table, names of files, or when the run was made. Those that people write are read, or
refused, but never guessed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from mediaan.config.attributes import Cells, RowsByFile, check_column, load_attributes
from mediaan.errors import UsageError
from mediaan.studies.run_tables import RunTables
from mediaan.types.glossary import media_count
from mediaan.workflow.ranges import path_attributes

PeriodKind = Literal["day", "week", "month", "quarter", "year"]
PERIOD_KINDS: tuple[PeriodKind, ...] = get_args(PeriodKind)
"""From the shortest to the longest."""

TARGET_PERIODS = 12
"""Periods that are aimed at: enough to see a course, few enough that each holds several media."""

_ONE_DAY = timedelta(days=1)


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
        return self.following.first - _ONE_DAY

    @property
    def middle(self) -> date:
        """Day in the middle; of a week its Thursday, whose year ISO 8601 gives to the week."""
        return self.first + (self.last - self.first) // 2

    @property
    def following(self) -> CalendarPeriod:
        """Next period of the kind."""
        longest = {"day": 1, "week": 7, "month": 31, "quarter": 92, "year": 366}[self.kind]
        return period_of(self.first + longest * _ONE_DAY, self.kind)

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
        "week": lambda: day - day.weekday() * _ONE_DAY,
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
        return PeriodPart(period.first, split - _ONE_DAY, f"{period.name} before")
    return PeriodPart(split, period.last, f"{period.name} after")


def calendar(first: date, last: date, kind: PeriodKind, split: date | None = None) -> list[PeriodPart]:
    """List all periods from one day to another, without gaps."""
    parts = [part_of(first, kind, split)]
    while parts[-1].last < last:
        parts.append(part_of(parts[-1].last + _ONE_DAY, kind, split))
    return parts


def coarsest_kind(dates: Iterable[CalendarPeriod]) -> PeriodKind:
    """Return the kind of the longest ones: no period can be shorter."""
    return max((period.kind for period in dates), key=PERIOD_KINDS.index)


def choose_kind(dates: Iterable[CalendarPeriod]) -> PeriodKind:
    """Choose the kind of which the dates fill about `TARGET_PERIODS`; of two that are as near, the longer one."""
    distinct = set(dates)
    kinds = PERIOD_KINDS[PERIOD_KINDS.index(coarsest_kind(distinct)) :]
    filled = {kind: len({period_of(period.middle, kind) for period in distinct}) for kind in kinds}
    if filled[kinds[0]] == 1:
        return kinds[0]
    return min(reversed(kinds), key=lambda kind: abs(math.log(filled[kind] / TARGET_PERIODS)))


_YEAR = r"(?P<y>19[89]\d|20[0-3]\d)"  # not 1920 nor 2048, which are sizes
_MONTH, _DAY, _WEEK = r"(?P<m>0[1-9]|1[0-2])", r"(?P<d>0[1-9]|[12]\d|3[01])", r"[wW](?P<w>[0-4]\d|5[0-3])"
_QUARTER = r"[qQ](?P<q>[1-4])"
_IN_NAMES = tuple(
    re.compile(rf"(?<!\d){_YEAR}{rest}(?!\d)")
    for rest in (rf"(?P<s>[-_.]?){_MONTH}(?P=s){_DAY}", rf"[-_.]?{_WEEK}", rf"[-_.]?{_QUARTER}", rf"[-_.]{_MONTH}")
)
_IN_FOLDERS = tuple(
    re.compile(rf"(?:^|(?<=/)){_YEAR}/{rest}")
    for rest in (rf"{_MONTH}/{_DAY}/", rf"{_WEEK}/", rf"{_QUARTER}/", rf"{_MONTH}/", "")
)
_YEAR_LAST_IN_NAMES = re.compile(rf"(?<!\d)(?<!\d{{4}}[-_.])\d\d?([-_.])\d\d?\1{_YEAR}(?!\d)")
_TIME = r"(?:[T ]\d\d?:\d\d.*)?"
_CELLS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_YEAR}(?P<s>[-_./]?){_MONTH}(?P=s){_DAY}{_TIME}",
        rf"{_YEAR}(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?){_TIME}",
        rf"{_YEAR}[-_ ]?{_WEEK}",
        rf"{_YEAR}[-_ ]?{_QUARTER}",
        rf"{_YEAR}[-_./]{_MONTH}",
        _YEAR,
    )
)
_YEAR_LAST = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2(19[89]\d|20[0-3]\d){_TIME}")

FORMS = "2024-05-17, 20240517, 2024-05, 2024-W20, 2024-Q2 or 2024"
"""Forms that can always be read."""


def date_in_path(path: str) -> CalendarPeriod | str:
    """Read the date in the names of folders and file; as exact as it is written.

    `path`: as tables show it, with ``/`` between folders.
    Returns: why there is none: nothing is written there, several dates that do not lie in each other, or one with its
        year at the end, of which nobody can say whether its day or its month comes first.

    >>> [date_in_path(path).name for path in ("2024-Q3/a.png", "ad_20240517_1080x1080.png", "2024/05/17/a.png")]
    ['2024-Q3', '2024-05-17', '2024-05-17']
    >>> date_in_path("2024/sale_2024_05.png").name
    '2024-05'
    >>> date_in_path("2024-05-01_2024-05-31/a.png"), date_in_path("a.png")
    ('it has several dates: 2024-05-01, 2024-05-31', 'it has no date')
    """
    if match := _YEAR_LAST_IN_NAMES.search(path):
        return f"{match[0]} can be read in two ways; write the year first"
    matches = (match for pattern in (*_IN_NAMES, *_IN_FOLDERS) for match in pattern.finditer(path))
    dates = {period for match in matches if (period := _period(match))}
    # those in which a shorter one lies are only less exact
    vague = {
        longer
        for longer in dates
        for shorter in dates
        if PERIOD_KINDS.index(longer.kind) > PERIOD_KINDS.index(shorter.kind)
        and period_of(shorter.middle, longer.kind) == longer
    }
    exact = sorted(dates - vague)
    if len(exact) == 1:
        return exact[0]
    return f"it has several dates: {', '.join(period.name for period in exact)}" if exact else "it has no date"


def _period(match: re.Match[str]) -> CalendarPeriod | None:
    """Return the period that a pattern found; None for a day that the calendar lacks."""
    parts = {name: int(part) for name, part in match.groupdict().items() if part and name != "s"}
    year = parts["y"]
    try:
        if "w" in parts:
            return CalendarPeriod(date.fromisocalendar(year, parts["w"], 1), "week")
        if "q" in parts:
            return CalendarPeriod(date(year, 3 * parts["q"] - 2, 1), "quarter")
        kind: PeriodKind = "day" if "d" in parts else "month" if "m" in parts else "year"
        return CalendarPeriod(date(year, parts.get("m", 1), parts.get("d", 1)), kind)
    except ValueError:
        return None


def read_dates(cells: Iterable[str], where: str) -> dict[str, CalendarPeriod]:
    """Read the dates of a column.

    `cells`: None of them empty.
    `where`: what to call the column in messages.
    Returns: by cell; as exact as it is written, times of day aside.
    Raises UsageError: a cell is no date, or it is written with the year at its end and nothing in the column tells
        whether day or month comes first.

    >>> dates = read_dates(["03/04/2024", "17/04/2024", "2024-05"], "date")
    >>> [period.name for period in dates.values()]
    ['2024-04-03', '2024-04-17', '2024-05']
    """
    distinct = dict.fromkeys(cell.strip() for cell in cells)
    year_last = {cell: match for cell in distinct if (match := _YEAR_LAST.fullmatch(cell))}
    # whether days come before months, as the column as a whole shows
    day_first = next((cell for cell, match in year_last.items() if int(match[1]) > 12), None)
    month_first = next((cell for cell, match in year_last.items() if int(match[3]) > 12), None)
    if day_first and month_first:
        raise _refusal(f"{where}: in {day_first!r} the day comes first, in {month_first!r} the month; {_WRITE}")
    unsure = next((cell for cell, match in year_last.items() if int(match[1]) != int(match[3])), None)
    if unsure and not (day_first or month_first):
        read = (_swapped(year_last[unsure], first) for first in (True, False))
        readings = " or ".join(period.name for period in read if period) or "no date"
        raise _refusal(f"{where}: {unsure!r} may be {readings}, and no other date there shows which; {_WRITE}")
    dates = {}
    for cell in distinct:
        if cell in year_last:
            period = _swapped(year_last[cell], not month_first)
        else:
            matches = (pattern.fullmatch(cell) for pattern in _CELLS)
            period = next((_period(match) for match in matches if match), None)
        if period is None:
            raise _refusal(f"{where}: {cell!r} is not a date; write it as {FORMS}, or leave the cell empty")
        dates[cell] = period
    return dates


def _swapped(match: re.Match[str], day_first: bool) -> CalendarPeriod | None:
    """Return the day that a date with its year last means; None where the calendar lacks it."""
    first, _, second, year = match.groups()
    day, month = (first, second) if day_first else (second, first)
    try:
        return CalendarPeriod(date(int(year), int(month), int(day)), "day")
    except ValueError:
        return None


_WRITE = "write year, month, day: 2024-05-17"


def _refusal(message: str) -> UsageError:
    return UsageError(message, code="dates_invalid")


RUN: Final = "run"
PATH: Final = "path"
"""Sources of dates besides a column: when a run was made; names of folders and files."""

_NO_CELL = "the table has no date for it"


@dataclass(frozen=True, slots=True)
class DatedMedium:
    """A medium of a run on a date."""

    run: int
    """Which run, by its place."""
    medium_id: str
    path: str
    type: str
    date: CalendarPeriod
    group: str | None = None


@dataclass(frozen=True, slots=True)
class DatedMedia:
    """Media with dates, and those without."""

    media: tuple[DatedMedium, ...]
    undated: tuple[tuple[str, str], ...]
    unused: int
    """Rows of the table that name no medium of the runs."""


_DateOf = Callable[[int, str], CalendarPeriod | str]
"""Date of a medium, from the place of its run and its path; or why it has none."""


def date_media(
    runs: Sequence[RunTables],
    source: str,
    table: str | Path | None = None,
    by: str | None = None,
    only: str | None = None,
) -> DatedMedia:
    """Put a date, and a group, on each medium.

    `source`: a column of the table, `RUN` or `PATH`.
    `by`: what to group by, as `media_attributes` knows it.
    `only`: type of media; others are passed over.
    Returns: each medium once per date and group, whichever runs and paths hold it: that of the first.
    Raises UsageError: the table or a column is not there, a cell is no date or could be read in two ways, or no medium
        has a date.
    """
    attributes = load_attributes(Path(table)) if table else None
    media = [
        [(str(result.medium.medium_id), result.path, result.medium.kind) for result in run.results(())] for run in runs
    ]
    paths = [path for of_run in media for _, path, _ in of_run]
    date_of = _date_source(runs, source, attributes, paths)
    dated: dict[tuple[str, CalendarPeriod, str | None], DatedMedium] = {}
    undated: dict[str, str] = {}
    for number, (run, of_run) in enumerate(zip(runs, media, strict=True)):
        groups = path_attributes(run.run, [by], table) if by else {}
        for medium_id, path, kind in of_run:
            if only and kind != only:
                continue
            date, group = date_of(number, path), groups[path][by] if by else None
            if isinstance(date, str):
                undated.setdefault(path, date)
            else:
                dated.setdefault((medium_id, date, group), DatedMedium(number, medium_id, path, kind, date, group))
    if not dated and not undated:
        raise UsageError(f"the runs have no {only or 'file'} that was analyzed", code="no_media")
    if not dated:
        path, reason = next(iter(undated.items()))
        raise _refusal(f"--date {source}: none of {media_count(len(undated))} has a date; {path}: {reason}")
    unused = len(attributes.unused(paths)) if attributes else 0
    return DatedMedia(tuple(dated.values()), tuple(undated.items()), unused)


def _date_source(
    runs: Sequence[RunTables], source: str, attributes: RowsByFile[Cells] | None, paths: Sequence[str]
) -> _DateOf:
    """Choose where dates come from; a column goes first, should a table have one of that name."""
    if attributes is None or source not in attributes.columns:
        if source == RUN:
            days = []
            for tables in runs:
                try:
                    made = datetime.fromisoformat(str(tables.facts["created_at"])).date()
                except (KeyError, ValueError) as error:
                    message = f"{tables.path}: run.json does not say when the run was made"
                    raise UsageError(message, code="old_run") from error
                days.append(CalendarPeriod(made, "day"))
            return lambda run, path: days[run]
        if source == PATH:
            return lambda run, path: date_in_path(path)
    if attributes is None:
        raise UsageError(
            f"--date {source}: name a column of a table with --attributes FILE.csv, or one of {RUN} (when each run was "
            f"made) and {PATH} (dates in names of folders and files)",
            code="unknown_column",
        )
    check_column(attributes, source, (RUN, PATH))
    # cells of media only: a table may hold more than the runs do
    cells = {path: (attributes.of(path) or {}).get(source) for path in paths}
    dates = read_dates([cell for cell in cells.values() if cell], f"{attributes.path}, column {source!r}")

    def date_of(run: int, path: str) -> CalendarPeriod | str:
        cell = cells[path]
        return dates[cell] if cell else _NO_CELL

    return date_of
