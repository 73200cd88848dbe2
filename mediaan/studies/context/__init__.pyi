from .result import ContextPosition, ContextResult, ContextScore
from .workflow import in_page

__all__ = ["ContextPosition", "ContextResult", "ContextScore", "in_page"]
