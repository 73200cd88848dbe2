"""Advise on one image: try edits of its own areas, and tell those that are predicted to help."""

from mediaan.advice.elements import PURPOSES
from mediaan.advice.suggestions import PredictVariant, suggest
from mediaan.advice.wording import lost_elements

__all__ = ["PURPOSES", "PredictVariant", "lost_elements", "suggest"]
