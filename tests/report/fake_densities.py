"""Densities for a fake run, shaped like those of an attention model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from mediaan.saliency.density import normalise
from mediaan.saliency.density_storage import encode_densities
from mediaan.types.densities import Densities

GRID = (96, 128)


def made_up_densities(seed: int, domain: str | None = "ad") -> Densities:
    """Return a few blobs on a floor with some noise, others in each window."""
    rng = np.random.default_rng(seed)
    blobs = rng.uniform(0.1, 0.9, (6, 2)), rng.uniform(0.03, 0.2, (6, 2)), rng.uniform(0.1, 1.0, (3, 6))

    def density(weights: np.ndarray) -> np.ndarray:
        y, x = ((np.arange(cells) + 0.5) / cells for cells in GRID)
        found = np.full(GRID, 0.004)
        for (cx, cy), (sx, sy), weight in zip(blobs[0], blobs[1], weights, strict=True):
            found += weight * np.outer(np.exp(-(((y - cy) / sy) ** 2)), np.exp(-(((x - cx) / sx) ** 2)))
        return normalise(found * rng.lognormal(0, 0.01, GRID))

    maps = {window: density(weights) for window, weights in zip(("total", "start", "end"), blobs[2], strict=True)}
    domains = None if domain is None else {"photo": 0.2, "page": 0.1, domain: 0.7}
    return Densities(maps, domains)


def add_densities(run: Path, densities: Mapping[int, Densities]) -> Path:
    """Give media of a fake run densities, where its table says that they lie."""
    for i, found in densities.items():
        (folder,) = run.glob(f"maps/*-{i:08x}")
        (folder / "d.npz").write_bytes(encode_densities(found, {}))
    return run
