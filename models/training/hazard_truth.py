"""Regions in held-out pictures, and what real viewers did with them: the truth behind `fixation_hazard.py`.

Regions are what advertisements' AOIs are like (lines of text, faces, objects, as detectors find them), boxes of random
place with the sizes and shapes of logos, headlines and packs, and the cells of grids; on web pages and advertisements
also blocks of text of two lines or more. A viewer has seen a region by T if one of the fixations that began before T
lies in it. The fixation with which a trial begins, on a cross in the middle, does not count; of web pages alone it is
in the data, with onset 0.

Onsets of OSIE and Crowd are estimates (0.15 s, then 0.04 s between fixations): by them viewers stop looking half a
second before the trial ends. Here the first fixation begins when it does in Scene, whose onsets were measured (median
0.28 s), and the time of the trial that no fixation fills is spread evenly over the gaps.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
import pandas as pd
from focus import DOMAINS, listed
from objects.teachers import face_teacher, faces, object_teacher, objects

from mediaan.aoi.detection.text_blocks import TypesetLine, group_lines, typeset_line
from mediaan.media import open_image
from mediaan.saliency import load_predictor
from mediaan.types.aoi import Box
from mediaan.types.densities import Densities
from mediaan.vision.text.reader import load_text_reader

VIEWING_S = {"osie": 3.0, "crowd": 5.0, "scene": 3.0, "dev/fiwi": 5.0, "saleci": float("nan"), "dev/gdi": float("nan")}
"""Of `saleci` and `dev/gdi` fixations are known without order or viewer."""
CLICKED: dict[str, tuple[str, ...] | None] = {"dev/gdi": None}
"""Graphic designs of which viewers uncovered parts by clicks; in the form of `focus.DOMAINS`."""
MEASURED = ("scene", "dev/fiwi")
BEGUN_BEFORE = ("dev/fiwi",)  # each viewer's fixation with onset 0 is that on the cross
FIRST_ONSET_S = 0.28
SHORTEST_GAP_S = 0.02
EXPOSURES_S = (0.5, 1.0, 2.0, 3.0, 5.0)
KINDS = ("text", "block", "face", "object", "random", "grid")
AOI_LIKE = ("text", "block", "face", "object")
WITH_BLOCKS = ("dev/fiwi", "saleci", "dev/gdi")  # photographs have hardly any
RANDOM_BOXES = 24
SMALLEST = 0.0005  # share of the area: a dot tells of the tracker's error
LARGEST = dict.fromkeys(KINDS, 0.9) | {"text": 0.1}  # nearly the whole is seen by all; so large a line is a texture
SURE = {"text": 0.5, "face": 0.6, "object": 0.4}


@dataclass(frozen=True)
class Looked:
    """A picture, its prediction, and the fixations on it; `viewer` counts from 0, `given_s` are the onsets as filed."""

    set: str
    name: str
    path: Path
    rgb: np.ndarray
    densities: Densities
    viewer: np.ndarray
    x: np.ndarray
    y: np.ndarray
    onset_s: np.ndarray
    given_s: np.ndarray
    duration_s: np.ndarray

    @property
    def viewers(self) -> int:
        return int(self.viewer.max()) + 1

    @property
    def viewing_s(self) -> float:
        """How long each viewer looked; NaN where that is not known."""
        return VIEWING_S[self.set]

    def inside(self, boxes: np.ndarray) -> np.ndarray:
        """Which fixations lie in which of (n, 4) boxes, (n, f) bool."""
        x0, y0, x1, y1 = boxes.T[:, :, None]
        return (self.x >= x0) & (self.x < x1) & (self.y >= y0) & (self.y < y1)

    def seen(self, inside: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Which viewers have one of the fixations that count (f,) in each box, (n, viewers) bool."""
        by_viewer = [counts & (self.viewer == v) for v in range(self.viewers)]
        return np.column_stack([inside[:, fixations].any(1) for fixations in by_viewer])

    def gaze_s(self, inside: np.ndarray, until_s: float) -> np.ndarray:
        """Seconds of gaze in each box until a time, mean over viewers, (n,)."""
        spent = np.clip(np.minimum(self.onset_s + self.duration_s, until_s) - self.onset_s, 0, None)
        return inside @ spent / self.viewers

    def first_s(self, inside: np.ndarray, at_least: int = 4) -> np.ndarray:
        """Median onset of viewers' first fixations in each box, (n,); NaN where too few have one."""
        times = np.where(inside, self.onset_s, np.inf)
        firsts = np.column_stack([times[:, self.viewer == v].min(1) for v in range(self.viewers)])
        enough = np.isfinite(firsts).sum(1) >= at_least
        medians = np.full(len(inside), np.nan)
        medians[enough] = np.nanmedian(np.where(np.isfinite(firsts), firsts, np.nan)[enough], axis=1)
        return medians


