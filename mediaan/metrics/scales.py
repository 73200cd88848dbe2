"""Turn raw measurements into scores, by quantiles of reference populations, with intervals of both."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from statistics import NormalDist
from typing import Any

import numpy as np

from mediaan.errors import SetupError
from mediaan.types.arrays import Float64
from mediaan.types.densities import BASE_DOMAIN
from mediaan.types.metrics import Z90

# Residuals are kept by fifths of the score: a percentile moves less near its ends.
_CENTRES = np.array([10.0, 30.0, 50.0, 70.0, 90.0])

UNMEASURED = "other"
"""Name under which `Scales.by_domain` holds what is taken for domains without eye tracking of their own."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Residuals of the true score around a given one, 90 % of the time, on images that the score was not fitted to.

    How much a score moves under changes of the image that should not matter is not in it.
    """

    below: tuple[float, ...]
    above: tuple[float, ...]
    """below, above: 5 % and 95 % quantiles of the residual (at most and at least 0), score points, by fifths of the
    score."""

    @classmethod
    def from_dict(cls, content: Mapping[str, Any]) -> Spread:
        """Read one from the content of a JSON file."""
        return cls(tuple(content["below"]), tuple(content["above"]))

    def bounds(self, score: float) -> tuple[float, float]:
        """Return the interval of a score, within 0-100 and around it.

        >>> Spread((-10.0,) * 5, (5.0,) * 5).bounds(97.0)
        (87.0, 100.0)
        """
        low, high = self.around(score)
        return max(0.0, score + low), min(100.0, score + high)

    def around(self, score: float) -> tuple[float, float]:
        """Return quantiles of the residual at a score: at most and at least 0, score points."""
        low, high = np.interp(score, _CENTRES, self.below), np.interp(score, _CENTRES, self.above)
        return min(0.0, float(low)), max(0.0, float(high))

    @classmethod
    def widest(cls, spreads: Sequence[Spread]) -> Spread:
        """Return one whose intervals are nowhere narrower than those of any of these."""
        below = tuple(min(sides) for sides in zip(*(spread.below for spread in spreads), strict=True))
        above = tuple(max(sides) for sides in zip(*(spread.above for spread in spreads), strict=True))
        return cls(below, above)


def percentile(value: float, knots: tuple[float, ...]) -> float:
    """Return where a value lies among quantiles that are evenly spaced from 0 to 100 %; ties give their middle.

    >>> percentile(2.5, (0.0, 1.0, 2.0, 3.0, 4.0))
    62.5
    >>> percentile(0.0, (0.0, 0.0, 0.0, 1.0, 2.0))
    25.0
    """
    value = float(value)
    first, last = bisect_left(knots, value), bisect_right(knots, value)
    if first != last:
        position = (first + last - 1) / 2
    elif first in (0, len(knots)):
        position = max(0, first - 1)
    else:
        position = first - 1 + (value - knots[first - 1]) / (knots[first] - knots[first - 1])
    return 100 * position / (len(knots) - 1)


def quantiles(values: Float64, number: int = 101) -> tuple[float, ...]:
    """Return evenly spaced quantiles, rounded to 6 significant digits."""
    return tuple(float(f"{q:.6g}") for q in np.quantile(values, np.linspace(0, 1, number)))


def fit_spread(scores: Float64, residuals: Float64) -> Spread:
    """Take 5 % and 95 % quantiles of residuals by fifths of the score.

    `scores`, `residuals` (n,) float64: score points; residual = truth less score. A fifth with under 20 values borrows
        the quantiles of all.
    """
    below, above = [], []
    for centre in _CENTRES:
        near = residuals[np.abs(scores - centre) <= 10]
        # Weibull's plotting positions: so that 90 % of what comes next, not of these few, lie between.
        low, high = np.quantile(near if near.size >= 20 else residuals, [0.05, 0.95], method="weibull")
        below.append(round(min(0.0, float(low)), 2))
        above.append(round(max(0.0, float(high)), 2))
    return Spread(tuple(below), tuple(above))


@dataclass(frozen=True, slots=True)
class FocusScale:
    """Maps raw concentration to the focus score."""

    knots: tuple[float, ...]
    """Quantiles of raw concentration in the reference population, evenly from 0 to 100 %."""
    spread: Spread
    """Focus of human viewers less focus predicted, on images that the model has not seen."""
    typical_share: float
    typical_area: float
    """typical_share, typical_area: Medians of the reference population: share of attention at the three strongest
    places, and effective area of attention there as a share of the image; 0-1."""

    def score(self, raw: float) -> float:
        """Return the percentile of a raw concentration, 0-100."""
        return percentile(raw, self.knots)

    def typical(self) -> dict[str, tuple[float, ...]]:
        """Return medians by driver, as quantiles."""
        return {"gathered_share": (self.typical_share,), "gathered_area": (self.typical_area,)}


@dataclass(frozen=True, slots=True)
class FocusScales:
    """Scales of one attention model."""

    still: FocusScale
    """For an image: where people look during two or five seconds."""
    moving: FocusScale
    """For moments of a video, during which gaze is gathered more: made of the same images, each held for some seconds,
    so that an image has the same focus as a file and as a shot."""


def fit_focus_scale(
    population: Float64, typical: tuple[float, float], predicted: Float64, human: Float64
) -> FocusScale:
    """Make the focus scale of a model.

    `population` (m,) float64: `concentration` of the model's densities on the reference population.
    `typical` (float, float): `typical_share` and `typical_area` there.
    `predicted`, `human` (n,) float64: `concentration` of the model's and of human viewers' densities on the same
        held-out images. What people do is first put on the model's own scale, rank by rank, so that a model that blurs
        all images alike is not called wrong.
    """
    knots = quantiles(population)
    scores = np.array([percentile(float(raw), knots) for raw in predicted])
    return FocusScale(knots, fit_spread(scores, human_focus(predicted, human, knots) - scores), *typical)


def human_focus(predicted: Float64, human: Float64, knots: tuple[float, ...]) -> Float64:
    """Return focus of people on the model's own scale, rank by rank, (n,) float64 in 0-100; see `fit_focus_scale`."""
    of_people, of_model = quantiles(human), np.array(quantiles(predicted))
    at = np.linspace(0, 100, of_model.size)
    return np.array([percentile(float(np.interp(percentile(raw, of_people), at, of_model)), knots) for raw in human])


