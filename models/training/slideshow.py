"""Attention over time against gaze on stills: `python models/training/slideshow.py DATA/gaze/osie NAMES.txt`.

Constants are fitted to gaze on film (`dynamics.py`) and must do no harm on stills, where fixations have times: a
picture comes on, is looked at for some seconds, and goes. Each held-out picture is shown to `TemporalAttention` as a
clip that stands still, five samples a second, and its density is compared, 200 ms by 200 ms, with where viewers were
looking, beside the image model alone and the centre prior. Viewers came from a fixation cross in the middle, and so
does `TemporalAttention.start()`.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

from mediaan.evaluation.datasets.image_set import grid_shape
from mediaan.evaluation.saliency.metrics import auc_judd, cc, nss
from mediaan.media import resize, view_size
from mediaan.saliency import AttentionPredictor, GazeDynamics, TemporalAttention, load_frame_predictor
from mediaan.saliency.density import centre_prior, fixation_cells, fixation_density, resize_density

BIN_S = 0.2
FEWEST = 5  # viewers in a bin for it to count
EDGES_S = (0.2, 0.4, 0.6, 1.0, 2.0, 3.0, 5.0)


def gaze_at(fixations: pd.DataFrame, t: float) -> pd.DataFrame:
    """Fixations that are under way at an instant."""
    return fixations[(fixations.onset_s <= t) & (t < fixations.onset_s + fixations.duration_s)]


def predictions(
    rgb: np.ndarray, bins: int, frame_model: AttentionPredictor, dynamics: GazeDynamics
) -> Mapping[str, list[np.ndarray]]:
    """What each predictor says in each bin."""
    alone = frame_model.predict(rgb[None])[0]
    model = TemporalAttention(frame_model, dynamics)
    frames = np.broadcast_to(rgb, (bins, *rgb.shape))
    times, weights = np.arange(bins) * BIN_S, np.full(bins, BIN_S)
    fresh = np.arange(bins) == 0
    over_time, _ = model.advance(model.start(), frames, times, weights, np.zeros(bins, np.int32), fresh)
    return {
        "centre prior": [centre_prior(alone["total"].shape)] * bins,
        "image model": [alone["total"]] * bins,
        "image model, start": [alone["start"]] * bins,
        "over time": over_time,
    }


def scores(path: Path, fixations: pd.DataFrame, frame_model: AttentionPredictor, dynamics: GazeDynamics) -> list[dict]:
    """NSS, CC and AUC-Judd of one picture by bin and predictor."""
    with Image.open(path) as picture:
        image = picture.convert("RGB")
    rgb = np.asarray(resize(image, view_size(*image.size, frame_model.view)), np.uint8)
    bins = int(np.ceil(fixations.onset_s.max() / BIN_S))
    rows = []
    predicted = predictions(rgb, bins, frame_model, dynamics)
    shape = grid_shape(path)
    for k in range(bins):
        here = gaze_at(fixations, (k + 0.5) * BIN_S)
        if len(here) < FEWEST:
            continue
        cells, truth = fixation_cells(here.x, here.y, shape), fixation_density(here.x, here.y, shape)
        for name, densities in predicted.items():
            density = resize_density(densities[k], shape)
            rows.append(
                {
                    "picture": path.stem,
                    "t": (k + 0.5) * BIN_S,
                    "predictor": name,
                    "NSS": nss(density, cells),
                    "CC": cc(density, truth),
                    "AUC": auc_judd(density, cells),
                }
            )
    return rows


def bootstrap(values: np.ndarray, draws: int = 2000) -> tuple[float, float]:
    """95 % interval of a mean over pictures."""
    rng = np.random.default_rng(0)
    means = values[rng.integers(0, len(values), (draws, len(values)))].mean(axis=1)
    return float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975))


def table(scores: pd.DataFrame) -> None:
    """Print means over pictures by time since the picture came on."""
    stages = pd.cut(scores.t, EDGES_S, right=False)
    by_picture = scores.groupby([stages, "predictor", "picture"], observed=True)[["NSS", "CC", "AUC"]].mean()
    means = by_picture.groupby(level=[0, 1], observed=True).mean().unstack()
    print(means.stack("predictor", future_stack=True).round(3).to_string())
    nss_of = by_picture["NSS"].unstack("predictor")
    gain = (nss_of["over time"] - nss_of["image model"]).dropna()
    for stage, values in gain.groupby(level=0, observed=True):
        low, high = bootstrap(values.to_numpy())
        print(f"{stage}: over time - image model, NSS {values.mean():+.3f} [{low:+.3f}, {high:+.3f}] ({len(values)})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", type=Path)
    parser.add_argument("--limit", type=int, default=None, help="only so many pictures")
    args = parser.parse_args()
    frame_model = load_frame_predictor("attention", "cpu", threads=1)
    fixations = pd.read_parquet(args.folder / "fixations.parquet")
    fixations = fixations[fixations.x.between(0, 1, "left") & fixations.y.between(0, 1, "left")]
    groups = dict(list(fixations.groupby(fixations.image.astype(str))))
    rows = []
    for name in args.names.read_text().split()[: args.limit]:
        path = next((args.folder / "images").glob(f"{name}.*"))
        rows += scores(path, groups[name], frame_model, GazeDynamics())
    table(pd.DataFrame(rows))


if __name__ == "__main__":
    main()
