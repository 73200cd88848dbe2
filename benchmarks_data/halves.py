"""Whether new media fall into categories as they should: `python benchmarks_data/halves.py RUN`.

Half of the media of a run make the set, the other half are put into its categories, 100 times. Prints the shares that
come into each category, means and 90 % range over the halves; by definition they should be 10, 20, 40, 20 and 10 %.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from mediaan.judge.benchmark.norm import quantiles_of
from mediaan.run import read_run
from mediaan.types.benchmark import EDGES

SPLITS, SEED = 100, 20240229
METRICS = ("focus", "cognitive_demand", "clarity", "engagement", "memory")
AOI_TYPES = ("branding", "product", "headline_text", "face")


def populations(path: Path) -> Iterator[tuple[str, pd.DataFrame]]:
    """Scores with their medium: of the media, and the chance of AOIs to be seen."""
    run = read_run(path)
    for metric in METRICS:
        yield metric, run.metrics[(run.metrics.metric == metric) & (run.metrics.metric_time == "total")]
    seen = run.aoi_scores[(run.aoi_scores.metric == "percentage_seen") & (run.aoi_scores.metric_time == "total")]
    kinds = seen.merge(run.aois[["medium_id", "aoi_id", "type"]])
    for kind in AOI_TYPES:
        yield f"percentage_seen of {kind}", kinds[kinds.type == kind]


def shares(rows: pd.DataFrame) -> np.ndarray:
    """Shares of the other half in each category (splits, 5), %."""
    rng = np.random.default_rng(SEED)
    media, values = rows.medium_id.unique(), rows.value.to_numpy()
    found = []
    for _ in range(SPLITS):
        inside = rows.medium_id.isin(rng.choice(media, media.size // 2, replace=False)).to_numpy()
        places = np.searchsorted(quantiles_of(values[inside], EDGES), values[~inside], side="right")
        found.append(np.bincount(places, minlength=5) * 100 / places.size)
    return np.array(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("run", type=Path)
    print("| score | n | extreme low | low | medium | high | extreme high |")
    print("|---|---|---|---|---|---|---|")
    for name, rows in populations(parser.parse_args().run):
        found = shares(rows.dropna(subset=["value"]))
        ranges = np.quantile(found, [0.05, 0.95], axis=0).T
        cells = [f"{mean:.0f} ({lo:.0f}-{hi:.0f})" for mean, (lo, hi) in zip(found.mean(axis=0), ranges, strict=True)]
        print(f"| {name} | {len(rows)} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
