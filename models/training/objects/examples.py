"""Pictures with boxes, from five sources, and what training makes of them: cut, zoomed, mirrored, recoloured, tiled.

- drawn: boxes drawn by eye on print ads and modern designs (`models/training/labels/train_*.json`, `modern_*.json`).
- marketplace: boxes drawn by eye on e-commerce ads (`labels/saleci.json`).
- pages: boxes drawn by eye on first screens of web sites (`labels/web.json`).
- synthetic: advertisements that a program drew, with exact boxes.
- photographs: what teachers saw in them (`teachers.py`), with zones where they were unsure.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import torch
from architecture import TYPES
from loss import Truth

LARGEST = 400_000  # px²; larger pictures are brought down to it when they are read
DRAWN_AS = {"branding": "logo", "product": "product", "face": "face", "person": "person"}
LEAST_SEEN = 0.4  # of a box: less than this in the cut, and nobody is asked to find it
CLOSE, CLOSE_SHARE = 0.25, (0.15, 0.95)  # how often one box is looked at closely, and its share of the window's side
ASPECTS = (0.5, 0.6, 0.75, 1.0, 1.333, 1.667, 2.0)  # width / height


@dataclass(frozen=True)
class Example:
    """A picture, what is there (index of the type, x0, y0, x1, y1 in unit coordinates), and zones of doubt."""

    path: Path
    width: int
    height: int
    boxes: np.ndarray  # (n, 5)
    zones: np.ndarray  # (m, 5)


def _rows(rows: Iterable[tuple[str, list[float]]]) -> np.ndarray:
    return np.array([[TYPES.index(kind), *box] for kind, box in rows], np.float64).reshape(-1, 5)


def _everywhere(kinds: Iterable[str]) -> list[tuple[str, list[float]]]:
    return [(kind, [0.0, 0.0, 1.0, 1.0]) for kind in TYPES if kind not in set(kinds)]


def is_dev(name: str) -> bool:
    """Of the advertisements with drawn boxes, the quarter that chooses between recipes and calibrates."""
    return int(name.rpartition("_")[2].split(".")[0]) % 4 == 3


def judged(file: Path) -> Iterable[tuple[str, list[dict[str, Any]]]]:
    """Pictures of a file of drawn boxes; null stands for one that nobody could judge."""
    rows = json.loads(file.read_text()) if file.exists() else {}
    return [(name, aois) for name, aois in rows.items() if aois is not None]


def drawn(files: Iterable[Path], images: Path) -> list[Example]:
    """Advertisements with drawn boxes; buttons are not among what was drawn."""
    examples = []
    for file in files:
        for name, aois in judged(file):
            height, width = cv2.imread(str(images / name)).shape[:2]
            boxes = _rows((DRAWN_AS[a["type"]], a["box"]) for a in aois if a["type"] in DRAWN_AS)
            examples.append(Example(images / name, width, height, boxes, _rows(_everywhere(DRAWN_AS.values()))))
    return examples


def modern(labels: Path, images: Path, sides: Iterable[str]) -> list[Example]:
    """Modern designs with drawn boxes, buttons among them."""
    undecided = labels / "modern_undecided.json"
    return [example for side in sides for example in with_zones(labels / f"modern_{side}.json", undecided, images)]


def with_zones(file: Path, undecided_file: Path, images: Path) -> list[Example]:
    """Pictures with drawn boxes, buttons among them; what was undecided is a zone."""
    examples = []
    undecided = json.loads(undecided_file.read_text())
    for name, aois in judged(file):
        height, width = cv2.imread(str(images / name)).shape[:2]
        doubtful = undecided.get(name, [])
        zones = [(kind, a["box"]) for a in doubtful if (kind := object_type(a))]
        zones += [(kind, a["box"]) for a in doubtful if a["type"] == "other" and not a["label"] for kind in TYPES]
        boxes = _rows((kind, a["box"]) for a in aois if (kind := object_type(a)))
        examples.append(Example(images / name, width, height, boxes, _rows(zones)))
    return examples


def without(example: Example, kind: str) -> Example:
    """The example where nothing is known of one type."""
    index = TYPES.index(kind)
    boxes, zones = (rows[rows[:, 0] != index] for rows in (example.boxes, example.zones))
    return replace(example, boxes=boxes, zones=np.concatenate([zones, _rows([(kind, [0.0, 0.0, 1.0, 1.0])])]))


def object_type(aoi: dict[str, Any]) -> str | None:
    """What a drawn area is to the detector: a button where a call to action is one, a logo whosever it is."""
    if aoi["type"] == "call_to_action":
        return "button" if aoi["label"] == "button" else None
    return "logo" if aoi["label"].startswith("other mark") else DRAWN_AS.get(aoi["type"])


def listed(file: Path, images: Path) -> list[Example]:
    """Pictures of a JSON-lines file: image, width, height, known, boxes, and perhaps zones."""
    examples = []
    whole = file.read_text().rpartition("\n")[0] if file.exists() else ""  # the last line may be in the making
    for line in whole.splitlines():
        row = json.loads(line)
        boxes = _rows((b["type"], b["box"]) for b in row["boxes"] if b["type"] in TYPES)
        zones = _rows([*((z["type"], z["box"]) for z in row.get("zones", ())), *_everywhere(row["known"])])
        examples.append(Example(images / row["image"], row["width"], row["height"], boxes, zones))
    return examples


@functools.lru_cache(maxsize=9000)
def pixels(path: Path) -> np.ndarray:
    """RGB, brought down to `LARGEST`."""
    rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    scale = (LARGEST / (rgb.shape[0] * rgb.shape[1])) ** 0.5
    return cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgb


def size_for(width: int, height: int, area: int) -> tuple[int, int]:
    """Height and width in multiples of 32, of about `area` px², of the nearest of `ASPECTS`."""
    aspect = min(ASPECTS, key=lambda a: abs(np.log(a * height / width)))
    h = max(64, round((area / aspect) ** 0.5 / 32) * 32)
    return h, max(64, round(h * aspect / 32) * 32)


def _window(rng: np.random.Generator, example: Example, size: tuple[int, int], zoom: tuple[float, float]) -> np.ndarray:
    """What is cut out, in unit coordinates of the picture; it may reach beyond the picture."""
    stretch = np.exp(rng.normal(0, 0.08))
    aspect = size[1] / size[0] * stretch * example.height / example.width  # of the window, in unit coordinates
    if len(example.boxes) and rng.random() < CLOSE:
        return _around(rng, example.boxes[rng.integers(len(example.boxes)), 1:], aspect)
    share = np.exp(rng.uniform(*np.log(zoom)))
    w, h = (share, share / aspect) if aspect > 1 else (share * aspect, share)
    x, y = (rng.uniform(min(0, 1 - side), max(0, 1 - side)) for side in (w, h))
    return np.array([x, y, x + w, y + h])


def _around(rng: np.random.Generator, box: np.ndarray, aspect: float) -> np.ndarray:
    """A window that holds a box, small or large in it; no smaller than a sixth of the picture."""
    extent = box[2:] - box[:2]
    share = np.exp(rng.uniform(*np.log(CLOSE_SHARE)))
    h = min(1.3, max(extent[1], extent[0] / aspect) / share)
    h = max(h, np.sqrt(1 / 36 / aspect), extent[1], extent[0] / aspect)
    low = np.array([box[k] - rng.random() * max(0.0, side - extent[k]) for k, side in enumerate((h * aspect, h))])
    return np.concatenate([low, low + np.array([h * aspect, h])])


def _cut(rgb: np.ndarray, window: np.ndarray, size: tuple[int, int], fill: tuple[int, ...]) -> np.ndarray:
    h, w = rgb.shape[:2]
    x0, y0, x1, y1 = np.round(window * [w, h, w, h]).astype(int)
    x1, y1 = max(x1, x0 + 2), max(y1, y0 + 2)
    part = rgb[max(y0, 0) : y1, max(x0, 0) : x1]
    out = [max(-y0, 0), max(y1 - h, 0), max(-x0, 0), max(x1 - w, 0)]
    if any(out):
        part = cv2.copyMakeBorder(part, *out, cv2.BORDER_CONSTANT, value=fill)
    smaller = part.shape[0] * part.shape[1] > size[0] * size[1]
    return cv2.resize(part, size[::-1], interpolation=cv2.INTER_AREA if smaller else cv2.INTER_LINEAR)


def _moved(rows: np.ndarray, window: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows in unit coordinates of the window, clipped to it; and how much of each is inside."""
    low, extent = np.tile(window[:2], 2), np.tile(window[2:] - window[:2], 2)
    moved = (rows[:, 1:] - low) / extent
    clipped = moved.clip(0, 1)
    before = (moved[:, 2:] - moved[:, :2]).prod(1)
    inside = (clipped[:, 2:] - clipped[:, :2]).clip(0).prod(1) / np.maximum(before, 1e-12)
    return np.column_stack([rows[:, 0], clipped]), inside


