"""Load a model by name, whatever it is for."""

from __future__ import annotations

import tomllib
from pathlib import Path

from mediaan.saliency.attention_model import find_attention_card, load_predictor
from mediaan.saliency.onnx.cards import DetectorCard
from mediaan.saliency.onnx.registry import AttentionCard, list_cards, list_detector_cards
from mediaan.saliency.predictor import AttentionPredictor
from mediaan.vision.objects.detector import ObjectDetector, find_detector_card, load_detector

AnyCard = AttentionCard | DetectorCard


def all_cards() -> dict[str, AnyCard]:
    """Cards of all models that ship, by name."""
    return {**list_cards(), **list_detector_cards()}


def find_card(name: str | Path) -> AnyCard:
    """Card of a model that ships, or of a user's own when `name` is a path that ends in .toml.

    Raises
    ------
    UsageError
        There is no such model, or its card does not hold together.
    """
    return find_detector_card(name) if _is_detector(name) else find_attention_card(name)


def load_model(name: str | Path, device: str = "auto") -> AttentionPredictor | ObjectDetector:
    """Load a model of any kind; errors as of `load_predictor` and `load_detector`."""
    return load_detector(name, device) if _is_detector(name) else load_predictor(name, device)


def _is_detector(name: str | Path) -> bool:
    if not str(name).endswith(".toml"):
        return str(name) in list_detector_cards()
    try:
        return tomllib.loads(Path(name).read_text(encoding="utf-8")).get("kind") == "detector"
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError):
        return False  # reading the card says what is wrong with it
