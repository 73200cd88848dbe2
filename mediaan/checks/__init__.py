"""Checks of a medium: what makes an ad of its purpose work, by what is known, held against what was measured."""

from mediaan.checks.evaluate import evaluate_checks
from mediaan.checks.verdict import verdict_of

__all__ = ["evaluate_checks", "verdict_of"]
