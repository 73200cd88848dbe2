"""Read a file that a user names: a regular one of at most so many bytes, or a table as spreadsheets write it.

Tables, whatever their locale: commas, semicolons, tabs, or what a first line ``sep=`` says; UTF-8, UTF-16 or
Windows-1252; blank lines and columns; decimal commas. A quote that is not closed on its line stays a quote: it never
swallows the rows below.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import stat
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from mediaan.errors import UsageError
from mediaan.types.arguments import as_path

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_MAGIC = (
    (b"\x1f\x8b", "a gzip archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"\x28\xb5\x2f\xfd", "a Zstandard archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file"),
    (b"%PDF", "a PDF"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"RIFF", "a WebP image or an AVI video"),
    (b"PAR1", "a Parquet table"),
    (b"SQLite format 3", "a SQLite database"),
)
_UTF16 = ((codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def check_file(path: str | Path, code: str, most_bytes: int | None = None) -> Path:
    """Return a path that leads to a regular file of at most `most_bytes`.

    A pipe or a device might never end, so nothing else is opened.

    Raises UsageError: with `code`, naming the path, what lies there, and what to give instead.
    """
    path = as_path(path)
    try:
        status = path.stat()
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code=code) from error
    if not stat.S_ISREG(status.st_mode):
        kind = next((kind for test, kind in _KINDS if test(status.st_mode)), "no regular file")
        raise UsageError(f"{path}: is {kind}; give a file", code=code)
    if most_bytes is not None and status.st_size > most_bytes:
        raise UsageError(f"{path}: is larger than {_size(most_bytes)}; is it the right file?", code=code)
    return path


def read_file(path: str | Path, code: str, most_bytes: int) -> bytes:
    """Return the bytes of a regular file of at most `most_bytes`.

    Raises UsageError: as of `check_file`; or it grew while it was read, or cannot be read.
    """
    path = check_file(path, code, most_bytes)
    try:
        with path.open("rb") as file:
            data = file.read(most_bytes + 1)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code=code) from error
    if len(data) > most_bytes:
        raise UsageError(f"{path}: is larger than {_size(most_bytes)}; is it the right file?", code=code)
    return data


def describe_content(data: bytes) -> str | None:
    """Return what a file that is no text is, by its first bytes; None where they tell nothing.

    >>> describe_content(b"PK\\x03\\x04..."), describe_content(b"name,type")
    ('a ZIP archive or an Excel workbook', None)
    """
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), None)


def detect_encoding(path: Path, *, legacy: str | None = None) -> str | None:
    """Return the encoding of a text file: UTF-8 or UTF-16, with or without a byte order mark, else `legacy`.

    The file is read once, in blocks. None where it is neither.
    """
    with path.open("rb") as file:
        head = file.read(4096)
        if utf16 := next((name for mark, name in _UTF16 if head.startswith(mark)), None):
            return utf16
        if len(head) > 3 and 0 in head:
            even, odd = head[0::2].count(0), head[1::2].count(0)
            if describe_content(head) or max(even, odd) * 4 < len(head):  # Latin letters have a zero in every pair
                return None
            return "utf-16-le" if odd > even else "utf-16-be"
        decoder = codecs.getincrementaldecoder("utf-8")()
        block = head
        try:
            while block:
                decoder.decode(block)
                block = file.read(1 << 20)
            decoder.decode(b"", final=True)
        except UnicodeDecodeError:
            return None if describe_content(head) else legacy
    return "utf-8-sig"


def _size(most_bytes: int) -> str:
    return f"{most_bytes // 1_000_000} MB" if most_bytes >= 1_000_000 else f"{most_bytes // 1000} kB"


LEGACY_ENCODING = "cp1252"
"""Of what Excel calls CSV, in Western Europe and the Americas."""

MOST_BYTES = 50_000_000
"""Of a table that people write."""

_DELIMITERS = ",;\t"
_DECLARED = re.compile(r'"?sep=([^\r\n"])"?[,;\t]*[\r\n]*', re.IGNORECASE)
_MOST_LINES = 100
"""Of one cell."""
_GROUPED = re.compile(r"[-+]?\d{1,3}(,\d{3})+")


@dataclass(frozen=True, slots=True)
class Table:
    """A table in a text file."""

    path: Path
    """For messages."""
    header: tuple[str, ...]
    """Names of columns, stripped."""
    header_line: int
    """From 1."""
    delimiter: str
    encoding: str
    code: str
    """Code of errors."""
    multiline: bool
    """Whether a quoted cell may hold several lines."""

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows that are not blank, each with the line at which it begins, from 1, and its cells as written.

        Raises UsageError: a line cannot be read.
        """
        with self.path.open(encoding=self.encoding, newline="") as lines:
            yield from _rows(self, lines)

    def trimmed(self) -> tuple[list[str], list[tuple[int, list[str]]]]:
        """Return the header and the rows without columns that have neither name nor cell; cells are stripped.

        Spreadsheets leave columns behind that were cleared; what has no name and no cell was never meant.
        """
        rows = [(line, [cell.strip() for cell in cells]) for line, cells in self.rows()]
        kept = sorted({i for row in (self.header, *(cells for _, cells in rows)) for i, cell in enumerate(row) if cell})
        header = [self.header[i] for i in kept if i < len(self.header)]
        return header, [(line, [cells[i] for i in kept if i < len(cells)]) for line, cells in rows]


