"""The elements of an ad: grounds, headlines, body, calls to action, badges, logos, people, groups of products."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ad_words
import numpy as np
import skia
from ad_brands import Brand, hsv, invent, paint_logo, vivid
from ad_kit import FontFile, Kit, Photo, pick
from ad_photos import paint_photo, plain, window, with_faces
from ad_products import paint_cut, paint_product
from ad_scene import Scene
from ad_text import Colour, Style, can_set, fill, ink_on, luminance, paint_text, rgba

Box = tuple[float, float, float, float]


@dataclass
class Ad:
    """An ad in the making."""

    scene: Scene
    rng: np.random.Generator
    kit: Kit
    brand: Brand
    code: str  # language
    palette: list[Colour]
    loud: FontFile  # of headlines
    plain: FontFile  # of other text

    @property
    def w(self) -> int:
        return self.scene.width

    @property
    def h(self) -> int:
        return self.scene.height

    @property
    def side(self) -> float:
        """Geometric mean of the sides, px: what sizes go by."""
        return (self.w * self.h) ** 0.5

    def chance(self, p: float) -> bool:
        return bool(self.rng.random() < p)

    def box(self, x0: float, y0: float, x1: float, y1: float) -> Box:
        """From unit coordinates to px."""
        return x0 * self.w, y0 * self.h, x1 * self.w, y1 * self.h

    def ground_at(self, box: Box) -> Colour:
        """Mean colour of what is painted there."""
        x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
        part = self.scene.pixels[y0 : max(y0 + 1, int(box[3])), x0 : max(x0 + 1, int(box[2])), :3]
        if part.size == 0:
            return (128, 128, 128)
        return tuple(int(v) for v in part.reshape(-1, 3).mean(0))  # type: ignore[return-value]

    def busy_at(self, box: Box) -> bool:
        x0, y0 = max(0, int(box[0])), max(0, int(box[1]))
        part = self.scene.pixels[y0 : max(y0 + 1, int(box[3])), x0 : max(x0 + 1, int(box[2])), :3]
        return part.size > 0 and float(part.mean(2).std()) > 34


def begin(rng: np.random.Generator, kit: Kit, width: int, height: int) -> Ad:
    brand = invent(rng, kit)
    code = ad_words.language(rng, kit.languages)
    fonts = kit.fonts_for(code)
    loud_ones = [f for f in fonts if f.style == "loud" or f.bold]
    sober = [f for f in fonts if f.style == "text"] or fonts
    loud = pick(rng, loud_ones if loud_ones and rng.random() < 0.6 else fonts)
    palette = [
        brand.colours[0],
        vivid(rng),
        hsv(rng.random(), rng.uniform(0, 0.5), rng.uniform(0.8, 1)),
        brand.colours[1],
    ]
    return Ad(Scene(width, height), rng, kit, brand, code, palette, loud, pick(rng, sober))


def roomiest(ad: Ad, boxes: list[Box]) -> Box:
    """The box with the least in it."""
    return min(boxes, key=ad.scene.crowding)


# grounds


def _pale(rng: np.random.Generator) -> Colour:
    return hsv(rng.random(), rng.uniform(0, 0.25), rng.uniform(0.85, 1))


def ground(ad: Ad, box: Box | None = None) -> None:
    """A plain or graduated colour, with a pattern at times."""
    rng, rect = ad.rng, skia.Rect(*(box or (0, 0, ad.w, ad.h)))
    kind = rng.random()
    a = (255, 255, 255) if kind < 0.25 else _pale(rng) if kind < 0.5 else vivid(rng) if kind < 0.8 else (12, 12, 16)
    paint = fill(a)
    if rng.random() < 0.55:
        b = tuple(int(v * rng.uniform(0.5, 0.95)) for v in a) if rng.random() < 0.6 else vivid(rng)
        if rng.random() < 0.5:
            centre = skia.Point(rect.centerX(), rect.top() + rect.height() * rng.uniform(0.2, 0.7))
            paint.setShader(
                skia.GradientShader.MakeRadial(centre, max(rect.width(), rect.height()) * 0.7, [rgba(a), rgba(b)])
            )
        else:
            ends = [
                skia.Point(rect.left(), rect.top()),
                skia.Point(rect.left() + rect.width() * rng.uniform(0, 1), rect.bottom()),
            ]
            paint.setShader(skia.GradientShader.MakeLinear(ends, [rgba(a), rgba(b)]))
    ad.scene.back(lambda c: c.drawRect(rect, paint))
    if rng.random() < 0.35:
        _pattern(ad, rect)


def _pattern(ad: Ad, rect: skia.Rect) -> None:
    rng = ad.rng
    colour, alpha, kind = ad.palette[int(rng.integers(4))], rng.uniform(0.1, 0.7), int(rng.integers(6))
    paint, n = fill(colour, alpha), int(rng.integers(4, 22))
    line = skia.Paint(
        AntiAlias=True,
        Color=rgba(colour, alpha),
        Style=skia.Paint.kStroke_Style,
        StrokeWidth=rng.uniform(1, ad.side * 0.03),
    )
    places = rng.uniform(0, 1, (n, 4))

    def paint_it(c: skia.Canvas) -> None:
        c.save()
        c.clipRect(rect)
        for k, (u, v, s, t) in enumerate(places):
            x, y, r = rect.left() + u * rect.width(), rect.top() + v * rect.height(), s * ad.side * 0.25 + 2
            if kind == 0:
                c.drawCircle(x, y, r, paint)
            elif kind == 1:
                c.drawCircle(x, y, r, line)
            elif kind == 2:
                x = rect.left() + k / n * rect.width()
                c.drawLine(x, rect.top(), x + t * ad.side * 0.4, rect.bottom(), line)
            elif kind == 3:
                path = skia.Path()
                path.addPoly([skia.Point(x + dx * r, y + dy * r) for dx, dy in ((0, -1), (t, 1), (-1, s))], True)
                c.drawPath(path, paint)
            elif kind == 4:
                turn = 6.283 * k / n
                far = ad.side * 2
                path = skia.Path()
                mid = (rect.centerX(), rect.centerY())
                spread = 3.14 / n / 1.5
                corners = [
                    mid,
                    *(
                        (mid[0] + far * math.cos(turn + d), mid[1] + far * math.sin(turn + d))
                        for d in (-spread, spread)
                    ),
                ]
                path.addPoly([skia.Point(*p) for p in corners], True)
                c.drawPath(path, paint)
            else:
                path = skia.Path()
                path.moveTo(rect.left(), y)
                path.cubicTo(
                    rect.left() + rect.width() * 0.3,
                    y - r * 2,
                    rect.left() + rect.width() * 0.6,
                    y + r * 2,
                    rect.right(),
                    y,
                )
                c.drawPath(path, line)
        c.restore()

    ad.scene.back(paint_it)


def photo(
    ad: Ad, box: Box, *, blur: float = 0.0, people: float = 0.5, products: bool = False, round_: float = 0.0
) -> bool:
    """A photograph in the box, of people at times; whether there was one."""
    rng = ad.rng
    aspect = (box[2] - box[0]) / max(1.0, box[3] - box[1])
    shot = portrait(ad, aspect) if rng.random() < people else None
    if shot is None:
        chosen = plain(rng, ad.kit)
        if chosen is None:
            return False
        shot = chosen, window(rng, chosen, aspect, zoom=rng.uniform(0.6, 1))
    paint_photo(ad.scene, rng, shot[0], box, shot[1], round_=round_, blur=blur, products=products)
    return True


def portrait(ad: Ad, aspect: float) -> tuple[Photo, Box] | None:
    """A photograph cut around a face, from the whole picture to the face alone."""
    shots = _faces(ad.kit)
    if not shots:
        return None
    chosen, face = pick(ad.rng, shots)
    tall = (face[3] - face[1]) * chosen.height
    height = tall * float(np.exp(ad.rng.uniform(np.log(1.2), np.log(4.5))))
    full = window(ad.rng, chosen, aspect)
    zoom = min(1.0, max(height / (full[3] - full[1]), tall * 1.1 / (full[2] - full[0])))
    return chosen, window(ad.rng, chosen, aspect, list(face), zoom)


_FACES: dict[int, list] = {}


def _faces(kit: Kit) -> list[tuple[Photo, list[float]]]:
    if id(kit) not in _FACES:
        _FACES[id(kit)] = with_faces(kit)
    return _FACES[id(kit)]


def scrim(ad: Ad, box: Box, dark: bool = True) -> None:
    """A veil over a part of a photograph that lets text be read."""
    rect, tone = skia.Rect(*box), (0, 0, 0) if dark else (255, 255, 255)
    low, high = rgba(tone, 0.0), rgba(tone, ad.rng.uniform(0.5, 0.85))
    ends = [skia.Point(0, rect.top()), skia.Point(0, rect.bottom())]
    flip = rect.centerY() > ad.h / 2
    shader = skia.GradientShader.MakeLinear(ends, [low, high] if flip else [high, low])
    ad.scene.back(lambda c: c.drawRect(rect, skia.Paint(Shader=shader)))


def panel(ad: Ad, box: Box, colour: Colour | None = None) -> Colour:
    """A block of colour that hides what is below."""
    colour = colour or [vivid(ad.rng), _pale(ad.rng), (255, 255, 255), (14, 14, 18)][int(ad.rng.integers(4))]
    rect = skia.Rect(*box)
    with ad.scene.group("panel"):
        ad.scene.part(lambda c: c.drawRect(rect, fill(colour)))
    return colour


# text


def _style(ad: Ad, font: FontFile, size: float, box: Box, align: str) -> Style:
    tone = ad.ground_at(box)
    colour = ink_on(ad.rng, tone, ad.palette)
    return Style(font, size, colour, align, shadow=ad.busy_at(box) and ad.chance(0.6))


def _set_in(ad: Ad, text: str, font: FontFile) -> FontFile:
    if can_set(text.replace("\n", ""), font):
        return font
    able = [f for f in ad.kit.fonts_for(ad.code) if can_set(text, f)]
    return pick(ad.rng, able) if able else font


def _align(ad: Ad) -> str:
    return ad_words.one(ad.rng, ["left", "left", "centre", "centre", "right"])


def headline(ad: Ad, box: Box, size: float | None = None, align: str | None = None) -> float:
    """The headline in the box, as large as fits; the y of its end."""
    rng = ad.rng
    text = ad_words.claim(rng, ad.code)
    if ad.chance(0.12):
        text = ad_words.offer(rng, ad.code)
    text = text.upper() if ad.chance(0.35) and ad.loud.style != "script" else text
    font = _set_in(ad, text, ad.loud)
    style = _style(ad, font, size or (box[3] - box[1]) * rng.uniform(0.3, 0.9), box, align or _align(ad))
    changes: dict = {"leading": rng.uniform(0.98, 1.3)}
    if ad.chance(0.15):
        changes["tracking"] = rng.uniform(0.02, 0.3)
    if ad.chance(0.08) and style.size > 28:
        changes["outline"] = (255, 255, 255) if luminance(style.colour) < 0.4 else (20, 20, 20)
    if ad.chance(0.06):
        changes["gradient"] = ad.palette[int(rng.integers(4))]
    if ad.chance(0.03) and style.size > 36:
        changes["hollow"] = True
    style = Style(**{**style.__dict__, **changes})
    if ad.chance(0.07):
        cx, cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        around = (box[0] - cx, box[1] - cy, box[2] - cx, box[3] - cy)
        with ad.scene.placed(cx, cy, 1, rng.normal(0, 5)):
            return paint_text(ad.scene, "headline_text", text, style, around)[1] + cy
    return paint_text(ad.scene, "headline_text", text, style, box)[1]


def body(ad: Ad, box: Box, size: float | None = None, align: str = "left", words: int | None = None) -> float:
    size = size or max(5.5, ad.side * ad.rng.uniform(0.014, 0.035))
    if box[3] - box[1] < size or box[2] - box[0] < size * 5:
        return box[1]
    text = ad_words.body(ad.rng, ad.code, words or int(ad.rng.integers(5, 40)))
    style = _style(ad, _set_in(ad, text, ad.plain), size, box, align)
    return paint_text(ad.scene, "body_text", text, style, box)[1]


def legal(ad: Ad, box: Box | None = None) -> None:
    """A line or two of small print along the foot, where there is room."""
    size = max(4.5, ad.side * ad.rng.uniform(0.009, 0.016))
    box = box or (ad.w * 0.04, ad.h - size * 3.2, ad.w * ad.rng.uniform(0.6, 0.96), ad.h - size * 0.4)
    if ad.scene.crowding(box) < 0.1:
        body(ad, box, size, words=int(ad.rng.integers(10, 30)))


def columns(ad: Ad, box: Box) -> None:
    """Columns of body text, as in print ads."""
    n = int(ad.rng.integers(1, 4))
    gap, size = (box[2] - box[0]) * 0.04, max(5.0, ad.side * ad.rng.uniform(0.013, 0.02))
    wide = (box[2] - box[0] - gap * (n - 1)) / n
    for k in range(n):
        x = box[0] + k * (wide + gap)
        body(ad, (x, box[1], x + wide, box[3]), size, words=int((box[3] - box[1]) / size * wide / size / 4))


def button(ad: Ad, x: float, y: float, size: float, anchor: str = "left", text: str | None = None) -> float:
    """A button with its top at y and its left, middle or right at x; its width."""
    from ad_text import paint_line, width_of

    rng = ad.rng
    text = text or ad_words.call(rng, ad.code)
    text = text.upper() if ad.chance(0.3) else text
    style = Style(_set_in(ad, text, ad.plain), size, (0, 0, 0), tracking=0.06 if ad.chance(0.15) else 0.0)
    pad_x, pad_y = size * rng.uniform(0.6, 1.8), size * rng.uniform(0.35, 0.9)
    arrow = ad.chance(0.15)
    w, h = width_of(text, style) + 2 * pad_x + (size if arrow else 0), size + 2 * pad_y
    if w > 0.9 * ad.w:
        return button(ad, ad.w / 2, y, size * 0.85 * ad.w / w, "centre", text)
    x = x - {"left": 0, "centre": w / 2, "right": w}[anchor]
    x = min(max(x, ad.w * 0.01), ad.w * 0.99 - w)
    tone = ad.ground_at((x, y, x + w, y + h))
    ghost = ad.chance(0.18)
    colour = tone
    for _ in range(8):
        colour = [*ad.palette, vivid(rng), (255, 255, 255), (20, 20, 22)][int(rng.integers(7))]
        if np.abs(np.subtract(colour, tone)).max() > 60:
            break
    r = h * float(rng.choice([0, 0.12, 0.25, 0.5, 0.5]))
    rect = skia.Rect(x, y, x + w, y + h)
    ink = ink_on(rng, tone if ghost else colour, ad.palette if ad.chance(0.3) else [])
    style = Style(**{**style.__dict__, "colour": ink})
    paint = fill(colour)
    if ghost:
        paint = skia.Paint(
            AntiAlias=True, Color=rgba(ink), Style=skia.Paint.kStroke_Style, StrokeWidth=max(1.0, size * 0.09)
        )
    elif ad.chance(0.25):
        top = tuple(min(255, int(v * 1.25 + 20)) for v in colour)
        paint.setShader(
            skia.GradientShader.MakeLinear([skia.Point(0, y), skia.Point(0, y + h)], [rgba(top), rgba(colour)])
        )
    if not ghost and ad.chance(0.2):
        dark = skia.Paint(AntiAlias=True, Color=skia.Color(0, 0, 0, 90))
        dark.setMaskFilter(skia.MaskFilter.MakeBlur(skia.kNormal_BlurStyle, size * 0.2))
        ad.scene.back(lambda c: c.drawRoundRect(skia.Rect(x, y + size * 0.15, x + w, y + h + size * 0.15), r, r, dark))
    with ad.scene.group("call_to_action", text), ad.scene.group("button", text):
        ad.scene.part(lambda c: c.drawRoundRect(rect, r, r, paint), hides=not ghost)
        paint_line(ad.scene, text, style, x + pad_x, y + h / 2 + size * 0.35)
        if arrow:
            ax, ay, s = x + w - pad_x - size * 0.4, y + h / 2, size * 0.22
            mark = skia.Path()
            mark.addPoly(
                [skia.Point(ax - s, ay - s), skia.Point(ax + s, ay), skia.Point(ax - s, ay + s)], ad.chance(0.5)
            )
            ad.scene.back(lambda c: c.drawPath(mark, fill(ink)))
    return w


def action(ad: Ad, box: Box, align: str = "left", p_button: float = 0.6) -> None:
    """A call to action: a button, or plain words, an address, a telephone number."""
    size = min((box[3] - box[1]) * 0.5, ad.side * ad.rng.uniform(0.022, 0.05))
    if ad.scene.crowding(box) > 0.15:
        return
    if ad.chance(p_button):
        x = {"left": box[0], "centre": (box[0] + box[2]) / 2, "right": box[2]}[align]
        button(ad, x, box[1], size, align)
        return
    text = ad_words.contact(ad.rng, ad.brand.name) if ad.chance(0.7) else ad_words.call(ad.rng, ad.code)
    style = _style(ad, _set_in(ad, text, ad.plain), size, box, align)
    paint_text(ad.scene, "call_to_action", text, style, box)


def badge(ad: Ad, x: float, y: float, r: float, text: str | None = None) -> None:
    """A star, disc or tag with a price or an offer."""
    rng = ad.rng
    text = text or (ad_words.price(rng) if ad.chance(0.6) else ad_words.offer(rng, ad.code))
    colour = [vivid(rng), (230, 30, 40), (255, 215, 0)][int(rng.integers(3))]
    path, teeth = skia.Path(), int(rng.choice([0, 0, 8, 12, 20]))
    if teeth:
        points = []
        for k in range(teeth * 2):
            reach = r if k % 2 == 0 else r * 0.82
            points.append(skia.Point(reach * math.cos(math.pi * k / teeth), reach * math.sin(math.pi * k / teeth)))
        path.addPoly(points, True)
    elif ad.chance(0.7):
        path.addCircle(0, 0, r)
    else:
        path.addRect(skia.Rect(-r, -r * 0.5, r, r * 0.5))
    with ad.scene.placed(x, y, 1, rng.normal(0, 8) if ad.chance(0.5) else 0):
        with ad.scene.group("badge"):
            ad.scene.part(lambda c: c.drawPath(path, fill(colour)))
        style = Style(_set_in(ad, text, ad.loud), r * 0.6, ink_on(rng, colour, []), "centre", leading=1.0)
        paint_text(ad.scene, "body_text", text, style, (-r * 0.72, -r * 0.36, r * 0.72, r * 0.5))


# marks, people, things


def logo(ad: Ad, box: Box, form: str = "", ground_colour: Colour | None = None) -> None:
    """The brand's logo in the box, with a plate behind where it would not show."""
    tone = ground_colour or ad.ground_at(box)
    if ad.busy_at(box) and ad.chance(0.25):
        pad = (box[3] - box[1]) * 0.15
        tone = panel(
            ad,
            (box[0] - pad, box[1] - pad, box[2] + pad, box[3] + pad),
            [(255, 255, 255), (0, 0, 0), ad.brand.colours[0]][int(ad.rng.integers(3))],
        )
    paint_logo(ad.scene, ad.rng, ad.brand, box[0], box[1], box[2] - box[0], box[3] - box[1], tone, form)


