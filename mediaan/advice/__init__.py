"""Advice for one still picture: edits of its own areas are tried, and those that are predicted to help are told."""

from mediaan.advice.elements import PURPOSES
from mediaan.advice.losses import lost_elements
from mediaan.advice.trials import Look, suggest

__all__ = ["PURPOSES", "Look", "lost_elements", "suggest"]
