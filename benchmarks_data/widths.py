"""How sure edges are with n media: `python benchmarks_data/widths.py [NORM_SET]` draws n from a norm set.

Prints, means over the main scores: how wide the edges' 90 % bootstrap intervals are, how many of them hold the true
edge, and which share of the true population lies below what is called the 10th and the 90th percentile.
"""

from __future__ import annotations

import argparse

import numpy as np

from mediaan.judge.benchmark import find_norm_set
from mediaan.judge.benchmark.norm import Norm, quantile_intervals, quantiles_of
from mediaan.types.benchmark import EDGES

METRICS = ("focus", "cognitive_demand", "clarity", "engagement", "memory")
SIZES = (10, 20, 30, 50, 100, 200, 491)
DRAWS = 200
SEED = 20240229


def draws_of(norm: Norm, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of sets of n, (draws, 4): widths of the edges' intervals, whether they hold the truth, true shares below."""
    rng = np.random.default_rng(SEED)
    truth = np.array([norm.value_at(edge) for edge in EDGES])
    widths, held, shares = [], [], []
    for _ in range(DRAWS):
        sample = np.interp(rng.uniform(0, 100, n), np.arange(1, 100), norm.quantiles)
        lo, hi = quantile_intervals(sample, np.arange(n), EDGES, resamples=400)
        widths.append(hi - lo)
        held.append((lo <= truth) & (truth <= hi))
        shares.append([norm.percentile(edge) for edge in quantiles_of(sample, EDGES)])
    return np.array(widths), np.array(held), np.array(shares)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("norm_set", nargs="?", default="ads")
    norms = find_norm_set(parser.parse_args().norm_set).norms
    chosen = [n for n in norms if n.metric in METRICS and not n.segment and n.type == "image"]
    print("| n | P10 | P30 | P70 | P90 | hold the truth | below P10 are | below P90 are |")
    print("|---|---|---|---|---|---|---|---|")
    for n in SIZES:
        found = [draws_of(norm, n) for norm in chosen]
        widths, held, shares = (np.concatenate(parts) for parts in zip(*found, strict=True))
        cells = [f"{width:.1f}" for width in widths.mean(axis=0)] + [f"{held.mean():.2f}"]
        cells += ["{:.0f}-{:.0f} %".format(*np.quantile(shares[:, edge], [0.05, 0.95])) for edge in (0, 3)]
        print(f"| {n} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
