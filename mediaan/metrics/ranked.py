"""Scores that are ranks of a composite in the reference population."""

from __future__ import annotations

from mediaan.metrics.composite import Composite
from mediaan.metrics.drivers import Drivers
from mediaan.metrics.measures import measures
from mediaan.metrics.quantiles import percentile
from mediaan.metrics.scales import Scales
from mediaan.types.maps import Densities
from mediaan.types.metrics import MetricSpec, Score


def composite_score(
    spec: MetricSpec, model: Composite, drivers: Drivers, densities: Densities, scales: Scales
) -> Score:
    """Turn a picture's properties into a score with what moved it; 0 and 100 at the ends of the reference population.

    None, with the reason, where the picture lacks all properties of one of the composite's groups.
    """
    values = measures(drivers, densities)
    raw = model.raw(model.ranks(values, scales))
    if raw is None:
        reason = "The picture has none of the properties that this score is made of."
        return Score(spec.name, "total", None, None, None, spec.basis, spec.unit, reason)
    knots = scales.scores[spec.name]
    moved = model.contributions(values, scales, knots)
    return Score(spec.name, "total", percentile(raw, knots), None, None, spec.basis, spec.unit, drivers=moved)
