"""Synthetic advertisements with exact boxes: `python ads.py DATA OUT --count N --seed S [--kit KIT] [--workers 1]`.

Writes OUT/images/NNNNN.jpg and OUT/boxes.jsonl, a line a picture. A picture depends on the seed, its number and the kit
alone; those that are there already are kept. `assets.py` makes the kit; without one ads have system fonts, drawn packs
and invented marks, and no photographs.
"""

from __future__ import annotations

import argparse
import json
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from ad_kit import Kit
from ad_layouts import compose
from ad_print import develop
from ad_scene import Seen

OBJECTS = ("product", "logo", "face", "person", "button")
TEXTS = ("headline_text", "body_text", "call_to_action")
LEAST_PX = 3


@dataclass(frozen=True)
class Picture:
    """RGB (h, w, 3) uint8 and its row of boxes.jsonl, less the file's name."""

    rgb: np.ndarray
    row: dict


def make(kit: Kit, seed: int, number: int) -> Picture:
    """The ad of that number."""
    rng = np.random.default_rng([seed, number])
    ad = compose(rng, kit)
    things, lines = ad.scene.seen()
    rgb, warp = develop(rng, np.ascontiguousarray(ad.scene.pixels[..., :3]))
    height, width = rgb.shape[:2]
    boxes = [(t, b) for t in things if (b := box_of(t, warp, width, height))]
    row = {
        "width": width, "height": height, "known": list(OBJECTS),
        "boxes": [_row(t, b) for t, b in boxes if t.type in OBJECTS or t.type in TEXTS],
        "lines": [{"box": b, "text": t.text} for t in lines if (b := box_of(t, warp, width, height))],
        "zones": [{"type": t.type[5:], "box": b} for t, b in boxes if t.type.startswith("zone ")],
    }  # fmt: skip
    return Picture(rgb, row)


def _row(thing: Seen, box: list[float]) -> dict:
    row = {"type": thing.type, "box": box}
    return {**row, **({"text": thing.text} if thing.text else {}), **({"of": thing.of} if thing.of else {})}


def box_of(thing: Seen, warp: np.ndarray, width: int, height: int) -> list[float] | None:
    """Bounds in unit coordinates after the warp (a homography in px); None where next to nothing is left."""
    points = cv2.perspectiveTransform(thing.hull[None], warp)[0]
    x0, y0 = points.min(0).clip(0, [width, height])
    x1, y1 = points.max(0).clip(0, [width, height])
    if x1 - x0 < LEAST_PX or y1 - y0 < LEAST_PX:
        return None
    return [round(float(v), 5) for v in (x0 / width, y0 / height, x1 / width, y1 / height)]


def write(kit: Kit, out: Path, seed: int, number: int) -> dict:
    """Make and keep one picture; its row."""
    picture = make(kit, seed, number)
    quality = int(np.random.default_rng([seed, number, 1]).integers(70, 96))
    name = f"{number:05d}.jpg"
    bgr = cv2.cvtColor(picture.rgb, cv2.COLOR_RGB2BGR)
    cv2.imwrite(str(out / "images" / name), bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return {"image": name, **picture.row}


def _share(job: tuple[Path | None, Path, int, list[int], Path]) -> None:
    """The numbers of one worker, appended to a file of its own, or to the one file."""
    kit_folder, out, seed, numbers, file = job
    cv2.setNumThreads(1)
    kit = Kit.at(kit_folder)
    with file.open("a") as rows:
        for number in numbers:
            rows.write(json.dumps(write(kit, out, seed, number)) + "\n")
            rows.flush()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path, help="folder with the photographs that the kit names")
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0, help="number of the first picture")
    parser.add_argument("--kit", type=Path, help="folder that assets.py wrote")
    parser.add_argument("--workers", type=int, default=1)
    args = parser.parse_args()
    (args.out / "images").mkdir(parents=True, exist_ok=True)
    file = args.out / "boxes.jsonl"
    done = {json.loads(line)["image"] for line in file.read_text().splitlines()} if file.exists() else set()
    numbers = [n for n in range(args.start, args.start + args.count) if f"{n:05d}.jpg" not in done]
    if args.workers == 1:
        _share((args.kit, args.out, args.seed, numbers, file))
        return
    parts = [args.out / f"boxes-{k}.part" for k in range(args.workers)]
    jobs = [(args.kit, args.out, args.seed, numbers[k :: args.workers], part) for k, part in enumerate(parts)]
    with ProcessPoolExecutor(args.workers) as pool:
        list(pool.map(_share, jobs))
    with file.open("a") as rows:
        for part in parts:
            rows.write(part.read_text())
            part.unlink()


if __name__ == "__main__":
    main()
