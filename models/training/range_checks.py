"""How often is a category the right one? ``python models/training/range_checks.py``.

Made-up populations: true scores lie around predicted ones by their stated error, and norms are quantiles of predicted
scores of a sample. Right is a category that the true score has among the true scores of the whole population.
"""

from __future__ import annotations

from collections.abc import Iterator
from statistics import NormalDist

import numpy as np

from mediaan.judge.benchmark.norm import quantiles_of
from mediaan.types.benchmark import EDGES
from mediaan.types.metrics import Z90

MIDDLE, SPREAD = 55.0, 24.0  # of predicted scores among advertisements: a standard deviation of 19 to 29 by score
ERRORS = (4.0, 9.0)  # of a score's own error: narrow, and about what most have (intervals of +-15 points)
SIZES = (30, 51, 195, 1000)  # media of the norms; 30 is the fewest of a part of those that ship
SAMPLES, MEDIA = 2000, 200


def draws(size: int, error: float, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Of each sample of norms: (4, media) stated category, those of the interval's ends, and the right one."""
    truth = NormalDist(MIDDLE, float(np.hypot(SPREAD, error)))
    right_edges = [truth.inv_cdf(edge / 100) for edge in EDGES]
    for _ in range(SAMPLES):
        edges = quantiles_of(rng.normal(MIDDLE, SPREAD, size), EDGES)
        scores = rng.normal(MIDDLE, SPREAD, MEDIA)
        true = scores + rng.normal(0.0, error, MEDIA)
        ends = [scores, scores - Z90 * error, scores + Z90 * error]
        stated = [np.searchsorted(edges, end, side="right") for end in ends]
        yield np.array([*stated, np.searchsorted(right_edges, true, side="right")])


def row_of(size: int, error: float, rng: np.random.Generator) -> str:
    """Shares of media, %."""
    stated, low, high, right = np.concatenate(list(draws(size, error, rng)), axis=1)
    sure = low == high
    shares = (stated == right).mean(), (abs(stated - right) > 1).mean(), sure.mean(), (stated == right)[sure].mean()
    cells = [f"{100 * share:.0f} %" for share in (*shares, ((low <= right) & (right <= high)).mean())]
    return f"| {size} | ±{Z90 * error:.0f} | {' | '.join(cells)} |"


def main() -> None:
    """Print a table."""
    rng = np.random.default_rng(0)
    print(
        "| media of the norms | 90 % interval | right | two off or more | sure | right where sure | right in lo to hi |"
    )
    print("|---|---|---|---|---|---|---|")
    for error in ERRORS:
        for size in SIZES:
            print(row_of(size, error, rng), flush=True)


if __name__ == "__main__":
    main()
