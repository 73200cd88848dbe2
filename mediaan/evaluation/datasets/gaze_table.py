"""Read tables of eye tracking, which may be large: only the columns that are asked for are kept.

Tobii Pro Lab's export (TSV) has one row a sample, each with the fixation to which it belongs. Its columns are known
with the units that Pro Lab writes behind them: ``Fixation point X (MCSnorm)`` or ``Fixation point X [MCS norm]``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pandas as pd

from mediaan.errors import UsageError
from mediaan.storage.input_file import Table, open_table, plain_number

_BLOCK = 50_000
"""Rows that are held as Python text at a time."""


@dataclass(frozen=True)
class GazeTable:
    """A table of eye tracking, whose columns are read when first used."""

    table: Table
    kept: pd.Series[bool] | None = None
    """Rows that count; None: all."""

    @property
    def path(self) -> Path:
        """File of the table."""
        return self.table.path

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of columns as the file writes them."""
        return self.table.header

    @cached_property
    def _read(self) -> dict[str, pd.Series[str]]:
        return {}

    def require(self, columns: Iterable[str]) -> None:
        """Read columns in one go; a UsageError where one is missing, there twice, or a row does not fit the header."""
        wanted = [name for name in dict.fromkeys(columns) if name not in self._read]
        places = [self._place(name) for name in wanted]
        if not wanted:
            return
        blocks: list[pd.DataFrame] = []
        width, rows = len(self.columns), self.table.rows()
        while block := list(islice(rows, _BLOCK)):
            for line, cells in block:
                if len(cells) < width:
                    cells += [""] * (width - len(cells))
                elif any(cell.strip() for cell in cells[width:]):
                    raise UsageError(f"{self.path}, line {line}: has {len(cells)} cells, the header {width}; mend it")
            cells_by_column = {name: [cells[i] for _, cells in block] for name, i in zip(wanted, places, strict=True)}
            blocks.append(pd.DataFrame(cells_by_column, index=[line for line, _ in block], dtype="str"))
        frame = pd.concat(blocks) if blocks else pd.DataFrame(columns=wanted, dtype="str")
        self._read.update({name: frame[name].str.strip() for name in wanted})

    def _place(self, name: str) -> int:
        """Return the place of a column, whose name may be written in another case."""
        places = [i for i, column in enumerate(self.columns) if column == name]
        places = places or [i for i, column in enumerate(self.columns) if _same(column, name)]
        if len(places) == 1:
            return places[0]
        if places:
            raise UsageError(f"{self.path}: has the column {name!r} twice; remove one")
        raise UsageError(f"{self.path}: has no column {name!r}; it has {', '.join(map(repr, self.columns[:30]))}")

    def has(self, *names: str) -> bool:
        """Return whether there are columns of these names, in any case."""
        return all(any(_same(column, name) for column in self.columns) for name in names)

    def text(self, column: str) -> pd.Series[str]:
        """Return a column as stripped text by line of the file; empty where a cell is empty."""
        self.require([column])
        values = self._read[column]
        return values if self.kept is None else values[self.kept]

    def numbers(self, column: str) -> pd.Series[float]:
        """Return a column as numbers, NaN where a cell is empty; a UsageError names a row that is no number."""
        texts = self.text(column)
        marked = texts.str.contains(_MARKS)
        plain = texts.where(~marked, texts[marked].map(lambda cell: plain_number(cell, self.table.delimiter)))
        numbers = pd.to_numeric(plain, errors="coerce").astype(float)
        wrong = numbers.isna() & ~texts.str.casefold().isin(["", "nan", "na", "n/a", "-"])
        if wrong.any():
            line = texts.index[wrong][0]
            raise UsageError(f"{self.path}, line {line}: {column!r} is {texts[line]!r}, which is no number; mend it")
        return numbers

    def where(self, keep: pd.Series[bool]) -> GazeTable:
        """Return the table with some of its rows."""
        return replace(self, kept=keep if self.kept is None else keep.reindex(self.kept.index, fill_value=False))


_MARKS = re.compile(r"[\s,\u2019']")
"""What stands in numbers beside digits and the point."""


def _same(column: str, name: str) -> bool:
    return column.casefold() == " ".join(name.split()).casefold()


def open_gaze_table(path: Path) -> GazeTable:
    """Detect encoding and delimiter of a table, and read the names of its columns.

    Raises UsageError: the file cannot be read, or has no head.
    """
    table = open_table(path, "usage", most_bytes=None, multiline=False)
    if len(table.header) < 2:
        raise UsageError(
            f"{path}: its first line names no columns parted by tabs, semicolons or commas: {table.header[0][:80]!r}"
        )
    return GazeTable(table)


