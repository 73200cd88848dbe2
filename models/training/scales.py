"""Make mediaan/metrics/scales.json again: populations, weights and intervals behind the scores.

    python models/training/scales.py ../shared/data

reads `complexity`, `gaze` and `unlabelled/web` there, and the densities of the attention model that ships; prints the
validation figures, and takes some minutes on one core. To be run again whenever that model changes.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import cv2
import numpy as np
import pyarrow.parquet as pq
from scipy.optimize import nnls
from scipy.stats import pearsonr, rankdata, spearmanr

from mediaan.media import open_picture
from mediaan.metrics.catalogue import BUILT_INS
from mediaan.metrics.clarity import raw_clarity
from mediaan.metrics.cognitive_demand import raw_cognitive_demand
from mediaan.metrics.drivers import DRIVER_VIEW, Drivers, measure_drivers
from mediaan.metrics.engagement import raw_engagement
from mediaan.metrics.focus import GRID, concentration
from mediaan.metrics.memory import raw_memory
from mediaan.metrics.scales import FocusScale, Scales, Spread, fit_focus_scale, fit_spread, quantiles, scales_from_dict
from mediaan.predictors import AttentionPredictor, load_predictor
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.maps import WINDOWS, Densities

# How many pictures of each kind stand for "pictures that people look at": half of them ads and web pages.
POPULATION = {
    "advertisement": 200,
    "visualizations": 80,
    "interior_design": 60,
    "objects": 60,
    "web": 200,
    "osie": 120,
    "crowd": 60,
    "scene": 60,
}
# Drivers of complexity and the sign that each may have.
DEMAND = {
    "feature_congestion": 1,
    "contour_density": 1,
    "contour_congestion": 1,
    "region_count": 1,
    "colourfulness": 1,
    "text_share": 1,
    "white_space": -1,
    "symmetry": -1,
}
RIDGE = 2.0
FOLDS = 10
BLUR = 0.025


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=Path(__file__).parents[2] / "mediaan/metrics/scales.json")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    content = make_scales(arguments.data)
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {arguments.out}")


def make_scales(data: Path) -> dict[str, object]:
    paths = population(data)
    densities = [predicted(path) for path in paths]
    focus_scale = model_focus(densities, data / "gaze")
    print(f"reference population: {len(paths)} pictures")
    drivers = [measure_drivers(read(path)) for path in paths]
    populations = driver_quantiles(drivers)
    rated, categories, ratings = rated_pictures(data / "complexity")
    rated_drivers = [measure_drivers(read(path)) for path in rated]
    weights = fit_demand(rated_drivers, categories, ratings, populations)
    content: dict[str, object] = {
        "drivers": populations,
        "demand_weights": weights,
        "scores": {},
        "spreads": {},
        "focus": asdict(focus_scale),
    }
    scales = scales_from_dict(content)
    content["scores"] = score_quantiles(drivers, densities, scales)
    empty = asdict(Spread((0.0,) * 5, (0.0,) * 5))
    content["spreads"] = dict.fromkeys(content["scores"], empty)
    scales = scales_from_dict(content)
    human = demand_residuals(rated_drivers, categories, ratings, scales)
    content["spreads"] = {
        name: asdict(spread) for name, spread in spreads(paths[::4], densities[::4], scales, human).items()
    }
    return content


def read(path: Path) -> UInt8:
    """Read a picture and bring it to the drivers' view."""
    rgb = cv2.cvtColor(cv2.imread(str(path), cv2.IMREAD_COLOR), cv2.COLOR_BGR2RGB)
    return to_view(rgb)


def to_view(rgb: UInt8) -> UInt8:
    factor = min(1.0, DRIVER_VIEW.long_side / max(rgb.shape[:2]))
    size = (round(rgb.shape[1] * factor), round(rgb.shape[0] * factor))
    return rgb if factor == 1 else cv2.resize(rgb, size, interpolation=cv2.INTER_AREA)


def population(data: Path) -> list[Path]:
    """Evenly spaced files of every kind, in a stable order."""
    chosen: list[Path] = []
    for kind, number in POPULATION.items():
        if kind == "web":
            files = sorted((data / "unlabelled/web/images").glob("*.jpg"))
        elif kind in ("osie", "crowd", "scene"):
            files = sorted((data / "gaze" / kind / "images").glob("*.jpg"))
        else:
            files = sorted((data / "complexity/images").glob(f"{kind}_*.jpg"))
        chosen += [files[i] for i in np.linspace(0, len(files) - 1, min(number, len(files))).astype(int)]
    return chosen


@cache
def predictor() -> AttentionPredictor:
    return load_predictor("attention", "cpu")


def predicted(path: Path) -> Densities:
    """What the model that ships says of a picture."""
    opened = open_picture(path, [predictor().view])
    return predictor().predict(opened.chunks[0].views[predictor().view.name])[0]


# ---- focus -------------------------------------------------------------------------------------------------------


_TABLES: dict[Path, dict[str, Float64]] = {}


