"""Fit mediaan/saliency/scanpath.json and print the figures of docs/order_of_looks.md.

    python models/training/scanpath.py ../shared/data

reads the fixations of OSIE, Crowd and Scene there on the pictures that the attention model was not trained on (of those
it knows, its densities are too sharp), and of MIT1003 and FiWI, which judge alone. To be run again whenever the
attention model changes; takes some minutes.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from datetime import date
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from hazard_truth import retimed
from scanpath_evaluation.evaluation import (
    MEASURES,
    SAMPLED,
    SINGLE,
    ViewedImage,
    evaluation_table,
    marginal_agreement,
)
from scanpath_evaluation.statistics import saccade_statistics, total_variation

from mediaan.evaluation.bootstrap import bootstrap_interval
from mediaan.media import open_image
from mediaan.saliency import load_predictor
from mediaan.saliency.density import PRIOR_CENTRE, blur
from mediaan.saliency.scanpath import (
    ANYWHERE,
    NARROW,
    WIDE,
    Grid,
    ScanpathModel,
    onward_feature,
    saccade_features,
    simulate_scanpaths,
)
from mediaan.types.arrays import Float64

ROOT = Path(__file__).parents[2]
FITTED = ("osie", "crowd", "scene")
JUDGED = ("dev/mit1003", "dev/fiwi")
EXPOSURE_S = {"osie": 3.0, "crowd": 5.0, "scene": 3.0, "dev/mit1003": 3.0, "dev/fiwi": 5.0}
ESTIMATED = ("osie", "crowd")  # onsets
BEGUN_BEFORE_S = {"dev/mit1003": 0.05, "dev/fiwi": 0.0}  # fixations that began by then are those on the cross
KNOTS = (0.0, 0.04, 0.08, 0.12, 0.17, 0.24, 0.34, 0.5, 0.8)
POWERS = np.arange(0.8, 2.41, 0.1)
CENTRE_SD = np.arange(0.12, 0.4, 0.02)
TRANSITIONS = 60  # of each picture, at most
ROUNDS = 4  # of what cells draw, and the weights given that
RIDGE = 1.0
FOLDS = 5
FIRST_GUESS = ScanpathModel(
    KNOTS, (0.0, -0.4, -1.0, -1.3, -1.6, -1.8, -2.4, -2.9, -3.7), 0.3, 0.0, 0.3, 0.4, (0.3, -0.4), (0.6, -0.4),
    (1.2, 1.5, 1.3), 0.19, 0.28, 0.3, (-1.5, -1.6), 0.5, 0.05,
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "mediaan/saliency/scanpath.json")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    fitted, other = (list(viewed_images(arguments.data / "gaze", sets)) for sets in (FITTED, JUDGED))
    fold = np.arange(len(fitted)) % FOLDS
    model = fit(fitted)
    without = {k: fit([image for image, f in zip(fitted, fold, strict=True) if f != k]) for k in range(FOLDS)}
    content = {"provenance": provenance(fitted), "constants": asdict(model)}
    arguments.out.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    print("Constants:", asdict(model))
    images, models = [*fitted, *other], [*(without[k] for k in fold), *[model] * len(other)]
    report(evaluation_table(images, models))
    print_statistics(images, models)


def viewed_images(gaze: Path, sets: Sequence[str]) -> Iterator[ViewedImage]:
    """Read pictures that the attention model was not trained on, with their predictions and fixations in order."""
    predictor = load_predictor("attention", "cpu", threads=1)
    for name in sets:
        table = pd.read_parquet(gaze / name / "fixations.parquet").sort_values(["image", "viewer", "index"])
        table = table[(table.x >= 0) & (table.x < 1) & (table.y >= 0) & (table.y < 1)]
        table = table[table.onset_s > BEGUN_BEFORE_S.get(name, -1.0)]
        listed = ROOT / f"models/training/split/held_out/{name}.txt"
        pictures = listed.read_text(encoding="utf-8").split() if listed.exists() else sorted(set(table.image))
        for picture in pictures:
            path = next((gaze / name / "images").glob(f"{picture}.*"))
            (densities,) = predictor.predict(open_image(path, [predictor.view]).chunks[0].views[predictor.view.name])
            people = [rows for _, rows in table[table.image == picture].groupby("viewer") if len(rows) > 1]
            columns = {
                column: np.full((len(people), max(map(len, people))), np.nan)
                for column in ("x", "y", "onset_s", "duration_s")
            }
            for row, rows in enumerate(people):
                for column, values in columns.items():
                    values[row, : len(rows)] = rows[column]
                if name in ESTIMATED:
                    columns["onset_s"][row, : len(rows)] = retimed(rows.duration_s.to_numpy(), EXPOSURE_S[name])
            yield ViewedImage(name, picture, densities, exposure_s=EXPOSURE_S[name], **columns)


def fit(images: Sequence[ViewedImage]) -> ScanpathModel:
    """Fit all constants by maximum likelihood; saccades and history by turns with what the cells draw."""
    model = fit_times(fit_first(FIRST_GUESS, images), images)
    features, chosen, owner = transitions(images)
    weights = np.zeros(len(features[0]))
    for _ in range(ROUNDS):
        gains = []
        for image in images:
            gains_of_image = simulate_scanpaths(image.densities, image.exposure_s, seed=image.seed, model=model).gains
            gains.append(np.log(gains_of_image + 1e-12))
        offsets = [gains[i][min(k, len(gains[i]) - 1)] for i, k in owner]
        weights = conditional_logit(features, chosen, offsets, weights)
        count = len(KNOTS) - 1
        horizontal, far, cardinal, onward, *history = (round(float(w), 3) for w in weights[count:])
        model = replace(
            model,
            length=(0.0, *(round(float(w), 3) for w in weights[:count])),
            horizontal=horizontal, horizontal_far=far, cardinal=cardinal, onward=onward,
            back=(history[0], history[1]), earlier=(history[2], history[3]),
        )  # fmt: skip
    return model


def transitions(images: Sequence[ViewedImage]) -> tuple[list[np.ndarray], np.ndarray, list[tuple[int, int]]]:
    """Sample saccades; what log odds are linear in by cell, (f, m) each; the cell chosen; image and index of each."""
    rng = np.random.default_rng(0)
    features, chosen, owner = [], [], []
    for number, image in enumerate(images):
        total = image.densities["total"]
        grid = Grid.over((total.shape[0], total.shape[1]))
        (rows, columns), (height, width) = grid.shape, grid.cell
        down, across = np.mgrid[:rows, :columns] * np.array([height, width])[:, None, None]
        every = [(person, i) for person, x in enumerate(image.x) for i in range(1, int(np.isfinite(x).sum()))]
        for pick in rng.permutation(len(every))[:TRANSITIONS]:
            person, index = every[pick]
            cells = grid.cells(image.x[person, : index + 1], image.y[person, : index + 1])
            y, x = cells // columns * height, cells % columns * width
            saccade = saccade_features(KNOTS, down - y[-2], across - x[-2])
            turn, before = np.zeros_like(down), np.array([0.0, 0.0])
            if index > 1:
                before = np.array([y[-2] - y[-3], x[-2] - x[-3]])
            if (length := float(np.hypot(*before))) > 0.03:
                turn = onward_feature(down - y[-2], across - x[-2], *(before / length))
            bumps = [
                [np.exp(-0.5 * ((down - y[i]) ** 2 + (across - x[i]) ** 2) / sd**2) for sd in (NARROW, WIDE)]
                for i in range(index - 1)
            ]
            back = np.array(bumps[-1:] or [[np.zeros_like(down)] * 2]).sum(axis=0)
            earlier = np.array(bumps[:-1] or [[np.zeros_like(down)] * 2]).sum(axis=0)
            all_of = np.concatenate([saccade, turn[None], back, earlier]).reshape(-1, rows * columns)
            features.append(all_of.astype(np.float32))
            chosen.append(int(cells[-1]))
            owner.append((number, index))
    return features, np.array(chosen), owner


def conditional_logit(
    features: Sequence[np.ndarray], chosen: np.ndarray, offsets: Sequence[Float64], weights: Float64
) -> Float64:
    """Maximize the likelihood of choices among cells (McFadden 1974) by Newton's method, with a slight ridge."""
    for _ in range(8):
        gradient, hessian = -RIDGE * weights, -RIDGE * np.eye(len(weights))
        for x, cell, offset in zip(features, chosen, offsets, strict=True):
            log_odds = offset + weights @ x
            p = np.exp(log_odds - log_odds.max())
            p /= p.sum()
            mean = x @ p
            gradient += x[:, cell] - mean
            hessian -= (x * p) @ x.T - np.outer(mean, mean)
        step = np.linalg.solve(hessian, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-3:
            break
    return weights


def fit_first(model: ScanpathModel, images: Sequence[ViewedImage]) -> ScanpathModel:
    """Fit the power of the density by index, and the window around the middle of the first fixation.

    The power of later fixations is the one at which their blurred map is nearest to the density (KLD).
    """
    likelihood = np.zeros((3, len(POWERS)))
    centred, apart = np.zeros((len(POWERS), len(CENTRE_SD))), np.zeros(len(POWERS))
    for image in images:
        start, total = (image.densities[window].astype(np.float64) for window in ("start", "total"))
        rows, columns = ((np.arange(n) + 0.5) / n for n in start.shape)
        squared = (rows - PRIOR_CENTRE[1])[:, None] ** 2 + (columns - PRIOR_CENTRE[0])[None] ** 2
        bells = np.exp(-0.5 * squared / CENTRE_SD[:, None, None] ** 2)
        for p, power in enumerate(POWERS):
            blurred = blur(total**power / (total**power).sum()).astype(np.float64)
            apart[p] += float((total * np.log((total + 1e-12) / (blurred + 1e-12))).sum())
            raised = start**power / (start**power).sum()
            for index in range(3):
                x, y = image.x[:, index], image.y[:, index]
                kept = np.isfinite(x)
                at = (y[kept] * start.shape[0]).astype(int), (x[kept] * start.shape[1]).astype(int)
                likelihood[index, p] += np.log(raised[at] + 1e-12).mean()
                if index == 0:
                    central = bells * raised / np.tensordot(bells, raised, 2)[:, None, None]
                    mixed = (1 - ANYWHERE) * central[:, *at] + ANYWHERE * raised[at]
                    centred[p] += np.log(mixed + 1e-12).mean(axis=1)
    first, sd = np.unravel_index(centred.argmax(), centred.shape)
    chosen = (first, *likelihood[1:].argmax(axis=1), apart.argmin())
    powers = tuple(round(float(POWERS[index]), 1) for index in chosen)
    return replace(model, sharpness=powers, centre_sd=round(float(CENTRE_SD[sd]), 2))


def fit_times(model: ScanpathModel, images: Sequence[ViewedImage]) -> ScanpathModel:
    """Fit durations, and gaps and latency where onsets were measured; sets count the same."""
    logs, gaps, firsts = [], [], []
    for name in dict.fromkeys(image.set for image in images):
        of_set = [image for image in images if image.set == name]
        by_index = [
            np.concatenate([image.duration_s[:, min(i, image.x.shape[1] - 1)] for image in of_set]) for i in range(3)
        ]
        later = np.concatenate([image.duration_s[:, 3:].ravel() for image in of_set])
        kept = [np.log(values[values > 0]) for values in (*by_index, later)]
        logs.append([*(float(gains_of_picture.mean()) for gains_of_picture in kept), float(np.concatenate(kept).std())])
        gap = np.concatenate([(i.onset_s[:, 1:] - i.onset_s[:, :-1] - i.duration_s[:, :-1]).ravel() for i in of_set])
        gaps.append(float(np.nanmean(gap)))
        if name not in ESTIMATED:
            firsts.append(np.log(np.concatenate([image.onset_s[:, 0] for image in of_set]).clip(0.1)))
    *means, sd = (round(float(value), 3) for value in np.mean(logs, axis=0))
    first = np.concatenate(firsts) if firsts else np.log([model.latency_s])
    return replace(
        model,
        duration_log_mean=tuple(means),
        duration_log_sd=sd,
        gap_s=round(float(np.mean(gaps)), 3),
        latency_s=round(math.exp(float(np.median(first))), 3),
        latency_log_sd=round(float(np.diff(np.quantile(first, [0.159, 0.841]))[0] / 2), 3),
    )


def report(table: pd.DataFrame) -> None:
    """Print similarities and information by set, with 95 % intervals over pictures."""
    for measure in MEASURES:
        print(f"\n| {measure} | {' | '.join((*SAMPLED, *SINGLE))} |\n|---|{'---|' * len((*SAMPLED, *SINGLE))}")
        for name, rows in table.groupby("set", sort=False):
            print(
                f"| {name} ({len(rows)}) |",
                " | ".join(_cell(rows[f"{p}: {measure}"], 3) for p in (*SAMPLED, *SINGLE)),
                "|",
            )
    print("\nDifferences")
    for better, than in (
        ("model", "independent"),
        ("model", "other image"),
        ("model", "model, random order"),
        ("people", "people, random order"),
        ("model", "people"),
        ("typical path", "ranking"),
        ("typical path", "model"),
        ("ranking", "people"),
    ):
        for name, rows in table.groupby("set", sort=False):
            print(
                f"| {better} - {than} | {name} |",
                " | ".join(_cell(rows[f"{better}: {m}"] - rows[f"{than}: {m}"], 3) for m in MEASURES),
                "|",
            )
    bits = [column for column in table if column.startswith("bit: ")]
    print(f"\n| bit | {' | '.join(bits)} | model - density | model - by index | order |")
    for name, rows in table.groupby("set", sort=False):
        gains = [
            rows["bit: model"] - rows[f"bit: {other}"]
            for other in ("density", "density by index", "model, random order")
        ]
        print(f"| {name} |", " | ".join(_cell(value, 2) for value in (*(rows[b] for b in bits), *gains)), "|")


def print_statistics(images: Sequence[ViewedImage], models: Sequence[ScanpathModel]) -> None:
    """Print statistics of saccades of people, the model and independent draws; and the marginal's agreement."""
    print(
        "\n| set | who | mean length | median | horizontal | returns | lengths apart | directions apart | fixations |"
    )
    for name in dict.fromkeys(image.set for image in images):
        of_set = [(image, model) for image, model in zip(images, models, strict=True) if image.set == name]
        simulated = [simulate_scanpaths(i.densities, i.exposure_s, seed=i.seed, model=m).paths for i, m in of_set]
        people = [saccade_statistics(image.x, image.y, image.aspect) for image, _ in of_set]
        model = [saccade_statistics(p.x, p.y, i.aspect) for p, (i, _) in zip(simulated, of_set, strict=True)]
        for who, of_group in (("people", people), ("model", model)):
            lengths, directions = (np.mean([getattr(f, k) for f in of_group], 0) for k in ("lengths", "directions"))
            truth = [np.mean([getattr(f, k) for f in people], 0) for k in ("lengths", "directions")]
            means = [
                np.mean([getattr(f, k) for f in of_group])
                for k in ("mean_length", "median_length", "horizontal", "returns")
            ]
            count = (
                np.mean([np.isfinite(i.x).sum(1).mean() for i, _ in of_set])
                if who == "people"
                else np.mean([np.isfinite(p.x).sum(1).mean() for p in simulated])
            )
            print(
                f"| {name} | {who} |",
                " | ".join(
                    f"{v:.3f}"
                    for v in (*means, total_variation(lengths, truth[0]), total_variation(directions, truth[1]), count)
                ),
                "|",
            )
        print(name, "marginal CC", _cell(pd.Series([marginal_agreement(i, m) for i, m in of_set]), 3))


def _cell(values: pd.Series, digits: int) -> str:
    low, high = bootstrap_interval(values.to_numpy()) or (math.nan, math.nan)
    return f"{values.mean():.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def provenance(images: Sequence[ViewedImage]) -> dict[str, object]:
    return {
        "command": "python models/training/scanpath.py DATA",
        "date": date.today().isoformat(),
        "model": "attention",
        "model_sha256": load_predictor("attention", "cpu").sha256,
        "data": "pictures held out from training of the free-viewing sets OSIE, Crowd and Scene",
        "pictures": len(images),
        "fixations": int(sum(np.isfinite(image.x).sum() for image in images)),
    }


if __name__ == "__main__":
    main()
