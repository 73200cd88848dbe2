"""Text, faces and people by cell, from the features of the encoder: small heads, taught by finders that look closely.

Reading a picture takes far longer; a score needs to know how much text there is and how small, and
whether people are shown, but not where exactly and not what it says. `models/training/appearance.py` makes the weights,
`models/appearance.md` says how far they can be trusted.
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
from mediaan.types.appearance import Appearance
from mediaan.types.arrays import Float32, Float64

_WHOLE = 200_000
"""Multiplications that a linear algebra library is trusted not to divide among threads."""

CELL = 8
"""Side of a cell, px of the picture as shown to the encoder."""

NEAR, FAR = 3, 9
"""Sides of the squares of cells that a cell knows the mean of."""

IS_TEXT = 0.5
"""Probability from which a cell counts where the height of text is asked for."""

_SHARPNESS = 3.0
"""Of log-odds, before the share of text is summed: many cells that are hardly text make no text."""

_SMALLER = 0.2
"""Quantile of heights that stands for the smaller lines."""

_LEAST_SHARE = 1e-6
_MOST_LOGIT = 30.0


class Cells(NamedTuple):
    """What is said of each cell, (h, w) float32.

    Attributes
    ----------
    text, face, person
        Log-odds that it shows some.
    height
        Log of the height of its letters, px of the picture as shown; means nothing without text.
    """

    text: Float32
    height: Float32
    face: Float32
    person: Float32


class AppearanceHeads:
    """The heads, as the weight file holds them.

    Parameters
    ----------
    weights : mapping of arrays
        As written by `models/training/appearance.py`.
    """

    def __init__(self, weights: dict[str, Float32]) -> None:
        self._levels = [weights[f"level{i}"] for i in range(4)]
        self._bias = weights["bias"]
        self._mix, self._mix_bias = weights["mix"], weights["mix_bias"]
        self._out, self._out_bias = weights["out"], weights["out_bias"]
        self._presence = {"face": weights["face_presence"], "person": weights["person_presence"]}

    def cells(self, levels: list[Float32]) -> Cells:
        """What each cell shows.

        Parameters
        ----------
        levels : list of (C, h, w) float32
            Of the encoder, at strides 4, 8, 16 and 32.
        """
        grid = (levels[1].shape[1], levels[1].shape[2])
        parts = [_project(level, weight, grid) for level, weight in zip(levels, self._levels, strict=True)]
        hidden = np.maximum(sum(parts[1:], parts[0]) + self._bias, 0)
        around = [cv2.blur(hidden, (side, side), borderType=cv2.BORDER_REPLICATE) for side in (NEAR, FAR)]
        mixed = np.maximum(_product(np.concatenate([hidden, *around], axis=2), self._mix) + self._mix_bias, 0)
        said = _product(mixed, self._out) + self._out_bias
        text, height, face, person = np.ascontiguousarray(said.transpose(2, 0, 1), dtype=np.float32)
        return Cells(text, np.clip(height, 0, np.float32(math.log(CELL * grid[0]))), face, person)

    def look(self, features: Float32, levels: list[Float32]) -> Appearance:
        """What a picture holds, from all that the encoder sees in it."""
        cells = self.cells(levels)
        text, face, person = (_probability(plane) for plane in (cells.text, cells.face, cells.person))
        evidence = presence_evidence(cells)
        return Appearance(
            features,
            text_share=_mean(_probability(_SHARPNESS * cells.text)),
            text_height=text_height(text, cells.height),
            text_letters=text_letters(text, cells.height),
            face_presence=_logistic(evidence, self._presence["face"]),
            person_presence=_logistic(evidence, self._presence["person"]),
            face_share=_mean(face),
            person_share=_mean(person),
            text_map=text,
            face_map=face,
            person_map=person,
            peaks=np.concatenate([level.max(axis=(1, 2)) for level in levels]),
            text_features=np.concatenate([_weighted_mean(level, text) for level in levels]),
        )


def text_height(text: Float32, height: Float32) -> float | None:
    """Height of the smaller lines as a share of the picture's height; None where no cell is text.

    Parameters
    ----------
    text : (h, w) float32
        Probability of text.
    height : (h, w) float32
        Log of the height of letters, px.

    Examples
    --------
    >>> round(text_height(np.float32([[0.9], [0.8]]), np.log(np.float32([[4.0], [2.0]]))), 4)
    0.125
    >>> text_height(np.float32([[0.1], [0.2]]), np.zeros((2, 1), np.float32)) is None
    True
    """
    chosen = text >= IS_TEXT
    if not chosen.any():
        return None
    heights, weights = height[chosen], text[chosen].astype(np.float64)
    order = np.argsort(heights, kind="stable")
    filled = np.cumsum(weights[order])
    at = int(np.searchsorted(filled, _SMALLER * filled[-1]))
    return math.exp(float(heights[order[at]])) / (CELL * int(text.shape[0]))


def text_letters(text: Float32, height: Float32) -> float:
    """Area of text, in squares as high as the letters there.

    Examples
    --------
    >>> text_letters(np.ones((1, 2), np.float32), np.log(np.float32([[4.0, 8.0]])))
    5.0
    """
    squares = CELL**2 / np.exp(2 * height.astype(np.float64))
    return round(float((text * (text >= IS_TEXT) * squares).sum()), 6)


def presence_evidence(cells: Cells) -> Float64:
    """What presence is judged by: of faces, then of people, the strongest place, and the log-odds of the share.

    Returns
    -------
    (4,) float64
    """
    found: list[float] = []
    for plane in (cells.face, cells.person):
        peak = np.asarray(cv2.blur(plane, (NEAR, NEAR), borderType=cv2.BORDER_REPLICATE)).max()
        share = min(max(_mean(_probability(plane)), _LEAST_SHARE), 1 - _LEAST_SHARE)
        found += [float(peak), math.log(share / (1 - share))]
    return np.array(found, np.float64)


def _project(level: Float32, weight: Float32, grid: tuple[int, int]) -> Float32:
    """A level's part in the hidden channels, (h, w, hidden) on the grid of cells."""
    channels, height, width = level.shape
    if height > grid[0]:
        halved = cv2.resize(level.transpose(1, 2, 0), grid[::-1], interpolation=cv2.INTER_AREA)
        return _product(np.asarray(halved, np.float32), weight)
    part = _product(level.reshape(channels, -1).T, weight).reshape(height, width, -1)
    if (height, width) == grid:
        return part
    return np.asarray(cv2.resize(part, grid[::-1], interpolation=cv2.INTER_LINEAR), np.float32)


