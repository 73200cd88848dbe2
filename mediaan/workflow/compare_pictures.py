"""What the page of a comparison shows of each medium: its picture, where attention falls, its areas."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import numpy as np
from PIL import Image

from mediaan.maps.store import read_densities
from mediaan.media import resize, view_size
from mediaan.report.compare_side import Side
from mediaan.run.aoi_tables import read_aois
from mediaan.types.aoi import Aoi
from mediaan.types.arrays import Float32
from mediaan.types.media import ViewSpec
from mediaan.workflow.compare_media import Held

_LARGE = ViewSpec("page", long_side=900)
_SMALL = ViewSpec("thumbnail", long_side=160)
_MOST_SMALL = 120
"""Media of which a page shows a thumbnail: more make it heavy."""


def sides_of(media: Sequence[Held]) -> dict[str, Side]:
    """What there is to show of each medium, by name; of two more than of many."""
    if len(media) > _MOST_SMALL:
        return {}
    view = _LARGE if len(media) == 2 else _SMALL
    areas = _areas(media) if len(media) == 2 else {}
    return {one.name: _side(one, view, areas.get(one.medium_id, ()), whole=len(media) == 2) for one in media}


def _side(one: Held, view: ViewSpec, aois: tuple[Aoi, ...], *, whole: bool) -> Side:
    row = next(row for row in one.run.media.to_dict("records") if row["path"] == one.path)
    size = int(row["width"]), int(row["height"])
    files = _files(one)
    picture = next(filter(None, (_opened(path) for path in _pictures(one, files))), None)
    rgb = None if picture is None else np.asarray(resize(picture, view_size(*size, view)), np.uint8)
    return Side(size, rgb, _density(files.get("density")) if whole else None, aois, one.type != "image")


def _areas(media: Sequence[Held]) -> dict[str, tuple[Aoi, ...]]:
    runs = {one.run.path: one.run for one in media}
    found = {path: read_aois(run) for path, run in runs.items()}
    return {one.medium_id: found[one.run.path].get(UUID(one.medium_id), ()) for one in media}


def _files(one: Held) -> dict[str, Path]:
    """The medium's files in its run, by map."""
    own = one.run.maps[one.run.maps["medium_id"] == one.medium_id]
    return {str(name): one.run.path / str(path) for name, path in zip(own["map"], own["path"], strict=True)}


def _pictures(one: Held, files: dict[str, Path]) -> Iterator[Path]:
    """Where the medium's picture may be: in the run, where the user named it, or where the run found it."""
    yield from (files[name] for name in ("original", "thumb") if name in files)
    yield from (path for path in (one.file, Path(one.path)) if path is not None and one.type == "image")


def _opened(path: Path) -> Image.Image | None:
    """A picture; None where it is gone or cannot be read, which is no reason not to show the numbers."""
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
