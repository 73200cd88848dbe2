"""Reading an objectives file, and the files that it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from mediaan.benchmark.shelf import list_norm_sets
from mediaan.config.brand import logo_files
from mediaan.config.document import Document, Problem, read_document
from mediaan.config.objective_table import ObjectiveTable, load_objective_table
from mediaan.config.objectives import ObjectivesConfig, Values
from mediaan.config.strict import complaint_text, complaints, found, listed
from mediaan.config.vocabulary import BUILT_IN_VOCABULARY, EXTENDABLE, Vocabulary, did_you_mean
from mediaan.errors import UsageError

_TABLES = (".csv", ".tsv")
_NORM_SET_SUFFIX = ".parquet"
_NO_NORM_SET = ("auto", "none")
_NOTHING: dict[str, object] = {"values": {}, "table": None}
"""What stands for a file that is wrong, so that the rest can be read."""

_EXAMPLE = """\
defaults:
  purpose: brand_building
  industry: food
media:
  - match: "*_banner.png"
    purpose: conversion"""


def load_objectives(path: Path) -> ObjectivesConfig:
    """Read an objectives file.

    Parameters
    ----------
    path : Path
        YAML, at most 1 MB, or a table alone (.csv, .tsv); see ``docs/objectives.md``.

    Returns
    -------
    ObjectivesConfig

    Raises
    ------
    UsageError
        Naming the file, and those that it names, with every line and key that must change and the fix.
    """
    if path.suffix.lower() in _TABLES:
        return ObjectivesConfig(table=_load_table(path, BUILT_IN_VOCABULARY, path.parent))
    document, folder = read_document(path), path.parent
    if not document.content:
        raise UsageError(f"{path}: is empty; write for example\n\n{_EXAMPLE}", code="config_invalid")
    refusals: list[str] = []
    values = _in_place(document, "values", folder, _load_values, refusals)
    vocabulary = _vocabulary(values)
    table = _in_place(document, "table", folder, lambda file: _load_table(file, vocabulary, folder), refusals)
    content: Any = document.content
    if isinstance(content, dict):
        content = content | {key: one for key, one in (("values", values), ("table", table)) if key in content}
    try:
        config = ObjectivesConfig.model_validate(content, context=vocabulary)
    except ValidationError as error:
        document.problems += complaints(error, ObjectivesConfig)
    else:
        document.problems += _path_problems(config, folder)
    if document.problems:
        refusals.insert(0, complaint_text(str(path), document, document.problems))
    if refusals:
        raise UsageError("\n".join(refusals), code="config_invalid")
    return config


def benchmark_choice(written: str, folder: Path) -> str:
    """What a `benchmark` of a file in `folder` means: the whole path of a file, otherwise a name as it is.

    Examples
    --------
    >>> benchmark_choice("ads", Path("/briefs")), benchmark_choice("mine.parquet", Path("/briefs"))
    ('ads', '/briefs/mine.parquet')
    """
    is_path = written.endswith(_NORM_SET_SUFFIX)
    return str(_beside(folder, written).resolve()) if is_path else written


def _in_place(
    document: Document, key: str, folder: Path, load: Callable[[Path], object], refusals: list[str]
) -> object:
    """What the file that a key names holds; nothing where that is wrong; what is no path stays, for validation."""
    written = document.content.get(key) if isinstance(document.content, dict) else None
    if not isinstance(written, str):
        return written
    file = _beside(folder, written)
    if not file.is_file():
        document.problems.append(Problem((key,), f"there is no file {file}; write the path of one"))
        return _NOTHING[key]
    try:
        return load(file)
    except UsageError as error:
        refusals.append(error.message)
        return _NOTHING[key]


def _beside(folder: Path, written: str) -> Path:
    """A path as it is meant in a file of this folder."""
    return folder / Path(written).expanduser()


def _load_values(file: Path) -> object:
    """Words of a file of their own, which several objectives may share."""
    document = read_document(file)
    try:
        Values.model_validate(document.content)
    except ValidationError as error:
        document.problems += complaints(error, Values)
    if document.problems:
        raise UsageError(complaint_text(str(file), document, document.problems), code="config_invalid")
    return document.content


def _load_table(file: Path, vocabulary: Vocabulary, folder: Path) -> ObjectiveTable:
    table = load_objective_table(file, vocabulary)
    named = {row.benchmark for row in table.rows.values()}
    wrong = {written: _benchmark_complaint(written, folder) for written in named}
    said = [(table.lines[key], "benchmark", wrong[row.benchmark]) for key, row in table.rows.items()]
    problems = [(line, column, complaint) for line, column, complaint in said if complaint]
    if problems:
        raise UsageError(listed(str(file), problems), code="config_invalid")
    return table


def _path_problems(config: ObjectivesConfig, folder: Path) -> Iterator[Problem]:
    """Logos that are not there or no pictures, and norm sets that are not there, each at its own line."""
    for place, brand in config.described_brands.items():
        for i, written in enumerate(brand.logos):
            try:
                logo_files(written, folder)
            except UsageError as error:
                yield Problem((*place, "logos", i), error.message)
    for place, part in config.settings.items():
        complaint = _benchmark_complaint(part.benchmark, folder)
        if complaint:
            yield Problem((*place, "benchmark"), complaint)


def _benchmark_complaint(written: str | None, folder: Path) -> str | None:
    """What is wrong with the norm set that is named."""
    if written is None or written in _NO_NORM_SET:
        return None
    if written.endswith(_NORM_SET_SUFFIX):
        choice = benchmark_choice(written, folder)
        return None if Path(choice).is_file() else f"there is no file {choice}; write the path of a norm set, or a name"
    known = tuple(list_norm_sets())
    if written in known:
        return None
    there = f"; there are {', '.join(known)}, none, and files ({_NORM_SET_SUFFIX})"
    return f"{found(written)} is no known norm set{did_you_mean(written, known) or there}"


def _vocabulary(values: object) -> Vocabulary:
    """The built-in words and those of the file, as far as they are well-formed; what is not, validation names."""
    if not isinstance(values, dict):
        return BUILT_IN_VOCABULARY
    lists = {kind: words for kind, words in values.items() if kind in EXTENDABLE and isinstance(words, list)}
    return BUILT_IN_VOCABULARY.extended({k: [w for w in words if isinstance(w, str)] for k, words in lists.items()})
