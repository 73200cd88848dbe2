"""The models of an analysis, each loaded when it is first needed."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path

import cv2

from mediaan.predictors import AttentionPredictor, TemporalAttention, load_frame_predictor, load_predictor
from mediaan.predictors.objects import ObjectDetector, load_detector
from mediaan.predictors.text import TextReader, load_text_reader


class Models:
    """Loads a model by name, or by the path of its card.

    Parameters
    ----------
    model : str or Path
        Of attention.
    device : {'auto', 'cpu', 'cuda'}
    threads : int
        Threads per prediction; picture operations of this process keep to as many. 0 leaves it to the runtime.
    detector : str or Path
        Of objects.
    """

    def __init__(
        self, model: str | Path, device: str = "auto", *, threads: int = 0, detector: str | Path = "objects"
    ) -> None:
        self._model, self._device, self._threads, self._detector = model, device, threads, detector
        if threads:
            cv2.setNumThreads(threads)

    @cached_property
    def still(self) -> AttentionPredictor:
        """For pictures."""
        return load_predictor(self._model, self._device, threads=self._threads)

    @cached_property
    def text(self) -> TextReader:
        """Reads text in frames."""
        return load_text_reader(threads=self._threads)

    @cached_property
    def objects(self) -> ObjectDetector:
        """Sees faces, people, products, logos and buttons in frames."""
        return load_detector(self._detector, self._device, threads=self._threads)

    @cached_property
    def moving(self) -> TemporalAttention:
        """For media that move; with one thread, because decoding goes on at the same time and needs the others."""
        return TemporalAttention(load_frame_predictor(self._model, self._device, threads=self._threads or 1))


@cache
def load_models(model: str, device: str = "auto", threads: int = 0, detector: str = "objects") -> Models:
    """Models stay loaded for as long as the process lives."""
    return Models(model, device, threads=threads, detector=detector)
