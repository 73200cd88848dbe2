"""How well detectors find what people drew: `python score.py --data DIR [--model CARD|NAME] ...` prints a table.

Sets: print ads of the check (`../labels/check.json`) and modern designs of theirs (`modern_check.json`), never trained
or chosen on; those of dev and modern_dev, which chose between recipes; and synthetic ones that were not trained on.
Beside the detector stand the Haar cascade that comes with OpenCV and, where their files are, the teachers.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
from PIL import Image
from tally import Tally

from mediaan.media import resize, view_size
from mediaan.types.aoi import OBJECT_TYPES, Box, Detection
from mediaan.vision.objects.detector import ObjectDetector, load_detector

LABELS = Path(__file__).resolve().parents[1] / "labels"
DRAWN_AS = {"branding": "logo", "product": "product", "face": "face", "person": "person"}
HIDDEN = 0.5  # share of a detection in an area of doubt from which on it counts neither way


@dataclass
class There:
    """Boxes of one type in one picture, and areas in which nobody can say whether there is one."""

    boxes: list[Box] = field(default_factory=list)
    doubtful: list[Box] = field(default_factory=list)


Truths = dict[Path, dict[str, There]]
"""By picture and type; a type of which nothing is known in a picture is absent."""
Detect = Callable[[Path], tuple[Detection, ...]]


def judged(file: Path) -> list[tuple[str, list[dict[str, Any]]]]:
    """Pictures of a file of drawn boxes; null stands for one that nobody could judge."""
    rows = json.loads(file.read_text()) if file.exists() else {}
    return [(name, aois) for name, aois in rows.items() if aois is not None]


def drawn(file: Path, images: Path, keep: Callable[[str], bool] = lambda name: True) -> Truths:
    truths: Truths = {}
    for name, aois in judged(file):
        if keep(name):
            boxes = {kind: There() for kind in DRAWN_AS.values()}
            for aoi in aois:
                if aoi["type"] in DRAWN_AS:
                    boxes[DRAWN_AS[aoi["type"]]].boxes.append(Box(*aoi["box"]))
            truths[images / name] = boxes
    return truths


def modern(side: str, images: Path) -> Truths:
    """Modern designs of a side (train, dev, check) of `../labels`, buttons among the boxes."""
    from examples import object_type

    undecided = json.loads((LABELS / "modern_undecided.json").read_text())
    truths: Truths = {}
    for name, aois in judged(LABELS / f"modern_{side}.json"):
        there = truths[images / name] = {kind: There() for kind in OBJECT_TYPES}
        for aoi in aois:
            if kind := object_type(aoi):
                there[kind].boxes.append(Box(*aoi["box"]))
        for aoi in undecided.get(name, ()):
            kind = object_type(aoi)
            for kind_of_other in (
                there.values() if aoi["type"] == "other" and not aoi["label"] else [there[kind]] if kind else []
            ):
                kind_of_other.doubtful.append(Box(*aoi["box"]))
    return truths


def is_dev(name: str) -> bool:
    """As in `examples.py`."""
    return int(name.rpartition("_")[2].split(".")[0]) % 4 == 3


def listed(folder: Path) -> Truths:
    """A folder with images/ and boxes.jsonl."""
    truths: Truths = {}
    file = folder / "boxes.jsonl"
    for line in file.read_text().splitlines() if file.exists() else ():
        row = json.loads(line)
        boxes = {kind: There() for kind in row["known"] if kind in OBJECT_TYPES}
        for b in row["boxes"]:
            if b["type"] in boxes:
                boxes[b["type"]].boxes.append(Box(*b["box"]))
        truths[folder / "images" / row["image"]] = boxes
    return truths


def tallies(detect: Detect, truths: Truths) -> dict[str, Tally]:
    """Detections against boxes, by type."""
    scores = {kind: Tally() for kind in OBJECT_TYPES}
    for path, boxes in truths.items():
        detections = detect(path)
        for kind, there in boxes.items():
            scores[kind].add(*compared([d for d in detections if d.type == kind], there))
    return scores


def compared(detections: list[Detection], there: There) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Confidences of detections of one type, their overlaps with what is there, and whether they lie in doubt."""
    overlap = np.array([d.box.iou(box) for d in detections for box in there.boxes])
    doubtful = [any(a.intersection(d.box) >= HIDDEN * d.box.area for a in there.doubtful) for d in detections]
    shape = (len(detections), len(there.boxes))
    return np.array([d.confidence for d in detections]), overlap.reshape(shape), np.array(doubtful, bool)


