"""The training corpus: pictures with fixations or soft labels, lines of text, and the domain of each.

Sets are folders in the layout that `mediaan evaluate` reads. One tenth of each set is held out and never trained
on; a second tenth (`dev`) serves to choose between recipes. Near-duplicates, within and across sets, stay on one side.
"""

from __future__ import annotations

import csv
import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pandas as pd
from network import DOMAINS, OBJECTS

GAZE = ("osie", "crowd", "scene", "saleci")
SOFT = ("complexity", "web", "ads")
TIMED = ("osie", "crowd", "scene")
"""Sets whose fixations have onsets; the others know the whole exposure only."""

FOLDERS = {**{s: f"gaze/{s}" for s in GAZE}, "complexity": "complexity", "web": "unlabelled/web", "ads": "ads"}
_PHOTO = {"osie": 1 / 3, "crowd": 1 / 3, "scene": 1 / 3}
_DOMAIN: dict[str, dict[str, float]] = {
    "osie": {"osie": 1.0}, "crowd": {"crowd": 1.0}, "scene": {"scene": 1.0}, "saleci": {"ad": 1.0},
    "web": {"page": 1.0}, "ads": {"design": 1.0}, "advertisement": {"design": 1.0}, "visualizations": {"design": 1.0},
    "landing": {"page": 1.0}, "app": {"page": 1.0}, "email": {"page": 0.5, "design": 0.5},
    "social_feed": {"page": 0.5, "design": 0.5}, "packaging": {"ad": 0.5, "design": 0.5},
}  # fmt: skip
"""Shares of `network.DOMAINS` by set, category of `complexity` or kind of `ads`; other pictures are photographs."""

TYPE_SET = ("saleci", "complexity/advertisement", "complexity/visualizations", "web", "ads")
"""Where what is found is text, though it be too small to read; in photographs it may be foliage."""

READ_SURELY, FOUND_SURELY = 0.5, 0.6
HASH_BITS_APART = 6  # pictures whose 64-bit perceptual hashes differ in at most so many bits count as near-duplicates
SHARE = 0.1  # of each set's pictures: held out; and again for dev


@dataclass(frozen=True)
class Picture:
    """One training picture.

    `fixations` is (F, 3) float32: x, y in unit coordinates, onset in seconds; None where only a soft label exists.
    `density` is the soft label, (h, w) float32; None where there are fixations.
    `domain` is (D,) float32, the shares of `network.DOMAINS` in what the picture is.
    `lines`, `doubtful` are (n, 4, 2) float32, corners of lines of text in unit coordinates, and of what may be some;
    None where no text was looked for.
    `objects` is (n, 6) float32: index in `network.OBJECTS`, x0, y0, x1, y1 in unit coordinates, and 1 if it is there,
    0 if that is undecided; None where nobody drew boxes.
    `opinion` is an ensemble's (3 windows, h, w) float16, see distil.py; None when nobody was asked.
    `group` is what near-duplicates share: set and name of the first of them.
    """

    set: str
    name: str
    rgb: np.ndarray
    fixations: np.ndarray | None
    density: np.ndarray | None
    domain: np.ndarray
    lines: np.ndarray | None = None
    doubtful: np.ndarray | None = None
    objects: np.ndarray | None = None
    opinion: np.ndarray | None = None
    group: str = ""

    def fold(self, folds: int) -> int:
        """Return which of `folds` parts it is in, by a hash of its group: 0 to folds - 1."""
        return int.from_bytes(hashlib.sha256(f"fold {self.group}".encode()).digest()[:4], "big") % folds


def perceptual_hash(rgb: np.ndarray) -> int:
    """64-bit DCT hash of the grey picture: low frequencies against their median (Zauner 2010)."""
    grey = cv2.resize(cv2.cvtColor(rgb, cv2.COLOR_RGB2GRAY), (32, 32), interpolation=cv2.INTER_AREA)
    low = cv2.dct(grey.astype(np.float32))[:8, :8].ravel()
    return int.from_bytes(np.packbits(low > np.median(low[1:])).tobytes(), "big")


def clusters(hashes: list[int]) -> list[int]:
    """Label pictures so that near-duplicates share a label (single linkage)."""
    bits = np.unpackbits(np.array(hashes, ">u8").view(np.uint8).reshape(-1, 8), axis=1).astype(np.float32)
    apart = bits @ (1 - bits).T
    apart = apart + apart.T
    label = list(range(len(hashes)))
    for i, j in zip(*np.nonzero(np.triu(apart <= HASH_BITS_APART, 1)), strict=True):
        a, b = label[i], label[j]
        if a != b:
            label = [a if x == b else x for x in label]
    return label


def split(keys: list[tuple[str, str]], labels: list[int]) -> dict[tuple[str, str], str]:
    """Assign each (set, name) to held_out, dev or train: whole clusters, in the order of a hash of their names."""
    members: dict[int, list[tuple[str, str]]] = {}
    for key, label in zip(keys, labels, strict=True):
        members.setdefault(label, []).append(key)
    order = sorted(members.values(), key=lambda m: hashlib.sha256("/".join(min(m)).encode()).digest())
    sizes = {s: sum(k[0] == s for k in keys) for s in FOLDERS}
    side: dict[tuple[str, str], str] = {}
    for name in ("held_out", "dev"):
        taken = dict.fromkeys(sizes, 0)
        for cluster in order:
            sets = {k[0] for k in cluster}
            if cluster[0] not in side and all(taken[s] < SHARE * sizes[s] for s in sets):
                for key in cluster:
                    side[key], taken[key[0]] = name, taken[key[0]] + 1
    return {key: side.get(key, "train") for key in keys}


