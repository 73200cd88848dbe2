"""Pictures with boxes as the detector on a GPU learns them, and the parts of them that are pasted elsewhere.

Boxes come from where those of `../objects/train_detector.py` come from. Two things are added: animals, which a teacher
saw and nobody drew, and of each logo whether it is on a product.
"""

from __future__ import annotations

import itertools
import json
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import cv2
import numpy as np

sys.path += [str(Path(__file__).resolve().parents[1] / "objects"), str(Path(__file__).resolve().parents[1])]
from architecture import TYPES as DRAWN_TYPES
from assets import silhouette
from examples import drawn, is_dev, listed, modern, with_zones, without

TYPES = (*DRAWN_TYPES, "animal")
ANIMALS = ("bird", "cat", "dog", "horse", "sheep", "cow", "elephant", "bear", "zebra", "giraffe")
"""COCO's."""
SURE_ANIMAL = 0.5  # confidence of the teacher from which on one is there; below it may be
ON_PACK = 0.8  # share of a logo that is in a product, from which on it is on it

CELLS = 48  # of a part's mask, each way
LEAST_PX = {"product": 40, "person": 64, "animal": 48, "logo": 12, "face": 16, "button": 12}
"""Shorter side from which an object is pasted elsewhere."""
PLAIN_SD = 8.0  # grey levels of what is around a logo, up to which its ground is plain
PART = np.dtype([("picture", "U80"), ("type", "i1"), ("box", "f4", 4), ("mask", "u1", (CELLS, CELLS))])
"""A part: picture (path in DATA), index of its type, corners in unit coordinates, and how much of each cell is it."""

Bounds = tuple[int, int, int, int]  # x0, y0, x1, y1 px


@dataclass(frozen=True)
class Labelled:
    """A picture with boxes: its path in DATA, its source, whether it is of dev, and its boxes and zones of doubt.

    boxes (n, 5), zones (m, 5): index in `TYPES`, x0, y0, x1, y1 in unit coordinates. on_pack (n,): 1, 0, or -1 where
    nobody knows.
    """

    path: str
    source: str
    dev: bool
    boxes: np.ndarray
    zones: np.ndarray
    on_pack: np.ndarray


def labelled(data: Path, teachers: Path, labels: Path) -> list[Labelled]:
    """All pictures with boxes, those of dev among them, those of the checks not.

    `teachers` is what `../objects/teachers.py` wrote; `labels` a folder like `../labels`.
    """
    designs = data / "ads" / "images"
    marketplace, pages = data / "gaze" / "saleci" / "images", data / "unlabelled" / "web" / "images"
    print_ads = drawn(sorted(labels.glob("train_*.json")), data / "complexity" / "images")
    examples = [("drawn", is_dev(e.path.name), e) for e in print_ads]
    examples += [("drawn", side == "dev", e) for side in ("train", "dev") for e in modern(labels, designs, (side,))]
    # hands and legs of models were drawn as persons there
    examples += [
        ("marketplace", False, without(e, "person"))
        for e in with_zones(labels / "saleci.json", labels / "saleci_undecided.json", marketplace)
    ]
    examples += [("pages", False, e) for e in with_zones(labels / "web.json", labels / "web_undecided.json", pages)]
    by_eye = {designs, marketplace, pages}
    examples += [("photographs", False, e) for e in listed(teachers, data) if e.path.parent not in by_eye]
    seen = {row["image"]: animals(row) for row in map(json.loads, teachers.read_text().splitlines())}
    unknown = (np.zeros((0, 5)), np.array([[TYPES.index("animal"), 0.0, 0.0, 1.0, 1.0]]))
    pictures = []
    for source, dev, example in examples:
        path = example.path.relative_to(data).as_posix()
        sure, doubtful = seen.get(path, unknown)
        boxes, zones = np.concatenate([example.boxes, sure]), np.concatenate([example.zones, doubtful])
        pictures.append(Labelled(path, source, dev, boxes, zones, logos_on_packs(boxes, zones)))
    return pictures


def animals(row: dict) -> tuple[np.ndarray, np.ndarray]:
    """Boxes and zones (n, 5) of the animals that the teacher saw in a picture."""
    rows = [r for r in (*row["boxes"], *row["zones"]) if r["label"] in ANIMALS]
    sure = np.array([r["confidence"] >= SURE_ANIMAL for r in rows], bool)
    corners = np.array([[TYPES.index("animal"), *r["box"]] for r in rows], np.float64).reshape(-1, 5)
    return corners[sure], corners[~sure]


def logos_on_packs(boxes: np.ndarray, zones: np.ndarray) -> np.ndarray:
    """Of each logo 1 if it is on a product, 0 if not, -1 where products are in doubt; -1 of all else: (n,)."""
    place = np.full(len(boxes), -1.0)
    products, doubtful = (rows[rows[:, 0] == TYPES.index("product")][:, 1:] for rows in (boxes, zones))
    for i in np.flatnonzero(boxes[:, 0] == TYPES.index("logo")):
        if (share_inside(boxes[i, 1:], products) >= ON_PACK).any():
            place[i] = 1.0
        elif not (share_inside(boxes[i, 1:], doubtful) > 0).any():
            place[i] = 0.0
    return place