def fixations(folder: Path) -> dict[str, Float64]:
    """Per picture: columns viewer number, x, y, onset_s."""
    if folder not in _TABLES:
        table = pq.read_table(folder / "fixations.parquet").to_pandas()
        table["viewer"] = table["viewer"].astype("category").cat.codes
        columns = ["viewer", "x", "y", "onset_s"]
        _TABLES[folder] = {str(name): rows[columns].to_numpy(float) for name, rows in table.groupby("image")}
    return _TABLES[folder]


def density(table: Float64, shape: tuple[int, ...], window: str = "total") -> Float32:
    """Fixations of all viewers, blurred by sigma 0.025 of the long side, on the grid of `concentration`."""
    onset, last = table[:, 3], table[:, 3].max()
    kept = {"start": onset < 2, "end": onset >= min(last, max(2, last - 2)), "total": onset >= 0}[window]
    factor = GRID / max(shape[:2])
    height, width = max(1, round(shape[0] * factor)), max(1, round(shape[1] * factor))
    counts = np.zeros((height, width), np.float32)
    x = np.clip((table[kept, 1] * width).astype(int), 0, width - 1)
    y = np.clip((table[kept, 2] * height).astype(int), 0, height - 1)
    np.add.at(counts, (y, x), 1)
    blurred = cv2.GaussianBlur(counts, (0, 0), BLUR * GRID, borderType=cv2.BORDER_CONSTANT)
    return blurred / blurred.sum(dtype=np.float64)


def model_focus(densities: list[Densities], gaze: Path) -> FocusScale:
    """Scale from the model's densities of the population, all windows; interval from held-out eye tracking."""
    everywhere = np.array([concentration(d[window]) for d in densities for window in WINDOWS])
    held_out = Path(__file__).parent / "split" / "held_out"
    model, human = [], []
    for name in ("osie", "crowd", "scene"):
        tables = fixations(gaze / name)
        for image in (held_out / f"{name}.txt").read_text(encoding="utf-8").splitlines():
            path = next((gaze / name / "images").glob(f"{image}.*"))
            model.append(concentration(predicted(path)["total"]))
            human.append(concentration(density(tables[image], cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_8).shape)))
    print(f"focus, model against people: rho {spearmanr(model, human)[0]:.3f} over {len(model)} held-out pictures")
    return fit_focus_scale(everywhere, np.array(model), np.array(human))


# ---- cognitive demand --------------------------------------------------------------------------------------------


