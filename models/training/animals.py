"""Fit what tells animals among detected persons: `python animals.py DATA IMAGENET.npz [--out appearance_heads.npz]`.

A logistic regression on pooled features of the attention model's encoder. It learns from cut-outs of pictures, what an
ImageNet network (MobileNetV2, Apache-2.0) says of each: the sum of its 398 animals; and from `labels/animals.csv`,
detected persons without a sure face, judged by eye. Prints, by folds of pictures and by set left out, how many animals
and people among the latter are taken for animals.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from network import Encoder, folded

from mediaan.types.aoi import Box
from mediaan.vision.appearance import AppearanceEncoder, pool_features
from mediaan.vision.objects.animals import SETTINGS, cut_out

HERE = Path(__file__).resolve().parent
SETS = {
    "osie": "gaze/osie/images", "complexity": "complexity/images", "ads": "ads/images", "saleci": "gaze/saleci/images",
    "scene": "gaze/scene/images",
}  # fmt: skip
"""To learn from; other sets of `labels/animals.csv` judge only."""
ABSTRACT = ("suprematism", "visualizations", "interior")
PICTURES, CUT_OUTS, MORE = 1100, 4, 8
"""So many pictures, cut-outs of each, and more of one in which there may be an animal."""
TEACHER_PX, LARGEST = 192, 1024
ANIMALS = slice(1, 399)  # of the 1001 classes
PENALTY, FOLDS = 0.005, 4


class Rows(NamedTuple):
    """Cut-outs: features (n, F), probability of an animal (n,), picture and set of each (n,)."""

    features: np.ndarray
    animal: np.ndarray
    picture: np.ndarray
    source: np.ndarray

    def take(self, chosen: np.ndarray) -> Rows:
        return Rows(*(values[chosen] for values in self))


def read(path: Path) -> np.ndarray:
    rgb = cv2.cvtColor(cv2.imread(str(path)), cv2.COLOR_BGR2RGB)
    scale = LARGEST / max(rgb.shape[:2])
    return cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else rgb


def source_of(image: str) -> str:
    return next((name for name, folder in SETS.items() if image.startswith(folder)), image.split("/")[0])


def pictures(data: Path, rng: np.random.Generator) -> list[str]:
    """Paths of the pictures to learn from, in DATA, without those that judge other parts."""
    checks = {
        Path(n).stem
        for side in ("modern_check", "check")
        for n in json.loads((HERE / "labels" / f"{side}.json").read_text())
    }
    names = []
    for source, folder in SETS.items():
        file = HERE / "split" / "held_out" / f"{source}.txt"
        apart = checks | set(file.read_text().split() if file.exists() else ())
        names += [
            path.relative_to(data).as_posix()
            for path in sorted((data / folder).iterdir())
            if path.stem not in apart and not path.stem.startswith(ABSTRACT)
        ]
    return [str(name) for name in rng.permutation(names)[:PICTURES]]


def random_box(rgb: np.ndarray, rng: np.random.Generator) -> Box:
    height, width = rgb.shape[:2]
    side, aspect = min(height, width) * np.exp(rng.uniform(*np.log([0.25, 0.9]))), np.exp(rng.normal(-0.1, 0.18))
    w, h = min(1.0, max(24, side * aspect) / width), min(1.0, max(24, side / aspect) / height)
    x, y = rng.uniform(0, 1 - w), rng.uniform(0, 1 - h)
    return Box(x, y, x + w, y + h)


class Teacher:
    """ImageNet's MobileNetV2."""

    def __init__(self, weights: Path) -> None:
        self._net = Encoder("mobilenet_v2").eval()
        self._net.load_imagenet(weights)
        self._weight, self._bias = folded(weights)[-1]

    @torch.no_grad()
    def animal(self, part: np.ndarray) -> float:
        rgb = torch.from_numpy(cv2.resize(part, (TEACHER_PX,) * 2, interpolation=cv2.INTER_AREA))
        pooled = self._net(rgb.permute(2, 0, 1)[None].float() / 127.5 - 1)[-1].mean((2, 3))
        logits = pooled @ self._weight.reshape(len(self._bias), -1).T + self._bias
        return float(torch.softmax(logits, 1)[0, ANIMALS].sum())