def _seen(example: Example, window: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Boxes and zones of what the window shows; what is mostly cut off becomes a zone."""
    boxes, inside = _moved(example.boxes, window)
    zones, touched = _moved(example.zones, window)
    cut_off = (inside > 0) & (inside < LEAST_SEEN)
    return boxes[inside >= LEAST_SEEN], np.concatenate([zones[touched > 0], boxes[cut_off]])


def _mirror(rows: np.ndarray) -> np.ndarray:
    return np.column_stack([rows[:, 0], 1 - rows[:, 3], rows[:, 2], 1 - rows[:, 1], rows[:, 4]])


def _recoloured(rng: np.random.Generator, rgb: np.ndarray) -> np.ndarray:
    gain, offset = 1 + rng.uniform(-0.08, 0.08, 3) + rng.uniform(-0.2, 0.2), rng.uniform(-20, 20)
    ramp = (np.arange(256) / 255.0) ** np.exp(rng.uniform(-0.3, 0.3))
    table = np.clip(ramp[:, None] * 255 * gain + offset, 0, 255).astype(np.uint8)
    rgb = cv2.LUT(rgb, table.reshape(1, 256, 3))
    grey = cv2.cvtColor(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), cv2.COLOR_GRAY2RGB)
    saturation = rng.uniform(0.5, 1.4) if rng.random() < 0.92 else 0.0
    rgb = cv2.addWeighted(rgb, saturation, grey, 1 - saturation, 0)
    if rng.random() < 0.06:
        rgb = cv2.GaussianBlur(rgb, (0, 0), rng.uniform(0.5, 1.2))
    if rng.random() < 0.1:
        rgb = cv2.imdecode(cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(25, 80))])[1], 1)
    return rgb


def one(
    example: Example, size: tuple[int, int], rng: np.random.Generator, zoom: tuple[float, float], flip: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """One picture, changed: pixels, boxes and zones."""
    window = _window(rng, example, size, zoom)
    rgb = _cut(pixels(example.path), window, size, tuple(int(v) for v in rng.integers(0, 256, 3)))
    boxes, zones = _seen(example, window)
    if rng.random() < flip:
        rgb, boxes, zones = np.ascontiguousarray(rgb[:, ::-1]), _mirror(boxes), _mirror(zones)
    return _recoloured(rng, rgb), boxes, zones


def tiled(
    examples: list[Example], size: tuple[int, int], rng: np.random.Generator, flip: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Four pictures in one (Bochkovskiy et al. 2020, mosaic): smaller objects, other neighbours."""
    canvas, boxes, zones = np.zeros((*size, 3), np.uint8), [], []
    y, x = (round(side * rng.uniform(0.35, 0.65) / 4) * 4 for side in size)
    for example, (y0, y1, x0, x1) in zip(
        examples, ((0, y, 0, x), (0, y, x, size[1]), (y, size[0], 0, x), (y, size[0], x, size[1])), strict=True
    ):
        rgb, b, z = one(example, (y1 - y0, x1 - x0), rng, (0.7, 1.0), flip)
        canvas[y0:y1, x0:x1] = rgb
        scale, shift = np.tile([(x1 - x0) / size[1], (y1 - y0) / size[0]], 2), np.tile([x0 / size[1], y0 / size[0]], 2)
        for rows, into in ((b, boxes), (z, zones)):
            into.append(np.column_stack([rows[:, 0], rows[:, 1:] * scale + shift]))
    return canvas, np.concatenate(boxes), np.concatenate(zones)


def truth(pictures: list[tuple[np.ndarray, np.ndarray]], size: tuple[int, int]) -> Truth:
    """Boxes and zones of a batch in px, as tensors; boxes of less than 3 px either way become zones."""
    unit = np.tile(size[::-1], 2)
    boxes, zones = [], []
    for there, doubtful in pictures:
        tiny = ((there[:, 3:] - there[:, 1:3]) * size[::-1] < 3).any(1)
        boxes.append(there[~tiny])
        zones.append(np.concatenate([doubtful, there[tiny]]))
    objects, types = _padded(boxes, unit)
    return Truth(objects, types, *_padded(zones, unit), torch.full(types.shape, -1.0))


def _padded(pictures: list[np.ndarray], unit: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Corners (N, n, 4) px and types (N, n), -1 where a picture has fewer rows."""
    most = max(map(len, pictures))
    rows = np.stack([np.pad(r, ((0, most - len(r)), (0, 0)), constant_values=-1) for r in pictures])
    return torch.from_numpy(rows[..., 1:] * unit).float(), torch.from_numpy(rows[..., 0].astype(np.int64))
