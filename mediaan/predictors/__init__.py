"""Models that say where people look, behind one port; over time, a filter around one of them."""

from mediaan.predictors.cards import Card, list_cards, read_card
from mediaan.predictors.dynamics import GazeDynamics
from mediaan.predictors.load import load_frame_predictor, load_predictor
from mediaan.predictors.port import AttentionPredictor
from mediaan.predictors.temporal import GazeState, TemporalAttention

__all__ = [
    "AttentionPredictor",
    "Card",
    "GazeDynamics",
    "GazeState",
    "TemporalAttention",
    "list_cards",
    "load_frame_predictor",
    "load_predictor",
    "read_card",
]
