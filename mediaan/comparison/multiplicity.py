"""Many comparisons made together: what is told must not be told by having asked often enough."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mediaan.aoi.metrics import AOI_METRICS
from mediaan.metrics.guide import Purpose, good_direction
from mediaan.types.comparison import LEAN, Comparison, Side, Verdict
from mediaan.types.metrics import Direction

ALPHA = 0.10
"""Most probability that among comparisons made together one is told apart by chance; intervals of 90 % go with it."""

_AOI_DIRECTIONS: dict[str, Direction] = {spec.name: spec.direction for spec in AOI_METRICS}


def holm(p: Sequence[float]) -> list[float]:
    """Correct probabilities of chance for being many (Holm 1979, Scand. J. Statist. 6, 65-70).

    The smallest is multiplied by their number, the next by one less, and so on, none below the one before. It holds
    whatever the comparisons have to do with each other.

    Parameters
    ----------
    p : sequence of float
        0-1.

    Returns
    -------
    list of float
        In the same order, 0-1.

    Examples
    --------
    >>> [round(one, 3) for one in holm([0.01, 0.04, 0.03, 0.5])]  # x4, then x3 for .03, x2 for .04, x1
    [0.04, 0.09, 0.09, 0.5]
    """
    corrected, most = [0.0] * len(p), 0.0
    for done, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        most = max(most, min(1.0, (len(p) - done) * p[i]))
        corrected[i] = most
    return corrected


def settle(rows: Sequence[Comparison], purpose: Purpose | None = None) -> tuple[Comparison, ...]:
    """Correct comparisons that are made together, and say what can be told of each.

    Those by headline scores are one family, all others another one.

    Parameters
    ----------
    rows : sequence of Comparison
        Those without `p` are undefined and do not count.
    purpose : {'brand_building', 'conversion'}, optional
        What the media are for, which decides what is better.

    Returns
    -------
    tuple of Comparison
        With `p_corrected`, `n_comparisons`, `verdict`, `better` and `lean`.
    """
    families = {
        family: [row.p for row in rows if row.headline == family and row.p is not None] for family in (True, False)
    }
    corrected = {family: iter(holm(p)) for family, p in families.items()}
    return tuple(
        replace(
            row,
            n_comparisons=len(families[row.headline]),
            lean=_lean(row.probability, direction_of(row.metric, row.aoi_type, purpose)),
        )
        if row.p is None
        else _settled(
            replace(row, n_comparisons=len(families[row.headline]), p_corrected=next(corrected[row.headline])), purpose
        )
        for row in rows
    )


def direction_of(metric: str, aoi_type: str | None, purpose: Purpose | None = None) -> Direction:
    """Which way of a metric is good: of an AOI's as its specification says, of others as the guide does."""
    return _AOI_DIRECTIONS[metric] if aoi_type else good_direction(metric, purpose)


def _settled(row: Comparison, purpose: Purpose | None) -> Comparison:
    assert row.p_corrected is not None
    assert row.difference is not None
    direction = direction_of(row.metric, row.aoi_type, purpose)
    if row.p_corrected >= ALPHA:
        return replace(row, verdict="not_distinguishable", lean=_lean(row.probability, direction))
    verdict: Verdict = "a_higher" if row.difference > 0 else "b_higher"
    return replace(row, verdict=verdict, better=_better(verdict, direction))


def _lean(probability: float | None, direction: Direction) -> Side | None:
    """The side that is probably better."""
    if direction == "middle" or probability is None or max(probability, 1 - probability) < LEAN:
        return None
    return "a" if (probability > 0.5) == (direction == "higher") else "b"


def _better(verdict: Verdict, direction: Direction) -> Side | None:
    if direction == "middle":
        return None
    return "a" if (verdict == "a_higher") == (direction == "higher") else "b"
