"""Match files with what users say of them: path patterns, rows of tables, attributes that files are grouped by."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from mediaan.config.validation import list_problems
from mediaan.errors import UsageError, did_you_mean
from mediaan.media.names import NameIndex
from mediaan.storage.input_file import open_table

_TOKEN = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern.

    ``*`` and ``?`` stay inside one folder, ``**`` crosses folders; brackets mean themselves. A pattern without ``/``
    looks at the file name in any folder. Case does not matter, nor how accents are encoded.

    `path`: with ``/`` between folders.

    >>> matches("*.png", "summer/a.PNG"), matches("summer/*", "summer/x/a.png"), matches("summer/**", "summer/x/a.png")
    (True, False, True)
    """
    subject = _comparable(path)
    return _compiled(pattern).fullmatch(subject if "/" in pattern else subject.rsplit("/", 1)[-1]) is not None


def is_spelled_otherwise(pattern: str, path: str, patterns: Collection[str]) -> bool:
    """Return whether a pattern names a path in another case or encoding of accents, while another names it exactly.

    So files whose names differ in nothing else can be described apart.

    >>> both = {"A.png", "a.png"}
    >>> [is_spelled_otherwise(pattern, "ads/a.png", both) for pattern in ("A.png", "a.png", "*.png")]
    [True, False, False]
    >>> is_spelled_otherwise("A.png", "ads/a.png", {"A.png"})
    False
    """
    subject = path if "/" in pattern else path.rsplit("/", 1)[-1]
    return _comparable(pattern) == _comparable(subject) and pattern != subject and subject in patterns


@lru_cache(maxsize=1024)
def _compiled(pattern: str) -> re.Pattern[str]:
    tokens = _TOKEN.findall(_comparable(pattern))
    return re.compile("".join(_MEANING.get(token) or re.escape(token) for token in tokens), re.DOTALL)


