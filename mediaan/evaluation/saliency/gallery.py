"""Draw a contact sheet of the images on which a predictor does worst and best: image, people, model."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from mediaan.errors import UsageError
from mediaan.evaluation.datasets.stimulus import GazeSet, Stimulus, read_frame
from mediaan.evaluation.saliency.scores import METRICS, ImageEvaluation, predict_density
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.types.arrays import Float32, UInt8
from mediaan.types.media import ViewSpec

# Long side of an image and the height of its caption, px.
_TILE = 320
_CAPTION = 22
_VIEW = ViewSpec("gallery", long_side=_TILE, upscale=True)
_INK, _PAPER = (32, 32, 32), 255


def write_gallery(
    predictor: AttentionPredictor,
    gaze_set: GazeSet[Stimulus],
    evaluation: ImageEvaluation,
    path: Path,
    *,
    count: int = 6,
    metric: str = "cc",
    maps_only: bool = False,
) -> None:
    """Write the sheet as one JPEG: the `count` worst images, then the `count` best, each with its score.

    In each map the colours run from nothing to that map's own maximum.

    `path`: ends in .jpg or .jpeg.
    `count`: images from either end.
    `metric`: key of `METRICS` that ranks them.
    `maps_only`: leave the images themselves out, so that the sheet may be shown where they may not.
    Raises UsageError: the file cannot be written, or the metric is undefined for all images.
    """
    pictures = {stimulus.name: stimulus for stimulus in gaze_set.stimuli}
    rows = [
        _row(predictor, pictures[name], evaluation, f"{name}  {METRICS[metric]} {value:.3f}", maps_only)
        for name, value in extremes(evaluation, metric, count)
    ]
    bgr = np.ascontiguousarray(np.concatenate(rows)[:, :, ::-1])
    encoded = cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, 88])[1]
    try:
        path.write_bytes(encoded.tobytes())
    except OSError as error:
        raise UsageError(f"the gallery {path} cannot be written: {error}") from error


def extremes(evaluation: ImageEvaluation, metric: str = "cc", count: int = 6) -> list[tuple[str, float]]:
    """Return names and scores of the worst images, the worst first, then of the best, the best last; none twice."""
    values = [(scores.name, scores.model[metric]) for scores in evaluation.pictures]
    defined = [(name, value) for name, value in values if value is not None]
    if not defined:
        raise UsageError(f"{METRICS[metric]} is undefined for all images; rank the gallery by another metric")
    ranked = sorted(defined, key=lambda pair: pair[1], reverse=metric == "kld")
    return ranked if len(ranked) <= 2 * count else ranked[:count] + ranked[-count:]


def _row(
    predictor: AttentionPredictor, picture: Stimulus, evaluation: ImageEvaluation, caption: str, maps_only: bool
) -> UInt8:
    rgb = read_frame(picture.path, _VIEW)[0]
    truth = picture.truth()
    prediction = predict_density(predictor, picture, evaluation.window)
    if maps_only:
        blank = np.zeros_like(rgb)
        tiles = [_tile(_overlay(blank, truth), f"{caption}: people"), _tile(_overlay(blank, prediction), "model")]
    else:
        tiles = [_tile(rgb, caption), _tile(_overlay(rgb, truth), "people"), _tile(_overlay(rgb, prediction), "model")]
    return np.concatenate(tiles, axis=1)


def _overlay(rgb: UInt8, density: Float32) -> UInt8:
    """Blend a density over the grey image; what is not attended stays grey."""
    grey = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    height, width = rgb.shape[:2]
    strength = cv2.resize(density / density.max(), (width, height), interpolation=cv2.INTER_LINEAR)
    colours = cv2.applyColorMap(np.rint(strength * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)[:, :, ::-1]
    alpha = 0.75 * np.sqrt(strength)[:, :, None]
    blended: UInt8 = np.rint((1 - alpha) * grey + alpha * colours).astype(np.uint8)
    return blended


def _tile(rgb: UInt8, caption: str) -> UInt8:
    """Put a caption above an image, and blank space beside one that is higher than wide."""
    height, width = rgb.shape[:2]
    tile = np.full((height + _CAPTION, _TILE, 3), _PAPER, np.uint8)
    left = (_TILE - width) // 2
    tile[_CAPTION:, left : left + width] = rgb
    cv2.putText(tile, caption, (4, 15), cv2.FONT_HERSHEY_SIMPLEX, 0.42, _INK, 1, cv2.LINE_AA)
    return tile