def resolve_images(names: pd.Series[str], paths: Collection[str]) -> pd.Series[str]:
    """Map what a table calls images to names in images/; what fits none stays as it is."""
    folded = {_fold(name): name for name in paths}

    def name_of(text: str) -> str:
        last = text.replace("\\", "/").rsplit("/", 1)[-1]
        for candidate in (last, Path(last).stem, last.strip('"'), Path(last.strip('"')).stem):
            if _fold(candidate) in folded:
                return folded[_fold(candidate)]
        return text

    return names.map({text: name_of(text) for text in names.unique()})


def _fold(name: str) -> str:
    return normalize("NFC", name).casefold()


_TYPE = "Eye movement type"
_INDEX = "Eye movement type index"
_TIME = "Recording timestamp"
_PARTICIPANT = "Participant name"
_RECORDING = "Recording name"
_STIMULI = ("Presented Stimulus name", "Presented Media name", "Recording media name")
_DURATIONS = ("Gaze event duration", "Eye movement event duration")
_FIXATION = "Fixation"
_PLACES = ("Fixation point {}", "Presented Media position {}")
_SIDES = {"X": "Presented Media width", "Y": "Presented Media height"}
_ALL = (_TYPE, _INDEX, _TIME, _PARTICIPANT, _RECORDING, *_STIMULI, *_DURATIONS, *_SIDES.values())
_WANTED = frozenset(name.casefold() for name in (*_ALL, *(place.format(axis) for place in _PLACES for axis in "XY")))

# Samples span a fixation but for one of their intervals: timestamps that span this many times its duration in ms
# cannot be ms, they are us.
_SURELY_US = 30.0


def is_tobii(columns: Iterable[str]) -> bool:
    """Return True if columns are those of an export of Tobii Pro Lab.

    >>> is_tobii(["Recording timestamp [ms]", "Participant name", "Presented Stimulus name"])
    True
    """
    names = {_bare(column) for column in columns}
    return {_bare(_TIME), _bare(_PARTICIPANT)} <= names


def read_tobii(table: GazeTable, paths: Mapping[str, Path], notes: list[str]) -> pd.DataFrame:
    """Return the fixations of an export: image, viewer, x, y, onset_s, duration_s.

    Fixations that had begun before their image came on are left out, and so are further presentations of an image to
    the same participant.

    `paths`: images by name.
    `notes`: notes on what was left out are added.
    Raises UsageError: a column is missing; says how to export it.
    """
    samples = _samples(table, paths)
    scale = _seconds_per_tick(table, samples)
    samples["t"] *= scale
    on_image = samples[samples["image"] != ""].copy()
    on_image["presentation"] = _number_runs(on_image[["viewer", "recording", "image"]])
    began = on_image.groupby("presentation")["t"].transform("min")
    on_image["onset_s"] = on_image["t"] - began

    # the first row of each fixation in each presentation, with the time at which it really began
    fixated = samples[samples["kind"] == _FIXATION]
    begun = fixated.groupby(["viewer", "recording", "index"])["t"].min().rename("begun")
    key = ["viewer", "recording", "presentation", "index"]
    each = on_image[on_image["kind"] == _FIXATION].groupby(key, sort=False)
    span = (each["t"].max() - each["t"].min()).rename("span")
    fixations = each.first().reset_index().join(begun, on=["viewer", "recording", "index"]).join(span, on=key)
    fixations["duration_s"] = fixations["duration_s"].fillna(fixations["span"])

    early = fixations["begun"] < fixations["t"]
    again = fixations["presentation"] != fixations.groupby(["viewer", "image"])["presentation"].transform("min")
    for which, why in ((early, "that had begun before their image came on"), (again, "on images shown again")):
        if which.any():
            notes.append(f"{int(which.sum())} fixations of {table.path.name} {why} are left out")
    return fixations[~early & ~again][["image", "viewer", "x", "y", "onset_s", "duration_s"]].reset_index(drop=True)


