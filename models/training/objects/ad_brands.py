"""Invented brands: a name, colours, a mark made of shapes, letters or an icon, and lock-ups of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import skia
from ad_kit import FontFile, Kit, icon_path, pick
from ad_scene import Scene
from ad_text import Colour, Style, can_set, contrast, fill, fit, luminance, paint_line, width_of
from ad_words import Rng, brand_name, one

FORMS = ("word", "word", "word", "row", "row", "stack", "stack", "badge", "plate", "mark", "ring")


@dataclass(frozen=True)
class Brand:
    name: str
    font: FontFile
    colours: tuple[Colour, ...]  # first the main one
    icon: str | None  # SVG path data
    pattern: int  # seed of a mark made of shapes, where there is no icon
    form: str
    tracking: float
    slant: float
    tagline: str

    def lettering(self, colour: Colour, size: float = 100.0) -> Style:
        return Style(self.font, size, colour, tracking=self.tracking, slant=self.slant)


def vivid(rng: Rng) -> Colour:
    """A colour as brands have: mostly saturated, or black."""
    if rng.random() < 0.2:
        return tuple(int(v) for v in np.full(3, rng.integers(0, 60)))  # type: ignore[return-value]
    return hsv(rng.random(), rng.uniform(0.55, 1), rng.uniform(0.4, 1))


def hsv(hue: float, saturation: float, value: float) -> Colour:
    colour = skia.HSVToColor([hue % 1 * 360, saturation, value], 255)
    return skia.ColorGetR(colour), skia.ColorGetG(colour), skia.ColorGetB(colour)


def invent(rng: Rng, kit: Kit) -> Brand:
    from_kit = kit.brands and rng.random() < 0.35
    icons = kit.brands if from_kit else kit.shapes
    entry = pick(rng, icons) if icons and (from_kit or rng.random() < 0.7) else None
    name = entry[2] if from_kit else brand_name(rng)
    fonts = [f for f in (pick(rng, kit.fonts_for("en")) for _ in range(12)) if can_set(name, f)]
    if not fonts:
        name, fonts = "Nova", [pick(rng, kit.fonts_for("en"))]
    case = rng.random()
    name = name.upper() if case < 0.35 else name.lower() if case < 0.48 else name
    if fonts[0].style == "script":
        name = name.capitalize()
    colours = tuple(vivid(rng) for _ in range(3))
    tracking = float(rng.choice([0, 0, 0, 0.05, 0.15, 0.3, -0.02]))
    slant = float(rng.choice([0, 0, 0, 0, -0.2]))
    tagline = one(rng, ["", "", "since 1921", "beyond better", "open your world", "est. 1987", "group", "for life"])
    form = one(rng, FORMS)
    return Brand(
        name, fonts[0], colours, entry[1] if entry else None, int(rng.integers(1 << 30)), form, tracking, slant, tagline
    )


def _shapes(seed: int, colours: list[Colour]) -> list[tuple[skia.Path, Colour]]:
    """A mark of a few overlapping shapes inside the unit square."""
    rng = np.random.default_rng(seed)
    kind, count = int(rng.integers(7)), int(rng.integers(2, 7))
    marks = []
    for k in range(count):
        path, colour = skia.Path(), colours[k % len(colours)]
        if kind == 0:  # petals
            path.addOval(skia.Rect(0.36, 0.0, 0.64, 0.5))
            path.transform(skia.Matrix.RotateDeg(360 * k / count, skia.Point(0.5, 0.5)))
        elif kind == 1:  # bars
            top = rng.uniform(0, 0.6)
            path.addRect(skia.Rect(k / count, top, (k + 0.75) / count, 1))
        elif kind == 2:  # rings
            r = 0.5 * (1 - k / count)
            path.addCircle(0.5, 0.5, r)
            path.addCircle(0.5, 0.5, r * 0.8)
            path.setFillType(skia.PathFillType.kEvenOdd)
        elif kind == 3:  # overlapping circles
            path.addCircle(0.25 + 0.5 * k / max(1, count - 1), 0.5 + 0.2 * math.sin(k * 2.1), 0.24)
        elif kind == 4:  # polygon
            corners = int(rng.integers(3, 7))
            turn, r = rng.uniform(0, 6), rng.uniform(0.25, 0.5)
            points = [
                (0.5 + r * math.cos(turn + 6.283 * j / corners), 0.5 + r * math.sin(turn + 6.283 * j / corners))
                for j in range(corners)
            ]
            path.addPoly([skia.Point(*p) for p in points], True)
        elif kind == 5:  # swoosh
            y = 0.2 + 0.6 * k / count
            path.moveTo(0, y + 0.2)
            path.cubicTo(0.3, y + 0.45, 0.7, y + 0.1, 1, y - 0.2)
            path.cubicTo(0.7, y + 0.2, 0.4, y + 0.2, 0, y + 0.2)
            path.close()
        else:  # chevrons
            x = k / count * 0.6
            path.addPoly(
                [skia.Point(*p) for p in ((x, 0), (x + 0.2, 0), (x + 0.4, 0.5), (x + 0.2, 1), (x, 1), (x + 0.2, 0.5))],
                True,
            )
        marks.append((path, colour))
    return marks


def paint_mark(
    scene: Scene, brand: Brand, x: float, y: float, side: float, colours: list[Colour]
) -> tuple[float, float]:
    """The mark with its top-left at (x, y) and longer side `side`; its width and height."""
    parts = [(icon_path(brand.icon), colours[0])] if brand.icon else _shapes(brand.pattern, colours)
    whole = skia.Path()
    for path, _ in parts:
        whole.addPath(path)
    bounds = whole.computeTightBounds()
    scale = side / max(bounds.width(), bounds.height(), 1e-3)
    with scene.placed(x - bounds.left() * scale, y - bounds.top() * scale, scale):
        scene.part(lambda c: _fill_all(c, parts), hides=False)
    return bounds.width() * scale, bounds.height() * scale


def _fill_all(canvas: skia.Canvas, parts: list[tuple[skia.Path, Colour]]) -> None:
    for path, colour in parts:
        canvas.drawPath(path, fill(colour))


def _colours(rng: Rng, brand: Brand, ground: Colour) -> list[Colour]:
    """The brand's colours where they show on the ground, else all white or all dark."""
    if contrast(brand.colours[0], ground) > 2.2 and rng.random() < 0.8:
        return [c for c in brand.colours if contrast(c, ground) > 1.6]
    return [(255, 255, 255)] if luminance(ground) < 0.4 else [(15, 15, 20)]


