"""Write a comparison to a folder: a page, the table, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.media import resize, view_size
from mediaan.run.aois.tables import read_aois
from mediaan.run.tables.writing import write_table
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.compare.media import RunMedium
from mediaan.studies.compare.page import MediumPreview
from mediaan.studies.compare.result import CompareResult
from mediaan.studies.folder import write_study
from mediaan.types.arrays import Float32
from mediaan.types.media import ViewSpec

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
    if len(media) != 2:
        return {one.name: _preview(one, _SMALL) for one in media}
    areas = {path: read_aois(run) for path, run in {one.run.path: one.run for one in media}.items()}
    return {
        one.name: replace(
            _preview(one, _LARGE),
            density=_read_density(one),
            aois=areas[one.run.path].get(UUID(one.medium_id), ()),
        )
        for one in media
    }


def _preview(one: RunMedium, view: ViewSpec) -> MediumPreview:
    """Read the image of a medium: from the run, from where the user named it, or from where the run found it.

    That it is gone or cannot be read is no reason not to show the numbers.
    """
    row = next(row for row in one.run.media.to_dict("records") if row["path"] == one.path)
    size = int(row["width"]), int(row["height"])
    kept = _kept_files(one)
    paths = [kept[name] for name in ("original", "thumb") if name in kept]
    paths += [path for path in (one.file, Path(one.path)) if path is not None and one.type == "image"]
    for path in paths:
        try:
            with Image.open(path) as image:
                rgb = np.asarray(resize(image.convert("RGB"), view_size(*size, view)), np.uint8)
        except OSError:
            continue
        return MediumPreview(size, rgb, None, moves=one.type != "image")
    return MediumPreview(size, None, None, moves=one.type != "image")


def _read_density(one: RunMedium) -> Float32 | None:
    """Read the density of the whole exposure; None where the run did not keep it, or it cannot be read."""
    path = _kept_files(one).get("density")
    try:
        return None if path is None else read_densities(path)[0]["total"]
    except (OSError, ValueError):
        return None


def _kept_files(one: RunMedium) -> dict[str, Path]:
    """Return the medium's files in its run, by map."""
    own = one.run.maps[one.run.maps["medium_id"] == one.medium_id]
    return {str(name): one.run.path / str(path) for name, path in zip(own["map"], own["path"], strict=True)}


def write_folder(compared: CompareResult, media: Sequence[RunMedium], folder: Path) -> Path:
    """Write ``index.html``, ``comparisons.parquet`` and ``compare.json``; errors as of `write_study`."""
    from mediaan.studies.compare.page import render_compare

    facts = compared.to_dict()
    if len(compared.rows) > _MOST_ROWS:
        del facts["comparisons"]  # they are in the table
    page = write_study(folder, FACTS_FILE, facts, render_compare(compared, medium_previews(media)))
    write_table(folder / TABLE_FILE, "comparisons", (asdict(row) for row in compared.rows))
    return page
