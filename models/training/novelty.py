"""Make mediaan/metrics/novelty.npz: what the training material looks like to the encoder of the attention network.

    python models/training/novelty.py ../shared/data [--cache FILE]

Every tenth picture is left out of the model and gives the quantiles of distances. Prints how many of some pictures that
the models were not made for would be flagged.
"""

from __future__ import annotations

import argparse
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import cv2
import numpy as np
from population import files_of, views

from mediaan.metrics.novelty import NOVELTY_THRESHOLD, NoveltyModel
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.vision.appearance import AppearanceEncoder, pool_features, resize_for_encoder

KINDS = (
    "advertisement", "art", "interior_design", "objects", "scenes", "suprematism", "visualizations", "web", "ads",
    "osie", "crowd", "scene", "saleci",
)  # fmt: skip
COMPONENTS = 48
SHRINKAGE = 0.1
OUT = Path(__file__).parents[2] / "mediaan/metrics/novelty.npz"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--cache", type=Path, help="file that keeps the features of the pictures")
    arguments = parser.parse_args()
    cv2.setNumThreads(1)
    features, kinds, held_out = corpus(arguments.data, arguments.cache)
    model = fit(features[~held_out], kinds[~held_out])
    distances = np.array([model.distance(row) for row in features[held_out]])
    model = replace(model, knots=np.quantile(distances, np.linspace(0, 1, 201)))
    save(model)
    report(model, features[held_out], kinds[held_out], arguments.data)


def corpus(data: Path, cache: Path | None) -> tuple[Float64, np.ndarray, np.ndarray]:
    """Features of all training pictures, their kinds, and which are left out: every tenth."""
    paths = [(kind, path) for kind in KINDS for path in files_of(data, kind)]
    if cache is not None and cache.exists():
        features = np.load(cache)
    else:
        features = np.array([features_of(views(path)[0]) for _, path in paths])
        if cache is not None:
            np.save(cache, features)
    return features, np.array([kind for kind, _ in paths]), np.arange(len(paths)) % 10 == 0


@cache
def encoder() -> AppearanceEncoder:
    return AppearanceEncoder(device="cpu", threads=1)


def features_of(rgb: UInt8) -> Float32:
    """As `AppearanceReader.read` has them, without the heads, which are perhaps not taught yet."""
    return pool_features(encoder().encode(resize_for_encoder(rgb)))


def fit(features: Float64, kinds: np.ndarray) -> NoveltyModel:
    rows = features.astype(np.float64)
    centre, scale = rows.mean(axis=0), rows.std(axis=0) + 1e-6
    z = (rows - centre) / scale
    axes = np.linalg.svd(z, full_matrices=False)[2][:COMPONENTS].T
    inside = z @ axes
    means = np.array([inside[kinds == kind].mean(axis=0) for kind in KINDS])
    within = np.concatenate([inside[kinds == kind] - mean for kind, mean in zip(KINDS, means, strict=True)])
    covariance = np.cov(within.T)
    covariance = (1 - SHRINKAGE) * covariance + SHRINKAGE * np.eye(COMPONENTS) * np.trace(covariance) / COMPONENTS
    whitening = np.linalg.cholesky(np.linalg.inv(covariance))
    rest = float(np.sqrt(np.mean(np.sum((z - inside @ axes.T) ** 2, axis=1))))
    return NoveltyModel(encoder().sha256, centre, scale, axes, means, whitening, rest, np.array([0.0, 1.0]))


def save(model: NoveltyModel) -> None:
    """As float32, which is finer than the features are repeatable."""
    names = [field.name for field in fields(NoveltyModel) if field.name != "model_sha256"]
    arrays = {name: np.asarray(getattr(model, name), np.float32) for name in names}
    np.savez_compressed(OUT, model_sha256=np.array(model.model_sha256), **arrays)
    print(f"wrote {OUT.name}, {OUT.stat().st_size / 1e3:.0f} kB")


def report(model: NoveltyModel, features: Float64, kinds: np.ndarray, data: Path) -> None:
    share = np.array([model.share(model.distance(row)) for row in features])
    for kind in KINDS:
        print(f"  {kind:16s} held out {np.sum(kinds == kind):3d}, median {np.median(share[kinds == kind]):.2f}, "
              f"flagged {np.mean(share[kinds == kind] > NOVELTY_THRESHOLD):.1%}")  # fmt: skip
    paths = [path for kind in ("advertisement", "web", "osie") for path in files_of(data, kind)[::20]]
    for name, change in STRANGE.items():
        shares = [model.share(model.distance(features_of(change(views(path)[0])))) for path in paths]
        print(f"  {name:32s} {len(shares)} pictures, flagged {np.mean(np.array(shares) > NOVELTY_THRESHOLD):.0%}")


def noise(rgb: UInt8) -> UInt8:
    return np.random.default_rng(0).integers(0, 256, rgb.shape).astype(np.uint8)


STRANGE = {
    "white noise": noise,
    "upside down": lambda rgb: np.ascontiguousarray(rgb[::-1]),
    "as a negative": lambda rgb: 255 - rgb,
    "in grey": lambda rgb: np.repeat(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)[..., None], 3, axis=2),
    "one plain colour": lambda rgb: np.full_like(rgb, rgb.reshape(-1, 3).mean(axis=0).astype(np.uint8)),
    "blocks of 1/32 of the side": lambda rgb: cv2.resize(
        cv2.resize(rgb, (32, 32), interpolation=cv2.INTER_AREA), rgb.shape[1::-1], interpolation=cv2.INTER_NEAREST
    ),
    "blurred by 1/50 of the side": lambda rgb: cv2.GaussianBlur(rgb, (0, 0), max(rgb.shape) / 50),
}

if __name__ == "__main__":
    main()
