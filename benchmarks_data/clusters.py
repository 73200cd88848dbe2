"""Whether edges of AOIs are as sure as they say: `python benchmarks_data/clusters.py RUN`.

Takes the media of a run for the population, and draws media from it, 200 times. Prints how many of the edges' 90 %
intervals hold the true edge: where media are resampled, as norm sets do, and where every AOI is, as if those of one
medium did not resemble each other.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from halves import populations

from mediaan.judge.benchmark.norm import quantile_intervals, quantiles_of
from mediaan.types.arrays import Float64
from mediaan.types.benchmark import EDGES

SIZES = (30, 100)
DRAWS, RESAMPLES, SEED = 200, 400, 20240229


def held(media: list[Float64], n: int) -> tuple[float, float]:
    """Shares of intervals that hold the truth with n of the media: media resampled, and AOIs."""
    rng = np.random.default_rng(SEED)
    truth = quantiles_of(np.concatenate(media), EDGES)
    found: tuple[list[bool], list[bool]] = ([], [])
    for _ in range(DRAWS):
        drawn = [media[i] for i in rng.integers(0, len(media), n)]
        values = np.concatenate(drawn)
        for groups, said in zip(
            (np.repeat(np.arange(n), list(map(len, drawn))), np.arange(values.size)), found, strict=True
        ):
            lo, hi = quantile_intervals(values, groups, EDGES, resamples=RESAMPLES)
            said += ((lo <= truth) & (truth <= hi)).tolist()
    return float(np.mean(found[0])), float(np.mean(found[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    print("| score | media drawn | media resampled | AOIs resampled |")
    print("|---|---|---|---|")
    for name, rows in populations(parser.parse_args().run):
        media = [one.value.to_numpy() for _, one in rows[rows.value.notna()].groupby("medium_id")]
        if max(map(len, media)) > 1:
            for n in SIZES:
                print(f"| {name} | {n} | {' | '.join(f'{share:.2f}' for share in held(media, n))} |")


if __name__ == "__main__":
    main()
