"""Read objectives by file from a spreadsheet: one row a file, one column a setting."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mediaan.config.attributes import load_attributes
from mediaan.config.objectives.objective import Objective
from mediaan.config.validation import list_problems, validation_problems
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, Vocabulary
from mediaan.errors import UsageError
from mediaan.media.names import NameIndex

SETTINGS = (
    "purpose", "platform", "placement", "industry", "usecase", "country", "brand", "brand_kit", "domain", "exposure_s",
    "viewport", "benchmark",
)  # fmt: skip
SUBCATEGORIES = {"industry": "industry_subcategory", "usecase": "usecase_subcategory"}
_COLUMNS = (*SETTINGS, *SUBCATEGORIES.values())

_MISSPELT = 0.85
"""Columns as near as this to one that means something are taken for a mistake; others are the user's own."""


@dataclass(frozen=True, slots=True)
class ObjectiveTable:
    """Objectives by file."""

    path: Path
    """Of the table."""
    rows: Mapping[str, Objective]
    """By what the table calls the file, normalised; cells that are empty leave a setting unset."""
    lines: Mapping[str, int]
    """Where each stands, from 1."""
    names: NameIndex = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", NameIndex(self.rows))

    def of(self, display_path: str) -> Objective | None:
        """Return the objective of a file by its displayed path; None where the table does not know it."""
        key = self.key(display_path)
        return None if key is None else self.rows[key]

    def key(self, display_path: str) -> str | None:
        """Return the name by which the table refers to a file."""
        return next(iter(self.names.find(display_path)), None)

    def unused(self, display_paths: Iterable[str]) -> tuple[str, ...]:
        """Return the names in the table that match none of the given files."""
        return self.names.unused(display_paths)


def load_objective_table(path: Path, vocabulary: Vocabulary = BUILT_IN_VOCABULARY) -> ObjectiveTable:
    """Read a CSV file that says what each medium is for.

    `path`: as `load_attributes` reads it, with at least one of the columns `SETTINGS`; columns of one's own are passed
        over. An industry is `food` or `food/snacks`, or has its subcategory in a column of its own. Words may be
        written as people write them, `Brand Building`, and seconds with a comma.
    `vocabulary`: valid words.
    Raises UsageError: naming the file and every line and column that must change, with the fix.
    """
    attributes = load_attributes(path)
    if _plain(attributes.file_column) in _COLUMNS:
        raise UsageError(f"{path}: no column names files; call it path", code="config_invalid")
    problems: list[tuple[int, str, str]] = []
    columns: dict[str, str] = {}
    for name in attributes.columns:
        plain = _plain(name)
        near = max(_COLUMNS, key=lambda candidate: SequenceMatcher(None, plain, candidate).ratio())
        if plain in columns:
            problems.append((1, name, f"says the same as the column {columns[plain]!r}; keep one"))
        elif plain in _COLUMNS:
            columns[plain] = name
        elif SequenceMatcher(None, plain, near).ratio() >= _MISSPELT:
            problems.append((1, name, f"unknown column; did you mean {near!r}?"))
    if problems:
        raise UsageError(list_problems(str(path), problems), code="config_invalid")
    if not columns:
        raise UsageError(f"{path}: has none of the columns {', '.join(_COLUMNS)}", code="config_invalid")
    rows: dict[str, Objective] = {}
    for key, row in attributes.rows.items():
        cells = {plain: row[name] for plain, name in columns.items() if name in row}
        settings: dict[str, Any] = {name: cells[name] for name in SETTINGS if name in cells}
        for name, column in SUBCATEGORIES.items():
            if column in cells:
                category = {"category": settings[name]} if name in settings else {}
                settings[name] = category | {"subcategory": cells[column]}
        try:
            rows[key] = Objective.model_validate(settings, context=vocabulary)
        except ValidationError as error:
            for problem in validation_problems(error, Objective):
                name = str(problem.path[0])
                column = SUBCATEGORIES[name] if problem.path[1:] == ("subcategory",) else name
                problems.append((attributes.lines[key], column, problem.text))
    if problems:
        raise UsageError(list_problems(str(path), problems), code="config_invalid")
    return ObjectiveTable(path, rows, attributes.lines)


def _plain(column: str) -> str:
    return column.lower().replace(" ", "_").replace("-", "_")
