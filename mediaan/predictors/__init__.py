"""Models that say where people look, and over time a filter around one of them; models that find objects."""

from mediaan.predictors.cards import Card, list_cards, list_detector_cards, read_card
from mediaan.predictors.dynamics import GazeDynamics
from mediaan.predictors.load import load_frame_predictor, load_predictor
from mediaan.predictors.object_card import DetectorCard
from mediaan.predictors.objects import ObjectDetector, load_detector
from mediaan.predictors.port import AttentionPredictor
from mediaan.predictors.temporal import GazeState, TemporalAttention

__all__ = [
    "AttentionPredictor",
    "Card",
    "DetectorCard",
    "GazeDynamics",
    "GazeState",
    "ObjectDetector",
    "TemporalAttention",
    "list_cards",
    "list_detector_cards",
    "load_detector",
    "load_frame_predictor",
    "load_predictor",
    "read_card",
]
