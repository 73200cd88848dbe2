"""The few scores that a comparison is decided by, and who leads on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

from mediaan.aoi.metrics import PERCENTAGE_SEEN
from mediaan.comparison.multiplicity import direction_of
from mediaan.comparison.scored import alone
from mediaan.metrics.guide import Purpose
from mediaan.types.aoi import AoiType
from mediaan.types.comparison import LEAN, Comparison, Side

HEADLINE_SCORES: Mapping[Purpose | None, tuple[str, ...]] = {
    None: ("focus", "clarity", "design", "cognitive_demand"),
    "brand_building": ("focus", "engagement", "design"),
    "conversion": ("focus", "clarity", "cognitive_demand"),
}
"""Scores of media that decide, as far as there are any, by what the media are for."""

STANDS_IN = {"design": "engagement"}
"""What decides where a score is not there."""

HEADLINE_AREAS: Mapping[Purpose | None, tuple[AoiType, ...]] = {
    None: ("branding", "headline_text", "product", "call_to_action"),
    "brand_building": ("branding", "headline_text", "product"),
    "conversion": ("branding", "headline_text", "product", "call_to_action"),
}
"""Types of areas of which it decides how many people see them."""

FOUND_ALONE: Mapping[AoiType, float] = {
    "branding": 0.63,
    "headline_text": 0.65,
    "product": 0.68,
    "call_to_action": 0.87,
}
"""Probability that more people see such an area on the side where one was found and none on the other: half where both
or neither truly have one (`python models/training/presence_checks.py RUN`, docs/compare.md)."""

WEIGHTS: Mapping[str, float] = {"clarity": 0.5, "engagement": 0.5, "design": 0.5}
"""What a headline score counts, where it is not 1: opinions are known about half as well as what is looked at."""

ERRORS_IN_COMMON = 0.15
"""Correlation that is taken for the errors of headline scores of one pair: a picture that people take otherwise than
predicted is mistaken on several scores. Measured: -.3 to +.4 between two scores, of opinions .25 to .34
(`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_SUREST = 1 - 1e-6
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Leader:
    """Which of two is ahead on the headline scores taken together.

    Attributes
    ----------
    side : {'a', 'b'} or None
        None where it is too close to call.
    probability : float
        That the more probable side is truly ahead, 0.5-1.
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
    """Mark the rows that a comparison is decided by; of areas of one type the first, which gets most attention.

    Where only one side has such an area, and the other was looked through, more people probably see it there.
    """
    known = {row.metric for row in rows if row.aoi_type is None}
    scores = {metric if metric in known else STANDS_IN.get(metric, metric) for metric in HEADLINE_SCORES[purpose]}
    seen: set[str] = set()
    found = []
    for row in rows:
        if row.aoi_type is None:
            found.append(replace(row, headline=row.metric in scores))
        elif row.aoi_type in {*HEADLINE_AREAS[purpose]} - seen and _is_seen_by(row):
            seen.add(row.aoi_type)
            found.append(replace(row, headline=True, probability=_found_alone(row)) if alone(row) else row)
        else:
            found.append(replace(row, headline=False))
    return found


def _is_seen_by(row: Comparison) -> bool:
    return (row.metric, row.metric_time) == (PERCENTAGE_SEEN.name, "total")


def _found_alone(row: Comparison) -> float | None:
    """Probability that more people see the area in A, which only one side has."""
    if None in (row.value_a, row.value_b):
        return None
    chance = next(chance for kind, chance in FOUND_ALONE.items() if kind == row.aoi_type)
    return chance if row.n_a else 1 - chance


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
        if row.headline and row.probability is not None and direction != "middle":
            better[place] = row.probability if direction == "higher" else 1 - row.probability
    if not better:
        return None
    chance = combined(list(better.values()), [WEIGHTS.get(rows[place].metric, 1.0) for place in better])
    ahead: Side | None = None if chance == 0.5 else "a" if chance > 0.5 else "b"
    probability = max(chance, 1 - chance)
    return Leader(ahead if probability >= LEAN else None, probability, ahead, better)


def combined(better: Sequence[float], weights: Sequence[float], common: float = ERRORS_IN_COMMON) -> float:
    """Probability that A is ahead on several scores together, being better on each with some probability.

    Differences are added in units of their own errors, with weights (Liptak 1958, Magyar Tud. Akad. Mat. Kutato Int.
    Kozl. 3, 171-197, after Stouffer), and errors have something in common (Strube 1985, Psychol. Bull. 97, 334-341).

    Parameters
    ----------
    better : sequence of float
        That A is better, 0-1.
    weights : sequence of float
        Above 0.
    common : float
        Correlation of the errors, at least 0 and below 1.

    Returns
    -------
    float
        0-1.

    Examples
    --------
    >>> round(combined([0.8], [1.0]), 3), round(combined([0.9, 0.1], [1.0, 1.0]), 3)
    (0.8, 0.5)
    >>> round(combined([0.8, 0.8, 0.8, 0.8], [1.0] * 4, common=0.0), 3)  # twice as many standard deviations as .8
    0.954
    """
    away = sum(
        weight * _NORMAL.inv_cdf(min(max(p, 1 - _SUREST), _SUREST)) for p, weight in zip(better, weights, strict=True)
    )
    own, whole = sum(weight**2 for weight in weights), sum(weights) ** 2
    return _NORMAL.cdf(away / sqrt((1 - common) * own + common * whole))
