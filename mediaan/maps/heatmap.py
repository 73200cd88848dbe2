"""Draw heatmaps: the image, coloured where it draws attention and left bare where it does not."""

from __future__ import annotations

from functools import cache

import cv2
import numpy as np
from PIL import Image

from mediaan.maps.colours import Palette, colour_table
from mediaan.maps.legend import Legend, scale_legend, with_legend
from mediaan.maps.levels import (
    ATTENTION,
    LEVELS,
    Scale,
    attention_levels,
    blend_colours,
    image_shape,
    level_values,
    local_levels,
    smoothstep,
    upsample_levels,
)
from mediaan.types.arrays import Float32, Float64, UInt8

HEAT_TITLE = "Attention"
MAX_OPACITY = 0.76


def heatmap(
    rgb: UInt8,
    density: Float32,
    *,
    scale: Scale = ATTENTION,
    palette: Palette = "ember",
    legend: bool = True,
    title: str = HEAT_TITLE,
) -> UInt8:
    """Colour an image by attention, on a scale that is the same for every image.

    Spots with less than `scale.low` times the average attention keep their own colours; from there colour and
    opacity rise together. Two heatmaps on one scale can be compared by eye.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        Image, sRGB.
    density : (h, w) float32
        Fixation density; its cells tile the image.
    scale : Scale
        In multiples of the average density; within 1/16 to 16.
    palette : str
        Name of the colour table.
    legend : bool
        Whether a strip with the scale is added below.
    title : str
        Heading of the legend.

    Returns
    -------
    (H', W, 3) uint8
        H' is H, or H and the legend's height.

    Raises
    ------
    UsageError
        If `rgb` or `density` is not of that form.

    Examples
    --------
    >>> rgb = np.full((40, 60, 3), 128, np.uint8)
    >>> flat = np.full((4, 6), 1 / 24, np.float32)
    >>> bool((heatmap(rgb, flat, legend=False) == mute_colours(rgb)).all())
    True
    """
    levels = upsample_levels(attention_levels(density), image_shape(rgb))
    drawn = paint_heat(mute_colours(rgb), levels, scale, palette)
    return with_legend(drawn, colour_legend(title, scale, palette)) if legend else drawn


def heat_layer(
    density: Float32, size: tuple[int, int], *, scale: Scale = ATTENTION, palette: Palette = "ember"
) -> Image.Image:
    """Draw the heat of `heatmap` alone, to be laid over the picture in another program.

    `density` (h, w) float32: fixation density; its cells tile the image.
    `size` (int, int): width and height of the picture, px.
    `scale`, `palette`: as for `heatmap`.
    Returns: in 256 colours with opacity: a byte a pixel, in memory and as a PNG.
    Raises UsageError: if `density` is not of that form.

    >>> layer = heat_layer(np.array([[0.9, 0.1]], np.float32), (64, 32)).convert("RGBA")
    >>> layer.size, layer.getpixel((60, 16))[3], layer.getpixel((4, 16))[3] > 0
    ((64, 32), 0, True)
    """
    place = scale.place(level_values())
    layer = Image.fromarray(upsample_levels(attention_levels(density), (size[1], size[0])), "P")
    layer.putpalette(colour_table(palette)[np.round(place * 255).astype(np.intp)].tobytes())
    layer.info["transparency"] = np.round(255 * colour_opacity(place)).astype(np.uint8).tobytes()
    return layer


def local_map(
    rgb: UInt8,
    values: Float32,
    scale: Scale,
    *,
    palette: Palette = "lagoon",
    legend: bool = True,
    title: str = "",
) -> UInt8:
    """Colour an image by a local driver of a metric, on the driver's own stated scale.

    `rgb` (H, W, 3) uint8: image, sRGB.
    `values` (h, w) float32: the driver; its cells tile the image. Beyond the scale's ends it is shown like the end.
    `scale`, `palette`, `legend`, `title`: as for `heatmap`.
    Returns (H', W, 3) uint8.
    Raises UsageError: if an array is not of that form or `values` are not all finite.
    """
    levels = upsample_levels(local_levels(values, scale), image_shape(rgb))
    drawn = paint_local(mute_colours(rgb), levels, palette)
    return with_legend(drawn, colour_legend(title, scale, palette)) if legend else drawn


def paint_heat(base: UInt8, levels: UInt8, scale: Scale, palette: Palette) -> UInt8:
    """Paint heat over a muted image, from levels of relative density; (H, W, 3) uint8."""
    return _paint_levels(base, levels, scale.place(level_values()), palette)


def paint_local(base: UInt8, levels: UInt8, palette: Palette) -> UInt8:
    """Paint a local driver over a muted image, from levels of its own scale; (H, W, 3) uint8."""
    return _paint_levels(base, levels, np.linspace(0.0, 1.0, LEVELS), palette)


def colour_opacity(place: Float64) -> Float64:
    """Return the opacity of the colour at a place of the scale: nothing at 0, soon most of it."""
    return MAX_OPACITY * smoothstep(0.5 + 0.5 * np.clip(place * 1.4, 0.0, 1.0)) * smoothstep(place * 3.2)


@cache
def colour_legend(title: str, scale: Scale, palette: Palette) -> Legend:
    """Make the legend of a heatmap, with colours as they look over a middle grey."""
    grey = np.full((1, LEVELS, 3), 160, np.uint8)
    steps = np.arange(LEVELS, dtype=np.uint8)[None]
    return scale_legend(title, scale, paint_local(grey, steps, palette)[0])


def mute_colours(rgb: UInt8) -> UInt8:
    """Hold back the colours of an image, so that colour means attention and nothing else."""
    grey = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    return np.asarray(cv2.addWeighted(rgb, 0.35, grey, 0.57, 0.0), dtype=np.uint8)


def _paint_levels(base: UInt8, levels: UInt8, place: Float64, palette: Palette) -> UInt8:
    colours = colour_table(palette)[np.round(place * 255).astype(np.intp)]
    return blend_colours(base, levels, colours, colour_opacity(place))
