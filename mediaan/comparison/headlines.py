"""The few scores that a comparison is decided by, and who leads on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

import numpy as np

from mediaan.aoi.metrics import PERCENTAGE_SEEN
from mediaan.comparison.multiplicity import direction_of
from mediaan.comparison.ranking import normal_share
from mediaan.comparison.scored import alone
from mediaan.metrics.guide import Purpose
from mediaan.types.aoi import AoiType
from mediaan.types.comparison import LEAN, Comparison, Side

HEADLINE_SCORES = ("focus", "clarity", "engagement", "design", "cognitive_demand")
"""Scores of media that decide, as far as there are any."""

HEADLINE_AREAS: Mapping[Purpose | None, tuple[AoiType, ...]] = {
    None: ("branding", "product", "call_to_action"),
    "brand_building": ("branding", "product"),
    "conversion": ("branding", "product", "call_to_action"),
}
"""Types of areas of which it decides how many people see them, by what the media are for."""

ERRORS_IN_COMMON = 0.3
"""Correlation that is assumed of the errors of headline scores of one pair: a picture that people take otherwise than
predicted is mistaken on several scores. No two that people could be asked about had more
(`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_LEAST_PROBABILITY = 1e-6
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(31)


@dataclass(frozen=True, slots=True)
class Leader:
    """Which of two is ahead on most of the headline scores.

    Attributes
    ----------
    side : {'a', 'b'} or None
        None where it is too close to call.
    probability : float
        That the more probable side is truly better on most of them, 0.5-1; half of a draw counts for each side.
    ahead : {'a', 'b'} or None
        The more probable side, however close it is; None where neither is more probable.
    better : mapping of int to float
        Of each row that it rests on, by its place, the probability that A is truly better.
    """

    side: Side | None
    probability: float
    ahead: Side | None
    better: Mapping[int, float]


def with_headlines(rows: Sequence[Comparison], purpose: Purpose | None = None) -> list[Comparison]:
    """Mark the rows that a comparison is decided by; of areas of one type the first, which gets most attention."""
    seen: set[str] = set()
    found = []
    for row in rows:
        headline = row.metric in HEADLINE_SCORES if row.aoi_type is None else False
        if row.aoi_type in HEADLINE_AREAS[purpose] and (row.metric, row.metric_time) == (PERCENTAGE_SEEN.name, "total"):
            headline = row.aoi_type not in seen
            seen.add(row.aoi_type)
        found.append(replace(row, headline=headline))
    return found


def leader_of(rows: Sequence[Comparison], purpose: Purpose | None = None) -> Leader | None:
    """Say who leads.

    Parameters
    ----------
    rows : sequence of Comparison
        Settled, of one pair.
    purpose : {'brand_building', 'conversion'}, optional
        What the media are for, which decides what is better.

    Returns
    -------
    Leader or None
        None where no headline score has an interval and one end that is good.
    """
    better: dict[int, float] = {}
    for place, row in enumerate(rows):
        direction = direction_of(row.metric, row.aoi_type, purpose)
        if row.headline and row.probability is not None and direction != "middle" and not alone(row):
            better[place] = row.probability if direction == "higher" else 1 - row.probability
    if not better:
        return None
    chance = probability_of_most(list(better.values()))
    ahead: Side | None = None if chance == 0.5 else "a" if chance > 0.5 else "b"
    probability = max(chance, 1 - chance)
    return Leader(ahead if probability >= LEAN else None, probability, ahead, better)


def probability_of_most(better: Sequence[float], common: float = ERRORS_IN_COMMON) -> float:
    """Probability that A is better on most of several scores, of which each has its own probability.

    Errors have a common part (one-factor model); given it, the number of scores on which A is better follows the
    Poisson binomial distribution.

    Parameters
    ----------
    better : sequence of float
        That A is better, 0-1.
    common : float
        Correlation of the errors, at least 0 and below 1.

    Returns
    -------
    float
        0-1; half of a draw counts for each side.

    Examples
    --------
    >>> round(probability_of_most([0.8, 0.8, 0.8], common=0.0), 3)  # .8³ + 3 * .8² * .2
    0.896
    >>> round(probability_of_most([0.8]), 3), round(probability_of_most([0.9, 0.1]), 3)
    (0.8, 0.5)
    """
    away = np.array([_quantile(one) for one in better])
    given = normal_share((away[:, None] + sqrt(common) * _NODES[None, :]) / sqrt(1 - common))
    counts = np.zeros((len(better) + 1, len(_NODES)))
    counts[0] = 1.0
    for share in given:
        counts[1:] = counts[1:] * (1 - share) + counts[:-1] * share
        counts[0] *= 1 - share
    twice = 2 * np.arange(len(better) + 1)
    most = counts[twice > len(better)].sum(axis=0) + counts[twice == len(better)].sum(axis=0) / 2
    return float(np.clip(most @ _WEIGHTS / _WEIGHTS.sum(), 0.0, 1.0))


def _quantile(probability: float) -> float:
    return NormalDist().inv_cdf(min(max(probability, _LEAST_PROBABILITY), 1 - _LEAST_PROBABILITY))
