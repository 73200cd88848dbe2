"""Numbers about one picture: drivers measured from pixels, scores from drivers and densities, and local maps."""

from mediaan.metrics.catalogue import BUILT_INS, Metric, score_all
from mediaan.metrics.clarity import too_simple
from mediaan.metrics.drivers import DRIVER_VIEW, Drivers, measure_drivers
from mediaan.metrics.focus import concentration, focus
from mediaan.metrics.local_maps import clarity_map, cognitive_demand_map, engagement_map
from mediaan.metrics.scales import FocusScale, Scales, Spread, built_in_scales, fit_focus_scale, load_scales

__all__ = [
    "BUILT_INS",
    "DRIVER_VIEW",
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
    "score_all",
    "too_simple",
]