def logo_size(ad: Ad) -> tuple[float, float]:
    """Width and height (px) of a logo's place: most are small."""
    w = ad.side * float(np.exp(ad.rng.normal(math.log(0.2), 0.6)))
    return min(w, ad.w * 0.8), min(w * ad.rng.uniform(0.35, 0.8), ad.h * 0.5)


def corner_logo(ad: Ad, corner: str | None = None) -> Box:
    """The logo in a corner or in the middle of an edge; its place."""
    w, h = logo_size(ad)
    m = ad.side * ad.rng.uniform(0.015, 0.06)
    corners = [corner] if corner else ["br"]
    corners += [str(c) for c in ad.rng.permutation(["tl", "tr", "bl", "br", "bc", "tc"])]
    places = []
    for c in corners:
        x = {"l": m, "r": ad.w - m - w, "c": (ad.w - w) / 2}[c[1]]
        y = m if c[0] == "t" else ad.h - m - h
        places.append((x, y, x + w, y + h))
    box = next((p for p in places if ad.scene.crowding(p) < 0.04), min(places, key=ad.scene.crowding))
    logo(ad, box)
    return box


def product(ad: Ad, box: Box, brand: Brand | None = None) -> None:
    paint_product(ad.scene, ad.rng, ad.kit, brand or ad.brand, box)


def products(ad: Ad, box: Box, n: int) -> None:
    """Several products side by side on one foot, overlapping a little."""
    wide = (box[2] - box[0]) / n
    order = ad.rng.permutation(n)
    for k in order:
        tall = (box[3] - box[1]) * ad.rng.uniform(0.6, 1)
        spread = wide * ad.rng.uniform(0.0, 0.12)
        drop = (box[3] - box[1]) * ad.rng.uniform(0, 0.05)
        product(ad, (box[0] + k * wide - spread, box[3] - tall - drop, box[0] + (k + 1) * wide + spread, box[3] - drop))


def person(ad: Ad, box: Box) -> bool:
    """Someone cut out, standing on the box's foot; whether there was anyone."""
    people = ad.kit.cuts_of("person")
    if not people:
        return False
    paint_cut(ad.scene, ad.rng, pick(ad.rng, people), box, 0.0, False)
    return True