def _samples(table: GazeTable, paths: Mapping[str, Path]) -> pd.DataFrame:
    """Return all rows, in order of time within each recording."""
    table.require(column for column in table.columns if _bare(column) in _WANTED)  # a large file is read once
    stimuli = [column for name in _STIMULI if (column := _find(table, name))]
    if not stimuli:
        raise UsageError(f"{table.path}: {_missing(_STIMULI[0])}: it says which image was looked at")
    kind, index = _needed(table, _TYPE), _find(table, _INDEX)
    duration = next((column for name in _DURATIONS if (column := _find(table, name))), None)
    recording = _find(table, _RECORDING)
    x, y = _places(table)
    frame = pd.DataFrame(
        {
            "viewer": table.text(_needed(table, _PARTICIPANT)),
            "recording": table.text(recording) if recording else "",
            "t": table.numbers(_needed(table, _TIME)),
            "image": _images(table, stimuli, paths),
            "kind": table.text(kind),
            "x": x,
            "y": y,
            "duration_s": table.numbers(duration) / 1000 if duration else np.nan,
        }
    )
    if index:
        frame["index"] = table.numbers(index)
    else:  # fixations are told apart by their place
        place = {"x": frame["x"].fillna(-1), "y": frame["y"].fillna(-1)}
        frame["index"] = _number_runs(frame[["viewer", "recording", "kind"]].assign(**place))
    return frame.sort_values(["viewer", "recording", "t"], kind="stable").reset_index(drop=True)


def _places(table: GazeTable) -> tuple[pd.Series[float], pd.Series[float]]:
    """Return unit coordinates of the image: as exported, or from the screen and the place of the image on it."""
    norm = [_find(table, f"Fixation point {axis}", "mcsnorm") for axis in "XY"]
    if norm[0] and norm[1]:
        return table.numbers(norm[0]), table.numbers(norm[1])
    places = []
    for axis, side in _SIDES.items():
        point, corner = (_find(table, name.format(axis), "", "dacspx", "rcspx", "px") for name in _PLACES)
        length = _find(table, side, "", "px", "dacspx", "rcspx")
        if not (point and corner and length):
            raise UsageError(
                f"{table.path}: where a fixation lies on its image is not in it: export 'Fixation point X (MCSnorm)' "
                "and Y, or 'Fixation point X' and Y with 'Presented Media position X' and Y and 'Presented Media "
                "width' and height"
            )
        # position and size stand in the rows of events in some versions: they hold until the next
        begin, span = table.numbers(corner).ffill(), table.numbers(length).ffill()
        places.append((table.numbers(point) - begin) / span)
    return places[0], places[1]


def _images(table: GazeTable, stimuli: list[str], paths: Mapping[str, Path]) -> pd.Series[str]:
    """Return the image of each row: the first column that names one of images/ counts; empty where none is shown."""
    image = resolve_images(table.text(stimuli[0]), paths)
    for column in stimuli[1:]:
        other = resolve_images(table.text(column), paths)
        image = image.where(image.isin(list(paths)) | ~other.isin(list(paths)), other)
    return image


def _number_runs(key: pd.DataFrame) -> pd.Series[Any]:
    """Assign each row the number of its run of equal rows."""
    return (key != key.shift()).any(axis=1).cumsum()


def _seconds_per_tick(table: GazeTable, samples: pd.DataFrame) -> float:
    """Return the unit of timestamps: as the column says, or as fixations of known duration tell."""
    column = _needed(table, _TIME)
    unit = _unit(column)
    if unit in ("ms", "us", "s"):
        return {"ms": 1e-3, "us": 1e-6, "s": 1.0}[unit]
    fixated = samples[samples["kind"] == _FIXATION]
    each = fixated.groupby(["viewer", "recording", "index"])
    spans, lasts = each["t"].max() - each["t"].min(), each["duration_s"].first() * 1000
    valid = (spans > 0) & (lasts > 0)
    if not valid.any():
        return 1e-3
    return 1e-6 if float((spans[valid] / lasts[valid]).median()) > _SURELY_US else 1e-3


def _needed(table: GazeTable, name: str) -> str:
    column = _find(table, name)
    if column is None:
        hint = "; take a fixation filter in the export's settings" if name == _TYPE else ""
        raise UsageError(f"{table.path}: {_missing(name)}{hint}")
    return column


def _missing(name: str) -> str:
    return f"has no column {name!r}: tick it in Pro Lab's data export and export again"


def _find(table: GazeTable, name: str, *units: str) -> str | None:
    """Return the column of a name, with one of some units in order of preference; without any, whatever its unit."""
    fitting = {_unit(column): column for column in table.columns if _bare(column) == _bare(name)}
    if not units:
        return next(iter(fitting.values()), None)
    return next((fitting[unit] for unit in units if unit in fitting), None)


def _bare(column: str) -> str:
    return re.sub(r"\s*[\[(].*", "", column).strip().casefold()


def _unit(column: str) -> str:
    match = re.search(r"[\[(](.*?)[\])]", column)
    return re.sub(r"\s", "", match[1]).casefold().replace("μ", "u").replace("µ", "u") if match else ""
