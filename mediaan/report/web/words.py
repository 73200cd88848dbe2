"""Words and signs that the page's templates and its scripts have in common."""

from __future__ import annotations

from collections.abc import Mapping

from mediaan.report.summary.medium import LEADS

WORDS: Mapping[str, Mapping[str, str]] = {
    "verdicts": {verdict: LEADS[verdict] for verdict in ("attention", "open", "works", "unknown")},
    "verdict_signs": {"attention": "✕", "open": "~", "works": "✓", "unknown": "–"},
    "target_signs": {"within": "✓", "close_to": "≈", "below": "↓", "above": "↑"},
    "rule_signs": {"passed": "✓", "failed": "✕", "warned": "!", "skipped": "–"},
    "directions": {
        "higher": "higher is better",
        "lower": "lower is better",
        "middle": "a middle value is best",
    },
    "units": {"%": " %", "s": " s", "1/min": " a minute", "ratio": " times"},  # after a number
}
"""By kind and name; verdicts in the order of urgency. Keys are read in `views/**/*.js`."""
