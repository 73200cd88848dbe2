"""Judge a scanpath model on images with people's fixations in order, beside baselines and other people."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mediaan.saliency.density import fixation_density
from mediaan.saliency.scanpath import ScanpathModel, next_fixation_odds, scanmatch, simulate_scanpaths
from mediaan.types.arrays import Float64
from mediaan.types.densities import Densities
from scanpath_evaluation.baselines import Paths, independent_draws, shuffled_order, winner_take_all
from scanpath_evaluation.sequences import edit_similarity, mean_shift, nearest, sequence_score

SAMPLED = ("model", "model, random order", "independent", "other image", "people", "people, random order")
SINGLE = ("typical path", "ranking")
MEASURES = ("scanmatch", "sequence_score", "edit_similarity")
COMPARED = 40
"""Simulated viewers that are compared with each person."""


@dataclass(frozen=True)
class ViewedImage:
    """An image with its prediction and the fixations of people."""

    set: str
    name: str
    densities: Densities
    x: Float64
    y: Float64
    onset_s: Float64
    duration_s: Float64
    """x, y, onset_s, duration_s: (n, k) float64. A row for each person; NaN after the last fixation. Unit coordinates,
    s."""
    exposure_s: float
    """Time for which people looked, s."""

    @property
    def seed(self) -> int:
        """Seed of what is drawn for the image."""
        return zlib.crc32(f"{self.set}/{self.name}".encode())

    @property
    def aspect(self) -> tuple[float, float]:
        """Height and width, share of the long side."""
        height, width = self.densities["total"].shape
        return height / max(height, width), width / max(height, width)


def similarities(
    image: ViewedImage, model: ScanpathModel, others: Sequence[ViewedImage]
) -> dict[tuple[str, str], float]:
    """Return the mean similarity of each kind of prediction with the image's viewers, by (prediction, measure).

    Parameters
    ----------
    image : ViewedImage
    model : ScanpathModel
    others : sequence of ViewedImage
        Of the same set, whose people's scanpaths are taken as a prediction, too.
    """
    rng = np.random.default_rng(image.seed)
    simulation = simulate_scanpaths(image.densities, image.exposure_s, seed=image.seed, model=model)
    paths = simulation.paths
    made = np.isfinite(paths.x[:COMPARED])
    predictions: dict[str, Paths] = {
        "model": (paths.x[:COMPARED], paths.y[:COMPARED]),
        "independent": independent_draws(image.densities["total"], made, rng),
        "other image": _stack(
            [(o.x[[i]], o.y[[i]]) for o in others if o is not image for i in _some(o, rng)][:COMPARED]
        ),
        "model, random order": shuffled_order(paths.x[:COMPARED], paths.y[:COMPARED], rng),
        "people": (image.x, image.y),
        "people, random order": shuffled_order(image.x, image.y, rng),
        "typical path": (paths.x[[paths.typical]], paths.y[[paths.typical]]),
        "ranking": winner_take_all(image.densities["total"], round(float(made.sum(axis=1).mean()))),
    }
    modes = mean_shift(
        np.column_stack(
            [image.x[np.isfinite(image.x)] * image.aspect[1], image.y[np.isfinite(image.y)] * image.aspect[0]]
        )
    )
    people, scores = len(image.x), {}
    for name, predicted in predictions.items():
        x, y = _stack([(image.x, image.y), predicted])
        first, second = (grid.ravel() for grid in np.mgrid[:people, people : len(x)])
        if name.startswith("people"):  # each person with the others
            kept = first != second - people
            first, second = first[kept], second[kept]
        scores[name, "scanmatch"] = float(scanmatch(x, y, image.aspect, first, second).mean())
        scores[name, "edit_similarity"] = float(edit_similarity(x, y, first, second).mean())
        labels = nearest(modes, x * image.aspect[1], y * image.aspect[0])
        scores[name, "sequence_score"] = float(sequence_score(labels, first, second).mean())
    return scores


def information(image: ViewedImage, model: ScanpathModel) -> dict[str, float]:
    """Return the mean log-likelihood of people's fixations under several predictions, bit per fixation, above uniform.

    `density`: the window total for every fixation. `density by index`: the window and sharpness of its index. `model`:
    given the fixations before. `model, random order`: likewise, for the same fixations in random order.
    """
    simulation = simulate_scanpaths(image.densities, image.exposure_s, seed=image.seed, model=model)
    grid = simulation.grid
    total = grid.sums(image.densities["total"]).ravel()
    shuffled = shuffled_order(image.x, image.y, np.random.default_rng(image.seed))
    logs: dict[str, list[float]] = {"density": [], "density by index": [], "model": [], "model, random order": []}
    for x, y, x_other, y_other in zip(image.x, image.y, *shuffled, strict=True):
        kept = np.isfinite(x)
        cells, other = grid.cells(x[kept], y[kept]), grid.cells(x_other[kept], y_other[kept])
        index = np.minimum(np.arange(cells.size), len(simulation.gains) - 1)
        logs["density"] += list(np.log2(total[cells]))
        logs["density by index"] += list(np.log2(simulation.targets[index, cells]))
        logs["model"] += list(np.log2(next_fixation_odds(simulation, model, cells)))
        logs["model, random order"] += list(np.log2(next_fixation_odds(simulation, model, other)))
    return {name: float(np.mean(values) + np.log2(total.size)) for name, values in logs.items()}


def marginal_agreement(image: ViewedImage, model: ScanpathModel) -> float:
    """Return the CC of the map of simulated fixations (5 s) with the density, blurred alike."""
    paths = simulate_scanpaths(image.densities, seed=image.seed, model=model).paths
    total = image.densities["total"]
    made = np.isfinite(paths.x)
    simulated = fixation_density(paths.x[made], paths.y[made], (total.shape[0], total.shape[1]))
    return float(np.corrcoef(simulated.ravel(), total.ravel())[0, 1])


def evaluation_table(images: Sequence[ViewedImage], models: Sequence[ScanpathModel]) -> pd.DataFrame:
    """Return one row for each image: similarities as ``prediction: measure``, information as ``bit: prediction``.

    Parameters
    ----------
    images : sequence of ViewedImage
    models : sequence of ScanpathModel
        For each image, one that was not fitted to it.
    """
    rows = []
    for image, model in zip(images, models, strict=True):
        others = [candidate for candidate in images if candidate.set == image.set]
        row: dict[str, object] = {"set": image.set, "name": image.name}
        row |= {f"{name}: {measure}": value for (name, measure), value in similarities(image, model, others).items()}
        row |= {f"bit: {name}": value for name, value in information(image, model).items()}
        rows.append(row)
    return pd.DataFrame(rows)


def _some(image: ViewedImage, rng: np.random.Generator) -> list[int]:
    return [int(rng.integers(len(image.x)))]


def _stack(paths: Sequence[Paths]) -> Paths:
    longest = max(x.shape[1] for x, _ in paths)
    x, y = (
        np.concatenate(
            [np.pad(path[axis], ((0, 0), (0, longest - path[axis].shape[1])), constant_values=np.nan) for path in paths]
        )
        for axis in (0, 1)
    )
    return x, y
