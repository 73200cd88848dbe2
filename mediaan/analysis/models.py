"""The models of an analysis, each loaded when it is first needed."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import cv2
import numpy as np

from mediaan.media import view_size
from mediaan.media.views import resize_to_view
from mediaan.saliency import AttentionPredictor, load_frame_predictor, load_predictor
from mediaan.saliency.attention_model import OnnxAttention
from mediaan.saliency.onnx.cards import DetectorCard
from mediaan.saliency.onnx.registry import find_card
from mediaan.saliency.viewer_calibration import (
    CalibratedPredictor,
    calibrate_densities,
)
from mediaan.types.aoi import Detection
from mediaan.types.arrays import UInt8
from mediaan.types.densities import Appearance, Densities
from mediaan.types.eye_tracking import Calibration
from mediaan.vision.appearance import AppearanceReader, load_appearance_reader, resize_for_encoder
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
        """Cheaper attention model of frames: those of videos, and of augmented images."""
        return self._calibrated(self._bare_frames)

    @_loaded
    def appearance(self) -> AppearanceReader:
        """Reader of what an image holds: text, faces, people."""
        return load_appearance_reader(self._device, self._threads)

    def predict_frame(self, rgb: UInt8, domain: str | None = None) -> Densities:
        """Predict the densities of a frame of any size by the cheaper model; parameters are those of `read_frame`."""
        size = view_size(rgb.shape[1], rgb.shape[0], self.frames.view)
        method = cv2.INTER_AREA if size[0] <= rgb.shape[1] else cv2.INTER_LINEAR
        frame = np.asarray(cv2.resize(rgb, size, interpolation=method), dtype=np.uint8)
        (densities,) = self.frames.predict(frame[None], domain=domain)
        return densities

    def read_frame(self, rgb: UInt8, domain: str | None = None) -> tuple[Densities, Appearance]:
        """Predict the densities of a frame by the cheaper model, and estimate what it holds.

        The model that ships computes both in one pass; any other one is run beside its encoder.

        `rgb`: (H, W, 3) uint8.
        `domain`: of the frame, where it was stated.
        """
        bare = self._bare_frames
        if not isinstance(bare, OnnxAttention) or not bare.has_features or bare.sha256 != self.appearance.sha256:
            return self.predict_frame(rgb, domain), self.appearance.read(rgb)
        densities, levels = bare.predict_with_features(resize_for_encoder(rgb)[None], domain=domain)
        if self._calibration is not None:
            densities = calibrate_densities(densities, self._calibration)
        return densities, self.appearance.interpret(levels)

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
        from mediaan.saliency.temporal import CalibratedTemporalAttention, TemporalAttention

        if self._calibration is not None:
            return CalibratedTemporalAttention(self._bare_frames, self._calibration)
        return TemporalAttention(self._bare_frames)

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
