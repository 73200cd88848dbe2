"""What the text reader finds in training pictures: `python appearance_lines.py DATA OUT.jsonl`.

One row a picture: every line of text that is found, and how surely it was read; 0 where it was surely found in a design
or a page, which need not be read for that. Goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import cv2
import numpy as np

from mediaan.vision.text.detection import join_words
from mediaan.vision.text.reader import TextReader, trim_margin

FOLDERS = ("ads", "gaze/saleci", "complexity", "unlabelled/web", "gaze/osie", "gaze/scene", "gaze/crowd")
FIRST = ("advertisement", "visualizations")
TYPE_SET = ("ads/", "gaze/saleci/", "unlabelled/web/")
FOUND_SURELY = 0.6
LONG_SIDE = 960


def pictures(data: Path) -> list[Path]:
    """All pictures, those with the most text first."""
    paths = [path for folder in FOLDERS for path in sorted((data / folder / "images").glob("*.jpg"))]
    return sorted(paths, key=lambda path: not path.stem.startswith(FIRST))


def lines(reader: TextReader, rgb: np.ndarray, *, typeset: bool) -> list[dict[str, object]]:
    """Corners in unit coordinates, without the margin around letters; confidences of finding and of reading."""
    size = np.array([rgb.shape[1], rgb.shape[0]])
    rows = []
    for line in join_words(reader._detector.detect(rgb, LONG_SIDE)):
        quad, read = line.quad, 0.0
        if not typeset or line.confidence < FOUND_SURELY:
            quad, reading = reader.read_line(rgb, line)
            read = reading.confidence
        corners = (trim_margin(quad) / size).round(5).tolist()
        rows.append({"quad": corners, "found": round(line.confidence, 3), "read": round(read, 3)})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    done = {json.loads(row)["image"] for row in args.out.open()} if args.out.exists() else set()
    reader = TextReader(threads=1)
    with args.out.open("a") as out:
        for path in pictures(args.data):
            name = str(path.relative_to(args.data))
            if name not in done:
                rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
                typeset = name.startswith(TYPE_SET) or path.stem.startswith(FIRST)
                size = {"width": rgb.shape[1], "height": rgb.shape[0]}
                out.write(json.dumps({"image": name, **size, "lines": lines(reader, rgb, typeset=typeset)}) + "\n")
                out.flush()


if __name__ == "__main__":
    main()