def taught(data: Path, teacher: Teacher, encoder: AppearanceEncoder, rng: np.random.Generator) -> Rows:
    rows = []
    for name in pictures(data, rng):
        rgb, likeliest, wanted = read(data / name), 0.0, CUT_OUTS
        while wanted > 0:
            wanted -= 1
            box = random_box(rgb, rng)
            x0, y0, x1, y1 = (round(v) for v in np.array(box) * np.tile(rgb.shape[1::-1], 2))
            animal = teacher.animal(rgb[y0:y1, x0:x1])
            rows.append((pool_features(encoder.encode(cut_out(rgb, box))), animal, name, source_of(name)))
            likeliest = max(likeliest, animal)
            if wanted == 0 and likeliest > 0.5:
                wanted, likeliest = MORE, -1.0
    return Rows(*(np.array(column) for column in zip(*rows, strict=True)))


def judged(data: Path, encoder: AppearanceEncoder) -> Rows:
    rows = []
    with (HERE / "labels" / "animals.csv").open(newline="") as file:
        for row in csv.DictReader(file):
            box = Box(*(float(row[side]) for side in ("x0", "y0", "x1", "y1")))
            features = pool_features(encoder.encode(cut_out(read(data / row["image"]), box)))
            rows.append((features, float(row["animal"]), row["image"], source_of(row["image"])))
    return Rows(*(np.array(column) for column in zip(*rows, strict=True)))


def fitted(*parts: Rows) -> np.ndarray:
    """A weight for each feature, and the constant, by maximum likelihood with a ridge."""
    x, y = (np.concatenate([getattr(part, name) for part in parts]) for name in ("features", "animal"))
    mean, sd = x.mean(0), x.std(0) + 1e-3
    z, target = torch.from_numpy((x - mean) / sd).float(), torch.from_numpy(y).float()
    weight, constant = torch.zeros(x.shape[1], requires_grad=True), torch.zeros(1, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, constant], max_iter=40, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(z @ weight + constant, target) + PENALTY * (weight**2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    weights = weight.detach().numpy() / sd
    return np.append(weights, float(constant.detach()) - weights @ mean).astype(np.float32)


def auc(score: np.ndarray, animal: np.ndarray) -> float:
    higher = score[animal > 0.5][:, None] - score[animal < 0.5]
    return float(((higher > 0) + 0.5 * (higher == 0)).mean()) if higher.size else float("nan")


def told(logits: np.ndarray, animal: np.ndarray) -> str:
    """How many animals and people are taken for animals."""
    taken, is_animal = logits >= np.log(SETTINGS.least / (1 - SETTINGS.least)), animal > 0.5
    return (
        f"animals {taken[is_animal].sum()} of {is_animal.sum()}, "
        f"people {taken[~is_animal].sum()} of {(~is_animal).sum()}, AUC {auc(logits, animal):.3f}"
    )


def evaluate(lessons: Rows, persons: Rows, rng: np.random.Generator) -> None:
    learnable = np.isin(persons.source, list(SETS))

    def logits(test: np.ndarray, apart: np.ndarray) -> np.ndarray:
        weights = fitted(lessons.take(~apart), persons.take(learnable & ~test))
        return persons.features[test] @ weights[:-1] + weights[-1]

    for name in np.unique(persons.source):
        test = persons.source == name
        print(f"{name} left out: {told(logits(test, lessons.source == name), persons.animal[test])}")
    names = np.unique(np.concatenate([lessons.picture, persons.picture]))
    fold = dict(zip(names, rng.integers(0, FOLDS, len(names)), strict=True))
    scores = np.zeros(len(persons.animal))
    for k in range(FOLDS):
        test, apart = (np.array([fold[name] == k for name in rows.picture]) for rows in (persons, lessons))
        scores[test] = logits(test, apart)
    samples = (rng.integers(0, len(scores), len(scores)) for _ in range(1000))
    low, high = np.quantile([auc(scores[i], persons.animal[i]) for i in samples], [0.05, 0.95])
    print(f"folds of pictures: {told(scores, persons.animal)} [{low:.3f}, {high:.3f}]")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("imagenet", type=Path)
    parser.add_argument("--out", type=Path, help="appearance_heads.npz, to which the weights are added")
    args = parser.parse_args()
    torch.set_num_threads(1)
    encoder, rng = AppearanceEncoder(device="cpu", threads=1), np.random.default_rng(0)
    lessons, persons = taught(args.data, Teacher(args.imagenet), encoder, rng), judged(args.data, encoder)
    evaluate(lessons, persons, rng)
    if args.out:
        with np.load(args.out) as file:
            kept = dict(file)
        kept["animal"] = fitted(lessons, persons.take(np.isin(persons.source, list(SETS))))
        np.savez(args.out, **kept)


if __name__ == "__main__":
    main()
