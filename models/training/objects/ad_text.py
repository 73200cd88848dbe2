"""Setting type: lines, blocks, colours that can be read."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import skia
from ad_kit import FontFile, typeface
from ad_scene import Scene
from ad_words import Rng

Colour = tuple[int, int, int]
LEADING = 1.18


@dataclass(frozen=True)
class Style:
    """How text is set; sizes in px."""

    font: FontFile
    size: float
    colour: Colour
    align: str = "left"  # left, centre, right
    tracking: float = 0.0  # em
    leading: float = LEADING
    outline: Colour | None = None
    shadow: bool = False
    gradient: Colour | None = None
    slant: float = 0.0
    hollow: bool = False


def luminance(colour: Colour) -> float:
    """Relative luminance, 0-1 (WCAG 2.2)."""
    linear = [(v / 255 / 12.92) if v <= 10 else ((v / 255 + 0.055) / 1.055) ** 2.4 for v in colour]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a: Colour, b: Colour) -> float:
    low, high = sorted((luminance(a), luminance(b)))
    return (high + 0.05) / (low + 0.05)


def ink_on(rng: Rng, ground: Colour, palette: list[Colour], least: float = 2.6) -> Colour:
    """A colour of the palette that can be read on the ground; black or white where there is none."""
    good = [c for c in palette if contrast(c, ground) >= least]
    if good and rng.random() < 0.6:
        return good[int(rng.integers(len(good)))]
    return (255, 255, 255) if contrast((255, 255, 255), ground) > contrast((15, 15, 20), ground) else (15, 15, 20)


def rgba(colour: Colour, alpha: float = 1.0) -> int:
    return skia.Color(*colour, round(alpha * 255))


def fill(colour: Colour, alpha: float = 1.0) -> skia.Paint:
    return skia.Paint(AntiAlias=True, Color=rgba(colour, alpha))


def _font(style: Style) -> skia.Font:
    font = skia.Font(typeface(style.font.path), style.size)
    font.setSubpixel(True)
    font.setEdging(skia.Font.Edging.kAntiAlias)
    font.setHinting(skia.FontHinting.kNone)
    font.setSkewX(style.slant)
    return font


def width_of(text: str, style: Style) -> float:
    font = _font(style)
    return sum(font.getWidths(font.textToGlyphs(text))) + style.tracking * style.size * max(0, len(text) - 1)


def can_set(text: str, font: FontFile) -> bool:
    """Whether the font has all of the letters."""
    return 0 not in skia.Font(typeface(font.path), 12).textToGlyphs(text)


def wrap(text: str, style: Style, width: float) -> list[str]:
    """Lines of at most `width` px, broken between words (between letters where the script has no spaces)."""
    spaced = " " in text or len(text) < 12
    words, joint = (text.split(" "), " ") if spaced else (list(text), "")
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]}{joint}{word}" if lines else word
        if lines and width_of(longer, style) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def fit(text: str, style: Style, width: float, height: float, least: float = 5.0) -> tuple[Style, list[str]]:
    """The largest size up to the style's at which the text fits the box, and its lines."""
    while True:
        lines = wrap(text, style, width)
        widest = max(width_of(line, style) for line in lines)
        tall = len(lines) * style.size * style.leading
        if (widest <= width and tall <= height) or style.size <= least:
            return style, lines
        style = replace(style, size=max(least, style.size * 0.92))


def paint_line(scene: Scene, text: str, style: Style, x: float, baseline: float) -> None:
    """A line of text from x on; a part of the open groups and a line of its own."""
    font = _font(style)
    glyphs = font.textToGlyphs(text)
    advances = np.array(font.getWidths(glyphs)) + style.tracking * style.size
    at = [float(v) for v in x + np.concatenate([[0.0], np.cumsum(advances)[:-1]])]
    builder = skia.TextBlobBuilder()
    builder.allocRunPosH(font, glyphs, at, baseline)
    blob = builder.make()
    if blob is None:
        return
    paint = fill(style.colour)
    if style.gradient is not None:
        ends = [skia.Point(0, baseline - style.size), skia.Point(0, baseline)]
        paint.setShader(skia.GradientShader.MakeLinear(ends, [rgba(style.colour), rgba(style.gradient)]))
    if style.hollow:
        paint.setStyle(skia.Paint.kStroke_Style)
        paint.setStrokeWidth(max(0.8, style.size * 0.03))
    if style.shadow:
        blur = skia.Paint(AntiAlias=True, Color=skia.Color(0, 0, 0, 130))
        blur.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, style.size * 0.06))
        off = style.size * 0.04
        scene.back(lambda c: c.drawTextBlob(blob, off, off, blur))
    if style.outline is not None:
        edge = fill(style.outline)
        edge.setStyle(skia.Paint.kStroke_Style)
        edge.setStrokeWidth(style.size * 0.12)
        edge.setStrokeJoin(skia.Paint.kRound_Join)
        scene.back(lambda c: c.drawTextBlob(blob, 0, 0, edge))
    scene.part(lambda c: c.drawTextBlob(blob, 0, 0, paint), text=text, hides=False)


def paint_lines(scene: Scene, lines: list[str], style: Style, box: tuple[float, float, float, float]) -> float:
    """Lines from the box's top on; the y at which they end."""
    x0, y0, x1, _ = box
    y = y0 + style.size * (0.5 + 0.31)
    for line in lines:
        slack = (x1 - x0) - width_of(line, style)
        x = x0 + slack * {"left": 0.0, "centre": 0.5, "right": 1.0}[style.align]
        paint_line(scene, line, style, x, y)
        y += style.size * style.leading
    return y - style.size * 0.8


def paint_text(
    scene: Scene, kind: str, text: str, style: Style, box: tuple[float, float, float, float], least: float = 5.0
) -> tuple[Style, float]:
    """A block of the given type ('headline_text', ...) fitted into the box; its final style and the y of its end."""
    style, lines = fit(text, style, box[2] - box[0], box[3] - box[1], least)
    room = max(1, int((box[3] - box[1]) / (style.size * style.leading) + 0.3))
    with scene.group(kind, "\n".join(lines[:room])):
        end = paint_lines(scene, lines[:room], style, box)
    return style, end
