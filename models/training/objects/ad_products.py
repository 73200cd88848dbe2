"""Products: drawn packs with labels, and cut-outs of real things."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import skia
from ad_brands import Brand, hsv, paint_logo
from ad_kit import Cut, FontFile, Kit, pick
from ad_photos import image_of, recoloured
from ad_scene import Scene
from ad_text import Colour, Style, fill, ink_on, luminance, paint_text, rgba
from ad_words import LANGUAGES, Rng, one, sentence

# Profiles of bodies of revolution: (height from the top, half width), both in shares of the height.
PROFILES = {
    "bottle": [(0, 0.07), (0.05, 0.075), (0.28, 0.075), (0.42, 0.16), (0.97, 0.16), (1, 0.14)],
    "beer": [(0, 0.055), (0.03, 0.06), (0.3, 0.07), (0.45, 0.135), (0.98, 0.135), (1, 0.12)],
    "wine": [(0, 0.05), (0.25, 0.05), (0.33, 0.06), (0.42, 0.13), (0.98, 0.13), (1, 0.12)],
    "can": [(0, 0.2), (0.03, 0.22), (0.08, 0.26), (0.93, 0.26), (0.98, 0.22), (1, 0.2)],
    "slim can": [(0, 0.14), (0.05, 0.18), (0.95, 0.18), (1, 0.15)],
    "jar": [(0, 0.5), (0.25, 0.5), (0.26, 0.56), (0.95, 0.56), (1, 0.5)],
    "tub": [(0, 0.52), (0.1, 0.52), (0.11, 0.48), (1, 0.38)],
    "tube": [(0, 0.19), (0.02, 0.19), (0.8, 0.14), (0.81, 0.1), (1, 0.1)],
    "pump": [(0, 0.03), (0.12, 0.03), (0.13, 0.1), (0.22, 0.1), (0.25, 0.2), (1, 0.2)],
    "perfume": [(0, 0.12), (0.22, 0.12), (0.23, 0.06), (0.28, 0.06), (0.29, 0.32), (1, 0.3)],
    "lipstick": [(0, 0.03), (0.1, 0.08), (0.3, 0.08), (0.31, 0.1), (0.5, 0.1), (0.51, 0.13), (1, 0.13)],
    "cup": [(0, 0.36), (0.04, 0.38), (0.08, 0.36), (1, 0.25)],
    "spray": [(0, 0.1), (0.16, 0.1), (0.17, 0.13), (0.25, 0.16), (1, 0.16)],
    "detergent": [(0, 0.12), (0.15, 0.12), (0.16, 0.08), (0.22, 0.1), (0.35, 0.3), (0.9, 0.32), (1, 0.28)],
}
NECK = {  # where the cap ends; negative: where it begins, at the foot
    "bottle": 0.14, "beer": 0.05, "wine": 0.2, "pump": 0.22, "perfume": 0.24, "spray": 0.16, "detergent": 0.18,
    "jar": 0.25, "tub": 0.1, "tube": -0.81, "lipstick": 0.31, "can": 0.03, "slim can": 0.03, "cup": 0.08,
}  # fmt: skip


def _profile(rng: Rng, kind: str) -> list[tuple[float, float]]:
    stretch = rng.uniform(0.8, 1.3)
    return [(y, r * stretch * rng.uniform(0.95, 1.05)) for y, r in PROFILES[kind]]


def _outline(points: list[tuple[float, float]], top: float, bottom: float, bulge: float) -> skia.Path:
    """The silhouette between two heights, its foot curved as a circle seen from above."""
    ys = [top, *(y for y, _ in points if top < y < bottom), bottom]
    rs = [float(np.interp(y, [p[0] for p in points], [p[1] for p in points])) for y in ys]
    path = skia.Path()
    path.moveTo(-rs[0], ys[0])
    for k in range(1, len(ys)):
        path.lineTo(-rs[k], ys[k])
    path.quadTo(0, bottom + bulge * rs[-1], rs[-1], bottom)
    for k in range(len(ys) - 1, -1, -1):
        path.lineTo(rs[k], ys[k])
    path.quadTo(0, top + bulge * rs[0], -rs[0], top)
    path.close()
    return path


def _shade(colour: Colour, factor: float) -> Colour:
    if factor > 1:
        return tuple(int(255 - (255 - v) / factor) for v in colour)  # type: ignore[return-value]
    return tuple(int(v * factor) for v in colour)  # type: ignore[return-value]


def round_paint(colour: Colour, radius: float, gloss: float, alpha: float = 1.0) -> skia.Paint:
    """A round body lit from the left: dark edges, a highlight, a reflection."""
    stops = [
        (0.0, 0.45),
        (0.08, 0.8),
        (0.22, 1 + gloss),
        (0.32, 1.0),
        (0.7, 0.85),
        (0.9, 0.5),
        (0.96, 0.75),
        (1.0, 0.4),
    ]
    colours = [rgba(_shade(colour, f), alpha) for _, f in stops]
    shader = skia.GradientShader.MakeLinear(
        [skia.Point(-radius, 0), skia.Point(radius, 0)], colours, [p for p, _ in stops]
    )
    return skia.Paint(AntiAlias=True, Shader=shader)


def paint_round(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A bottle, can, jar, tube ... with its foot at (0, h) and its axis at x = 0, h px high."""
    kind = one(rng, list(PROFILES))
    points, bulge = _profile(rng, kind), rng.uniform(0.05, 0.3)
    radius, gloss = max(r for _, r in points), rng.uniform(0.2, 3)
    body, cap = _pack_colours(rng, brand)
    neck = NECK[kind]
    alpha = rng.uniform(0.6, 0.95) if kind in ("bottle", "perfume", "beer", "wine") and rng.random() < 0.5 else 1.0
    ends = (0.0, neck) if neck > 0 else (-neck, 1.0)
    whole = _outline(points, 0, 1, bulge)

    def pack(c: skia.Canvas) -> None:
        c.save()
        c.scale(h, h)
        c.drawPath(whole, fill(_shade(body, 0.7), alpha))
        c.drawPath(whole, round_paint(body, radius, gloss, alpha))
        c.drawPath(_outline(points, *ends, bulge), round_paint(cap, radius, gloss * 1.5))
        if kind == "lipstick":
            c.drawPath(_outline(points, 0.31, 0.5, bulge), round_paint((205, 175, 90), radius, 3))
        c.restore()

    scene.part(pack)
    top, bottom = (neck + 0.05, 0.92) if neck > 0 else (0.06, -neck - 0.05)
    if kind in ("bottle", "beer", "wine"):
        top = 0.46
    if bottom - top > 0.2:
        half = min(float(np.interp(y, *zip(*points, strict=True))) for y in (top, (top + bottom) / 2, bottom))
        _label(scene, rng, kit, brand, (-half * h, top * h, half * h, bottom * h), body, round_=True)


