"""Are groups told apart by chance where media of a campaign are alike? ``python models/training/cluster_checks.py``.

Made-up groups of campaigns whose media share half of their variance: how often two groups are told apart (one
comparison, 10 % at most where they do not differ), and how often the 90 % interval holds the true difference, over
media and over means of campaigns (``mediaan compare --by KEY --cluster KEY``).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from mediaan.metrics.scales import ALPHA
from mediaan.studies.compare.differences import Estimate, ScoreDifference, cluster_mean, subtract_means
from mediaan.types.metrics import Z90

SPREAD = 24.0  # standard deviation of scores among advertisements: 19 to 29 by score
ERROR = 9.0  # of a score's own error: intervals of about +-15 points, as most have


class World(NamedTuple):
    """Two groups of campaigns."""

    campaigns: int
    media: int  # of each
    shared: float = 0.5  # share of the variance that media of a campaign have in common
    difference: float = 0.0  # points


WORLDS = (
    World(30, 1),
    World(3, 4),
    World(3, 10),
    World(5, 6),
    World(10, 6),
    World(5, 6, shared=0.2),
    World(5, 6, difference=15.0),
    World(10, 6, difference=15.0),
    World(10, 6, difference=15.0, shared=0.2),
)


def draw(world: World, level: float, rng: np.random.Generator) -> list[list[Estimate]]:
    """Scores by campaign of a group that lies at a level."""
    common = rng.normal(size=(world.campaigns, 1)) * np.sqrt(world.shared)
    of_media = rng.normal(size=(world.campaigns, world.media)) * np.sqrt(1 - world.shared)
    scores = level + SPREAD * (common + of_media)
    return [[Estimate(x, x - Z90 * ERROR, x + Z90 * ERROR) for x in row] for row in scores.tolist()]


def compared(groups: Sequence[list[list[Estimate]]]) -> Iterator[ScoreDifference]:
    """Over media, then over campaigns."""
    media = [[medium for campaign in group for medium in campaign] for group in groups]
    campaigns = [[cluster_mean(campaign) for campaign in group] for group in groups]
    for a, b in (media, campaigns):
        yield subtract_means(a, b)


def row_of(world: World, draws: int, rng: np.random.Generator) -> str:
    """Told apart and interval holds, % of the draws, by both ways."""
    results = [list(compared([draw(world, level, rng) for level in (world.difference, 0.0)])) for _ in range(draws)]
    cells = []
    for way in zip(*results, strict=True):
        told = np.mean([(difference.p or 0.0) < ALPHA for difference in way])
        held = np.mean([(difference.lo or 0.0) <= world.difference <= (difference.hi or 0.0) for difference in way])
        width = np.mean([((difference.hi or 0.0) - (difference.lo or 0.0)) / 2 for difference in way])
        cells.append(f"{100 * told:.0f} / {100 * held:.0f}, ±{width:.1f}")
    return f"| {world.campaigns} of {world.media} | {world.shared:.0%} | {world.difference:g} | {' | '.join(cells)} |"


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    draws = parser.parse_args().draws
    rng = np.random.default_rng(0)
    print(
        "| campaigns of each group | in common | true difference | over media | over campaigns |\n|---|---|---|---|---|"
    )
    for world in WORLDS:
        print(row_of(world, draws, rng), flush=True)


if __name__ == "__main__":
    main()
