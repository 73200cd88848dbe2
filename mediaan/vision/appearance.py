"""Estimate text, faces and people in an image from features of the attention network's encoder.

The encoder has learned things, letters and textures on its way to where people look. It is cut out of the file of the
attention model when that is loaded, so it adds no weights, and it runs once, at a quarter of the cost of a prediction.
Small heads tell text, faces and people by cell from its features: reading an image takes far longer, and a score needs
to know how much text there is and how small, and whether people are shown, but not where exactly and not what it says.
`models/training/appearance.py` makes the weights of the heads, `models/appearance.md` says how far they can be trusted.
"""

from __future__ import annotations

import math
import zipfile
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import cv2
import numpy as np

from mediaan.errors import SetupError
from mediaan.saliency.onnx.registry import list_cards
from mediaan.saliency.onnx.session import open_session, run_outputs
from mediaan.saliency.onnx.weights import extract_subgraph, read_weights
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Appearance

_MAX_PRODUCT = 200_000
"""Multiplications that a linear algebra library is trusted not to divide among threads."""

CELL_PX = 8
"""Side of a cell, px of the image as shown to the encoder."""

NEAR_CELLS, FAR_CELLS = 3, 9
"""Sides of the squares of cells that a cell knows the mean of."""

MIN_TEXT_PROBABILITY = 0.5
"""Probability from which a cell counts where the height of text is asked for."""

_TEXT_SHARPNESS = 3.0
"""Of log-odds, before the share of text is summed: many cells that are hardly text make no text."""

_SMALL_LINE_QUANTILE = 0.2
"""Quantile of heights that stands for the smaller lines."""

_MIN_SHARE = 1e-6
_MAX_LOGIT = 30.0


class CellPredictions(NamedTuple):
    """Predictions for each cell, (h, w) float32."""

    text: Float32
    height: Float32
    """Log of the height of its letters, px of the image as shown; means nothing without text."""
    face: Float32
    person: Float32
    """text, face, person: Log-odds that it shows some."""


class AppearanceHeads:
    """The heads, as the weight file holds them.

    `weights` (mapping of arrays): as written by `models/training/appearance.py`.
    """

    def __init__(self, weights: dict[str, Float32]) -> None:
        self._levels = [weights[f"level{i}"] for i in range(4)]
        self._bias = weights["bias"]
        self._mix, self._mix_bias = weights["mix"], weights["mix_bias"]
        self._out, self._out_bias = weights["out"], weights["out_bias"]
        self._presence = {"face": weights["face_presence"], "person": weights["person_presence"]}
        self._animal = weights["animal"]

    def predict_cells(self, levels: list[Float32]) -> CellPredictions:
        """Predict what each cell shows.

        `levels` (list of (C, h, w) float32): of the encoder, at strides 4, 8, 16 and 32.
        """
        grid = (levels[1].shape[1], levels[1].shape[2])
        parts = [_project_level(level, weight, grid) for level, weight in zip(levels, self._levels, strict=True)]
        hidden = np.maximum(sum(parts[1:], parts[0]) + self._bias, 0)
        around = [cv2.blur(hidden, (side, side), borderType=cv2.BORDER_REPLICATE) for side in (NEAR_CELLS, FAR_CELLS)]
        mixed = np.maximum(_matrix_product(np.concatenate([hidden, *around], axis=2), self._mix) + self._mix_bias, 0)
        outputs = _matrix_product(mixed, self._out) + self._out_bias
        text, height, face, person = np.ascontiguousarray(outputs.transpose(2, 0, 1), dtype=np.float32)
        return CellPredictions(text, np.clip(height, 0, np.float32(math.log(CELL_PX * grid[0]))), face, person)

    def animal_log_odds(self, features: Float32) -> float:
        """Return the log odds of an animal by the pooled features (C,) of a cut-out."""
        odds = float(features.astype(np.float64) @ self._animal[:-1] + self._animal[-1])
        return min(max(odds, -_MAX_LOGIT), _MAX_LOGIT)

    def predict(self, features: Float32, levels: list[Float32]) -> Appearance:
        """Predict what an image holds from its features, pooled (C,) and by level (C, h, w)."""
        cells = self.predict_cells(levels)
        text, face, person = (_sigmoid(plane) for plane in (cells.text, cells.face, cells.person))
        evidence = presence_evidence(cells)
        return Appearance(
            features,
            text_share=_mean(_sigmoid(_TEXT_SHARPNESS * cells.text)),
            text_height=text_height(text, cells.height),
            text_letters=text_letters(text, cells.height),
            face_presence=_presence_probability(evidence, self._presence["face"]),
            person_presence=_presence_probability(evidence, self._presence["person"]),
            face_share=_mean(face),
            person_share=_mean(person),
            text_map=text,
            face_map=face,
            person_map=person,
            peaks=np.concatenate([level.max(axis=(1, 2)) for level in levels]),
            text_features=np.concatenate([_weighted_mean(level, text) for level in levels]),
        )


