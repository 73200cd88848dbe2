"""What the encoder of the attention network sees in a picture: features for scores that people were asked for.

The encoder has learned things, letters and textures on its way to where people look. It is cut out of the file of the
attention model when that is loaded, so it adds no weights, and it looks once, at a quarter of the cost of a prediction.
"""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np

from mediaan.predictors.appearance_heads import Cells, load_heads
from mediaan.predictors.cards import list_cards
from mediaan.predictors.prune import lead_to
from mediaan.predictors.session import open_session, run_outputs
from mediaan.predictors.weights import read_weights
from mediaan.types.appearance import Appearance
from mediaan.types.arrays import Float32, UInt8

MODEL = "attention"
"""Features always come from the model that ships, whichever one predicts attention: scores rest on them."""

PIXELS = 110_592
"""Area at which pictures are shown to the encoder, px²: as the frames of a video."""

_MULTIPLE = 32


class Encoder:
    """The encoder of the attention model that ships.

    Parameters
    ----------
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per look on the CPU; 0 leaves it to the runtime.

    Attributes
    ----------
    sha256 : str
        Of the attention model.
    device : str
        Where it really runs.

    Raises
    ------
    SetupError
        Weights missing or damaged; a device that cannot be had.
    """

    def __init__(self, *, device: str = "auto", threads: int = 0) -> None:
        card = list_cards()[MODEL]
        self.sha256 = card.sha256
        self._taps = card.features
        self._session, self.device = open_session(
            lead_to(read_weights(card), *self._taps), device=device, threads=threads
        )

    def levels(self, rgb: UInt8) -> list[Float32]:
        """Features of a picture as `shown` gives it: (C, h, w) float32 at strides 4, 8, 16 and 32."""
        found = run_outputs(self._session, rgb[None], MODEL, self._taps)
        return [np.asarray(level[0], np.float32) for level in found]


class AppearanceReader:
    """Looks at pictures with the encoder of the attention model that ships, and the heads that were taught on it.

    Parameters
    ----------
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per look on the CPU; 0 leaves it to the runtime.

    Raises
    ------
    SetupError
        Weights missing or damaged, or heads that were taught on another encoder; a device that cannot be had.
    """

    def __init__(self, *, device: str = "auto", threads: int = 0) -> None:
        self._encoder = Encoder(device=device, threads=threads)
        self._heads = load_heads(self._encoder.sha256)
        self.sha256, self.device = self._encoder.sha256, self._encoder.device

    def look(self, rgb: UInt8) -> Appearance:
        """Look at a picture.

        Parameters
        ----------
        rgb : (H, W, 3) uint8
            sRGB, of any size; the view of the drivers where features shall compare with those of the scores.
        """
        levels = self._encoder.levels(shown(rgb))
        return self._heads.look(pooled(levels), levels)

    def cells(self, rgb: UInt8) -> Cells:
        """What is said of each cell of a picture (H, W, 3) uint8."""
        return self._heads.cells(self._encoder.levels(shown(rgb)))


def shown(rgb: UInt8) -> UInt8:
    """A picture as the encoder sees it: about `PIXELS` px², both sides multiples of 32."""
    height, width = rgb.shape[:2]
    factor = (PIXELS / (height * width)) ** 0.5
    size = tuple(max(_MULTIPLE, round(side * factor / _MULTIPLE) * _MULTIPLE) for side in (width, height))
    method = cv2.INTER_AREA if factor < 1 else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(rgb, size, interpolation=method), dtype=np.uint8)


def pooled(levels: list[Float32]) -> Float32:
    """Mean and standard deviation over the picture of each channel of each level (C, h, w), one after the other."""
    flat = [level.reshape(level.shape[0], -1) for level in levels]
    return np.concatenate([part for level in flat for part in (level.mean(axis=1), level.std(axis=1))])


@cache
def load_appearance(device: str = "auto", threads: int = 0) -> AppearanceReader:
    """A reader stays loaded for as long as the process lives."""
    return AppearanceReader(device=device, threads=threads)
