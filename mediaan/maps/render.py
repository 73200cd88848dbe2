"""Render several maps of one image at once, sharing what they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from mediaan.maps.catalogue import MAPS, MapSpec
from mediaan.maps.fog import fog_image, fog_legend, visibility
from mediaan.maps.heatmap import colour_legend, mute_colours, paint_heat, paint_local
from mediaan.maps.legend import Legend, with_legend
from mediaan.maps.levels import attention_levels, crossfade, image_shape, local_levels, upsample_levels
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Densities, Window


def render_maps(
    rgb: UInt8,
    densities: Densities,
    local_maps: Mapping[str, Float32],
    names: Sequence[str],
    *,
    legend: bool = True,
) -> dict[str, UInt8]:
    """Draw the maps that are asked for.

    `rgb` (H, W, 3) uint8: image, sRGB.
    `densities`: holding the windows that the asked maps show.
    `local_maps` (mapping of str to (h, w) float32): local drivers by the name of their map, on the scale that the
        catalogue states.
    `names`: of maps that are images of every medium; may be empty.
    `legend`: whether each gets a strip with its scale below.
    Returns dict of str to (H', W, 3) uint8: in the order of `names`.
    Raises KeyError: if a name is unknown or its window is missing.
    Raises ValueError: if a local map is not given, or a map is none of a single image.
    Raises UsageError: if an array is not of the stated form.
    """
    image_maps = _ImageMaps(rgb, densities, local_maps)
    drawn = {}
    for name in names:
        spec = MAPS[name]
        image = image_maps.draw(spec)
        drawn[name] = with_legend(image, map_legend(spec)) if legend else image
    return drawn


def map_legend(spec: MapSpec) -> Legend:
    """Make the legend of a map."""
    if spec.palette is None or spec.scale is None:
        return fog_legend(spec.title)
    return colour_legend(spec.title, spec.scale, spec.palette)


class _ImageMaps:
    """One image and what its maps share: computed when first needed, then kept."""

    def __init__(self, rgb: UInt8, densities: Densities, local_maps: Mapping[str, Float32]) -> None:
        self.rgb = rgb
        self.shape = image_shape(rgb)
        self.densities = densities
        self.local_maps = local_maps
        self._windows: dict[Window, tuple[Float64, UInt8]] = {}

    @cached_property
    def muted(self) -> UInt8:
        return mute_colours(self.rgb)

    @cached_property
    def fogged(self) -> UInt8:
        return fog_image(self.rgb)

    def window(self, window: Window) -> tuple[Float64, UInt8]:
        """Return the levels of a density by cell and by pixel."""
        if window not in self._windows:
            cells = attention_levels(self.densities[window])
            self._windows[window] = cells, upsample_levels(cells, self.shape)
        return self._windows[window]

    def draw(self, spec: MapSpec) -> UInt8:
        if spec.kind in ("sheet", "video"):
            raise ValueError(f"the map {spec.name!r} shows many images; it cannot be drawn on one")
        if spec.is_gaze:
            raise ValueError(f"the map {spec.name!r} shows a scanpath; draw it with gaze_plot")
        if spec.window is None:
            if spec.name not in self.local_maps or spec.palette is None or spec.scale is None:
                raise ValueError(f"no values given for the map {spec.name!r}")
            levels = upsample_levels(local_levels(self.local_maps[spec.name], spec.scale), self.shape)
            return paint_local(self.muted, levels, spec.palette)
        cells, levels = self.window(spec.window)
        if spec.palette is None or spec.scale is None:
            return crossfade(self.rgb, self.fogged, levels, visibility(self.densities[spec.window], cells))
        return paint_heat(self.muted, levels, spec.scale, spec.palette)
