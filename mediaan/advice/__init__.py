"""Advice for one still picture: edits of its own areas are tried, and those that are predicted to help are told."""

from mediaan.advice.elements import PURPOSES
from mediaan.advice.suggestions import PredictVariant, suggest
from mediaan.advice.wording import lost_elements

__all__ = ["PURPOSES", "PredictVariant", "lost_elements", "suggest"]
