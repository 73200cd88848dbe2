"""Measure images: drivers from pixels, scores from drivers and densities, and local maps."""

from mediaan.metrics.borders import content_box
from mediaan.metrics.catalogue import METRICS, Metric, metric_specs, metrics_of, score_all, with_intervals
from mediaan.metrics.drivers import DRIVER_VIEW, Drivers, measure_drivers
from mediaan.metrics.scales import (
    FocusScale,
    FocusScales,
    Scales,
    Spread,
    built_in_focus_scales,
    built_in_scales,
    fit_focus_scale,
    load_scales,
)
from mediaan.metrics.scores.concentration import HOTSPOT_COUNT, Hotspot, concentration, hotspots
from mediaan.metrics.scores.focus import FOCUS, FOCUS_FIRST_TWO, FOCUS_LAST_TWO, focus
from mediaan.metrics.scores.pacing import PACING, pacing
from mediaan.metrics.scores.ratings import too_simple

__all__ = [
    "DRIVER_VIEW",
    "FOCUS",
    "FOCUS_FIRST_TWO",
    "FOCUS_LAST_TWO",
    "HOTSPOT_COUNT",
    "METRICS",
    "PACING",
    "Drivers",
    "FocusScale",
    "FocusScales",
    "Hotspot",
    "Metric",
    "Scales",
    "Spread",
    "built_in_focus_scales",
    "built_in_scales",
    "concentration",
    "content_box",
    "fit_focus_scale",
    "focus",
    "hotspots",
    "load_scales",
    "measure_drivers",
    "metric_specs",
    "metrics_of",
    "pacing",
    "score_all",
    "too_simple",
    "with_intervals",
]
