"""Photographs in ads: cut to the frame, toned, with the people whom teachers saw in them."""

from __future__ import annotations

import cv2
import numpy as np
import skia
from ad_kit import Kit, Photo, pick
from ad_scene import Scene
from ad_words import Rng

SURE = {"face": 0.75, "person": 0.55, "product": 0.6}
Frame = tuple[float, float, float, float]


def image_of(pixels: np.ndarray) -> skia.Image:
    if pixels.shape[2] == 3:
        pixels = np.dstack([pixels, np.full(pixels.shape[:2], 255, np.uint8)])
    return skia.Image.fromarray(np.ascontiguousarray(pixels), colorType=skia.kRGBA_8888_ColorType)


def recoloured(rng: Rng, rgb: np.ndarray, hue: bool = False) -> np.ndarray:
    """Another exposure, and perhaps another tone."""
    rgb = np.ascontiguousarray(rgb)
    if hue:
        hsv = cv2.cvtColor(rgb, cv2.COLOR_RGB2HSV)
        hsv[..., 0] = (hsv[..., 0].astype(int) + int(rng.integers(180))) % 180
        rgb = cv2.cvtColor(hsv, cv2.COLOR_HSV2RGB)
    gain, gamma = rng.uniform(0.85, 1.2), np.exp(rng.uniform(-0.35, 0.35))
    table = np.clip(255 * gain * (np.arange(256) / 255.0) ** gamma, 0, 255).astype(np.uint8)
    rgb = cv2.LUT(rgb, table)
    mode = rng.random()
    if mode < 0.1:
        grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)
        return cv2.cvtColor(grey, cv2.COLOR_GRAY2RGB)
    if mode < 0.17:
        return duotone(rng, rgb)
    if mode < 0.32:
        tint = rng.integers(0, 256, 3)
        return np.clip(rgb * 0.82 + tint * 0.18, 0, 255).astype(np.uint8)
    return rgb


def duotone(rng: Rng, rgb: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY)[..., None] / 255.0
    dark, light = rng.integers(0, 110, 3), rng.integers(150, 256, 3)
    return (dark * (1 - grey) + light * grey).astype(np.uint8)


def window(rng: Rng, photo: Photo, aspect: float, keep: list[float] | None = None, zoom: float = 1.0) -> Frame:
    """A cut of the photograph (px) of an aspect; around the box `keep` (unit coordinates) where given."""
    w, h = photo.width, photo.height
    cw, ch = (w, w / aspect) if w / aspect <= h else (h * aspect, h)
    cw, ch = cw * zoom, ch * zoom
    if keep is None:
        x, y = rng.uniform(0, max(1e-6, w - cw)), rng.uniform(0, max(1e-6, h - ch))
    else:
        cx, cy = (keep[0] + keep[2]) / 2 * w, (keep[1] + keep[3]) / 2 * h
        x = np.clip(cx - cw * rng.uniform(0.35, 0.65), 0, max(0.0, w - cw))
        y = np.clip(cy - ch * rng.uniform(0.35, 0.6), 0, max(0.0, h - ch))
    return float(x), float(y), float(x + cw), float(y + ch)


def paint_photo(
    scene: Scene,
    rng: Rng,
    photo: Photo,
    frame: Frame,
    cut: Frame,
    *,
    round_: float = 0.0,
    blur: float = 0.0,
    products: bool = False,
) -> None:
    """The cut of the photograph in the frame; what teachers saw becomes things, what they half saw 'zones'."""
    x0, y0, x1, y1 = (round(v) for v in cut)
    rgb = photo.rgb()
    scale = rgb.shape[1] / photo.width
    part = rgb[int(y0 * scale) : int(y1 * scale), int(x0 * scale) : int(x1 * scale)]
    flip = rng.random() < 0.5
    part = recoloured(rng, part[:, ::-1] if flip else part)
    if blur:
        part = cv2.GaussianBlur(part, (0, 0), blur)
    rect = skia.Rect(*frame)
    corners = skia.RRect.MakeRectXY(rect, round_, round_)
    image = image_of(part)

    def paint(c: skia.Canvas) -> None:
        c.save()
        c.clipRRect(corners, skia.ClipOp.kIntersect, True)
        c.drawImageRect(image, rect, skia.SamplingOptions(skia.CubicResampler.Mitchell()))
        c.restore()

    with scene.group("photo"):
        scene.part(paint)
    if blur > 4:
        return
    fw, fh = frame[2] - frame[0], frame[3] - frame[1]
    for thing in (*photo.boxes, *photo.zones):
        bx0, by0, bx1, by1 = thing["box"]
        box = np.array(
            [bx0 * photo.width - x0, by0 * photo.height - y0, bx1 * photo.width - x0, by1 * photo.height - y0]
        )
        box /= [x1 - x0, y1 - y0, x1 - x0, y1 - y0]
        if flip:
            box = np.array([1 - box[2], box[1], 1 - box[0], box[3]])
        inside = box.clip(0, 1)
        seen = (inside[2] - inside[0]) * (inside[3] - inside[1]) / max(1e-9, (box[2] - box[0]) * (box[3] - box[1]))
        if seen <= 0:
            continue
        kind = thing["type"]
        sure = (
            thing in photo.boxes
            and thing["confidence"] >= SURE[kind]
            and seen > 0.4
            and (products or kind != "product")
        )
        with scene.group(kind if sure else f"zone {kind}", thing["label"]):
            scene.mark_box(*(inside * [fw, fh, fw, fh] + [frame[0], frame[1], frame[0], frame[1]]))


def bare(photo: Photo) -> bool:
    """Whether it is no screenshot, chart or advertisement, which have logos and buttons of their own."""
    return not any(word in str(photo.path) for word in ("unlabelled/web", "visualizations", "advertisement"))


def with_faces(kit: Kit, least_px: float = 48.0) -> list[tuple[Photo, list[float]]]:
    """Photographs with a sure face of at least that height, and the face; the larger the face the more often."""
    photos = []
    for photo in filter(bare, kit.photos):
        for b in photo.boxes:
            tall = (b["box"][3] - b["box"][1]) * photo.height
            if b["type"] == "face" and b["confidence"] > 0.8 and tall >= least_px:
                photos += [(photo, b["box"])] * (1 if tall < 80 else 3 if tall < 130 else 6)
    return photos


def plain(rng: Rng, kit: Kit) -> Photo | None:
    """Any bare photograph; crowds seldom."""
    for _ in range(30):
        if not kit.photos:
            return None
        photo: Photo = pick(rng, kit.photos)
        people = sum(b["type"] in ("face", "person") for b in photo.boxes)
        if people > 6 and rng.random() < 0.8:
            continue
        if bare(photo):
            return photo
    return None
