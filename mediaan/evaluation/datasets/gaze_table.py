"""Read tables of eye tracking, which may be large: only the columns that are asked for are kept."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from unicodedata import normalize

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