def paint_logo(
    scene: Scene, rng: Rng, brand: Brand, x: float, y: float, w: float, h: float, ground: Colour, form: str = ""
) -> None:
    """The brand's logo as large as fits the box, in the box's middle."""
    form = form or brand.form
    colours = _colours(rng, brand, ground)
    style = brand.lettering(colours[-1] if rng.random() < 0.4 else colours[0])
    aspect = width_of(brand.name, style) / style.size  # of the name, width per size
    with scene.group("logo", brand.name, brand.name):
        PAINTERS[form](scene, rng, brand, (x, y, w, h), colours, style, aspect)


def _paint_word(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    size = min(w / aspect, h)
    left = x + (w - size * aspect) / 2
    paint_line(scene, brand.name, replace(style, size=size), left, y + h / 2 + size * 0.33)
    if brand.tagline and size > 22 and rng.random() < 0.5:
        small = Style(brand.font, size * 0.24, style.colour)
        paint_line(scene, brand.tagline, small, left, y + h / 2 + size * 0.75)


def _paint_row(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    size = min(w / (aspect + 1.35), h * 0.8)
    left = x + (w - size * (aspect + 1.35)) / 2
    paint_mark(scene, brand, left, y + h / 2 - size * 0.55, size * 1.1, colours)
    paint_line(scene, brand.name, replace(style, size=size), left + size * 1.35, y + h / 2 + size * 0.33)


def _paint_stack(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    size = min(w / aspect, h * 0.36)
    side = min(h * 0.6, w)
    _, tall = paint_mark(scene, brand, x + w / 2 - side / 2, y, side, colours)
    paint_line(scene, brand.name, replace(style, size=size), x + (w - size * aspect) / 2, y + tall + size * 0.98)


def _plate(kind: int, x: float, y: float, w: float, h: float) -> skia.Path:
    path = skia.Path()
    rect = skia.Rect(x, y, x + w, y + h)
    if kind == 0:
        path.addOval(rect)
    elif kind == 1:
        path.addRect(rect)
    elif kind == 2:
        path.addRoundRect(rect, h * 0.3, h * 0.3)
    else:
        path.addPoly(
            [
                skia.Point(x + h * 0.2, y),
                skia.Point(x + w, y),
                skia.Point(x + w - h * 0.2, y + h),
                skia.Point(x, y + h),
            ],
            True,
        )
    return path


def _paint_plate(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    size = min(w / (aspect + 1.2), h / 1.9)
    w1, h1 = size * (aspect + 1.2), size * 1.9
    x1, y1 = x + (w - w1) / 2, y + (h - h1) / 2
    ground, kind = brand.colours[0], int(rng.integers(4))
    ink = (255, 255, 255) if luminance(ground) < 0.5 else (20, 20, 25)
    plate = _plate(kind, x1, y1, w1, h1)
    scene.part(lambda c: c.drawPath(plate, fill(ground)))
    if rng.random() < 0.4:
        edge = skia.Paint(AntiAlias=True, Color=skia.Color(*ink), Style=skia.Paint.kStroke_Style, StrokeWidth=h1 * 0.04)
        inner = _plate(kind, x1 + h1 * 0.1, y1 + h1 * 0.1, w1 - h1 * 0.2, h1 * 0.8)
        scene.back(lambda c: c.drawPath(inner, edge))
    paint_line(scene, brand.name, replace(style, size=size, colour=ink), x1 + size * 0.6, y1 + h1 / 2 + size * 0.33)


def _paint_badge(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    side = min(w, h)
    x1, y1, ground = x + (w - side) / 2, y + (h - side) / 2, brand.colours[0]
    ink = (255, 255, 255) if luminance(ground) < 0.5 else (20, 20, 25)
    scene.part(lambda c: c.drawCircle(x1 + side / 2, y1 + side / 2, side / 2, fill(ground)))
    paint_mark(scene, brand, x1 + side * 0.31, y1 + side * 0.14, side * 0.38, [ink])
    size = min(side * 0.74 / aspect, side * 0.26)
    paint_line(
        scene, brand.name, replace(style, size=size, colour=ink), x1 + (side - size * aspect) / 2, y1 + side * 0.76
    )


def _paint_ring(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    side = min(w, h)
    x1, y1 = x + (w - side) / 2, y + (h - side) / 2
    ring = skia.Paint(
        AntiAlias=True, Color=skia.Color(*colours[0]), Style=skia.Paint.kStroke_Style, StrokeWidth=side * 0.07
    )
    scene.part(lambda c: c.drawCircle(x1 + side / 2, y1 + side / 2, side * 0.465, ring), hides=False)
    letters = "".join(word[0] for word in brand.name.split() if word[0].isalnum())[:2] or brand.name[:1]
    big, lines = fit(letters, replace(style, size=side * 0.6, tracking=0), side * 0.66, side)
    paint_line(scene, lines[0], big, x1 + (side - width_of(lines[0], big)) / 2, y1 + side / 2 + big.size * 0.35)


def _paint_mark(scene, rng, brand, box, colours, style, aspect) -> None:
    x, y, w, h = box
    side = min(w, h)
    paint_mark(scene, brand, x + (w - side) / 2, y + (h - side) / 2, side, colours)


PAINTERS = {
    "word": _paint_word, "row": _paint_row, "stack": _paint_stack, "plate": _paint_plate, "badge": _paint_badge,
    "ring": _paint_ring, "mark": _paint_mark,
}  # fmt: skip
