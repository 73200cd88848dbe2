"""Decide comparisons that are made together: corrected verdicts, headline scores, and who leads on them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from statistics import NormalDist

from mediaan.aoi.scoring.specs import AOI_METRICS, PERCENTAGE_SEEN
from mediaan.metrics.guide import HEADLINE_SCORES, SUBSTITUTES, good_direction
from mediaan.metrics.scales import ALPHA, LEAN
from mediaan.studies.compare.differences import Comparison, ComparisonSide, ComparisonVerdict, is_one_sided
from mediaan.studies.statistics import holm
from mediaan.types.area_types import AREA_TYPES, area_types_needed
from mediaan.types.media import Purpose
from mediaan.types.metrics import Direction

_AOI_DIRECTIONS: dict[str, Direction] = {spec.name: spec.direction for spec in AOI_METRICS}


def decide(rows: Sequence[Comparison], purpose: Purpose | None = None) -> tuple[Comparison, ...]:
    """Correct comparisons that are made together, and say what can be told of each.

    Those by headline scores are one family, all others another one.

    `rows`: those without `p` are undefined and do not count.
    `purpose`: what the media are for, which decides what is better.
    Returns: with `p_corrected`, `n_comparisons`, `verdict`, `better` and `lean`.
    """
    families = {
        family: [row.p for row in rows if row.headline == family and row.p is not None] for family in (True, False)
    }
    corrected = {family: iter(holm(p)) for family, p in families.items()}
    decided = []
    for row in rows:
        direction = direction_of(row.metric, row.aoi_type, purpose)
        better: ComparisonSide | None = None
        lean: ComparisonSide | None = None
        if row.difference is not None and direction != "middle":
            better = "a" if (row.difference > 0) == (direction == "higher") else "b"
        p = row.probability
        if p is not None and max(p, 1 - p) >= LEAN and direction != "middle":
            lean = "a" if (p > 0.5) == (direction == "higher") else "b"
        p_corrected = None if row.p is None else next(corrected[row.headline])
        verdict: ComparisonVerdict = row.verdict
        if p_corrected is not None:
            assert row.difference is not None
            verdict = "a_higher" if row.difference > 0 else "b_higher"
            if p_corrected >= ALPHA:
                verdict = "not_distinguishable"
        is_told = verdict in ("a_higher", "b_higher")
        decided.append(
            replace(
                row,
                n_comparisons=len(families[row.headline]),
                p_corrected=p_corrected,
                verdict=verdict,
                better=better if is_told else None,
                lean=None if is_told else lean,
            )
        )
    return tuple(decided)


def direction_of(metric: str, aoi_type: str | None, purpose: Purpose | None = None) -> Direction:
    """Return which way of a metric is good: of areas by its specification, of media by the guide."""
    return _AOI_DIRECTIONS[metric] if aoi_type else good_direction(metric, purpose)


WEIGHTS: Mapping[str, float] = {"clarity": 0.5, "engagement": 0.5, "design": 0.5}
"""Weights of headline scores that do not count 1: opinions are known about half as well as what is looked at."""

ERROR_CORRELATION = 0.15
"""Correlation that is taken for the errors of headline scores of one pair: a picture that people take otherwise than
predicted is mistaken on several scores. Measured: -.3 to +.4 between two scores, of opinions .25 to .34
(`python models/training/compare_checks.py DATA WEIGHTS`, docs/compare.md)."""

_MAX_PROBABILITY = 1 - 1e-6
_NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Leader:
    """The side that is ahead on the headline scores taken together."""

    side: ComparisonSide | None
    """None where it is too close to call."""
    probability: float
    """That the more probable side is truly ahead, 0.5-1."""
    ahead: ComparisonSide | None
    """The more probable side, however close it is; None where neither is more probable."""
    better: Mapping[int, float]
    """Mapping of int to float. Of each row that it rests on, by its place, the probability that A is truly better."""


def mark_headlines(rows: Sequence[Comparison], purpose: Purpose | None = None) -> list[Comparison]:
    """Mark the rows that a comparison is decided by; of areas of one type the first, which gets most attention.

    Where only one side has such an area, and the other was looked through, more people probably see it there.
    """
    metrics = {row.metric for row in rows if row.aoi_type is None}
    scores = {metric if metric in metrics else SUBSTITUTES.get(metric, metric) for metric in HEADLINE_SCORES[purpose]}
    seen_by = (PERCENTAGE_SEEN.name, "total")
    seen: set[str] = set()
    marked = []
    for row in rows:
        if row.aoi_type is None:
            marked.append(replace(row, headline=row.metric in scores))
        elif row.aoi_type in {*area_types_needed(purpose)} - seen and (row.metric, row.metric_time) == seen_by:
            seen.add(row.aoi_type)
            if is_one_sided(row):
                chance = AREA_TYPES[row.aoi_type].one_sided_probability
                in_a = None if None in (row.value_a, row.value_b) else chance if row.n_a else 1 - chance
                marked.append(replace(row, headline=True, probability=in_a))
            else:
                marked.append(row)
        else:
            marked.append(replace(row, headline=False))
    return marked


def find_leader(rows: Sequence[Comparison], purpose: Purpose | None = None) -> Leader | None:
    """Find who leads on the headline scores.

    `rows`: settled, of one pair.
    `purpose`: what the media are for, which decides what is better.
    Returns: None where no headline score has an interval and one end that is good.
    """
    better: dict[int, float] = {}
    for place, row in enumerate(rows):
        direction = direction_of(row.metric, row.aoi_type, purpose)
        if row.headline and row.probability is not None and direction != "middle":
            better[place] = row.probability if direction == "higher" else 1 - row.probability
    if not better:
        return None
    chance = combine_probabilities(list(better.values()), [WEIGHTS.get(rows[place].metric, 1.0) for place in better])
    ahead: ComparisonSide | None = None if chance == 0.5 else "a" if chance > 0.5 else "b"
    probability = max(chance, 1 - chance)
    return Leader(ahead if probability >= LEAN else None, probability, ahead, better)


def combine_probabilities(
    better: Sequence[float], weights: Sequence[float], common: float = ERROR_CORRELATION
) -> float:
    """Combine the probabilities of being better on several scores into that of being ahead on them together.

    Differences are added in units of their own errors, with weights (Liptak 1958, Magyar Tud. Akad. Mat. Kutato Int.
    Kozl. 3, 171-197, after Stouffer), and errors have something in common (Strube 1985, Psychol. Bull. 97, 334-341).

    `better`: that A is better, 0-1.
    `weights`: above 0.
    `common`: correlation of the errors, at least 0 and below 1.
    Returns: 0-1.

    >>> round(combine_probabilities([0.8], [1.0]), 3), round(combine_probabilities([0.9, 0.1], [1.0, 1.0]), 3)
    (0.8, 0.5)
    >>> round(combine_probabilities([0.8, 0.8, 0.8, 0.8], [1.0] * 4, common=0.0), 3)  # twice the deviations of .8
    0.954
    """
    away = sum(
        weight * _NORMAL.inv_cdf(min(max(p, 1 - _MAX_PROBABILITY), _MAX_PROBABILITY))
        for p, weight in zip(better, weights, strict=True)
    )
    squares, squared_sum = sum(weight**2 for weight in weights), sum(weights) ** 2
    return _NORMAL.cdf(away / sqrt((1 - common) * squares + common * squared_sum))