def load_focus_scales(path: Path) -> FocusScales:
    """Load the scales that `models/training/focus.py` wrote.

    Raises SetupError: the file is missing or does not hold scales.
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


@dataclass(frozen=True, slots=True)
class Scales:
    """Everything that was measured beforehand for the scores."""

    drivers: Mapping[str, tuple[float, ...]]
    """Mapping of driver to tuple of float. Quantiles in the reference population."""
    scores: Mapping[str, tuple[float, ...]]
    """Mapping of metric to tuple of float. Quantiles of the metric's raw value."""
    uncertainty: Mapping[str, Spread]
    """Mapping of metric to Spread. Of errors that are known from eye tracking those on photographs."""
    focus: FocusScale
    """Of images; `built_in_focus_scales` also has that of moments of a video."""
    by_domain: Mapping[str, Mapping[str, Spread]] = field(default_factory=dict)
    """Mapping of domain to mapping of metric to Spread. Of metrics whose error is known from eye tracking, for domains
    other than photographs that have some."""

    def of_domain(self, domain: str | None) -> Scales:
        """Return the scales with the intervals of a domain of media.

        Where people look is predicted better for some domains than for others, so that an error that was measured on
        photographs says little of an advertisement. A domain without eye tracking of its own, such as graphic design,
        takes the interval that was measured on all domains together, widened so that it holds for one that had no part
        in it; where there is none, the widest of those that were measured.

        `domain`: such as 'photo', 'ad', 'design' or 'page'; None where the model does not tell: the intervals of
            photographs.

        >>> narrow, wide = (Spread((-x,) * 5, (x,) * 5) for x in (5.0, 9.0))
        >>> scales = Scales({}, {}, {"focus": narrow}, built_in_focus_scales().still, {"ad": {"focus": wide}})
        >>> [scales.of_domain(name).uncertainty["focus"] == wide for name in ("photo", "ad", "design")]
        [False, True, True]
        """
        if domain is None or domain == BASE_DOMAIN or not self.by_domain:
            return self
        of_domain = self.by_domain.get(domain, self.by_domain.get(UNMEASURED, {}))
        measured = {metric for table in self.by_domain.values() for metric in table} - of_domain.keys()
        widest = {
            metric: Spread.widest(
                [self.uncertainty[metric], *(table[metric] for table in self.by_domain.values() if metric in table)]
            )
            for metric in measured
        }
        return replace(self, uncertainty={**self.uncertainty, **widest, **of_domain})

    def rank(self, driver: str, value: float) -> float:
        """Return the share of the reference population below a driver's value, 0-1."""
        return percentile(value, self.drivers[driver]) / 100


