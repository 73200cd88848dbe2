"""Compare the attention of an ad with what is expected of its place, with others there, and with an equal share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mediaan.studies.context.result import EVERYWHERE, ContextPosition, ContextScore
from mediaan.studies.context.statistics import Ratio, bootstrap_ratio


def against_expected(
    attention: ContextScore, name: str, ratio: str, expected: float | None, reason: str
) -> tuple[ContextScore, ContextScore]:
    """Compare attention with what is expected of a place.

    Parameters
    ----------
    attention : ContextScore
        Of the ad, %.
    name, ratio : str
        Metrics of what is expected, and of how many times that the ad gets; its interval is that of the attention.
    expected : float or None
        Share of attention, 0-1; None where it is not known.
    reason : str
        Why there is no ratio, where nothing is expected or known.
    """
    if expected is None or attention.value is None:
        return ContextScore(name, None, None, None, "%", reason), ContextScore(ratio, None, None, None, "ratio", reason)
    told = ContextScore(name, 100 * expected, None, None, "%")
    if expected <= 0:
        return told, ContextScore(ratio, None, None, None, "ratio", reason)
    times = Ratio(attention.value, attention.lo, attention.hi).scaled(0.01 / expected)
    return told, ContextScore(ratio, times.value, times.lo, times.hi, "ratio")


def against_others(own: Sequence[float], others: Sequence[float]) -> tuple[ContextScore, ContextScore]:
    """Compare shares, 0-1, with those of other pictures at the same place, one each of every draw."""
    mean = float(np.mean(others))
    told = ContextScore("others", 100 * mean, None, None, "%")
    if mean <= 0:
        reason = "Others get no attention there."
        return told, ContextScore("ratio_to_others", None, None, None, "ratio", reason)
    ratio = bootstrap_ratio(own, others)
    return told, ContextScore("ratio_to_others", ratio.value, ratio.lo, ratio.hi, "ratio")


def against_equal_share(shares: Sequence[float], equal: float) -> tuple[ContextScore, ContextScore, ContextScore]:
    """Compare shares of the packs' attention, one of each draw, with an equal share; all 0-1."""
    return _shelf_scores(bootstrap_ratio(shares, [equal] * len(shares)), equal)


def planned_share(
    attention: ContextScore, on_packs: float, equal: float
) -> tuple[ContextScore, ContextScore, ContextScore]:
    """Compare a pack of a planogram with an equal share.

    Parameters
    ----------
    attention : ContextScore
        Of the pack, % of the whole picture, with its interval.
    on_packs : float
        Share of attention on all packs together, 0-1.
    equal : float
        Its share of the facings, 0-1.
    """
    assert attention.value is not None
    share = Ratio(attention.value, attention.lo, attention.hi).scaled(0.01 / on_packs, most=1.0)
    return _shelf_scores(share.scaled(1 / equal), equal)


def mean_of_positions(
    view: str, item: str, own: Sequence[Sequence[float]], others: Sequence[Sequence[float]]
) -> ContextPosition:
    """Take the mean over all positions, compared by draw; `own` and `others` are shares by position and draw."""
    mine, theirs = (np.mean(np.asarray(one, np.float64), axis=0) for one in (own, others))
    attention = ContextScore("attention", 100 * float(mine.mean()), None, None, "%")
    scores = (attention, *against_others(list(mine), list(theirs)))
    return ContextPosition(view, EVERYWHERE, item, None, len(mine), scores)


def _shelf_scores(ratio: Ratio, equal: float) -> tuple[ContextScore, ContextScore, ContextScore]:
    share = ratio.scaled(100 * equal)
    return (
        ContextScore("shelf_share", share.value, share.lo, share.hi, "%"),
        ContextScore("equal_share", 100 * equal, None, None, "%"),
        ContextScore("ratio_to_equal_share", ratio.value, ratio.lo, ratio.hi, "ratio"),
    )
