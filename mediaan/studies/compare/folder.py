"""Write a comparison to a folder: a page, the table, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from mediaan.media import resize, view_size
from mediaan.run.tables.writing import write_table
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.compare.media import RunMedium, read_results
from mediaan.studies.compare.page import MediumPreview
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.folder import write_study
from mediaan.studies.run_tables import RunTables
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.media import ViewSpec
from mediaan.types.result import Result

FACTS_FILE, TABLE_FILE = "compare.json", "comparisons.parquet"

_MOST_ROWS = 2000
"""Pairs that ``compare.json`` holds beside the table."""

_LARGE = ViewSpec("page", long_side=900)
_SMALL = ViewSpec("thumbnail", long_side=160)
_MOST_SMALL = 120
"""Media of which a page shows a thumbnail: more make it heavy."""


def medium_previews(media: Sequence[RunMedium]) -> dict[str, MediumPreview]:
    """Collect what there is to show of each medium, by name; of two more than of many."""
    if len(media) > _MOST_SMALL:
        return {}
    two = len(media) == 2
    previews = {}
    for medium, result in zip(media, read_results(media, ("maps", "aois") if two else ("maps",)), strict=True):
        densities = RunTables(medium.run.path, medium.run.facts).densities if two else {}
        previews[medium.name] = MediumPreview(
            size=(result.medium.width, result.medium.height),
            picture=_read_picture(medium, result, _LARGE if two else _SMALL),
            density=_read_density(densities.get(medium.medium_id)),
            aois=result.aois or (),
            moves=result.moves,
        )
    return previews


def _read_picture(medium: RunMedium, result: Result, view: ViewSpec) -> UInt8 | None:
    """Read the image of a medium: from the run, from where the user named it, or from where the run found it.

    That it is gone or cannot be read is no reason not to show the numbers.
    """
    files = () if result.moves else (medium.file, Path(medium.path))
    for source in ("original", "thumb", *files):
        try:
            if isinstance(source, str):
                image = Image.fromarray(result.pictures[source])
            elif source is not None:
                with Image.open(source) as opened:
                    image = opened.convert("RGB")
            else:
                continue
        except (KeyError, OSError):
            continue
        size = view_size(result.medium.width, result.medium.height, view)
        return np.asarray(resize(image, size), np.uint8)
    return None


def _read_density(file: Path | None) -> Float32 | None:
    """Read the density of the whole exposure; None where the run did not keep it, or it cannot be read."""
    try:
        return None if file is None else read_densities(file)[0]["total"]
    except (OSError, ValueError):
        return None


def write_folder(compared: CompareResult, media: Sequence[RunMedium], folder: Path) -> Path:
    """Write ``index.html``, ``comparisons.parquet`` and ``compare.json``; errors as of `write_study`."""
    from mediaan.studies.compare.page import render_compare

    facts = compared.to_dict()
    if len(compared.rows) > _MOST_ROWS:
        del facts["comparisons"]  # they are in the table
    page = write_study(folder, FACTS_FILE, facts, render_compare(compared, medium_previews(media)))
    write_table(folder / TABLE_FILE, "comparisons", (row.to_dict() for row in compared.rows))
    return page
