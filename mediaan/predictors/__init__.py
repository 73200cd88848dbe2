"""Models that say where people look, behind one port; over time, a filter around it."""

from mediaan.predictors.cards import Card, list_cards, read_card
from mediaan.predictors.load import load_frame_predictor, load_predictor
from mediaan.predictors.port import AttentionPredictor

__all__ = ["AttentionPredictor", "Card", "list_cards", "load_frame_predictor", "load_predictor", "read_card"]
