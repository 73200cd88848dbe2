from .catalogue import (
    MAPS,
    MapSpec,
    clarity_map,
    cognitive_demand_map,
    default_map_names,
    engagement_map,
    image_map_names,
)
from .encode import IMAGE_FORMATS, ImageFormat, encode_image
from .gaze_plot import gaze_animation, gaze_plot
from .heatmap import fog_map, heat_layer, heatmap, render_maps
from .levels import ATTENTION, PALETTES, Palette, Scale, colour_table
from .overlay import MAX_SHEET_CELLS, OverlayKind, OverlayRenderer, SheetCell, contact_sheet

__all__ = [
    "ATTENTION",
    "IMAGE_FORMATS",
    "MAPS",
    "MAX_SHEET_CELLS",
    "PALETTES",
    "ImageFormat",
    "MapSpec",
    "OverlayKind",
    "OverlayRenderer",
    "Palette",
    "Scale",
    "SheetCell",
    "clarity_map",
    "cognitive_demand_map",
    "colour_table",
    "contact_sheet",
    "default_map_names",
    "encode_image",
    "engagement_map",
    "fog_map",
    "gaze_animation",
    "gaze_plot",
    "heat_layer",
    "heatmap",
    "image_map_names",
    "render_maps",
]