def text_height(text: Float32, height: Float32) -> float | None:
    """Return the height of the smaller lines as a share of the image's height; None where no cell is text.

    `text` (h, w) float32: probability of text.
    `height` (h, w) float32: log of the height of letters, px.

    >>> round(text_height(np.float32([[0.9], [0.8]]), np.log(np.float32([[4.0], [2.0]]))), 4)
    0.125
    >>> text_height(np.float32([[0.1], [0.2]]), np.zeros((2, 1), np.float32)) is None
    True
    """
    chosen = text >= MIN_TEXT_PROBABILITY
    if not chosen.any():
        return None
    heights, weights = height[chosen], text[chosen].astype(np.float64)
    order = np.argsort(heights, kind="stable")
    filled = np.cumsum(weights[order])
    at = int(np.searchsorted(filled, _SMALL_LINE_QUANTILE * filled[-1]))
    return math.exp(float(heights[order[at]])) / (CELL_PX * int(text.shape[0]))


def text_letters(text: Float32, height: Float32) -> float:
    """Return the area of text, in squares as high as the letters there.

    >>> text_letters(np.ones((1, 2), np.float32), np.log(np.float32([[4.0, 8.0]])))
    5.0
    """
    squares = CELL_PX**2 / np.exp(2 * height.astype(np.float64))
    return round(float((text * (text >= MIN_TEXT_PROBABILITY) * squares).sum()), 6)


def presence_evidence(cells: CellPredictions) -> Float64:
    """Return the evidence of presence: of faces, then of people, the strongest place and the log-odds of the share.

    Returns (4,) float64.
    """
    evidence: list[float] = []
    for plane in (cells.face, cells.person):
        peak = np.asarray(cv2.blur(plane, (NEAR_CELLS, NEAR_CELLS), borderType=cv2.BORDER_REPLICATE)).max()
        share = min(max(_mean(_sigmoid(plane)), _MIN_SHARE), 1 - _MIN_SHARE)
        evidence += [float(peak), math.log(share / (1 - share))]
    return np.array(evidence, np.float64)


def _project_level(level: Float32, weight: Float32, grid: tuple[int, int]) -> Float32:
    """Return a level's part in the hidden channels, (h, w, hidden) on the grid of cells."""
    channels, height, width = level.shape
    if height > grid[0]:
        halved = cv2.resize(level.transpose(1, 2, 0), grid[::-1], interpolation=cv2.INTER_AREA)
        return _matrix_product(np.asarray(halved, np.float32), weight)
    part = _matrix_product(level.reshape(channels, -1).T, weight).reshape(height, width, -1)
    if (height, width) == grid:
        return part
    return np.asarray(cv2.resize(part, grid[::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _weighted_mean(level: Float32, weight: Float32) -> Float32:
    """Return the mean over the image of each channel of a level (C, h, w), by a weight above 0 for each cell."""
    height, width = level.shape[1:]
    method = cv2.INTER_AREA if height < weight.shape[0] else cv2.INTER_LINEAR
    near = np.asarray(cv2.resize(weight, (width, height), interpolation=method), np.float32)
    return np.asarray((level * near).sum(axis=(1, 2)) / near.sum(), np.float32)


def _sigmoid(logits: Float32) -> Float32:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -_MAX_LOGIT, _MAX_LOGIT))), np.float32)


def _mean(plane: Float32) -> float:
    return float(plane.mean(dtype=np.float64))