def _pack_colours(rng: Rng, brand: Brand) -> tuple[Colour, Colour]:
    body = brand.colours[0] if rng.random() < 0.5 else hsv(rng.random(), rng.uniform(0, 0.9), rng.uniform(0.15, 1))
    if rng.random() < 0.3:
        body = tuple(int(v) for v in np.full(3, rng.integers(205, 253)))  # type: ignore[assignment]
    gold, steel = (212, 180, 90), (190, 192, 198)
    cap = [body, gold, steel, (25, 25, 28), (245, 245, 245), brand.colours[1]][int(rng.integers(6))]
    return body, cap


def _label(scene: Scene, rng: Rng, kit: Kit, brand: Brand, box: tuple, body: Colour, round_: bool) -> None:
    """What is printed on a pack: a label or none, the logo, a name of the kind, small print."""
    x0, y0, x1, y1 = box
    w, h, ground = x1 - x0, y1 - y0, body
    if rng.random() < 0.55:
        ground = [(250, 248, 240), brand.colours[1], brand.colours[2], (20, 20, 24)][int(rng.integers(4))]
        ly0, ly1 = y0 + h * rng.uniform(0, 0.25), y1 - h * rng.uniform(0, 0.3)
        paint = round_paint(ground, w / 2, 0.3) if round_ else fill(ground)
        path, half = skia.Path(), w / 2
        sag = h * 0.04 if round_ else 0.0
        path.moveTo(-half, ly0)
        path.quadTo(0, ly0 + sag, half, ly0)
        path.lineTo(half, ly1)
        path.quadTo(0, ly1 + sag, -half, ly1)
        with scene.placed((x0 + x1) / 2, 0):
            scene.back(lambda c: c.drawPath(path, paint))
        y0, y1, h = ly0, ly1, ly1 - ly0
    if rng.random() < 0.9:
        lw, lh = w * rng.uniform(0.6, 0.86), h * rng.uniform(0.25, 0.5)
        ly = y0 + h * rng.uniform(0.05, 0.3)
        form = one(rng, ["word", "word", "stack", "plate", "badge"])
        paint_logo(scene, rng, brand, x0 + (w - lw) / 2, ly, lw, lh, ground, form)
        y0 = ly + lh
    if y1 - y0 > 14 and w > 30:
        _small_print(scene, rng, kit, (x0 + w * 0.12, y0 + 2, x1 - w * 0.12, y1 - 3), ground)


