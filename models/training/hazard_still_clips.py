"""Test the moving side of the fixation hazard: held-out pictures as clips that stand still, against the same viewers.

There is no gaze on video here. But a picture that is shown for some seconds is a clip whose frames do not change, so
that at least what meets the densities of `TemporalAttention` can be chosen and checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
from hazard_fit import Fit, overlaps
from hazard_truth import Looked
from PIL import Image

from mediaan.aoi.scoring.fixation_hazard import FixationHazardModel
from mediaan.media import resize, view_size
from mediaan.saliency import AttentionPredictor, TemporalAttention, load_frame_predictor
from mediaan.types.aoi import Box

STEP_S = 0.25  # of which all exposures are multiples
STEPS = 20
SHARPNESS = np.arange(0.7, 1.61, 0.1)


def fit_moving(
    fit: Fit, model: FixationHazardModel, pictures: Sequence[tuple[Looked, Sequence[tuple[str, Box]]]]
) -> float:
    """The sharpness under which the densities over time predict best who sees a region; all else stays."""
    predictor, table = load_frame_predictor(threads=1), fit.table
    hazards = np.concatenate(
        [hazards_by_step(model, predictor, picture, [box for _, box in regions]) for picture, regions in pictures],
        axis=1,
    )
    step = np.round(table.exposure / STEP_S).astype(int) - 1
    seen = model.share_seen(hazards[:, table.region, step])
    likely = np.clip(seen, 1e-6, 1 - 1e-6)
    truth, weight = table.seen.to_numpy(), (table.weight * table.viewers).to_numpy()
    best = int(np.argmax((truth * np.log(likely) + (1 - truth) * np.log(1 - likely)) @ weight))
    print_errors(table, seen[best], float(SHARPNESS[best]))
    return round(float(SHARPNESS[best]), 2)


def hazards_by_step(
    model: FixationHazardModel, predictor: AttentionPredictor, picture: Looked, boxes: Sequence[Box]
) -> np.ndarray:
    """Cumulative hazard (sharpness, region, step) by the end of each step."""
    densities = over_time(predictor, picture)
    rows, columns = (overlaps(boxes, axis, n) for axis, n in ((1, densities[0].shape[0]), (0, densities[0].shape[1])))
    times, by_sharpness = np.arange(STEPS) * STEP_S, []
    for sharpness in SHARPNESS:
        sharp = replace(model, sharpness_moving=float(sharpness))
        shares = [((rows @ sharp.sharpen(density).astype(np.float64)) * columns).sum(1) for density in densities]
        by_sharpness.append([model.hazard(share, t, t + STEP_S) for share, t in zip(shares, times, strict=True)])
    return np.cumsum(np.array(by_sharpness), axis=1).transpose(0, 2, 1)


def over_time(predictor: AttentionPredictor, picture: Looked) -> list[np.ndarray]:
    """Densities of a clip that shows a picture for five seconds."""
    with Image.open(picture.path) as opened:
        image = opened.convert("RGB")
    rgb = np.asarray(resize(image, view_size(*image.size, predictor.view)), np.uint8)
    model, times = TemporalAttention(predictor), np.arange(STEPS) * STEP_S
    frames, same_shot = np.broadcast_to(rgb, (STEPS, *rgb.shape)), np.zeros(STEPS, np.int32)
    return model.advance(model.start(), frames, times, np.full(STEPS, STEP_S), same_shot, times == 0)[0]


def print_errors(table: pd.DataFrame, seen: np.ndarray, sharpness: float) -> None:
    error = np.abs(seen - table.seen)
    by_kind, by_time = error.groupby(table.kind).mean(), error.groupby(table.exposure).mean()
    print(
        f"\nClips that stand still, sharpness {sharpness:.1f}: percentage_seen MAE {100 * error.mean():.1f} points",
        end="",
    )
    print(
        f" over all regions, {100 * by_kind.mean():.1f} mean of kinds, bias {100 * (seen - table.seen).mean():+.1f};",
        end=" ",
    )
    print(", ".join(f"{kind} {100 * by_kind[kind]:.1f}" for kind in by_kind.index), end="; ")
    print(", ".join(f"{exposure:g} s {100 * value:.1f}" for exposure, value in by_time.items()))
