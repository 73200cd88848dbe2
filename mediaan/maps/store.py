"""Densities as files: one .npz holds those of a medium by window, and over time where it moves."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from mediaan.maps.track import ARRAYS, DensityTrack
from mediaan.types.maps import WINDOWS, Densities

VARIANTS = "variants"
"""Name of the array that holds `Densities.variants`."""

DOMAINS, DOMAIN_PROBABILITIES = "domains", "domain_probabilities"
"""Names of the arrays that hold the names and the values of `Densities.domains`."""


def density_file(densities: Densities, series: Mapping[str, npt.NDArray[Any]]) -> bytes:
    """Contents of the file: arrays by window, those of changed pictures, and `ARRAYS` where `series` holds them.

    Windows alone are stored as they are: compressing a density's noise would save next to nothing.
    """
    file = io.BytesIO()
    windows: dict[str, npt.NDArray[Any]] = {window: densities[window] for window in WINDOWS if window in densities.maps}
    if densities.variants is not None:
        windows[VARIANTS] = densities.variants
    if densities.domains is not None:
        windows[DOMAINS] = np.array(list(densities.domains))
        windows[DOMAIN_PROBABILITIES] = np.array(list(densities.domains.values()))
    if series:
        np.savez_compressed(file, allow_pickle=False, **windows, **series)
    else:
        np.savez(file, allow_pickle=False, **windows)
    return file.getvalue()


def read_densities(file: Path | BinaryIO) -> tuple[Densities, DensityTrack | None]:
    """Densities by window, and over time; None for the latter of a still picture.

    Raises
    ------
    OSError, ValueError
        There is no such file, or it holds something else.
    """
    with np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    track = DensityTrack.of_arrays(arrays) if set(ARRAYS) <= arrays.keys() else None
    windows = {window: arrays[window] for window in WINDOWS if window in arrays}
    domains = None
    if DOMAINS in arrays:
        domains = dict(zip(arrays[DOMAINS].tolist(), arrays[DOMAIN_PROBABILITIES].tolist(), strict=True))
    return Densities(windows, arrays.get(VARIANTS), domains), track
