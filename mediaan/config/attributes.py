"""Read tables of the user's own that describe media: campaign, date, whatever media are grouped by."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from mediaan.config.validation import MAX_BYTES, list_problems
from mediaan.errors import UsageError, did_you_mean

_BLANKS = "\u115f\u1160\u2800\u3164"
"""Letters by their category that show nothing: Hangul fillers, the empty Braille pattern."""


def _runs_as_formula(text: str) -> bool:
    """Return whether a spreadsheet may take a cell for a formula, or whether `escape_formula` made it of such a one.

    Spreadsheets and what stands before them drop spaces, byte order marks, NUL and other characters that show nothing,
    and read full-width signs as plain ones.
    """
    cell = text.lstrip("'")
    if cell[:1] in ("\t", "\r", "\n"):
        return True
    shown = next((one for one in cell if unicodedata.category(one)[0] not in "CZ" and one not in _BLANKS), " ")
    return unicodedata.normalize("NFKC", shown)[:1] in ("=", "+", "-", "@", "\N{MINUS SIGN}")


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; it shows the rest as text.

    Examples
    --------
    >>> escape_formula("=1+1.png"), escape_formula("sale.png"), escape_formula("'@home.png"), escape_formula(" ＝1")
    ("'=1+1.png", 'sale.png', "''@home.png", "' ＝1")
    """
    return f"'{text}" if _runs_as_formula(text) else text


def unescape_formula(text: str) -> str:
    """Remove that apostrophe: return what `escape_formula` was given.

    Examples
    --------
    >>> unescape_formula("'=1+1.png"), unescape_formula("'sale'.png"), unescape_formula("=1+1.png")
    ('=1+1.png', "'sale'.png", '=1+1.png')
    """
    return text[1:] if text.startswith("'") and _runs_as_formula(text) else text


_FILE_COLUMNS = ("path", "file", "filename", "name", "image", "media", "medium")
_MOST_BYTES = 50 * MAX_BYTES
_SEPARATOR = re.compile(r"sep=([^\r\n])\r?\n")  # the first line of some spreadsheets' CSV


@dataclass(frozen=True, slots=True)
class Attributes:
    """Rows of a user's table by file.

    Attributes
    ----------
    path : Path
        Of the table.
    file_column : str
        The one that names files.
    columns : tuple of str
        All others.
    rows : mapping of str to mapping of str to str
        By what the table calls the file, normalised; cells that are empty are absent.
    lines : mapping of str to int
        Where each row begins, from 1.
    """

    path: Path
    file_column: str
    columns: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]]
    lines: Mapping[str, int]

    def of(self, display_path: str) -> Mapping[str, str]:
        """Return the row of a file by its displayed path: that of the longest ending that the table knows.

        With or without folders and suffix, whatever the case: ``summer/a.png``, ``a.png`` and ``a`` name
        ``ads/summer/a.png``. Nothing where the table does not know it.
        """
        return next((self.rows[key] for key in path_names(display_path) if key in self.rows), {})

    def unused(self, display_paths: Iterable[str]) -> tuple[str, ...]:
        """Return the names in the table that match none of the given files."""
        known = {key for path in display_paths for key in path_names(path)}
        return tuple(key for key in self.rows if key not in known)