def rated_pictures(folder: Path) -> tuple[list[Path], list[str], Float64]:
    with (folder / "ratings.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    paths = [folder / "images" / f"{row['image']}.jpg" for row in rows]
    return paths, [row["category"] for row in rows], np.array([float(row["complexity"]) for row in rows])


def driver_quantiles(drivers: list[Drivers]) -> dict[str, tuple[float, ...]]:
    names = drivers[0].scalars()
    columns = {name: [value for d in drivers if (value := d.scalars()[name]) is not None] for name in names}
    return {name: quantiles(np.array(values, dtype=np.float64), 51) for name, values in columns.items()}


def demand_table(drivers: list[Drivers], populations: dict[str, tuple[float, ...]]) -> Float64:
    none = Spread((), ())
    scales = Scales(populations, {}, {}, {}, FocusScale((), none))
    return np.array([[scales.rank(name, float(d.scalars()[name] or 0)) for name in DEMAND] for d in drivers])


def within(values: Float64, categories: list[str], transform: Callable[[Float64], Float64]) -> Float64:
    """Apply a transform to each category's rows apart: ratings of different categories are on different scales."""
    result = np.array(values, dtype=np.float64)
    for category in set(categories):
        rows = np.array([c == category for c in categories])
        result[rows] = transform(result[rows])
    return result


def percent_rank(values: Float64) -> Float64:
    return (rankdata(values) - 0.5) / len(values)


def ridge(table: Float64, target: Float64, row_weights: Float64) -> Float64:
    """Non-negative weights of signed columns with an L2 penalty."""
    signs = np.array(list(DEMAND.values()), dtype=np.float64)
    root = np.sqrt(row_weights)[:, None]
    stacked = np.vstack([table * signs * root, np.sqrt(RIDGE) * np.eye(len(signs))])
    solution, _ = nnls(stacked, np.concatenate([target * root[:, 0], np.zeros(len(signs))]))
    return solution * signs


def centred_problem(table: Float64, categories: list[str], ratings: Float64) -> tuple[Float64, Float64, Float64]:
    x = within(table, categories, lambda rows: rows - rows.mean(axis=0))
    y = within(ratings, categories, lambda rows: percent_rank(rows) - 0.5)
    sizes = {category: categories.count(category) for category in set(categories)}
    row_weights = np.array([100 / sizes[c] * (2 if c == "advertisement" else 1) for c in categories])
    return x, y, row_weights


def cross_validated(table: Float64, categories: list[str], ratings: Float64) -> Float64:
    """Predictions for pictures that the fit has not seen."""
    x, y, row_weights = centred_problem(table, categories, ratings)
    fold = np.random.default_rng(0).permutation(len(y)) % FOLDS
    predicted = np.zeros(len(y))
    for k in range(FOLDS):
        predicted[fold == k] = table[fold == k] @ ridge(x[fold != k], y[fold != k], row_weights[fold != k])
    return predicted


def fit_demand(
    drivers: list[Drivers], categories: list[str], ratings: Float64, populations: dict[str, tuple[float, ...]]
) -> dict[str, float]:
    table = demand_table(drivers, populations)
    predicted = cross_validated(table, categories, ratings)
    print("cognitive demand against human ratings, cross-validated by picture:")
    for category in sorted(set(categories)):
        rows = np.array([c == category for c in categories])
        alone = {name: spearmanr(table[rows, i], ratings[rows])[0] for i, name in enumerate(DEMAND)}
        best = max(alone, key=lambda name: abs(alone[name]))
        r, rho = pearsonr(predicted[rows], ratings[rows])[0], spearmanr(predicted[rows], ratings[rows])[0]
        single = ", ".join(f"{name} {value:+.2f}" for name, value in alone.items())
        print(f"  {category:16s} n {rows.sum():3d}  r {r:.3f}  rho {rho:.3f}  best alone {best} | {single}")
    x, y, row_weights = centred_problem(table, categories, ratings)
    weights = {name: round(float(w), 4) for name, w in zip(DEMAND, ridge(x, y, row_weights), strict=True) if w}
    print(f"  weights {weights}")
    return weights


def demand_residuals(
    drivers: list[Drivers], categories: list[str], ratings: Float64, scales: Scales
) -> tuple[Float64, Float64]:
    """Predicted percentile within the category, and human percentile less that; both 0-100."""
    table = demand_table(drivers, dict(scales.drivers))
    predicted = 100 * within(cross_validated(table, categories, ratings), categories, percent_rank)
    return predicted, 100 * within(ratings, categories, percent_rank) - predicted


# ---- scores ------------------------------------------------------------------------------------------------------


def score_quantiles(drivers: list[Drivers], densities: list[Densities], scales: Scales) -> dict[str, tuple[float, ...]]:
    raw: dict[str, list[float | None]] = {
        "cognitive_demand": [raw_cognitive_demand(d, scales) for d in drivers],
        "clarity": [raw_clarity(d, p, scales) for d, p in zip(drivers, densities, strict=True)],
        "engagement": [raw_engagement(d, p, scales) for d, p in zip(drivers, densities, strict=True)],
        "memory": [raw_memory(d, p, scales) for d, p in zip(drivers, densities, strict=True)],
    }
    return {name: quantiles(np.array([v for v in values if v is not None])) for name, values in raw.items()}


def variants(rgb: UInt8) -> Iterable[UInt8]:
    """Changes that should not matter: JPEG at quality 75, 80 % size, 4 % cropped, mirrored."""
    _, code = cv2.imencode(".jpg", rgb[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 75])
    yield np.ascontiguousarray(cv2.imdecode(code, cv2.IMREAD_COLOR)[..., ::-1])
    yield cv2.resize(rgb, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA)
    dy, dx = (max(1, side // 50) for side in rgb.shape[:2])
    yield np.ascontiguousarray(rgb[dy:-dy, dx:-dx])
    yield np.ascontiguousarray(rgb[:, ::-1])


def spreads(
    paths: list[Path], densities: list[Densities], scales: Scales, human: tuple[Float64, Float64]
) -> dict[str, Spread]:
    """90 % intervals from repeated measurement, for cognitive demand also from human ratings."""
    seen: dict[str, list[tuple[float, float]]] = {name: [] for name in scales.scores}
    for path, density_ in zip(paths, densities, strict=True):
        rgb = read(path)
        first = scores_of(rgb, density_, scales)
        for variant in variants(rgb):
            for name, value in scores_of(variant, density_, scales).items():
                if value is not None and first[name] is not None:
                    seen[name].append((first[name], value - first[name]))
    result = {name: fit_spread(*np.array(pairs).T) for name, pairs in seen.items()}
    for name, spread in result.items():
        print(f"repeatability of {name}: {spread}")
    result["cognitive_demand"] = in_quadrature(result["cognitive_demand"], fit_spread(*human))
    print(f"with human ratings, cognitive_demand: {result['cognitive_demand']}")
    return result


def scores_of(rgb: UInt8, densities: Densities, scales: Scales) -> dict[str, float | None]:
    drivers = measure_drivers(rgb)
    metrics = [metric for metric in BUILT_INS if metric.spec.name in scales.scores]
    return {metric.spec.name: metric.score(drivers, densities, scales).value for metric in metrics}


def in_quadrature(one: Spread, two: Spread) -> Spread:
    below = tuple(round(-float(np.hypot(a, b)), 2) for a, b in zip(one.below, two.below, strict=True))
    above = tuple(round(float(np.hypot(a, b)), 2) for a, b in zip(one.above, two.above, strict=True))
    return Spread(below, above)


if __name__ == "__main__":
    main()
