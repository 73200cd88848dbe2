"""How far text, faces and people by `appearance_heads.npz` can be trusted: the tables of `models/appearance.md`."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
from appearance_examples import DRAWN, KINDS, PAINTED, Example
from appearance_targets import WHOLE, targets
from scipy.stats import spearmanr
from sklearn.metrics import average_precision_score, roc_auc_score

from mediaan.types.densities import Appearance
from mediaan.vision.appearance import (
    CELL_PX,
    AppearanceEncoder,
    AppearanceReader,
    load_appearance_heads,
    resize_for_encoder,
    text_height,
)

AMOUNTS = ("little", "moderate", "heavy")
PHOTOS = ("objects", "scenes", "interior_design", "osie", "crowd", "scene")
BANDS = (3, 5, 10, 20, 40, 80)  # px
MOSTLY_TEXT = 0.7  # of a cell
BOOTSTRAPS, TIMES = 1000, 30
HERE = Path(__file__).parent


class Looked:
    """A picture as it was looked at, and what is true of its cells."""

    def __init__(self, example: Example, reader: AppearanceReader) -> None:
        self.example = example
        self.rgb = rgb_of(example.path)
        view = resize_for_encoder(self.rgb)
        self.said = reader.read(self.rgb)
        text, sure, height, *kinds = targets(example, WHOLE, (view.shape[1], view.shape[0]), CELL_PX)
        self.text, self.sure, self.kinds = text, sure > 0, dict(zip(KINDS, (kinds[:2], kinds[2:]), strict=True))
        self.heights, self.height = height, text_height(text, height)
        self._said = reader.read_cells(self.rgb)

    def cells(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Probability of text and log of height said of these cells."""
        return _map(self.said.text_map)[chosen], self._said.height[chosen]


def rgb_of(path: Path) -> np.ndarray:
    return np.asarray(cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB), np.uint8)


def evaluate(examples: Iterable[Example], data: Path) -> None:
    """Print all tables, from held-out pictures alone."""
    reader = AppearanceReader(device="cpu", threads=1)
    looked = [Looked(example, reader) for example in examples if example.side == "held_out"]
    by_set: dict[str, list[Looked]] = {}
    for look in looked:
        by_set.setdefault("photographs" if look.example.set in PHOTOS else look.example.set, []).append(look)
    text_table(by_set)
    height_table(by_set)
    amount_table(by_set["advertisement"], data)
    presence_table(looked, data)
    stability_table(by_set["advertisement"], reader)
    cost(by_set["advertisement"][0].rgb)


def text_table(by_set: dict[str, list[Looked]]) -> None:
    print("text: set, pictures, AP by cell; rho of share, mean share said and true; height: n, rho, median ratio error")
    for name, ones in sorted(by_set.items()):
        if name in PAINTED:
            print(f"  {name:16} {len(ones):4} mean share said {np.mean([look.said.text_share for look in ones]):.3f}")
            continue
        true, predicted = _cells(ones)
        shares = np.array([(look.said.text_share, look.text.mean(dtype=np.float64)) for look in ones])
        heights = np.array(
            [(look.said.text_height, look.height) for look in ones if look.said.text_height and look.height]
        )
        print(
            f"  {name:16} {len(ones):4} {average_precision_score(true, predicted):.3f}  {_rho(shares):.3f} "
            f"{shares[:, 0].mean():.3f} {shares[:, 1].mean():.3f}  {len(heights):4} {_rho(heights):.3f} "
            f"{_ratio(heights):.0%}"
        )


def _cells(ones: Sequence[Looked]) -> tuple[np.ndarray, np.ndarray]:
    true = np.concatenate([look.text[look.sure] > 0.5 for look in ones])
    predicted = np.concatenate([_map(predicted.said.text_map)[predicted.sure] for predicted in ones])
    return true, predicted


def _map(plane: np.ndarray | None) -> np.ndarray:
    assert plane is not None
    return plane


def _rho(pairs: np.ndarray) -> float:
    return float(spearmanr(pairs[:, 0], pairs[:, 1])[0]) if len(pairs) > 4 else float("nan")


def _ratio(pairs: np.ndarray) -> float:
    return float(np.expm1(np.median(np.abs(np.log(pairs[:, 0] / pairs[:, 1]))))) if len(pairs) else float("nan")


def height_table(by_set: dict[str, list[Looked]]) -> None:
    print("letters by height, px as shown: set, from, to, cells; share found, height said over true (median)")
    for name in ("advertisement", "synthetic"):
        rows = [
            np.column_stack([look.text[m], look.heights[m], *look.cells(m)])
            for look in by_set[name]
            if (m := look.sure).any()
        ]
        text, true, share_found, predicted = np.concatenate(rows).T
        for low, high in pairwise(BANDS):
            chosen = (text > MOSTLY_TEXT) & (true >= np.log(low)) & (true < np.log(high))
            ratio = np.exp(np.median(predicted[chosen] - true[chosen]))
            print(f"  {name:14} {low:3} {high:3} {chosen.sum():6} {(share_found[chosen] > 0.5).mean():.2f} {ratio:.2f}")


def amount_table(ones: Sequence[Looked], data: Path) -> None:
    rows = _categories(data)
    amounts = np.array([AMOUNTS.index(rows[look.example.path.stem]["text_amount"]) for look in ones])
    measures: dict[str, Callable[[Looked], float]] = {
        "text_share": lambda look: look.said.text_share,
        "text_letters": lambda look: look.said.text_letters,
        "share of found lines": lambda look: float(look.text.mean(dtype=np.float64)),
    }
    print(f"amount of text by eye, {len(ones)} check advertisements: rho [95 %]")
    for name, measure in measures.items():
        values = np.array([measure(look) for look in ones])
        low, high = _interval(values, amounts)
        print(f"  {name:22} {_rho(np.column_stack([values, amounts])):.3f} [{low:.3f}, {high:.3f}]")