def looked_at(
    data: Path, domain: str | Mapping[str, tuple[str, ...] | None] = "photo", *, dev: bool = False
) -> Iterator[Looked]:
    """Pictures of a domain of `focus.DOMAINS`, or of such sets and sides of their split.

    `dev` too is right where the model was trained without `--use-dev`.
    """
    model = load_predictor("attention", "cpu", threads=1)
    for name, sides in (DOMAINS[domain] if isinstance(domain, str) else domain).items():
        table = pd.read_parquet(data / "gaze" / name / "fixations.parquet").sort_values(["image", "viewer", "index"])
        if name in BEGUN_BEFORE:
            table = table[table.onset_s > 0]
        pictures = sorted(set(table.image)) if sides is None else listed(name, [s for s in sides if dev or s != "dev"])
        for picture in pictures:
            rows = table[table.image == picture]
            path = next((data / "gaze" / name / "images").glob(f"{picture}.*"))
            view = open_image(path, [model.view]).chunks[0].views[model.view.name]
            given = rows.onset_s.to_numpy()
            estimated = name not in MEASURED and np.isfinite(given).all()
            times = given if not estimated else np.concatenate(
                [retimed(of_viewer.duration_s.to_numpy(), VIEWING_S[name]) for _, of_viewer in rows.groupby("viewer")]
            )  # fmt: skip
            yield Looked(
                name, picture, path, cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB), model.predict(view)[0],
                np.unique(rows.viewer, return_inverse=True)[1], rows.x.to_numpy(), rows.y.to_numpy(), times, given,
                rows.duration_s.to_numpy(),
            )  # fmt: skip


def retimed(duration_s: np.ndarray, viewing_s: float) -> np.ndarray:
    """Onsets of one viewer's fixations, so that they and even gaps between them fill the trial."""
    gap = max(SHORTEST_GAP_S, (viewing_s - FIRST_ONSET_S - duration_s.sum()) / len(duration_s))
    onset = FIRST_ONSET_S + np.concatenate([[0.0], np.cumsum(duration_s + gap)[:-1]])
    return onset * min(1.0, viewing_s / (onset[-1] + duration_s[-1]))


class Regions:
    """Boxes for a picture; `weights` holds the two published detectors.

    They are the same for every attention model; those in `kept`, a file of JSON lines, are not looked for again.
    """

    def __init__(self, weights: Path, kept: Path | None = None) -> None:
        self._reader = load_text_reader(threads=1)
        self._faces, self._objects = face_teacher(weights), object_teacher(weights)
        self._file = kept
        self._kept: dict[str, list[tuple[str, Box]]] = {}
        if kept is not None and kept.exists():
            rows = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
            self._kept = {row["picture"]: [(kind, Box(*box)) for kind, box in row["regions"]] for row in rows}

    def of(self, picture: Looked) -> list[tuple[str, Box]]:
        """Kind and place of each region."""
        name = f"{picture.set}/{picture.name}"
        if name not in self._kept:
            self._kept[name] = self._find(picture)
            if self._file is not None:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"picture": name, "regions": self._kept[name]}) + "\n")
        return self._kept[name]

    def _find(self, picture: Looked) -> list[tuple[str, Box]]:
        lines = self._reader.find(picture.rgb)
        things = [("text", line.box, line.confidence) for line in lines]
        things += [("face", d.box, d.confidence) for d in faces(self._faces, picture.rgb)]
        things += [("object", d.box, d.confidence) for d in objects(self._objects, picture.rgb)]
        boxes = [(kind, box.clipped()) for kind, box, confidence in things if confidence >= SURE[kind]]
        if picture.set in WITH_BLOCKS:
            sure = [typeset_line(picture.rgb, line) for line in lines if line.confidence >= SURE["text"]]
            boxes += [("block", around(block.lines)) for block in group_lines(sure) if len(block.lines) > 1]
        boxes += [("random", box) for box in random_boxes(picture)]
        boxes += [("grid", box) for box in grid_boxes()]
        return [(kind, box) for kind, box in boxes if SMALLEST <= box.area <= LARGEST[kind]]


def around(lines: Iterable[TypesetLine]) -> Box:
    """The box around lines, within the picture."""
    x0, y0, x1, y1 = np.array([typed.box for typed in lines]).T
    return Box(float(x0.min()), float(y0.min()), float(x1.max()), float(y1.max())).clipped()


def random_boxes(picture: Looked) -> Iterator[Box]:
    """1 % to 40 % of the area, 1:3 to 6:1 as displayed; the picture's name is the seed."""
    rng = np.random.default_rng(zlib.crc32(f"{picture.set}/{picture.name}".encode()))
    aspect = picture.rgb.shape[1] / picture.rgb.shape[0]
    for _ in range(RANDOM_BOXES):
        area, shape = np.exp(rng.uniform(np.log([0.01, 1 / 3]), np.log([0.4, 6.0]))) / (1.0, aspect)
        width, height = min(1.0, np.sqrt(area * shape)), min(1.0, np.sqrt(area / shape))
        x, y = rng.uniform(0, [1 - width, 1 - height])
        yield Box(x, y, x + width, y + height)


def grid_boxes() -> Iterator[Box]:
    """The cells of grids of 2 x 2 to 6 x 6."""
    for n in range(2, 7):
        yield from (Box(i / n, j / n, (i + 1) / n, (j + 1) / n) for j in range(n) for i in range(n))
