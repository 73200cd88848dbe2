"""Draw maps of one image, with the legend that says what a map means when it travels alone.

A heatmap colours the image where it draws attention and leaves it bare where it does not; a local map does so by a
driver of a metric, a difference map by what one image gains and loses against another. In a fog map what is attended
lies clear and the rest sinks into fog.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from mediaan.errors import UsageError
from mediaan.maps.catalogue import MAPS, MapSpec
from mediaan.maps.levels import (
    ATTENTION,
    LEVELS,
    Palette,
    Scale,
    attention_levels,
    blend_colours,
    colour_table,
    crossfade,
    image_shape,
    level_values,
    local_levels,
    relative_density,
    smoothstep,
    upsample_levels,
)
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.densities import Densities, Window

PAPER = (250, 250, 248)
INK = (44, 46, 52)
FAINT = (118, 120, 127)


@dataclass(frozen=True, slots=True)
class Legend:
    """Text and colours of a strip."""

    title: str
    """Name of what is shown."""
    note: str
    """What the numbers mean, in one line."""
    ramp: bytes
    """Colours from least to most, RGB triples."""
    ticks: tuple[tuple[float, str], ...]
    """Tuple of (float, str). Place on the bar, 0-1, and the text below it."""


def scale_legend(title: str, scale: Scale, ramp: UInt8) -> Legend:
    """Make the legend of a scale whose colours are `ramp`, (n, 3) uint8 from its low to its high end."""
    ticks = tuple((float(scale.place(np.array(value))), text) for value, text in scale.ticks)
    return Legend(title, scale.unit, ramp.tobytes(), ticks)


def with_legend(rgb: UInt8, legend: Legend) -> UInt8:
    """Add a legend below an image.

    `rgb`: (H, W, 3) uint8.
    Returns (H + strip, W, 3) uint8: the image's own pixels are unchanged above the strip. Text grows a little with the
        image; where the image is too narrow, the note goes first, then the title, then the ticks.
    """
    height, width = rgb.shape[:2]
    size = int(np.clip(round(min(max(width, min(height, 2 * width)) / 76, height / 10)), 10, 22))
    return np.concatenate([rgb, draw_legend(legend, width, size)])


@lru_cache(maxsize=128)
def draw_legend(legend: Legend, width: int, size: int) -> UInt8:
    """Draw a legend of a given width, with text of a given size, both px; (3 * size, width, 3) uint8, read-only."""
    page = Image.new("RGB", (width, 3 * size), PAPER)
    draw, small = ImageDraw.Draw(page), max(9, round(0.86 * size))
    # The bar stands at the right if the title fits beside it, else it takes the whole width.
    overhang = max((_text_width(text, size) // 2 for _, text in legend.ticks), default=0)
    margin = min(size + overhang, width // 8)
    right, bar_width = width - margin, 22 * size
    left = right - bar_width
    if _text_width(legend.title, size) + bar_width + 2 * overhang + 4 * size > width:
        left, right = margin, max(right, margin + 1)
    title_fits = size + _text_width(legend.title, size) < left - size
    note_fits = size + _text_width(legend.note, small) < left - size
    if title_fits:
        middle = round(0.62 * size) + round(0.3 * size) if note_fits else 1.5 * size
        draw.text((size, middle), legend.title, INK, text_font(size), anchor="lm")
        if note_fits:
            draw.text((size, round(2.1 * size)), legend.note, FAINT, text_font(small), anchor="lm")
    ticks, taken = legend.ticks, 0
    if sum(_text_width(text, small) + small for _, text in ticks) > right - left:
        ticks = ticks[:: max(1, len(ticks) - 1)]  # the two ends alone
    for place, text in ticks:
        x, half = left + place * (right - left), _text_width(text, small) / 2
        if x - half >= taken and x + half <= width:
            draw.text((x, round(2.1 * size)), text, FAINT, text_font(small), anchor="mm")
            taken = round(x + half)
    pixels = np.array(page)
    ramp = np.frombuffer(legend.ramp, np.uint8).reshape(1, -1, 3)
    bar = cv2.resize(ramp, (right - left, max(3, round(0.6 * size))), interpolation=cv2.INTER_LINEAR)
    top = round(0.62 * size)
    pixels[top : top + bar.shape[0], left:right] = bar
    pixels.setflags(write=False)
    return pixels


@lru_cache(maxsize=512)
def _text_width(text: str, size: int) -> int:
    return round(text_font(size).getlength(text))


@cache
def text_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Load Pillow's own font: the same on every machine; it holds ASCII only."""
    return ImageFont.load_default(size)


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


FOG_TITLE = "Seen"
CLEAR_SHARE = 0.50
"""The densest spots that together hold this share of attention are shown as they are."""
HIDDEN_SHARE = 0.20
"""The sparsest spots that together hold this share of attention are hidden; in between the fog thickens."""
FOG_COLOUR = (20, 23, 29)
GLOW = 0.20


def fog_map(rgb: UInt8, density: Float32, *, legend: bool = True, title: str = FOG_TITLE) -> UInt8:
    """Hide what is not attended, by shares of attention that are the same for every image.

    The smallest region that holds half of the attention is clear, and the region that holds the last fifth is hidden.
    So a small clear region means concentrated attention. Where attention is spread evenly, nothing is hidden.

    Parameters
    ----------
    rgb : (H, W, 3) uint8
        Image, sRGB.
    density : (h, w) float32
        Fixation density; its cells tile the image.
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
    """
    shape = image_shape(rgb)
    cells = attention_levels(density)
    drawn = crossfade(rgb, fog_image(rgb), upsample_levels(cells, shape), visibility(density, cells))
    return with_legend(drawn, fog_legend(title)) if legend else drawn


