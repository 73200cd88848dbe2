"""Predict attention on composed pictures, score boxes in them, and say what a place gets on average."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from math import erf, sqrt
from typing import Any
from uuid import UUID

import numpy as np

from mediaan.analysis import Plan, load_models
from mediaan.analysis.models import Models
from mediaan.aoi.region import attention_share
from mediaan.aoi.scoring.aoi_scores import AttentionShares, attention_shares, score_shares
from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.errors import SetupError
from mediaan.media.views import resize_to_view
from mediaan.metrics.scales import ALPHA
from mediaan.studies.context.result import SPECS, ContextScore
from mediaan.studies.statistics import t_quantile
from mediaan.types.aoi import Aoi, Box
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Densities
from mediaan.types.metrics import Interval

ASPECTS = 1.2, 2.4
"""Width over height of the pages of which the average speaks: screens of computers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayAds(Interval):
    """Measured over predicted share of attention of display ads on eye-tracked pages, with a bootstrap over pages."""

    value: float
    ads: int
    pages: int
    """How many there were."""
    relative_sd: float
    """Spread between ads that intervals need in order to hold 90 % of them."""


@dataclass(frozen=True, slots=True)
class AveragePage:
    """The mean density of first screens of pages."""

    density: Float32
    """(h, w) float32. Sums to 1."""
    pages: int
    """Number of pages."""
    checked: dict[str, Any]
    """How predicted shares of boxes agree with eye-tracked pages; see ``docs/context.md``."""
    display_ads: DisplayAds

    def share(self, box: Box) -> float:
        """Return the share of attention in a box on an average page, 0-1."""
        return attention_share(self.density, box)


def speaks_for(width: int, height: int) -> bool:
    """Tell whether a page has a shape of which the average is known."""
    return ASPECTS[0] <= width / height <= ASPECTS[1]


