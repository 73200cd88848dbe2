"""Pictures, what is known of the text, faces and people in them, and their side of the split.

- lines of text: what the text reader found (`appearance_lines.py`); in synthetic advertisements, what was set.
- faces and people: boxes drawn by eye on advertisements, designs and web pages (`labels/`), detectors' opinions of all
  other pictures (`objects/teachers.py`), with zones of doubt in which nothing is learned.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

READ_SURELY, FOUND_SURELY = 0.5, 0.6
SET_IN_TYPE = ("advertisement", "ads", "saleci", "visualizations", "web")
"""Where what is found is text, though it be too small to read; in photographs it may be foliage."""

PAINTED = ("art", "suprematism")
"""Where strokes are read as letters: what is found there is left open."""

SETS = ("osie", "crowd", "scene", "saleci", "web", "ads")
"""Whose sides are listed by themselves; all others are categories of `complexity`."""

EVERY_FIFTH = ("visualizations", "web")
PRINT = ("headline_text", "body_text", "call_to_action", "branding")
"""Drawn boxes in which the text reader may have missed print that is too small to read."""

KINDS = ("face", "person")

DRAWN: dict[str, tuple[tuple[str, ...], str, tuple[str, ...]]] = {
    "advertisement": (("train_1", "train_2", "check"), "", KINDS),
    "ads": (("modern_train", "modern_dev", "modern_check"), "modern_undecided", KINDS),
    "saleci": (("saleci",), "saleci_undecided", ("face",)),
    "web": (("web",), "web_undecided", KINDS),
}
"""By set: files of `labels/` with boxes, with what is undecided, and the kinds that count.