def scales_from_dict(content: Mapping[str, Any]) -> Scales:
    """Read scales from the content of their JSON file."""
    focus = built_in_focus_scales().still
    return Scales(
        drivers={**{name: tuple(knots) for name, knots in content["drivers"].items()}, **focus.typical()},
        scores={name: tuple(knots) for name, knots in content["scores"].items()},
        uncertainty=_spreads(content["uncertainty"]),
        focus=focus,
        by_domain={domain: _spreads(items) for domain, items in content.get("uncertainty_by_domain", {}).items()},
    )


def load_scales(path: Path) -> Scales:
    """Load scales from a JSON file that `models/training/scales.py` wrote.

    Raises SetupError: the file is missing or does not hold scales.
    """
    try:
        return scales_from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"The score scales in {path} cannot be read ({error!r}); reinstall mediaan.") from error


@lru_cache(maxsize=1)
def video_scales() -> Scales:
    """Return the scales that ship with the package for moments of a medium that moves."""
    stills, focus = built_in_scales(), built_in_focus_scales().moving
    return replace(stills, drivers={**stills.drivers, **focus.typical()}, focus=focus)


@lru_cache(maxsize=1)
def built_in_scales() -> Scales:
    """Return the scales that ship with the package."""
    return load_scales(Path(str(files("mediaan.metrics").joinpath("scales.json"))))


def _spreads(items: Mapping[str, Any]) -> dict[str, Spread]:
    return {name: Spread.from_dict(item) for name, item in items.items()}


_NORMAL = NormalDist()

ALPHA = 0.10
"""Most probability that among comparisons made together one is told apart by chance; intervals of 90 % go with it."""

LEAN = 0.55
"""Least probability with which a score leans to a side, or a side leads: below it, it is a coin toss."""

WIDENED = {"percentage_seen": 1.13}
"""Factors of intervals of differences: with it nine in ten hold; those of all other scores that people could be asked
about do so as they are (`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_T_90 = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
"""95 % quantiles of Student's t with 1, 2 ... degrees of freedom: 90 % lie within plus and minus that."""


def probability_above(value: float, below: float, above: float) -> float:
    """Return the probability that the truth lies above 0, from the half-widths of a 90 % interval.

    The half-width towards 0 counts, as that of a normal distribution.

    `below`, `above`: at least 0.

    >>> round(probability_above(10.0, 10.0, 3.0), 3), probability_above(0.0, 1.0, 9.0), probability_above(1.0, 0.0, 2.0)
    (0.95, 0.5, 1.0)
    """
    half_width = below if value > 0 else above
    if value == 0:
        return 0.5
    return float(value > 0) if half_width == 0 else _NORMAL.cdf(Z90 * value / half_width)


def repeatability_interval(differences: Sequence[float], difference: float) -> tuple[float, float]:
    """Return the 90 % interval of a difference, from paired differences over views of the same two images.

    `differences`: one of each view, at least two.
    `difference`: of the images as they are; the interval holds it.

    >>> [round(end, 2) for end in repeatability_interval([1.0, 2.0, 3.0], 2.0)]  # 2 -+ 2.92 * 1 * sqrt(4 / 3)
    [-1.37, 5.37]
    >>> repeatability_interval([4.0, 4.0], 4.0)
    (4.0, 4.0)
    """
    count = len(differences)
    mean = float(np.mean(differences))
    spread = float(np.std(differences, ddof=1))
    reach = _T_90[min(count - 1, len(_T_90)) - 1] * spread * math.sqrt(1 + 1 / count)
    return min(mean - reach, difference), max(mean + reach, difference)
