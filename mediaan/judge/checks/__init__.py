"""Checks of a medium: requirements of an ad of its purpose, evaluated on its scores and areas."""

from mediaan.judge.checks.evaluate import evaluate_checks
from mediaan.judge.checks.verdict import verdict_of

__all__ = ["evaluate_checks", "verdict_of"]
