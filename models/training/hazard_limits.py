"""Tell how much of the error of percentage seen is the step from attention to viewers, and how much the attention.

    pip install scikit-learn
    python models/training/hazard_limits.py DATA [--every 2]

On photographs of a laboratory that neither the attention model nor the step was fitted to (MIT1003: 15 viewers, 3 s,
measured onsets; without the fixation on the cross that each trial begins with), in boxes of random place, size and
shape and the cells of grids of 2 x 2 to 5 x 5. Printed, in points, is the root mean square error against a large panel,
that is, with the sampling of viewers taken out; the mean absolute error against these viewers; and the bias:

- the step that ships, on the predicted density; the same, its constants fitted to these viewers, pictures left out;
- boosted trees, pictures left out, that see the shares of the predicted density in the box, sharpened and not, size,
  shape and place of the box, the time, how gathered the density is, and what the step says: no step that goes by these
  can do much better;
- the step on people's density in the place of the predicted one: of all viewers, and of one half for the other half.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import hazard_truth
import numpy as np
import pandas as pd
from hazard_fit import Fit, Shares, folds, human_densities, regions_table
from hazard_truth import Looked, grid_boxes, looked_at, random_boxes
from sklearn.ensemble import HistGradientBoostingRegressor

from mediaan.aoi.scoring.fixation_hazard import built_in_hazard_model
from mediaan.metrics.scores.concentration import concentration
from mediaan.types.aoi import Box
from mediaan.types.arrays import Bool, Float64

SET, VIEWING_S, CROSS_S = "dev/mit1003", 3.0, 0.05
GRID_CELLS = 29 + 25  # of the grids up to 5 x 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--every", type=int, default=1, help="use every so many pictures")
    args = parser.parse_args()
    hazard_truth.VIEWING_S[SET] = VIEWING_S
    hazard_truth.MEASURED += (SET,)
    pictures = list(without_cross(looked_at(args.data, {SET: None})))[:: args.every]
    boxes = [[*random_boxes(picture), *list(grid_boxes())[:GRID_CELLS]] for picture in pictures]
    table = regions_table([(p, [("box", box) for box in regions]) for p, regions in zip(pictures, boxes, strict=True)])
    print(f"{len(pictures)} pictures, {sum(map(len, boxes))} boxes, {len(table)} rows")

    def fit_to(densities: Iterable[object]) -> Fit:
        return Fit(table, Shares(zip(densities, boxes, strict=True)))

    ships = built_in_hazard_model()
    people = replace(ships, sharpness=1.0)  # that of the model makes up for what it is unsure of
    predicted = fit_to(picture.densities for picture in pictures)
    fold, refitted = folds(table), np.empty(len(table))
    for k in np.unique(fold):
        model = predicted.fit(table[fold != k], ships)
        refitted[fold == k] = predicted.seen(model, table[fold == k])
    rows = {
        "the step that ships": (predicted.seen(ships), "seen"),
        "constants fitted to these viewers": (refitted, "seen"),
        "boosted trees": (boosted(inputs(predicted, pictures, boxes), table, fold), "seen"),
        "people's density": (fit_to(map(human_densities, pictures)).seen(people), "seen"),
        "density of one half, for the other half": (fit_to(half_densities(pictures, boxes)).seen(people), "seen_other"),
        "the step that ships, for that half": (predicted.seen(ships), "seen_other"),
    }
    print("\n| points: error, against viewers, bias | all | 1 s | 3 s |\n|---|---|---|---|")
    for name, (seen, truth) in rows.items():
        cells = [
            errors(table, seen, truth, table.exposure.isin(times).to_numpy()) for times in ((0.5, 1, 2, 3), (1,), (3,))
        ]
        print(f"| {name} | {' | '.join(cells)} |")
    full = table[table.full]
    share = 100 * (predicted.shares.raw[full.region, 2] - full.fixations.to_numpy())
    print(
        f"\nshare of attention: error {np.sqrt((share**2).mean()):.1f} points, mean absolute {np.abs(share).mean():.1f}"
    )
    at = predicted.shares.raw[full.region, 2]
    rise = ships.share_seen(ships.hazard(at + 0.01, 0, 3)) - ships.share_seen(ships.hazard(at, 0, 3))
    print(f"a point of attention more is {100 * rise.mean():.1f} points of percentage seen in 3 s")


def without_cross(pictures: Iterable[Looked]) -> Iterator[Looked]:
    """Leave the fixation out with which each trial begins."""
    for picture in pictures:
        later = picture.onset_s > CROSS_S
        later_part = {name: getattr(picture, name)[later] for name in ("x", "y", "onset_s", "given_s", "duration_s")}
        yield replace(picture, viewer=np.unique(picture.viewer[later], return_inverse=True)[1], **later_part)


def half_densities(pictures: Iterable[Looked], boxes: Iterable[list[Box]]) -> Iterator[object]:
    """Densities of the halves that `regions_table` draws."""
    begin = 0
    for picture, regions in zip(pictures, boxes, strict=True):
        half = np.random.default_rng(begin).permutation(picture.viewers) < picture.viewers // 2
        yield human_densities(picture, np.flatnonzero(half))
        begin += len(regions)


def inputs(fit: Fit, pictures: list[Looked], boxes: list[list[Box]]) -> Float64:
    """What a box, the predicted density and the time tell, (rows, k)."""
    region = fit.table.region.to_numpy()
    x0, y0, x1, y1 = np.array([box for regions in boxes for box in regions])[region].T
    gathered = [
        concentration(p.densities["total"]) for p, regions in zip(pictures, boxes, strict=True) for _ in regions
    ]
    x, y = (x0 + x1) / 2 - 0.5, (y0 + y1) / 2 - 0.5
    raw = fit.shares.raw[region]
    return np.column_stack(
        [
            raw, np.log(raw + 1e-4), fit.shares.at(1.4, 0.2, region), fit.shares.at(1.0, 0.3, region), x1 - x0, y1 - y0,
            np.log((x1 - x0) * (y1 - y0)), x, y, np.hypot(x, y), fit.table.exposure, np.array(gathered)[region],
            fit.seen(built_in_hazard_model()),
        ]
    )  # fmt: skip


def boosted(columns: Float64, table: pd.DataFrame, fold: np.ndarray) -> Float64:
    seen = np.empty(len(table))
    for k in np.unique(fold):
        trees = HistGradientBoostingRegressor(
            max_depth=4, max_iter=120, learning_rate=0.06, l2_regularization=10, min_samples_leaf=60
        )
        seen[fold == k] = trees.fit(columns[fold != k], table.seen[fold != k]).predict(columns[fold == k]).clip(0, 1)
    return seen


def errors(table: pd.DataFrame, predicted: Float64, truth: str, chosen: Bool) -> str:
    rows, error = table[chosen], 100 * (predicted[chosen] - table[truth].to_numpy()[chosen])
    viewers = rows.viewers if truth == "seen" else np.ceil(rows.viewers / 2)
    noise = (rows[truth] * (1 - rows[truth]) / (viewers - 1)).mean() * 1e4
    return f"{np.sqrt(max(0.0, (error**2).mean() - noise)):.1f}, {np.abs(error).mean():.1f}, {error.mean():+.1f}"


if __name__ == "__main__":
    main()
