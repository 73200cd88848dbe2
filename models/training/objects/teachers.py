"""Write down what two published detectors see: `python teachers.py --data DIR --weights DIR --out FILE.jsonl`.

YuNet (faces) and YOLOX-nano (80 COCO classes) look at each picture several times, larger and in tiles. What they are
sure of becomes a box, what they half believe a zone in which nothing is learned. The advertisements of `complexity` are
left out: people drew boxes there, and a third of those judge the result. Goes on where it stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np

from mediaan.saliency.onnx.registry import DetectorCard
from mediaan.types.aoi import Box, Detection
from mediaan.vision.objects.detector import OnnxDetector, nms

# fmt: off
COCO = (
    "person", "bicycle", "car", "motorcycle", "airplane", "bus", "train", "truck", "boat", "traffic light",
    "fire hydrant", "stop sign", "parking meter", "bench", "bird", "cat", "dog", "horse", "sheep", "cow", "elephant",
    "bear", "zebra", "giraffe", "backpack", "umbrella", "handbag", "tie", "suitcase", "frisbee", "skis", "snowboard",
    "sports ball", "kite", "baseball bat", "baseball glove", "skateboard", "surfboard", "tennis racket", "bottle",
    "wine glass", "cup", "fork", "knife", "spoon", "bowl", "banana", "apple", "sandwich", "orange", "broccoli",
    "carrot", "hot dog", "pizza", "donut", "cake", "chair", "couch", "potted plant", "bed", "dining table", "toilet",
    "tv", "laptop", "mouse", "remote", "keyboard", "cell phone", "microwave", "oven", "toaster", "sink",
    "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier", "toothbrush",
)
PRODUCTS = {
    "bicycle", "car", "motorcycle", "backpack", "handbag", "suitcase", "bottle", "wine glass", "cup", "sandwich",
    "hot dog", "pizza", "donut", "cake", "couch", "tv", "laptop", "mouse", "remote", "keyboard", "cell phone",
    "microwave", "oven", "toaster", "refrigerator", "book", "clock", "vase", "scissors", "teddy bear", "hair drier",
    "toothbrush", "umbrella", "sports ball", "skateboard", "surfboard", "tennis racket", "truck", "bus",
}
# fmt: on
SURE = {"face": 0.6, "person": 0.5, "product": 0.55}
HALF = {"face": 0.3, "person": 0.2, "product": 0.2}
LEAST_PRODUCT = 0.05  # share of the picture from which a thing counts as what is shown, not as scenery

# What is known of a set: types of which every instance is in the boxes or zones.
KNOWN = {
    "gaze/osie": ("face", "person", "product", "button"),
    "gaze/crowd": ("face", "person", "product", "button"),
    "complexity/objects": ("face", "person", "button"),
    "complexity/scenes": ("face", "person", "product", "button"),
    "complexity/interior_design": ("face", "person", "button", "logo"),
    "complexity/art": ("face", "person", "button", "logo"),
    "complexity/visualizations": ("face", "product"),
    "complexity/suprematism": ("face", "person", "product", "button", "logo"),
    "unlabelled/web": ("face", "person"),
    "gaze/scene": ("face", "person", "product", "button"),
    "gaze/saleci": ("face", "person"),
    "ads": ("face", "person"),
}


def teacher(folder: Path, name: str, **keys: object) -> OnnxDetector:
    data = (folder / f"{name}.onnx").read_bytes()
    facts = {
        "name": name, "kind": "detector", "file": f"{name}.onnx", "folder": folder,
        "sha256": hashlib.sha256(data).hexdigest(), "layout": "nchw", "dtype": "float32", "scale": 255.0,
        "channels": "bgr",
    }  # fmt: skip
    return OnnxDetector(DetectorCard.model_validate({**facts, **keys}), threads=1)


def face_teacher(folder: Path, confidence: float = HALF["face"]) -> OnnxDetector:
    return teacher(
        folder, "yunet_n_dynamic", decode="yunet", pixels=200_000, multiple=32, classes={"0": "face"},
        confidence=confidence, overlap=0.4,
    )  # fmt: skip


def object_teacher(folder: Path, confidence: float = HALF["product"]) -> OnnxDetector:
    classes = {name: "person" if name == "person" else "product" for name in COCO}
    return teacher(
        folder, "yolox_nano", decode="yolox", width=416, height=416, fit="corner", labels=COCO, classes=classes,
        confidence=confidence,
    )  # fmt: skip


def faces(model: OnnxDetector, rgb: np.ndarray, zooms: tuple[float, ...] = (1.0, 1.5, 2.0)) -> tuple[Detection, ...]:
    """Faces at several sizes of the picture, joined."""
    detections = [d for zoom in zooms for d in model.detect(_zoomed(rgb, zoom)[None])[0]]
    return joined(detections, 0.4)


def joined(detections: list[Detection], most: float) -> tuple[Detection, ...]:
    """Of detections of one type that overlap by more than `most` the surest."""
    kept = []
    for kind in sorted({d.type for d in detections}):
        same = [d for d in detections if d.type == kind]
        boxes, scores = np.array([d.box for d in same]), np.array([d.confidence for d in same])
        kept += [same[i] for i in nms(boxes, scores, most)[0]]
    return tuple(sorted(kept, key=lambda d: -d.confidence))


def _zoomed(rgb: np.ndarray, zoom: float) -> np.ndarray:
    w, h = (max(1, round(side * zoom / 32)) * 32 for side in (rgb.shape[1], rgb.shape[0]))
    return cv2.resize(rgb, (w, h), interpolation=cv2.INTER_LINEAR)


def objects(model: OnnxDetector, rgb: np.ndarray) -> tuple[Detection, ...]:
    """Objects in the whole picture, its mirror image and four tiles, joined by type and kind."""
    detections = list(model.detect(rgb[None])[0])
    mirrored = model.detect(np.ascontiguousarray(rgb[None, :, ::-1]))[0]
    detections += [replace(d, box=Box(1 - d.box.x1, d.box.y0, 1 - d.box.x0, d.box.y1)) for d in mirrored]
    for tile in _tiles():
        h, w = rgb.shape[:2]
        part = rgb[int(tile.y0 * h) : int(tile.y1 * h), int(tile.x0 * w) : int(tile.x1 * w)]
        detections += [moved for d in model.detect(part[None])[0] if (moved := _from_tile(d, tile))]
    return joined(detections, 0.55)


def _tiles() -> Iterator[Box]:
    for y in (0.0, 0.4):
        for x in (0.0, 0.4):
            yield Box(x, y, x + 0.6, y + 0.6)


def _from_tile(d: Detection, tile: Box) -> Detection | None:
    """A tile's detection in the picture; None where the tile's edge cuts it."""
    inner = [(d.box.x0, tile.x0 > 0), (d.box.y0, tile.y0 > 0), (1 - d.box.x1, tile.x1 < 1), (1 - d.box.y1, tile.y1 < 1)]
    if any(gap < 0.02 and cut for gap, cut in inner):
        return None
    x0, y0, x1, y1 = d.box
    box = Box(tile.x0 + x0 * 0.6, tile.y0 + y0 * 0.6, tile.x0 + x1 * 0.6, tile.y0 + y1 * 0.6)
    return replace(d, box=box)


def opinion(rgb: np.ndarray, kinds: tuple[str, ...], models: tuple[OnnxDetector, OnnxDetector]) -> dict[str, object]:
    """Boxes and zones of one picture."""
    boxes, zones = [], []
    for d in (*faces(models[0], rgb), *objects(models[1], rgb)):
        row = {
            "type": d.type,
            "box": [round(v, 4) for v in d.box],
            "confidence": round(d.confidence, 3),
            "label": d.label,
        }
        if d.type == "product" and (d.label not in PRODUCTS or d.box.area < LEAST_PRODUCT):
            zones.append(row)
        elif d.confidence >= SURE[d.type]:
            boxes.append(row)
        elif d.confidence >= HALF[d.type]:
            zones.append(row)
    height, width = rgb.shape[:2]
    return {"width": width, "height": height, "known": list(kinds), "boxes": boxes, "zones": zones}


def pictures(data: Path) -> Iterator[tuple[Path, tuple[str, ...]]]:
    for name, kinds in KNOWN.items():
        folder, _, category = name.partition("/")
        place = data / name if folder != "complexity" else data / folder
        pattern = "*.jpg" if folder != "complexity" else f"{category}_*.jpg"
        for path in sorted((place / "images").glob(pattern)):
            yield path, kinds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--weights", type=Path, required=True, help="folder with yunet_n_dynamic and yolox_nano")
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()
    models = face_teacher(args.weights), object_teacher(args.weights)
    done = {json.loads(line)["image"] for line in args.out.open()} if args.out.exists() else set()
    with args.out.open("a") as out:
        for path, kinds in pictures(args.data):
            name = str(path.relative_to(args.data))
            if name not in done:
                rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
                out.write(json.dumps({"image": name, **opinion(rgb, kinds, models)}) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
