"""Collect the attributes of each medium of a run: objectives, folders, a table of the user's."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from mediaan.config.attributes import FOLDER_KEYS, OBJECTIVE_KEYS, attribute_of, check_column, load_attributes

if TYPE_CHECKING:
    from mediaan.run import Run


def media_attributes(
    run: Run, keys: Sequence[str], table: str | Path | None = None
) -> dict[str, dict[str, str | None]]:
    """Return the values of some keys for every analyzed medium.

    `keys`: columns of the table, which go first; else of `OBJECTIVE_KEYS` or `FOLDER_KEYS`.
    `table`: CSV, as `load_attributes` reads it.
    Returns: by medium id, of its first path; None where nothing is said.
    Raises UsageError: the table cannot be read, or a key is not known.
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