In marketplace advertisements hands and legs were drawn as persons, so detectors are asked there.
"""

JUDGING = "modern_check"
"""Designs that nothing is trained or chosen on."""


@dataclass(frozen=True)
class Example:
    """A picture and what is known of it.

    Attributes
    ----------
    lines, doubtful : (n, 4, 2) float32
        Corners of lines, unit coordinates, without margin; places that may be text.
    boxes, zones : dict of (n, 4) float32
        Of faces and of people: x0, y0, x1, y1; None where nothing is known of the kind.
    side : str
        train, dev (calibrates) or held_out (is reported).
    """

    path: Path
    set: str
    side: str
    size: tuple[int, int]  # width, height, px
    lines: np.ndarray
    doubtful: np.ndarray
    boxes: dict[str, np.ndarray | None]
    zones: dict[str, np.ndarray]

    def has(self, kind: str) -> bool | None:
        """Is there at least one? None where that is not known."""
        boxes = self.boxes[kind]
        if boxes is None or (not len(boxes) and len(self.zones[kind])):
            return None
        return len(boxes) > 0


def side_of(group: str, stem: str, order: int, split: Path) -> str:
    """Which side a picture is on; `order` is its place among those of its group."""
    name = group if group in SETS else "complexity"
    listed = [side for side in ("held_out", "dev") if stem in (split / side / f"{name}.txt").read_text().split()]
    number = int(stem.rpartition("_")[2]) if group == "advertisement" else 1
    if number % 3 == 0 or (group in EVERY_FIFTH and order % 5 == 0):
        return "held_out"
    if group == "advertisement" and number % 4 == 3 and not listed:
        return "dev"
    return listed[0] if listed else "train"


def group_of(image: str) -> str:
    """Category of Savoias, or the name of the set."""
    parts = image.split("/")
    if parts[0] == "complexity":
        return parts[-1].rpartition("_")[0]
    return parts[0] if parts[0] == "ads" else parts[1]


def read(data: Path, lines: Sequence[Path], teachers: Path, labels: Path, split: Path) -> list[Example]:
    """All real pictures."""
    drawn = {group: _labels(labels, group) for group in DRAWN}
    judging = {Path(name).stem for name in json.loads((labels / f"{JUDGING}.json").read_text())}
    seen = {row["image"]: row for row in _rows(teachers)}
    orders: dict[str, int] = {}
    examples = []
    rows = {row["image"]: row for file in lines for row in _rows(file)}
    for row in sorted(rows.values(), key=lambda row: str(row["image"])):
        group, stem = group_of(row["image"]), Path(row["image"]).stem
        orders[group] = orders.get(group, -1) + 1
        sure = [_is_text(line, group) for line in row["lines"]]
        quads = np.array([line["quad"] for line in row["lines"]], np.float32).reshape(-1, 4, 2)
        chosen = np.array(sure, bool)
        lines_, doubtful = quads[chosen], quads[~chosen]
        boxes, zones = _seen(seen.get(row["image"]))
        if group == "advertisement":
            boxes = dict.fromkeys(KINDS)
        if stem in drawn.get(group, {}):
            areas, undecided = drawn[group][stem]
            for kind in DRAWN[group][2]:
                boxes[kind], zones[kind] = _of_kind(areas, kind), _of_kind(undecided, kind)
            if group == "advertisement":
                small_print = [corners_of(area["box"])[None] for area in areas if area["type"] in PRINT]
                doubtful = np.concatenate([doubtful, *small_print])
        side = "held_out" if group == "ads" and stem in judging else side_of(group, stem, orders[group], split)
        size = (row["width"], row["height"])
        examples.append(Example(data / row["image"], group, side, size, lines_, doubtful, boxes, zones))
    return examples


def read_synthetic(folder: Path, count: int, side: str = "train") -> list[Example]:
    """Drawn advertisements, for their text alone: their photographs are also among those that judge."""
    examples = []
    for row in _rows(folder / "boxes.jsonl")[:count]:
        corners = [[[x0, y0], [x1, y0], [x1, y1], [x0, y1]] for x0, y0, x1, y1 in (r["box"] for r in row["lines"])]
        quads = np.array(corners, np.float32).reshape(-1, 4, 2)
        nothing = np.zeros((0, 4), np.float32)
        examples.append(
            Example(
                folder / "images" / row["image"], "synthetic", side, (row["width"], row["height"]), quads,
                quads[:0], dict.fromkeys(KINDS), dict.fromkeys(KINDS, nothing),
            )
        )  # fmt: skip
    return examples


def _rows(path: Path) -> list[dict[str, Any]]:
    whole = path.read_text().rpartition("\n")[0]  # the last line may be in the making
    return [json.loads(line) for line in whole.splitlines()]


def _is_text(line: dict[str, Any], group: str) -> bool:
    if group in PAINTED:
        return False
    return line["read"] >= READ_SURELY or (group in SET_IN_TYPE and line["found"] >= FOUND_SURELY)


def _labels(folder: Path, group: str) -> dict[str, tuple[list[dict[str, Any]], list[dict[str, Any]]]]:
    """Return areas drawn by eye, and undecided ones, by name of picture."""
    files, undecided_file, _ = DRAWN[group]
    undecided = json.loads((folder / f"{undecided_file}.json").read_text()) if undecided_file else {}
    examples = {}
    for file in files:
        for name, areas in json.loads((folder / f"{file}.json").read_text()).items():
            if areas is not None:
                examples[Path(name).stem] = (areas, undecided.get(name) or [])
    return examples


def _of_kind(areas: list[dict[str, Any]], kind: str) -> np.ndarray:
    return _boxes(area["box"] for area in areas if area["type"] == kind)


def _seen(row: dict[str, Any] | None) -> tuple[dict[str, np.ndarray | None], dict[str, np.ndarray]]:
    if row is None:
        return dict.fromkeys(KINDS), dict.fromkeys(KINDS, _boxes(()))
    boxes = {
        kind: _boxes(b["box"] for b in row["boxes"] if b["type"] == kind) if kind in row["known"] else None
        for kind in KINDS
    }
    return boxes, {kind: _boxes(z["box"] for z in row["zones"] if z["type"] == kind) for kind in KINDS}


def _boxes(boxes: Iterator[list[float]] | Any) -> np.ndarray:
    return np.array(list(boxes), np.float32).reshape(-1, 4)


def corners_of(box: np.ndarray) -> np.ndarray:
    x0, y0, x1, y1 = box
    return np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
