"""What each term of the proxies does, and what the proxies have to do with what people did.

    python models/training/ablation.py ../shared/data

prints two tables: each composite with each term left out, and rank correlations of the scores with what is known of
viewers, of which docs/metrics.md has figures; and the pictures whose complexity is told worst.

Takes what `scales.py` measured (`--cache
FILE`, made here in some six minutes if it is not there), and a minute more.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import cv2
import demand
import human
import numpy as np
from population import HELD_OUT, Measured, measure, rated_pictures
from scales import COMPOSITES, cached, composite_raw, measure_all
from scipy.stats import spearmanr

from mediaan.metrics.scales import Scales, built_in_scales, percentile, quantiles
from mediaan.metrics.scores.memory import Composite
from mediaan.metrics.scores.ratings import demand_model
from mediaan.types.arrays import Float64


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="file that keeps what was measured of the pictures")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    measured = cached(arguments.cache, lambda: measure_all(arguments.data))
    scales = built_in_scales()
    print_ablation(measured["population"], scales)
    print_agreement(measured["rated"], scales, arguments.data)
    print_error_cases(measured["rated"], scales, arguments.data)


def print_ablation(people: list[Measured], scales: Scales) -> None:
    print(f"each term left out, {len(people)} pictures of the reference population:\n")
    print("| score | without | weight | rank correlation with the full score | mean change, points |")
    print("|---|---|---|---|---|")
    for name, model in COMPOSITES.items():
        full = ranked(model, people, scales)
        for driver, weight, reduced in without_each(model):
            other = ranked(reduced, people, scales)
            rho = spearmanr(full, other)[0]
            change = float(np.mean(np.abs(full - other)))
            print(f"| {name} | `{driver}` | {weight:g} | {rho:.3f} | {change:.1f} |")


def without_each(model: Composite) -> Iterator[tuple[str, float, Composite]]:
    """Each driver with its weight, and the composite without its term."""
    for left_out in model.terms:
        terms = tuple(term for term in model.terms if term is not left_out)
        yield left_out.driver, left_out.weight, Composite(terms)


def ranked(model: Composite, people: list[Measured], scales: Scales) -> Float64:
    """Scores of pictures, ranked among themselves."""
    raw = composite_raw(model, people, scales)
    knots = quantiles(raw)
    return np.array([percentile(float(value), knots) for value in raw])


def print_agreement(rated: list[Measured], scales: Scales, data: Path) -> None:
    """Viewers of pictures on which the attention model was not trained; ratings of complexity."""
    paths = held_out(data)
    views = human.viewing(paths, data)
    sets = np.array([path.parent.parent.name for path in paths])
    print(f"\nrank correlation with what viewers did, {len(paths)} pictures, by set and then averaged:\n")
    print("| score | " + " | ".join(human.TITLES.values()) + " |\n" + "|---" * (1 + len(human.TITLES)) + "|")
    for name, values in all_scores([measure(path) for path in paths], scales).items():
        truths = (np.array([getattr(views[path], quantity) for path in paths]) for quantity in human.TITLES)
        cells = [human.correlation(values, truth, sets) for truth in truths]
        print(f"| {name} | " + " | ".join(cells) + " |")
    _, categories, ratings = rated_pictures(data / "complexity")
    print("\nrank correlation with ratings of complexity, by category and then averaged:\n")
    for name, values in all_scores(rated, scales).items():
        if name != "cognitive_demand":  # fitted to them: scales.py has its cross-validated figures
            print(f"| {name} | {human.correlation(values, ratings, np.array(categories))} |")


def held_out(data: Path) -> list[Path]:
    """Pictures with fixations that the attention model has not seen."""
    names = {kind: (HELD_OUT / f"{kind}.txt").read_text(encoding="utf-8").split() for kind in human.SETS}
    return [data / "gaze" / kind / "images" / f"{name}.jpg" for kind, stems in names.items() for name in stems]


def print_error_cases(rated: list[Measured], scales: Scales, data: Path, number: int = 16) -> None:
    """Where cognitive demand is furthest from people, each picture left out of the fit."""
    paths, names, ratings = rated_pictures(data / "complexity")
    categories = np.array(names)
    features = np.array([m.features for m in rated], dtype=np.float64)
    features = (features - features.mean(axis=0)) / (features.std(axis=0) + 1e-9)
    target = demand.within(ratings, categories, demand.standardised)
    predicted = demand.cross_validated(demand.rank_table(rated, scales), features, categories, target)
    spread = np.sqrt(np.mean(demand.within(ratings, categories, demand.centred) ** 2))
    error = spread * (demand.within(predicted, categories, demand.centred) - target)
    print(f"\ncognitive demand less rating, root mean square {np.sqrt(np.mean(error**2)):.1f} points; furthest:\n")
    for i in np.argsort(-np.abs(error))[:number]:
        print(f"| {paths[i].stem} | rated {ratings[i]:.0f} | {error[i]:+.0f} |")


def all_scores(pictures: list[Measured], scales: Scales) -> dict[str, Float64]:
    """Values by metric, in the order of the pictures; NaN where undefined."""
    scores = {name: composite_raw(model, pictures, scales) for name, model in COMPOSITES.items()}
    scores["focus"] = np.array([m.values["concentration"] for m in pictures], dtype=np.float64)
    model = demand_model()
    scores["cognitive_demand"] = np.array([demand.rating(model, m, scales) for m in pictures])
    return scores


if __name__ == "__main__":
    main()
