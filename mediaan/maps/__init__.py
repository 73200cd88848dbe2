"""Maps: densities and how they compare, and pictures of them."""

from mediaan.maps.catalogue import (
    ALL_MAP_NAMES,
    MAP_NAMES,
    MAPS,
    PICTURE_MAP_NAMES,
    VIDEO_MAP_NAMES,
    MapSpec,
    local_map_names,
    map_spec,
)
from mediaan.maps.colours import PALETTES, Palette, colour_table
from mediaan.maps.encode import PICTURE_FORMATS, PictureFormat, encode_picture
from mediaan.maps.fog import fog_map
from mediaan.maps.heatmap import heatmap, local_map
from mediaan.maps.overlay import Overlay, OverlayKind
from mediaan.maps.render import render_maps
from mediaan.maps.scale import ATTENTION, Scale
from mediaan.maps.sheet import MOST_CELLS, SheetCell, contact_sheet

__all__ = [
    "ALL_MAP_NAMES",
    "ATTENTION",
    "MAPS",
    "MAP_NAMES",
    "MOST_CELLS",
    "PALETTES",
    "PICTURE_FORMATS",
    "PICTURE_MAP_NAMES",
    "VIDEO_MAP_NAMES",
    "MapSpec",
    "Overlay",
    "OverlayKind",
    "Palette",
    "PictureFormat",
    "Scale",
    "SheetCell",
    "colour_table",
    "contact_sheet",
    "encode_picture",
    "fog_map",
    "heatmap",
    "local_map",
    "local_map_names",
    "map_spec",
    "render_maps",
]
