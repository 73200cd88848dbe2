"""Scores that are ranks of a raw value in the reference population."""

from __future__ import annotations

from mediaan.metrics.scales import Scales, percentile
from mediaan.types.metrics import MetricSpec, Score


def ranked_score(spec: MetricSpec, raw: float, scales: Scales) -> Score:
    """Turn a raw value into a score with its interval; monotone, 0 and 100 at the ends of the reference population."""
    value = percentile(raw, scales.scores[spec.name])
    lo, hi = scales.spreads[spec.name].bounds(value)
    return Score(spec.name, "total", value, lo, hi, spec.basis, spec.unit)
