"""Make mediaan/metrics/scales.json and demand.json again: populations, weights and intervals behind the scores.

    python models/training/scales.py ../shared/data

reads `complexity`, `gaze` and `unlabelled/web` there, prints the figures of docs/metrics.md, and takes some five
minutes on one core (`--cache FILE` keeps what was measured). To be run again whenever the attention model, a driver or
a composite changes.
"""

from __future__ import annotations

import argparse
import json
import pickle
from collections.abc import Callable, Mapping
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any

import cv2
import demand
import numpy as np
from errors import Errors
from focus import DOMAINS, viewed_pictures
from opinions import SAID
from population import Measured, measure, measure_changed, population, rated_pictures
from uncertainty import UNSEEN, composite_interval, fit_interval
from viewers import Panel, errors_by_domain, focus_intervals, viewers

from mediaan.metrics.scales import Scales, Spread, built_in_focus_scales, quantiles
from mediaan.metrics.scores.concentration import concentration
from mediaan.metrics.scores.memory import MEMORY_COMPOSITE as MEMORY
from mediaan.metrics.scores.memory import Composite
from mediaan.metrics.scores.ratings import RatingModel, on_scale
from mediaan.saliency import list_cards
from mediaan.types.arrays import Float64
from mediaan.types.densities import BASE_DOMAIN

COMPOSITES: dict[str, Composite] = {"memory": MEMORY}
METRICS = Path(__file__).parents[2] / "mediaan/metrics"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="file that keeps what was measured of the pictures")
    parser.add_argument("--with-dev", action="store_true", help="of a model that was trained without --use-dev")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    measured = cached(arguments.cache, lambda: measure_all(arguments.data, dev=arguments.with_dev))
    scales, demand_content = make_scales(measured, arguments.data, dev=arguments.with_dev)
    before = json.loads((METRICS / "scales.json").read_text(encoding="utf-8"))
    write(METRICS / "scales.json", with_opinions(as_content(scales), before))
    write(METRICS / "demand.json", demand_content)


def measure_all(data: Path, *, dev: bool) -> dict[str, list[Any]]:
    """Everything that is measured: the population, each second of it changed, the rated pictures, and, by domain, how
    concentrated attention is on those with eye tracking."""
    paths = population(data)
    rated, _, _ = rated_pictures(data / "complexity")
    by_domain = {
        f"{domain}_viewed": [
            concentration(viewed.predicted.densities["total"], viewed.predicted.content)
            for viewed in viewed_pictures(data / "gaze", domain, dev=dev)
        ]
        for domain in DOMAINS
    }
    return by_domain | {
        "population": [measure(path) for path in paths],
        "unseen": [measure_changed(path, UNSEEN) for path in paths[::2]],
        "rated": [measure(path) for path in rated],
    }


def cached(path: Path | None, make: Callable[[], dict[str, list[Any]]]) -> dict[str, list[Any]]:
    if path is not None and path.exists():
        measured: dict[str, list[Any]] = pickle.loads(path.read_bytes())
        return measured
    made = make()
    if path is not None:
        path.write_bytes(pickle.dumps(made))
    return made


def make_scales(measured: dict[str, list[Any]], data: Path, *, dev: bool = False) -> tuple[Scales, dict[str, Any]]:
    people: list[Measured] = measured["population"]
    print(f"reference population: {len(people)} pictures")
    names = people[0].values
    drivers = {
        name: quantiles(np.array([v for m in people if (v := m.values[name]) is not None]), 51) for name in names
    }
    scales = Scales(drivers, {}, {}, built_in_focus_scales().still)
    raw = {name: composite_raw(model, people, scales) for name, model in COMPOSITES.items()}
    scores = {name: quantiles(values) for name, values in raw.items()}
    scales = Scales(drivers, scores, {}, scales.focus)
    uncertainty = {
        name: composite_interval(name, model, people, measured["unseen"], scales) for name, model in COMPOSITES.items()
    }
    panels = {domain: viewers(data / "gaze", domain, dev=dev) for domain in DOMAINS}
    by_domain = {
        domain: dict.fromkeys(("focus", "focus_first_two", "focus_last_two"), spread)
        for domain, spread in focus_intervals(focus_errors(measured, panels), scales.focus.knots).items()
    }
    uncertainty |= by_domain.pop(BASE_DOMAIN)
    content, error = fit_demand(measured, data, scales)
    uncertainty["cognitive_demand"] = error
    return Scales(drivers, scores, uncertainty, scales.focus, by_domain), content


