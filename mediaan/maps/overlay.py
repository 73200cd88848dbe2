"""Draw heat or fog on one frame of a video after the other, fast; draw contact sheets, one frame per scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import cv2
import numpy as np
from PIL import Image, ImageDraw

from mediaan.maps.heatmap import (
    FAINT,
    HEAT_TITLE,
    INK,
    PAPER,
    colour_legend,
    colour_opacity,
    fog_image,
    text_font,
    visibility,
    with_legend,
)
from mediaan.maps.levels import (
    ATTENTION,
    LEVELS,
    Palette,
    attention_levels,
    colour_table,
    image_shape,
    level_values,
    upsample_levels,
)
from mediaan.types.arrays import Float32, Float64, UInt8
from mediaan.types.metrics import Scene

MAX_SHEET_CELLS = 60
"""On one sheet; of more scenes, as many are chosen evenly."""

_MAX_WIDTH_PX = 2040
"""Six columns of the usual wide frames; more of upright ones."""
_CELL_AREA_PX, _MANY_CELLS, _SMALL_CELL_AREA_PX = 320 * 180, 24, 240 * 135
"""Of more than so many cells each is smaller, so that a sheet stays one that can be looked at, and held in memory."""
_CELL_WIDTHS_PX, _MAX_CELL_HEIGHT_PX = (160, 320), 320
_GAP_PX, _MARGIN_PX, _CAPTION_PX, _HEADER_PX = 14, 20, 42, 64
_ASPECT = 1.5
"""Width over height of a sheet that shows well on a screen and on paper."""
_SHOWN_SCORES = (("focus", "focus"), ("cognitive_demand", "demand"), ("clarity", "clarity"))


@dataclass(frozen=True, slots=True)
class SheetCell:
    """A scene on a sheet."""

    rgb: UInt8
    """(H, W, 3) uint8. The frame that stands for it."""
    density: Float32 | None
    """(h, w) float32 or None. Where people look, on average over the scene; None shows the bare frame."""
    scene: Scene
    """Its times and scores become the caption."""


def contact_sheet(cells: Sequence[SheetCell], *, total: int | None = None) -> UInt8:
    """Draw scenes in a grid, each with its mean heat on one of its frames, its times and its scores.

    `cells`: in order of time, frames of one size; of more than `MAX_SHEET_CELLS` as many are chosen evenly.
    `total`: number of scenes that there are, if `cells` are a choice already.
    Returns (H, W, 3) uint8: with the scale of the heat below.
    Raises ValueError: there is no cell.
    """
    if not cells:
        raise ValueError("a contact sheet needs a scene")
    total, chosen = total or len(cells), list(cells)
    if len(cells) > MAX_SHEET_CELLS:
        chosen = [cells[i] for i in np.linspace(0, len(cells) - 1, MAX_SHEET_CELLS).round().astype(int)]
    grid = _Grid.of(len(chosen), chosen[0].rgb)
    page = Image.new("RGB", grid.sheet_size, PAPER)
    draw = ImageDraw.Draw(page)
    draw.text((_MARGIN_PX, 27), "Scenes" if total > 1 else "Scene", INK, text_font(20), anchor="ls")
    count = f"{total} in all" if total > 1 else "the only one"
    if len(chosen) < total:
        count = f"{len(chosen)} of {total}, evenly chosen"
    note = "; heat is the mean over each scene" if any(cell.density is not None for cell in chosen) else ""
    _write_line(draw, (_MARGIN_PX, 48), (count, note), page.width - 2 * _MARGIN_PX, FAINT, 13)
    overlay = OverlayRenderer("heat")
    for index, cell in enumerate(chosen):
        (x, y), scene = grid.corner(index), cell.scene
        # as large as the cell allows with its aspect kept
        height, width = cell.rgb.shape[:2]
        scale = min(grid.cell[0] / width, grid.cell[1] / height)
        size = (max(1, round(width * scale)), max(1, round(height * scale)))
        method = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
        rgb = np.asarray(cv2.resize(cell.rgb, size, interpolation=method), dtype=np.uint8)
        page.paste(Image.fromarray(rgb if cell.density is None else overlay(rgb, cell.density)), (x, y))
        y += grid.cell[1]
        times = f"{format_time(scene.start_s)} - {format_time(scene.end_s)}"
        _write_line(draw, (x, y + 17), (times,), grid.cell[0], INK, 14)
        values = [(title, scene.scores.get(name)) for name, title in _SHOWN_SCORES]
        scores = tuple(f"{title} {value:.0f}   " for title, value in values if value is not None)
        _write_line(draw, (x, y + 34), scores, grid.cell[0], FAINT, 12)
    return with_legend(np.array(page), colour_legend(HEAT_TITLE, ATTENTION, "ember"))


def format_time(seconds: float) -> str:
    """Write a time into a video, to a tenth of a second.

    >>> format_time(3.25), format_time(59.97), format_time(3725)
    ('0:03.2', '1:00.0', '1:02:05.0')
    """
    tenths = round(seconds * 10)
    minutes, rest = divmod(tenths, 600)
    hours, minutes = divmod(minutes, 60)
    text = f"{minutes:02}" if hours else f"{minutes}"
    return (f"{hours}:" if hours else "") + f"{text}:{rest // 10:02}.{rest % 10}"


@dataclass(frozen=True, slots=True)
class _Grid:
    """Layout of the cells; sizes in px, without the captions that stand below each frame."""

    columns: int
    rows: int
    cell: tuple[int, int]

    @classmethod
    def of(cls, n: int, rgb: UInt8) -> _Grid:
        aspect = rgb.shape[1] / rgb.shape[0]
        area = _CELL_AREA_PX if n <= _MANY_CELLS else _SMALL_CELL_AREA_PX
        width = round(min(max(math.sqrt(area * aspect), _CELL_WIDTHS_PX[0]), _CELL_WIDTHS_PX[1]))
        cell = (width, max(1, min(round(width / aspect), _MAX_CELL_HEIGHT_PX)))
        most = (_MAX_WIDTH_PX - 2 * _MARGIN_PX + _GAP_PX) // (width + _GAP_PX)
        grids = (cls(columns, -(-n // columns), cell) for columns in range(1, min(n, most) + 1))
        return min(grids, key=lambda grid: grid.misfit(n))

    @property
    def sheet_size(self) -> tuple[int, int]:
        width, height = self.cell[0] + _GAP_PX, self.cell[1] + _CAPTION_PX + _GAP_PX
        return (
            2 * _MARGIN_PX + self.columns * width - _GAP_PX,
            _HEADER_PX + self.rows * height + _MARGIN_PX - _GAP_PX,
        )

    def misfit(self, n: int) -> float:
        """Add how far the sheet is from a good aspect and how much of it stays empty."""
        width, height = self.sheet_size
        return abs(math.log(width / height / _ASPECT)) + (1 - n / (self.columns * self.rows))

    def corner(self, index: int) -> tuple[int, int]:
        """Return left and top of a cell's frame."""
        row, column = divmod(index, self.columns)
        return (
            _MARGIN_PX + column * (self.cell[0] + _GAP_PX),
            _HEADER_PX + row * (self.cell[1] + _CAPTION_PX + _GAP_PX),
        )


