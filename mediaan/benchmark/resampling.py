"""Quantiles of a sample, and how far they could move had other media been taken."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mediaan.benchmark.norm import PERCENTS, MediumType, Norm
from mediaan.types.arrays import Float64
from mediaan.types.benchmark import Segment
from mediaan.types.metrics import Time

LEVEL = 0.90
RESAMPLES = 1000
SEED = 20240229
_CELLS = 2_000_000  # weights held at once, 16 MB

Int64 = npt.NDArray[np.int64]


def sampled_norm(
    values: Float64,
    media: Int64,
    *,
    type: MediumType,
    metric: str,
    metric_time: Time,
    aoi_type: str | None,
    unit: str,
    segment: Segment,
) -> Norm:
    """Make the norm of a sample.

    Parameters
    ----------
    values : (n,) float64
    media : (n,) int64
        Which medium each is of.
    type, metric, metric_time, aoi_type, unit, segment
        As of `Norm`.
    """
    lo, hi = quantile_intervals(values, media, PERCENTS)
    return Norm(
        type=type,
        metric=metric,
        metric_time=metric_time,
        aoi_type=aoi_type,
        unit=unit,
        segment=segment,
        n=values.size,
        n_media=np.unique(media).size,
        quantiles=quantiles_of(values, PERCENTS),
        lo=lo,
        hi=hi,
    )


def quantiles_of(values: npt.ArrayLike, percents: npt.ArrayLike) -> Float64:
    """Quantiles by Weibull's positions: the k-th of n values stands at k / (n + 1).

    Of all definitions this is the one with which a new member of the population lies below the quantile at p with
    probability p, whatever the distribution, since k / (n + 1) is the expected share of the population below the k-th
    value (Hyndman & Fan 1996, The American Statistician 50, 361-365: definition 6). NumPy's default, definition 7, puts
    outer quantiles too far in: of 30 values it takes as P10 what 12.6 % lie below. Beyond 1 / (n + 1) from the ends it
    is the lowest or highest value.

    Parameters
    ----------
    values : (n,) array_like
    percents : (q,) array_like
        0-100.

    Returns
    -------
    (q,) float64

    Examples
    --------
    >>> quantiles_of([10, 20, 30, 40], [1, 20, 50, 70]).tolist()
    [10.0, 10.0, 25.0, 35.0]
    """
    shares = np.asarray(percents, np.float64) / 100
    return np.asarray(np.quantile(np.asarray(values, np.float64), shares, method="weibull"), np.float64)


def quantile_intervals(
    values: npt.ArrayLike, groups: npt.ArrayLike, percents: npt.ArrayLike, *, resamples: int = RESAMPLES
) -> tuple[Float64, Float64]:
    """Percentile bootstrap intervals of quantiles, whole groups resampled.

    Groups are media: AOIs of one medium resemble each other, so that as many AOIs of fewer media say less (cluster
    bootstrap: Davison & Hinkley 1997, Bootstrap Methods and their Application, 3.8).

    Parameters
    ----------
    values : (n,) array_like
    groups : (n,) array_like
        Which medium each value is of.
    percents : (q,) array_like
        0-100, quantiles as of `quantiles_of`.
    resamples : int
        With a fixed seed: the same values have the same intervals.

    Returns
    -------
    lo, hi : (q,) float64
        90 % intervals, around the quantiles.
    """
    array, shares = np.asarray(values, np.float64), np.asarray(percents, np.float64) / 100
    members, index = np.unique(np.asarray(groups), return_inverse=True)
    order = np.argsort(array, kind="stable")
    ranked, member = array[order], index[order]
    rng = np.random.default_rng(SEED)
    found = np.empty((resamples, shares.size))
    block = max(1, _CELLS // array.size)
    for start in range(0, resamples, block):
        count = min(block, resamples - start)
        times = rng.multinomial(members.size, np.full(members.size, 1 / members.size), size=count)
        found[start : start + count] = _weighted_quantiles(ranked, times[:, member], shares)
    tail = (1 - LEVEL) / 2
    lo, hi = np.quantile(found, [tail, 1 - tail], axis=0)
    exact = quantiles_of(array, percents)
    return np.minimum(lo, exact), np.maximum(hi, exact)


def _weighted_quantiles(ranked: Float64, times: Int64, shares: Float64) -> Float64:
    """Quantiles (rows, q) of ascending values (n,), each of which counts a whole number of times (rows, n)."""
    upto = np.cumsum(times, axis=1)
    total = upto[:, -1:]
    position = np.clip(shares * (total + 1), 1, total)
    lower = np.floor(position).astype(np.int64)
    upper = np.minimum(lower + 1, total)
    below, above = ranked[_places(upto, lower)], ranked[_places(upto, upper)]
    return below + (position - lower) * (above - below)


def _places(upto: Int64, ranks: Int64) -> Int64:
    """For every row the index of the first value by which so many have been counted; one search for all rows."""
    rows, width = upto.shape
    lift = np.arange(rows)[:, None] * (int(upto[:, -1].max()) + 1)
    found = np.searchsorted((upto + lift).ravel(), (ranks + lift).ravel()).reshape(ranks.shape)
    return np.asarray(found - np.arange(rows)[:, None] * width, np.int64)