def focus_errors(measured: dict[str, list[Any]], panels: Mapping[str, Panel]) -> dict[str, Errors]:
    """Of focus over the whole exposure, for which alone there are enough fixations; it stands in for the windows."""
    predicted = {name: np.array(measured[f"{name}_viewed"]) for name in panels}
    return errors_by_domain(predicted, panels)


def composite_raw(model: Composite, people: list[Measured], scales: Scales) -> Float64:
    return np.array([model.raw(model.ranks(m.values, scales)) for m in people])


def fit_demand(measured: dict[str, list[Any]], data: Path, scales: Scales) -> tuple[dict[str, Any], Spread]:
    rated: list[Measured] = measured["rated"]
    _, names, ratings = rated_pictures(data / "complexity")
    categories = np.array(names)
    all_features = np.array([m.features for m in (*measured["population"], *rated)], dtype=np.float64)
    mean, sd = all_features.mean(axis=0), all_features.std(axis=0) + 1e-9
    features = (np.array([m.features for m in rated]) - mean) / sd
    ranks = demand.rank_table(rated, scales)
    target = demand.within(ratings, categories, demand.standardised)
    spread = float(np.sqrt(np.mean(demand.within(ratings, categories, demand.centred) ** 2)))
    predicted = demand.cross_validated(ranks, features, categories, target)
    whole = demand.fit(ranks, features, categories, target)
    parts = demand.shares(whole, ranks, features, categories)
    weights = whole.features * spread / sd
    people = np.array([m.features for m in measured["population"]], dtype=np.float64) @ weights
    model = RatingModel(
        list_cards()["attention"].sha256,
        {name: round(float(w * spread), 3) for name, w in zip(demand.SIGNS, whole.drivers, strict=True) if w},
        weights,
        float(np.median(people)),
        float(ratings.mean()),
    )
    beyond = model.offset - float(mean @ weights)
    scores = np.array([on_scale(model.typical + spread * value - beyond) for value in predicted])
    agreement = demand.agreement(scores, categories, ratings)
    report_demand(agreement, parts, ranks, ratings, categories)
    ratings_on_scale = demand.within(ratings, categories, demand.centred)
    held_out = spread * demand.within(predicted, categories, demand.centred)
    error = fit_interval("cognitive_demand", 50 + held_out, ratings_on_scale - held_out)
    content = {
        "provenance": {
            "command": "python models/training/scales.py DATA",
            "date": date.today().isoformat(),
            "model_sha256": model.model_sha256,
            "data": "Savoias: ratings of half the pictures, n by category below",
            "cross_validated": agreement,
            "share_of_variance": parts,
        },
        "typical": round(model.typical, 3),
        "drivers": model.drivers,
        "offset": round(model.offset, 4),
        "features": [float(f"{w:.5g}") for w in weights],
    }
    return content, error


def report_demand(
    agreement: dict[str, dict[str, float]],
    parts: dict[str, float],
    ranks: Float64,
    ratings: Float64,
    categories: Float64,
) -> None:
    print("cognitive demand against human ratings, ten-fold cross-validated by picture:")
    for category, row in agreement.items():
        rows = categories == category
        alone = {name: np.corrcoef(ranks[rows, i], ratings[rows])[0, 1] for i, name in enumerate(demand.SIGNS)}
        best = max(alone, key=lambda name: abs(alone[name]))
        print(f"  {category:16s} n {row['n']:3.0f}  r {row['r']:.3f}  rho {row['rho']:.3f}  "
              f"best driver alone {best} {alone[best]:+.2f}")  # fmt: skip
    print(f"  mean r {np.mean([row['r'] for row in agreement.values()]):.3f}")
    print("  share of the variance of predictions: " + ", ".join(f"{k} {v:.2f}" for k, v in parts.items() if v))


def as_content(scales: Scales) -> dict[str, Any]:
    return {
        "drivers": scales.drivers,
        "scores": scales.scores,
        "uncertainty": {name: asdict(spread) for name, spread in scales.uncertainty.items()},
        "uncertainty_by_domain": {
            domain: {name: asdict(spread) for name, spread in table.items()}
            for domain, table in scales.by_domain.items()
        },
    }


def with_opinions(content: dict[str, Any], before: dict[str, Any]) -> dict[str, Any]:
    """Keep what `opinions.py` has put there, until it is run again."""
    for key in ("scores", "uncertainty"):
        content[key] |= {name: before[key][name] for name in SAID}
    return content


def write(path: Path, content: dict[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {path.name}")


if __name__ == "__main__":
    main()
