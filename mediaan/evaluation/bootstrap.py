"""Bootstrap intervals of means over stimuli."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

LEVEL = 0.95
RESAMPLES = 2000
SEED = 20240229


def bootstrap_interval(
    values: npt.ArrayLike, *, level: float = LEVEL, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of a mean (Efron 1979, Annals of Statistics 7).

    `values` (n,) array_like: one value per stimulus; the same values give the same interval.
    `level`: coverage, in (0, 1).
    `resamples`: samples drawn with replacement.
    Returns (float, float) or None: None for fewer than two values.

    >>> bootstrap_interval([2.0, 2.0, 2.0])
    (2.0, 2.0)
    """
    return stratified_bootstrap_interval([values], level=level, resamples=resamples)


def stratified_bootstrap_interval(
    groups: Sequence[npt.ArrayLike], *, level: float = LEVEL, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """Return the percentile bootstrap interval of the mean of several groups' means, each group resampled for itself.

    `groups` (sequence of (n,) array_like): one value per stimulus, by set; sets count the same, however large they are.
    `level`, `resamples`: as of `bootstrap_interval`.
    Returns (float, float) or None: None without groups, and where one has fewer than two values.

    >>> stratified_bootstrap_interval([[1.0, 1.0], [3.0, 3.0, 3.0]])
    (2.0, 2.0)
    """
    samples = [np.asarray(group, np.float64) for group in groups]
    if not samples or min(sample.size for sample in samples) < 2:
        return None
    rng = np.random.default_rng(SEED)
    means = [sample[rng.integers(sample.size, size=(resamples, sample.size))].mean(axis=1) for sample in samples]
    low, high = np.quantile(np.mean(means, axis=0), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)
