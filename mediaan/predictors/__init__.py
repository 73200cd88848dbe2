"""Keep the names of 0.8 for one release: attention models are in `mediaan.saliency`, detectors in `mediaan.vision`."""

from __future__ import annotations

import importlib
import warnings
from typing import Any

_MOVED = {
    "AttentionPredictor": ("mediaan.saliency", "AttentionPredictor"),
    "Card": ("mediaan.saliency", "AttentionCard"),
    "DetectorCard": ("mediaan.saliency", "DetectorCard"),
    "GazeDynamics": ("mediaan.saliency", "GazeDynamics"),
    "GazeState": ("mediaan.saliency", "GazeState"),
    "ObjectDetector": ("mediaan.vision.objects.detector", "ObjectDetector"),
    "TemporalAttention": ("mediaan.saliency", "TemporalAttention"),
    "list_cards": ("mediaan.saliency", "list_cards"),
    "list_detector_cards": ("mediaan.saliency", "list_detector_cards"),
    "load_detector": ("mediaan.vision.objects.detector", "load_detector"),
    "load_frame_predictor": ("mediaan.saliency", "load_frame_predictor"),
    "load_predictor": ("mediaan.saliency", "load_predictor"),
    "read_card": ("mediaan.saliency", "read_card"),
}


def __getattr__(name: str) -> Any:
    if name not in _MOVED:
        raise AttributeError(f"module 'mediaan.predictors' has no attribute {name!r}")
    module, new = _MOVED[name]
    warnings.warn(
        f"mediaan.predictors.{name} is {module}.{new} now; the old name goes with the next release",
        DeprecationWarning,
        stacklevel=2,
    )
    return getattr(importlib.import_module(module), new)
