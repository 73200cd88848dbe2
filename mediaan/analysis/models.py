"""The models of an analysis, each loaded when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import cv2

from mediaan.media.views import resize_to_view
from mediaan.saliency import AttentionPredictor, load_frame_predictor, load_predictor
from mediaan.saliency.onnx.registry import DetectorCard, find_card
from mediaan.saliency.predictor import (
    CalibratedPredictor,
)
from mediaan.types.aoi import Detection
from mediaan.types.arrays import UInt8
from mediaan.types.eye_tracking import Calibration
from mediaan.vision.appearance import AppearanceReader, load_appearance_reader
from mediaan.vision.objects.animals import cut_out, with_animals
from mediaan.vision.objects.detector import DEFAULT_DETECTOR, ObjectDetector, load_detector
from mediaan.vision.objects.large_products import smaller_view, with_large_products
from mediaan.vision.text.reader import TextReader, load_text_reader

if TYPE_CHECKING:
    from mediaan.saliency import TemporalAttention

Loaded = TypeVar("Loaded")
_lock = threading.Lock()


def _loaded(load: Callable[[Models], Loaded]) -> cached_property[Loaded]:
    """Turn a loader into a cached property that several threads may read at the same time."""
    name = load.__name__

    @wraps(load)
    def once(models: Models) -> Loaded:
        with models.lock:
            if name not in vars(models):
                vars(models)[name] = load(models)
            model: Loaded = vars(models)[name]
            return model

    return cached_property(once)


class Models:
    """Models by name, or by the path of their card, each loaded when first used; may be shared by threads.

    `model`: of attention.
    `threads`: threads per prediction, and of OpenCV in this process. 0 leaves it to the runtime.
    `detector`: of objects.
    `calibration`: of the viewers whose attention is predicted.
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
        self.lock = threading.RLock()  # one model of several may rest on another
        if threads:
            cv2.setNumThreads(threads)

    @_loaded
    def still(self) -> AttentionPredictor:
        """Attention model of images."""
        return self._calibrated(load_predictor(self._model, self._device, threads=self._threads))

    @_loaded
    def frames(self) -> AttentionPredictor:
        """Cheaper attention model: of the frames of videos, and of edits that are tried."""
        return self._calibrated(self._bare_frames)

    @_loaded
    def appearance(self) -> AppearanceReader:
        """Reader of what an image holds: text, faces, people."""
        return load_appearance_reader(self._device, self._threads)

    @_loaded
    def text(self) -> TextReader:
        """Reader of text in frames."""
        return load_text_reader(threads=self._threads)

    @_loaded
    def objects(self) -> ObjectDetector:
        """Detector of faces, people, products, logos and buttons in frames."""
        return load_detector(self._detector, self._device, threads=self._threads)

    def detect_objects(self, rgb: UInt8) -> tuple[Detection, ...]:
        """Detect the objects in a frame (H, W, 3) uint8 of any size; persons that look like animals are animals."""
        (detections,) = self.objects.detect(resize_to_view(rgb, self.objects.view)[None])
        if self._detector == DEFAULT_DETECTOR:  # others may take one size only
            (smaller,) = self.objects.detect(resize_to_view(rgb, smaller_view(self.objects.view))[None])
            detections = with_large_products(detections, smaller)
        return with_animals(detections, lambda box, cut: self.appearance.animal_log_odds(cut_out(rgb, box, cut)))

    @_loaded
    def moving(self) -> TemporalAttention:
        """Attention model of videos; with one thread, because decoding runs at the same time and needs the others."""
        from mediaan.saliency.temporal import TemporalAttention

        return TemporalAttention(self._bare_frames, calibration=self._calibration)

    @_loaded
    def _bare_frames(self) -> AttentionPredictor:
        return load_frame_predictor(self._model, self._device, threads=self._threads or 1)

    def _calibrated(self, predictor: AttentionPredictor) -> AttentionPredictor:
        return predictor if self._calibration is None else CalibratedPredictor(predictor, self._calibration)


def load_model(name: str | Path, device: str = "auto") -> AttentionPredictor | ObjectDetector:
    """Load an attention model or a detector, whichever `name` is; errors as of `load_predictor` and `load_detector`."""
    is_detector = isinstance(find_card(name), DetectorCard)
    return load_detector(name, device) if is_detector else load_predictor(name, device)


def load_models(
    model: str,
    device: str = "auto",
    threads: int = 0,
    detector: str = "objects",
    calibration: Calibration | None = None,
) -> Models:
    """Return models that stay loaded as long as the process lives; threads share them."""
    with _lock:
        return _models(model, device, threads, detector, calibration)


@cache
def _models(model: str, device: str, threads: int, detector: str, calibration: Calibration | None) -> Models:
    return Models(model, device, threads=threads, detector=detector, calibration=calibration)