def _interval(values: np.ndarray, truth: np.ndarray) -> tuple[float, float]:
    rng = np.random.default_rng(0)
    draws = (rng.integers(len(values), size=len(values)) for _ in range(BOOTSTRAPS))
    low, high = np.quantile([spearmanr(values[i], truth[i])[0] for i in draws], (0.025, 0.975))
    return float(low), float(high)


def presence_table(looked: Sequence[Looked], data: Path) -> None:
    eye = _by_eye(data)
    print("presence: kind, set, judge, pictures, share with one; AUC, accuracy at .5, Brier score")
    for kind in KINDS:
        for name in ("advertisement", "ads", "saleci", *PHOTOS[3:], "web", "art"):
            ones = [look for look in looked if look.example.set == name]
            listed = name in ("advertisement", *PHOTOS[3:])
            judge = "eye" if listed or (name in DRAWN and kind in DRAWN[name][2]) else "detector"
            true = [eye[_key(look)][kind] if listed else look.example.has(kind) for look in ones]
            _presence_row(kind, name, judge, ones, true)
        chosen = [look for look in looked if _key(look) in eye]
        _presence_row(kind, "all by eye", "eye", chosen, [eye[_key(look)][kind] for look in chosen])


def _presence_row(kind: str, name: str, judge: str, ones: Sequence[Looked], true: Sequence[bool | None]) -> None:
    labelled = [(labelled.said, there) for labelled, there in zip(ones, true, strict=True) if there is not None]
    predicted = np.array([look.face_presence if kind == "face" else look.person_presence for look, _ in labelled])
    there = np.array([there for _, there in labelled], bool)
    area = f"{roc_auc_score(there, predicted):.3f}" if 0 < there.sum() < len(there) else "   – "
    right, brier = ((predicted > 0.5) == there).mean(), ((predicted - there) ** 2).mean()
    print(f"  {kind:6} {name:14} {judge:8} {len(there):4} {there.mean():4.0%}  {area} {right:.3f} {brier:.3f}")


def _by_eye(data: Path) -> dict[str, dict[str, bool | None]]:
    presence = json.loads((HERE / "appearance_presence.json").read_text())
    for name, row in _categories(data).items():
        presence[f"advertisement/{name}"] = {kind: row[f"has_{kind}"] == "1" for kind in KINDS}
    return dict(presence)


def _key(look: Looked) -> str:
    return f"{look.example.set}/{look.example.path.stem}"


def _categories(data: Path) -> dict[str, dict[str, str]]:
    with (data / "ad_categories.csv").open() as file:
        return {row["image"]: row for row in csv.DictReader(file)}


def stability_table(ones: Sequence[Looked], reader: AppearanceReader) -> None:
    changes: dict[str, Callable[[np.ndarray], np.ndarray]] = {
        "mirrored": lambda rgb: np.ascontiguousarray(rgb[:, ::-1]),
        "80 % size": lambda rgb: cv2.resize(rgb, None, fx=0.8, fy=0.8, interpolation=cv2.INTER_AREA),
        "JPEG 75": lambda rgb: cv2.imdecode(cv2.imencode(".jpg", rgb, [cv2.IMWRITE_JPEG_QUALITY, 75])[1], 1),
        "blur 1 px": lambda rgb: cv2.GaussianBlur(rgb, (0, 0), 1.0),
    }
    print("stability: change; rho of share; height: rho, median ratio; rho of letters; faces, people decided otherwise")
    for name, change in changes.items():
        after = [reader.read(change(look.rgb)) for look in ones]
        _stability_row(name, [look.said for look in ones], after)


def _stability_row(name: str, before: Sequence[Appearance], after: Sequence[Appearance]) -> None:
    pairs = list(zip(before, after, strict=True))
    shares = np.array([(a.text_share, b.text_share) for a, b in pairs])
    letters = np.array([(a.text_letters, b.text_letters) for a, b in pairs])
    heights = np.array([(a.text_height, b.text_height) for a, b in pairs if a.text_height and b.text_height])
    faces = np.mean([(a.face_presence > 0.5) != (b.face_presence > 0.5) for a, b in pairs])
    people = np.mean([(a.person_presence > 0.5) != (b.person_presence > 0.5) for a, b in pairs])
    print(
        f"  {name:10} {_rho(shares):.3f}  {_rho(heights):.3f} {_ratio(heights):.0%}  {_rho(letters):.3f}  "
        f"{faces:.1%} {people:.1%}"
    )


def cost(rgb: np.ndarray) -> None:
    encoder, view = AppearanceEncoder(device="cpu", threads=1), resize_for_encoder(rgb)
    levels, features = encoder.encode(view), np.zeros(1, np.float32)
    heads = load_appearance_heads(encoder.sha256)
    of_encoder = _median_ms(lambda: encoder.encode(view))
    print(f"time, ms: encoder {of_encoder:.1f}, heads {_median_ms(lambda: heads.predict(features, levels)):.1f}")


def _median_ms(call: Callable[[], object]) -> float:
    """CPU time of a call."""
    times = []
    for _ in range(TIMES):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return float(np.median(times)) * 1000
