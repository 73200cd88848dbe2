"""Render densities as images: heatmaps, fog maps, local drivers, contact sheets and overlays."""

from mediaan.maps.catalogue import (
    ALL_MAP_NAMES,
    GAZE_MAP_NAMES,
    IMAGE_MAP_NAMES,
    MAP_NAMES,
    MAPS,
    VIDEO_MAP_NAMES,
    MapSpec,
    local_map_names,
    map_spec,
)
from mediaan.maps.colours import PALETTES, Palette, colour_table
from mediaan.maps.contact_sheet import MAX_SHEET_CELLS, SheetCell, contact_sheet
from mediaan.maps.encode import IMAGE_FORMATS, ImageFormat, encode_image
from mediaan.maps.fog import fog_map
from mediaan.maps.gaze_plot import gaze_animation, gaze_plot
from mediaan.maps.heatmap import heatmap, local_map
from mediaan.maps.levels import ATTENTION, Scale
from mediaan.maps.overlay import OverlayKind, OverlayRenderer
from mediaan.maps.render import render_maps

__all__ = [
    "ALL_MAP_NAMES",
    "ATTENTION",
    "GAZE_MAP_NAMES",
    "IMAGE_FORMATS",
    "IMAGE_MAP_NAMES",
    "MAPS",
    "MAP_NAMES",
    "MAX_SHEET_CELLS",
    "PALETTES",
    "VIDEO_MAP_NAMES",
    "ImageFormat",
    "MapSpec",
    "OverlayKind",
    "OverlayRenderer",
    "Palette",
    "Scale",
    "SheetCell",
    "colour_table",
    "contact_sheet",
    "encode_image",
    "fog_map",
    "gaze_animation",
    "gaze_plot",
    "heatmap",
    "local_map",
    "local_map_names",
    "map_spec",
    "render_maps",
]