def _small_print(scene: Scene, rng: Rng, kit: Kit, box: tuple, ground: Colour) -> None:
    font: FontFile = pick(rng, kit.fonts_for("en"))
    size = min((box[3] - box[1]) * 0.3, (box[2] - box[0]) * 0.22)
    if size < 4:
        return
    style = Style(font, size, ink_on(rng, ground, []), "centre")
    words = one(rng, LANGUAGES["en"].adjectives) + " " + one(rng, LANGUAGES["en"].nouns)
    text = words if rng.random() < 0.5 else sentence(rng, "en", 6)
    with scene.group("print"):
        paint_text(scene, "print", text, style, box, least=3.5)


def paint_box(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A carton seen from slightly aside, foot at (0, h)."""
    w, depth, rise = h * rng.uniform(0.5, 1.3), h * rng.uniform(0.08, 0.3), h * rng.uniform(0.02, 0.1)
    body, _ = _pack_colours(rng, brand)
    side = 1 if rng.random() < 0.5 else -1
    x0, x1 = -w / 2, w / 2
    edge = x1 if side > 0 else x0
    flank = [(edge, rise), (edge + side * depth, 0), (edge + side * depth, h - rise), (edge, h)]
    lid = [(x0, rise), (x0 + side * depth, 0), (x1 + side * depth, 0), (x1, rise)]

    def pack(c: skia.Canvas) -> None:
        c.drawRect(skia.Rect(x0, rise, x1, h), fill(body))
        for corners, factor in ((flank, 0.65), (lid, 1.4)):
            path = skia.Path()
            path.addPoly([skia.Point(*p) for p in corners], True)
            c.drawPath(path, fill(_shade(body, factor)))

    scene.part(pack)
    _label(scene, rng, kit, brand, (x0, rise, x1, h), body, round_=False)


def paint_pouch(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A bag of crisps, coffee, sweets: pillow outline with sealed ends."""
    w = h * rng.uniform(0.55, 0.85)
    body, _ = _pack_colours(rng, brand)
    path = skia.Path()
    path.moveTo(-w * 0.46, 0)
    teeth = 14
    for k in range(teeth):
        path.lineTo(-w * 0.46 + w * 0.92 * (k + 0.5) / teeth, h * 0.012)
        path.lineTo(-w * 0.46 + w * 0.92 * (k + 1) / teeth, 0)
    path.cubicTo(w * 0.54, h * 0.3, w * 0.54, h * 0.7, w * 0.46, h)
    path.lineTo(-w * 0.46, h)
    path.cubicTo(-w * 0.54, h * 0.7, -w * 0.54, h * 0.3, -w * 0.46, 0)

    def pack(c: skia.Canvas) -> None:
        c.drawPath(path, round_paint(body, w / 2, 0.5))
        for y in (h * 0.05, h * 0.95):
            c.drawLine(-w * 0.47, y, w * 0.47, y, skia.Paint(Color=skia.Color(0, 0, 0, 70), StrokeWidth=h * 0.006))

    scene.part(pack)
    _label(scene, rng, kit, brand, (-w * 0.44, h * 0.09, w * 0.44, h * 0.9), body, round_=True)


def paint_screen(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A telephone, tablet, laptop or television that shows a photograph or an interface."""
    kind = one(rng, ["phone", "phone", "phone", "tablet", "laptop", "tv"])
    aspect = {"phone": 0.49, "tablet": 0.72, "laptop": 1.55, "tv": 1.7}[kind]
    screen_h = h * (0.86 if kind in ("laptop", "tv") else 1.0)
    w, rim = screen_h * aspect, screen_h * (0.03 if kind != "tv" else 0.02)
    case = [(20, 20, 22), (225, 226, 230), (60, 62, 70), (240, 220, 200)][int(rng.integers(4))]
    round_ = screen_h * (0.07 if kind == "phone" else 0.03)
    if kit.photos and rng.random() < 0.6:
        shown = image_of(recoloured(rng, _crop(rng, pick(rng, kit.photos).rgb(), (w - 2 * rim) / (screen_h - 2 * rim))))
    else:
        shown = None
    a, b = hsv(rng.random(), rng.uniform(0.2, 1), rng.uniform(0.3, 1)), hsv(rng.random(), 0.6, 0.9)
    glass = skia.Rect(-w / 2 + rim, rim, w / 2 - rim, screen_h - rim)
    tiles = [
        (rng.uniform(0.05, 0.6), rng.uniform(0.05, 0.9), rng.uniform(0.15, 0.4), rng.uniform(0.03, 0.12))
        for _ in range(6)
    ]

    def pack(c: skia.Canvas) -> None:
        c.drawRoundRect(skia.Rect(-w / 2, 0, w / 2, screen_h), round_, round_, fill(case))
        c.save()
        c.clipRRect(skia.RRect.MakeRectXY(glass, round_ * 0.7, round_ * 0.7), skia.ClipOp.kIntersect, True)
        if shown is not None:
            c.drawImageRect(shown, glass, skia.SamplingOptions(skia.FilterMode.kLinear))
        else:
            ends = [skia.Point(0, 0), skia.Point(w * 0.2, screen_h)]
            c.drawRect(glass, skia.Paint(Shader=skia.GradientShader.MakeLinear(ends, [rgba(a), rgba(b)])))
            for tx, ty, tw, th in tiles:
                rect = skia.Rect.MakeXYWH(
                    glass.left() + tx * glass.width(), ty * screen_h, tw * glass.width(), th * screen_h
                )
                c.drawRoundRect(rect, 3, 3, skia.Paint(Color=skia.Color(255, 255, 255, 190)))
        c.restore()
        if kind == "laptop":
            path = skia.Path()
            corners = ((-w * 0.52, screen_h), (w * 0.52, screen_h), (w * 0.62, h), (-w * 0.62, h))
            path.addPoly([skia.Point(*p) for p in corners], True)
            c.drawPath(path, fill(_shade(case, 1.3)))
        if kind == "tv":
            c.drawRect(skia.Rect(-w * 0.03, screen_h, w * 0.03, h * 0.97), fill(case))
            c.drawOval(skia.Rect(-w * 0.2, h * 0.95, w * 0.2, h), fill(case))

    scene.part(pack)


def paint_watch(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A wrist watch, strap upright."""
    r, strap = h * 0.24, h * rng.uniform(0.1, 0.14)
    leather, metal = (
        hsv(rng.random(), rng.uniform(0, 0.7), rng.uniform(0.1, 0.7)),
        [(200, 200, 205), (214, 180, 95), (40, 40, 44)][int(rng.integers(3))],
    )
    face = [(250, 250, 248), (20, 22, 30), (20, 40, 90)][int(rng.integers(3))]
    hand = (20, 20, 20) if luminance(face) > 0.5 else (245, 245, 245)
    turns = rng.uniform(0, 6.28, 2)

    def pack(c: skia.Canvas) -> None:
        c.drawRoundRect(skia.Rect(-strap, 0, strap, h), strap * 0.3, strap * 0.3, round_paint(leather, strap, 0.3))
        c.drawCircle(0, h / 2, r, round_paint(metal, r, 2))
        c.drawCircle(0, h / 2, r * 0.84, fill(face))
        for k in range(12):
            dx, dy = math.cos(k * math.pi / 6), math.sin(k * math.pi / 6)
            c.drawLine(
                dx * r * 0.68,
                h / 2 + dy * r * 0.68,
                dx * r * 0.79,
                h / 2 + dy * r * 0.79,
                skia.Paint(AntiAlias=True, Color=rgba(hand), StrokeWidth=r * 0.04),
            )
        for turn, length in zip(turns, (0.45, 0.65), strict=True):
            c.drawLine(
                0,
                h / 2,
                math.cos(turn) * r * length,
                h / 2 + math.sin(turn) * r * length,
                skia.Paint(AntiAlias=True, Color=rgba(hand), StrokeWidth=r * 0.06),
            )

    scene.part(pack)
    paint_logo(scene, rng, brand, -r * 0.35, h / 2 - r * 0.5, r * 0.7, r * 0.22, face, "word")


def paint_car(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A car from the side."""
    w = h * rng.uniform(2.4, 3.3)
    paint_, roof = hsv(rng.random(), rng.uniform(0, 0.9), rng.uniform(0.15, 0.95)), rng.uniform(0.1, 0.25)
    left, right = rng.uniform(-0.3, -0.2), rng.uniform(0.1, 0.35)
    body, glass = skia.Path(), skia.Path()
    body.moveTo(-w * 0.5, h * 0.82)
    body.cubicTo(-w * 0.52, h * 0.5, -w * 0.45, h * 0.45, w * (left - 0.08), h * 0.42)
    body.cubicTo(w * left, h * roof, w * (left + 0.1), 0, w * 0.05, 0)
    body.cubicTo(w * (right - 0.05), 0, w * right, h * 0.2, w * (right + 0.08), h * 0.4)
    body.cubicTo(w * 0.47, h * 0.45, w * 0.52, h * 0.5, w * 0.5, h * 0.82)
    body.close()
    glass.moveTo(w * (left - 0.02), h * 0.4)
    glass.cubicTo(w * (left + 0.05), h * 0.15, w * (left + 0.12), h * 0.07, w * 0.05, h * 0.07)
    glass.cubicTo(w * (right - 0.06), h * 0.07, w * (right - 0.03), h * 0.2, w * right, h * 0.4)
    glass.close()
    shader = skia.GradientShader.MakeLinear(
        [skia.Point(0, 0), skia.Point(0, h * 0.85)],
        [rgba(_shade(paint_, 1.8)), rgba(paint_), rgba(_shade(paint_, 0.4))],
        [0, 0.45, 1],
    )

    def pack(c: skia.Canvas) -> None:
        c.drawPath(body, skia.Paint(AntiAlias=True, Shader=shader))
        c.drawPath(glass, fill((30, 38, 48)))
        for x in (-0.31, 0.31):
            c.drawCircle(w * x, h * 0.8, h * 0.2, fill((18, 18, 20)))
            c.drawCircle(w * x, h * 0.8, h * 0.125, fill((185, 188, 194)))
            for k in range(5):
                c.drawLine(
                    w * x,
                    h * 0.8,
                    w * x + math.cos(k * 1.257) * h * 0.12,
                    h * 0.8 + math.sin(k * 1.257) * h * 0.12,
                    skia.Paint(AntiAlias=True, Color=rgba((60, 60, 64)), StrokeWidth=h * 0.03),
                )
        c.drawOval(skia.Rect(w * 0.44, h * 0.48, w * 0.49, h * 0.56), fill((255, 250, 220)))

    scene.part(pack)


def paint_shoe(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A trainer from the side, with a mark on its flank."""
    w = h * rng.uniform(1.6, 2.1)
    upper, sole, accent = hsv(rng.random(), rng.uniform(0, 1), rng.uniform(0.2, 1)), (245, 245, 243), brand.colours[0]
    if rng.random() < 0.3:
        sole = _shade(upper, 0.5)
    path, bottom = skia.Path(), skia.Path()
    path.moveTo(-w * 0.48, h * 0.8)
    path.cubicTo(-w * 0.52, h * 0.4, -w * 0.46, h * 0.1, -w * 0.44, 0)
    path.cubicTo(-w * 0.35, h * 0.1, -w * 0.25, h * 0.08, -w * 0.16, h * 0.02)
    path.cubicTo(-w * 0.02, h * 0.25, w * 0.15, h * 0.42, w * 0.32, h * 0.5)
    path.cubicTo(w * 0.46, h * 0.55, w * 0.5, h * 0.65, w * 0.5, h * 0.8)
    path.close()
    bottom.moveTo(-w * 0.5, h * 0.76)
    bottom.cubicTo(-w * 0.2, h * 0.85, w * 0.2, h * 0.72, w * 0.5, h * 0.74)
    bottom.cubicTo(w * 0.53, h * 0.9, w * 0.5, h, w * 0.42, h)
    bottom.lineTo(-w * 0.46, h)
    bottom.close()
    shader = skia.GradientShader.MakeLinear(
        [skia.Point(-w * 0.3, 0), skia.Point(w * 0.2, h)],
        [rgba(_shade(upper, 1.7)), rgba(upper), rgba(_shade(upper, 0.55))],
    )
    lace = skia.Paint(AntiAlias=True, Color=rgba(sole), StrokeWidth=h * 0.03)
    toe = skia.Path()
    toe.moveTo(w * 0.22, h * 0.77)
    toe.cubicTo(w * 0.25, h * 0.55, w * 0.35, h * 0.5, w * 0.45, h * 0.57)
    toe.lineTo(w * 0.5, h * 0.77)
    toe.close()

    def pack(c: skia.Canvas) -> None:
        c.drawPath(path, skia.Paint(AntiAlias=True, Shader=shader))
        c.drawPath(toe, fill(_shade(accent, 1.2), 0.8))
        c.drawPath(bottom, fill(sole))
        for k in range(5):
            x, y = -w * 0.13 + k * w * 0.07, h * (0.1 + k * 0.065)
            c.drawLine(x, y, x - w * 0.06, y + h * 0.12, lace)

    scene.part(pack)
    with scene.group("logo", brand.name, brand.name):
        from ad_brands import paint_mark

        paint_mark(scene, brand, -w * 0.2, h * 0.38, h * 0.32, [sole if luminance(upper) < 0.5 else (25, 25, 25)])


def paint_food(scene: Scene, rng: Rng, kit: Kit, brand: Brand, h: float) -> None:
    """A burger or sandwich of layers."""
    w, layers = h * rng.uniform(1.1, 1.6), int(rng.integers(3, 7))
    colours = [(120, 66, 35), (95, 170, 60), (215, 50, 40), (250, 200, 60), (240, 225, 190), (150, 90, 50)]
    middle = [colours[int(rng.integers(len(colours)))] for _ in range(layers)]
    seeds = rng.uniform(-0.4, 0.4, (14, 2))

    def pack(c: skia.Canvas) -> None:
        top, step = h * 0.42, h * 0.36 / layers
        bun = skia.Path()
        bun.moveTo(-w * 0.48, top)
        bun.cubicTo(-w * 0.5, -h * 0.14, w * 0.5, -h * 0.14, w * 0.48, top)
        bun.close()
        c.drawRoundRect(
            skia.Rect(-w * 0.46, h * 0.76, w * 0.46, h), h * 0.1, h * 0.1, round_paint((205, 140, 70), w * 0.5, 0.4)
        )
        for k, colour in enumerate(middle):
            y = top + k * step
            c.drawRoundRect(
                skia.Rect(-w * 0.5, y, w * 0.5, y + step * 1.25),
                step * 0.5,
                step * 0.5,
                round_paint(colour, w * 0.5, 0.4),
            )
        c.drawPath(bun, round_paint((215, 150, 75), w * 0.5, 0.7))
        for x, y in seeds:
            c.drawOval(skia.Rect.MakeXYWH(x * w * 0.8, h * (0.2 + y * 0.3), w * 0.03, h * 0.02), fill((250, 235, 200)))

    scene.part(pack)


def _crop(rng: Rng, rgb: np.ndarray, aspect: float) -> np.ndarray:
    h, w = rgb.shape[:2]
    cw, ch = (w, w / aspect) if w / aspect <= h else (h * aspect, h)
    x, y = rng.uniform(0, w - cw + 1e-6), rng.uniform(0, h - ch + 1e-6)
    return rgb[int(y) : int(y + ch), int(x) : int(x + cw)]


DRAWN: tuple[tuple[Callable[[Scene, Rng, Kit, Brand, float], None], float], ...] = (
    (paint_round, 0.5), (paint_box, 0.12), (paint_pouch, 0.08), (paint_screen, 0.1), (paint_watch, 0.04),
    (paint_car, 0.05), (paint_shoe, 0.07), (paint_food, 0.04),
)  # fmt: skip


def _painted(rng: Rng, kit: Kit, brand: Brand, draw: Callable, h: float) -> tuple[skia.Rect, int]:
    """Bounds of a drawn product at height h, by drawing it aside with the same luck."""
    seed = int(rng.integers(1 << 30))
    probe = Scene(int(h * 4), int(h * 2))
    with probe.placed(h * 2, h * 0.5):
        draw(probe, np.random.default_rng(seed), kit, brand, h)
    part = probe._parts[0]
    x, y = part.x - probe._mx - h * 2, part.y - probe._my - h * 0.5
    return skia.Rect(x, y, x + part.mask.shape[1], y + part.mask.shape[0]), seed


def paint_drawn(scene: Scene, rng: Rng, kit: Kit, brand: Brand, box: tuple, degrees: float, shadow: bool) -> None:
    """A drawn pack, standing in the middle of the box's foot, as large as fits."""
    x0, y0, x1, y1 = box
    draw = DRAWN[int(rng.choice(len(DRAWN), p=[share for _, share in DRAWN]))][0]
    bounds, seed = _painted(rng, kit, brand, draw, 100)
    h = min(y1 - y0, (x1 - x0) * 100 / bounds.width()) * 100 / max(100, bounds.height())
    if shadow:
        _contact(scene, (x0 + x1) / 2, y1, bounds.width() * h / 100)
    with (
        scene.placed((x0 + x1) / 2, y1 - h / 2, 1, degrees),
        scene.placed(0, -h / 2),
        scene.group("product", "", brand.name),
    ):
        draw(scene, np.random.default_rng(seed), kit, brand, h)


def _contact(scene: Scene, x: float, y: float, w: float) -> None:
    dark = skia.Paint(AntiAlias=True, Color=skia.Color(0, 0, 0, 110))
    dark.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, max(1.0, w * 0.04)))
    scene.back(lambda c: c.drawOval(skia.Rect(x - w * 0.5, y - w * 0.04, x + w * 0.5, y + w * 0.05), dark))


def paint_cut(scene: Scene, rng: Rng, cut: Cut, box: tuple, degrees: float, shadow: bool, mirror: bool = True) -> None:
    """A cut-out, standing in the middle of the box's foot, as large as fits; with its faces."""
    x0, y0, x1, y1 = box
    pixels = cut.rgba()
    flip = mirror and rng.random() < 0.5
    if flip:
        pixels = pixels[:, ::-1]
    if (cut.role != "person" and rng.random() < 0.4) or rng.random() < 0.15:
        pixels = np.dstack([recoloured(rng, pixels[..., :3], hue=cut.role == "product"), pixels[..., 3]])
    ph, pw = pixels.shape[:2]
    scale = min((x1 - x0) / pw, (y1 - y0) / ph)
    w, h = pw * scale, ph * scale
    image = image_of(pixels)
    if shadow:
        _contact(scene, (x0 + x1) / 2, y1, w)
    rect = skia.Rect(-w / 2, -h / 2, w / 2, h / 2)
    sampling = skia.SamplingOptions(skia.FilterMode.kLinear, skia.MipmapMode.kLinear)
    with scene.placed((x0 + x1) / 2, y1 - h / 2, 1, degrees):
        with scene.group(cut.role, cut.kind):
            scene.part(lambda c: c.drawImageRect(image, rect, sampling))
        if cut.role == "product" and cut.photographed:  # it may carry marks that nobody boxed
            with scene.group("zone logo"):
                scene.mark_box(-w / 2, -h / 2, w / 2, h / 2)
        for fx0, fy0, fx1, fy1 in cut.faces:
            fx0, fx1 = (1 - fx1, 1 - fx0) if flip else (fx0, fx1)
            with scene.group("face"):
                scene.mark_box((fx0 - 0.5) * w, (fy0 - 0.5) * h, (fx1 - 0.5) * w, (fy1 - 0.5) * h)


def paint_product(scene: Scene, rng: Rng, kit: Kit, brand: Brand, box: tuple, tilt: float = 8.0) -> None:
    """A product of any kind in the box."""
    degrees = float(rng.normal(0, tilt)) if rng.random() < 0.35 else 0.0
    shadow = degrees == 0 and rng.random() < 0.6
    cuts = kit.cuts_of("product")
    real = [cut for cut in cuts if cut.photographed]
    if cuts and rng.random() < 0.6:
        chosen = pick(rng, real if real and rng.random() < 0.7 else cuts)
        paint_cut(scene, rng, chosen, box, degrees, shadow)
    else:
        paint_drawn(scene, rng, kit, brand, box, degrees, shadow)
