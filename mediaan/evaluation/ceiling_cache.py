"""What people reach, remembered: it does not depend on a model, and takes longer to compute than a prediction."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.errors import UsageError
from mediaan.evaluation.ceiling import MIXTURES, SPLITS, Ceiling, human_ceiling
from mediaan.evaluation.gaze import GazedPicture
from mediaan.maps.density import SIGMA, Cells
from mediaan.types.arrays import Float32

FILE = "people.json"
"""Name of the file in the folder of a cache."""

# Raise it when `human_ceiling` or a metric changes its numbers: what was kept is then computed again.
_VERSION = 1


class CeilingCache:
    """A `human_ceiling` that computes no result twice.

    A result is known by what it is made of: fixations, viewers, grid, name of the picture, centre bias and the
    fixations elsewhere. So a set that changed is never scored against people of another one.

    Parameters
    ----------
    folder : Path, optional
        Where results are kept from run to run, in `FILE`; without one they are forgotten with this object.

    Raises
    ------
    UsageError
        The folder does not exist, or the file in it cannot be read.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._path = None if folder is None else folder / FILE
        self._known: dict[str, Ceiling] = {}
        self._changed = False
        if self._path is None:
            return
        if not self._path.parent.is_dir():
            raise UsageError(f"the folder {self._path.parent} does not exist; make it, to keep what people reach there")
        if self._path.exists():
            self._known = _read(self._path)

    def __call__(self, picture: GazedPicture, centre: Float32, other_cells: Cells) -> Ceiling:
        """What people reach on a picture; see `human_ceiling`."""
        key = _key(picture, centre, other_cells)
        if key not in self._known:
            self._known[key] = human_ceiling(picture, centre, other_cells)
            self._changed = True
        return self._known[key]

    def save(self) -> None:
        """Write what was added, if there is a folder to write it to; the file is there whole or not at all.

        Raises
        ------
        UsageError
            It cannot be written.
        """
        if self._path is None or not self._changed:
            return
        ceilings = {key: asdict(ceiling) for key, ceiling in self._known.items()}
        partial = self._path.with_suffix(".part")
        try:
            partial.write_text(json.dumps({"version": _VERSION, "ceilings": ceilings}, default=np.ndarray.tolist))
            partial.replace(self._path)
        except OSError as error:
            raise UsageError(
                f"what people reach cannot be kept in {self._path}: {error}; use another folder"
            ) from error
        self._changed = False


def _key(picture: GazedPicture, centre: Float32, other_cells: Cells) -> str:
    gaze = picture.gaze
    about = hashlib.blake2b(repr((picture.name, picture.shape, SIGMA, SPLITS, MIXTURES)).encode(), digest_size=16)
    known: list[npt.NDArray[Any]] = [] if gaze is None else [gaze.viewer, gaze.x, gaze.y]
    for values in [*known, centre, other_cells]:
        about.update(f"{values.shape} {values.dtype}".encode())
        about.update(values.tobytes())
    return about.hexdigest()


def _read(path: Path) -> dict[str, Ceiling]:
    try:
        kept = json.loads(path.read_text())
        if kept["version"] != _VERSION:
            return {}
        return {key: _ceiling(values) for key, values in kept["ceilings"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} is damaged or no file of mediaan's ({error!r}); delete it") from error


def _ceiling(values: dict[str, float | list[float] | None]) -> Ceiling:
    gains = values.pop("gains")
    known = {name: value for name, value in values.items() if isinstance(value, float)}
    return Ceiling(**known, gains=None if gains is None else np.array(gains, np.float64))