def _weighted_mean(level: Float32, weight: Float32) -> Float32:
    """Mean over the picture of each channel of a level (C, h, w), by a weight above 0 for each cell."""
    height, width = level.shape[1:]
    method = cv2.INTER_AREA if height < weight.shape[0] else cv2.INTER_LINEAR
    near = np.asarray(cv2.resize(weight, (width, height), interpolation=method), np.float32)
    return np.asarray((level * near).sum(axis=(1, 2)) / near.sum(), np.float32)


def _probability(logits: Float32) -> Float32:
    return np.asarray(1 / (1 + np.exp(-np.clip(logits, -_MOST_LOGIT, _MOST_LOGIT))), np.float32)


def _mean(plane: Float32) -> float:
    return float(plane.mean(dtype=np.float64))


def _product(rows: Float32, weight: Float32) -> Float32:
    """Rows (..., C) times a matrix (C, K), a few rows at a time.

    Linear algebra libraries divide large products among threads, which changes the order of sums and so the last bits:
    a worker with one thread would say something else than the same program alone. Small products they leave whole
    (OpenBLAS: up to 262,144 multiplications).
    """
    flat = rows.reshape(-1, rows.shape[-1])
    step = max(1, _WHOLE // weight.size)
    parts = [flat[i : i + step] @ weight for i in range(0, len(flat), step)]
    return np.concatenate(parts).reshape(*rows.shape[:-1], weight.shape[1]).astype(np.float32, copy=False)


def _logistic(evidence: Float64, weights: Float32) -> float:
    return 1 / (1 + math.exp(-float(evidence @ weights[:-1] + weights[-1])))


@cache
def load_heads(encoder_sha256: str) -> AppearanceHeads:
    """Return the heads that ship.

    Parameters
    ----------
    encoder_sha256 : str
        Of the attention model whose encoder they shall read.

    Raises
    ------
    SetupError
        Their file is missing or damaged, or they were taught on another encoder.
    """
    path = files("mediaan.predictors").joinpath("appearance_heads.npz")
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