def by_port(model: ObjectDetector) -> Detect:
    def detect(path: Path) -> tuple[Detection, ...]:
        with Image.open(path) as picture:
            rgb = picture.convert("RGB")
        frame = np.asarray(resize(rgb, view_size(*rgb.size, model.view)), np.uint8)
        return model.detect(frame[None])[0]

    return detect


def haar(path: Path) -> tuple[Detection, ...]:
    """The frontal-face cascade of OpenCV; what it says of its confidence is the weight of its last stage."""
    grey = cv2.imread(str(path), cv2.IMREAD_GRAYSCALE)
    cascade = cv2.CascadeClassifier(cv2.data.haarcascades + "haarcascade_frontalface_alt2.xml")
    boxes, _, weights = cascade.detectMultiScale3(grey, 1.1, 3, outputRejectLevels=True)
    h, w = grey.shape
    detections = [
        Detection("face", Box(x / w, y / h, (x + a) / w, (y + b) / h), float(weight))
        for (x, y, a, b), weight in zip(boxes, np.ravel(weights), strict=True)
    ]
    return tuple(sorted(detections, key=lambda d: -d.confidence))


def competitors(args: argparse.Namespace) -> dict[str, tuple[Detect, float]]:
    """Detectors by name, each with the confidence from which it counts in precision and recall."""
    detectors: dict[str, tuple[Detect, float]] = {
        m: (by_port(load_detector(m, "cpu", threads=1)), args.at) for m in args.model
    }
    if args.others:
        detectors["haar"] = (haar, -np.inf)
    if args.others and args.weights:
        from teachers import face_teacher, faces, object_teacher, objects

        looks, sees = face_teacher(args.weights, 0.05), object_teacher(args.weights, 0.05)
        detectors["yunet"] = (by_port(looks), 0.6)
        detectors["yunet x3"] = (lambda path: faces(looks, rgb_of(path)), 0.6)
        detectors["yolox"] = (by_port(sees), 0.5)
        detectors["yolox tiled"] = (lambda path: objects(sees, rgb_of(path)), 0.5)
    return detectors


def rgb_of(path: Path) -> np.ndarray:
    return cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)


def percent(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def print_table(name: str, truths: Truths, detectors: dict[str, tuple[Detect, float]]) -> None:
    print(f"\n{name}: {len(truths)} pictures")
    heads = ("detector", "type", "boxes", "AP50", "precision, recall", "best F1 (precision, recall)")
    print(f"| {' | '.join(heads)} | recall in the first 3 (possible), by picture |")
    print("|---|---|---|---|---|---|---|")
    for detector, (detect, least) in detectors.items():
        for kind, tally in tallies(detect, truths).items():
            if not tally.confidence or not tally.there:
                continue
            cells = [", ".join(map(percent, tally.at(least)))]
            cells += ["{:.2f} ({:.2f}, {:.2f})".format(*tally.best()), _first_three(tally)]
            print(
                f"| {detector} | {kind} | {tally.there} | {percent(tally.average_precision())} | {' | '.join(cells)} |"
            )


def _first_three(tally: Tally) -> str:
    recall, possible, mean = tally.recall_within(3), tally.possible_within(3), tally.recall_by_picture(3)
    return f"{percent(recall)} ({percent(possible)}), {percent(mean)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with complexity/images")
    parser.add_argument("--model", nargs="*", default=["objects"], help="names or card files of detectors")
    parser.add_argument("--at", type=float, default=0.5, help="confidence from which a detection counts")
    parser.add_argument("--synthetic", type=Path, help="folder of synthetic pictures that were not trained on")
    parser.add_argument("--weights", type=Path, help="folder with the teachers' files")
    parser.add_argument("--others", action="store_true", help="also the Haar cascade and the teachers")
    parser.add_argument("--sets", nargs="+", default=["check", "dev", "synthetic", "modern_check"])
    args = parser.parse_args()
    images = args.data / "complexity" / "images"
    dev: Truths = {}
    for file in sorted(LABELS.glob("train_*.json")):
        dev |= drawn(file, images, is_dev)
    sets = {"check": drawn(LABELS / "check.json", images), "dev": dev}
    sets |= {f"modern_{side}": modern(side, args.data / "ads" / "images") for side in ("dev", "check")}
    if args.synthetic:
        sets["synthetic"] = listed(args.synthetic)
    detectors = competitors(args)
    for name in args.sets:
        if sets.get(name):
            print_table(name, sets[name], detectors)


if __name__ == "__main__":
    main()
