"""Write a comparison to a folder: a page, the table, and JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.media import resize, view_size
from mediaan.run.aois.tables import read_aois
from mediaan.run.files import check_own_folder, make_folder, write_atomic
from mediaan.run.tables.writing import write_table
from mediaan.saliency.density_storage import read_densities
from mediaan.studies.compare.media import RunMedium
from mediaan.studies.compare.page import MediumPreview
from mediaan.studies.compare.result import CompareResult
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import Float32
from mediaan.types.media import ViewSpec

_LARGE = ViewSpec("page", long_side=900)
_SMALL = ViewSpec("thumbnail", long_side=160)
_MOST_SMALL = 120
"""Media of which a page shows a thumbnail: more make it heavy."""


def medium_previews(media: Sequence[RunMedium]) -> dict[str, MediumPreview]:
    """Collect what there is to show of each medium, by name; of two more than of many."""
    if len(media) > _MOST_SMALL:
        return {}
    view = _LARGE if len(media) == 2 else _SMALL
    areas = _areas(media) if len(media) == 2 else {}
    return {one.name: _preview(one, view, areas.get(one.medium_id, ()), whole=len(media) == 2) for one in media}


def _preview(one: RunMedium, view: ViewSpec, aois: tuple[Aoi, ...], *, whole: bool) -> MediumPreview:
    row = next(row for row in one.run.media.to_dict("records") if row["path"] == one.path)
    size = int(row["width"]), int(row["height"])
    files = _files(one)
    picture = next(filter(None, (_open_image(path) for path in _pictures(one, files))), None)
    rgb = None if picture is None else np.asarray(resize(picture, view_size(*size, view)), np.uint8)
    return MediumPreview(size, rgb, _density(files.get("density")) if whole else None, aois, one.type != "image")


def _areas(media: Sequence[RunMedium]) -> dict[str, tuple[Aoi, ...]]:
    runs = {one.run.path: one.run for one in media}
    found = {path: read_aois(run) for path, run in runs.items()}
    return {one.medium_id: found[one.run.path].get(UUID(one.medium_id), ()) for one in media}


def _files(one: RunMedium) -> dict[str, Path]:
    """Return the medium's files in its run, by map."""
    own = one.run.maps[one.run.maps["medium_id"] == one.medium_id]
    return {str(name): one.run.path / str(path) for name, path in zip(own["map"], own["path"], strict=True)}


def _pictures(one: RunMedium, files: dict[str, Path]) -> Iterator[Path]:
    """Yield where the medium's image may be: in the run, where the user named it, or where the run found it."""
    yield from (files[name] for name in ("original", "thumb") if name in files)
    yield from (path for path in (one.file, Path(one.path)) if path is not None and one.type == "image")


def _open_image(path: Path) -> Image.Image | None:
    """Open an image; None where it is gone or cannot be read, which is no reason not to show the numbers."""
    try:
        with Image.open(path) as picture:
            return picture.convert("RGB")
    except OSError:
        return None


def _density(path: Path | None) -> Float32 | None:
    if path is None:
        return None
    try:
        return read_densities(path)[0]["total"]
    except (OSError, ValueError):
        return None


FACTS_FILE, TABLE_FILE, PAGE = "compare.json", "comparisons.parquet", "index.html"

_MOST_ROWS = 2000
"""Pairs that ``compare.json`` holds beside the table."""


def write_folder(compared: CompareResult, media: Sequence[RunMedium], folder: Path) -> Path:
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
    from mediaan.studies.compare.page import render_compare

    check_own_folder(folder, FACTS_FILE)
    make_folder(folder)
    facts = compared.to_dict()
    if len(compared.rows) > _MOST_ROWS:
        del facts["comparisons"]  # they are in the table
    write_atomic(folder / FACTS_FILE, (json.dumps(facts, indent=2) + "\n").encode())
    write_table(folder / TABLE_FILE, "comparisons", (asdict(row) for row in compared.rows))
    write_atomic(folder / PAGE, render_compare(compared, medium_previews(media)).encode())
    return folder / PAGE
