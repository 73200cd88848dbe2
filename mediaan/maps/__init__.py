"""Render densities as images: heatmaps, fog maps, local drivers, contact sheets and overlays."""

from mediaan.maps.catalogue import MAPS, MapSpec, default_map_names, image_map_names
from mediaan.maps.colours import PALETTES, Palette, colour_table
from mediaan.maps.contact_sheet import MAX_SHEET_CELLS, SheetCell, contact_sheet
from mediaan.maps.encode import IMAGE_FORMATS, ImageFormat, encode_image
from mediaan.maps.fog import fog_map
from mediaan.maps.gaze_plot import gaze_animation, gaze_plot
from mediaan.maps.heatmap import heatmap, local_map
from mediaan.maps.levels import ATTENTION, Scale
from mediaan.maps.local_maps import clarity_map, cognitive_demand_map, engagement_map
from mediaan.maps.overlay import OverlayKind, OverlayRenderer
from mediaan.maps.render import render_maps

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
    "heatmap",
    "image_map_names",
    "local_map",
    "render_maps",
]
