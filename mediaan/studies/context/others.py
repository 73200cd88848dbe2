"""Find the other pictures that surround an ad: of a folder, or of a run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import numpy as np

from mediaan.errors import MediumError, UsageError
from mediaan.media import find_files, is_moving
from mediaan.run import is_run, read_run
from mediaan.studies.context.composition import ContextPicture, read_picture
from mediaan.types.media import Problem

MOST_OTHERS = 40
"""Pictures that are read at most."""

FEWEST_OTHERS = 4
"""Pictures that are needed for an interval."""


def read_others(
    source: str | Path, ad: UUID, seed: int, long_side: int, *, cut_out: bool = False, trim_white: bool = False
) -> tuple[list[ContextPicture], list[Problem]]:
    """Read up to 40 still pictures of a folder or run, in an order drawn by lot.

    Parameters
    ----------
    source : str or Path
        A folder, searched recursively, or the directory of a run.
    ad : UUID
        Medium id of the ad, which is left out.
    seed : int
        Of the lot.
    long_side : int
        Most pixels of a long side.
    cut_out, trim_white : bool
        As of `read_picture`.

    Returns
    -------
    (list of ContextPicture, list of Problem)
        No picture twice; what could not be read is told as a problem.

    Raises
    ------
    UsageError
        ``too_few_others``: fewer than four pictures are left.
    """
    source = Path(source)
    if not source.is_dir():
        raise UsageError(f"{source}: is no folder; give a folder or run with other images", code="bad_others")
    paths = sorted(_run_images(source, ad) if is_run(source) else _folder_images(source))
    found: dict[UUID, ContextPicture] = {}
    problems = []
    for i in np.random.default_rng(seed).permutation(len(paths)):
        if len(found) == MOST_OTHERS:
            break
        try:
            if is_moving(paths[i]):
                continue
            one = read_picture(paths[i], long_side, cut_out=cut_out, trim_white=trim_white)
        except MediumError as error:
            problems.append(Problem("other_left_out", f"{paths[i].name}: was left out: {error.message}"))
            continue
        if one.medium.medium_id != ad:
            found.setdefault(one.medium.medium_id, one)
    if len(found) < FEWEST_OTHERS:
        message = f"{source}: holds {len(found)} other still images; at least {FEWEST_OTHERS} are needed"
        raise UsageError(message, code="too_few_others")
    return list(found.values()), problems


def _folder_images(folder: Path) -> Iterator[Path]:
    return (file.path for file in find_files([folder]).files)


def _run_images(folder: Path, ad: UUID) -> Iterator[Path]:
    """Yield the images of a run but the ad: as the run kept them, otherwise where it found them."""
    run = read_run(folder)
    kept = {row["medium_id"]: run.path / row["path"] for row in run.maps.to_dict("records") if row["map"] == "original"}
    for row in run.media.to_dict("records"):
        path = kept.get(row["medium_id"], Path(row["path"]))
        if row["type"] == "image" and row["medium_id"] != str(ad) and path.is_file():
            yield path
