"""What happens to an ad on its way: printed, photographed, scanned, compressed."""

from __future__ import annotations

import cv2
import numpy as np

Rng = np.random.Generator


def develop(rng: Rng, rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The picture as it arrives, and the homography (px to px) from the ad to it."""
    height, width = rgb.shape[:2]
    warp = np.eye(3)
    if rng.random() < 0.06:
        rgb, warp = _photographed(rng, rgb)
    if rng.random() < 0.05:
        rgb = _vintage(rng, rgb)
    elif rng.random() < 0.05:
        rgb = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    if rng.random() < 0.15:
        rgb = cv2.GaussianBlur(rgb, (0, 0), rng.uniform(0.4, 1.1))
    if rng.random() < 0.12:
        small = rng.uniform(0.5, 0.85)
        low = cv2.resize(rgb, None, fx=small, fy=small, interpolation=cv2.INTER_AREA)
        rgb = cv2.resize(low, (width, height), interpolation=cv2.INTER_CUBIC)
    if rng.random() < 0.2:
        noise = rng.normal(0, rng.uniform(2, 9), rgb.shape)
        rgb = np.clip(rgb + noise, 0, 255).astype(np.uint8)
    return rgb, warp


def _photographed(rng: Rng, rgb: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Seen slightly from aside, on a wall."""
    h, w = rgb.shape[:2]
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], np.float32)
    inset = rng.uniform(0.0, 0.1, (4, 2)) * [w, h] * [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    warp = cv2.getPerspectiveTransform(corners, (corners + inset).astype(np.float32))
    wall = tuple(int(v) for v in rng.integers(40, 220, 3))
    seen = cv2.warpPerspective(
        rgb, warp, (w, h), flags=cv2.INTER_AREA, borderMode=cv2.BORDER_CONSTANT, borderValue=wall
    )
    return seen, warp.astype(np.float64)


def _vintage(rng: Rng, rgb: np.ndarray) -> np.ndarray:
    """Yellowed paper, faded blacks."""
    paper = np.array([rng.uniform(235, 252), rng.uniform(222, 240), rng.uniform(185, 215)])
    black = rng.uniform(20, 60)
    return np.clip(black + rgb / 255.0 * (paper - black), 0, 255).astype(np.uint8)
