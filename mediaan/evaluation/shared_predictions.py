"""Predictions that two readers ask for, made once."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from typing import Any

import numpy as np

from mediaan.predictors.port import AttentionPredictor
from mediaan.types.arrays import UInt8
from mediaan.types.maps import Densities
from mediaan.types.media import ViewSpec

# Predictions of one chunk of a clip and some more; older ones are asked for by nobody.
_MOST_KEPT = 128


class SharedPredictor:
    """A predictor that remembers its last answers, told by the pixels of a frame.

    A clip is scored over time and frame by frame: both need the same prediction of most frames.

    Parameters
    ----------
    predictor : AttentionPredictor
    """

    def __init__(self, predictor: AttentionPredictor) -> None:
        self._predictor = predictor
        self._kept: OrderedDict[bytes, Densities] = OrderedDict()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._predictor.name

    @property
    def sha256(self) -> str | None:
        """Hash of the weights."""
        return self._predictor.sha256

    @property
    def device(self) -> str:
        """Where it runs."""
        return self._predictor.device

    @property
    def view(self) -> ViewSpec:
        """The size in which frames must come."""
        return self._predictor.view

    @property
    def domains(self) -> tuple[str, ...]:
        """Domains of pictures that it tells apart."""
        return self._predictor.domains

    def predict(self, frames: UInt8, **options: Any) -> list[Densities]:
        """Predict the densities of each frame; further arguments are those of the predictor."""
        asked = repr((frames.shape[1:], sorted(options.items()))).encode()
        keys = [hashlib.blake2b(frame.tobytes(), digest_size=16).digest() + asked for frame in frames]
        missing = [i for i, key in enumerate(keys) if key not in self._kept]
        found = {key: self._kept[key] for key in keys if key in self._kept}
        if missing:
            fresh = self._predictor.predict(np.ascontiguousarray(frames[missing]), **options)
            found |= {keys[i]: densities for i, densities in zip(missing, fresh, strict=True)}
        self._kept.update(found)
        while len(self._kept) > _MOST_KEPT:
            self._kept.popitem(last=False)
        return [found[key] for key in keys]
