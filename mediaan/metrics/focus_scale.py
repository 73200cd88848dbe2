"""What turns concentration into the focus score: the reference population of pictures, and that of held pictures."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from mediaan.errors import SetupError
from mediaan.metrics.quantiles import Spread, fit_spread, percentile, quantiles
from mediaan.types.arrays import Float64


@dataclass(frozen=True, slots=True)
class FocusScale:
    """Maps raw concentration to the focus score.

    Attributes
    ----------
    knots : tuple of float
        Quantiles of raw concentration in the reference population, evenly from 0 to 100 %.
    spread : Spread
        Focus of human viewers less focus predicted, on pictures that the model has not seen.
    typical_share, typical_area : float
        Medians of the reference population: share of attention at the three strongest places, and effective area of
        attention there as a share of the picture; 0-1.
    """

    knots: tuple[float, ...]
    spread: Spread
    typical_share: float
    typical_area: float

    def score(self, raw: float) -> float:
        """Return the percentile of a raw concentration, 0-100."""
        return percentile(raw, self.knots)

    def typical(self) -> dict[str, tuple[float, ...]]:
        """Medians by driver, as quantiles."""
        return {"gathered_share": (self.typical_share,), "gathered_area": (self.typical_area,)}


@dataclass(frozen=True, slots=True)
class FocusScales:
    """Scales of one attention model.

    Attributes
    ----------
    still : FocusScale
        Of what it says of a picture: where people look during two or five seconds.
    moving : FocusScale
        Of what it says of moments of a video, during which gaze is gathered more: made of the same pictures, each held
        for some seconds, so that a picture has the same focus as a file and as a shot.
    """

    still: FocusScale
    moving: FocusScale


def fit_focus_scale(
    population: Float64, typical: tuple[float, float], predicted: Float64, human: Float64
) -> FocusScale:
    """Make the focus scale of a model.

    Parameters
    ----------
    population : (m,) float64
        `concentration` of the model's densities on the reference population.
    typical : (float, float)
        `typical_share` and `typical_area` there.
    predicted, human : (n,) float64
        `concentration` of the model's and of human viewers' densities on the same held-out pictures. What people do is
        first put on the model's own scale, rank by rank, so that a model that blurs all pictures alike is not called
        wrong.
    """
    knots = quantiles(population)
    scores = np.array([percentile(float(raw), knots) for raw in predicted])
    return FocusScale(knots, fit_spread(scores, human_focus(predicted, human, knots) - scores), *typical)


def human_focus(predicted: Float64, human: Float64, knots: tuple[float, ...]) -> Float64:
    """Focus of people on the model's own scale, rank by rank, (n,) float64 in 0-100; see `fit_focus_scale`."""
    own, models = quantiles(human), np.array(quantiles(predicted))
    at = np.linspace(0, 100, models.size)
    return np.array([percentile(float(np.interp(percentile(raw, own), at, models)), knots) for raw in human])


def load_focus_scales(path: Path) -> FocusScales:
    """Load the scales that `models/training/focus.py` wrote.

    Raises
    ------
    SetupError
        The file is missing or does not hold scales.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        return FocusScales(_scale(content["still"]), _scale(content["moving"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"The focus scales in {path} cannot be read ({error!r}); reinstall mediaan.") from error


@cache
def built_in_focus_scales() -> FocusScales:
    """Return the scales that ship with the package."""
    return load_focus_scales(Path(str(files("mediaan.metrics").joinpath("focus.json"))))


def _scale(content: Mapping[str, Any]) -> FocusScale:
    spread = Spread.from_dict(content["spread"])
    return FocusScale(tuple(content["knots"]), spread, content["typical_share"], content["typical_area"])