def read(data: Path, lines: Path | None = None) -> tuple[list[Picture], dict[tuple[str, str], str]]:
    """Read every set under `data`; returns the pictures and the side of each (set, name).

    `lines` is written by appearance_lines.py.
    """
    kinds = kinds_of_ads(data)
    text = _text(lines) if lines else {}
    boxes = _objects(Path(__file__).parent / "labels")
    pictures = []
    for name, folder in FOLDERS.items():
        table = pd.read_parquet(data / folder / "fixations.parquet") if name in GAZE else None
        groups = dict(list(table.groupby("image"))) if table is not None else {}
        for path in sorted((data / folder / "images").iterdir()):
            rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
            category, domain = category_and_domain(name, path.stem, kinds)
            rows = text.get(f"{folder}/images/{path.name}")
            sure = doubtful = None
            if rows is not None:
                group = f"{name}/{category}" if name == "complexity" else name
                sure, doubtful = _sure_and_doubtful(rows, group)
            if table is not None and path.stem not in groups:
                continue
            fixations = density = None
            if table is not None:
                fixations = groups[path.stem][["x", "y", "onset_s"]].to_numpy(np.float32)
            elif (file := data / folder / "densities" / f"{path.stem}.png").exists():
                label = cv2.imread(str(file), cv2.IMREAD_UNCHANGED)
                density = (label.astype(np.float32) / label.sum(dtype=np.float64)).astype(np.float32)
            drawn = boxes.get(f"{name}/{path.stem}")
            pictures.append(Picture(name, path.stem, rgb, fixations, density, domain, sure, doubtful, drawn))
    keys = [(p.set, p.name) for p in pictures]
    labels = clusters([perceptual_hash(p.rgb) for p in pictures])
    first: dict[int, str] = {}
    for label, key in zip(labels, keys, strict=True):
        first.setdefault(label, "/".join(key))
    pictures = [replace(p, group=first[label]) for p, label in zip(pictures, labels, strict=True)]
    return pictures, split(keys, labels)


def kinds_of_ads(data: Path) -> dict[str, str]:
    """Return what each picture of `ads` is: a banner, a poster, a landing page."""
    with (data / "ads/ads.csv").open() as file:
        return {Path(row["image"]).stem: row["kind"] for row in csv.DictReader(file)}


def category_and_domain(name: str, stem: str, kinds: dict[str, str]) -> tuple[str, np.ndarray]:
    """Return the category of a picture of set `name`, and the shares of `network.DOMAINS` in it, (D,) float32."""
    category = {"complexity": stem.rpartition("_")[0], "ads": kinds.get(stem)}.get(name) or name
    shares = _DOMAIN.get(category) or _DOMAIN.get(name) or _PHOTO
    return category, np.array([shares.get(domain, 0.0) for domain in DOMAINS], np.float32)


def _text(path: Path) -> dict[str, list[dict[str, Any]]]:
    """Lines of text by picture, its path relative to the data."""
    rows = [json.loads(row) for row in path.read_text().splitlines()]
    return {row["image"]: row["lines"] for row in rows}


def _objects(labels: Path) -> dict[str, np.ndarray]:
    """Boxes of `network.OBJECTS` that were drawn by eye, by set and picture."""
    files = {"saleci": ("saleci",), "web": ("web",), "ads": ("modern_train",), "complexity": ("train_1", "train_2")}
    drawn: dict[str, np.ndarray] = {}
    for name, stems in files.items():
        undecided = labels / f"{stems[0].split('_')[0]}_undecided.json"
        doubtful = json.loads(undecided.read_text()) if undecided.exists() else {}
        for stem in stems:
            for picture, areas in json.loads((labels / f"{stem}.json").read_text()).items():
                both = [(area, 1.0) for area in areas or ()] + [(area, 0.0) for area in doubtful.get(picture) or ()]
                rows = [(OBJECTS.index(kind), *a["box"], there) for a, there in both if (kind := _object(a)) in OBJECTS]
                drawn[f"{name}/{Path(picture).stem}"] = np.array(rows, np.float32).reshape(-1, 6)
    return drawn


def _object(area: dict[str, Any]) -> str:
    return "button" if area.get("label") == "button" else str(area["type"])


def _sure_and_doubtful(rows: list[dict[str, Any]], group: str) -> tuple[np.ndarray, np.ndarray]:
    quads = np.array([row["quad"] for row in rows], np.float32).reshape(-1, 4, 2)
    sure = np.array(
        [r["read"] >= READ_SURELY or (group in TYPE_SET and r["found"] >= FOUND_SURELY) for r in rows], bool
    )
    return quads[sure], quads[~sure]


def with_opinions(pictures: list[Picture], path: Path) -> list[Picture]:
    """Attach the densities that distil.py wrote to `path`."""
    with np.load(path) as opinions:
        return [replace(p, opinion=opinions[key]) if (key := f"{p.set}/{p.name}") in opinions else p for p in pictures]


def stored_split(pictures: list[Picture], folder: Path) -> dict[tuple[str, str], str]:
    """Return the side of each (set, name) as `write_split` wrote it, whatever pictures are there."""
    side = {(p.set, p.name): "train" for p in pictures}
    for name in ("held_out", "dev"):
        for file in (folder / name).glob("*.txt"):
            side |= {key: name for stem in file.read_text().split() if (key := (file.stem, stem)) in side}
    return side


def write_split(sides: dict[tuple[str, str], str], folder: Path) -> None:
    """Write the names on each side but the training one: ``folder/SIDE/SET.txt``, one name a line."""
    for side in ("held_out", "dev"):
        (folder / side).mkdir(parents=True, exist_ok=True)
        for set_name in FOLDERS:
            names = sorted(n for (s, n), where in sides.items() if (s, where) == (set_name, side))
            (folder / side / f"{set_name}.txt").write_text("".join(f"{n}\n" for n in names), encoding="utf-8")