def share_inside(box: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Share of a box (4,) that each of the others (n, 4) covers."""
    low, high = np.maximum(box[:2], others[:, :2]), np.minimum(box[2:], others[:, 2:])
    return (high - low).clip(0).prod(1) / max(1e-12, float((box[2:] - box[:2]).prod()))


def parts(data: Path, pictures: Iterable[Labelled], products: Iterable[str]) -> np.ndarray:
    """What may be pasted elsewhere, rows of `PART`: objects of the pictures, not of dev's, and products alone."""
    taught = [picture for picture in pictures if not picture.dev]
    with ProcessPoolExecutor() as pool:
        rows = list(itertools.chain(*pool.map(partial(parts_of, data), taught, chunksize=8)))
    for path in sorted(products):
        rgb = read_rgb(data / path)
        plain = outline_on_plain_ground(rgb, (0, 0, rgb.shape[1], rgb.shape[0]))
        if outline := plain or silhouette(rgb, (0.04, 0.04, 0.96, 0.96)):
            rows.append(part(path, "product", rgb, *outline))
    return np.array(rows, PART)


def parts_of(data: Path, picture: Labelled) -> list[tuple]:
    """Objects of a picture that are large enough, with their outlines."""
    rgb, rows = read_rgb(data / picture.path), []
    height, width = rgb.shape[:2]
    for kind, *corners in picture.boxes:
        name = TYPES[int(kind)]
        x0, y0, x1, y1 = np.round(np.array(corners) * [width, height, width, height]).astype(int).clip(0).tolist()
        bounds = (x0, y0, min(x1, width), min(y1, height))
        size = (bounds[3] - bounds[1], bounds[2] - bounds[0])
        if min(size) < LEAST_PX[name]:
            continue
        outline: tuple[Bounds, np.ndarray] | None = (bounds, np.full(size, 255, np.uint8))
        if name in ("product", "person", "animal"):
            outline = silhouette(rgb, corners)
        elif name == "logo":
            outline = outline_on_plain_ground(rgb, bounds) or outline
        elif name == "face":
            middle, axes = (size[1] // 2, size[0] // 2), (size[1] // 2, size[0] // 2)
            outline = (bounds, cv2.ellipse(np.zeros(size, np.uint8), middle, axes, 0, 0, 360, 255, -1))
        if outline is not None:
            rows.append(part(picture.path, name, rgb, *outline))
    return rows


def outline_on_plain_ground(rgb: np.ndarray, bounds: Bounds) -> tuple[Bounds, np.ndarray] | None:
    """Bounds and mask of what differs from the colour around it; None if that is not plain, or nothing does."""
    x0, y0, x1, y1 = bounds
    margin = 2
    around = rgb[max(0, y0 - margin) : y1 + margin, max(0, x0 - margin) : x1 + margin].astype(np.float32)
    ring = np.concatenate([around[:margin].reshape(-1, 3), around[-margin:].reshape(-1, 3),
                           around[:, :margin].reshape(-1, 3), around[:, -margin:].reshape(-1, 3)])  # fmt: skip
    ground = np.median(ring, 0)
    if np.abs(ring - ground).mean() > PLAIN_SD:
        return None
    apart = np.abs(rgb[y0:y1, x0:x1] - ground).max(2)
    mask = ((apart - 12) * (255 / 36)).clip(0, 255).astype(np.uint8)
    ys, xs = np.nonzero(mask > 127)
    if len(ys) < 0.02 * mask.size:
        return None
    left, top, right, bottom = int(xs.min()), int(ys.min()), int(xs.max()) + 1, int(ys.max()) + 1
    return (x0 + left, y0 + top, x0 + right, y0 + bottom), mask[top:bottom, left:right]


def part(path: str, name: str, rgb: np.ndarray, bounds: Bounds, mask: np.ndarray) -> tuple:
    """A row of `PART`."""
    height, width = rgb.shape[:2]
    corners = np.array(bounds) / [width, height, width, height]
    return path, TYPES.index(name), corners, cv2.resize(mask, (CELLS, CELLS), interpolation=cv2.INTER_AREA)


def read_rgb(path: Path) -> np.ndarray:
    """(H, W, 3) uint8."""
    return cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)


def source_shares(pictures: Sequence[Labelled], shares: dict[str, float]) -> np.ndarray:
    """How often each picture is drawn, (n,), summing to 1: each source as often as `shares` says, none of dev."""
    weight = np.array([0.0 if picture.dev else shares[picture.source] for picture in pictures])
    of_source = {name: sum(p.source == name and not p.dev for p in pictures) for name in shares}
    weight /= [max(1, of_source[picture.source]) for picture in pictures]
    return np.asarray(weight / weight.sum())
