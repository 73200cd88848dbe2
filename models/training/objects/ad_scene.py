"""A picture that knows what is in it: everything painted leaves its mask, and boxes are of what is seen at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import cv2
import numpy as np
import skia

MARGIN = 0.3  # of each side: how far beyond the picture masks are kept, to know how much of a thing is cut off
INK = 40  # alpha from which a pixel counts as the thing's
OPAQUE = 200  # alpha from which it hides what lies below
LEAST_SEEN = 0.4
GROUNDS = {"photo", "panel", "person", "badge"}  # what other things may lie on

Paint = Callable[[skia.Canvas], None]


@dataclass
class Part:
    """Something painted: its mask at a place of the picture with margins, and the groups that it belongs to."""

    mask: np.ndarray  # (h, w) bool
    x: int
    y: int
    groups: tuple[int, ...]
    text: str | None
    hides: np.ndarray | None  # (h, w) bool, what it hides; None: nothing


@dataclass
class Group:
    """Parts that make one thing."""

    type: str
    text: str
    of: str


@dataclass
class Seen:
    """A thing's visible outline, px of the picture: points of its convex hull."""

    type: str
    text: str
    of: str
    hull: np.ndarray  # (n, 2) float64


class Scene:
    """A canvas of `width` x `height` px on which things are painted from the back to the front."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.pixels = np.full((height, width, 4), 255, np.uint8)
        self.canvas = skia.Surface(self.pixels).getCanvas()
        self._mx, self._my = round(width * MARGIN), round(height * MARGIN)
        self._alpha = np.zeros((height + 2 * self._my, width + 2 * self._mx), np.uint8)
        info = skia.ImageInfo.MakeA8(self._alpha.shape[1], self._alpha.shape[0])
        self._mask = skia.Surface.MakeRasterDirect(info, self._alpha, self._alpha.shape[1])
        self._parts: list[Part] = []
        self._groups: list[Group] = []
        self._open: list[int] = []
        self.taken = np.zeros((height, width), bool)

    @contextmanager
    def group(self, type: str, text: str = "", of: str = "") -> Iterator[None]:
        """What is painted inside is one thing (besides the things that it is made of)."""
        self._groups.append(Group(type, text, of))
        self._open.append(len(self._groups) - 1)
        yield
        self._open.pop()

    @contextmanager
    def placed(self, x: float, y: float, scale: float = 1.0, degrees: float = 0.0) -> Iterator[None]:
        """Coordinates of what is painted inside: origin at (x, y), scaled, turned clockwise."""
        self.canvas.save()
        self.canvas.translate(x, y)
        self.canvas.rotate(degrees)
        self.canvas.scale(scale, scale)
        yield
        self.canvas.restore()

    def back(self, paint: Paint) -> None:
        """Paint something that nobody looks for and that hides nothing: a ground, a shadow, an ornament."""
        paint(self.canvas)

    def part(self, paint: Paint, text: str | None = None, hides: bool = True) -> None:
        """Paint a part of the open groups; `text` makes it a line of text as well."""
        paint(self.canvas)
        self.mark(paint, text, hides)

    def mark(self, paint: Paint, text: str | None = None, hides: bool = False) -> None:
        """Note a part that is in the picture already, such as a face in a photograph."""
        self._alpha.fill(0)
        canvas = self._mask.getCanvas()
        matrix = self.canvas.getTotalMatrix()
        matrix.postTranslate(self._mx, self._my)
        canvas.setMatrix(matrix)
        paint(canvas)
        rows = np.flatnonzero(self._alpha.max(1) >= INK)
        if not len(rows):
            return
        columns = np.flatnonzero(self._alpha[rows[0] : rows[-1] + 1].max(0) >= INK)
        cut = self._alpha[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
        solid = cut >= OPAQUE if hides else None
        part = Part(cut >= INK, int(columns[0]), int(rows[0]), tuple(self._open), text, solid)
        self._parts.append(part)
        if not any(self._groups[k].type in GROUNDS or self._groups[k].type.startswith("zone") for k in self._open):
            y, x = max(0, part.y - self._my), max(0, part.x - self._mx)
            self.taken[y : max(0, part.y - self._my + cut.shape[0]), x : max(0, part.x - self._mx + cut.shape[1])] = (
                True
            )

    def crowding(self, box: tuple[float, float, float, float]) -> float:
        """Share of a box (px) in which there is something already, by bounds of parts; photographs do not count."""
        x0, y0, x1, y1 = (max(0, int(v)) for v in box)
        part = self.taken[y0:y1, x0:x1]
        return float(part.mean()) if part.size else 1.0

    def mark_box(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """`mark` for an upright rectangle, in current coordinates."""
        self.mark(lambda canvas: canvas.drawRect(skia.Rect(x0, y0, x1, y1), skia.Paint()))

    def seen(self) -> tuple[list[Seen], list[Seen]]:
        """Things and lines of text of which enough is visible."""
        visible = self._visible()
        things, lines = [], []
        for number, group in enumerate(self._groups):
            members = [k for k, part in enumerate(self._parts) if number in part.groups]
            self._add(things, group.type, group.text, group.of, members, visible)
        for k, part in enumerate(self._parts):
            if part.text is not None:
                self._add(lines, "line", part.text, "", [k], visible)
        return things, lines

    def _add(self, to: list[Seen], type: str, text: str, of: str, members: list[int], visible: list) -> None:
        painted = sum(int(self._parts[k].mask.sum()) for k in members)
        left = sum(int(visible[k].sum()) for k in members)
        if painted and left >= LEAST_SEEN * painted:
            hull = cv2.convexHull(np.concatenate([self._outline(k, visible[k]) for k in members if visible[k].any()]))
            to.append(Seen(type, text, of, hull[:, 0].astype(np.float64)))

    def _outline(self, k: int, mask: np.ndarray) -> np.ndarray:
        """Corners (px edges, not centres) of the first and last pixel of each row."""
        rows = np.flatnonzero(mask.any(1))
        first, last = mask[rows].argmax(1), mask.shape[1] - mask[rows][:, ::-1].argmax(1)
        x, y = self._parts[k].x - self._mx, self._parts[k].y - self._my
        corners = [np.column_stack([side, rows + down]) for side in (first, last) for down in (0, 1)]
        return (np.concatenate(corners) + np.array([x, y])).astype(np.float32)

    def _visible(self) -> list[np.ndarray]:
        """Each part's mask less what lies above it and what is outside the picture."""
        hidden = np.ones(self._alpha.shape, bool)
        hidden[self._my : self._my + self.height, self._mx : self._mx + self.width] = False
        masks = []
        for part in reversed(self._parts):
            h, w = part.mask.shape
            above = hidden[part.y : part.y + h, part.x : part.x + w]
            masks.append(part.mask & ~above)
            if part.hides is not None:
                above |= part.hides
        return masks[::-1]
