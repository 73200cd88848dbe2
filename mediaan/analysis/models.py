"""The models of an analysis, each loaded when it is first needed."""

from __future__ import annotations

from functools import cache, cached_property
from pathlib import Path

import cv2

from mediaan.predictors import AttentionPredictor, TemporalAttention, load_frame_predictor, load_predictor
from mediaan.predictors.appearance import AppearanceReader, load_appearance
from mediaan.predictors.calibrated import Calibrated, CalibratedOverTime
from mediaan.predictors.objects import ObjectDetector, load_detector
from mediaan.predictors.text import TextReader, load_text_reader
from mediaan.types.calibration import Calibration


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
    calibration : Calibration, optional
        Of the viewers whose attention is predicted.
    """

    def __init__(
        self,
        model: str | Path,
        device: str = "auto",
        *,
        threads: int = 0,
        detector: str | Path = "objects",
        calibration: Calibration | None = None,
    ) -> None:
        self._model, self._device, self._threads, self._detector = model, device, threads, detector
        self._calibration = calibration
        if threads:
            cv2.setNumThreads(threads)

    @cached_property
    def still(self) -> AttentionPredictor:
        """For pictures."""
        return self._calibrated(load_predictor(self._model, self._device, threads=self._threads))

    @cached_property
    def frames(self) -> AttentionPredictor:
        """For frames that must be cheap: those of videos, and of pictures that are looked at again."""
        return self._calibrated(self._bare_frames)

    @cached_property
    def appearance(self) -> AppearanceReader:
        """Sees what a picture holds."""
        return load_appearance(self._device, self._threads)

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
        if self._calibration is not None:
            return CalibratedOverTime(self._bare_frames, self._calibration)
        return TemporalAttention(self._bare_frames)

    @cached_property
    def _bare_frames(self) -> AttentionPredictor:
        return load_frame_predictor(self._model, self._device, threads=self._threads or 1)

    def _calibrated(self, predictor: AttentionPredictor) -> AttentionPredictor:
        return predictor if self._calibration is None else Calibrated(predictor, self._calibration)


@cache
def load_models(
    model: str,
    device: str = "auto",
    threads: int = 0,
    detector: str = "objects",
    calibration: Calibration | None = None,
) -> Models:
    """Models stay loaded for as long as the process lives."""
    return Models(model, device, threads=threads, detector=detector, calibration=calibration)
