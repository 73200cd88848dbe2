"""What a comparison leaves on disk: a page, the table, and JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from mediaan.comparison.compared import Compared
from mediaan.run.derived import write_table
from mediaan.run.files import check_own_folder, make_folder, write_whole
from mediaan.workflow.compare_media import Held

FACTS_FILE, TABLE_FILE, PAGE = "compare.json", "comparisons.parquet", "index.html"

_MOST_ROWS = 2000
"""Pairs that ``compare.json`` holds beside the table."""


def write_folder(compared: Compared, media: Sequence[Held], folder: Path) -> Path:
    """Write ``index.html``, ``comparisons.parquet`` and ``compare.json``.

    Parameters
    ----------
    compared : Compared
    media : sequence of Held
        Those that were compared, at hand.
    folder : Path
        Made if absent; files of an earlier comparison are replaced.

    Returns
    -------
    Path
        The page, which holds its pictures and needs no network.

    Raises
    ------
    UsageError
        The folder holds something else, or cannot be made.
    SetupError
        It cannot be written to.
    """
    from mediaan.report.compare import render_compare
    from mediaan.workflow.compare_pictures import sides_of

    check_own_folder(folder, FACTS_FILE)
    make_folder(folder)
    facts = compared.to_dict()
    if len(compared.rows) > _MOST_ROWS:
        del facts["comparisons"]  # they are in the table
    write_whole(folder / FACTS_FILE, (json.dumps(facts, indent=2) + "\n").encode())
    write_table(folder / TABLE_FILE, "comparisons", (asdict(row) for row in compared.rows))
    write_whole(folder / PAGE, render_compare(compared, sides_of(media)).encode())
    return folder / PAGE
