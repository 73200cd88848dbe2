"""Read delimited text tables of any encoding, delimiter and decimal mark."""

from __future__ import annotations

import codecs
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import pandas as pd

from mediaan.errors import UsageError

_DELIMITERS = "\t;,"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


@dataclass(frozen=True)
class GazeTable:
    """A table of eye tracking, whose columns are read when first used.

    Attributes
    ----------
    path : Path
    columns : tuple of str
    delimiter, encoding : str
    kept : Series of bool or None
        Rows that count; None: all.
    """

    path: Path
    columns: tuple[str, ...]
    delimiter: str
    encoding: str
    kept: pd.Series[bool] | None = None

    @cached_property
    def _read(self) -> dict[str, pd.Series[str]]:
        return {}

    def require(self, columns: Iterable[str]) -> None:
        """Read columns in one go; a UsageError where one is missing."""
        wanted = [name for name in dict.fromkeys(columns) if name not in self._read]
        missing = [name for name in wanted if name not in self.columns]
        if missing:
            raise UsageError(
                f"{self.path}: has no column {missing[0]!r}; it has {', '.join(map(repr, self.columns[:30]))}"
            )
        if not wanted:
            return
        try:
            frame = pd.read_csv(
                self.path, sep=self.delimiter, encoding=self.encoding, dtype=str, usecols=wanted, keep_default_na=False
            )
        except (OSError, ValueError) as error:  # pandas' own errors are ValueErrors
            raise UsageError(f"{self.path}: cannot be read as a table: {error}") from error
        self._read.update({name: frame[name].str.strip() for name in wanted})

    def text(self, column: str) -> pd.Series[str]:
        """Return a column as stripped text; empty where a cell is empty."""
        self.require([column])
        values = self._read[column]
        return values if self.kept is None else values[self.kept]

    def numbers(self, column: str) -> pd.Series[float]:
        """Return a column as numbers, NaN where a cell is empty; a UsageError names a row that is no number.

        A decimal comma is understood where commas do not separate the columns.
        """
        said = self.text(column)
        plain = said if self.delimiter == "," else said.str.replace(",", ".", regex=False)
        numbers = pd.to_numeric(plain, errors="coerce").astype(float)
        wrong = numbers.isna() & ~said.str.casefold().isin(["", "nan", "na", "n/a", "-"])
        if wrong.any():
            row = said.index[wrong][0]
            raise UsageError(f"{self.path}, line {row + 2}: {column!r} is {said[row]!r}, which is no number; mend it")
        return numbers

    def where(self, keep: pd.Series[bool]) -> GazeTable:
        """Return the table with some of its rows."""
        return replace(self, kept=keep if self.kept is None else keep.reindex(self.kept.index, fill_value=False))


def open_gaze_table(path: Path) -> GazeTable:
    """Detect encoding (UTF-8 or UTF-16), delimiter and column names of a table.

    Raises
    ------
    UsageError
        The file cannot be read, or has no head.
    """
    try:
        with path.open("rb") as file:
            encoding = "utf-16" if file.read(2) in _UTF16 else "utf-8-sig"
        with path.open(encoding=encoding) as text:
            head = text.readline().rstrip("\r\n")
    except (OSError, UnicodeError) as error:
        raise UsageError(f"{path}: cannot be read as text: {error}; save it as UTF-8") from error
    delimiter = max(_DELIMITERS, key=head.count)
    if not head.count(delimiter):
        raise UsageError(f"{path}: its first line names no columns parted by tabs, semicolons or commas: {head[:80]!r}")
    names = pd.read_csv(path, sep=delimiter, encoding=encoding, nrows=0, dtype=str).columns
    return GazeTable(path, tuple(map(str, names)), delimiter, encoding)


def resolve_images(said: pd.Series[str], paths: Collection[str]) -> pd.Series[str]:
    """Map what a table calls images to names in images/; what fits none stays as it is."""
    folded = {name.casefold(): name for name in paths}

    def name_of(text: str) -> str:
        last = text.replace("\\", "/").rsplit("/", 1)[-1]
        for candidate in (last, Path(last).stem):
            if candidate.casefold() in folded:
                return folded[candidate.casefold()]
        return text

    return said.map({text: name_of(text) for text in said.unique()})