def _write_line(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int],
    parts: tuple[str, ...],
    room: int,
    ink: tuple[int, int, int],
    size: int,
) -> None:
    """Write a line that stands on `place`, of as many parts from its beginning as there is room for."""
    while parts and text_font(size).getlength("".join(parts).rstrip()) > room:
        parts = parts[:-1]
    draw.text(place, "".join(parts), ink, text_font(size), anchor="ls")


OverlayKind = Literal["heat", "fog"]

_PALETTE: Palette = "ember"


class OverlayRenderer:
    """Draw densities on the frames of one video, on the scales of `heatmap` and `fog_map` and without a legend.

    The frames equal those of the two functions. Tables are made once and pixels are written into memory that is kept,
    which halves the time: at 1920x1080 most of it goes into fetching fresh memory.

    >>> overlay = OverlayRenderer("heat")
    >>> overlay(np.full((36, 64, 3), 90, np.uint8), np.full((9, 16), 1 / 144, np.float32)).shape
    (36, 64, 3)
    """

    def __init__(self, kind: OverlayKind) -> None:
        self.kind = kind
        self._buffers = _FrameBuffers((0, 0))

    def __call__(self, rgb: UInt8, density: Float32) -> UInt8:
        """Draw a frame.

        `rgb` (H, W, 3) uint8: sRGB.
        `density` (h, w) float32: fixation density; its cells tile the frame.
        Returns (H, W, 3) uint8: good until the next frame is drawn, which takes the same memory.
        Raises ValueError: if `rgb` or `density` is not of that form.
        """
        shape = image_shape(rgb)
        if self._buffers.shape != shape:
            self._buffers = _FrameBuffers(shape)
        cells = attention_levels(density)
        levels = upsample_levels(cells, shape)
        buffers = self._buffers
        if self.kind == "heat":
            bare, colour = _heat_tables()
            grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY, dst=buffers.plane)
            cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB, dst=buffers.other)
            cv2.addWeighted(rgb, 0.35, buffers.other, 0.57, 0.0, dst=buffers.drawn)
            cv2.multiply(buffers.drawn, buffers.weights(levels, bare), dst=buffers.drawn, scale=1.0 / 255.0)
            cv2.applyColorMap(levels, colour, dst=buffers.other)
        else:
            clear = visibility(density, cells)
            cv2.multiply(rgb, buffers.weights(levels, _to_bytes(clear)), dst=buffers.drawn, scale=1.0 / 255.0)
            hidden = buffers.weights(levels, _to_bytes(1.0 - clear))
            cv2.multiply(fog_image(rgb), hidden, dst=buffers.other, scale=1.0 / 255.0)
        cv2.add(buffers.drawn, buffers.other, dst=buffers.drawn)
        return buffers.drawn


class _FrameBuffers:
    """Arrays of a frame's size."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape = shape
        self.plane = np.empty(shape, np.uint8)
        self.drawn, self.other, self._three = (np.empty((*shape, 3), np.uint8) for _ in range(3))

    def weights(self, levels: UInt8, table: UInt8) -> UInt8:
        """Look up a factor for each channel of each pixel by its level."""
        cv2.LUT(levels, table, dst=self.plane)
        cv2.cvtColor(self.plane, cv2.COLOR_GRAY2RGB, dst=self._three)
        return self._three


@cache
def _heat_tables() -> tuple[UInt8, UInt8]:
    """Return by level how much of the frame stays, (256,), and the colour that is added, (256, 1, 3)."""
    place = ATTENTION.place(level_values())
    colours = colour_table(_PALETTE)[np.round(place * (LEVELS - 1)).astype(np.intp)]
    covered = colour_opacity(place)
    return _to_bytes(1.0 - covered), np.round(covered[:, None] * colours).astype(np.uint8)[:, None]


def _to_bytes(factor: Float64) -> UInt8:
    return np.round(255.0 * factor).astype(np.uint8)
