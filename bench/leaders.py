"""How often a comparison of two ads says something: ``python -m bench.leaders RUN``.

Pairs drawn at random from the media of a run, compared as `mediaan compare A B` does: in how many is a leader named,
how probable is it, and on which scores is a difference proven or probable? The target is a
leader with a probability of .6 or more in three of four pairs.
That what is stated is right is checked with people, by `models/training/compare_checks.py`.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from pathlib import Path

from mediaan.metrics.scales import LEAN
from mediaan.run import read_run
from mediaan.studies.compare.compare import compare_media
from mediaan.studies.compare.differences import is_one_sided
from mediaan.studies.compare.media import distinct_media
from mediaan.studies.compare.result import CompareResult

TARGET, CLEAR = 0.75, 0.6
"""Least share of pairs in which a leader is to be named, and with what probability at least."""

OUTCOMES = ("proven", "probable", "a coin toss")


def compared_pairs(run: Path, pairs: int, seed: int, objectives: Path | None) -> list[CompareResult]:
    """Compare pairs of media of a run, drawn with a seed."""
    rng = random.Random(seed)
    media = distinct_media([read_run(run)])
    return [compare_media(rng.sample(media, 2), objectives=objectives) for _ in range(pairs)]


def print_leaders(results: list[CompareResult]) -> None:
    """Print in how many pairs a leader is named, and how probable it is."""
    leaders = [result.leader for result in results if result.leader is not None]
    named = sum(leader.side is not None for leader in leaders)
    clear = sum(leader.probability >= CLEAR for leader in leaders)
    scores = sum(len(leader.better) for leader in leaders) / max(1, len(leaders))
    print(
        f"{len(results)} pairs: a leader in {named}, with a probability of {CLEAR:g} or more in {clear} "
        f"(target {TARGET * len(results):.0f}), on {scores:.1f} headline scores; "
        f"a difference proven by a headline score in "
        f"{sum(any(row.headline and row.verdict.endswith('higher') for row in result.rows) for result in results)}"
    )
    for low, high in ((0.5, LEAN), (LEAN, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 0.95), (0.95, 1.01)):
        inside = sum(low <= leader.probability < high for leader in leaders)
        print(f"  probability {low:.2f}-{min(high, 1):.2f}: {inside} pairs")


def print_scores(results: list[CompareResult]) -> None:
    """Print by headline score in how many pairs a difference is proven, leans, or is too close to call."""
    counts: dict[str, Counter[str]] = {}
    for row in (
        row for result in results for row in result.rows if row.headline and row.p is not None and not is_one_sided(row)
    ):
        name = f"{row.aoi_type}.{row.metric}" if row.aoi_type else row.metric
        probable = max(row.probability or 0.5, 1 - (row.probability or 0.5)) >= LEAN
        outcome = "proven" if row.verdict.endswith("higher") else "probable" if probable else "a coin toss"
        counts.setdefault(name, Counter())[outcome] += 1
    for name, of_score in counts.items():
        print(f"{name}: " + ", ".join(f"{outcome} {of_score[outcome]}" for outcome in OUTCOMES))


def main() -> None:
    """Compare and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, help="run that holds the media, made with --aois all")
    parser.add_argument("--pairs", type=int, default=100)
    parser.add_argument("--seed", type=int, default=21)
    parser.add_argument("--objectives", type=Path, help="what the media are for")
    arguments = parser.parse_args()
    results = compared_pairs(arguments.run, arguments.pairs, arguments.seed, arguments.objectives)
    print_leaders(results)
    print_scores(results)


if __name__ == "__main__":
    main()