@cache
def average_page() -> AveragePage:
    """Return the average that ships; `models/training/context_checks.py` makes it."""
    path = files("mediaan.studies.context").joinpath("average_page.json")
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        density = np.asarray(content["density"], np.float64)
        density = (density / density.sum()).astype(np.float32)
        pages = int(content["provenance"]["pages"])
        return AveragePage(density, pages, content["checked"], DisplayAds(**content["display_ads"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SetupError(f"{path} cannot be read ({error!r}); reinstall mediaan.") from error


FEWEST_DRAWS = 4
"""Draws below which a ratio has no interval."""

_RESAMPLES = 4000
_SEED = 2
"""Of the resampling, the same for all, so that the same shares give the same interval."""


def against_expected(
    attention: ContextScore, name: str, ratio: str, expected: float | None, reason: str
) -> tuple[ContextScore, ContextScore]:
    """Compare attention with what is expected of a place.

    `attention`: of the ad, %.
    `name`, `ratio`: metrics of what is expected, and of how many times that the ad gets; its interval is that of the
        attention.
    `expected`: share of attention, 0-1; None where it is not known.
    `reason`: why there is no ratio, where nothing is expected or known.
    """
    without_ratio = ContextScore.of(SPECS[ratio], None, reason=reason)
    if expected is None or attention.value is None:
        return ContextScore.of(SPECS[name], None, reason=reason), without_ratio
    score = ContextScore.of(SPECS[name], 100 * expected)
    if expected <= 0:
        return score, without_ratio
    factor = 0.01 / expected
    lo, hi = (None if bound is None else factor * bound for bound in (attention.lo, attention.hi))
    return score, ContextScore.of(SPECS[ratio], factor * attention.value, (lo, hi))


def against_others(ad: Sequence[float], others: Sequence[float]) -> tuple[ContextScore, ContextScore]:
    """Compare shares, 0-1, with those of other pictures at the same place, one each of every draw."""
    mean = float(np.mean(others))
    score = ContextScore.of(SPECS["others"], 100 * mean)
    if mean <= 0:
        reason = "Others get no attention there."
        return score, ContextScore.of(SPECS["ratio_to_others"], None, reason=reason)
    value, *bounds = bootstrap_ratio(ad, others)
    return score, ContextScore.of(SPECS["ratio_to_others"], value, (bounds[0], bounds[1]))


def bootstrap_ratio(shares: Sequence[float], others: Sequence[float]) -> tuple[float, float | None, float | None]:
    """Divide the mean of some shares by that of others drawn with them.

    The interval is the percentile bootstrap over draws, expanded for their small number: the quantiles are those of
    Student's t, scaled by sqrt(n / (n - 1)) (Hesterberg 2015, Am. Stat. 69, 371-386).

    `shares`, `others`: one each of every draw, the same draws in the same order; not all of `others` 0.
    Returns (float, float or None, float or None): value, and 90 % interval; there is none of fewer than four draws.

    >>> bootstrap_ratio([0.2, 0.2, 0.2, 0.2], [0.1, 0.1, 0.1, 0.1])
    (2.0, 2.0, 2.0)
    """
    above, below = np.asarray(shares, np.float64), np.asarray(others, np.float64)
    value, n = float(above.mean() / below.mean()), len(above)
    if n < FEWEST_DRAWS:
        return value, None, None
    drawn = np.random.default_rng(_SEED).integers(n, size=(_RESAMPLES, n))
    means = below[drawn].mean(axis=1)
    ratios: Float64 = above[drawn].mean(axis=1)[means > 0] / means[means > 0]
    t = t_quantile(1 - ALPHA / 2, n - 1) * sqrt(n / (n - 1))
    tail = 0.5 * (1 - erf(t / sqrt(2)))
    lo, hi = np.quantile(ratios, [tail, 1 - tail])
    return value, min(float(lo), value), max(float(hi), value)


_METRICS = ("attention", "percentage_seen", "time_spent", "first_seen_s")
_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class ContextPredictor:
    """An attention model for composed pictures."""

    models: Models
    hazard: FixationHazardModel
    """With the intervals of `domain`."""
    domain: str | None
    """What the composed pictures are; None for a model that tells no domains."""
    exposure_s: float
    """Seconds for which they are looked at."""

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.models.still.name

    def predict(self, rgb: UInt8) -> Densities:
        """Predict the densities of a picture, (H, W, 3) uint8."""
        predictor = self.models.still
        (densities,) = predictor.predict(resize_to_view(rgb, predictor.view)[None], domain=self.domain)
        return densities

    def shares(self, densities: Densities, box: Box) -> AttentionShares:
        """Measure the shares of attention of a box."""
        (shares,) = attention_shares([Aoi(_ID, "other", "", box, None, "drawn")], densities, self.hazard)
        return shares

    def score(self, shares: AttentionShares, relative_sd: float) -> tuple[ContextScore, ...]:
        """Score a box by its shares of attention.

        `relative_sd`: of the shares, by which they are more uncertain than those of any box.
        Returns: attention, percentage_seen, time_spent and first_seen_s, with 90 % intervals, and area.
        """
        scores = score_shares(shares, self.exposure_s, self.hazard, relative_sd)
        by_name = {score.metric: score for score in scores if score.time == "total"}
        chosen = (
            ContextScore.of(SPECS[score.metric], score.value, (score.lo, score.hi), reason=score.reason)
            for score in (by_name[name] for name in _METRICS)
        )
        return (*chosen, ContextScore.of(SPECS["area"], 100 * shares.area))


def scale_shares(shares: AttentionShares, factor: float) -> AttentionShares:
    """Multiply the shares of attention of a box, not its area."""
    total, start, end = (None if share is None else factor * share for share in shares[1:4])
    return AttentionShares(shares.area, total, start, end, tuple(factor * share for share in shares.periods))


def context_predictor(plan: Plan, domain: str) -> ContextPredictor:
    """Load the models of a plan; pictures are of its domain, or of `domain` where it states none."""
    models = load_models(*plan.models)
    stated = plan.domain or (domain if models.still.domains else None)
    return ContextPredictor(models, plan.seen.of_domain(stated), stated, plan.exposure_s)
