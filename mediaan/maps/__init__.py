"""Maps: densities and how they compare, and pictures of them."""

from mediaan.maps.catalogue import MAP_NAMES, MAPS, MapSpec, local_map_names, map_spec
from mediaan.maps.colours import PALETTES, Palette, colour_table
from mediaan.maps.encode import PICTURE_FORMATS, PictureFormat, encode_picture
from mediaan.maps.fog import fog_map
from mediaan.maps.heatmap import heatmap, local_map
from mediaan.maps.render import render_maps
from mediaan.maps.scale import ATTENTION, Scale

__all__ = [
    "ATTENTION",
    "MAPS",
    "MAP_NAMES",
    "PALETTES",
    "PICTURE_FORMATS",
    "MapSpec",
    "Palette",
    "PictureFormat",
    "Scale",
    "colour_table",
    "encode_picture",
    "fog_map",
    "heatmap",
    "local_map",
    "local_map_names",
    "map_spec",
    "render_maps",
]
