"""Numbers about pictures: drivers measured from pixels, scores from drivers and densities, and local maps."""

from mediaan.metrics.catalogue import BUILT_INS, Metric, score_all
from mediaan.metrics.clarity import too_simple
from mediaan.metrics.drivers import DRIVER_VIEW, Drivers, measure_drivers
from mediaan.metrics.focus import FOCUS, FOCUS_FIRST_TWO, FOCUS_LAST_TWO, concentration, focus
from mediaan.metrics.local_maps import clarity_map, cognitive_demand_map, engagement_map
from mediaan.metrics.pacing import PACING, pacing
from mediaan.metrics.scales import FocusScale, Scales, Spread, built_in_scales, fit_focus_scale, load_scales

__all__ = [
    "BUILT_INS",
    "DRIVER_VIEW",
    "FOCUS",
    "FOCUS_FIRST_TWO",
    "FOCUS_LAST_TWO",
    "PACING",
    "Drivers",
    "FocusScale",
    "Metric",
    "Scales",
    "Spread",
    "built_in_scales",
    "clarity_map",
    "cognitive_demand_map",
    "concentration",
    "engagement_map",
    "fit_focus_scale",
    "focus",
    "load_scales",
    "measure_drivers",
    "pacing",
    "score_all",
    "too_simple",
]
