from .result import ContextPosition, ContextResult, ContextScore
from .workflow import in_feed, in_page, on_shelf

__all__ = ["ContextPosition", "ContextResult", "ContextScore", "in_feed", "in_page", "on_shelf"]