def open_table(path: str | Path, code: str, *, most_bytes: int | None = MOST_BYTES, multiline: bool = True) -> Table:
    """Find out how a table is written, and read its header.

    `code`: of errors.
    `most_bytes`: largest size.
    `multiline`: whether a quoted cell may hold several lines. Tables that programs write without quotes have none.
    Raises UsageError: it is no regular file, too large, or no text.
    """
    path = check_file(path, code, most_bytes)
    try:
        encoding = detect_encoding(path, legacy=LEGACY_ENCODING)
        if encoding is None:
            with path.open("rb") as file:
                kind = describe_content(file.read(64))
            what = f"is {kind}, not a CSV file" if kind else "is not text"
            raise UsageError(f"{path}: {what}; save it as CSV in UTF-8", code=code)
        with path.open(encoding=encoding, newline="") as lines:
            return _read_header(Table(path, (), 0, ",", encoding, code, multiline), lines)
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror}", code=code) from error
    except UnicodeError as error:
        raise UsageError(f"{path}: is not text of one encoding; save it as CSV in UTF-8", code=code) from error


def plain_number(cell: str, delimiter: str) -> str:
    """Return a number as Python reads it: spaces and other marks between thousands are dropped, a decimal comma is a
    point.

    A comma is a decimal comma, unless a point follows it. Between cells that commas part, ``1,234`` may mean either and
    stays as it is.

    >>> [plain_number(cell, ";") for cell in ("0,8", "1.234,5", "1,234.5", "1 234", "12")]
    ['0.8', '1234.5', '1234.5', '1234', '12']
    >>> plain_number("0,8", ","), plain_number("1,234", ",")
    ('0.8', '1,234')
    """
    text = re.sub(r"[\s\u2019']", "", cell)
    if "," not in text or (delimiter == "," and _GROUPED.fullmatch(text) and not text.lstrip("+-").startswith("0")):
        return text
    decimal = "," if text.rfind(",") > text.rfind(".") else "."
    return text.replace("." if decimal == "," else ",", "").replace(",", ".")


def _read_header(table: Table, lines: Iterator[str]) -> Table:
    """Return a table with its delimiter and header, which are those of the first line that is not blank."""
    declared, first, number = None, "", 0
    for line in lines:
        number += 1
        first = line.lstrip("\ufeff")
        if declared is None and (match := _DECLARED.fullmatch(first)):
            declared = match[1]
        elif first.strip(" \t\r\n,;"):
            break
        first = ""
    table = replace(table, delimiter=declared or max(_DELIMITERS, key=_outside_quotes(first).count))
    header, joined = _quoted([first], table), [first]
    while header is None and len(joined) < _MOST_LINES and (more := next(lines, None)) is not None:
        joined.append(more)  # names of columns may hold line ends
        header = _quoted(joined, table)
    if header is None:
        header, joined = first.rstrip("\r\n").split(table.delimiter), [first]
    names = tuple(" ".join(name.split()) for name in header)
    return replace(table, header=names, header_line=number + len(joined) - 1)


def _outside_quotes(line: str) -> str:
    return re.sub(r'"[^"]*"', "", line)


def _rows(table: Table, lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a file as rows; see `Table.rows`."""
    waiting = deque[str]()

    def peek(i: int) -> str | None:
        while len(waiting) <= i:
            if (line := next(lines, None)) is None:
                return None
            waiting.append(line)
        return waiting[i]

    number = 0
    while peek(0) is not None:
        number, line = number + 1, waiting.popleft()
        if number <= table.header_line:
            continue
        if '"' in line:
            cells, taken = _quoted_row(table, number, line, peek)
        else:
            cells, taken = line.rstrip("\r\n").split(table.delimiter), 0
        if any(cell.strip() for cell in cells):
            yield number, cells
        for _ in range(taken):
            waiting.popleft()
        number += taken


def _quoted_row(table: Table, number: int, line: str, peek: Callable[[int], str | None]) -> tuple[list[str], int]:
    """Return the cells of a row whose first line has quotes, and how many of the next lines belong to it.

    What is quoted as RFC 4180 says is one cell; otherwise a quote is a character.

    Raises UsageError: both would do: every line of the quoted cell is a row by itself.
    """
    width, bare = len(table.header), line.rstrip("\r\n").split(table.delimiter)
    alone = _quoted([line], table)
    if alone is not None and (table.multiline or len(alone) == width):
        return alone, 0
    if not table.multiline and len(bare) == width:
        return bare, 0
    joined = [line]
    for taken in range(_MOST_LINES if table.multiline else 0):
        if (more := peek(taken)) is None:
            break
        joined.append(more)
        if (cells := _quoted(joined, table)) is None:
            continue
        if width > 1 and all(len(quoted_line.rstrip("\r\n").split(table.delimiter)) == width for quoted_line in joined):
            raise UsageError(
                f"{table.path}: a quote opens in line {number} and closes in line {number + taken + 1}, and each of "
                "these lines could be a row; take the quotes out, or write them twice",
                code=table.code,
            )
        return cells, taken + 1
    if len(bare) != width and line.count('"') % 2 == 0:
        return next(csv.reader([line], delimiter=table.delimiter)), 0
    return bare, 0


def _quoted(lines: list[str], table: Table) -> list[str] | None:
    """Return the cells of lines that are one row with well-formed quotes, otherwise None."""
    text = io.StringIO("".join(lines), newline="")
    try:
        rows = list(csv.reader(text, delimiter=table.delimiter, strict=True))
    except csv.Error as error:
        if "field limit" in str(error):
            raise UsageError(f"{table.path}: is not a CSV file: {error}", code=table.code) from error
        return None
    return rows[0] if len(rows) == 1 else None
