from .attention_model import load_frame_predictor, load_predictor
from .onnx.registry import AttentionCard, DetectorCard, list_cards, list_detector_cards, read_card
from .predictor import AttentionPredictor
from .temporal import GazeDynamics, GazeState, TemporalAttention

__all__ = [
    "AttentionCard",
    "AttentionPredictor",
    "DetectorCard",
    "GazeDynamics",
    "GazeState",
    "TemporalAttention",
    "list_cards",
    "list_detector_cards",
    "load_frame_predictor",
    "load_predictor",
    "read_card",
]
