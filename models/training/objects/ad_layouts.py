"""Layouts of ads: what goes where, after the kinds of ad that people meet."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import ad_words
import numpy as np
import skia
from ad_brands import invent, vivid
from ad_elements import (
    Ad,
    action,
    badge,
    begin,
    body,
    button,
    columns,
    corner_logo,
    ground,
    headline,
    legal,
    logo,
    logo_size,
    panel,
    person,
    photo,
    product,
    products,
    roomiest,
    scrim,
)  # fmt: skip
from ad_kit import Kit
from ad_text import Style, fill, ink_on, paint_text

LONG = 640  # px of the longer side
ASPECTS = (
    0.35,
    0.56,
    0.6,
    0.67,
    0.71,
    0.71,
    0.75,
    0.77,
    0.8,
    0.8,
    1,
    1,
    1,
    1.2,
    1.33,
    1.41,
    1.41,
    1.5,
    1.6,
    1.78,
    1.91,
    2.5,
    5,
)


def size_of(rng: np.random.Generator) -> tuple[int, int]:
    aspect = ASPECTS[int(rng.integers(len(ASPECTS)))] * float(np.exp(rng.normal(0, 0.05)))
    return (LONG, max(64, round(LONG / aspect))) if aspect >= 1 else (max(64, round(LONG * aspect)), LONG)


def on_plain(ad: Ad) -> None:
    """Product on a plain ground, headline above or below, logo in a corner."""
    ground(ad)
    rng, n = ad.rng, int(ad.rng.choice([1, 1, 1, 2, 3, 4]))
    top = ad.chance(0.6)
    text_y = (0.05, 0.28) if top else (0.72, 0.93)
    low, high = (rng.uniform(0.2, 0.35), 0.97) if top else (0.03, rng.uniform(0.65, 0.76))
    x0 = rng.uniform(0.02, 0.3)
    if ad.chance(0.25):
        shelf = ad.h * rng.uniform(0.75, 0.9)
        panel(ad, (0, shelf, ad.w, ad.h))
        high = shelf / ad.h + 0.04
    products(ad, ad.box(x0, low, 1 - rng.uniform(0.05, 0.35), high), n) if n > 1 else product(
        ad, ad.box(x0, low, 1 - x0 * rng.uniform(0.3, 1), high)
    )
    if ad.chance(0.85):
        end = headline(ad, ad.box(0.06, text_y[0], 0.94, text_y[1] - 0.06))
        if ad.chance(0.6):
            body(
                ad, (ad.w * 0.06, end + 2, ad.w * 0.94, ad.h * text_y[1]), align="centre" if ad.chance(0.4) else "left"
            )
    if ad.chance(0.85):
        corner_logo(ad, "br" if top else None)
    if ad.chance(0.3):
        r = ad.side * rng.uniform(0.06, 0.13)
        places = [(x - r, y - r, x + r, y + r) for x, y in rng.uniform(0.12, 0.88, (4, 2)) * [ad.w, ad.h]]
        x0, y0, _, _ = roomiest(ad, places)
        badge(ad, x0 + r, y0 + r, r)
    if ad.chance(0.35):
        action(ad, ad.box(0.06, 0.9, 0.5, 0.97))
    elif ad.chance(0.5):
        legal(ad)


def full_bleed(ad: Ad) -> None:
    """A photograph from edge to edge, a line of text, a small logo, a pack at times."""
    rng = ad.rng
    if not photo(ad, (0, 0, ad.w, ad.h), people=0.6, products=ad.chance(0.5)):
        ground(ad)
    wide, tall = rng.uniform(0.4, 0.9), rng.uniform(0.12, 0.28)
    places = [
        (0.05, 0.05),
        (0.95 - wide, 0.06),
        (0.05, 0.9 - tall),
        (0.95 - wide, 0.88 - tall),
        (0.05, 0.4),
        (0.95 - wide, 0.4),
    ]
    tried = [places[int(k)] for k in rng.permutation(6)[: int(rng.integers(2, 6))]]
    box = roomiest(ad, [ad.box(x, y, x + wide, y + tall) for x, y in tried])
    if ad.chance(0.4):
        scrim(ad, (0, max(0, box[1] - ad.h * 0.1), ad.w, min(ad.h, box[3] + ad.h * 0.12)))
    if ad.chance(0.45):
        tall, across = rng.uniform(0.15, 0.65), rng.uniform(0.12, 0.5)
        product(
            ad, roomiest(ad, [ad.box(x, 0.97 - tall, x + across, 0.97) for x in rng.uniform(0.03, 0.97 - across, 3)])
        )
    if ad.chance(0.85):
        end = headline(ad, box)
        if ad.chance(0.5):
            body(ad, (box[0], end + 2, box[2], min(ad.h * 0.98, end + ad.h * 0.1)))
    corner_logo(ad)
    if ad.chance(0.3):
        action(ad, ad.box(0.06, 0.9, 0.6, 0.97))
    if ad.chance(0.3):
        legal(ad)


def split(ad: Ad) -> None:
    """A photograph on one side, colour with text, product and logo on the other."""
    rng = ad.rng
    wide = ad.w > ad.h * 0.9
    cut = rng.uniform(0.35, 0.65)
    first = ad.chance(0.5)
    if wide:
        a, b = (0, 0, ad.w * cut, ad.h), (ad.w * cut, 0, ad.w, ad.h)
    else:
        a, b = (0, 0, ad.w, ad.h * cut), (0, ad.h * cut, ad.w, ad.h)
    shot, text = (a, b) if first else (b, a)
    ground(ad, text)
    if not photo(ad, shot, people=0.65, products=True):
        ground(ad, shot)
    x0, y0, x1, y1 = text
    w, h = x1 - x0, y1 - y0
    m = min(w, h) * rng.uniform(0.06, 0.12)
    align = ad_words.one(rng, ["left", "left", "centre"])
    end = headline(ad, (x0 + m, y0 + m, x1 - m, y0 + h * rng.uniform(0.25, 0.45)), align=align)
    if ad.chance(0.7):
        end = body(ad, (x0 + m, end + m * 0.3, x1 - m, y0 + h * 0.6), align=align)
    if ad.chance(0.5):
        action(ad, (x0 + m, end + m * 0.4, x1 - m, end + m * 0.4 + h * 0.1), align)
        end += h * 0.14
    lw, lh = logo_size(ad)
    lw, lh = min(lw, w * 0.5), min(lh, h * 0.2)
    if ad.chance(0.55):
        tall = min(h * 0.45, y1 - end - m)
        if tall > h * 0.15:
            px = x0 + w * rng.uniform(0.35, 0.5)
            products(ad, (px, y1 - m * 0.5 - tall, x1 - m * 0.5, y1 - m * 0.5), int(rng.choice([1, 1, 2, 3])))
        lw = min(lw, w * 0.33)
    logo(ad, (x0 + m, y1 - m - lh, x0 + m + lw, y1 - m))


def beauty(ad: Ad) -> None:
    """A face close by, packs, a large word-mark."""
    rng = ad.rng
    if not photo(ad, (0, 0, ad.w, ad.h), people=1.0):
        ground(ad)
    n, tall = int(rng.integers(1, 5)), rng.uniform(0.18, 0.45)
    left = ad.chance(0.5)
    wide = min(0.55, rng.uniform(0.12, 0.2) * n)
    x0 = 0.04 if left else 0.96 - wide
    products(ad, ad.box(x0, 0.96 - tall, x0 + wide, 0.96), n)
    w = rng.uniform(0.25, 0.6)
    y = float(rng.choice([0.03, 0.05, 0.82]))
    lx = rng.uniform(0.03, 0.97 - w) if y < 0.5 else (0.96 - w if left else 0.04)
    logo(ad, ad.box(lx, y, lx + w, y + rng.uniform(0.06, 0.13)), "word")
    if ad.chance(0.8):
        hx, wide = rng.uniform(0.05, 0.5), rng.uniform(0.25, 0.5)
        places = [
            ad.box(x, y, min(0.96, x + wide), y + 0.2) for x, y in ((hx, 0.25), (0.05, 0.15), (0.5, 0.3), (0.45, 0.1))
        ]
        end = headline(ad, roomiest(ad, places), ad.side * rng.uniform(0.03, 0.08))
        if ad.chance(0.7):
            body(ad, (ad.w * hx, end + 3, ad.w * min(0.96, hx + 0.35), end + ad.h * 0.15))


def flyer(ad: Ad) -> None:
    """Many products in a grid, each with a price."""
    ground(ad)
    rng = ad.rng
    columns_, rows = int(rng.integers(2, 5)), int(rng.integers(1, 5))
    if ad.w > 2 * ad.h:
        rows, columns_ = 1, int(rng.integers(3, 7))
    head = rng.uniform(0.14, 0.24)
    panel(ad, ad.box(0, 0, 1, head)) if ad.chance(0.6) else None
    lw = rng.uniform(0.15, 0.3)
    logo(ad, ad.box(0.03, 0.02, 0.03 + lw, head - 0.02))
    headline(ad, ad.box(lw + 0.06, 0.02, 0.97, head - 0.02))
    cw, ch = 0.96 / columns_, (0.97 - head) / rows
    cards = ad.chance(0.5)
    for r in range(rows):
        for c in range(columns_):
            x, y = 0.02 + c * cw, head + 0.01 + r * ch
            if cards:
                panel(ad, ad.box(x + 0.006, y + 0.006, x + cw - 0.006, y + ch - 0.006), (255, 255, 255))
            brand = ad.brand if ad.chance(0.4) else invent(rng, ad.kit)
            product(ad, ad.box(x + cw * 0.12, y + ch * 0.06, x + cw * 0.88, y + ch * 0.68), brand)
            body(ad, ad.box(x + cw * 0.08, y + ch * 0.72, x + cw * 0.65, y + ch * 0.95), words=int(rng.integers(1, 5)))
            if ad.chance(0.7):
                side = min(cw * ad.w, ch * ad.h)
                badge(
                    ad, (x + cw * 0.8) * ad.w, (y + ch * 0.8) * ad.h, side * rng.uniform(0.12, 0.2), ad_words.price(rng)
                )
    if ad.chance(0.3):
        legal(ad)


def strip(ad: Ad) -> None:
    """Elements in a row (or a column): a banner, a leaderboard, a skyscraper, a story."""
    rng = ad.rng
    if ad.chance(0.25) and photo(ad, (0, 0, ad.w, ad.h), people=0.3, blur=float(rng.choice([0, 3, 8]))):
        scrim(ad, (0, 0, ad.w, ad.h), ad.chance(0.7))
    else:
        ground(ad)
    wide = ad.w > ad.h
    parts = ["logo", "headline", "product", "button"]
    parts += [p for p in ("body", "photo", "product") if ad.chance(0.35)]
    order = rng.permutation(len(parts))
    shares = np.array(
        [
            {"headline": 2.2, "product": 1.5, "photo": 1.6, "body": 1.6, "logo": 1.0, "button": 0.9}[parts[k]]
            for k in order
        ]
    )
    edges = np.concatenate([[0], np.cumsum(shares / shares.sum())])
    for k, (a, b) in zip(order, pairwise(edges), strict=True):
        gap = (b - a) * 0.08
        box = ad.box(a + gap, 0.1, b - gap, 0.9) if wide else ad.box(0.08, a + gap, 0.92, b - gap)
        _fill_slot(ad, parts[k], box, wide)


def _fill_slot(ad: Ad, part: str, box: tuple, wide: bool) -> None:
    x0, y0, x1, y1 = box
    w, h = x1 - x0, y1 - y0
    if part == "logo":
        s = ad.rng.uniform(0.5, 1)
        logo(ad, (x0 + w * (1 - s) / 2, y0 + h * (1 - s) / 2, x1 - w * (1 - s) / 2, y1 - h * (1 - s) / 2))
    elif part == "headline":
        headline(
            ad, (x0, y0 + h * 0.08, x1, y1), size=h * ad.rng.uniform(0.25, 0.7), align="left" if wide else "centre"
        )
    elif part == "body":
        body(ad, (x0, y0 + h * 0.15, x1, y1), size=max(6.0, h * 0.14 if wide else w * 0.07))
    elif part == "photo":
        photo(ad, box, people=0.6, products=True, round_=float(ad.rng.choice([0, 0, 8, 20])))
    elif part == "button":
        size = min(h * 0.3, w * 0.13, 30)
        button(ad, (x0 + x1) / 2, y0 + h * 0.5 - size, size, "centre")
    else:
        products(ad, box, int(ad.rng.choice([1, 1, 1, 2, 3])))


def print_ad(ad: Ad) -> None:
    """A magazine page: photograph or product above, headline, columns of text, logo at the foot."""
    rng = ad.rng
    panel(
        ad,
        (0, 0, ad.w, ad.h),
        [(255, 255, 255), (250, 246, 236), (20, 20, 22), vivid(rng)][int(rng.choice([0, 0, 1, 2, 3]))],
    )
    cut = rng.uniform(0.4, 0.68)
    m = 0.0 if ad.chance(0.5) else 0.05
    above = ad.chance(0.3)
    y = 0.03
    if above:
        y = headline(ad, ad.box(0.05, 0.03, 0.95, 0.17)) / ad.h + 0.015
    frame = ad.box(m, y if above or m else 0, 1 - m, y + cut)
    if ad.chance(0.6):
        if not photo(ad, frame, people=0.55, products=True):
            ground(ad, frame)
    else:
        if ad.chance(0.5):
            ground(ad, frame)
        products(
            ad,
            (frame[0] + ad.w * 0.08, frame[1] + ad.h * 0.04, frame[2] - ad.w * 0.08, frame[3] - ad.h * 0.02),
            int(rng.choice([1, 1, 2, 3])),
        )
    end = frame[3] + ad.h * 0.02
    if not above:
        end = headline(ad, (ad.w * 0.05, end, ad.w * 0.95, end + ad.h * 0.12)) + 3
    lw, lh = logo_size(ad)
    lw, lh = min(lw, ad.w * 0.3), min(lh, ad.h * 0.1)
    columns(ad, (ad.w * 0.05, end, ad.w * 0.92 - lw, ad.h * 0.96))
    logo(ad, (ad.w * 0.96 - lw, ad.h * 0.97 - lh, ad.w * 0.96, ad.h * 0.97))
    if ad.chance(0.3):
        product(ad, (ad.w * 0.96 - lw, ad.h * 0.95 - lh * 2.8, ad.w * 0.96, ad.h * 0.95 - lh))


def star(ad: Ad) -> None:
    """Someone cut out on a ground, with product and text."""
    rng = ad.rng
    if ad.chance(0.3):
        if not photo(ad, (0, 0, ad.w, ad.h), people=0.0, blur=rng.uniform(5, 12)):
            ground(ad)
    else:
        ground(ad)
    left = ad.chance(0.5)
    n = int(rng.choice([1, 1, 1, 2]))
    half = (0.02, 0.5) if left else (0.5, 0.98)
    other = (0.53, 0.95) if left else (0.05, 0.47)
    for k in range(n):
        w = (half[1] - half[0]) / n
        person(
            ad, ad.box(half[0] + k * w, rng.uniform(0.03, 0.3), half[0] + (k + 1) * w, 1.0 if ad.chance(0.7) else 0.95)
        )
    end = headline(ad, ad.box(other[0], 0.08, other[1], 0.35))
    if ad.chance(0.6):
        end = body(ad, (ad.w * other[0], end + 3, ad.w * other[1], end + ad.h * 0.12))
    if ad.chance(0.6) and end < ad.h * 0.6:
        products(
            ad, (ad.w * other[0], max(end + 5, ad.h * 0.5), ad.w * other[1], ad.h * 0.86), int(rng.choice([1, 1, 2]))
        )
    corner_logo(ad, "br" if left else "bl")
    if ad.chance(0.4):
        action(ad, ad.box(other[0], 0.88, other[1], 0.96))


def mark_only(ad: Ad) -> None:
    """Little else than a logo."""
    rng = ad.rng
    if not (ad.chance(0.5) and photo(ad, (0, 0, ad.w, ad.h), people=0.3)):
        ground(ad)
    w, h = rng.uniform(0.2, 0.7), rng.uniform(0.12, 0.4)
    x, y = rng.uniform(0.05, 0.95 - w), rng.uniform(0.1, 0.85 - h)
    logo(ad, ad.box(x, y, x + w, y + h))
    if ad.chance(0.5):
        headline(ad, ad.box(0.1, 0.86, 0.9, 0.95), align="centre")


def web_page(ad: Ad) -> None:
    """The first screen of a shop or a service."""
    rng = ad.rng
    tone = panel(
        ad, (0, 0, ad.w, ad.h), [(255, 255, 255), (248, 248, 250), (18, 18, 24)][int(rng.choice([0, 0, 1, 2]))]
    )
    bar = rng.uniform(0.07, 0.12)
    if ad.chance(0.3):
        panel(ad, ad.box(0, 0, 1, bar))
    logo(
        ad,
        ad.box(0.03, bar * 0.15, rng.uniform(0.12, 0.22), bar * 0.85),
        ad_words.one(rng, ["row", "word", "row", "mark"]),
    )
    x = 0.32
    size = ad.h * bar * 0.28
    while x < 0.78:
        word = ad_words.one(rng, ad_words.LANGUAGES[ad.code].nouns).capitalize()
        ink = ink_on(rng, ad.ground_at(ad.box(x, 0.01, x + 0.05, bar)), [])
        paint_text(ad.scene, "body_text", word, Style(ad.plain, size, ink), ad.box(x, bar * 0.3, x + 0.12, bar * 0.9))
        x += rng.uniform(0.09, 0.14)
    if ad.chance(0.7):
        button(ad, ad.w * 0.97, ad.h * bar * 0.2, ad.h * bar * 0.25, "right")
    deep = rng.uniform(0.5, 0.8)
    if ad.chance(0.5):
        photo(ad, ad.box(0, bar, 1, deep), people=0.5)
    else:
        ground(ad, ad.box(0, bar, 1, deep))
        if ad.chance(0.7):
            products(ad, ad.box(0.55, bar + 0.04, 0.95, deep - 0.03), int(rng.choice([1, 1, 2, 3])))
    end = headline(ad, ad.box(0.06, bar + 0.08, 0.5, deep - 0.22), align="left")
    end = body(ad, (ad.w * 0.06, end + 4, ad.w * 0.5, end + ad.h * 0.1))
    w = button(ad, ad.w * 0.06, end + 8, ad.side * rng.uniform(0.022, 0.032))
    if ad.chance(0.4):
        button(ad, ad.w * 0.06 + w + 10, end + 8, ad.side * 0.025)
    n = int(rng.integers(2, 6))
    for k in range(n):
        a, b = 0.03 + k * 0.94 / n + 0.008, 0.03 + (k + 1) * 0.94 / n - 0.008
        if ad.chance(0.6):
            product(ad, ad.box(a, deep + 0.03, b, 0.9), invent(rng, ad.kit))
        else:
            photo(ad, ad.box(a, deep + 0.03, b, 0.9), people=0.3, products=True)
        ink = ink_on(rng, tone, [])
        paint_text(
            ad.scene,
            "body_text",
            ad_words.sentence(rng, ad.code, 3),
            Style(ad.plain, ad.side * 0.018, ink),
            ad.box(a, 0.91, b, 0.98),
        )


def post(ad: Ad) -> None:
    """A post of a social network: name above, picture, reactions below."""
    rng = ad.rng
    dark = ad.chance(0.2)
    tone = panel(ad, (0, 0, ad.w, ad.h), (24, 25, 28) if dark else (255, 255, 255))
    head, foot = rng.uniform(0.08, 0.12), rng.uniform(0.82, 0.9)
    r = head * ad.h * 0.33
    with ad.scene.group("logo", ad.brand.name, ad.brand.name):
        ad.scene.part(lambda c: c.drawCircle(r * 1.8, head * ad.h / 2, r, fill(ad.brand.colours[0])))
        from ad_brands import paint_mark

        paint_mark(ad.scene, ad.brand, r * 1.3, head * ad.h / 2 - r * 0.5, r, [(255, 255, 255)])
    ink = ink_on(rng, tone, [])
    paint_text(
        ad.scene,
        "body_text",
        ad.brand.name,
        Style(ad.plain, r * 0.8, ink),
        (r * 3.2, head * ad.h * 0.2, ad.w * 0.8, head * ad.h),
    )
    inner = ad.box(0, head, 1, foot)
    if ad.chance(0.5) or not photo(ad, inner, people=0.5, products=ad.chance(0.6)):
        ground(ad, inner)
        product(ad, ad.box(0.2, head + 0.2, 0.8, foot - 0.04))
    if ad.chance(0.8):
        headline(ad, ad.box(0.06, head + 0.04, 0.94, head + 0.2))
    if ad.chance(0.5):
        lw, lh = logo_size(ad)
        logo(ad, (ad.w * 0.96 - lw, foot * ad.h - lh - 10, ad.w * 0.96, foot * ad.h - 10))
    body(ad, ad.box(0.04, foot + 0.02, 0.6, 0.99))
    if ad.chance(0.6):
        button(ad, ad.w * 0.96, foot * ad.h + 8, ad.side * 0.025, "right")


def poster(ad: Ad) -> None:
    """Large type on a picture or a pattern, hardly anything else; at times nothing that is looked for at all."""
    rng = ad.rng
    if not (ad.chance(0.55) and photo(ad, (0, 0, ad.w, ad.h), people=0.35)):
        ground(ad)
    if ad.chance(0.3):
        x, y = rng.uniform(0, 0.4, 2)
        panel(ad, ad.box(x, y, x + rng.uniform(0.3, 0.6), y + rng.uniform(0.2, 0.6)))
    y = rng.uniform(0.05, 0.5)
    end = headline(ad, ad.box(0.06, y, 0.94, y + 0.4), ad.h * rng.uniform(0.08, 0.3))
    end = body(ad, (ad.w * 0.06, end + 4, ad.w * 0.94, min(ad.h * 0.95, end + ad.h * 0.2)))
    if ad.chance(0.4):
        action(
            ad,
            (ad.w * 0.06, min(ad.h * 0.9, end + 8), ad.w * 0.9, min(ad.h * 0.9, end + 8) + ad.h * 0.07),
            p_button=0.2,
        )
    if ad.chance(0.5):
        corner_logo(ad)


def big_thing(ad: Ad) -> None:
    """One product that fills the picture or runs over its edge."""
    rng = ad.rng
    if not (ad.chance(0.35) and photo(ad, (0, 0, ad.w, ad.h), people=0.1, blur=rng.uniform(2, 10))):
        ground(ad)
    x, y = rng.uniform(-0.15, 0.25, 2)
    product(ad, ad.box(x, y, x + rng.uniform(0.6, 1.0), y + rng.uniform(0.65, 1.0)))
    if ad.chance(0.6):
        headline(ad, ad.box(0.05, 0.04, 0.6, 0.2))
    corner_logo(ad)
    if ad.chance(0.4):
        legal(ad)


LAYOUTS: tuple[tuple[Callable[[Ad], None], float], ...] = (
    (on_plain, 0.17), (full_bleed, 0.17), (split, 0.12), (beauty, 0.08), (flyer, 0.06), (strip, 0.06), (print_ad, 0.1),
    (star, 0.08), (mark_only, 0.03), (web_page, 0.04), (post, 0.03), (poster, 0.06), (big_thing, 0.1),
)  # fmt: skip


def compose(rng: np.random.Generator, kit: Kit) -> Ad:
    """An ad of any layout."""
    shares = np.array([share for _, share in LAYOUTS])
    layout = LAYOUTS[int(rng.choice(len(LAYOUTS), p=shares / shares.sum()))][0]
    width, height = size_of(rng)
    if layout is web_page:
        width, height = LONG, round(LONG * rng.uniform(0.55, 0.8))
    elif max(width / height, height / width) > 2.2:
        layout = strip
    ad = begin(rng, kit, width, height)
    ad.scene.back(lambda c: c.clear(skia.ColorWHITE))
    layout(ad)
    return ad