def _comparable(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


OBJECTIVE_KEYS = ("purpose", "platform", "industry", "usecase", "country", "brand")
"""Settings of objectives that media can be grouped by; an industry or use case with a subcategory is `food/snacks`."""

FOLDER_KEYS = ("folder", "folder1", "folder2", "folder3")
"""The innermost folder of a path as tables show it; the first one, the second one, the third one from its beginning."""

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
    first = next(
        (letter for letter in cell if unicodedata.category(letter)[0] not in "CZ" and letter not in _BLANKS), " "
    )
    return unicodedata.normalize("NFKC", first)[:1] in ("=", "+", "-", "@", "\N{MINUS SIGN}")


def escape_formula(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would run; it shows the rest as text.

    >>> escape_formula("=1+1.png"), escape_formula("sale.png"), escape_formula("'@home.png"), escape_formula(" ＝1")
    ("'=1+1.png", 'sale.png', "''@home.png", "' ＝1")
    """
    return f"'{text}" if _runs_as_formula(text) else text


def unescape_formula(text: str) -> str:
    """Remove that apostrophe: return what `escape_formula` was given.

    >>> unescape_formula("'=1+1.png"), unescape_formula("'sale'.png"), unescape_formula("=1+1.png")
    ('=1+1.png', "'sale'.png", '=1+1.png')
    """
    return text[1:] if text.startswith("'") and _runs_as_formula(text) else text


_FILE_COLUMNS = ("path", "file", "filename", "name", "image", "media", "medium")


Row = TypeVar("Row")


@dataclass(frozen=True, slots=True)
class RowsByFile(Generic[Row]):
    """Rows of a user's table by file."""

    path: Path
    """Of the table."""
    rows: Mapping[str, Row]
    """By what the table calls the file, normalised."""
    lines: Mapping[str, int]
    """Where each row begins, from 1."""
    columns: tuple[str, ...] = ()
    """All but the one that names files."""
    file_column: str = ""
    names: NameIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", NameIndex(self.rows))

    def key(self, display_path: str) -> str | None:
        """Return the name by which the table refers to a file, as `NameIndex` finds it by its displayed path."""
        return next(iter(self.names.find(display_path)), None)

    def of(self, display_path: str) -> Row | None:
        """Return the row of a file; None where the table does not know it."""
        key = self.key(display_path)
        return None if key is None else self.rows[key]

    def unused(self, display_paths: Iterable[str]) -> tuple[str, ...]:
        """Return the names in the table that match none of the given files."""
        return self.names.unused(display_paths)


Cells = Mapping[str, str]
"""Of a row, by column; those that are empty are absent."""


def load_attributes(path: Path) -> RowsByFile[Cells]:
    """Read a CSV file with a header: one column that names the file, any others.

    `path`: as `open_table` reads it. Files are named in a column called path, file, filename, name, image, media or
        medium, otherwise in the first one. Columns and lines that are wholly empty do not matter, and a line
        may say again what another says.
    Raises UsageError: it cannot be read, has no rows, or speaks of one file in two ways.
    """
    header, lines = open_table(path, "attributes_invalid").trimmed()
    if len(header) < 2:
        raise _refusal(path, "needs a header with a column that names files and at least one other")
    repeated_names = [name for name, count in Counter(header).items() if count > 1 or not name]
    if repeated_names:
        name = repeated_names[0]
        raise _refusal(path, f"has the column {name!r} twice" if name else "has a column without a name")
    at = next((i for name in _FILE_COLUMNS for i, cell in enumerate(header) if cell.lower() == name), 0)
    spellings: dict[str, set[str]] = {}
    for _, line in lines:
        if at < len(line):
            name = _plain_name(line[at])
            spellings.setdefault(unicodedata.normalize("NFC", name), set()).add(name)
    rows: dict[str, dict[str, str]] = {}
    begins: dict[str, int] = {}
    repeated: list[tuple[int, str, str]] = []
    for number, line in lines:
        if len(line) != len(header):
            raise _refusal(path, f"line {number} has {len(line)} cells, the header {len(header)}")
        name = _plain_name(line[at])
        composed = unicodedata.normalize("NFC", name)
        # files may differ in how accents are encoded alone
        key = name if len(spellings[composed]) > 1 else composed.casefold()
        if not key:
            raise _refusal(path, f"line {number} names no file")
        values = {name: cell for i, (name, cell) in enumerate(zip(header, line, strict=True)) if i != at and cell}
        if rows.setdefault(key, values) != values:
            repeated.append((number, header[at], f"describes {line[at]!r} differently from line {begins[key]}"))
        begins.setdefault(key, number)
    if repeated:
        raise UsageError(list_problems(str(path), repeated), code="attributes_invalid")
    if not rows:
        raise _refusal(path, "holds no rows below its header")
    file_column = header.pop(at)
    return RowsByFile(path, rows, begins, tuple(header), file_column)


def check_column(attributes: RowsByFile[Cells] | None, name: str, others: Iterable[str] = ()) -> None:
    """Refuse a column that the table does not have.

    Raises UsageError: naming those that there are, and the one that was probably meant.
    """
    columns = list(dict.fromkeys((*(attributes.columns if attributes else ()), *others)))
    if name not in columns:
        where = f"{attributes.path} and the objectives" if attributes else "the objectives"
        raise UsageError(
            f"{where} have no {name!r}{did_you_mean(name, columns) or '.'} There are {', '.join(columns)}",
            code="unknown_column",
        )


def attribute_of(path: str, key: str, objective: Mapping[str, Any], attributes: RowsByFile[Cells] | None) -> str | None:
    """Return one key's value for one path: the table's, else of its folder or its objective; None where unknown."""
    if attributes and key in attributes.columns:
        return (attributes.of(path) or {}).get(key)
    return folder_of(path, key) if key in FOLDER_KEYS else objective_word(objective.get(key))


def folder_of(path: str, key: str = "folder") -> str | None:
    """Return a folder of a path, None where there is none.

    >>> folder_of("food/summer/a.png"), folder_of("food/summer/a.png", "folder1"), folder_of("a.png")
    ('summer', 'food', None)
    """
    folders = path.split("/")[:-1]
    place = {"folder": -1, "folder1": 0, "folder2": 1, "folder3": 2}[key]
    return folders[place] if -len(folders) <= place < len(folders) else None


def objective_word(value: Any) -> str | None:
    """Return a setting of an objective as one word.

    >>> objective_word({"category": "food", "subcategory": "snacks"}), objective_word({"name": "Acme"})
    ('food/snacks', 'Acme')
    """
    if isinstance(value, Mapping):
        words = (value.get("category") or value.get("name"), value.get("subcategory"))
        return "/".join(str(word) for word in words if word) or None
    return None if value is None else str(value)


def _plain_name(name: str) -> str:
    return unescape_formula(name).strip().replace("\\", "/").removeprefix("./")


def _refusal(path: Path, what: str) -> UsageError:
    return UsageError(f"{path}: {what}", code="attributes_invalid")
