"""What is shown of a picture in training, and what is true of each cell of it."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from appearance_examples import KINDS, Example, corners_of

FINER = 4  # targets are drawn at so many points per side of a cell
MOST_DOUBT = 0.25  # of a cell: with more, nothing is learned of its text


@dataclass(frozen=True)
class View:
    """What is shown of a picture: a window in unit coordinates, mirrored or not, in how many pixels."""

    window: tuple[float, float, float, float]  # x0, y0, width, height
    mirrored: bool
    pixels: float  # share of the usual area

    def points(self, xy: np.ndarray) -> np.ndarray:
        """Unit coordinates of the picture as those of the view."""
        x0, y0, w, h = self.window
        moved = (xy - (x0, y0)) / (w, h)
        if self.mirrored:
            moved[..., 0] = 1 - moved[..., 0]
        return moved


WHOLE = View((0.0, 0.0, 1.0, 1.0), False, 1.0)


def random_view(rng: np.random.Generator) -> View:
    """Mirrored or not; larger, by showing a part, or smaller, in fewer pixels."""
    zoom = float(np.exp(rng.uniform(np.log(0.7), np.log(1.5))))
    side = min(1.0, 1 / zoom)
    x0, y0 = rng.uniform(0, 1 - side, 2)
    return View((float(x0), float(y0), side, side), bool(rng.random() < 0.5), min(1.0, zoom) ** 2)


def targets(example: Example, view: View, size: tuple[int, int], cell: int) -> np.ndarray:
    """What is known by cell.

    Parameters
    ----------
    size : (width, height)
        Of the view as shown, px.
    cell : int
        Side of a cell, px.

    Returns
    -------
    (7, h, w) float32
        Text (0-1), its weight, log of letter height in px as shown (0 without text), face, its weight, person, its
        weight.
    """
    grid = (size[1] // cell, size[0] // cell)
    drawer = _Drawer(grid, size, cell)
    text = drawer.polygons([view.points(quad) for quad in example.lines])
    doubt = drawer.polygons([view.points(quad) for quad in example.doubtful])
    heights = _heights(drawer, example, view, size)
    planes = [text, 1.0 * (np.maximum(doubt - text, 0) < MOST_DOUBT), heights]
    for kind in KINDS:
        planes += _kind(drawer, example, kind, view)
    return np.stack(planes).astype(np.float32)


class _Drawer:
    """Draws shapes (unit coordinates of the view) at `FINER` points per side of a cell, and says each cell's mean."""

    def __init__(self, grid: tuple[int, int], size: tuple[int, int], cell: int) -> None:
        self.grid, self.shape = grid, (grid[0] * FINER, grid[1] * FINER)
        self._scale = np.array(size) * FINER / cell

    def at(self, xy: np.ndarray) -> np.ndarray:
        return (xy * self._scale - 0.5) * 256

    def fill(self, canvas: np.ndarray, xy: np.ndarray, value: float) -> None:
        cv2.fillConvexPoly(canvas, np.round(self.at(xy)).astype(np.int32), value, shift=8)

    def means(self, canvas: np.ndarray) -> np.ndarray:
        return canvas.reshape(self.grid[0], FINER, self.grid[1], FINER).mean((1, 3))

    def polygons(self, shapes: list[np.ndarray]) -> np.ndarray:
        canvas = np.zeros(self.shape, np.float32)
        for xy in shapes:
            self.fill(canvas, xy, 1.0)
        return self.means(canvas)


def _heights(drawer: _Drawer, example: Example, view: View, size: tuple[int, int]) -> np.ndarray:
    """Mean log height, px as shown, of the lines in each cell; smaller lines lie over larger ones."""
    canvas = np.zeros(drawer.shape, np.float32)
    quads = [view.points(quad) for quad in example.lines]
    heights = [line_height(quad * size) for quad in quads]
    for i in np.argsort(heights)[::-1]:
        drawer.fill(canvas, quads[i], float(np.log(max(1.0, heights[i]))) + 1e-3)
    covered = drawer.means((canvas > 0).astype(np.float32))
    return drawer.means(canvas) / np.maximum(covered, 1e-6)


def line_height(quad: np.ndarray) -> float:
    """Across a line, px: its shorter side, for lines run up or down as well."""
    return float(min(np.hypot(*(quad[3] - quad[0])), np.hypot(*(quad[1] - quad[0]))))


def _kind(drawer: _Drawer, example: Example, kind: str, view: View) -> list[np.ndarray]:
    """Coverage by the ellipses in the boxes; weight 0 elsewhere in the boxes, in zones, and where nothing is known."""
    boxes = example.boxes[kind]
    if boxes is None:
        return [np.zeros(drawer.grid), np.zeros(drawer.grid)]
    inside = drawer.polygons([view.points(_ellipse(box)) for box in boxes])
    boxed = drawer.polygons([view.points(corners_of(box)) for box in boxes])
    zones = drawer.polygons([view.points(corners_of(zone)) for zone in example.zones[kind]])
    corner, doubt = (boxed > 0) & (inside == 0), (zones > 0) & (inside == 0)
    return [inside, 1.0 * ~(corner | doubt)]


def _ellipse(box: np.ndarray) -> np.ndarray:
    turn = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    middle, half = (box[:2] + box[2:]) / 2, (box[2:] - box[:2]) / 2
    return np.asarray(middle + half * np.stack([np.cos(turn), np.sin(turn)], 1), np.float32)
