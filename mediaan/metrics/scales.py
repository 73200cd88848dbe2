"""What turns raw measurements into scores: quantiles of a reference population, weights and intervals."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from mediaan.errors import SetupError
from mediaan.types.arrays import Float64

# Residuals are kept by fifths of the score: a percentile moves less near its ends.
_CENTRES = np.array([10.0, 30.0, 50.0, 70.0, 90.0])


@dataclass(frozen=True, slots=True)
class Spread:
    """Where the true score lies around a given one, 90 % of the time.

    Attributes
    ----------
    below, above : tuple of 5 float
        5 % and 95 % quantiles of the residual (at most and at least 0), score points, by fifths of the score.
    """

    below: tuple[float, ...]
    above: tuple[float, ...]

    def bounds(self, score: float) -> tuple[float, float]:
        """Return the interval of a score, within 0-100 and around it.

        Examples
        --------
        >>> Spread((-10.0,) * 5, (5.0,) * 5).bounds(97.0)
        (87.0, 100.0)
        """
        low = score + min(0.0, float(np.interp(score, _CENTRES, self.below)))
        high = score + max(0.0, float(np.interp(score, _CENTRES, self.above)))
        return max(0.0, low), min(100.0, high)


@dataclass(frozen=True, slots=True)
class FocusScale:
    """Maps raw concentration to the focus score.

    Attributes
    ----------
    knots : tuple of float
        Quantiles of raw concentration in the reference population, evenly from 0 to 100 %.
    spread : Spread
        Focus of human viewers less focus predicted, on pictures that the model has not seen.
    """

    knots: tuple[float, ...]
    spread: Spread

    def score(self, raw: float) -> float:
        """Return the percentile of a raw concentration, 0-100."""
        return percentile(raw, self.knots)


@dataclass(frozen=True, slots=True)
class Scales:
    """Everything that was measured beforehand for the scores.

    Attributes
    ----------
    drivers : mapping of driver to tuple of float
        Quantiles in the reference population.
    demand_weights : mapping of driver to float
        Weights of cognitive demand, fitted to human ratings.
    scores : mapping of metric to tuple of float
        Quantiles of the metric's raw value.
    spreads : mapping of metric to Spread
    focus : FocusScale
    """

    drivers: Mapping[str, tuple[float, ...]]
    demand_weights: Mapping[str, float]
    scores: Mapping[str, tuple[float, ...]]
    spreads: Mapping[str, Spread]
    focus: FocusScale

    def rank(self, driver: str, value: float) -> float:
        """Return the share of the reference population below a driver's value, 0-1."""
        return percentile(value, self.drivers[driver]) / 100


def percentile(value: float, knots: tuple[float, ...]) -> float:
    """Return where a value lies among quantiles that are evenly spaced from 0 to 100 %; ties give their middle.

    Examples
    --------
    >>> percentile(2.5, (0.0, 1.0, 2.0, 3.0, 4.0))
    62.5
    >>> percentile(0.0, (0.0, 0.0, 0.0, 1.0, 2.0))
    25.0
    """
    at = np.asarray(knots, dtype=np.float64)
    first, last = int(np.searchsorted(at, value, "left")), int(np.searchsorted(at, value, "right"))
    if first != last:
        position = (first + last - 1) / 2
    elif first in (0, at.size):
        position = max(0, first - 1)
    else:
        position = first - 1 + (value - at[first - 1]) / (at[first] - at[first - 1])
    return float(100 * position / (at.size - 1))


def fit_spread(scores: Float64, residuals: Float64) -> Spread:
    """Take 5 % and 95 % quantiles of residuals by fifths of the score.

    Parameters
    ----------
    scores, residuals : (n,) float64
        Score points; residual = truth less score. A fifth with under 20 values borrows the quantiles of all.
    """
    below, above = [], []
    for centre in _CENTRES:
        near = residuals[np.abs(scores - centre) <= 10]
        low, high = np.quantile(near if near.size >= 20 else residuals, [0.05, 0.95])
        below.append(round(min(0.0, float(low)), 2))
        above.append(round(max(0.0, float(high)), 2))
    return Spread(tuple(below), tuple(above))


def fit_focus_scale(raw_population: Float64, predicted: Float64, human: Float64) -> FocusScale:
    """Make the focus scale of a model.

    Parameters
    ----------
    raw_population : (m,) float64
        `concentration` of the model's densities on the reference population.
    predicted, human : (n,) float64
        `concentration` of the model's and of human viewers' densities on the same held-out pictures. Each is turned
        into a percentile among its own kind, so that a model that blurs all pictures alike is not called wrong.
    """
    knots = quantiles(raw_population)
    own = quantiles(human)
    scores = np.array([percentile(float(raw), knots) for raw in predicted])
    truth = np.array([percentile(float(raw), own) for raw in human])
    return FocusScale(knots, fit_spread(scores, truth - scores))


def quantiles(values: Float64, number: int = 101) -> tuple[float, ...]:
    """Return evenly spaced quantiles, rounded to 6 significant digits."""
    return tuple(float(f"{q:.6g}") for q in np.quantile(values, np.linspace(0, 1, number)))


def scales_from_dict(content: Mapping[str, Any]) -> Scales:
    """Read scales from the content of their JSON file."""
    return Scales(
        drivers={name: tuple(knots) for name, knots in content["drivers"].items()},
        demand_weights=dict(content["demand_weights"]),
        scores={name: tuple(knots) for name, knots in content["scores"].items()},
        spreads={name: _spread(item) for name, item in content["spreads"].items()},
        focus=FocusScale(tuple(content["focus"]["knots"]), _spread(content["focus"]["spread"])),
    )


def load_scales(path: Path) -> Scales:
    """Load scales from a JSON file that `models/training/scales.py` wrote.

    Raises
    ------
    SetupError
        The file is missing or does not hold scales.
    """
    try:
        return scales_from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"The score scales in {path} cannot be read ({error!r}); reinstall mediaan.") from error


@lru_cache(maxsize=1)
def built_in_scales() -> Scales:
    """Return the scales that ship with the package."""
    return load_scales(Path(str(files("mediaan.metrics").joinpath("scales.json"))))


def _spread(item: Mapping[str, Any]) -> Spread:
    return Spread(tuple(item["below"]), tuple(item["above"]))
