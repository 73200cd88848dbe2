"""Figures of docs/calibration.md beyond those of `mediaan calibrate`: ``python -m bench.calibration GAZE``.

GAZE holds the three sets of eye tracking, of which the pictures are taken that the attention model was not trained on.
Printed are what comes of counting a fixation as a point or as a Gaussian, what one lab's calibration does to another's
viewers, and how many pictures are enough.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from mediaan.evaluation.calibration import (
    NO_CHANGE,
    AdjustmentLikelihoods,
    GridPoint,
    WindowFit,
    adjustment_likelihoods,
    is_better,
)
from mediaan.evaluation.datasets.image_set import gaze_set_from_fixations, read_fixations, read_names
from mediaan.evaluation.datasets.stimulus import Stimulus, read_frame
from mediaan.evaluation.saliency.metrics import cc, centre_bias, information_gain, kld, nss
from mediaan.saliency import load_predictor
from mediaan.saliency.density import SIGMA, resize_density
from mediaan.saliency.predictor import adjust_density

HELD_OUT = Path(__file__).parents[1] / "models/training/split/held_out"
SETS = ("osie", "crowd", "scene")
KERNELS = {"a point": 1e-4, "half the variance": SIGMA / 2**0.5, "the Gaussian of KLD and CC": SIGMA}
SIZES = (10, 20, 30)
TILES = (3, 6)
FOLDS, DRAWS = 5, 40


@dataclass(frozen=True)
class Lab:
    """A set's held-out pictures, and what the model says of them."""

    name: str
    pictures: tuple[Stimulus, ...]
    densities: list[np.ndarray]

    def likely(self, kernel: float = SIGMA / 2**0.5) -> AdjustmentLikelihoods:
        """Likelihoods of its fixations, each counted as a Gaussian."""
        rows = zip(self.densities, self.pictures, strict=True)
        return AdjustmentLikelihoods(
            np.stack([adjustment_likelihoods(d, p.gaze.x, p.gaze.y, kernel) for d, p in rows if p.gaze])
        )


def main() -> None:
    """Print all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gaze", type=Path)
    labs = [open_lab(parser.parse_args().gaze / name) for name in SETS]
    print_kernels(labs)
    tables = {lab.name: lab.likely() for lab in labs}
    print_transfer(tables)
    print_sizes(tables)


def open_lab(folder: Path) -> Lab:
    """Read a set and predict its held-out pictures."""
    fixations = read_fixations(folder).only(read_names(HELD_OUT / f"{folder.name}.txt"))
    model, pictures = load_predictor("attention", "cpu", threads=1), gaze_set_from_fixations(fixations, folder).pictures
    return Lab(folder.name, pictures, [model.predict(read_frame(p.path, model.view))[0]["total"] for p in pictures])


def folds(n: int, seed: int = 4) -> np.ndarray:
    """Group of each picture."""
    return np.random.default_rng(seed).permutation(n) % FOLDS


def left_out(likely: AdjustmentLikelihoods, group: np.ndarray) -> list[GridPoint]:
    """Fit without each image's group."""
    points = [likely.best(np.flatnonzero(group != k)) for k in range(FOLDS)]
    return [points[k] for k in group]


def print_kernels(labs: list[Lab]) -> None:
    """As what a fixation counts in the fit, and what comes of it on pictures left out."""
    print("| a fixation counts as | set | IG | NSS | CC | KLD | ninths | 36ths |\n|---|---|---|---|---|---|---|---|")
    for lab in labs:
        show(lab, "(no change)", [NO_CHANGE] * len(lab.pictures))
        for name, kernel in KERNELS.items():
            likely = lab.likely(kernel)
            show(lab, name, left_out(likely, folds(len(lab.pictures))))


def show(lab: Lab, name: str, points: list[GridPoint]) -> None:
    """Average over a set, each image under an adjustment of its own."""
    bias, rows = centre_bias(lab.pictures), []
    for picture, density, point in zip(lab.pictures, lab.densities, points, strict=True):
        made, truth = adjust_density(density, point.adjustment), picture.truth()
        fine = resize_density(made, picture.shape)
        errors = [np.abs(resize_density(made, (n, n)) - shares(picture, n)).mean() * 100 for n in TILES]
        gain = information_gain(fine, bias.without(truth), picture.cells)
        rows.append((gain, nss(fine, picture.cells), cc(fine, truth), kld(fine, truth), *errors))
    means = np.mean(np.array(rows, float), axis=0)
    print(f"| {name} | {lab.name} | " + " | ".join(f"{v:.3f}" for v in means[:4]), end=" | ")
    print(" | ".join(f"{v:.2f}" for v in means[4:]), "|", flush=True)


def shares(picture: Stimulus, n: int) -> np.ndarray:
    """Share of the fixations in each of n x n tiles."""
    assert picture.gaze is not None
    counts, _, _ = np.histogram2d(picture.gaze.y, picture.gaze.x, bins=n, range=((0, 1), (0, 1)))
    return counts / counts.sum()


def print_transfer(tables: dict[str, AdjustmentLikelihoods]) -> None:
    """Measure what one lab's calibration does to another's viewers, bits per fixation."""
    print(f"\n| fitted to, used on | {' | '.join(tables)} |\n|---|{'---|' * len(tables)}")
    for name, likely in tables.items():
        point = likely.best(np.arange(len(likely.bits)))
        gains = [float((other.at(point) - other.at(NO_CHANGE)).mean()) for other in tables.values()]
        held = likely.at(NO_CHANGE)
        points = left_out(likely, folds(len(likely.bits)))
        cross = float(np.mean([likely.at(p)[i] - held[i] for i, p in enumerate(points)]))
        cells = [
            f"{cross:+.3f} (left out)" if other == name else f"{g:+.3f}" for other, g in zip(tables, gains, strict=True)
        ]
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


def print_sizes(tables: dict[str, AdjustmentLikelihoods]) -> None:
    """Fits to so many pictures, drawn again and again, on those that were not drawn."""
    print("\n| pictures | set | fits taken | gain on the others [5 %, 95 % of draws] | worst |\n|---|---|---|---|---|")
    for name, likely in tables.items():
        for size in SIZES:
            draws = [drawn(likely, size, seed) for seed in range(DRAWS)]
            gains = np.array([gain for _, gain in draws])
            low, high = np.quantile(gains, [0.05, 0.95])
            taken = sum(took for took, _ in draws)
            print(f"| {size} | {name} | {taken} of {DRAWS} | {gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]", end=" | ")
            print(f"{gains.min():+.3f} |", flush=True)


def drawn(likely: AdjustmentLikelihoods, size: int, seed: int) -> tuple[bool, float]:
    """Whether a fit to some pictures is taken, and what it gains on the others, bits per fixation."""
    order = np.random.default_rng(seed).permutation(len(likely.bits))
    fitted, others = AdjustmentLikelihoods(likely.bits[order[:size]]), AdjustmentLikelihoods(likely.bits[order[size:]])
    group = folds(size, seed)
    points = tuple(fitted.best(np.flatnonzero(group != k)) for k in range(FOLDS))
    if not is_better(WindowFit("total", (), fitted, group, points).gains()):
        return False, 0.0
    point = fitted.best(np.arange(size))
    return True, float((others.at(point) - others.at(NO_CHANGE)).mean())


if __name__ == "__main__":
    main()