def load_attributes(path: Path) -> Attributes:
    """Read a CSV file with a header: one column that names the file, any others.

    Parameters
    ----------
    path : Path
        UTF-8, separated by commas, semicolons or tabs. Files are named in a column called path, file, filename, name,
        image, media or medium, otherwise in the first one. Columns and lines that are wholly empty do not matter, and
        a line may say again what another says.

    Raises
    ------
    UsageError
        It cannot be read, has no rows, or speaks of one file in two ways.
    """
    header, lines = _cells(path)
    if len(header) < 2:
        raise _refusal(path, "needs a header with a column that names files and at least one other")
    repeated_names = [name for name, count in Counter(header).items() if count > 1 or not name]
    if repeated_names:
        name = repeated_names[0]
        raise _refusal(path, f"has the column {name!r} twice" if name else "has a column without a name")
    at = next((i for name in _FILE_COLUMNS for i, cell in enumerate(header) if cell.lower() == name), 0)
    rows: dict[str, dict[str, str]] = {}
    begins: dict[str, int] = {}
    repeated: list[tuple[int, str, str]] = []
    for number, line in lines:
        if len(line) != len(header):
            raise _refusal(path, f"line {number} has {len(line)} cells, the header {len(header)}")
        key = _normalize_name(line[at])
        if not key:
            raise _refusal(path, f"line {number} names no file")
        said = {name: cell for i, (name, cell) in enumerate(zip(header, line, strict=True)) if i != at and cell}
        if rows.setdefault(key, said) != said:
            repeated.append((number, header[at], f"describes {line[at]!r} differently from line {begins[key]}"))
        begins.setdefault(key, number)
    if repeated:
        raise UsageError(list_problems(str(path), repeated), code="attributes_invalid")
    if not rows:
        raise _refusal(path, "holds no rows below its header")
    return Attributes(path, header.pop(at), tuple(header), rows, begins)


def check_column(attributes: Attributes | None, name: str, others: Iterable[str] = ()) -> None:
    """Refuse a column that the table does not have.

    Raises
    ------
    UsageError
        Naming those that there are, and the one that was probably meant.
    """
    known = list(dict.fromkeys((*(attributes.columns if attributes else ()), *others)))
    if name not in known:
        where = f"{attributes.path} and the objectives" if attributes else "the objectives"
        raise UsageError(
            f"{where} have no {name!r}{did_you_mean(name, known) or '.'} There are {', '.join(known)}",
            code="unknown_column",
        )


def _cells(path: Path) -> tuple[list[str], list[tuple[int, list[str]]]]:
    """Return the header, and the lines below it with their numbers, without empty lines and columns.

    Spreadsheets leave columns behind that were cleared, and lines; what has no name and no cell was never meant.
    """
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise _refusal(path, f"is larger than {_MOST_BYTES // MAX_BYTES} MB")
        text = path.read_bytes().decode("utf-8-sig")  # line ends inside cells stay as they are
    except OSError as error:
        raise _refusal(path, f"cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise _refusal(path, "is not UTF-8 text; save it as CSV in UTF-8") from error
    declared = _SEPARATOR.match(text)
    delimiter = declared[1] if declared else max(",;\t", key=text.split("\n", 1)[0].count)
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    rows, before = [], 0
    try:
        for row in reader:  # a quoted cell may hold several lines
            rows.append((before + 1, [cell.strip() for cell in row]))
            before = reader.line_num
    except csv.Error as error:
        raise _refusal(path, f"is not a CSV file: {error}") from error
    (_, header), *lines = (rows[1:] if declared else rows) or [(1, [])]
    lines = [(number, line) for number, line in lines if any(line)]
    kept = sorted({i for row in (header, *(line for _, line in lines)) for i, cell in enumerate(row) if cell})
    return _only(header, kept), [(number, _only(line, kept)) for number, line in lines]


def _only(line: list[str], kept: list[int]) -> list[str]:
    return [line[i] for i in kept if i < len(line)]


def _normalize_name(name: str) -> str:
    return unicodedata.normalize("NFC", unescape_formula(name).strip().replace("\\", "/").removeprefix("./")).casefold()


def path_names(display_path: str) -> list[str]:
    """Return the names by which a table may refer to a path, the longest first."""
    parts = _normalize_name(display_path).split("/")
    endings = ["/".join(parts[i:]) for i in range(len(parts))]
    bare = [ending.rsplit(".", 1)[0] if "." in ending.rsplit("/", 1)[-1] else ending for ending in endings]
    return [name for pair in zip(endings, bare, strict=True) for name in pair]


def _refusal(path: Path, what: str) -> UsageError:
    return UsageError(f"{path}: {what}", code="attributes_invalid")
