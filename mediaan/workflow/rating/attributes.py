"""Collect the attributes of each medium of a run: objectives, folders, a table of the user's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from mediaan.config.attributes import Attributes, check_column, load_attributes
from mediaan.run import Run

OBJECTIVE_KEYS = ("purpose", "platform", "industry", "usecase", "country", "brand")
"""Settings of objectives that media can be grouped by; an industry or use case with a subcategory is `food/snacks`."""

FOLDER_KEYS = ("folder", "folder1", "folder2", "folder3")
"""The innermost folder of a path as tables show it; the first one, the second one, the third one from its beginning."""


def media_attributes(
    run: Run, keys: Sequence[str], table: str | Path | None = None
) -> dict[str, dict[str, str | None]]:
    """Return the values of some keys for every analyzed medium.

    Parameters
    ----------
    run : Run
    keys : sequence of str
        Columns of the table, which go first; else of `OBJECTIVE_KEYS` or `FOLDER_KEYS`.
    table : path, optional
        CSV, as `load_attributes` reads it.

    Returns
    -------
    dict of str to dict
        By medium id, of its first path; None where nothing is said.

    Raises
    ------
    UsageError
        The table cannot be read, or a key is not known.
    """
    by_path = path_attributes(run, keys, table)
    done = run.media[run.media["status"] == "done"].drop_duplicates("medium_id")
    return {str(i): by_path[str(path)] for i, path in zip(done["medium_id"], done["path"], strict=True)}


def path_attributes(run: Run, keys: Sequence[str], table: str | Path | None = None) -> dict[str, dict[str, str | None]]:
    """Return the same for every path of the analyzed media: an image in two folders may belong to two campaigns."""
    attributes = load_attributes(Path(table)) if table else None
    for key in keys:
        check_column(attributes, key, (*OBJECTIVE_KEYS, *FOLDER_KEYS))
    return {
        path: {key: attribute_of(path, key, run.metadata.objective(path), attributes) for key in keys}
        for path in run.media.loc[run.media["status"] == "done", "path"].astype(str)
    }


def attribute_of(path: str, key: str, objective: Mapping[str, Any], attributes: Attributes | None) -> str | None:
    """Return one key's value for one path: the table's, else of its folder or its objective; None where unknown."""
    if attributes and key in attributes.columns:
        return attributes.of(path).get(key)
    return folder_of(path, key) if key in FOLDER_KEYS else objective_word(objective.get(key))


def folder_of(path: str, key: str = "folder") -> str | None:
    """Return a folder of a path, None where there is none.

    Examples
    --------
    >>> folder_of("food/summer/a.png"), folder_of("food/summer/a.png", "folder1"), folder_of("a.png")
    ('summer', 'food', None)
    """
    folders = path.split("/")[:-1]
    place = {"folder": -1, "folder1": 0, "folder2": 1, "folder3": 2}[key]
    return folders[place] if -len(folders) <= place < len(folders) else None


def objective_word(value: Any) -> str | None:
    """Return a setting of an objective as one word.

    Examples
    --------
    >>> objective_word({"category": "food", "subcategory": "snacks"}), objective_word({"name": "Acme"})
    ('food/snacks', 'Acme')
    """
    if isinstance(value, Mapping):
        words = (value.get("category") or value.get("name"), value.get("subcategory"))
        return "/".join(str(word) for word in words if word) or None
    return None if value is None else str(value)