def _matrix_product(rows: Float32, weight: Float32) -> Float32:
    """Multiply rows (..., C) by a matrix (C, K), a few rows at a time.

    Linear algebra libraries divide large products among threads, which changes the order of sums and so the last bits:
    a worker with one thread would say something else than the same program alone. Small products they leave whole
    (OpenBLAS: up to 262,144 multiplications).
    """
    flat = rows.reshape(-1, rows.shape[-1])
    step = max(1, _MAX_PRODUCT // weight.size)
    parts = [flat[i : i + step] @ weight for i in range(0, len(flat), step)]
    return np.concatenate(parts).reshape(*rows.shape[:-1], weight.shape[1]).astype(np.float32, copy=False)


def _presence_probability(evidence: Float64, weights: Float32) -> float:
    return 1 / (1 + math.exp(-float(evidence @ weights[:-1] + weights[-1])))


@cache
def load_appearance_heads(encoder_sha256: str) -> AppearanceHeads:
    """Return the heads that ship.

    `encoder_sha256`: of the attention model whose encoder they read.
    Raises SetupError: their file is missing or damaged, or they were taught on another encoder.
    """
    path = files("mediaan.vision").joinpath("appearance_heads.npz")
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as content:
            weights = {name: content[name] for name in content.files}
        taught_on, heads = str(weights.pop("encoder_sha256")), AppearanceHeads(weights)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as error:
        raise SetupError(f"{path} cannot be read ({error!r}); reinstall mediaan", code="model_corrupt") from error
    if taught_on != encoder_sha256:
        raise SetupError(
            f"{path} was taught on the encoder of an attention model with sha256 {taught_on}, not {encoder_sha256}; "
            "teach it again (models/training/appearance.py)",
            code="model_corrupt",
        )
    return heads


ENCODER_MODEL = "attention"
"""Features always come from the model that ships, whichever one predicts attention: scores rest on them."""

ENCODER_PIXELS = 110_592
"""Area at which images are shown to the encoder, px²: as the frames of a video."""

_ENCODER_MULTIPLE = 32


class AppearanceEncoder:
    """The encoder of the attention model that ships.

    `threads`: threads per image on the CPU; 0 leaves it to the runtime.
    `sha256`: of the attention model.
    `device`: where it really runs.
    Raises SetupError: weights missing or damaged; a device that cannot be had.
    """

    def __init__(self, *, device: str = "auto", threads: int = 0) -> None:
        card = list_cards()[ENCODER_MODEL]
        self.sha256 = card.sha256
        self._features = card.features
        self._session, self.device = open_session(
            extract_subgraph(read_weights(card), *self._features), device=device, threads=threads
        )

    def encode(self, rgb: UInt8) -> list[Float32]:
        """Compute the features of an image of `resize_for_encoder`: (C, h, w) float32 at strides 4, 8, 16 and 32."""
        levels = run_outputs(self._session, rgb[None], ENCODER_MODEL, self._features)
        return [np.asarray(level[0], np.float32) for level in levels]


class AppearanceReader:
    """Estimate what images hold with the encoder of the attention model that ships, and the heads taught on it.

    `threads`: threads per image on the CPU; 0 leaves it to the runtime.
    Raises SetupError: weights missing or damaged, or heads that were taught on another encoder; a device that cannot be
        had.
    """

    def __init__(self, *, device: str = "auto", threads: int = 0) -> None:
        self._encoder = AppearanceEncoder(device=device, threads=threads)
        self._heads = load_appearance_heads(self._encoder.sha256)
        self.sha256, self.device = self._encoder.sha256, self._encoder.device

    def read(self, rgb: UInt8) -> Appearance:
        """Estimate what an image holds.

        `rgb` (H, W, 3) uint8: sRGB, of any size; the view of the drivers where features must compare with those of the
            scores.
        """
        levels = self._encoder.encode(resize_for_encoder(rgb))
        return self._heads.predict(pool_features(levels), levels)

    def animal_log_odds(self, rgb: UInt8) -> float:
        """Estimate the log odds of an animal in a cut-out (H, W, 3) uint8, sides multiples of 32."""
        return self._heads.animal_log_odds(pool_features(self._encoder.encode(rgb)))

    def read_cells(self, rgb: UInt8) -> CellPredictions:
        """Estimate what each cell of an image (H, W, 3) uint8 holds."""
        return self._heads.predict_cells(self._encoder.encode(resize_for_encoder(rgb)))


def resize_for_encoder(rgb: UInt8) -> UInt8:
    """Resize an image to what the encoder takes: about `ENCODER_PIXELS` px², both sides multiples of 32."""
    height, width = rgb.shape[:2]
    factor = (ENCODER_PIXELS / (height * width)) ** 0.5
    size = tuple(
        max(_ENCODER_MULTIPLE, round(side * factor / _ENCODER_MULTIPLE) * _ENCODER_MULTIPLE) for side in (width, height)
    )
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(rgb, size, interpolation=method), dtype=np.uint8)


def pool_features(levels: list[Float32]) -> Float32:
    """Pool each channel of each level (C, h, w) into its mean and standard deviation, one after the other."""
    flat = [level.reshape(level.shape[0], -1) for level in levels]
    return np.concatenate([part for level in flat for part in (level.mean(axis=1), level.std(axis=1))])


@cache
def load_appearance_reader(device: str = "auto", threads: int = 0) -> AppearanceReader:
    """Load a reader once; the process keeps it."""
    return AppearanceReader(device=device, threads=threads)
