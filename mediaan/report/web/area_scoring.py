"""Pack what the page's script scores areas of images with: their densities and the fitted hazard model.

`views/areas/scoring.js` reads both and repeats the arithmetic of `mediaan.aoi.scoring`; no number is written there.
"""

from __future__ import annotations

import base64
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

from mediaan.analysis.plan import Plan
from mediaan.aoi.scoring.aoi_scores import HARDLY_ANYBODY, NO_AREA, window_missing
from mediaan.aoi.scoring.fixation_hazard import (
    LARGEST_SHARE,
    MIN_SHARE_SEEN,
    TRAINED_EXPOSURE_S,
    WINDOW_S,
)
from mediaan.run.metadata import RunMetadata
from mediaan.saliency.density import PRIOR_CENTRE
from mediaan.types.densities import WINDOWS, Densities

DENSITY_BYTES = 57_000
"""Mean size of an image's packed densities as text; half of all ads have 54,000 to 61,000."""

_STEPS = 2**18 - 1
"""Levels up to the peak. Over 120,000 scores of random areas of ads two differed from those of the densities as they
are in the last digit that the page shows; with 16 bits ten did."""


def pack_densities(densities: Densities, exposure_s: float) -> dict[str, Any]:
    """Return the densities of an image for the page's script; keys are read in `views/areas/scoring.js`.

    `exposure_s`: seconds for which the image is looked at.
    """
    windows = [window for window in reversed(WINDOWS) if window in densities.maps]  # total first: others resemble it
    return {
        "exposure_s": exposure_s,
        "windows": windows,
        "maps": _pack(np.stack([densities[window] for window in windows])),
    }


def scoring_data(metadata: RunMetadata) -> dict[str, Any]:
    """Return the hazard model of a run for the page's script."""
    model = Plan(calibration=metadata.recipe.calibration).seen
    return {
        "model": {
            **{name: value for name in model.__slots__ if isinstance(value := getattr(model, name), (int, float))},
            "centre": PRIOR_CENTRE,
            "window_s": WINDOW_S,
            "trained_exposure_s": TRAINED_EXPOSURE_S,
            "min_share_seen": MIN_SHARE_SEEN,
            "largest_share": LARGEST_SHARE,
        },
        "reasons": {
            "hardly_anybody": HARDLY_ANYBODY,
            "no_area": NO_AREA,
            **{window: window_missing(window) for window in WINDOWS},
        },
    }


def _pack(maps: npt.NDArray[np.floating[Any]]) -> dict[str, Any]:
    """Round maps, (n, h, w), to levels up to their peak, and compress the differences between neighbours.

    The first map is taken off the others, then each cell's left and upper neighbour off the cell; differences of either
    sign become whole numbers from 0, whose bytes lie lowest first, all first bytes together, then all second ones.
    """
    values = maps.astype(np.float64)
    step = float(values.max()) / _STEPS
    codes = np.rint(values / step).astype(np.int64)
    codes[1:] -= codes[0]
    codes = np.diff(np.diff(codes, axis=2, prepend=0), axis=1, prepend=0)
    unsigned = np.where(codes < 0, -2 * codes - 1, 2 * codes).astype("<u4")
    planes = unsigned.view(np.uint8).reshape(-1, 4).T
    text = base64.b64encode(zlib.compress(planes.tobytes())).decode("ascii")
    return {"shape": maps.shape, "step": step, "data": text}
