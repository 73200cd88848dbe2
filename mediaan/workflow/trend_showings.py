"""When the media of runs were shown: each medium once per date."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pandas as pd

from mediaan.comparison.periods import Period
from mediaan.config.attributes import Attributes, check_column, load_attributes
from mediaan.config.dates import date_in_path, read_dates
from mediaan.errors import UsageError
from mediaan.run import Run
from mediaan.types.counts import media_count
from mediaan.workflow.attributes import path_attributes
from mediaan.workflow.drift_side import Side

RUN, PATH = "run", "path"
"""Where dates come from besides a column: when a run was made; names of folders and files."""

_NO_CELL = "the table has no date for it"


@dataclass(frozen=True, slots=True)
class DatedMedium:
    """A medium of a run on a date.

    Attributes
    ----------
    side : int
        Which run.
    medium_id, path, type : str
    date : Period
    group : str or None
    """

    side: int
    medium_id: str
    path: str
    type: str
    date: Period
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Dated:
    """Media with dates, and those without."""

    media: tuple[DatedMedium, ...]
    undated: tuple[tuple[str, str], ...]
    unused: int
    """Rows of the table that name no medium of the runs."""


_DateOf = Callable[[int, str], Period | str]


def date_media(
    sides: Sequence[Side], source: str, table: str | Path | None = None, by: str | None = None, only: str | None = None
) -> Dated:
    """Put a date, and a group, on each medium.

    Parameters
    ----------
    sides : sequence of Side
    source : str
        A column of the table, `RUN` or `PATH`.
    table : path, optional
        CSV, as `load_attributes` reads it.
    by : str, optional
        What to group by, as `media_attributes` knows it.
    only : str, optional
        Type of media; others are passed over.

    Returns
    -------
    Dated
        Each medium once per date and group, whichever runs and paths hold it: that of the first.

    Raises
    ------
    UsageError
        The table or a column is not there, a cell is no date or could be read in two ways, or no medium has a date.
    """
    attributes = load_attributes(Path(table)) if table else None
    paths = [path for side in sides for path in _done(side)["path"].astype(str)]
    date_of = _source(sides, source, attributes, paths)
    found: dict[tuple[str, Period, str | None], DatedMedium] = {}
    undated: dict[str, str] = {}
    for one in _media(sides, by, table):
        if only and one.type != only:
            continue
        date = date_of(one.side, one.path)
        if isinstance(date, str):
            undated.setdefault(one.path, date)
        else:
            found.setdefault((one.medium_id, date, one.group), one.on(date))
    if not found:
        raise _nothing(undated, source, only)
    unused = len(attributes.unused(paths)) if attributes else 0
    return Dated(tuple(found.values()), tuple(undated.items()), unused)


@dataclass(frozen=True, slots=True)
class _Medium:
    side: int
    medium_id: str
    path: str
    type: str
    group: str | None

    def on(self, date: Period) -> DatedMedium:
        return DatedMedium(self.side, self.medium_id, self.path, self.type, date, self.group)


def _media(sides: Sequence[Side], by: str | None, table: str | Path | None) -> Iterator[_Medium]:
    for number, side in enumerate(sides):
        groups: Mapping[str, Mapping[str, str | None]] = {}
        if by:
            groups = path_attributes(Run(side.path, dict(side.facts)), [by], table)
        rows = _done(side)
        for medium_id, path, kind in zip(rows["medium_id"], rows["path"], rows["type"], strict=True):
            group = groups[path][by] if by else None
            yield _Medium(number, str(medium_id), str(path), str(kind), group)


def _done(side: Side) -> pd.DataFrame:
    return side.media[side.media["status"] == "done"]


def _source(sides: Sequence[Side], source: str, attributes: Attributes | None, paths: Iterable[str]) -> _DateOf:
    """The column goes first, should a table have one of that name."""
    if attributes is None or source not in attributes.columns:
        if source == RUN:
            days = [_made(side) for side in sides]
            return lambda side, path: days[side]
        if source == PATH:
            return lambda side, path: date_in_path(path)
        _refuse_column(attributes, source)
    assert attributes is not None
    return _of_column(attributes, source, paths)


def _refuse_column(attributes: Attributes | None, source: str) -> None:
    if attributes is None:
        raise UsageError(
            f"--date {source}: name a column of a table with --attributes FILE.csv, or one of {RUN} (when each run was "
            f"made) and {PATH} (dates in names of folders and files)",
            code="unknown_column",
        )
    check_column(attributes, source, (RUN, PATH))


def _of_column(attributes: Attributes, column: str, paths: Iterable[str]) -> _DateOf:
    """Only cells of media are read: a table may hold more than the runs do."""
    rows = {path: attributes.of(path) for path in paths}
    cells = [row[column] for row in rows.values() if row.get(column)]
    dates = read_dates(cells, f"{attributes.path}, column {column!r}")

    def date_of(side: int, path: str) -> Period | str:
        cell = rows[path].get(column)
        return dates[cell] if cell else _NO_CELL

    return date_of


def _made(side: Side) -> Period:
    try:
        return Period(datetime.fromisoformat(str(side.facts["created_at"])).date(), "day")
    except (KeyError, ValueError) as error:
        raise UsageError(f"{side.path}: run.json does not say when the run was made", code="old_run") from error


def _nothing(undated: Mapping[str, str], source: str, only: str | None) -> UsageError:
    if not undated:
        return UsageError(f"the runs hold no {only or 'medium'} that could be analysed", code="no_media")
    path, reason = next(iter(undated.items()))
    return UsageError(
        f"--date {source}: none of {media_count(len(undated))} has a date; {path}: {reason}", code="dates_invalid"
    )
