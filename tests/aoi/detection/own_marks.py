"""Marks of brands that do not exist, drawn here, and pictures that show them."""

from pathlib import Path

import cv2
import numpy as np
import numpy.typing as npt

UInt8 = npt.NDArray[np.uint8]


def star(colour: tuple[int, int, int] = (240, 170, 0)) -> UInt8:
    """A flat mark of ten corners, (200, 200, 4)."""
    mark = np.zeros((200, 200, 4), np.uint8)
    angles = np.arange(10) * np.pi / 5
    radii = np.where(np.arange(10) % 2 == 0, 92, 38)
    points = np.stack([100 + radii * np.sin(angles), 106 - radii * np.cos(angles)], axis=1)
    cv2.fillPoly(mark, [points.round().astype(np.int32)], (*colour, 255))
    return mark


def word(text: str = "ZEPHYR", colour: tuple[int, int, int] = (20, 20, 20)) -> UInt8:
    """A word-mark with a ring before it, (120, w, 4)."""
    mark = np.zeros((120, 120 + 62 * len(text), 4), np.uint8)
    cv2.circle(mark, (60, 60), 44, (*colour, 255), 14)
    cv2.putText(mark, text, (120, 92), cv2.FONT_HERSHEY_TRIPLEX, 2.8, (*colour, 255), 9)
    return mark


def bars() -> UInt8:
    """Three slanted bars, (160, 200, 4)."""
    mark = np.zeros((160, 200, 4), np.uint8)
    for i in range(3):
        x, top = 20 + 60 * i, 110 - 42 * i
        cv2.fillPoly(mark, [np.array([[x, 150], [x + 38, 150], [x + 38, top - 20], [x, top]])], (10, 10, 10, 255))
    return mark


def saved(mark: UInt8, path: Path) -> Path:
    cv2.imwrite(str(path), cv2.cvtColor(mark, cv2.COLOR_RGBA2BGRA))
    return path


def scene(seed: int = 0, size: tuple[int, int] = (640, 900)) -> UInt8:
    """A picture of blurred blobs, boxes and lines without any mark, (H, W, 3)."""
    rng = np.random.default_rng(seed)
    height, width = size
    noise = rng.integers(0, 256, (height // 40, width // 40, 3)).astype(np.uint8)
    picture = cv2.resize(noise, (width, height), interpolation=cv2.INTER_CUBIC) // 3 + 130
    for _ in range(14):
        x, y, w, h = (int(v) for v in rng.integers(20, 260, 4) * (3, 2, 1, 1))
        cv2.rectangle(
            picture, (x, y), (x + w, y + h), tuple(int(v) for v in rng.integers(0, 256, 3)), int(rng.choice([-1, 2]))
        )
        cv2.ellipse(
            picture,
            (y, x),
            (w // 3 + 4, h // 4 + 4),
            float(w),
            0,
            360,
            tuple(int(v) for v in rng.integers(0, 256, 3)),
            -1,
        )
    return np.asarray(picture, np.uint8)


def shown(
    picture: UInt8, mark: UInt8, x: int, y: int, width: int, turn: float = 0.0
) -> tuple[UInt8, tuple[float, ...]]:
    """The picture with a mark at a place, and the mark's bounds in unit coordinates."""
    rows, columns = np.nonzero(mark[..., 3])
    mark = mark[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1]
    scale = width / mark.shape[1]
    to = cv2.getRotationMatrix2D((0, 0), turn, scale)
    corners = to[:, :2] @ np.array([[0, mark.shape[1], mark.shape[1], 0], [0, 0, mark.shape[0], mark.shape[0]]])
    to[:, 2] = (x, y) - corners.min(axis=1)
    size = picture.shape[1], picture.shape[0]
    alpha = mark[..., 3:].astype(np.float32) / 255
    flat = np.concatenate([mark[..., :3] * alpha, alpha * 255], axis=2)
    blurred = cv2.GaussianBlur(flat, (0, 0), max(0.1, 0.4 / scale))
    laid = cv2.warpAffine(blurred, to, size, flags=cv2.INTER_LINEAR)
    out = picture * (1 - laid[..., 3:] / 255) + laid[..., :3]
    box = cv2.warpAffine((alpha * 255).astype(np.uint8), to, size) > 100
    ys, xs = np.nonzero(box)
    bounds = xs.min() / size[0], ys.min() / size[1], (xs.max() + 1) / size[0], (ys.max() + 1) / size[1]
    return np.clip(out, 0, 255).astype(np.uint8), bounds
