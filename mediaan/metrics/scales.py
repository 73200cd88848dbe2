"""What turns raw measurements into scores: quantiles of a reference population, weights and intervals."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from mediaan.errors import SetupError
from mediaan.metrics.focus_scale import FocusScale, built_in_focus_scales
from mediaan.metrics.quantiles import Spread, percentile
from mediaan.types.maps import BASE_DOMAIN

Z90 = 1.645
"""90 % of a normal distribution lie within so many standard deviations."""

UNMEASURED = "other"
"""Under this name `Scales.by_domain` holds what is taken for domains without eye tracking of their own."""

_USUAL = 4


@dataclass(frozen=True, slots=True)
class Uncertainty:
    """What makes up the 90 % interval of a score.

    Two things are added in quadrature: how far scores of this kind are from the truth, and how much this very score
    moves under changes of the picture that should not matter. Few such changes say the latter roughly, so that what was
    seen is averaged with what is usual, which counts as four of them.

    Attributes
    ----------
    error : Spread
        Truth less score, on pictures that the score was not fitted to.
    repeatability : float
        Usual standard deviation under such changes, score points.
    factor : float
        Makes the whole cover 90 %: `error` holds some of the same movement.
    """

    error: Spread
    repeatability: float
    factor: float

    def bounds(self, score: float, moved: Sequence[float] = ()) -> tuple[float, float]:
        """Interval of a score, within 0-100 and around it.

        Parameters
        ----------
        score : float
            0-100.
        moved : sequence of float
            The same score of changed pictures; without them the usual movement stands in.

        Examples
        --------
        >>> still = Uncertainty(Spread((-3.0,) * 5, (3.0,) * 5), 4 / Z90, 1.0)
        >>> still.bounds(50.0)
        (45.0, 55.0)
        """
        wobble = Z90 * self._deviation(moved)
        low, high = self.error.around(score)
        below, above = self.factor * math.hypot(low, wobble), self.factor * math.hypot(high, wobble)
        return max(0.0, score - below), min(100.0, score + above)

    @classmethod
    def widest(cls, all_of: Sequence[Uncertainty]) -> Uncertainty:
        """Return one whose intervals are nowhere narrower than those of any of these."""
        below = tuple(min(sides) for sides in zip(*(one.error.below for one in all_of), strict=True))
        above = tuple(max(sides) for sides in zip(*(one.error.above for one in all_of), strict=True))
        return cls(Spread(below, above), max(one.repeatability for one in all_of), max(one.factor for one in all_of))

    def _deviation(self, moved: Sequence[float]) -> float:
        if len(moved) < 2:
            return self.repeatability
        seen = float(np.var(moved, ddof=1)) * (len(moved) - 1)
        return math.sqrt((_USUAL * self.repeatability**2 + seen) / (_USUAL + len(moved) - 1))


@dataclass(frozen=True, slots=True)
class Scales:
    """Everything that was measured beforehand for the scores.

    Attributes
    ----------
    drivers : mapping of driver to tuple of float
        Quantiles in the reference population.
    scores : mapping of metric to tuple of float
        Quantiles of the metric's raw value.
    uncertainty : mapping of metric to Uncertainty
        Of errors that are known from eye tracking those on photographs.
    focus : FocusScale
        Of pictures; `built_in_focus_scales` also has that of moments of a video.
    by_domain : mapping of domain to mapping of metric to Uncertainty
        Of metrics whose error is known from eye tracking, for domains other than photographs that have some.
    """

    drivers: Mapping[str, tuple[float, ...]]
    scores: Mapping[str, tuple[float, ...]]
    uncertainty: Mapping[str, Uncertainty]
    focus: FocusScale
    by_domain: Mapping[str, Mapping[str, Uncertainty]] = field(default_factory=dict)

    def of_domain(self, domain: str | None) -> Scales:
        """Return the scales with the intervals of a domain of media.

        Where people look is predicted better for some domains than for others, so that an error that was measured on
        photographs says little of an advertisement. A domain without eye tracking of its own, such as graphic design,
        takes the interval that was measured on all domains together, widened so that it holds for one that had no part
        in it; where there is none, the widest of those that were measured.

        Parameters
        ----------
        domain : str or None
            Such as 'photo', 'ad', 'design' or 'page'; None where the model does not tell: the intervals of photographs.

        Examples
        --------
        >>> narrow, wide = (Uncertainty(Spread((-x,) * 5, (x,) * 5), 1.0, 1.0) for x in (5.0, 9.0))
        >>> scales = Scales({}, {}, {"focus": narrow}, built_in_focus_scales().still, {"ad": {"focus": wide}})
        >>> [scales.of_domain(name).uncertainty["focus"] == wide for name in ("photo", "ad", "design")]
        [False, True, True]
        """
        if domain is None or domain == BASE_DOMAIN or not self.by_domain:
            return self
        own = self.by_domain.get(domain, self.by_domain.get(UNMEASURED, {}))
        measured = {metric for table in self.by_domain.values() for metric in table} - own.keys()
        widest = {
            metric: Uncertainty.widest(
                [self.uncertainty[metric], *(table[metric] for table in self.by_domain.values() if metric in table)]
            )
            for metric in measured
        }
        return replace(self, uncertainty={**self.uncertainty, **widest, **own})

    def rank(self, driver: str, value: float) -> float:
        """Return the share of the reference population below a driver's value, 0-1."""
        return percentile(value, self.drivers[driver]) / 100


def scales_from_dict(content: Mapping[str, Any]) -> Scales:
    """Read scales from the content of their JSON file."""
    focus = built_in_focus_scales().still
    return Scales(
        drivers={**{name: tuple(knots) for name, knots in content["drivers"].items()}, **focus.typical()},
        scores={name: tuple(knots) for name, knots in content["scores"].items()},
        uncertainty=_uncertainties(content["uncertainty"]),
        focus=focus,
        by_domain={domain: _uncertainties(items) for domain, items in content.get("uncertainty_by_domain", {}).items()},
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
def scales_of_moments() -> Scales:
    """Return the scales that ship with the package for moments of a medium that moves."""
    stills, focus = built_in_scales(), built_in_focus_scales().moving
    return replace(stills, drivers={**stills.drivers, **focus.typical()}, focus=focus)


@lru_cache(maxsize=1)
def built_in_scales() -> Scales:
    """Return the scales that ship with the package."""
    return load_scales(Path(str(files("mediaan.metrics").joinpath("scales.json"))))


def _uncertainties(items: Mapping[str, Any]) -> dict[str, Uncertainty]:
    return {
        name: Uncertainty(Spread.from_dict(item["error"]), item["repeatability"], item["factor"])
        for name, item in items.items()
    }
