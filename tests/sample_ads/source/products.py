"""Ray-march the product pictures (a serum bottle, a pair of headphones): signed distances, studio softboxes, numpy.

Run from anywhere; writes bottle.jpg and headphones.webp into ``photos/``. Takes some ten seconds on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

F = npt.NDArray[np.float32]
PHOTOS = Path(__file__).parent / "photos"
FAR = 12.0


def unit(v: F) -> F:
    return np.asarray(v / np.linalg.norm(v, axis=-1, keepdims=True), np.float32)


def rounded_box(x: F, y: F, half_x: float | F, half_y: float, radius: float) -> F:
    """Distance in a plane to a rounded rectangle; with x = radial distance it is a cylinder."""
    qx, qy = np.abs(x) - half_x + radius, np.abs(y) - half_y + radius
    outside = np.hypot(np.maximum(qx, 0), np.maximum(qy, 0))
    return np.asarray(outside + np.minimum(np.maximum(qx, qy), 0) - radius, np.float32)


def bottle(p: F) -> F:
    """(N, 3) points -> (3, N) distances to glass, metal collar and rubber bulb."""
    r, y = np.hypot(p[:, 0], p[:, 2]), p[:, 1]
    glass = rounded_box(r, y - 0.72, 0.50, 0.72, 0.13)
    collar = rounded_box(r, y - 1.60, 0.27, 0.17, 0.025)
    bulb = rounded_box(r, y - 2.05, 0.17 - 0.025 * (y - 2.05), 0.34, 0.15)
    return np.stack([glass, collar, bulb])


def headphones(p: F) -> F:
    """(N, 3) points -> (3, N) distances to shells, cushions and headband with its sliders."""
    x, y, z = np.abs(p[:, 0]), p[:, 1], p[:, 2]
    tilt = x - 0.98 + 0.10 * y
    r = np.asarray(np.hypot(y, z), np.float32)
    shell = rounded_box(r, np.asarray(tilt - 0.10), 0.60, 0.17, 0.15)
    disc = np.hypot(np.maximum(r - 0.40, 0), tilt - 0.275) - 0.012
    cushion = np.hypot(r - 0.42, (tilt + 0.12) * 0.9) - 0.185
    arc = np.asarray(np.hypot(x / 1.02, (y - 0.45) / 1.12) - 1.0, np.float32)
    band = rounded_box(arc, z, 0.055, 0.17, 0.05) + np.maximum(0.62 - y, 0) * 0.9
    slider = np.hypot(np.hypot(x - 1.045, z), np.maximum(np.abs(y - 0.60) - 0.22, 0)) - 0.045
    return np.stack([np.minimum(shell, slider), cushion, np.minimum(band, disc)])


def march(scene: Callable[[F], F], origin: F, rays: F) -> tuple[F, npt.NDArray[np.bool_]]:
    """Sphere tracing; only rays still under way are evaluated."""
    t = np.full(len(rays), 2.0, np.float32)
    alive, hit = np.arange(len(rays)), np.zeros(len(rays), bool)
    for _ in range(110):
        d = scene(origin + rays[alive] * t[alive, None]).min(0)
        t[alive] += d * 0.85
        hit[alive[d < 5e-4]] = True
        alive = alive[(d >= 5e-4) & (t[alive] < FAR)]
        if not len(alive):
            break
    return t, hit


def normals(scene: Callable[[F], F], p: F) -> F:
    steps = np.array([[1, -1, -1], [-1, -1, 1], [-1, 1, -1], [1, 1, 1]], np.float32)
    return unit(np.asarray(sum(s * scene(p + 1e-3 * s).min(0)[:, None] for s in steps), np.float32))


def shade_light(scene: Callable[[F], F], p: F, light: F, softness: float) -> F:
    """Share of an area light that reaches p: the narrowest gap along the way (soft shadow)."""
    t, seen = np.full(len(p), 0.03, np.float32), np.ones(len(p), np.float32)
    for _ in range(40):
        d = scene(p + light * t[:, None]).min(0)
        seen = np.minimum(seen, np.clip(0.5 + 0.5 * d * softness / t, 0, 1))
        t += np.clip(d, 0.02, 0.25)
    return np.asarray(seen * seen * (3 - 2 * seen), np.float32)


def occlusion(scene: Callable[[F], F], p: F, n: F) -> F:
    total = sum((h - scene(p + n * h).min(0)) * 0.6**k for k, h in enumerate((0.04, 0.12, 0.25, 0.45)))
    return np.asarray(np.clip(1 - 1.1 * np.asarray(total, np.float32), 0, 1), np.float32)


def softbox(d: F, towards: tuple[float, float, float], half_x: float, half_y: float, edge: float) -> F:
    """Brightness of a rectangular studio light seen in direction d."""
    axis = unit(np.array(towards, np.float32))
    side = unit(np.cross(axis, np.array([0, 1, 0], np.float32)))
    up = np.cross(side, axis)
    depth = np.maximum(d @ axis, 1e-3)
    gap = rounded_box(d @ side / depth, d @ up / depth, half_x, half_y, 0.05)
    return np.asarray(np.clip(0.5 - gap / edge, 0, 1) * (d @ axis > 0), np.float32)


def studio(d: F) -> F:
    """The room as a mirror would see it: strip light left, larger one right, one above."""
    left = softbox(d, (-1, 0.25, 0.55), 0.22, 1.1, 0.10)
    right = softbox(d, (1, 0.35, 0.15), 0.45, 1.2, 0.5) * 0.55
    above = softbox(d, (0.1, 1, 0.25), 0.8, 0.5, 0.4) * 0.8
    return np.asarray(left * 1.5 + right + above + 0.12 + 0.16 * np.clip(d[:, 1], 0, 1), np.float32)


def rays(eye: F, target: F, zoom: float, w: int, h: int, shift: float = 0.0) -> F:
    forward = unit(target - eye)
    right = unit(np.cross(forward, np.array([0, 1, 0], np.float32)))
    up = np.cross(right, forward)
    y, x = np.mgrid[0:h, 0:w].astype(np.float32)
    u, v = (x + 0.5 - w / 2) / h - shift, (h / 2 - y - 0.5) / h
    return unit((forward * zoom + u[..., None] * right + v[..., None] * up).reshape(-1, 3))


def lit(scene: Callable[[F], F], p: F, d: F, albedo: F, gloss: F) -> F:
    """Diffuse key and sky, plus what the surface mirrors of the studio (Schlick's Fresnel)."""
    n, key = normals(scene, p), unit(np.array([-0.55, 0.75, 0.6], np.float32))
    diffuse = np.clip(n @ key, 0, 1) * shade_light(scene, p + n * 4e-3, key, 6.0)
    sky = (0.55 + 0.45 * n[:, 1]) * occlusion(scene, p, n)
    fresnel = gloss + (1 - gloss) * np.clip(1 + (n * d).sum(1), 0, 1) ** 5 * (gloss > 0.03)
    mirror = studio(d - 2 * (n * d).sum(1, keepdims=True) * n)
    return np.asarray(albedo * (0.85 * diffuse + 0.5 * sky)[:, None] + (fresnel * mirror)[:, None], np.float32)


def to_srgb(linear: F) -> npt.NDArray[np.uint8]:
    soft = np.clip(linear, 0, None) / (1 + np.clip(linear - 0.8, 0, None))
    return np.asarray(np.clip(soft, 0, 1) ** (1 / 2.2) * 255 + 0.5).clip(0, 255).astype(np.uint8)


def render_bottle(size: int = 1080, over: float = 1.6) -> None:
    side = round(size * over)
    eye = np.array([0, 1.75, 7.0], np.float32)
    d = rays(eye, np.array([0, 1.16, 0], np.float32), 2.35, side, side, 0.20)
    t, hit = march(bottle, eye, d)
    y = np.linspace(1, 0, side, dtype=np.float32).repeat(side)[:, None]
    colour = np.array([0.86, 0.70, 0.60], np.float32) * (0.72 + 0.35 * y)
    ground_t = np.where(d[:, 1] < -1e-3, -eye[1] / np.minimum(d[:, 1], -1e-3), np.inf)
    floor = ~hit & (ground_t < 11.5)
    p = eye + d[floor] * ground_t[floor, None]
    shade = shade_light(bottle, p, unit(np.array([-0.75, 0.62, 0.35], np.float32)), 2.2)
    contact = occlusion(bottle, p, np.array([0, 1, 0], np.float32))
    fade = np.clip((11.5 - ground_t[floor]) / 3.5, 0, 1)
    colour[floor] *= (1 - fade * (1 - (0.5 + 0.5 * shade) * (0.55 + 0.45 * contact)))[:, None]
    p = eye + d[hit] * t[hit, None]
    part = bottle(p).argmin(0)
    albedo = np.array([[0.40, 0.125, 0.035], [0.72, 0.50, 0.27], [0.035, 0.03, 0.03]], np.float32)[part]
    level = np.clip((p[:, 1] - 0.05) / 1.3, 0, 1)[:, None]
    albedo = np.where(part[:, None] == 0, albedo * (1.5 - 0.75 * level), albedo)
    colour[hit] = lit(bottle, p, d[hit], albedo, np.array([0.06, 0.45, 0.04], np.float32)[part])
    picture = Image.fromarray(to_srgb(colour).reshape(side, side, 3))
    picture.resize((size, size), Image.Resampling.LANCZOS).save(PHOTOS / "bottle.jpg", quality=92)


def render_headphones(size: int = 900, over: float = 1.6) -> None:
    side = round(size * over)
    eye = np.array([3.6, 1.5, 5.6], np.float32)
    d = rays(eye, np.array([0, 0.47, 0], np.float32), 2.05, side, side)
    t, hit = march(headphones, eye, d)
    p = eye + d[hit] * t[hit, None]
    part = headphones(p).argmin(0)
    albedo = np.array([[0.78, 0.74, 0.66], [0.05, 0.048, 0.05], [0.16, 0.09, 0.055]], np.float32)[part]
    rgba = np.zeros((side * side, 4), np.uint8)
    rgba[hit, :3] = to_srgb(lit(headphones, p, d[hit], albedo, np.array([0.045, 0.02, 0.06], np.float32)[part]))
    rgba[hit, 3] = 255
    picture = Image.fromarray(rgba.reshape(side, side, 4)).resize((size, size), Image.Resampling.LANCZOS)
    picture.save(PHOTOS / "headphones.webp", quality=88, method=6)


if __name__ == "__main__":
    render_bottle()
    render_headphones()