def visibility(density: Float32, cells: Float64) -> Float64:
    """Return the visibility of each level, from the share of attention that lies on denser levels.

    `density`: (h, w) float32.
    `cells` (h, w) float64: level of each cell, 0-255.
    Returns (256,) float64: 1 is clear, 0 hidden; never falls with the level. Between levels that occur it is
        interpolated, so that the edge stays smooth where cells are few.
    """
    held = np.bincount(np.round(cells).astype(np.intp).ravel(), density.ravel().astype(np.float64), LEVELS)
    share = held / np.sum(held, dtype=np.float64)
    denser: Float64 = np.cumsum(share[::-1], dtype=np.float64)[::-1] - share
    occupied = held.nonzero()[0]
    denser = np.interp(np.arange(LEVELS), occupied, denser[occupied])
    return 1.0 - smoothstep((denser - CLEAR_SHARE) / (1.0 - HIDDEN_SHARE - CLEAR_SHARE))


def fog_legend(title: str) -> Legend:
    """Make the legend of a fog map: from hidden to clear, in shares of attention."""
    ramp = np.linspace(FOG_COLOUR, (232, 233, 235), 256)
    ticks = ((0.0, "hidden"), (1.0, "clear"))
    note = f"clear: top {CLEAR_SHARE:.0%} of attention, hidden: last {HIDDEN_SHARE:.0%}"
    return Legend(title, note, np.round(ramp).astype(np.uint8).tobytes(), ticks)


def fog_image(rgb: UInt8) -> UInt8:
    """Blur an image beyond reading and darken it, as in thick fog; (H, W, 3) uint8."""
    height, width = rgb.shape[:2]
    factor = max(height, width) / 96.0
    small = (max(1, round(width / factor)), max(1, round(height / factor))) if factor > 1 else (width, height)
    blurred = cv2.GaussianBlur(cv2.resize(rgb, small, interpolation=cv2.INTER_AREA), (0, 0), 1.6)
    dark = cv2.addWeighted(blurred, GLOW, np.full_like(blurred, FOG_COLOUR), 1.0, 0.0)
    return np.asarray(cv2.resize(dark, (width, height), interpolation=cv2.INTER_LINEAR), dtype=np.uint8)


DIFFERENCE_TITLE = "Change of attention"

LOSS, GAIN = (20, 92, 200), (236, 112, 0)
"""Blue and orange: told apart by people with any colour blindness, and by their lightness in grey prints."""

DIFFERENCE = Scale(
    low=-6.0,
    high=6.0,
    ticks=((-6.0, "-6x"), (-3.0, "-3x"), (0.0, "0"), (3.0, "+3x"), (6.0, "+6x")),
    unit="times the attention of an average spot: blue loses, orange gains",
)
"""Relative density after minus before; the same for every pair of images."""

_MIN_SHOWN_CHANGE, _FULL_OPACITY_CHANGE = 0.3, 4.0


def difference_map(rgb: UInt8, before: Float32, after: Float32, *, legend: bool = True) -> UInt8:
    """Colour an image by what it gains and loses of attention, on a scale that is the same for every pair.

    `rgb` (H, W, 3) uint8: the image after, sRGB.
    `before`, `after` (h, w) float32: fixation densities; their cells tile the images alike.
    `legend`: whether a strip with the scale is added below.
    Returns (H', W, 3) uint8: H' is H, or H and the legend's height.
    Raises UsageError: `rgb` or a density is not of that form, or the densities differ in shape.

    >>> rgb, even = np.full((40, 60, 3), 128, np.uint8), np.full((4, 6), 1 / 24, np.float32)
    >>> bool((difference_map(rgb, even, even, legend=False) == mute_colours(rgb)).all())
    True
    """
    if before.shape != after.shape:
        raise UsageError(f"densities must have one shape, not {before.shape} and {after.shape}")
    gained = relative_density(after) - relative_density(before)
    levels = upsample_levels(local_levels(gained.astype(np.float32), DIFFERENCE), image_shape(rgb))
    drawn = blend_colours(mute_colours(rgb), levels, _level_colours(), _level_opacity())
    return with_legend(drawn, _difference_legend()) if legend else drawn


def _level_changes() -> Float64:
    """Return the change that each level stands for; the two beside 0 are too small to be drawn."""
    return DIFFERENCE.value(np.arange(LEVELS, dtype=np.float64) / (LEVELS - 1))


def _level_opacity() -> Float64:
    return MAX_OPACITY * smoothstep(
        (np.abs(_level_changes()) - _MIN_SHOWN_CHANGE) / (_FULL_OPACITY_CHANGE - _MIN_SHOWN_CHANGE)
    )


def _level_colours() -> UInt8:
    return np.where(_level_changes()[:, None] < 0, LOSS, GAIN).astype(np.uint8)


@cache
def _difference_legend() -> Legend:
    """Make the legend, with colours as they look over a middle grey."""
    grey, steps = np.full((1, LEVELS, 3), 160, np.uint8), np.arange(LEVELS, dtype=np.uint8)[None]
    return scale_legend(DIFFERENCE_TITLE, DIFFERENCE, blend_colours(grey, steps, _level_colours(), _level_opacity())[0])


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
