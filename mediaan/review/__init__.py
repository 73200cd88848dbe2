"""Review the areas of a finished run: what is open is asked, and each answer is kept, scored and judged at once."""

from __future__ import annotations

from mediaan.review.session import Answered, Progress, Review, answer, open_review, questions, undo

__all__ = ["Answered", "Progress", "Review", "answer", "open_review", "questions", "undo"]
