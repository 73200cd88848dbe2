"""What is asked about the areas of a medium, for the page's script."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mediaan.judge.questions import ask
from mediaan.report.data.entries import MediumEntry


def questions_data(entry: MediumEntry) -> list[dict[str, Any]]:
    """Return the open questions about a still image, in the order in which they are asked; none about what moves."""
    if entry.result is None or entry.moves:
        return []
    return [question.data for question in ask(replace(entry.result, rules=tuple(entry.rules)))]
